package main

import "os"

func main() {
	os.Exit(exitCode(run(os.Args[1:], liveRooms(), os.Stdin, os.Stdout, os.Stderr)))
}
