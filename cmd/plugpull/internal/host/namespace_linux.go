package host

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// Stage is where everything is mounted: a directory that is there wherever
// FUSE is, and in which nobody keeps files. In our mount namespace it is a
// tmpfs; nobody else sees it, and nothing of it is left when the namespace
// ends with its last process.
const Stage = "/sys/fs/fuse/connections"

// Inside is the first argument of a program started by Enter.
const Inside = "-inside"

// Enter runs this program again, with Inside before its arguments, as the
// first process of a PID namespace and in a mount namespace, both its own.
// When it ends, however it ends, or when this process does, the kernel kills
// every process in there, and with the last of them go the mounts and the loop
// devices. Signals that ask to end are passed on. It returns the exit code.
func Enter(args []string) (int, error) {
	// PDEATHSIG comes when the thread that forked ends, not the process.
	runtime.LockOSThread()
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)

	cmd := exec.Command("/proc/self/exe", append([]string{Inside}, args...)...)
	cmd.Args[0] = os.Args[0]
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID,
		Pdeathsig:  syscall.SIGKILL,
	}
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("new mount and PID namespaces: %w", err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	for {
		select {
		case s := <-signals:
			cmd.Process.Signal(s)
		case <-done:
			if ws := cmd.ProcessState.Sys().(syscall.WaitStatus); ws.Signaled() {
				return 128 + int(ws.Signal()), nil
			}
			return cmd.ProcessState.ExitCode(), nil
		}
	}
}

// ErrCannot is what every error is that says nothing but that this machine,
// or its container, does not let us.
var ErrCannot = errors.New("not possible here")

// Prepare makes the stage, in the namespaces that Enter made.
func Prepare() error {
	if err := prepare(); err != nil {
		return fmt.Errorf("%w: %w", ErrCannot, err)
	}
	return nil
}

func prepare() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make the mounts private: %w", err)
	}
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("mount /proc of the PID namespace: %w", err)
	}
	if err := unix.Mount("plugpull", Stage, "tmpfs", 0, "mode=0700"); err != nil {
		return fmt.Errorf("mount a tmpfs on %s: %w", Stage, err)
	}
	return nil
}
