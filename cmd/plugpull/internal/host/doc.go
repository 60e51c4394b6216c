// Package host is what a disk in memory needs of Linux to be used by its file
// systems: namespaces that take everything with them when they end, a FUSE
// file for each disk, a loop device over it, and mounts.
//
// The process that serves the files never uses them. A thread that waits in
// the kernel for a request that its own process should answer cannot be
// killed, and keeps /dev/fuse open, whose closing would end the wait: so all
// that attaches, mounts and writes runs in other processes, and when the
// server dies, however it dies, the kernel answers for it (fuse(4)).
package host
