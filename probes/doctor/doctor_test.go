package doctor

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sweetspot/data/store"
)

func TestTerminal(t *testing.T) {
	for _, c := range []struct {
		terminal Terminal
		ok       bool
		says     string
	}{
		{Terminal{}, true, "not a terminal"},
		{Terminal{true, 200, 50, "xterm-256color", "256 colours"}, true, "xterm-256color, 200×50, 256 colours"},
		{Terminal{true, 30, 8, "xterm", "16 colours"}, false, "40×10"},
		{Terminal{true, 200, 50, "dumb", "no colour"}, false, "set TERM"},
		{Terminal{true, 200, 50, "x\x1b[31m", "no colour"}, true, "x, 200×50"},
	} {
		got := terminal(c.terminal)
		if got.OK != c.ok || !strings.Contains(got.Found+got.Mend, c.says) || got.Broken {
			t.Errorf("%+v: %+v", c.terminal, got)
		}
	}
}

func TestDatabase(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", dir)
	if c := profiles(t.Context(), ""); !c.OK || c.Broken || !strings.Contains(c.Found, "does not exist yet") {
		t.Errorf("none yet: %+v", c)
	}
	if c := profiles(t.Context(), filepath.Join(dir, "other.db")); c.OK || !c.Broken {
		t.Errorf("a named one that is missing: %+v", c)
	}
	s, err := store.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if c := profiles(t.Context(), ""); !c.OK || !strings.Contains(c.Found, "0 runs") {
		t.Errorf("an empty one: %+v", c)
	}
	if c := profiles(t.Context(), ""); strings.Contains(c.Mend, "chmod") {
		t.Errorf("nobody else can read it: %+v", c)
	}
	// Earlier versions left modes to the umask.
	folder := filepath.Join(dir, "sweetspot")
	if err := errors.Join(os.Chmod(s.Path(), 0o644), os.Chmod(folder, 0o755)); err != nil {
		t.Fatal(err)
	}
	c := profiles(t.Context(), "")
	_, chmod, _ := strings.Cut(c.Mend, ": ")
	if chmod != "chmod go= "+s.Path()+" "+folder || !c.OK || !strings.Contains(c.Found, "open to other users") {
		t.Errorf("an old one: %+v", c)
	}
	if out, err := exec.Command("sh", "-c", chmod).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v, %s", chmod, err, out)
	}
	if c := profiles(t.Context(), ""); c.Mend != "" {
		t.Errorf("mended: %+v", c)
	}
	if c := profiles(t.Context(), s.Path()); c.Mend != "" {
		t.Errorf("a named one's folder is the user's own business: %+v", c)
	}
	t.Setenv("XDG_DATA_HOME", "")
	t.Setenv("HOME", "")
	if c := profiles(t.Context(), ""); !c.Broken || !strings.Contains(c.Found, "HOME is not set") || c.Mend == "" {
		t.Errorf("without a home: %+v", c)
	}
	t.Setenv("XDG_DATA_HOME", dir)
	text := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(text, []byte("milk, bread\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if c := profiles(t.Context(), text); c.OK || !c.Broken || c.Mend == "" || strings.Contains(c.Found, ";") {
		t.Errorf("not a database: %+v", c)
	}
}

func TestDataset(t *testing.T) {
	if c := dataset(t.TempDir()); c.OK || !strings.Contains(c.Mend, "dataset-fashion-mnist") || c.Broken {
		t.Errorf("%+v", c)
	}
}

// Nothing of this machine may crash the examination, and every check that is
// not ok says how to mend it.
func TestExamine(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	checks := Examine(t.Context(), Terminal{}, "", "/nowhere/python3")
	if len(checks) != 9 {
		t.Fatalf("%d checks", len(checks))
	}
	for _, c := range checks {
		if c.Found == "" || (!c.OK && c.Mend == "") || c.Broken {
			t.Errorf("%+v", c)
		}
		if c.Name == "Python" && (c.OK || !strings.Contains(c.Found, "/nowhere/python3 (not found)")) {
			t.Errorf("%+v", c)
		}
	}
}

func TestNothingToMendIsNull(t *testing.T) {
	for want, c := range map[string]Check{
		`{"name":"GPU","ok":true,"found":"x","broken":false,"mend":null}`:   {Name: "GPU", OK: true, Found: "x"},
		`{"name":"GPU","ok":false,"found":"x","broken":false,"mend":"buy"}`: {Name: "GPU", Found: "x", Mend: "buy"},
	} {
		if got, err := json.Marshal(c); err != nil || string(got) != want {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
}
