//go:build !linux && !darwin && !freebsd && !windows

package host

import (
	"errors"
	"runtime"
)

func inspect(env *Environment) {
	unknown := na("not looked up on %s", runtime.GOOS)
	env.Kernel, env.CPU, env.CPUQuota = unknown, unknown, unknown
	env.noStorage(unknown)
}

func freeBytes(string) (int64, error) { return 0, errors.ErrUnsupported }
