package host

import (
	"fmt"
	"os"
	"strconv"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"walbench.example/cmd/plugpull/internal/disk"
)

// server is a FUSE file system of one directory, in which each disk is a file
// named by its number. It has no page cache (FOPEN_DIRECT_IO) and no
// write-back cache: what the block layer sends arrives as it was sent, a write
// as WRITE and a flush as FSYNC (drivers/block/loop.c, lo_req_flush).
type server struct {
	fuse.RawFileSystem
	disks []*disk.Device
}

// Serve mounts the disks as files 0, 1, ... of a directory. It returns when
// they can be opened. They are served until the process ends.
func Serve(dir string, disks []*disk.Device) error {
	// The kernel must be able to write to the disks to get memory for us: then
	// we may not wait for its writing (PR_SET_IO_FLUSHER, prctl(2)). Refused
	// where CAP_SYS_RESOURCE is missing, and then it is only a risk.
	_ = unix.Prctl(unix.PR_SET_IO_FLUSHER, 1, 0, 0, 0)

	s, err := fuse.NewServer(&server{fuse.NewDefaultRawFileSystem(), disks}, dir, &fuse.MountOptions{
		DirectMountStrict: true,
		DisableXAttrs:     true,
		FsName:            "plugpull",
		Name:              "plugpull",
		MaxWrite:          1 << 20,
		MaxBackground:     64,
		ExtraCapabilities: fuse.CAP_ASYNC_DIO,
	})
	if err != nil {
		return fmt.Errorf("mount FUSE on %s: %w", dir, err)
	}
	go s.Serve()
	if err := s.WaitMount(); err != nil {
		return fmt.Errorf("mount FUSE on %s: %w", dir, err)
	}
	return nil
}

// firstNode is the node of disk 0; 1 is the directory.
const firstNode = 2

func (s *server) disk(node uint64) *disk.Device {
	if i := node - firstNode; i < uint64(len(s.disks)) {
		return s.disks[i]
	}
	return nil
}

func (s *server) attr(node uint64, a *fuse.Attr) fuse.Status {
	a.Ino, a.Nlink, a.Blksize = node, 1, 4096
	if node == fuse.FUSE_ROOT_ID {
		a.Mode = syscall.S_IFDIR | 0o700
		return fuse.OK
	}
	d := s.disk(node)
	if d == nil {
		return fuse.ENOENT
	}
	a.Mode, a.Size = syscall.S_IFREG|0o600, uint64(d.Size())
	a.Blocks = a.Size / disk.SectorSize
	return fuse.OK
}

func (s *server) Lookup(_ <-chan struct{}, _ *fuse.InHeader, name string, out *fuse.EntryOut) fuse.Status {
	i, err := strconv.Atoi(name)
	if err != nil || i < 0 {
		return fuse.ENOENT
	}
	out.NodeId = uint64(i) + firstNode
	return s.attr(out.NodeId, &out.Attr)
}

func (s *server) GetAttr(_ <-chan struct{}, in *fuse.GetAttrIn, out *fuse.AttrOut) fuse.Status {
	return s.attr(in.NodeId, &out.Attr)
}

func (s *server) Open(_ <-chan struct{}, in *fuse.OpenIn, out *fuse.OpenOut) fuse.Status {
	if in.Flags&uint32(os.O_TRUNC) != 0 {
		return fuse.EPERM
	}
	out.OpenFlags = fuse.FOPEN_DIRECT_IO | fuse.FOPEN_PARALLEL_DIRECT_WRITES
	return fuse.OK
}

func (s *server) Read(_ <-chan struct{}, in *fuse.ReadIn, buf []byte) (fuse.ReadResult, fuse.Status) {
	buf = buf[:min(int64(len(buf)), int64(in.Size))]
	s.disk(in.NodeId).ReadAt(buf, int64(in.Offset))
	return fuse.ReadResultData(buf), fuse.OK
}

func (s *server) Write(_ <-chan struct{}, in *fuse.WriteIn, data []byte) (uint32, fuse.Status) {
	if err := s.disk(in.NodeId).WriteAt(data, int64(in.Offset)); err != nil {
		return 0, fuse.EIO
	}
	return uint32(len(data)), fuse.OK
}

func (s *server) Fsync(_ <-chan struct{}, in *fuse.FsyncIn) fuse.Status {
	if s.disk(in.NodeId).Flush() != nil {
		return fuse.EIO
	}
	return fuse.OK
}

// Flush is a close, and no flush of the disk.
func (s *server) Flush(<-chan struct{}, *fuse.FlushIn) fuse.Status { return fuse.OK }

func (s *server) Release(<-chan struct{}, *fuse.ReleaseIn) {}

// Fallocate stays ENOSYS: the loop device then has neither discard nor a
// write of zeros, and the block layer writes the zeros (blk-lib.c), which are recorded.
