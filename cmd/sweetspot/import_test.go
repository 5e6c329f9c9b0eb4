package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"sweetspot/data/workspace"
)

// importRuns runs the subcommand.
func importRuns(t *testing.T, args ...string) (out, stderr string, err error) {
	t.Helper()
	return execute(t, append([]string{"import"}, args...)...)
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

type readImport struct {
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
		var got readImport
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
		if good.Error != nil || good.Runs != 1 || good.Imported != imported ||
			good.File != filepath.Join(dir, "history.csv") || good.Warnings == nil {
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
	if err == nil || !strings.Contains(out, "history.csv: keras, 1 run, 1 new\n  the table has no time") ||
		!strings.Contains(out, "1 run, 1 new, in ") {
		t.Errorf("%v\n%s", err, out)
	}
	if strings.Count(stderr, "\n") != 2 || !strings.Contains(stderr, "1 file of unknown format skipped: README.md") ||
		!strings.Contains(stderr, "sweetspot: cut.csv, row 3: has 2 cells and the header 3") {
		t.Errorf("%s", stderr)
	}
	_, stderr, err = importRuns(t, filepath.Join(dir, "README.md"), "--db", db)
	if err == nil || !strings.HasPrefix(err.Error(), "README.md: the format is unknown") || stderr != "" {
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
		{nil, true, "give the files"},
		{[]string{dir, "--format", "excel"}, true, "is not a format; known are "},
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
		if isWrongUsage(err) != c.usage {
			t.Errorf("%v: wrong usage is %v", c.args, !c.usage)
		}
	}
}

func isWrongUsage(err error) bool {
	var exit exitError
	return errors.As(err, &exit) && exit.code == exitUsage
}

// Prices may be given by GPU; one that no run has is reported.
func TestImportPricesByGPU(t *testing.T) {
	dir := t.TempDir()
	const table = "model,infer_img_size,infer_samples_per_sec,infer_step_time,infer_batch_size\nnet,224,1000,256,256\n"
	for _, gpu := range []string{"rtx3090", "rtx4090", "t4"} {
		if err := os.WriteFile(filepath.Join(dir, "benchmark-infer-"+gpu+".csv"), []byte(table), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	db := filepath.Join(t.TempDir(), "mine.db")
	_, stderr, err := importRuns(t, dir, "--db", db, "--price", "rtx4090=0.34", "--price", "RTX-3090=$0.22", "--price",
		"0.1", "--price", "l4=1")
	if err != nil || !strings.Contains(stderr, "--price l4=1: no run has such a GPU") || strings.Contains(stderr, "rtx") {
		t.Fatalf("%q, %v", stderr, err)
	}
	w, err := workspace.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	set, err := w.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, r := range set.Runs {
		got[r.GPU] = *r.USDPerHour
	}
	if len(got) != 3 || got["RTX 4090"] != 0.34 || got["RTX 3090"] != 0.22 || got["T4"] != 0.1 {
		t.Errorf("%v", got)
	}
	for _, wrong := range [][]string{{"--price", "=3"}, {"--price", "t4="}, {"--price", "much"},
		{"--price", "1", "--price", "2"}, {"--mapping", "m.yaml", "--format", "keras"}} {
		if _, _, err := importRuns(t, append([]string{dir}, wrong...)...); !isWrongUsage(err) {
			t.Errorf("%v: %v", wrong, err)
		}
	}
}

// No verb waits for a pipe that nobody writes to.
func TestPipesAreRefused(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", dir)
	pipe, db := filepath.Join(dir, "pipe"), filepath.Join(dir, "mine.db")
	own := filepath.Join(dir, "sweetspot", "catalog-own.csv")
	if err := os.MkdirAll(filepath.Dir(own), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe + ".csv", pipe + ".pt", pipe + ".onnx", own} {
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range []string{
		"import PIPE.csv --db DB", "import DIR --format keras --db DB", "import DIR --mapping PIPE.csv --db DB",
		"catalog import PIPE.csv --cloud aws", "catalog diff PIPE.csv built-in", "catalog diff own built-in",
		"catalog list", "traffic --trace PIPE.csv --db DB", "fleet --trace PIPE.csv --db DB",
		"probe --model PIPE.pt --input 3x2x2 --db DB", "probe --model PIPE.onnx --mode infer --input 3x2x2 --db DB",
	} {
		line = strings.NewReplacer("PIPE", pipe, "DB", db, "DIR", dir).Replace(line)
		_, _, err := execute(t, strings.Fields(line)...)
		if err == nil || !strings.Contains(err.Error(), "a pipe or a device") && !strings.Contains(line, "keras") {
			t.Errorf("%s: %v", line, err)
		}
	}
}
