package host

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// quota returns the CPU time that the process's control groups grant, in
// cores: the smallest limit on the way from its group up to the root that is
// visible here, of both cgroup versions, since hybrid systems mount both.
func (k kernel) quota(mounts []mount) (string, float64) {
	data, err := fs.ReadFile(k.tree, "proc/self/cgroup")
	if err != nil {
		return naFile(err), 0
	}
	least, asked := 0.0, false
	for line := range strings.Lines(string(data)) {
		// hierarchy-ID:controllers:path, cgroups(7)
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(parts) != 3 {
			continue
		}
		limit := k.limitV1
		isMount := func(m mount) bool { return m.fsType == "cgroup" && slices.Contains(m.options(), "cpu") }
		switch {
		case parts[0] == "0":
			limit = k.limitV2
			isMount = func(m mount) bool { return m.fsType == "cgroup2" }
		case !slices.Contains(strings.Split(parts[1], ","), "cpu"):
			continue
		}
		i := slices.IndexFunc(mounts, isMount)
		if i < 0 {
			continue
		}
		asked = true
		for _, dir := range groupsUp(mounts[i], parts[2]) {
			cores, err := limit(dir)
			if err != nil {
				return naFile(err), 0
			}
			if cores > 0 && (least == 0 || cores < least) {
				least = cores
			}
		}
	}
	switch {
	case !asked:
		return na("no cgroup file system with the cpu controller is mounted"), 0
	case least == 0:
		return "none", 0
	}
	return strconv.FormatFloat(least, 'g', 4, 64) + " cores", least
}

// groupsUp returns the directories from a group up to the mount's root. A
// container may see its group's path as it is outside, where the mount shows
// only what is below some root of it.
func groupsUp(m mount, group string) []string {
	top := strings.TrimPrefix(m.point, "/")
	below := ""
	if covers(m.root, group) {
		below = strings.TrimPrefix(strings.TrimPrefix(group, m.root), "/")
	}
	var dirs []string
	for ; below != "" && below != "."; below = path.Dir(below) {
		dirs = append(dirs, path.Join(top, below))
	}
	return append(dirs, top)
}

// limitV2 returns the limit set in one group, 0 for none. A root group has no
// cpu.max, nor has one without the cpu controller.
func (k kernel) limitV2(dir string) (float64, error) {
	data, err := fs.ReadFile(k.tree, path.Join(dir, "cpu.max"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	quota, period, _ := strings.Cut(strings.TrimSpace(string(data)), " ")
	if quota == "max" {
		return 0, nil
	}
	return cores(path.Join(dir, "cpu.max"), quota, period)
}

// limitV1 is limitV2 for cgroup v1, where -1 is no limit.
func (k kernel) limitV1(dir string) (float64, error) {
	data, err := fs.ReadFile(k.tree, path.Join(dir, "cpu.cfs_quota_us"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	quota := strings.TrimSpace(string(data))
	if strings.HasPrefix(quota, "-") {
		return 0, nil
	}
	return cores(path.Join(dir, "cpu.cfs_quota_us"), quota, k.line(path.Join(dir, "cpu.cfs_period_us")))
}

// cores divides two times in microseconds.
func cores(file, quota, period string) (float64, error) {
	q, err := strconv.ParseFloat(quota, 64)
	if err != nil {
		return 0, fmt.Errorf("/%s: %w", file, err)
	}
	p, err := strconv.ParseFloat(period, 64)
	if err != nil {
		return 0, fmt.Errorf("/%s: period: %w", file, err)
	}
	if q <= 0 || p <= 0 {
		return 0, fmt.Errorf("/%s: quota %s of period %s", file, quota, period)
	}
	return q / p, nil
}
