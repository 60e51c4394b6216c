package report

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
)

func TestDocumentIsWhatEncodingJSONWouldWrite(t *testing.T) {
	for name, doc := range map[string]*Document{"whole": sampleDocument(), "simulated": simulatedDocument(), "empty": {}} {
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(doc); err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := doc.Write(&got); err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got.String(), want.String())
		}
	}
}

func TestNotFiniteBecomesNull(t *testing.T) {
	doc := sampleDocument()
	doc.Group.Rows[0].CommitsPerSecond = math.NaN()
	doc.Group.Rows[0].IdealFraction = ptr(math.Inf(1))
	doc.Tax.Rows[0].Repeats[0].Seconds = math.Inf(-1)
	doc.Tax.Rows[0].Repeats[0].BatchSeconds = []float64{1, math.NaN()}
	var b bytes.Buffer
	if err := doc.Write(&b); err != nil {
		t.Fatal(err)
	}
	var back struct {
		Tax struct {
			Rows []struct {
				Repeats []struct {
					Seconds      *float64
					BatchSeconds []*float64 `json:"batch_seconds"`
				}
			}
		}
		Group struct{ Rows []map[string]any }
	}
	if err := json.Unmarshal(b.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	cell, repeat := back.Group.Rows[0], back.Tax.Rows[0].Repeats[0]
	for _, name := range []string{"commits_per_second", "ideal_fraction"} {
		if v, there := cell[name]; !there || v != nil {
			t.Errorf("%s is %v (there: %v), want null", name, v, there)
		}
	}
	if repeat.Seconds != nil || len(repeat.BatchSeconds) != 2 || repeat.BatchSeconds[1] != nil {
		t.Errorf("repeat is %+v, want null where it is not finite", repeat)
	}
}

func TestTwoFieldsOfOneNameAreAnError(t *testing.T) {
	_, err := encode(struct {
		A int `json:"B"`
		B int
	}{})
	if err == nil || !strings.Contains(err.Error(), `two fields "B"`) {
		t.Errorf("got %v, want an error that names B", err)
	}
}
