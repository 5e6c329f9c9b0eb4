package store

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sweetspot/data/bundle"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

var schedules = flag.Int("schedules", 0, "random schedules of syncs to try, instead of a few hundred")

// errCrash ends a sync in the middle of it.
var errCrash = errors.New("crash")

// share is a folder whose bundles arrive late, and in which a sync may crash.
type share struct {
	bundles map[string][]byte
	names   []string // in the order they were added
	hides   func(name string) bool
	twice   bool // each is read two times
	crash   int  // at the step of this number, from 1; 0 is never
	step    int
	mangle  bool // the order of reading is turned round
}

func (f *share) tread() error {
	f.step++
	if f.step == f.crash {
		return errCrash
	}
	return nil
}

func (f *share) List(context.Context) (names []string, err error) {
	for _, name := range f.names {
		if f.hides == nil || !f.hides(name) {
			names = append(names, name)
		}
	}
	return names, f.tread()
}

func (f *share) Fetch(_ context.Context, names []string, take func(string, []byte, error) error) error {
	names = slices.Clone(names)
	if f.mangle {
		slices.Reverse(names)
	}
	if f.twice {
		names = append(names, names...)
	}
	for _, name := range names {
		if err := f.tread(); err != nil {
			return err
		}
		if err := take(name, f.bundles[name], nil); err != nil {
			return err
		}
	}
	return nil
}

func (f *share) Add(_ context.Context, name string, content []byte) error {
	if err := f.tread(); err != nil {
		return err // before
	}
	f.bundles[name] = content
	f.names = append(f.names, name)
	return f.tread() // or after it was renamed
}

// The parts of a run that two databases have to agree on.
const sameRuns = `
	SELECT r.fingerprint, m.name, m.dataset, m.task, m.unit, m.source_file, m.params, m.flops_per_unit,
		v.name, v.precision, v.pruned, v.pruning_ratio, v.pruning_layers, c.host, c.gpu, c.instance_type,
		r.mode, r.batch_size, r.status, r.heartbeat_ms, r.note, r.network, r.input, r.iterations, r.iterations_sum_s, r.total_s,
		r.energy_j_per_unit,
		coalesce(nullif(r.series_mark, ''), (SELECT f.fingerprint FROM runs f WHERE f.id = r.series)),
		(SELECT json_group_array(json_array(seq, epoch, idx, rank, seconds, units, t))
			FROM (SELECT * FROM iterations i WHERE i.run_id = r.id ORDER BY seq)),
		(SELECT json_group_array(json_array(seq, level, text))
			FROM (SELECT * FROM log_lines l WHERE l.run_id = r.id ORDER BY seq))
	FROM runs r JOIN variants v ON v.id = r.variant_id JOIN models m ON m.id = v.model_id JOIN machines c ON c.id = r.machine_id
	WHERE r.deleted = 0 ORDER BY r.fingerprint`

// shared is all that databases agree on after they have synced.
func shared(t testing.TB, s *Store) map[string][]string {
	return map[string][]string{
		"runs": rowsIn(t, s, sameRuns),
		"picks": rowsIn(t, s, "SELECT DISTINCT created_at, name, model, query, candidate, note FROM picks "+
			"WHERE deleted = 0 ORDER BY created_at, query"),
		"gone": rowsIn(t, s, `SELECT fingerprint FROM runs WHERE deleted > 0
			UNION SELECT mark FROM sync_absent WHERE kept = 0 UNION
			SELECT pick_mark(created_at, query, candidate) FROM picks WHERE deleted > 0 ORDER BY 1`),
		"prices": rowsIn(t, s, `SELECT cloud, region, instance_type, gpu, gpu_count, gpu_mem_gib, vcpus,
				purchase, usd_per_hour, source, as_of
			FROM vm_types t LEFT JOIN prices p ON p.vm_type_id = t.id ORDER BY 1, 2, 3, 8, 10, 11`),
	}
}

// member is one of the databases of a schedule.
type member struct {
	*Store
	now time.Time
}

// empty makes a database as it was when it was made, with another identity, faster than
// making one does.
func (m *member) empty(t testing.TB, n int) {
	for _, table := range []string{"runs", "variants", "models", "machines", "prices", "vm_types", "picks", "sync_absent",
		"sync_versions", "sync_bundles"} {
		_, err := m.write.Exec("DELETE FROM " + table)
		must(t, err)
	}
	_, err := m.write.Exec("UPDATE sync_self SET id = ?, stamp = '', number = 0", fmt.Sprintf("db%d", n))
	must(t, err)
	m.now = time.UnixMilli(int64(1_700_000_000_000 + n*777))
	m.nowFunc = func() time.Time { return m.now }
}

