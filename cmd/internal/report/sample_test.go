package report

import (
	"math"
	"time"

	"walbench.example/cmd/internal/host"
	"walbench.example/cmd/internal/load"
	"walbench.example/cmd/internal/stats"
	"walbench.example/cmd/internal/tax"
)

func ptr(v float64) *float64 { return &v }

// sampleDocument is a whole run on a Linux machine with a flush of 190 us.
func sampleDocument() *Document {
	started := time.Date(2026, 10, 20, 14, 3, 11, 0, time.UTC)
	return &Document{
		Schema: Schema, Version: "0.1.0", CommandLine: []string{"walbench"}, Loop: "closed",
		Configuration: Config{
			Command: "main", Parent: ".",
			Tax: &TaxConfig{Shapes: []Shape{{RecordBytes: 200}}, Every: []int{10, 50}, Repeats: 4, BudgetSeconds: 8},
			Group: &GroupConfig{
				Policies: []string{"per-write", "greedy", "window", "adaptive"}, Window: Window{DelaySeconds: 0.001},
				Writers: []int{1, 2, 4, 8, 16, 64}, Sync: "fdatasync", RecordBytes: 200,
				CellSeconds: 0.12, Repeats: 3, SegmentBytes: 16 << 20, Device: "real",
			},
		},
		Started: started, Finished: started.Add(19 * time.Second),
		Environment: &host.Environment{
			Directory: "/home/user/checkout", FileSystem: "ext4", MountPoint: "/", MountOptions: []string{"rw", "relatime"},
			Device: "/dev/vda", DeviceModel: "n/a (virtio)", Rotational: "no", WriteCache: "write back", FreeBytes: 31_234_567_890,
			OS: "linux", Arch: "amd64", Kernel: "Linux 6.18.1", CPU: "Example CPU @ 2.50GHz", Cores: 2, CPUQuota: "none",
			GOMAXPROCS: 2, GoVersion: "go1.26.8", Durable: true,
		},
		Warnings: []host.Warning{
			{Code: "W06", Meaning: "The disk is virtual: it cannot be told from here whether a flush reaches the medium.", Advice: "Ask the provider."},
			{Code: "W08", Meaning: "GOMAXPROCS is 1: no writer runs while a sync blocks.", Advice: "Run with GOMAXPROCS=2 or more."},
		},
		Tax:   sampleTax(190e-6, 40_000),
		Group: sampleGroup(190e-6),
	}
}

// slowDocument is a disk on which 15 ms a flush leave few samples.
func slowDocument() *Document {
	d := sampleDocument()
	d.Tax, d.Group = sampleTax(15e-3, 187), sampleGroup(15e-3)
	d.Tax.Rows[2].NA = "the volume refuses it"
	for i := range d.Group.Rows {
		d.Group.Rows[i].Latency.P99 = nil
		d.Group.Rows[i].Latency.N = 187
	}
	d.Group.Rows[0].Errors = 3
	d.Group.Notes = []string{"cell adaptive at 64 writers was cut short."}
	return d
}

func simulatedDocument() *Document {
	d := sampleDocument()
	d.Configuration.Command, d.Configuration.Tax, d.Tax, d.Warnings = "group", nil, nil, nil
	d.Environment.Directory = ""
	d.Configuration.Group.Device, d.Group.Device = "sim:190us+1ns/B", "sim:190us+1ns/B"
	d.Configuration.Group.Window = Window{DelaySeconds: 0.002, Records: 64, Bytes: 1 << 20}
	d.Group.DeviceError = ptr(2.5e-6)
	rows := d.Group.Rows[:0]
	for _, r := range d.Group.Rows {
		if r.Policy == greedy {
			rows = append(rows, r)
		}
	}
	d.Group.Rows = rows
	return d
}

func memoryDocument() *Document {
	d := sampleDocument()
	d.Environment.FileSystem, d.Environment.Durable = "tmpfs", false
	d.Tax = sampleTax(2e-6, 400_000)
	d.Group = sampleGroup(2e-6)
	for i := range d.Group.Rows {
		d.Group.Rows[i].Durable = false
		d.Group.Rows[i].CommitsPerSecond /= 100
	}
	return d
}

