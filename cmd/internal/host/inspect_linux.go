package host

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// kernel is what the Linux part asks: the tree that holds /proc, /sys and
// /dev, so that a test can lay out a machine, and what two system calls say
// about the directory.
type kernel struct {
	tree    fs.FS
	magic   uint32 // statfs(2) f_type
	mountID uint64 // statx(2) stx_mnt_id, the key into mountinfo; 0: the kernel does not tell
}

func inspect(env *Environment) {
	k := kernel{tree: os.DirFS("/")}
	var st unix.Statfs_t
	if err := statfs(env.Directory, &st); err == nil {
		k.magic = uint32(st.Type)
	}
	var stx unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, env.Directory, 0, unix.STATX_MNT_ID, &stx)
	if err == nil && stx.Mask&unix.STATX_MNT_ID != 0 {
		k.mountID = stx.Mnt_id
	}
	k.describe(env)
}

func freeBytes(dir string) (int64, error) {
	var st unix.Statfs_t
	if err := statfs(dir, &st); err != nil {
		return 0, err
	}
	if st.Blocks == 0 {
		return 0, errors.New("the file system gives no sizes")
	}
	// The kernel counts in f_frsize, and sets it to f_bsize where a file
	// system has no fragments (fs/statfs.c).
	return int64(st.Bavail) * int64(st.Frsize), nil
}

// statfs asks again when a signal came in, as a FUSE or network file system
// may report one.
func statfs(dir string, st *unix.Statfs_t) error {
	for {
		if err := unix.Statfs(dir, st); err != unix.EINTR {
			return err
		}
	}
}

// describe fills in all that is told by files.
func (k kernel) describe(env *Environment) {
	env.Kernel = k.text("proc/sys/kernel/osrelease")
	env.CPU = k.processor()
	mounts, err := k.mounts()
	if err != nil {
		env.CPUQuota = naFile(err)
		k.describeUnmounted(env, naFile(err))
		return
	}
	env.CPUQuota, env.CPUQuotaN = k.quota(mounts)
	m, err := k.mountOf(mounts, env.Directory)
	if err != nil {
		k.describeUnmounted(env, naFile(err))
		return
	}
	env.FileSystem, env.MountPoint, env.MountOptions = m.fsType, m.point, m.options()
	k.describeDevice(env, m)
}

// describeUnmounted says what statfs alone tells when the mount table does
// not help.
func (k kernel) describeUnmounted(env *Environment, reason string) {
	env.noStorage(reason)
	if names := typesOf(k.magic); names != nil {
		env.FileSystem = names[0]
	}
}

// processor names the CPU. ARM kernels give numbers where others give a name.
func (k kernel) processor() string {
	data, err := fs.ReadFile(k.tree, "proc/cpuinfo")
	if err != nil {
		return naFile(err)
	}
	fields := make(map[string]string)
	for line := range strings.SplitSeq(string(data), "\n") {
		key, value, _ := strings.Cut(line, ":")
		if key = strings.TrimSpace(key); fields[key] == "" {
			fields[key] = strings.TrimSpace(value)
		}
	}
	for _, key := range []string{"model name", "cpu", "cpu model", "uarch"} {
		if fields[key] != "" {
			return fields[key]
		}
	}
	if fields["CPU part"] != "" {
		return "ARM implementer " + fields["CPU implementer"] + " part " + fields["CPU part"]
	}
	return na("/proc/cpuinfo has no model name")
}

// text returns a one-line file, or why there is none.
func (k kernel) text(name string) string {
	data, err := fs.ReadFile(k.tree, name)
	if err != nil {
		return naFile(err)
	}
	return strings.TrimSpace(string(data))
}

// line is text without the reason: empty if there is no such file.
func (k kernel) line(name string) string {
	data, _ := fs.ReadFile(k.tree, name)
	return strings.TrimSpace(string(data))
}

// naFile is na for a file of the tree, whose names lack the leading slash.
func naFile(err error) string {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return na("/%s: %v", pathErr.Path, pathErr.Err)
	}
	return na("%v", err)
}
