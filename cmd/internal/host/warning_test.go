package host

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// plain is a machine that no warning is given for.
func plain() Environment {
	return Environment{
		FileSystem:   "ext4",
		MountOptions: []string{"rw", "relatime"},
		Device:       "/dev/nvme0n1p2 on nvme0n1",
		Rotational:   "no",
		WriteCache:   "write back",
		CPUQuota:     "none",
		GOMAXPROCS:   8,
		Durable:      true,
	}
}

func codes(warnings []Warning) string {
	var all []string
	for _, w := range warnings {
		all = append(all, w.Code)
	}
	return strings.Join(all, " ")
}

func TestPlainMachineHasNoWarnings(t *testing.T) {
	if got := codes(Warnings(plain(), Probe{SyncMedian: 12 * time.Microsecond})); got != "" {
		t.Errorf("Warnings = %s, want none", got)
	}
}

// change makes one thing of the plain machine different.
type change func(*Environment, *Probe)

func onFS(name string) change {
	return func(e *Environment, _ *Probe) { e.FileSystem = name; e.judge() }
}

func withOption(fsType, name string) change {
	return func(e *Environment, _ *Probe) {
		e.FileSystem, e.MountOptions = fsType, append(e.MountOptions, name)
		e.judge()
	}
}

func withQuota(cores float64, procs int) change {
	return func(e *Environment, _ *Probe) { e.CPUQuotaN, e.GOMAXPROCS = cores, procs }
}

func syncing(d time.Duration, on change) change {
	return func(e *Environment, p *Probe) { p.SyncMedian = d; on(e, p) }
}

func rotating(told string) change {
	return func(e *Environment, _ *Probe) { e.Rotational = told }
}

// triggers has for each warning what must trigger it, and next to it what
// must not.
var triggers = []struct {
	name   string
	change change
	want   string
}{
	{"tmpfs", onFS("tmpfs"), "W01"},
	{"ramfs", onFS("ramfs"), "W01"},
	{"memory disk", func(e *Environment, _ *Probe) { e.Durable = false }, "W01"},
	{"xfs", onFS("xfs"), ""},
	{"overlay", onFS("overlay"), "W02"},
	{"nfs", onFS("nfs"), "W03"},
	{"NTFS on a server", func(e *Environment, _ *Probe) { e.FileSystem, e.Network = "NTFS", true }, "W03"},
	{"NTFS", onFS("NTFS"), ""},
	{"sshfs", onFS("fuse.sshfs"), "W04"},
	{"ntfs-3g", onFS("fuseblk"), "W04"},
	{"9p", onFS("9p"), "W04"},
	{"virtiofs", onFS("virtiofs"), "W04"},
	{"apfs", onFS("apfs"), ""},
	{"zfs", onFS("zfs"), "W05"},
	{"btrfs", onFS("btrfs"), "W05"},
	{"btrfs in place", withOption("btrfs", "nodatacow"), ""},
	{"virtual disk", func(e *Environment, _ *Probe) { e.VirtualDisk = true }, "W06"},
	{"sync below 5us", syncing(4900*time.Nanosecond, onFS("ext4")), "W07"},
	{"sync of 5us", syncing(5*time.Microsecond, onFS("ext4")), ""},
	{"sync below 1ms on a platter", syncing(999*time.Microsecond, rotating("yes")), "W07"},
	{"sync of 4ms on a platter", syncing(4*time.Millisecond, rotating("yes")), ""},
	{"sync of 200us on a mixed mirror", syncing(200*time.Microsecond, rotating("yes (sda), no (sdb)")), ""},
	{"sync below 20us on nfs", syncing(19*time.Microsecond, onFS("nfs4")), "W03 W07"},
	{"sync of 300us on nfs", syncing(300*time.Microsecond, onFS("nfs4")), "W03"},
	{"sync of 1us on persistent memory", syncing(time.Microsecond, func(e *Environment, _ *Probe) { e.Device = "/dev/pmem0" }), ""},
	{"sync of 1us on tmpfs", syncing(time.Microsecond, onFS("tmpfs")), "W01"},
	{"one thread", withQuota(0, 1), "W08"},
	{"two threads", withQuota(0, 2), ""},
	{"quota of 1.5", withQuota(1.5, 2), "W09"},
	{"quota of 2", withQuota(2, 2), ""},
	{"quota below GOMAXPROCS", withQuota(2.5, 8), "W09"},
	{"quota rounded up is GOMAXPROCS", withQuota(2.5, 3), ""},
	{"nobarrier", withOption("ext4", "nobarrier"), "W10"},
	{"barrier=0", withOption("ext3", "barrier=0"), "W10"},
	{"f2fs nobarrier", withOption("f2fs", "fsync_mode=nobarrier"), "W10"},
	{"bcachefs without flushes", withOption("bcachefs", "journal_flush_disabled"), "W05 W10"},
	{"volatile overlay", withOption("overlay", "volatile"), "W02 W10"},
	{"barrier=1", withOption("ext4", "barrier=1"), ""},
	{"data=writeback", withOption("ext4", "data=writeback"), ""},
	{"write through", func(e *Environment, _ *Probe) { e.WriteCache = "write through" }, "W11"},
	{"unknown write cache", func(e *Environment, _ *Probe) { e.WriteCache = na("no such file") }, ""},
}

func TestEachWarningHasItsTrigger(t *testing.T) {
	triggered := make(map[string]bool)
	for _, test := range triggers {
		t.Run(test.name, func(t *testing.T) {
			env, probe := plain(), Probe{}
			test.change(&env, &probe)
			if got := codes(Warnings(env, probe)); got != test.want {
				t.Errorf("Warnings = %q, want %q", got, test.want)
			}
		})
		for code := range strings.FieldsSeq(test.want) {
			triggered[code] = true
		}
	}
	for _, w := range Catalogue() {
		if !triggered[w.Code] {
			t.Errorf("nothing triggers %s", w.Code)
		}
	}
}

func TestCatalogueIsNumberedAndComplete(t *testing.T) {
	for i, w := range Catalogue() {
		if want := fmt.Sprintf("W%02d", i+1); w.Code != want {
			t.Errorf("warning %d has code %s, want %s: a code is never moved", i, w.Code, want)
		}
		for _, sentence := range []string{w.Meaning, w.Advice} {
			if !strings.HasSuffix(sentence, ".") || strings.Contains(sentence, ". ") {
				t.Errorf("%s: %q is not one sentence", w.Code, sentence)
			}
		}
	}
}

func TestSilenceDropsTheNamedWarnings(t *testing.T) {
	given := []Warning{{Code: "W02"}, {Code: "W06"}, {Code: "W09"}}
	for _, test := range []struct {
		silent []string
		want   string
	}{
		{nil, "W02 W06 W09"},
		{[]string{"W06"}, "W02 W09"},
		{[]string{"w02, W09"}, "W06"},
		{[]string{"W02", "w06", "W09"}, ""},
		{[]string{"W01"}, "W02 W06 W09"}, // valid, not given
	} {
		left, err := Silence(given, test.silent)
		if got := codes(left); got != test.want || err != nil {
			t.Errorf("Silence(%q) = %q, %v, want %q", test.silent, got, err, test.want)
		}
	}
}

func TestSilenceRefusesUnknownCodes(t *testing.T) {
	for _, bad := range []string{"W99", "W1", "", "W01,", "W01 W02"} {
		_, err := Silence(nil, []string{bad})
		if err == nil || !strings.Contains(err.Error(), "W01, W02") {
			t.Errorf("Silence(%q): error %v, want one that lists the codes", bad, err)
		}
	}
}
