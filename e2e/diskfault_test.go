package e2e

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// faultyDisk builds the library that makes the calls of a process fail which
// change files on disk.
func faultyDisk(t *testing.T) string {
	t.Helper()
	compiler, err := exec.LookPath("gcc")
	if err != nil {
		lack(t, "gcc")
	}
	lib := filepath.Join(t.TempDir(), "diskfault.so")
	out, err := exec.Command(compiler, "-shared", "-fPIC", "-o", lib, "../data/store/testdata/diskfault.c", "-ldl",
		"-lpthread").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return lib
}

// probeOnFaultyDisk probes while call n of those that change the database fails,
// and checks what is left. It returns how many calls there were and what was said
// of a failure.
func probeOnFaultyDisk(t *testing.T, lib, kind string, n int) (calls int, failure string) {
	t.Helper()
	user := newHome(t)
	db, counter := filepath.Join(user.dir, "faulty.db"), filepath.Join(user.dir, "calls")
	const steps = 250
	cmd := probeCommand(user, db, filepath.Join(user.dir, "diary"), "--max-steps", strconv.Itoa(steps))
	cmd.Env = append(cmd.Env, "LD_PRELOAD="+lib, "DISKFAULT_COUNT="+counter,
		fmt.Sprintf("DISKFAULT=%d:%s:%s", n, kind, db))
	var said strings.Builder
	cmd.Stderr = &said
	err := cmd.Run()
	due := 0
	if err == nil {
		due = steps // it said that all is saved
	} else if failure = said.String(); !strings.Contains(failure, "faulty.db") {
		t.Errorf("call %d, %s: %v, and it does not say what failed: %s", n, kind, err, failure)
	}
	if err := errors.Join(keeps(db, due), addsUp(db)); err != nil {
		t.Errorf("call %d, %s, which said %q: %v", n, kind, failure, err)
	}
	again := probeCommand(user, db, filepath.Join(user.dir, "again"), "--max-steps", "20")
	if out, err := again.CombinedOutput(); err != nil {
		t.Errorf("no probe after call %d failed with %s: %v: %s", n, kind, err, out)
	}
	text, err := os.ReadFile(counter)
	if err == nil {
		calls, err = strconv.Atoi(strings.TrimSpace(string(text)))
	}
	if err != nil {
		t.Error(err)
	}
	return calls, failure
}

// addsUp checks the sums that runs keep against their rows.
func addsUp(path string) error {
	db, err := database(path)
	if err != nil {
		return err
	}
	defer db.Close()
	var tables, wrong int
	err = db.QueryRow("SELECT count(*) FROM sqlite_schema WHERE name = 'runs'").Scan(&tables)
	if err != nil || tables == 0 {
		return err
	}
	err = db.QueryRow("SELECT count(*) FROM runs r WHERE " +
		"iterations <> (SELECT count(*) FROM iterations WHERE run_id = r.id) OR " +
		"abs(iterations_sum_s - (SELECT total(seconds) FROM iterations WHERE run_id = r.id)) > 1e-6").Scan(&wrong)
	if err == nil && wrong > 0 {
		err = fmt.Errorf("the sums of %d runs are not those of their rows", wrong)
	}
	return err
}

// While a probe writes, one write to the disk fails, or all from one on: the
// database is sound and holds the first iterations without a gap, all of them
// where nothing was said, and the next probe goes on with it. A few calls are
// tried; with SWEETSPOT_DISKFAULTS=all two hundred.
func TestProbesOnAFailingDisk(t *testing.T) {
	t.Parallel()
	lib := faultyDisk(t)
	calls, failure := probeOnFaultyDisk(t, lib, "eio", 0)
	if calls < 20 || failure != "" {
		t.Fatalf("without a fault there are %d calls: %s", calls, failure)
	}
	tries := 6
	if os.Getenv("SWEETSPOT_DISKFAULTS") == "all" {
		tries = 200
	}
	random := rand.New(rand.NewPCG(1, 2)) // always the same
	var failed atomic.Int32
	var wg sync.WaitGroup
	slots := make(chan struct{}, 3)
	for i := range tries {
		n, kind := 1+random.IntN(calls), []string{"eio", "enospc", "short"}[i%3]
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if _, failure := probeOnFaultyDisk(t, lib, kind, n); failure != "" {
				failed.Add(1)
			}
		})
	}
	wg.Wait()
	if failed.Load() == 0 {
		t.Errorf("none of %d faults was noticed", tries)
	}
}
