package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sweetspot/data/store"
)

// database of the runs 1 to 3, from a Profile CSV.
func threeRuns(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	csv, db := filepath.Join(dir, "runs.csv"), filepath.Join(dir, "mine.db")
	text := "model,variant,mode,basis,batch_size,steady_iteration_s\nnet,,train,measured,32,0.25\n" +
		"net,half,train,measured,64,0.5\nother,,infer,measured,8,0.125\n"
	if err := os.WriteFile(csv, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := execute(t, "import", csv, "--db", db); err != nil {
		t.Fatal(err)
	}
	return db
}

// answer runs a subcommand with --json and reads what it prints.
func answer(t *testing.T, args ...string) (a struct {
	Schema          int
	Command, Action string
	Warnings        []string
	Database        string
	Runs            []struct {
		ID             int64
		Model, Variant string
		Note           *string
	}
	Picks []int64
}) {
	t.Helper()
	out, _, err := execute(t, append(args, "--json")...)
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	if err := json.Unmarshal([]byte(out), &a); err != nil || a.Schema != 1 || a.Warnings == nil || a.Picks == nil ||
		a.Runs == nil {
		t.Fatalf("%v: %v in\n%s", args, err, out)
	}
	return a
}

func TestRunsVerbs(t *testing.T) {
	db := threeRuns(t)
	listed := func(args ...string) (ids []int64) {
		for _, r := range answer(t, append([]string{"runs", "list", "--db", db}, args...)...).Runs {
			ids = append(ids, r.ID)
		}
		return ids
	}
	if a := answer(t, "runs", "rename", "1", "2", "1", "--model", "mine", "--db", db); len(a.Runs) != 2 ||
		a.Action != "rename" || a.Runs[0].Model != "mine" || a.Runs[1].Variant != "half" {
		t.Errorf("renamed %+v", a)
	}
	if a := answer(t, "runs", "rename", "3", "--variant", "quarter", "--db", db); a.Runs[0].Model != "other" ||
		a.Runs[0].Variant != "quarter" {
		t.Errorf("renamed %+v", a)
	}
	if a := answer(t, "runs", "annotate", "2", " with\x1b[31m blanks ", "--db", db); a.Runs[0].Note == nil ||
		*a.Runs[0].Note != "with blanks" {
		t.Errorf("noted %+v", a)
	}
	if a := answer(t, "runs", "delete", "1", "2", "--db", db); len(a.Runs) != 2 || *a.Runs[1].Note != "with blanks" {
		t.Errorf("deleted %+v", a)
	}
	answer(t, "runs", "delete", "3", "--db", db)
	if there, gone := listed(), listed("--deleted"); there != nil || !slices.Equal(gone, []int64{1, 2, 3}) {
		t.Errorf("there %v, deleted %v", there, gone)
	}
	out, _, err := execute(t, "export", "--runs", "--db", db)
	if err != nil || strings.Contains(out, "mine") {
		t.Errorf("exported %q, %v", out, err)
	}
	answer(t, "runs", "undelete", "2", "--db", db)
	answer(t, "runs", "undelete", "--db", db)
	if there := listed(); !slices.Equal(there, []int64{2, 3}) {
		t.Errorf("there are %v", there)
	}
	out, _, err = execute(t, "runs", "list", "--db", db)
	if lines := strings.Split(out, "\n"); err != nil || len(lines) != 4 || !strings.Contains(lines[1], "mine") ||
		!strings.HasSuffix(lines[1], "with blanks") {
		t.Errorf("listed, %v:\n%s", err, out)
	}
	out, _, err = execute(t, "export", "--runs", "--db", db)
	if err != nil || !strings.Contains(out, ",note") || !strings.Contains(out, "with blanks") {
		t.Errorf("exported %q, %v", out, err)
	}
	if a := answer(t, "runs", "purge", "--db", db); len(a.Runs) != 1 || a.Runs[0].ID != 1 {
		t.Errorf("purged %+v", a)
	}
	if _, _, err := execute(t, "runs", "undelete", "--db", db); err == nil ||
		!strings.Contains(err.Error(), "nothing was deleted") {
		t.Errorf("undelete without a deletion: %v", err)
	}
}

func TestRunsRefuse(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	db := threeRuns(t)
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"runs", "lst"}, exitUsage, `no command "lst"`},
		{[]string{"runs", "rename", "--model", "x"}, exitUsage, "give the numbers of the runs to rename"},
		{[]string{"runs", "rename", "1"}, exitUsage, "--model, --variant or both"},
		{[]string{"runs", "rename", "1", "--model", " "}, exitFailed, "needs a name"},
		{[]string{"runs", "rename", "1", "9", "--model", "x"}, exitFailed, "no run 9"},
		{[]string{"runs", "annotate", "1"}, exitUsage, "and its note"},
		{[]string{"runs", "annotate", "one", "x"}, exitUsage, `"one" is not the number of a run`},
		{[]string{"runs", "delete", "-1"}, exitUsage, "unknown shorthand"},
		{[]string{"runs", "delete", "1", "0"}, exitUsage, `"0" is not the number of a run`},
		{[]string{"runs", "delete", "1", "9"}, exitFailed, "no run 9"},
		{[]string{"runs", "undelete", "1"}, exitFailed, "no deleted run 1"},
		{[]string{"merge"}, exitUsage, "give one file"},
		{[]string{"merge", ""}, exitUsage, "give one file"},
		{[]string{"merge", db}, exitFailed, "is this database itself"},
		{[]string{"merge", "missing.db"}, exitFailed, "no profile database at missing.db"},
		{[]string{"backup", "a.db", "b.db"}, exitUsage, "give one file"},
		{[]string{"backup", db}, exitFailed, "exists already"},
	} {
		_, _, err := execute(t, append(c.args, "--db", db)...)
		var exit exitError
		code := exitFailed
		if errors.As(err, &exit) {
			code = exit.code
		} else if err != nil && isUsage(err) {
			code = exitUsage
		}
		if err == nil || code != c.code || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: exit %d, %v; want %d and %q", c.args, code, err, c.code, c.says)
		}
	}
	if a := answer(t, "runs", "list", "--db", db); len(a.Runs) != 3 || a.Runs[0].Model != "net" {
		t.Errorf("what was refused changed the runs: %+v", a.Runs)
	}
}

