package document

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"sweetspot/data/contract"
	"sweetspot/data/internal/exampleranking"
	"sweetspot/data/store"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

func says(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

func TestSaveIsAllOrNothing(t *testing.T) {
	failing := func(io.Writer) error { return errors.New("the disk is full") }
	for _, c := range []struct {
		name  string
		files []File
		there string // a file that is there before
		force bool
		want  string // in the error; "" is success
		left  string // names afterwards
	}{
		{"one", []File{{Name: "a", Write: says("1")}}, "", false, "", "a"},
		{"beside", []File{{Name: "a", Write: says("1")}, {Name: "b", Write: says("2")}}, "", false, "", "a b"},
		{"there", []File{{Name: "a", Write: says("1")}}, "a", false, "a exists already: give another name", "a"},
		{"picture there", []File{{Name: "a", Write: says("1")}, {Name: "b", Write: says("2")}}, "b", false,
			"b exists already", "b"},
		{"forced", []File{{Name: "a", Write: says("1")}, {Name: "b", Write: says("2")}}, "b", true, "", "a b"},
		{"fails", []File{{Name: "a", Write: says("1")}, {Name: "b", Write: failing}}, "", false, "cannot write ", ""},
	} {
		dir := t.TempDir()
		if c.there != "" {
			if err := os.WriteFile(filepath.Join(dir, c.there), []byte("mine"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		err := Save(filepath.Join(dir, "a"), c.files, c.force)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		var left []string
		for _, e := range entries {
			left = append(left, e.Name())
		}
		if got := strings.Join(left, " "); got != c.left {
			t.Errorf("%s: %q is left, not %q", c.name, got, c.left)
		}
		if text, _ := os.ReadFile(filepath.Join(dir, c.there)); c.there != "" && (string(text) == "mine") == c.force {
			t.Errorf("%s: %s holds %q", c.name, c.there, text)
		}
	}
}

// Runs and picks are as private as the database they come from, whatever the umask.
func TestWhoMayReadAFile(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	r := exampleranking.New()
	p := contract.NewPick(r, r.First(), pickedAt, "1.2.3", nil)
	for group, s := range map[string]Subject{
		Pick: {Pick: &p}, Ranking: {Ranking: &Ranked{Result: r, At: pickedAt}},
		Runs: {Runs: &Recorded{Set: &profile.Set{Runs: []profile.Run{{Model: "net", Mode: profile.Infer,
			Basis: estimate.Measured}}}, Iterations: func(int64) ([]store.Iteration, error) { return nil, nil }}},
	} {
		for _, d := range Of(s) {
			if d.Group != group || d.Why != nil {
				continue
			}
			path := filepath.Join(t.TempDir(), d.Name)
			files, err := d.Files(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := Save(path, files, false); err != nil {
				t.Fatal(err)
			}
			want := fs.FileMode(0o644)
			if group != Ranking {
				want = 0o600
			}
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s as %s is %v, want %v; %v", group, d.Format, info.Mode(), want, err)
			}
		}
	}
}

func TestErrorsArePlainSentences(t *testing.T) {
	for path, want := range map[string]string{
		"no/such\x1b[2J/folder": "cannot write no/such/folder: no such file or directory; name another file",
		"":                      "cannot write : no such file or directory; name another file",
	} {
		if err := Save(path, []File{{Name: "a", Write: says("")}}, false); err == nil || err.Error() != want {
			t.Errorf("%q: %v", path, err)
		}
	}
	if err := (&ExistsError{"a\x1b[31m\nb"}); err.Error() != "a b exists already: give another name" {
		t.Errorf("%q", err)
	}
}
