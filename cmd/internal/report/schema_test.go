package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// The names that readers of walbench/1 rely on. One that goes away is another
// schema.
func TestDocumentKeepsTheNamesOfItsSchema(t *testing.T) {
	var b bytes.Buffer
	if err := sampleDocument().Write(&b); err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if doc["schema"] != "walbench/1" || doc["loop"] != "closed" {
		t.Errorf("schema %v, loop %v", doc["schema"], doc["loop"])
	}
	first := func(part string) any { return doc[part].(map[string]any)["rows"].([]any)[0] }
	for _, c := range []struct {
		where string
		in    any
		names string
	}{
		{"document", doc, "schema walbench_version command_line configuration started finished loop environment warnings tax group verdict interrupted"},
		{"tax row", first("tax"), "mode file record_bytes writes repeats append_seconds records_per_second bytes_per_second ratio_to_none acknowledged_before_sync"},
		{"group row", first("group"), "policy sync writers record_bytes seconds commits commits_per_second flushes flush_seconds_p50 commits_per_flush " +
			"ideal_fraction latency_seconds durable errors repeats"},
		{"latency", first("group").(map[string]any)["latency_seconds"], "p50 p95 p99 max"},
		{"append", first("tax").(map[string]any)["append_seconds"], "p50 p95 p99 max"},
	} {
		for name := range strings.FieldsSeq(c.names) {
			if _, there := c.in.(map[string]any)[name]; !there {
				t.Errorf("%s has no %q", c.where, name)
			}
		}
	}
}
