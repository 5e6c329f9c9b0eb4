package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// importing runs the verb, which the test adds where the root lacks it.
func importRuns(t *testing.T, args ...string) (out, stderr string, err error) {
	t.Helper()
	root := newRootCommand()
	if found, _, err := root.Find([]string{"import"}); err != nil || found.Name() != "import" {
		root.AddCommand(newImportCommand())
	}
	var o, e strings.Builder
	root.SetOut(&o)
	root.SetErr(&e)
	root.SetArgs(append([]string{"import"}, args...))
	err = root.ExecuteContext(t.Context())
	return o.String(), e.String(), err
}

// logs is a folder with a good file, one that is cut off and one of no format.
func logs(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"history.csv": "epoch,loss,val_accuracy\n0,2,0.5\n1,1,0.6\n",
		"cut.csv":     "epoch,loss,val_accuracy\n0,2,0.5\n1,1",
		"README.md":   "# nothing to import",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

type importAnswer struct {
	Schema   int
	Command  string
	Warnings []string
	Files    []struct {
		File     string
		Format   *string
		Runs     int
		Imported int
		Error    *string
		Warnings []string
	}
}

func TestImportKeepsWhatIsGood(t *testing.T) {
	dir, db := logs(t), filepath.Join(t.TempDir(), "mine.db")
	for _, imported := range []int{1, 0} {
		out, stderr, err := importRuns(t, dir, "--db", db, "--json", "--epoch-time", "30s", "--gpu", "T4", "--price", "$0.5")
		if err == nil || !strings.Contains(err.Error(), "1 of 2 files could not be imported") {
			t.Errorf("%v, %s", err, stderr)
		}
		var exit exitError
		if errors.As(err, &exit) && exit.code != exitFailed {
			t.Errorf("exit code %d", exit.code)
		}
		var got importAnswer
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatal(err, out)
		}
		if got.Schema != 1 || got.Command != "import" || len(got.Files) != 2 || len(got.Warnings) != 1 {
			t.Fatalf("%s", out)
		}
		cut, good := got.Files[0], got.Files[1]
		if cut.Error == nil || !strings.Contains(*cut.Error, "cut.csv, row 3") || cut.Runs != 0 || *cut.Format != "keras" {
			t.Errorf("%+v", cut)
		}
		if good.Error != nil || good.Runs != 1 || good.Imported != imported || good.File != filepath.Join(dir, "history.csv") || good.Warnings == nil {
			t.Errorf("%+v", good)
		}
	}
	out, _, err := execute(t, "rank", "--db", db)
	if err != nil || !strings.Contains(out, "history · train") || !strings.Contains(out, "$0.0083") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestImportInWords(t *testing.T) {
	dir, db := logs(t), filepath.Join(t.TempDir(), "mine.db")
	out, stderr, err := importRuns(t, dir, "--db", db)
	if err == nil || !strings.Contains(out, "history.csv: keras, 1 run, 1 new\n  the table has no time") || !strings.Contains(out, "1 run, 1 new, in ") {
		t.Errorf("%v\n%s", err, out)
	}
	if strings.Count(stderr, "\n") != 2 || !strings.Contains(stderr, "1 file in a folder") || !strings.Contains(stderr, "sweetspot: cut.csv, row 3: has 2 cells and the header 3") {
		t.Errorf("%s", stderr)
	}
	_, stderr, err = importRuns(t, filepath.Join(dir, "README.md"), "--db", db)
	if err == nil || !strings.HasPrefix(err.Error(), "README.md: is of no format") || stderr != "" {
		t.Errorf("%v, %q", err, stderr)
	}
}

func TestImportRefuses(t *testing.T) {
	dir, db := logs(t), filepath.Join(t.TempDir(), "mine.db")
	for _, c := range []struct {
		args  []string
		usage bool
		words string
	}{
		{nil, true, "name the files"},
		{[]string{dir, "--format", "excel"}, true, "there are profile-csv"},
		{[]string{dir, "--price", "dear"}, true, "--price"},
		{[]string{dir, "--epoch-time", "9"}, true, "--epoch-time"},
		{[]string{dir, "--batch", "-1"}, true, "--batch -1"},
		{[]string{dir, "--vm", "x9.huge"}, true, "no VM type"},
		{[]string{filepath.Join(dir, "none.csv")}, false, "none.csv cannot be read: no such file"},
		{[]string{dir, "--mapping", filepath.Join(dir, "README.md")}, false, "README.md: "},
	} {
		_, _, err := importRuns(t, append(c.args, "--db", db)...)
		if err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%v: %v, want the words %q", c.args, err, c.words)
		}
		var exit exitError
		if isUsage := errors.As(err, &exit) && exit.code == exitUsage; isUsage != c.usage {
			t.Errorf("%v: wrong usage is %v", c.args, isUsage)
		}
	}
}
