package host

import "golang.org/x/sys/unix"

const (
	cpuModel  = "hw.model"
	journaled = unix.MNT_SUJ // soft updates with a journal
)

// inVirtualMachine reports a guest, whose disk is then taken for a virtual
// one. A jail is not a guest.
func inVirtualMachine() bool {
	guest, err := unix.Sysctl("kern.vm_guest")
	return err == nil && guest != "" && guest != "none"
}
