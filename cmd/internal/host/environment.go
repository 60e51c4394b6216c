// Package host says what a figure was measured on: the file system and device
// under a directory, the machine, and the warnings a reader needs before he
// believes a number. It also makes, and takes away, the directory a run works
// in.
//
// Nothing here guesses. What the system does not tell, or tells unreliably,
// reads "n/a (reason)".
package host

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// Environment describes the machine and what lies under one directory. A
// string that could not be found out reads "n/a (reason)", and so does the
// single element of MountOptions then.
type Environment struct {
	Directory    string   `json:"directory"`     // absolute, symlinks resolved
	FileSystem   string   `json:"file_system"`   // as the kernel names it: ext4, nfs4, fuse.sshfs
	MountPoint   string   `json:"mount_point"`   // what Directory is below
	MountOptions []string `json:"mount_options"` // without the layer paths of an overlay
	Device       string   `json:"device"`        // with the disks it lies on: /dev/nvme0n1p2 on nvme0n1
	DeviceModel  string   `json:"device_model"`
	Rotational   string   `json:"rotational"`   // yes, no, or n/a (reason)
	WriteCache   string   `json:"write_cache"`  // write back, write through, or n/a (reason)
	VirtualDisk  bool     `json:"virtual_disk"` // a hypervisor, a server or a file stands in for the disk
	Network      bool     `json:"network"`      // the file system is on another machine
	FreeBytes    int64    `json:"free_bytes"`   // to this user; -1: unknown

	OS         string  `json:"os"`
	Arch       string  `json:"arch"`
	Kernel     string  `json:"kernel"`
	CPU        string  `json:"cpu"`
	Cores      int     `json:"cores"`     // that this process may run on
	CPUQuota   string  `json:"cpu_quota"` // such as "1.5 cores", "none", or n/a (reason)
	GOMAXPROCS int     `json:"gomaxprocs"`
	GoVersion  string  `json:"go_version"`
	Durable    bool    `json:"durable"` // false where a sync is known to make nothing durable: memory, a volatile overlay
	CPUQuotaN  float64 `json:"-"`       // CPUQuota in cores; 0: none or unknown
}

// Inspect describes the machine and the directory, which must exist. It only
// reads. What it cannot find out it says in the field; its one error is a
// directory that cannot be resolved.
func Inspect(dir string) (Environment, error) {
	resolved, err := resolve(dir)
	if err != nil {
		return Environment{}, fmt.Errorf("host: inspect %s: %w", dir, err)
	}
	env := Environment{
		Directory:  resolved,
		FreeBytes:  -1,
		OS:         runtime.GOOS,
		Arch:       runtime.GOARCH,
		Cores:      runtime.NumCPU(),
		GOMAXPROCS: runtime.GOMAXPROCS(0),
		GoVersion:  runtime.Version(),
		Durable:    true,
	}
	if free, err := FreeBytes(resolved); err == nil {
		env.FreeBytes = free
	}
	inspect(&env)
	env.judge()
	return env, nil
}

// judge draws from the file system what holds on every platform.
func (env *Environment) judge() {
	env.Network = env.Network || kindOf(env.FileSystem) == networked
	if kindOf(env.FileSystem) == memory || hasOption(*env, "volatile") {
		env.Durable = false
	}
}

// resolve returns the absolute path without symlinks: mount tables know no
// other.
func resolve(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

const naPrefix = "n/a ("

// na is the text of a field that could not be found out.
func na(format string, args ...any) string {
	return naPrefix + fmt.Sprintf(format, args...) + ")"
}

// noStorage marks all that is said about the storage as unknown for one
// reason.
func (env *Environment) noStorage(reason string) {
	env.FileSystem, env.MountPoint, env.MountOptions = reason, reason, []string{reason}
	env.Device = reason
	env.noDisk(reason)
}

// noDisk marks all that is said about the disk below the file system as
// unknown for one reason.
func (env *Environment) noDisk(reason string) {
	env.DeviceModel, env.Rotational, env.WriteCache = reason, reason, reason
}

func hasOption(env Environment, names ...string) bool {
	for _, option := range env.MountOptions {
		for _, name := range names {
			if strings.EqualFold(option, name) {
				return true
			}
		}
	}
	return false
}
