package host

import "golang.org/x/sys/unix"

const (
	cpuModel  = "machdep.cpu.brand_string"
	journaled = unix.MNT_JOURNALED
)

// inVirtualMachine reports a guest, whose disk is then a virtual one.
func inVirtualMachine() bool {
	present, err := unix.SysctlUint32("kern.hv_vmm_present")
	return err == nil && present != 0
}
