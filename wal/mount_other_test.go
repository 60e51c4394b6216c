//go:build unix && !linux

package wal

import "testing"

func smallFileSystem(t *testing.T) string {
	t.Skip("only on Linux do we know how to make a small file system")
	return ""
}
