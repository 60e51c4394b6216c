package host

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// TestInspectMachines lays out /proc and /sys of one machine after another,
// as testdata has them, and compares what is said of it with the file's
// "want" section. A line
//
//	-- sys/dev/block/8:1 -> ../../devices/x --
//
// is a symbolic link: names with a colon cannot be files in every checkout.
func TestInspectMachines(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no machines in testdata: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			m := readMachine(t, file)
			env := Environment{Directory: m.dir, GOMAXPROCS: 2, Durable: true}
			kernel{tree: m.tree, magic: m.magic, mountID: m.mountID}.describe(&env)
			env.judge()
			if got := render(env, m.want); got != m.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, m.want)
			}
		})
	}
}

type machine struct {
	tree    fstest.MapFS
	dir     string
	magic   uint32
	mountID uint64
	want    string
}

func readMachine(t *testing.T, file string) machine {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, sections, _ := strings.Cut(string(data), "\n-- ")
	m := machine{tree: fstest.MapFS{}}
	for line := range strings.SplitSeq(head, "\n") {
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "dir":
			m.dir = value
		case "magic":
			magic, err := strconv.ParseUint(value, 16, 32)
			if err != nil {
				t.Fatal(err)
			}
			m.magic = uint32(magic)
		case "mount-id":
			if m.mountID, err = strconv.ParseUint(value, 10, 64); err != nil {
				t.Fatal(err)
			}
		}
	}
	for section := range strings.SplitSeq(sections, "\n-- ") {
		name, body, ok := strings.Cut(section, " --")
		if !ok {
			t.Fatalf("%s: section %q has no end", file, section)
		}
		body = strings.TrimPrefix(body, "\n")
		if body != "" && !strings.HasSuffix(body, "\n") {
			body += "\n"
		}
		link, target, isLink := strings.Cut(name, " -> ")
		switch {
		case name == "want":
			m.want = body
		case isLink:
			m.tree[link] = &fstest.MapFile{Mode: fs.ModeSymlink, Data: []byte(target)}
		default:
			m.tree[name] = &fstest.MapFile{Mode: 0o444, Data: []byte(body)}
		}
	}
	return m
}

// render prints the storage and those of the other fields that want names.
func render(env Environment, want string) string {
	given := cmp.Or(codes(Warnings(env, Probe{})), "none")
	var b strings.Builder
	for _, field := range []struct {
		name     string
		value    any
		optional bool
	}{
		{"file system", env.FileSystem, false},
		{"mount point", env.MountPoint, false},
		{"options", strings.Join(env.MountOptions, ","), false},
		{"device", env.Device, false},
		{"model", env.DeviceModel, false},
		{"rotational", env.Rotational, false},
		{"write cache", env.WriteCache, false},
		{"durable", env.Durable, false},
		{"warnings", given, false},
		{"kernel", env.Kernel, true},
		{"cpu", env.CPU, true},
		{"cpu quota", env.CPUQuota, true},
	} {
		if line := fmt.Sprintf("%s: %v\n", field.name, field.value); !field.optional || strings.Contains("\n"+want, "\n"+field.name+":") {
			b.WriteString(line)
		}
	}
	return b.String()
}

func TestMountinfoLineIsReadOrRefused(t *testing.T) {
	for _, test := range []struct {
		line string
		want mount
		ok   bool
	}{
		{`36 35 98:0 /mnt1 /mnt\0402 rw,noatime master:1 shared:7 - ext3 /dev/root rw,errors=continue`,
			mount{id: 36, dev: "98:0", root: "/mnt1", point: "/mnt 2", fsType: "ext3", source: "/dev/root", mountOpts: "rw,noatime", superOpts: "rw,errors=continue"}, true},
		{`40 1 0:50 / /a\134b\011c rw - tmpfs  rw`, // an empty source, no tags
			mount{id: 40, dev: "0:50", root: "/", point: "/a\\b\tc", fsType: "tmpfs", mountOpts: "rw", superOpts: "rw"}, true},
		{`40 1 0:50 / /x rw tmpfs tmpfs rw`, mount{}, false},
		{`x 1 0:50 / /x rw - tmpfs tmpfs rw`, mount{}, false},
		{``, mount{}, false},
	} {
		got, ok := parseMount(test.line)
		if got != test.want || ok != test.ok {
			t.Errorf("parseMount(%q) = %+v, %v, want %+v, %v", test.line, got, ok, test.want, test.ok)
		}
	}
}

func TestUnescapeLeavesWhatIsNoEscape(t *testing.T) {
	for in, want := range map[string]string{`a\040b`: "a b", `a\0`: `a\0`, `a\999b`: `a\999b`, `\134040`: `\040`, ``: ``} {
		if got := unescape(in); got != want {
			t.Errorf("unescape(%q) = %q, want %q", in, got, want)
		}
	}
}
