package commit_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"walbench.example/commit"
	"walbench.example/wal"
)

// A toy database that commits from many goroutines and finds everything again.
func Example() {
	tmp, _ := os.MkdirTemp("", "example-")
	defer os.RemoveAll(tmp)
	dir := filepath.Join(tmp, "log")

	log, err := wal.Open(dir, wal.Options{}) // durable by default
	if err != nil {
		panic(err)
	}
	c, err := commit.New(log, commit.Options{}) // adaptive group commit
	if err != nil {
		panic(err)
	}
	var writers sync.WaitGroup
	for i := range 8 {
		writers.Go(func() {
			record := fmt.Appendf(nil, "set key%d=%d", i, i*i)
			if _, err := c.Commit(context.Background(), record); err != nil {
				panic(err) // nil: the record is durable
			}
		})
	}
	writers.Wait()
	if err := c.Close(); err != nil {
		panic(err)
	}
	if err := log.Close(); err != nil {
		panic(err)
	}

	log, err = wal.Open(dir, wal.Options{})
	if err != nil {
		panic(err)
	}
	defer log.Close()
	n := 0
	for record, err := range log.Records(0) {
		if err != nil {
			panic(err)
		}
		_ = record.Data // apply it
		n++
	}
	fmt.Println(n, "records, closed cleanly:", log.Recovery().Clean)
	// Output: 8 records, closed cleanly: true
}