// act does one thing that a user may do.
func (m *member) act(rt *rapid.T, t testing.TB) {
	ctx := t.Context()
	m.now = m.now.Add(time.Duration(rapid.Int64Range(0, 30_000).Draw(rt, "ms")) * time.Millisecond)
	pick := func(of Table) (int64, bool) {
		list := ids(t, m.Store, of)
		if len(list) == 0 {
			return 0, false
		}
		return rapid.SampledFrom(list).Draw(rt, "row"), true
	}
	word := rapid.SampledFrom([]string{"a", "b", "c"})
	switch rapid.SampledFrom([]string{"record", "record", "import", "rename", "note", "delete", "undelete", "purge",
		"pick", "note pick", "delete pick", "price", "again"}).Draw(rt, "act") {
	case "record":
		d := description()
		d.Model.Name, d.Work.Network = word.Draw(rt, "model"), rapid.SampledFrom([]string{"", "N1", "N2"}).Draw(rt, "net")
		d.Model.Params = rapid.SampledFrom([]*float64{nil, new(1.5), new(2.0)}).Draw(rt, "params")
		if list := ids(t, m.Store, RunTable); len(list) > 0 && rapid.Bool().Draw(rt, "series") {
			d.Series = list[len(list)-1]
		}
		rec, err := m.Start(ctx, d)
		must(t, err)
		must(t, rec.Describe(ctx, d))
		must(t, rec.Append(ctx, Batch{Iterations: series(rapid.IntRange(0, 3).Draw(rt, "n")), Log: []LogLine{{Text: "<é>"}}}))
		if rapid.IntRange(0, 4).Draw(rt, "killed") > 0 {
			must(t, rec.Finish(ctx, Finish{Run: profile.Run{Status: profile.Done, TotalS: new(0.0)}}))
		}
		m.now = m.now.Add(time.Duration(rapid.IntRange(0, 1).Draw(rt, "later")) * time.Minute)
	case "import":
		run := profile.Run{Model: word.Draw(rt, "model"), Mode: profile.Train, InstanceType: "vm", BatchSize: 32, Count: 1,
			Steady: estimate.Exact(1, estimate.Published), Basis: estimate.Published, Status: profile.Done}
		if rapid.Bool().Draw(rt, "energy") {
			run.EnergyJPerUnit = new(2.5)
		}
		_, err := m.Import(ctx, &profile.Set{Runs: []profile.Run{run}})
		must(t, err)
	case "rename":
		if id, ok := pick(RunTable); ok {
			_, err := m.Rename(ctx, []RunName{{Run: id, Model: word.Draw(rt, "name"), Variant: word.Draw(rt, "variant")}})
			recording(t, err)
		}
	case "note":
		if id, ok := pick(RunTable); ok {
			_, err := m.Annotate(ctx, RunTable, id, word.Draw(rt, "note"))
			must(t, err)
		}
	case "note pick":
		if id, ok := pick(PickTable); ok {
			_, err := m.Annotate(ctx, PickTable, id, word.Draw(rt, "note"))
			must(t, err)
		}
	case "delete":
		if id, ok := pick(RunTable); ok {
			_, err := m.Delete(ctx, RunTable, id)
			recording(t, err)
		}
	case "delete pick":
		if id, ok := pick(PickTable); ok {
			_, err := m.Delete(ctx, PickTable, id)
			must(t, err)
		}
	case "undelete":
		_, err := m.Undelete(ctx, 0)
		must(t, err)
	case "purge":
		err := m.change(ctx, "purge", func(ctx context.Context, tx *transaction) error {
			_, err := purge(ctx, tx) // without the VACUUM, which changes nothing that is compared
			return err
		})
		must(t, err)
	case "pick":
		_, err := m.SavePick(ctx, Pick{CreatedAt: m.now, Query: json.RawMessage(`{"q":"` + word.Draw(rt, "q") + `"}`),
			Candidate: json.RawMessage(`{"model":"x"}`)})
		must(t, err)
	case "price":
		_, err := m.Import(ctx, &profile.Set{VMTypes: []profile.VMType{{Cloud: "aws", InstanceType: word.Draw(rt, "vm"),
			GPU: word.Draw(rt, "gpu"), Prices: []profile.Price{{Purchase: profile.Spot,
				USDPerHour: float64(rapid.IntRange(1, 3).Draw(rt, "usd")), AsOf: "2026"}}}}})
		must(t, err)
	case "again": // of a detached probe, all comes again
		if id, ok := pick(RunTable); ok {
			if rec, err := m.Restart(ctx, id); err == nil {
				must(t, rec.Append(ctx, Batch{Iterations: series(rapid.IntRange(0, 5).Draw(rt, "n"))}))
				must(t, rec.Finish(ctx, Finish{Run: profile.Run{Status: profile.Done}}))
			}
		}
	}
}

// recording lets a refusal pass of what is being recorded.
func recording(t testing.TB, err error) {
	if err != nil && !strings.Contains(err.Error(), "being recorded") {
		t.Fatal(err)
	}
}

