package host

import (
	"math"
	"strings"
)

// inMemory reports a memory file system, or a file system on a memory disk.
// A volatile overlay is not durable either, but has a warning of its own.
func inMemory(env Environment) bool {
	return kindOf(env.FileSystem) == memory || !env.Durable && !hasOption(env, "volatile")
}

// copiesOnWrite leaves out a btrfs mounted nodatacow, which overwrites in
// place.
func copiesOnWrite(env Environment) bool {
	return kindOf(env.FileSystem) == copyOnWrite && !hasOption(env, "nodatacow")
}

// implausiblyFast is the rule of W07. Where nothing is durable anyway, and on
// persistent memory, which needs no device round trip, speed proves nothing.
func implausiblyFast(env Environment, probe Probe) bool {
	if probe.SyncMedian <= 0 || !env.Durable || strings.HasPrefix(env.Device, "/dev/pmem") {
		return false
	}
	switch {
	case env.Network || kindOf(env.FileSystem) == networked:
		return probe.SyncMedian < fastNetwork
	case env.Rotational == "yes":
		return probe.SyncMedian < fastRotating
	default:
		return probe.SyncMedian < fastOther
	}
}

// throttled compares with the quota rounded up, since that is what Go sets
// GOMAXPROCS to in a container: 2.5 cores and 3 threads are as meant.
func throttled(env Environment) bool {
	return env.CPUQuotaN > 0 && (env.CPUQuotaN < 2 || math.Ceil(env.CPUQuotaN) < float64(env.GOMAXPROCS))
}

// givesUpFlushes knows the mount options, as the kernel shows them, under
// which fsync returns without a flush of the disk's cache: nobarrier (ext4,
// btrfs, gfs2, older xfs), barrier=0 (ext3, ocfs2), barrier=none (reiserfs),
// f2fs's fsync_mode=nobarrier ("doesn't issue flush commands to the device"),
// bcachefs's journal_flush_disabled ("filesystem sync and fsync operations
// issue journal flushes; this can be disabled") and overlayfs's volatile ("all
// forms of sync calls to the upper filesystem are omitted").
//
// ext4's data=writeback is not one of them: it gives up the order between
// data and the journal of what was never synced, and an fsync still writes
// and flushes its file's data. Nor is zfs's sync=disabled, which is a
// property that no mount option shows: the advice of W05 names it.
func givesUpFlushes(env Environment) bool {
	return hasOption(env, "nobarrier", "barrier=0", "barrier=none", "fsync_mode=nobarrier", "journal_flush_disabled", "volatile")
}
