package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// planted is this program with a fault in it, or why there is none.
type planted struct {
	ready   chan struct{} // closed when the rest is set
	program string
	err     error
}

// plantAll builds a program for each fault in dir, one after the other and
// beside everything else: the sound library's runs come first, so nobody
// waits long. Building ends with ctx.
func plantAll(ctx context.Context, list []fault, dir string) map[string]*planted {
	nursery := map[string]*planted{}
	for _, f := range list {
		nursery[f.Name] = &planted{ready: make(chan struct{})}
	}
	if len(list) == 0 {
		return nursery
	}
	go func() {
		root, err := libraryRoot(ctx)
		for _, f := range list {
			p := nursery[f.Name]
			if p.err = err; err == nil {
				p.program, p.err = f.plant(ctx, root, dir)
			}
			close(p.ready)
		}
	}()
	return nursery
}

// plant builds this program with the fault in it. root is the library's
// directory, dir a place for the files. Nothing in root is changed: the
// compiler is told to read one file from elsewhere (go help build, -overlay).
func (f *fault) plant(ctx context.Context, root, dir string) (program string, err error) {
	path := filepath.Join(root, f.File)
	source, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(source), f.Old); n != 1 {
		return "", fmt.Errorf("the planted fault %s no longer fits: %s has its place %d times", f.Name, f.File, n)
	}
	changed := filepath.Join(dir, f.Name+".go")
	if err := os.WriteFile(changed, []byte(strings.Replace(string(source), f.Old, f.New, 1)), 0o600); err != nil {
		return "", err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{path: changed}})
	if err != nil {
		return "", err
	}
	list := filepath.Join(dir, f.Name+".json")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		return "", err
	}
	program = filepath.Join(dir, f.Name)
	cmd := exec.CommandContext(ctx, "go", "build", "-overlay", list, "-o", program, modulePath)
	cmd.Dir = filepath.Join(root, "cmd", "plugpull")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build with %s planted: %w\n%s", f.Name, err, out)
	}
	return program, nil
}

const modulePath = "walbench.example/cmd/plugpull"

// libraryRoot returns where the library's sources are: faults can be planted
// only from a checkout, with this directory in it.
func libraryRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Path}} {{.Dir}}", "walbench.example").Output()
	if err != nil {
		return "", errors.New("faults are planted in the library's sources: run this in its directory cmd/plugpull, with go in PATH, or with --faults none")
	}
	_, dir, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	return filepath.Clean(dir), nil
}
