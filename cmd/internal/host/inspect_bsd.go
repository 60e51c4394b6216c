//go:build darwin || freebsd

package host

import (
	"errors"
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// The macOS and FreeBSD parts are compiled and vetted, but were never run.

func inspect(env *Environment) {
	env.Kernel = release()
	env.CPU = sysctl(cpuModel)
	env.CPUQuota = na("there are no control groups on %s", runtime.GOOS)
	env.VirtualDisk = inVirtualMachine()
	var st unix.Statfs_t
	if err := unix.Statfs(env.Directory, &st); err != nil {
		env.noStorage(na("statfs: %v", err))
		return
	}
	env.FileSystem = unix.ByteSliceToString(st.Fstypename[:])
	env.MountPoint = unix.ByteSliceToString(st.Mntonname[:])
	env.Device = unix.ByteSliceToString(st.Mntfromname[:])
	env.MountOptions = mountOptions(uint64(st.Flags))
	env.Network = st.Flags&unix.MNT_LOCAL == 0
	env.noDisk(na("%s does not tell without opening the device", runtime.GOOS))
}

// mountOptions names the flags that mount(8) shows and that bear on a sync.
func mountOptions(flags uint64) []string {
	options := []string{"rw"}
	if flags&unix.MNT_RDONLY != 0 {
		options[0] = "ro"
	}
	for _, flag := range []struct {
		bit  uint64
		name string
	}{
		{unix.MNT_LOCAL, "local"},
		{unix.MNT_SYNCHRONOUS, "sync"},
		{unix.MNT_ASYNC, "async"},
		{unix.MNT_NOATIME, "noatime"},
		{journaled, "journaled"},
	} {
		if flags&flag.bit != 0 {
			options = append(options, flag.name)
		}
	}
	return options
}

func freeBytes(dir string) (int64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, err
	}
	if st.Blocks == 0 {
		return 0, errors.New("the file system gives no sizes")
	}
	// Below zero on FreeBSD once root has used the reserve.
	return max(0, int64(st.Bavail)*int64(st.Bsize)), nil
}

func release() string {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return na("uname: %v", err)
	}
	return fmt.Sprintf("%s %s", unix.ByteSliceToString(name.Sysname[:]), unix.ByteSliceToString(name.Release[:]))
}

func sysctl(name string) string {
	value, err := unix.Sysctl(name)
	if err != nil {
		return na("sysctl %s: %v", name, err)
	}
	return value
}
