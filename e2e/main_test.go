package e2e

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	_ "github.com/mattn/go-sqlite3" // databases are looked at without the program's own code

	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/probes/python"
	"sweetspot/tui/state"
)

// program is the built binary that every test runs.
var program string

func TestMain(m *testing.M) {
	if role, argument, ok := strings.Cut(os.Getenv(roleVar), ":"); ok {
		if err := play(role, argument); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "ss")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program = filepath.Join(dir, "sweetspot")
	build := exec.Command("go", "build", "-o", program, "../cmd/sweetspot")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "the program does not build:", err)
		return 1
	}
	_ = flag.Set("test.parallel", "4") // unless given: the tests wait for other programs more than they compute
	return m.Run()
}

// lack skips the test for want of a component, which with CI=true is a failure.
func lack(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(what, "is missing, and with CI=true nothing may be skipped")
	}
	t.Skip(what, "is not installed")
}

func needTmux(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		lack(t, "tmux")
	}
}

var findTorch = sync.OnceValues(func() (python.Interpreter, error) {
	return python.Find(context.Background(), "")
})

// needTorch returns a Python that has PyTorch.
func needTorch(t testing.TB) string {
	t.Helper()
	found, err := findTorch()
	if err != nil {
		lack(t, "PyTorch")
	}
	return found.Path
}

// home is a user's clean home directory.
type home struct{ dir string }

func newHome(t testing.TB) home { return home{t.TempDir()} }

// profiles is where the program keeps this user's runs.
func (h home) profiles() string { return filepath.Join(h.dir, "data", "sweetspot", "profiles.db") }

// askedBefore has the user ask about CaffeNet in an earlier session, unless there was
// one: most tests are of that study.
func (h home) askedBefore(t testing.TB) {
	t.Helper()
	path := filepath.Join(h.dir, "state", "sweetspot", "state.json")
	if _, err := os.Stat(path); err == nil {
		return
	}
	q := question.Default()
	q.Model, q.Mode = "CaffeNet", profile.Infer
	if err := state.Save(path, state.State{Question: &q, LogAxes: true}); err != nil {
		t.Fatal(err)
	}
}

// env is the environment of a user with a clean home: nothing of the one who
// runs the tests but the search path.
func (h home) env(extra ...string) []string {
	return append([]string{
		"PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "HOME=" + h.dir, "XDG_DATA_HOME=" + filepath.Join(h.dir, "data"),
		"XDG_STATE_HOME=" + filepath.Join(h.dir, "state"), "XDG_CONFIG_HOME=" + filepath.Join(h.dir, "config"),
	}, extra...)
}

// database opens a file with SQLite itself and checks that it is sound.
func database(path string) (*sql.DB, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	name := url.URL{Scheme: "file", Path: path, RawQuery: "mode=rw&_busy_timeout=5000"} // a path may hold # and ?
	db, err := sql.Open("sqlite3", name.String())
	if err != nil {
		return nil, err
	}
	var verdict string
	if err := db.QueryRow("PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		db.Close()
		return nil, fmt.Errorf("integrity check: %q, %w", verdict, err)
	}
	return db, nil
}

// sound opens a database that must be sound.
func sound(t testing.TB, path string) *sql.DB {
	t.Helper()
	db, err := database(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// single is the value of a query with one row and one column.
func single[T any](t testing.TB, db *sql.DB, query string, args ...any) T {
	t.Helper()
	var v T
	if err := db.QueryRow(query, args...).Scan(&v); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return v
}
