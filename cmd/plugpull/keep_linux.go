package main

import (
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"walbench.example/cmd/plugpull/internal/disk"
	"walbench.example/cmd/plugpull/internal/host"
)

// kept is a failing image in a file, with what it must hold.
type kept struct {
	System string
	Check  check
	Size   int64
	Pages  map[int64][]byte // by offset
}

const keptPage = 64 << 10

// keep writes a failure to a new file in dir.
func (f *failure) keep(dir string) error {
	if f.image == nil {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(dir, fmt.Sprintf("%s-%d-%d-*.cut", f.System, f.Seed, f.Cut))
	if err != nil {
		return err
	}
	k := kept{System: f.System, Check: *f.check, Size: f.image.Size(), Pages: map[int64][]byte{}}
	for off := int64(0); off < k.Size; off += keptPage {
		if p := make([]byte, keptPage); f.image.ReadAt(p, off) {
			k.Pages[off] = p
		}
	}
	if err := errors.Join(gob.NewEncoder(file).Encode(&k), file.Close()); err != nil {
		return fmt.Errorf("write %s: %w", file.Name(), err)
	}
	f.Kept, err = filepath.Abs(file.Name())
	return err
}

func readKept(path string) (*kept, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var k kept
	if err := gob.NewDecoder(file).Decode(&k); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return &k, nil
}

// recheck mounts a kept image once more.
func recheck(path string) error {
	k, err := readKept(path)
	if err != nil {
		return err
	}
	system, err := host.Lookup(k.System)
	if err != nil {
		return err
	}
	rigs, err := raise([]host.FileSystem{system}, func(s host.FileSystem) int64 { return s.Size }, 0)
	if err != nil {
		return err
	}
	m := disk.NewImage(k.Size)
	for off, p := range k.Pages {
		m.WriteAt(p, off)
	}
	rigs[0].device.Load(m, false, disk.Fault{})
	agent, err := rigs[0].agent(self)
	if err != nil {
		return err
	}
	defer agent.close()
	r, err := agent.ask(&request{Check: &k.Check})
	if err != nil {
		return err
	}
	if r.Failure != "" {
		return fmt.Errorf("%w: %s: %s", errFailed, r.Where, r.Failure)
	}
	fmt.Printf("%s: good: %d acknowledged records are there\n", path, r.Finding.Required)
	return nil
}
