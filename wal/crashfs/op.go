package crashfs

import (
	"fmt"
	"path"
	"time"
)

// Kind is what a call does.
type Kind uint8

// The kinds of calls. Those from Create on change the disk; see Op.Changes.
const (
	Any Kind = iota // of a Fault: every kind
	Open
	Read
	List
	Stat
	Lock
	Create // of a file that was not there
	Mkdir
	Link
	Rename
	Remove
	Reserve // vfs.File.Preallocate
	Truncate
	Write
	Sync // of a file or of a directory, whatever the method
)

var kindNames = [...]string{"any", "open", "read", "list", "stat", "lock", "create", "mkdir", "link", "rename", "remove",
	"reserve", "truncate", "write", "sync"}

func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Op is one call, as Intercept is told of it.
type Op struct {
	Kind Kind
	Name string // from the root, without a leading slash; of an open file the name it has by now; the root is "."
	To   string // new name, of a rename or link
	Off  int64  // of a read or write; the end of what is reserved; the size after a truncate
	Len  int    // of a read or write
	Data []byte // of a write; only to be looked at, and only until Intercept returns
}

// Changes reports whether the call changes the disk, or makes a change durable.
func (o Op) Changes() bool { return o.Kind >= Create }

func (o Op) String() string {
	switch o.Kind {
	case Read, Write:
		return fmt.Sprintf("%v %s %d+%d", o.Kind, o.Name, o.Off, o.Len)
	case Reserve, Truncate:
		return fmt.Sprintf("%v %s %d", o.Kind, o.Name, o.Off)
	case Rename, Link:
		return fmt.Sprintf("%v %s %s", o.Kind, o.Name, o.To)
	}
	return fmt.Sprintf("%v %s", o.Kind, o.Name)
}

// ShortWrite is what a Fault or an Intercept gives as the error of a write that
// took N bytes before it ended with Err, or, with no Err, without saying why.
type ShortWrite struct {
	N   int
	Err error
}

func (s ShortWrite) Error() string { return fmt.Sprintf("short write of %d bytes: %v", s.N, s.Err) }

// A Fault makes calls fail, or slow. A call that fails has no effect, but two:
// a ShortWrite writes what it says, and a failed sync of a file has lost what it
// was to save.
type Fault struct {
	Kind  Kind          // the calls it is about; Any: all
	Name  string        // pattern of path.Match for the last element of their name; "": all
	Skip  int           // how many of them pass first
	Times int           // how many are hit after that; 0: one, -1: all
	Delay time.Duration // they take so long
	Err   error         // and fail with this; nil: they do not
}

func (f *Fault) matches(o Op) bool {
	if f.Kind != Any && f.Kind != o.Kind {
		return false
	}
	if f.Name == "" {
		return true
	}
	ok, _ := path.Match(f.Name, path.Base(o.Name))
	return ok
}
