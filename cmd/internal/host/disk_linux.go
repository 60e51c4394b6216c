package host

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// disk is one whole disk under a file system.
type disk struct {
	name                   string // sda, nvme0n1
	model, rotation, cache string
	virtual, memory        bool
}

// describeDevice fills in what lies below a mount. Device mapper, md and
// partitions are followed down to the disks, since only these have a model
// and turn.
func (k kernel) describeDevice(env *Environment, m mount) {
	env.Device = m.source
	node, err := k.node(m)
	if err != nil {
		if kind := kindOf(m.fsType); kind == memory || kind == overlay || m.source == "" || m.source == "none" {
			env.Device = na("%s has no device", m.fsType) // its source is any word
		}
		env.noDisk(naFile(err))
		return
	}
	if !strings.HasPrefix(m.source, "/dev/") || m.source == "/dev/root" {
		env.Device = "/dev/" + path.Base(node)
	}
	var disks []disk
	for _, below := range k.disksBelow(k.members(m, node), 0) {
		disks = append(disks, k.disk(below))
	}
	var names []string
	for _, d := range disks {
		names = append(names, d.name)
		env.VirtualDisk = env.VirtualDisk || d.virtual
		env.Durable = env.Durable && !d.memory
	}
	if on := strings.Join(names, ", "); env.Device != "/dev/"+on {
		env.Device += " on " + on
	}
	env.DeviceModel = perDisk(disks, func(d disk) string { return d.model })
	env.Rotational = perDisk(disks, func(d disk) string { return d.rotation })
	env.WriteCache = perDisk(disks, func(d disk) string { return d.cache })
}

// node returns the directory in /sys/devices of the block device that a mount
// is of. btrfs and bcachefs have an anonymous device number, but name one of
// their devices as the source.
func (k kernel) node(m mount) (string, error) {
	if !strings.HasPrefix(m.dev, "0:") {
		return k.follow("sys/dev/block/" + m.dev)
	}
	first, _, _ := strings.Cut(m.source, ":") // bcachefs lists them all
	if kindOf(m.fsType) != copyOnWrite || !strings.HasPrefix(first, "/dev/") {
		return "", fmt.Errorf("%s is not on a block device of its own", m.fsType)
	}
	name := first[1:]
	if target, err := k.follow(name); err == nil { // /dev/mapper/x is a link to /dev/dm-0
		name = target
	}
	return k.follow("sys/class/block/" + path.Base(name))
}

// follow returns where a symbolic link points. Links in /sys are relative.
func (k kernel) follow(link string) (string, error) {
	target, err := fs.ReadLink(k.tree, link)
	if err != nil {
		return "", err
	}
	return path.Join(path.Dir(link), target), nil
}

// members returns the nodes of all devices of a btrfs, which lists them in
// /sys/fs/btrfs/<uuid>/devices; any other file system has the one.
func (k kernel) members(m mount, node string) []string {
	if m.fsType != "btrfs" {
		return []string{node}
	}
	found, _ := fs.Glob(k.tree, "sys/fs/btrfs/*/devices/"+path.Base(node))
	if len(found) != 1 {
		return []string{node}
	}
	entries, _ := fs.ReadDir(k.tree, path.Dir(found[0]))
	var nodes []string
	for _, entry := range entries {
		if member, err := k.follow(path.Join(path.Dir(found[0]), entry.Name())); err == nil {
			nodes = append(nodes, member)
		}
	}
	return nodes
}

// maxStack bounds how deep devices are followed: more than LVM on LUKS on md
// on partitions takes, and an end should /sys ever show a circle.
const maxStack = 8

// disksBelow returns the nodes of the whole disks that the nodes lie on, each
// once, in the order of /sys.
func (k kernel) disksBelow(nodes []string, depth int) []string {
	var whole []string
	add := func(node string) {
		if !slices.Contains(whole, node) {
			whole = append(whole, node)
		}
	}
	for _, node := range nodes {
		if _, err := fs.Stat(k.tree, path.Join(node, "partition")); err == nil {
			node = path.Dir(node)
		}
		var below []string
		slaves, _ := fs.ReadDir(k.tree, path.Join(node, "slaves"))
		for _, slave := range slaves {
			if lower, err := k.follow(path.Join(node, "slaves", slave.Name())); err == nil {
				below = append(below, lower)
			}
		}
		if len(below) == 0 || depth == maxStack {
			add(node)
			continue
		}
		for _, lower := range k.disksBelow(below, depth+1) {
			add(lower)
		}
	}
	return whole
}

// disk describes one whole disk.
func (k kernel) disk(node string) disk {
	d := disk{name: path.Base(node)}
	driver, _ := k.follow(path.Join(node, "device/driver"))
	driver = path.Base(driver)
	d.model = k.model(node, driver)
	d.memory = hasAnyPrefix(d.name, "zram", "ram")
	d.virtual = hasAnyPrefix(d.name, "vd", "xvd", "loop", "nbd", "rbd", "ublkb") ||
		driver == "virtio_blk" || isVirtualModel(d.model)

	d.cache = k.text(path.Join(node, "queue/write_cache"))
	switch flag := k.text(path.Join(node, "queue/rotational")); {
	case d.virtual:
		// virtio_blk sets the flag for every disk, others leave a default.
		d.rotation = na("a virtual disk does not tell")
	case flag == "1":
		d.rotation = "yes"
	case flag == "0":
		d.rotation = "no"
	default:
		d.rotation = flag
	}
	return d
}

// model returns a disk's maker and model as its driver reports them.
func (k kernel) model(node, driver string) string {
	if file := k.line(path.Join(node, "loop/backing_file")); file != "" {
		return "loop device over " + file
	}
	model := k.line(path.Join(node, "device/model"))
	if model == "" {
		model = k.line(path.Join(node, "device/name")) // MMC and SD cards
	}
	if model == "" {
		if driver == "." {
			return na("%s reports no model", path.Base(node))
		}
		return na("%s reports no model", driver)
	}
	// libata calls every maker ATA; NVMe and MMC have none or a number.
	vendor := k.line(path.Join(node, "device/vendor"))
	if vendor == "" || vendor == "ATA" || strings.HasPrefix(vendor, "0x") || strings.HasPrefix(model, vendor) {
		return model
	}
	return vendor + " " + model
}

// isVirtualModel knows the models by which hypervisors and clouds show their
// disks over SCSI, SATA and NVMe.
func isVirtualModel(model string) bool {
	model = strings.ToLower(model)
	return slices.ContainsFunc([]string{
		"qemu", "vmware", "vbox", "virtual", "bhyve", "parallels", "xen", "msft", "microsoft nvme",
		"amazon elastic block store", "amazon ec2 nvme", "persistentdisk", "nvme_card", "oracle blockvolume",
		"alibaba cloud",
	}, func(mark string) bool { return strings.Contains(model, mark) })
}

func hasAnyPrefix(s string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
}

// perDisk returns what all disks have in common, or each one's own.
func perDisk(disks []disk, field func(disk) string) string {
	var own []string
	same := true
	for _, d := range disks {
		same = same && field(d) == field(disks[0])
		own = append(own, field(d)+" ("+d.name+")")
	}
	if same {
		return field(disks[0])
	}
	return strings.Join(own, ", ")
}
