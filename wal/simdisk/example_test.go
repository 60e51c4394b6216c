package simdisk_test

import (
	"fmt"
	"log"

	"walbench.example/wal/simdisk"
)

func Example() {
	device, err := simdisk.Parse("200us+0.4ns/B")
	if err != nil {
		log.Fatal(err)
	}
	disk := simdisk.New(device)
	f, err := disk.Create("data")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()

	if _, err := f.Write([]byte("a record")); err != nil {
		log.Fatal(err)
	}
	if err := f.Sync(); err != nil { // returns 200 us later
		log.Fatal(err)
	}
	fmt.Println(device, "flushed", disk.Flushes(), "time")
	// Output: 200us+0.4ns/B flushed 1 time
}
