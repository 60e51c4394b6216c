package host

import (
	"fmt"
	"os"
	"os/exec"
)

// Missing returns what this machine lacks, and where it comes from; "" if
// nothing is.
func Missing(systems []FileSystem) string {
	if os.Geteuid() != 0 {
		return "it must run as root, to mount file systems"
	}
	for _, need := range []struct{ path, why string }{
		{"/dev/fuse", "modprobe fuse, or give the container the device"},
		{"/dev/loop-control", "modprobe loop, or give the container the device"},
		{Stage, "modprobe fuse, and mount sysfs"},
	} {
		if _, err := os.Stat(need.path); err != nil {
			return fmt.Sprintf("%s is missing (%s)", need.path, need.why)
		}
	}
	for _, s := range systems {
		if _, err := exec.LookPath(s.mkfs[0]); err != nil {
			return fmt.Sprintf("%s is missing (Debian package %s)", s.mkfs[0], s.debian)
		}
	}
	return ""
}
