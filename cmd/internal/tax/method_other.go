//go:build !linux && !darwin && !freebsd && !windows

package tax

import "os"

// durableMode is the mode that makes an append durable at the least cost here.
const durableMode = "fsync"

func methods() []method {
	const unknown = "not implemented on this platform"
	return []method{
		{mode: "none", call: "pwrite(2) alone"},
		{mode: "fdatasync", na: unknown},
		{mode: "fsync", call: "fsync(2)", barrier: (*os.File).Sync},
		{mode: "O_DSYNC", na: unknown},
		{mode: "O_SYNC", na: unknown},
		{mode: "F_FULLFSYNC", na: "only macOS has it"},
	}
}
