package commit_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"

	"walbench.example/commit"
	"walbench.example/wal"
)

func Example() {
	dir, err := os.MkdirTemp("", "wal")
	if err != nil {
		slog.Error(err.Error())
		return
	}
	defer os.RemoveAll(dir)
	log, err := wal.Open(dir, wal.Options{})
	if err != nil {
		slog.Error(err.Error())
		return
	}
	defer log.Close()
	c, err := commit.New(log, commit.Options{})
	if err != nil {
		slog.Error(err.Error())
		return
	}
	defer c.Close()

	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if _, err := c.Commit(context.Background(), fmt.Appendf(nil, "record %d", i)); err != nil {
				slog.Error(err.Error())
			}
		})
	}
	wg.Wait()
	fmt.Println(c.Stats().Records, "records are durable")
	// Output: 8 records are durable
}
