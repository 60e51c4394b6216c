package host

import (
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// mount is one line of /proc/self/mountinfo (proc_pid_mountinfo(5)):
//
//	36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue
//	id    dev  root  point mount opts  tags...   type source    super opts
type mount struct {
	id        uint64
	dev       string // major:minor; 0:N has no block device
	root      string // what of the file system is mounted: not / for a bind mount
	point     string
	fsType    string
	source    string
	mountOpts string // of this mount
	superOpts string // of the file system
}

// mounts returns the mount table of this process. A line it cannot read is an
// error: it might be the very one that matters.
func (k kernel) mounts() ([]mount, error) {
	data, err := fs.ReadFile(k.tree, "proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	var all []mount
	for line := range strings.Lines(string(data)) {
		m, ok := parseMount(strings.TrimSuffix(line, "\n"))
		if !ok {
			return nil, fmt.Errorf("line %d of /proc/self/mountinfo is not understood", len(all)+1)
		}
		all = append(all, m)
	}
	return all, nil
}

// parseMount splits at single spaces: a source may be empty.
func parseMount(line string) (mount, bool) {
	before, after, ok := strings.Cut(line, " - ")
	first, second := strings.Split(before, " "), strings.Split(after, " ")
	if !ok || len(first) < 6 || len(second) < 3 {
		return mount{}, false
	}
	id, err := strconv.ParseUint(first[0], 10, 64)
	if err != nil {
		return mount{}, false
	}
	return mount{
		id:        id,
		dev:       first[2],
		root:      unescape(first[3]),
		point:     unescape(first[4]),
		mountOpts: first[5],
		fsType:    unescape(second[0]),
		source:    unescape(second[1]),
		superOpts: second[2],
	}, true
}

// unescape undoes the kernel's \ooo for space, tab, newline, backslash and #.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if c, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(c))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// mountOf returns the mount that a resolved path is on: the one with the
// path's mount id, and where the kernel tells none (before 5.8, some
// sandboxes) the one with the longest mount point above the path, the last of
// several, since later mounts cover earlier ones. A mount covered by one on a
// directory above it would mislead that rule, so its answer must agree with
// statfs.
func (k kernel) mountOf(mounts []mount, dir string) (mount, error) {
	best := -1
	for i, m := range mounts {
		if k.mountID != 0 && m.id == k.mountID {
			return m, nil
		}
		if covers(m.point, dir) && (best < 0 || len(m.point) >= len(mounts[best].point)) {
			best = i
		}
	}
	if best < 0 {
		return mount{}, fmt.Errorf("no entry of /proc/self/mountinfo is above %s", dir)
	}
	m := mounts[best]
	if names := typesOf(k.magic); names != nil && !slices.Contains(names, m.fsType) {
		return mount{}, fmt.Errorf("/proc/self/mountinfo has %s at %s, which statfs denies", m.fsType, m.point)
	}
	return m, nil
}

func covers(point, dir string) bool {
	return point == "/" || dir == point || strings.HasPrefix(dir, point+"/")
}

// typesOf returns the mountinfo names that share a statfs magic, the likeliest
// first; nil for a magic that has no name here or more than can be listed
// (FUSE has a name for each server).
func typesOf(magic uint32) []string {
	switch magic {
	case unix.EXT4_SUPER_MAGIC:
		return []string{"ext4", "ext3", "ext2"}
	case unix.XFS_SUPER_MAGIC:
		return []string{"xfs"}
	case unix.BTRFS_SUPER_MAGIC:
		return []string{"btrfs"}
	case unix.BCACHEFS_SUPER_MAGIC:
		return []string{"bcachefs"}
	case zfsMagic:
		return []string{"zfs"}
	case unix.F2FS_SUPER_MAGIC:
		return []string{"f2fs"}
	case unix.TMPFS_MAGIC:
		return []string{"tmpfs", "devtmpfs", "rootfs"}
	case unix.RAMFS_MAGIC:
		return []string{"ramfs", "rootfs", "devtmpfs"}
	case unix.OVERLAYFS_SUPER_MAGIC:
		return []string{"overlay"}
	case unix.NFS_SUPER_MAGIC:
		return []string{"nfs", "nfs4"}
	case unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC:
		return []string{"cifs", "smb3"}
	case unix.V9FS_MAGIC:
		return []string{"9p"}
	}
	return nil
}

// zfsMagic is ZFS_SUPER_MAGIC of OpenZFS's include/sys/fs/zfs.h, which is not
// in the kernel's headers.
const zfsMagic = 0x2fc12fc1

// options returns what holds for this mount: its own options and the file
// system's, each once. The layer paths of an overlay are left out, being long
// and of the host.
func (m mount) options() []string {
	var all []string
	for option := range strings.SplitSeq(m.mountOpts+","+m.superOpts, ",") {
		layer := strings.HasPrefix(option, "lowerdir") || strings.HasPrefix(option, "workdir=")
		if option != "" && !layer && !slices.Contains(all, option) {
			all = append(all, unescape(option))
		}
	}
	if slices.Contains(all, "ro") {
		all = slices.DeleteFunc(all, func(option string) bool { return option == "rw" })
	}
	return all
}
