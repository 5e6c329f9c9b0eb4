package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// ran runs the program on a database and returns what it prints.
func ran(t *testing.T, db string, args ...string) string {
	t.Helper()
	out, err := exec.Command(program, append(args, "--db", db)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return string(out)
}

// Two people change their databases and sync while each sync is killed at some moment. In the
// end both have the same, and nothing that was measured is lost.
func TestKilledSyncs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder := filepath.Join(dir, "shared")
	random := rand.New(rand.NewPCG(20, 5))
	dbs := []string{filepath.Join(dir, "a.db"), filepath.Join(dir, "b.db")}
	imported, killed, whole := 0, 0, time.Duration(0)
	for round := range 24 {
		db := dbs[round%2]
		csv := filepath.Join(dir, fmt.Sprintf("%d.csv", round))
		text := "model,mode,basis,batch_size,steady_iteration_s,metric,higher_is_better,validations,note\n"
		for i := range 40 {
			text += fmt.Sprintf("net%d,train,measured,%d,0.25,top-1,true,0:%s1,n%d\n", round, i+1,
				strings.Repeat("1;0:", 20), i)
			imported++
		}
		if err := os.WriteFile(csv, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		ran(t, db, "import", csv)
		if round > 1 {
			id := fmt.Sprint(1 + random.IntN(20))
			ran(t, db, "runs", "annotate", id, fmt.Sprintf("round %d", round))
			ran(t, db, "runs", "rename", id, "--model", fmt.Sprintf("renamed%d", round))
		}
		if round < 2 { // how long one takes that nobody disturbs
			began := time.Now()
			ran(t, db, "sync", folder)
			whole = max(whole, time.Since(began))
			continue
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(random.Int64N(int64(whole))))
		if err := exec.CommandContext(ctx, program, "sync", folder, "--db", db).Run(); err != nil { // by SIGKILL
			killed++
		}
		cancel()
	}
	t.Logf("%d of 22 syncs were killed, one takes %s", killed, whole)
	for range 2 {
		for _, db := range dbs {
			if out := ran(t, db, "sync", folder); strings.Contains(out, "warning") {
				t.Error(out)
			}
		}
	}
	content := func(db string) map[string]any {
		var list struct{ Runs []map[string]any }
		if err := json.Unmarshal([]byte(ran(t, db, "runs", "list", "--json")), &list); err != nil {
			t.Fatal(err)
		}
		all := map[string]any{}
		for _, run := range list.Runs {
			delete(run, "id")
			text, _ := json.Marshal(run)
			all[string(text)] = true
		}
		if len(list.Runs) != imported {
			t.Errorf("%s has %d runs of %d", db, len(list.Runs), imported)
		}
		return all
	}
	if a, b := content(dbs[0]), content(dbs[1]); !reflect.DeepEqual(a, b) {
		t.Error("the two have not the same")
	}
	if killed == 0 {
		t.Error("no sync was killed")
	}
}
