package host

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// TestInspectSaysSomethingAboutEveryField runs on the machine at hand, so it
// can only ask for the form: nothing empty, and reasons where nothing is
// known. Run it with -v to see what is said.
func TestInspectSaysSomethingAboutEveryField(t *testing.T) {
	dir := t.TempDir()
	env, err := Inspect(dir)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.MarshalIndent(env, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s\n%v", text, codes(Warnings(env, Probe{})))
	v := reflect.ValueOf(env)
	for i := range v.NumField() {
		if name := v.Type().Field(i).Name; v.Field(i).Kind() == reflect.String && !said(v.Field(i).String()) {
			t.Errorf("%s is %q", name, v.Field(i).String())
		}
	}
	if len(env.MountOptions) == 0 {
		t.Error("no mount options, and no reason")
	}
	if env.Cores < 1 || env.GOMAXPROCS != runtime.GOMAXPROCS(0) || env.GoVersion != runtime.Version() {
		t.Errorf("cores %d, GOMAXPROCS %d, Go %s", env.Cores, env.GOMAXPROCS, env.GoVersion)
	}
}

// said reports a text that is neither empty nor an n/a without its reason.
func said(s string) bool {
	if !strings.HasPrefix(s, "n/a") {
		return s != ""
	}
	return strings.HasPrefix(s, naPrefix) && strings.HasSuffix(s, ")") && len(s) > len(naPrefix)+1
}

func TestInspectResolvesTheDirectory(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Skip(err)
	}
	env, err := Inspect(link)
	if err != nil || env.Directory != dir {
		t.Errorf("Directory = %s, %v, want %s", env.Directory, err, dir)
	}
}

func TestInspectNamesTheMissingDirectory(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	if _, err := Inspect(missing); err == nil || !strings.Contains(err.Error(), missing) {
		t.Errorf("error %v, want one that names %s", err, missing)
	}
}
