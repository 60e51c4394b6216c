package logtool

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"walbench.example/wal"
)

// Repair makes a damaged log whole, without what stands behind the damage, and
// writes to out what it keeps, what it drops, and where that is. Without yes
// it changes nothing, and damage is a *Finding.
func Repair(dir string, yes bool, out io.Writer) error {
	r, err := wal.Repair(dir, wal.Options{ReadOnly: !yes})
	switch {
	case errors.Is(err, wal.ErrLocked), err != nil && r.Damage != nil:
		return err
	case err != nil:
		return &Finding{ExitUnknown, err, "unknown"}
	}
	if _, err := io.WriteString(out, repairText(dir, r, yes)); err != nil {
		return err
	}
	if r.Damage != nil && !yes {
		return &Finding{ExitCorrupt, fmt.Errorf("%w (a dry run: nothing was changed, --yes repairs)", r.Damage), r.Damage.Kind.String()}
	}
	return nil
}

func repairText(dir string, r wal.RepairReport, done bool) string {
	if r.Damage == nil {
		return "nothing to do: the log has no damage\n"
	}
	keeps, drops, moved := "keeps", "drops", "would move"
	if done {
		keeps, drops, moved = "kept", "dropped", "moved"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "damage     %v\n", r.Damage)
	fmt.Fprintf(&b, "%-10s %s", keeps, tally(r.Kept, "records"))
	if r.End > 0 {
		fmt.Fprintf(&b, ": all below LSN %d", uint64(r.End))
	}
	fmt.Fprintf(&b, "\n%-10s %s\n", drops, tally(r.Dropped, "readable records"))
	for _, a := range r.Aside {
		verb := moved
		if a.Copy {
			verb = strings.NewReplacer("moved", "copied", "move", "copy").Replace(moved)
		}
		fmt.Fprintf(&b, "%-10s %s to %s, %d bytes\n", verb, a.Name, filepath.Join(dir, a.To), a.Size)
	}
	if len(r.Aside) == 0 {
		fmt.Fprintf(&b, "%-10s nothing: no byte stands behind the damage\n", moved)
	}
	return b.String()
}

func tally(t wal.Tally, records string) string {
	segments := "segments"
	if t.Segments == 1 {
		segments = "segment"
	}
	return fmt.Sprintf("%d %s, of %d bytes, in %d %s", t.Records, records, t.Bytes, t.Segments, segments)
}
