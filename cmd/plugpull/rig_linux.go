package main

import (
	"os"
	"time"

	"walbench.example/cmd/plugpull/internal/disk"
	"walbench.example/cmd/plugpull/internal/host"
)

// rig is a disk with a file system, and the agents that use it.
type rig struct {
	system host.FileSystem
	number int
	blank  *disk.Image // the file system, fresh
	device *disk.Device
}

// raise prepares the stage and serves a disk for each file system.
func raise(systems []host.FileSystem, size func(host.FileSystem) int64, delay time.Duration) ([]*rig, error) {
	if err := host.Prepare(); err != nil {
		return nil, err
	}
	var rigs []*rig
	var disks []*disk.Device
	for i, s := range systems {
		position, err := host.Position(positionFile(i))
		if err != nil {
			return nil, err
		}
		blank, err := s.Mkfs(size(s))
		if err != nil {
			return nil, err
		}
		r := &rig{system: s, number: i, blank: blank, device: disk.NewDevice(blank.Clone(), position)}
		if delay > 0 {
			r.device.Delay = func() { wait(delay) }
		}
		rigs, disks = append(rigs, r), append(disks, r.device)
	}
	if err := os.Mkdir(fuseDir, 0o700); err != nil {
		return nil, err
	}
	return rigs, host.Serve(fuseDir, disks)
}

// agent starts an agent on the rig's disk.
func (r *rig) agent(program string) (*client, error) {
	return startAgent(program, r.system.Name, r.number)
}

// self is this program, sound.
const self = "/proc/self/exe"
