package simdisk

import (
	"io"
	"os"
	"sync"
	"syscall"
)

// Lock makes an empty file of the given name and locks the name, however it is
// spelled, until the returned Closer is closed. A name that is locked already
// is refused with EAGAIN, as fcntl(2) does, and left alone.
func (fs *FS) Lock(name string) (io.Closer, error) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	key := clean(name)
	if _, held := fs.locked[key]; held {
		return nil, &os.PathError{Op: "lock", Path: name, Err: syscall.EAGAIN}
	}
	if _, err := fs.createLocked(name); err != nil {
		return nil, err
	}
	fs.locked[key] = struct{}{}
	return &lock{fs: fs, key: key}, nil
}

// A lock is a held lock on a name. Closing it twice is closing it once: it
// never releases a lock that somebody else took since.
type lock struct {
	fs   *FS
	key  string
	once sync.Once
}

func (l *lock) Close() error {
	l.once.Do(func() {
		l.fs.mu.Lock()
		defer l.fs.mu.Unlock()
		delete(l.fs.locked, l.key)
	})
	return nil
}
