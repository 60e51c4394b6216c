package host

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Warning is one coded, silenceable remark: one sentence of meaning, one of
// what to do. A code keeps its meaning for ever; a retired one is not reused.
type Warning struct {
	Code    string `json:"code"` // W01 ...
	Meaning string `json:"meaning"`
	Advice  string `json:"advice"`
}

// Probe is what a run measured that a warning depends on.
type Probe struct {
	// SyncMedian is the median time of one write of at most a few KiB and its
	// sync, on the file system in question. Zero: not measured.
	SyncMedian time.Duration
}

// Below these a write with its sync is implausibly fast (W07). The honest
// fast ones stay above: an NVMe drive whose cache survives a power cut, and
// which therefore need not flush, takes 10 to 20 us.
const (
	// A platter turns once in 4 ms at 15,000 rpm, and a small overwrite waits
	// for half a turn on average.
	fastRotating = time.Millisecond
	// One round trip to a server, even through the loopback device.
	fastNetwork = 20 * time.Microsecond
	// A write and a sync that reach no device: 1 to 3 us on tmpfs.
	fastOther = 5 * time.Microsecond
)

// rule is a warning and the condition under which it is given.
type rule struct {
	Warning
	applies func(Environment, Probe) bool
}

// rules is the one table of warnings, in the order of their codes.
func rules() []rule {
	return []rule{
		{Warning{"W01", "The directory is in memory: nothing is durable here, whatever a sync returns.",
			"Choose a directory on a disk with --dir; the figures here show only what the software costs."},
			func(env Environment, _ Probe) bool { return inMemory(env) }},
		{Warning{"W02", "The directory is on an overlay: files lie on another file system, which it does not name, and a first write to an old file copies it.",
			"Mount a volume of the host into the container and choose it with --dir."},
			func(env Environment, _ Probe) bool { return kindOf(env.FileSystem) == overlay }},
		{Warning{"W03", "The directory is on a network file system: a sync is a round trip to a server, whose own settings decide whether data reaches its disk.",
			"Read the figures as those of network and server together, and check the export (NFS: sync, not async)."},
			func(env Environment, _ Probe) bool { return env.Network || kindOf(env.FileSystem) == networked }},
		{Warning{"W04", "The directory is served by a FUSE process or is a share of the hypervisor's host (9p, virtiofs): that server decides what a sync does, and may do nothing.",
			"Run on the file system that the server stores to, or find out what it does on fsync."},
			func(env Environment, _ Probe) bool { return kindOf(env.FileSystem) == served }},
		{Warning{"W05", "The file system writes an overwrite to a new place: a prepared file is no cheaper to sync than a growing one here.",
			"Expect prepared and growing to tie; on btrfs, chattr +C on an empty directory makes its new files overwrite in place, and on zfs check the property sync."},
			func(env Environment, _ Probe) bool { return copiesOnWrite(env) }},
		{Warning{"W06", "The disk is virtual: it cannot be told from here whether a flush reaches the medium or ends in a cache of the host.",
			"Ask the provider, or look up the cache mode on the host (QEMU: cache=unsafe drops flushes), before you trust a figure as durable."},
			func(env Environment, _ Probe) bool { return env.VirtualDisk }},
		{Warning{"W07", fmt.Sprintf("A sync is implausibly fast: a write with its sync takes under %v on a rotating disk, under %v on a network file system or under %v elsewhere.",
			fastRotating, fastNetwork, fastOther),
			"Look for what swallows the flush (a mount option, a setting of the controller or hypervisor); only a battery-backed controller cache is honest and as fast."},
			implausiblyFast},
		{Warning{"W08", "GOMAXPROCS is 1: while a sync blocks, no writer runs until the scheduler notices, so that group commit looks worse than it is.",
			"Run with GOMAXPROCS=2 or more, on a machine or container with two cores."},
			func(env Environment, _ Probe) bool { return env.GOMAXPROCS == 1 }},
		{Warning{"W09", "The container may use fewer cores than two, or than Go runs threads for: the kernel stops the whole process for some milliseconds whenever the quota is spent, which shows as latency.",
			"Raise the CPU limit, or lower GOMAXPROCS to it, and do not trust p99 and max as the disk's."},
			func(env Environment, _ Probe) bool { return throttled(env) }},
		{Warning{"W10", "The file system is mounted so that a sync does not flush the disk's cache (nobarrier, barrier=0, fsync_mode=nobarrier, journal_flush_disabled, volatile): what is acknowledged may be lost with the power.",
			"Mount it without that option, unless every cache below survives a power cut."},
			func(env Environment, _ Probe) bool { return givesUpFlushes(env) }},
		{Warning{"W11", "The kernel takes the disk's write cache for write through and sends it no flushes: a sync here costs the write alone.",
			"That is right for a disk without a volatile cache; if someone set queue/write_cache by hand, set it back to write back."},
			func(env Environment, _ Probe) bool { return env.Durable && env.WriteCache == "write through" }},
	}
}

// Catalogue returns every warning there is, in the order of their codes.
func Catalogue() []Warning {
	var all []Warning
	for _, r := range rules() {
		all = append(all, r.Warning)
	}
	return all
}

// Warnings returns what a reader must know before he believes a figure
// measured there, in the order of the codes.
func Warnings(env Environment, probe Probe) []Warning {
	var given []Warning
	for _, r := range rules() {
		if r.applies(env, probe) {
			given = append(given, r.Warning)
		}
	}
	return given
}

// Silence returns the warnings without those with the codes, each of which
// may be a comma list; case does not matter. An unknown code is an error that
// lists the valid ones, also without any warnings: so a flag can be checked
// before a run.
func Silence(warnings []Warning, codes []string) ([]Warning, error) {
	var silent, valid []string
	for _, w := range Catalogue() {
		valid = append(valid, w.Code)
	}
	for _, list := range codes {
		for code := range strings.SplitSeq(list, ",") {
			upper := strings.ToUpper(strings.TrimSpace(code))
			if !slices.Contains(valid, upper) {
				return nil, fmt.Errorf("host: silence warning %q: no such code (there are %s)", code, strings.Join(valid, ", "))
			}
			silent = append(silent, upper)
		}
	}
	var left []Warning
	for _, w := range warnings {
		if !slices.Contains(silent, w.Code) {
			left = append(left, w)
		}
	}
	return left, nil
}
