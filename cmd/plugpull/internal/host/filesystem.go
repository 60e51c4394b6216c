package host

import "fmt"

// FileSystem is one that the log is tested on: how to make it small, and how
// to mount it.
type FileSystem struct {
	Name    string
	Kernel  string // its name for mount(2)
	Options string // of mount(2)
	Size    int64

	mkfs   []string
	debian string

	// superblocks are where a write is not torn. See Whole.
	superblocks []int64
}

// Whole says whether the file system relies on the sector at off to be written
// along with its neighbours or not at all. ext4 and btrfs do, of their
// superblocks alone: those are overwritten in place, without a journal, under
// one checksum (fs/ext4/super.c, ext4_commit_super; fs/btrfs/disk-io.c,
// write_dev_supers), and a torn one cannot be mounted.
func (f FileSystem) Whole(off int64) bool {
	for _, s := range f.superblocks {
		if off >= s && off < s+superblockSize {
			return true
		}
	}
	return false
}

const superblockSize = 4096

var fileSystems = []FileSystem{
	{
		Name: "ext4", Kernel: "ext4", Options: "nodiscard", Size: 48 << 20,
		mkfs:   []string{"mkfs.ext4", "-q", "-F", "-b", "4096", "-J", "size=4", "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0"},
		debian: "e2fsprogs", superblocks: []int64{0},
	},
	{
		Name: "ext4-writeback", Kernel: "ext4", Options: "nodiscard,data=writeback", Size: 48 << 20,
		mkfs:   []string{"mkfs.ext4", "-q", "-F", "-b", "4096", "-J", "size=4", "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0"},
		debian: "e2fsprogs", superblocks: []int64{0},
	},
	{
		Name: "xfs", Kernel: "xfs", Options: "nodiscard", Size: 300 << 20,
		mkfs:   []string{"mkfs.xfs", "-q", "-f", "-K"},
		debian: "xfsprogs",
	},
	{
		Name: "btrfs", Kernel: "btrfs", Options: "nodiscard", Size: 160 << 20,
		mkfs:        []string{"mkfs.btrfs", "-q", "-f", "-K", "-m", "single", "-d", "single"},
		debian:      "btrfs-progs",
		superblocks: []int64{64 << 10, 64 << 20},
	},
}

// Lookup returns the file system of that name.
func Lookup(name string) (FileSystem, error) {
	var names []string
	for _, f := range fileSystems {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return FileSystem{}, fmt.Errorf("unknown file system %q: want one of %v", name, names)
}