func sampleTax(flush float64, n int64) *tax.Result {
	const none = 3.3e-6
	perAppend := []struct {
		mode string
		cost float64
		lost int
	}{
		{"none", none, -1}, {"fdatasync", flush, 0}, {"fsync", flush * 1.02, 0}, {"O_DSYNC", flush * 0.95, 0},
		{"O_SYNC", flush * 1.4, 0}, {"F_FULLFSYNC", 0, 0},
		{"fdatasync/10", flush/10 + none, 9}, {"fdatasync/50", flush/50 + none, 49},
		{"fsync/10", flush/9 + none, 9}, {"fsync/50", flush/48 + none, 49},
	}
	var rows []tax.Row
	for _, a := range perAppend {
		for _, file := range []string{"growing", "prepared"} {
			r := tax.Row{Mode: a.mode, File: file, RecordBytes: 200, Repeats: make([]tax.Repeat, 4)}
			r.LostAtMost, r.AcknowledgedBeforeSync = a.lost, a.lost != 0
			if a.cost == 0 {
				r.NA = "F_FULLFSYNC is a call of macOS"
				rows = append(rows, r)
				continue
			}
			cost := a.cost
			if file == "growing" && a.mode != "none" {
				cost *= 2.1
			}
			r.Writes = n
			r.Append = &stats.Latency{P50: ptr(cost), P95: ptr(cost * 1.8), P99: ptr(cost * 3.1), Max: ptr(cost * 41), N: n}
			if n < 200 {
				r.Append.P95 = nil
			}
			if n < 1000 {
				r.Append.P99 = nil
			}
			r.RecordsPerSecond, r.BytesPerSecond = ptr(1/cost), ptr(200/cost)
			r.RatioToNone = ptr(cost / none)
			r.Low, r.High = ptr(0.96/cost), ptr(1.03/cost)
			rows = append(rows, r)
		}
	}
	rows[2].TiedWith, rows[4].TiedWith = []string{"fsync"}, []string{"fdatasync"}
	rows[3].TiedWith = []string{"fsync", "O_DSYNC"}
	rows[5].TiedWith = []string{"fdatasync", "O_DSYNC"}
	rows[7].TiedWith = []string{"fdatasync", "fsync"}
	return &tax.Result{Rows: rows, Payload: "random bytes, new for each record", PreparedBytes: 16 << 20, Seed: 1}
}

func sampleGroup(flush float64) *load.Result {
	share := map[string]func(n float64) float64{
		"per-write": func(n float64) float64 { return 0.97 / n },
		"greedy":    func(n float64) float64 { return math.Max(0.97/n, 0.48) },
		"window":    func(n float64) float64 { return 0.16 },
		"adaptive":  func(n float64) float64 { return 0.97 - n/500 },
	}
	g := &load.Result{SegmentBytes: 16 << 20, PeakBytes: 48 << 20, Device: "real"}
	for _, policy := range []string{"per-write", "greedy", "window", "adaptive"} {
		for _, writers := range []int{1, 2, 4, 8, 16, 64} {
			n := float64(writers)
			fraction := share[policy](n)
			rate := fraction * n / flush
			r := load.Row{
				Policy: policy, Sync: "fdatasync", Writers: writers, RecordBytes: 200, Seconds: 0.36,
				Commits: int64(rate * 0.36), CommitsPerSecond: rate, Low: rate * 0.97, High: rate * 1.02,
				CommitsPerFlush: math.Max(fraction*n, 1), FlushP50: ptr(flush), ProbeFlush: ptr(flush),
				IdealFraction: ptr(fraction), Durable: true,
				Latency: stats.Latency{P50: ptr(n / rate), P95: ptr(1.3 * n / rate), P99: ptr(1.9 * n / rate), Max: ptr(9 * n / rate), N: 90_000},
				Reasons: map[string]int64{"idle": 7}, Repeats: make([]load.Repeat, 3),
			}
			if policy == "greedy" && writers > 2 {
				r.TwoCohorts, r.BatchLag1 = true, ptr(-0.97)
				r.Batches = []int{1, writers - 1, 1, writers - 1, 1, writers - 1, 1, writers - 1, 1, writers - 1}
			}
			g.Rows = append(g.Rows, r)
		}
	}
	return g
}
