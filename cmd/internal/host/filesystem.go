package host

import "strings"

// kind is what a file system's type says about a sync on it.
type kind int

const (
	local       kind = iota // on a block device of this machine, or not known
	memory                  // gone with the power, whatever a sync returns
	overlay                 // passes files on to another file system, which it does not name
	networked               // a server on another machine syncs
	served                  // a process or the hypervisor's host syncs
	copyOnWrite             // an overwrite goes to a new place
)

// kindOf sorts the type names that Linux (mountinfo), macOS and FreeBSD
// (statfs) and Windows use. FUSE counts as served even where the server
// fetches from a network: which of the two it does cannot be seen from here.
//
// APFS is not copyOnWrite: it copies metadata and cloned or snapshotted
// extents, and overwrites the others in place.
func kindOf(fsType string) kind {
	switch fsType = strings.ToLower(fsType); fsType {
	case "tmpfs", "ramfs", "rootfs", "devtmpfs", "hugetlbfs":
		return memory
	case "overlay", "overlayfs", "aufs", "unionfs":
		return overlay
	case "nfs", "nfs4", "cifs", "smb2", "smb3", "smbfs", "afpfs", "webdav", "ceph", "afs", "coda", "ncpfs", "lustre", "gpfs", "beegfs", "orangefs":
		return networked
	case "virtiofs", "applevirtiofs", "9p", "p9fs", "drvfs", "vboxsf", "vmhgfs", "prl_fs", "macfuse", "osxfuse":
		return served
	case "btrfs", "zfs", "bcachefs", "nilfs2":
		return copyOnWrite
	}
	if strings.HasPrefix(fsType, "fuse") { // fuse, fuseblk, fuse.sshfs, fusefs.sshfs
		return served
	}
	return local
}
