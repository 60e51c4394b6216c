package host

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"walbench.example/cmd/plugpull/internal/disk"
)

// Mkfs returns a fresh file system of that size.
func (f FileSystem) Mkfs(size int64) (*disk.Image, error) {
	path := filepath.Join(Stage, "mkfs")
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	defer os.Remove(path)
	defer file.Close()
	if err := file.Truncate(size); err != nil {
		return nil, err
	}
	cmd := exec.Command(f.mkfs[0], append(f.mkfs[1:len(f.mkfs):len(f.mkfs)], path)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", f.mkfs[0], err, out)
	}
	return read(file, size)
}

// read reads a file into an image, but for its holes.
func read(f *os.File, size int64) (*disk.Image, error) {
	m := disk.NewImage(size)
	buf := make([]byte, 1<<20)
	for off := int64(0); off < size; {
		data, err := unix.Seek(int(f.Fd()), off, unix.SEEK_DATA)
		if errors.Is(err, unix.ENXIO) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("seek in %s: %w", f.Name(), err)
		}
		n, err := f.ReadAt(buf, data&^(disk.SectorSize-1))
		if err != nil && err != io.EOF {
			return nil, err
		}
		m.WriteAt(buf[:n], data&^(disk.SectorSize-1))
		off = data&^(disk.SectorSize-1) + int64(n)
	}
	return m, nil
}

// Mount mounts the file system that is on a device. Times of access are no
// business of a log's.
func (f FileSystem) Mount(device, dir string) error {
	if err := unix.Mount(device, dir, f.Kernel, unix.MS_NOATIME|unix.MS_NOSUID|unix.MS_NODEV, f.Options); err != nil {
		return fmt.Errorf("mount %s: %w", f.Name, err)
	}
	return nil
}

// Unmount unmounts it. A file that a killed process had open may take the
// kernel a moment to let go.
func Unmount(dir string) error {
	for try := time.Millisecond; ; try *= 2 {
		err := unix.Unmount(dir, 0)
		if err == nil {
			return nil
		}
		if !errors.Is(err, unix.EBUSY) || try > time.Second {
			return fmt.Errorf("unmount %s: %w", dir, err)
		}
		time.Sleep(try)
	}
}
