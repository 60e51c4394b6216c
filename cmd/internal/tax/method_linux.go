package tax

import (
	"golang.org/x/sys/unix"
)

// durableMode is the mode that makes an append durable at the least cost here.
const durableMode = "fdatasync"

func methods() []method {
	return []method{
		{mode: "none", call: "pwrite(2) alone"},
		{mode: "fdatasync", call: "fdatasync(2)", barrier: retried(unix.Fdatasync)},
		{mode: "fsync", call: "fsync(2)", barrier: retried(unix.Fsync)},
		{mode: "O_DSYNC", call: "pwrite(2) on a file opened with O_DSYNC", flag: unix.O_DSYNC},
		{mode: "O_SYNC", call: "pwrite(2) on a file opened with O_SYNC", flag: unix.O_SYNC},
		{mode: "F_FULLFSYNC", na: "only macOS has it; fsync on Linux flushes the drive's cache already"},
	}
}
