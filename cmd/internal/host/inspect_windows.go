package host

import (
	"fmt"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

// The Windows part is compiled and vetted, but was never run.

func inspect(env *Environment) {
	v := windows.RtlGetVersion()
	env.Kernel = fmt.Sprintf("%d.%d.%d", v.MajorVersion, v.MinorVersion, v.BuildNumber)
	env.CPU = processor()
	env.CPUQuota = na("job object limits are not read")
	root, name, err := volume(env.Directory)
	if err != nil {
		env.noStorage(na("%v", err))
		return
	}
	env.FileSystem, env.MountPoint, env.Device = name, windows.UTF16ToString(root), windows.UTF16ToString(root)
	env.MountOptions = []string{na("Windows volumes have none")}
	env.noDisk(na("Windows does not tell without opening the disk"))
	switch windows.GetDriveType(&root[0]) {
	case windows.DRIVE_REMOTE:
		env.Network = true
	case windows.DRIVE_RAMDISK:
		env.Durable = false
	}
}

// volume returns the root of the volume that a directory is on, which ends in
// a backslash, and the name of its file system.
func volume(dir string) (root []uint16, fsName string, err error) {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return nil, "", err
	}
	// The root is never longer than the path and a backslash.
	root = make([]uint16, len(dir)+windows.MAX_PATH+1)
	if err := windows.GetVolumePathName(path, &root[0], uint32(len(root))); err != nil {
		return nil, "", fmt.Errorf("volume of %s: %w", dir, err)
	}
	var name [windows.MAX_PATH + 1]uint16
	if err := windows.GetVolumeInformation(&root[0], nil, 0, nil, nil, nil, &name[0], uint32(len(name))); err != nil {
		return nil, "", fmt.Errorf("volume information of %s: %w", windows.UTF16ToString(root), err)
	}
	return root, windows.UTF16ToString(name[:]), nil
}

func processor() string {
	const path = `HARDWARE\DESCRIPTION\System\CentralProcessor\0`
	key, err := registry.OpenKey(registry.LOCAL_MACHINE, path, registry.QUERY_VALUE)
	if err != nil {
		return na("registry %s: %v", path, err)
	}
	defer key.Close()
	name, _, err := key.GetStringValue("ProcessorNameString")
	if err != nil {
		return na("registry %s: %v", path, err)
	}
	return name
}

func freeBytes(dir string) (int64, error) {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	var toCaller uint64
	if err := windows.GetDiskFreeSpaceEx(path, &toCaller, nil, nil); err != nil {
		return 0, err
	}
	return int64(toCaller), nil
}
