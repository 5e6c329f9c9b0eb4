package store

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mattn/go-sqlite3"

	"sweetspot/engine/profile"
)

// refusal denies one statement of all connections that are opened meanwhile.
type refusal struct{ at, seen atomic.Int64 }

// denials are those of the driver, which there is only one of.
var denials refusal

func init() {
	sql.Register("denying", &sqlite3.SQLiteDriver{ConnectHook: func(c *sqlite3.SQLiteConn) error {
		if err := prepare(c); err != nil {
			return err
		}
		if _, err := c.Exec("PRAGMA synchronous = OFF", nil); err != nil { // no power is lost here
			return err
		}
		c.RegisterAuthorizer(func(action int, first, _, _ string) int {
			switch {
			case action == sqlite3.SQLITE_READ, action == sqlite3.SQLITE_FUNCTION, first == "BEGIN", first == "ROLLBACK":
				return sqlite3.SQLITE_OK // a statement is counted where it begins
			case denials.seen.Add(1) == denials.at.Load():
				return sqlite3.SQLITE_DENY
			}
			return sqlite3.SQLITE_OK
		})
		return nil
	}})
}

// Whatever statement fails, of whatever is asked: an error says so, and the
// database is as it was or as it should be.
func TestNoErrorIsSwallowed(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine does it all, so it can have no race")
	}
	driverName = "denying"
	defer func() { driverName = "sweetspot" }()
	denials.at.Store(0)
	base := t.TempDir()
	layoutFive(t, filepath.Join(base, "old.db"))
	other := openAt(t, filepath.Join(base, "other.db"))
	fillPlainly(t, other)
	_, err := other.Import(t.Context(), &profile.Set{VMTypes: []profile.VMType{{InstanceType: "vm",
		Prices: []profile.Price{{Purchase: profile.Spot, USDPerHour: 1}}}}})
	must(t, err)
	must(t, other.Close())
	s := openAt(t, filepath.Join(base, "p.db"))
	fillPlainly(t, s)
	rec, err := s.Start(t.Context(), description()) // run 4 goes on, its recorder was killed
	must(t, err)
	must(t, rec.Append(t.Context(), Batch{Iterations: series(9), Memory: []Memory{{PeakBytes: 1}}}))
	_, err = s.Delete(t.Context(), RunTable, 3)
	must(t, err)
	must(t, s.Close())

	later := func(s *Store) *Store {
		s.nowFunc = func() time.Time { return time.Date(2100, 1, 2, 3, 4, 5, 0, time.UTC) }
		return s
	}
	one := func(_ any, err error) error { return err }
	recording := func(do func(context.Context, *Recording) error) func(context.Context, *Store) error {
		return func(ctx context.Context, s *Store) error {
			later(s)
			return do(ctx, &Recording{store: s, id: 4, next: map[string]int64{"iterations": 9, "memory": 1}})
		}
	}
	before := contentOf(t, base)
	for name, do := range map[string]func(context.Context, *Store) error{
		"load":       func(ctx context.Context, s *Store) error { return one(s.Load(ctx)) },
		"record":     func(ctx context.Context, s *Store) error { return one(s.Record(ctx, 1)) },
		"iterations": func(ctx context.Context, s *Store) error { return one(s.Iterations(ctx, 1)) },
		"picks":      func(ctx context.Context, s *Store) error { return one(s.Picks(ctx)) },
		"deleted":    func(ctx context.Context, s *Store) error { return one(s.Deleted(ctx)) },
		"source":     func(ctx context.Context, s *Store) error { return one(s.ModelSource(ctx, "resnet18")) },
		"version":    func(ctx context.Context, s *Store) error { return one(s.DataVersion(ctx)) },
		"backup": func(ctx context.Context, s *Store) error {
			path := filepath.Join(filepath.Dir(s.Path()), "copy.db")
			err := one(s.Backup(ctx, path))
			if _, missing := os.Stat(path); (missing == nil) != (err == nil) {
				t.Errorf("%v, but a copy is there: %v", err, missing == nil)
			}
			return errors.Join(err, os.RemoveAll(path))
		},
		"import": importing(0, 20),
		"import again": func(ctx context.Context, s *Store) error {
			return errors.Join(importing(0, 20)(ctx, s), importing(0, 20)(ctx, s))
		},
		"merge":         mergingOf("other.db"),
		"merge old":     mergingOf("old.db"),
		"rename":        renaming("other", "third"),
		"delete":        func(ctx context.Context, s *Store) error { return one(s.Delete(ctx, RunTable, 1, 2)) },
		"delete a pick": func(ctx context.Context, s *Store) error { return one(s.Delete(ctx, PickTable, 1)) },
		"undelete":      func(ctx context.Context, s *Store) error { return one(s.Undelete(ctx, 0)) },
		"undelete runs": func(ctx context.Context, s *Store) error { return s.UndeleteRuns(ctx, 3) },
		"purge":         func(ctx context.Context, s *Store) error { return one(s.Purge(ctx)) },
		"annotate":      func(ctx context.Context, s *Store) error { return one(s.Annotate(ctx, RunTable, 1, "note")) },
		"pick": func(ctx context.Context, s *Store) error {
			p := Pick{Query: []byte("{}"), Candidate: []byte("{}"), CreatedAt: time.Unix(9, 0)}
			return one(s.SavePick(ctx, p))
		},
		"restart": func(ctx context.Context, s *Store) error { return one(later(s).Restart(ctx, 4)) },
		"discard": func(ctx context.Context, s *Store) error { return s.Discard(ctx, 2) },
		"describe": recording(func(ctx context.Context, r *Recording) error {
			d := description()
			d.Model.Name, d.Machine.Host = "new", "new"
			return r.Describe(ctx, d)
		}),
		"append": recording(func(ctx context.Context, r *Recording) error {
			return r.Append(ctx, Batch{Iterations: series(70), Pauses: []profile.Pause{{Seconds: 1}}, Memory: []Memory{{}},
				Validations: []profile.Validation{{}}, Telemetry: []Telemetry{{}}, Layers: []Layer{{}}, Log: []LogLine{{}}})
		}),
		"finish": recording(func(ctx context.Context, r *Recording) error {
			return r.Finish(ctx, Finish{Run: profile.Run{Status: profile.Done}})
		}),
	} {
		t.Run(name, func(t *testing.T) {
			whole, again := deny(t, base, 0, do), deny(t, base, 0, do)
			if again.err != nil || whole.seen == whole.opened || !reflect.DeepEqual(whole.after, again.after) {
				t.Fatalf("undisturbed it is not the same twice: %v", again.err)
			}
			first := whole.opened + 1
			if name == "version" {
				first = 1 // opening is the same for all
			}
			for k := first; k <= whole.seen; k++ {
				if k > first+40 && k%5 != 0 {
					continue // within a VACUUM or a migration
				}
				got := deny(t, base, k, do)
				if got.err == nil {
					t.Errorf("statement %d was denied, and nobody says so", k)
				}
				if !reflect.DeepEqual(got.after, before) && !reflect.DeepEqual(got.after, whole.after) {
					t.Errorf("statement %d was denied, and half of it is there", k)
				}
			}
		})
	}
}

// outcome is how something ended one statement of which was denied, and the content
// of the database after it.
type outcome struct {
	after        map[string][]string
	err          error
	opened, seen int64 // statements for opening it, and in all
}

func deny(t *testing.T, base string, k int64, do func(context.Context, *Store) error) (o outcome) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "denied")
	must(t, os.CopyFS(dir, os.DirFS(base)))
	denials.seen.Store(0)
	denials.at.Store(k)
	s, err := Open(t.Context(), filepath.Join(dir, "p.db"))
	o.opened = denials.seen.Load()
	if err == nil {
		err = errors.Join(do(t.Context(), s), s.Close())
	}
	o.err, o.seen = err, denials.seen.Load()
	denials.at.Store(0)
	o.after = contentOf(t, dir)
	must(t, os.RemoveAll(dir))
	return o
}

func contentOf(t *testing.T, dir string) map[string][]string {
	t.Helper()
	s, err := Open(t.Context(), filepath.Join(dir, "p.db"))
	must(t, err)
	defer s.Close()
	return content(t, s)
}
