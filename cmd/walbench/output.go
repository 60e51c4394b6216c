package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"walbench.example/cmd/internal/report"
)

// printer passes on writes until one fails, and from then on drops them and
// returns that error. Its reader can so check once, when a block is done.
type printer struct {
	w    io.Writer
	name string
	err  error
}

func (p *printer) Write(b []byte) (int, error) {
	if p.err != nil {
		return 0, p.err
	}
	n, err := p.w.Write(b)
	switch {
	case err == nil:
	case brokenPipe(err):
		p.err = errPipe
	default:
		p.err = fmt.Errorf("write %s: %w", p.name, err)
	}
	return n, p.err
}

// documentFile is where the JSON document goes.
type documentFile struct {
	out  *printer // standard output; nil: the file
	file *os.File // nil: no document was asked for
}

// openDocument opens the file before anything is measured, since 20 seconds
// later is late to learn that it cannot be written. A file that is there is
// written over if it is empty or holds a document of an earlier run, and left
// alone otherwise.
func openDocument(name string, stdout *printer) (*documentFile, error) {
	switch name {
	case "":
		return &documentFile{}, nil
	case "-":
		return &documentFile{out: stdout}, nil
	}
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open --json file: %w", err)
	}
	if err := replaceable(file); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &documentFile{file: file}, nil
}

// replaceable refuses a regular file that is no document of ours.
func replaceable(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("stat --json file: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() == 0 {
		return nil
	}
	head := make([]byte, 64)
	n, err := file.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return fmt.Errorf("read --json file: %w", err)
	}
	if !bytes.Contains(head[:n], []byte(`"schema": "walbench/`)) {
		return fmt.Errorf("--json %s: the file is there and is no document of walbench: name another, or remove it", file.Name())
	}
	return nil
}

// write writes the one document there is.
func (d *documentFile) write(doc *report.Document) error {
	if d.out != nil {
		return doc.Write(d.out)
	}
	if d.file == nil {
		return nil
	}
	if info, err := d.file.Stat(); err == nil && info.Mode().IsRegular() {
		if err := d.file.Truncate(0); err != nil {
			return errors.Join(fmt.Errorf("write --json file: %w", err), d.file.Close())
		}
	}
	if err := errors.Join(doc.Write(d.file), d.file.Close()); err != nil {
		return fmt.Errorf("write --json file: %w", err)
	}
	return nil
}
