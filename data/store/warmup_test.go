package store

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"
)

// Until layout 8 an unknown warm-up was one of 0 iterations; what recorded every
// iteration knew it.
func TestUnknownWarmup(t *testing.T) {
	path := filepath.Join(t.TempDir(), "old.db")
	old, err := sql.Open("sqlite3", path)
	must(t, err)
	for _, step := range append(steps[:7:7], `PRAGMA application_id = 1937208176; PRAGMA user_version = 7;
		INSERT INTO models (id, name) VALUES (1, 'net'); INSERT INTO variants (id, model_id) VALUES (1, 1); INSERT INTO machines (id) VALUES (1);
		INSERT INTO runs (id, variant_id, machine_id, mode, status, basis, fingerprint, steady_s, steady_low_s, steady_high_s, steady_basis,
			steady_n, steady_stddev_s, warmup_iterations, warmup_extra_s, iterations) VALUES
			(1, 1, 1, 'train', 'done', 'measured', 'a', 1, 1, 1, 'measured', 30, 0.1, 0, 0, 31),
			(2, 1, 1, 'train', 'done', 'measured', 'b', 1, 1, 1, 'measured', 30, 0.1, 4, -0.5, 0),
			(3, 1, 1, 'train', 'done', 'published', 'c', 1, 1, 1, 'published', 30, 0.1, 0, 0, 0),
			(4, 1, 1, 'train', 'done', 'measured', 'd', NULL, NULL, NULL, '', 0, NULL, 0, 0, 7)`) {
		_, err := old.Exec(step)
		must(t, err)
	}
	must(t, old.Close())
	s, err := Open(context.Background(), path)
	must(t, err)
	defer s.Close()
	runs := loadSet(t, s).Runs
	for i, want := range []struct {
		iterations *int
		extra      *float64
	}{{new(0), new(0.0)}, {new(4), new(-0.5)}, {}, {}} {
		r := runs[i]
		if (r.WarmupIterations == nil) != (want.iterations == nil) || (r.WarmupExtraS == nil) != (want.extra == nil) ||
			want.iterations != nil && (*r.WarmupIterations != *want.iterations || *r.WarmupExtraS != *want.extra) {
			t.Errorf("run %d: %v iterations, %v s", r.ID, r.WarmupIterations, r.WarmupExtraS)
		}
	}
}
