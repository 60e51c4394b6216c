package crashfs_test

import (
	"fmt"

	"walbench.example/wal"
	"walbench.example/wal/crashfs"
)

// Cut the power after every change that a log makes to its disk.
func Example() {
	disk := crashfs.New()
	log, err := wal.Open("log", wal.Options{FS: disk, SegmentSize: wal.MinSegmentSize})
	if err != nil {
		panic(err)
	}
	lsn, err := log.Append([]byte("hello"))
	if err == nil {
		err = log.Sync()
	}
	if err != nil {
		panic(err)
	}
	acknowledged := disk.Changes()
	log.Close()

	lost := 0
	for at, crash := range disk.Cuts() {
		after := crash(crashfs.Seed(1))
		log, err := wal.Open("log", wal.Options{FS: after})
		if err != nil {
			panic(err)
		}
		found := false
		for rec := range log.Records(0) {
			found = found || rec.LSN == lsn
		}
		if at >= acknowledged && !found {
			lost++
		}
		log.Close()
	}
	fmt.Println("crashes after the acknowledgement that lost the record:", lost)
	// Output: crashes after the acknowledgement that lost the record: 0
}