// Five databases, two folders that are exchanged through one of them or all, anything a user
// may do, syncs that crash at any step, read twice, in any order and late: in the end all have
// the same.
func TestSyncsConverge(t *testing.T) {
	n := max(*schedules, 200)
	if *schedules == 0 && testing.Short() {
		n = 50
	}
	must(t, flag.Set("rapid.checks", fmt.Sprint(n)))
	dir := t.TempDir()
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		if shm, err := os.MkdirTemp("/dev/shm", "sweetspot-test-"); err == nil {
			dir = shm
			t.Cleanup(func() { _ = os.RemoveAll(shm) })
		}
	}
	members := make([]*member, 5)
	for i := range members {
		members[i] = &member{Store: openQuick(t, filepath.Join(dir, fmt.Sprintf("%d.db", i)))}
		defer members[i].Close()
	}
	began, steps, crashes := time.Now(), 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		folders := []*share{{bundles: map[string][]byte{}}, {bundles: map[string][]byte{}}}
		for i, m := range members {
			m.empty(t, i)
		}
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			steps++
			at := rapid.IntRange(0, len(members)-1).Draw(rt, "who")
			m := members[at]
			if rapid.Bool().Draw(rt, "acts") {
				m.act(rt, t)
				continue
			}
			f := folders[reach(rt, at)]
			f.step, f.crash = 0, rapid.IntRange(0, 12).Draw(rt, "crash at")
			f.twice, f.mangle = rapid.Bool().Draw(rt, "twice"), rapid.Bool().Draw(rt, "backwards")
			late := rapid.IntRange(0, 3).Draw(rt, "late")
			f.hides = func(name string) bool { return late > 0 && (len(name)+int(name[len(name)-9]))%3 == late-1 }
			_, err := m.Sync(t.Context(), f)
			if err != nil && !errors.Is(err, errCrash) {
				rt.Fatal(err)
			}
			if err != nil {
				crashes++
			}
		}
		agree(t, rt, members, folders)
	})
	t.Logf("%d schedules of %d steps, %d syncs crashed, in %s", n, steps, crashes, time.Since(began).Round(time.Second))
}

// reach is a folder that a database reaches: the first three one, the last three the other.
func reach(rt *rapid.T, at int) int {
	switch {
	case at < 2:
		return 0
	case at > 2:
		return 1
	}
	return rapid.IntRange(0, 1).Draw(rt, "folder")
}

// agree syncs until nobody has anything to tell, and compares.
func agree(t *testing.T, rt *rapid.T, members []*member, folders []*share) {
	t.Helper()
	for _, f := range folders {
		*f = share{bundles: f.bundles, names: f.names}
	}
	for round := 0; ; round++ {
		news := 0
		for i, m := range members {
			m.now = m.now.Add(time.Hour) // no recording is alive
			for j, f := range folders {
				if i < 2 && j == 1 || i > 2 && j == 0 {
					continue
				}
				done, err := m.Sync(t.Context(), f)
				if err != nil || len(done.Warnings) > 0 {
					rt.Fatalf("%v %v", err, done.Warnings)
				}
				news += done.Written + done.brought() + done.Read
			}
		}
		if news == 0 {
			break
		}
		if round == 12 {
			rt.Fatal("they never agree")
		}
	}
	want := shared(t, members[0].Store)
	for i, m := range members[1:] {
		got := shared(t, m.Store)
		for table := range want {
			if !reflect.DeepEqual(got[table], want[table]) {
				differs := func(a, b []string) string {
					here := func(row string) bool { return slices.Contains(b, row) }
					return strings.Join(slices.DeleteFunc(slices.Clone(a), here), "\n")
				}
				rt.Fatalf("database %d has %s\n%s\nnot\n%s", i+1, table, differs(got[table], want[table]),
					differs(want[table], got[table]))
			}
		}
	}
}

// Screens that are open read everything again when the file changes: a sync without news leaves it alone.
func TestSyncWithoutNewsWritesNothing(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	s := openAt(t, filepath.Join(dir, "a.db"))
	rec, err := s.Start(ctx, description())
	must(t, err)
	must(t, rec.Finish(ctx, Finish{Run: profile.Run{Status: profile.Done}}))
	folder := bundle.Directory{Path: filepath.Join(dir, "shared")}
	versions := map[int64]bool{}
	for i := range 3 {
		done, err := s.Sync(ctx, folder)
		must(t, err)
		if wrote := done.Written > 0; wrote != (i == 0) {
			t.Errorf("sync %d: %+v", i, done)
		}
		version, err := s.DataVersion(ctx)
		must(t, err)
		versions[version] = true
	}
	if len(versions) != 1 {
		t.Errorf("the file changed with every sync: %v", versions)
	}
}