func TestMergeAndBackupVerbs(t *testing.T) {
	db := threeRuns(t)
	copied, into := filepath.Join(t.TempDir(), "copy.db"), filepath.Join(t.TempDir(), "into.db")
	var backup struct {
		Command  string
		Warnings []string
		File     string
		Bytes    int64
	}
	out, _, err := execute(t, "backup", copied, "--db", db, "--json")
	if err != nil || json.Unmarshal([]byte(out), &backup) != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if info, err := os.Stat(copied); err != nil || info.Size() != backup.Bytes || backup.File != copied ||
		backup.Command != "backup" || backup.Warnings == nil {
		t.Errorf("said %+v; %v", backup, err)
	}
	answer(t, "runs", "delete", "1", "--db", db)
	t.Chdir(filepath.Dir(into))
	for _, want := range []store.Merged{{Runs: 3}, {KnownRuns: 3}} {
		var got mergeAnswer
		out, _, err := execute(t, "merge", copied, "--db", filepath.Base(into), "--json")
		if err != nil || json.Unmarshal([]byte(out), &got) != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if got.Runs != want.Runs || got.RunCount != want.Runs || got.KnownRuns != want.KnownRuns || got.Command != "merge" ||
			got.Schema != 1 || got.Head.Warnings == nil || got.Database != into || got.From != copied {
			t.Errorf("merged %+v, want %+v", got, want)
		}
	}
	out, stderr, err := execute(t, "merge", copied, "--db", db)
	if err != nil || !strings.Contains(out, "0 runs new, 3 here already") ||
		!strings.Contains(stderr, "1 run is deleted here and not brought back") {
		t.Errorf("%v: %q, %q", err, out, stderr)
	}
}
