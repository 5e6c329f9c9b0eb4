package store

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Until layout 9 commands were kept with their secrets, and so was what scripts
// printed of them. Nothing of that stays in the file.
func TestOldSecretsAreHidden(t *testing.T) {
	path := filepath.Join(t.TempDir(), "old.db")
	old, err := sql.Open("sqlite3", path)
	must(t, err)
	for _, step := range append(steps[:8:8], `PRAGMA application_id = 1937208176; PRAGMA user_version = 8;
		INSERT INTO models (id, name, source_file) VALUES (1, 'net', 'run.sh --token s3cret-1'), (2, 'sh (run.sh --token s3cret-7)', 'b.py');
		INSERT INTO variants (id, model_id) VALUES (1, 1); INSERT INTO machines (id) VALUES (1);
		INSERT INTO runs (id, variant_id, machine_id, mode, status, basis, fingerprint, command) VALUES
			(1, 1, 1, 'train', 'done', 'measured', 'a', '["run.sh","--token","s3cret-2","KEY=s3cret-3","<b>"]'),
			(2, 1, 1, 'train', 'done', 'measured', 'b', 'typed --password s3cret-4'),
			(3, 1, 1, 'train', 'done', 'measured', 'c', '["python3","b.py","--n","3"]');
		INSERT INTO log_lines (run_id, seq, t, level, text) VALUES (1, 0, 0, 'out', 'password: s3cret-5'), (1, 1, 0, 'out', 'loss 0.3'),
			(1, 2, 0, 'warning', 'https://me:s3cret-6@host')`) {
		_, err := old.Exec(step)
		must(t, err)
	}
	must(t, old.Close())
	s, err := Open(context.Background(), path)
	must(t, err)
	for id, want := range map[int64][]string{1: {"run.sh", "--token", "${TOKEN}", "KEY=${KEY}", "<b>"},
		3: {"python3", "b.py", "--n", "3"}} {
		if r, err := s.Record(context.Background(), id); err != nil || !slices.Equal(r.Command, want) {
			t.Errorf("%q, %v", r.Command, err)
		}
	}
	var log string
	must(t, s.read.QueryRow("SELECT group_concat(text, '|') FROM log_lines").Scan(&log))
	if log != "password: ***|loss 0.3|https://me:***@host" {
		t.Error(log)
	}
	var name string
	must(t, s.read.QueryRow("SELECT name FROM models WHERE id = 2").Scan(&name))
	if name != "sh (run.sh --token ***)" {
		t.Error(name)
	}
	must(t, s.Close())
	content, err := os.ReadFile(path)
	must(t, err)
	if i := strings.Index(string(content), "s3cret"); i >= 0 {
		t.Errorf("%q is in the file", content[max(0, i-40):i+10])
	}
}
