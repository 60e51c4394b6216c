package report

import (
	"fmt"
	"io"
	"strings"

	"walbench.example/cmd/internal/host"
)

// Environment writes what the figures below were measured on and with: the
// head of the document, as text. A warning stands there by its code alone;
// Warnings explains it.
func Environment(w io.Writer, d *Document) error {
	var b strings.Builder
	fmt.Fprintf(&b, "walbench %s, %s, closed loop\n", d.Version, d.Started.UTC().Format("2006-01-02 15:04 UTC"))
	if e := d.Environment; e != nil {
		b.WriteString("\nEnvironment\n")
		if e.Directory != "" { // "": nothing touches a disk
			storage(&b, e)
		}
		item(&b, "machine", fmt.Sprintf("%s; %d cores; CPU quota: %s; GOMAXPROCS %d",
			e.CPU, e.Cores, e.CPUQuota, e.GOMAXPROCS))
		item(&b, "system", fmt.Sprintf("%s; %s %s/%s", e.Kernel, e.GoVersion, e.OS, e.Arch))
		item(&b, "warnings", codes(d.Warnings))
	}
	b.WriteString("\nConfiguration\n")
	if t := d.Configuration.Tax; t != nil {
		item(&b, "tax", t.sentence())
	}
	if g := d.Configuration.Group; g != nil {
		item(&b, "group", g.sentence())
	}
	b.WriteByte('\n')
	_, err := io.WriteString(w, b.String())
	return err
}

// Warnings writes each warning: its code, what it means, what to do.
func Warnings(w io.Writer, list []host.Warning) error {
	var b strings.Builder
	for _, warning := range list {
		b.WriteString(Hang("warning "+warning.Code+": ", warning.Meaning+" "+warning.Advice, textWidth))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WarningCodes writes that there are warnings, in one line, for a reader who
// asked for results only: a figure must not stand alone where it misleads.
func WarningCodes(w io.Writer, list []host.Warning) error {
	if len(list) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "warnings: %s (explained without --quiet)\n", codes(list))
	return err
}

func codes(list []host.Warning) string {
	if len(list) == 0 {
		return "none"
	}
	words := make([]string, len(list))
	for i, warning := range list {
		words[i] = warning.Code
	}
	return strings.Join(words, ", ")
}

func item(b *strings.Builder, name, text string) {
	b.WriteString(Hang("  "+padRight(name, 13), text, textWidth))
}

func fileSystem(e *host.Environment) string {
	text := fmt.Sprintf("%s, mounted at %s", e.FileSystem, e.MountPoint)
	if !e.Durable {
		text += "; nothing is durable there"
	}
	return text
}

func storage(b *strings.Builder, e *host.Environment) {
	item(b, "directory", e.Directory)
	item(b, "file system", fileSystem(e))
	item(b, "options", strings.Join(e.MountOptions, ","))
	item(b, "device", fmt.Sprintf("%s; model %s; rotational: %s; write cache: %s",
		e.Device, e.DeviceModel, e.Rotational, e.WriteCache))
	item(b, "free space", space(e.FreeBytes))
}
