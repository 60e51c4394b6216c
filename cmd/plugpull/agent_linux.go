package main

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"

	"walbench.example/cmd/plugpull/internal/host"
	"walbench.example/cmd/plugpull/internal/ledger"
)

// agent uses the disk that its supervisor serves: it mounts, appends and
// opens. It is a process of its own (see package host), and there is one for
// each planted fault, built with it: what recovers a log may be as wrong as
// what writes it.
type agent struct {
	system   host.FileSystem
	loop     *host.Loop
	position *atomic.Uint64
	dir      string // where it mounts

	ledger ledger.Ledger // of the run
	next   ledger.Ledger // of the appends that the last check made
}

// agentMain answers requests until its input ends.
func agentMain(in io.Reader, out io.Writer) error {
	dec, enc := gob.NewDecoder(in), gob.NewEncoder(out)
	var a agent
	for {
		var q request
		if err := dec.Decode(&q); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("agent: %w", err)
		}
		var r reply
		if err := a.answer(&q, &r); err != nil {
			r.Broken = err.Error()
		}
		if err := enc.Encode(&r); err != nil {
			return fmt.Errorf("agent: %w", err)
		}
	}
}

func (a *agent) answer(q *request, r *reply) error {
	switch {
	case q.Attach != nil:
		return a.attach(q.Attach)
	case q.Run != nil:
		return a.run(q.Run, r)
	case q.Check != nil:
		return a.check(q.Check, r)
	}
	return errors.New("empty request")
}

func (a *agent) attach(q *attach) (err error) {
	if a.system, err = host.Lookup(q.System); err != nil {
		return err
	}
	if a.position, err = host.Position(positionFile(q.Disk)); err != nil {
		return err
	}
	me := strconv.Itoa(os.Getpid())
	a.dir = filepath.Join(host.Stage, "mnt"+me)
	if err := os.Mkdir(a.dir, 0o700); err != nil {
		return err
	}
	a.loop, err = host.Attach(filepath.Join(fuseDir, strconv.Itoa(q.Disk)), filepath.Join(host.Stage, "loop"+me))
	return err
}

// mount mounts what is on the disk now.
func (a *agent) mount() error {
	if err := a.loop.Forget(); err != nil {
		return err
	}
	return a.system.Mount(a.loop.Path, a.dir)
}

// logDir is a directory that the log makes: its name must become durable too.
func (a *agent) logDir() string { return filepath.Join(a.dir, "data", "log") }

var fuseDir = filepath.Join(host.Stage, "disks")

func positionFile(disk int) string {
	return filepath.Join(host.Stage, "position"+strconv.Itoa(disk))
}
