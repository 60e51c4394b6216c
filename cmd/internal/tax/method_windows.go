package tax

import "os"

// durableMode is the mode that makes an append durable at the least cost here.
const durableMode = "fsync"

func methods() []method {
	return []method{
		{mode: "none", call: "WriteFile alone"},
		{mode: "fdatasync", na: "Windows has no documented call that flushes data without metadata"},
		{mode: "fsync", call: "FlushFileBuffers", barrier: (*os.File).Sync},
		{mode: "O_DSYNC", na: "Windows has no O_DSYNC; FILE_FLAG_WRITE_THROUGH is not measured"},
		{mode: "O_SYNC", na: "Windows has no O_SYNC; FILE_FLAG_WRITE_THROUGH is not measured"},
		{mode: "F_FULLFSYNC", na: "only macOS has it; FlushFileBuffers flushes the drive's cache already"},
	}
}
