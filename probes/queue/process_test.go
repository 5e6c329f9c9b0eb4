package queue

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sweetspot/probes/remote"
	"sweetspot/probes/runner"
)

// simulated is an engine whose jobs are processes of this machine, and whose word is
// as wrong as that of real ones.
type simulated struct {
	dir    string
	script []byte
	own    bool // as if its host were its own

	mu      sync.Mutex
	state   State
	known   bool
	failing bool // nobody answers
	cmd     *exec.Cmd
	over    chan struct{} // closed once cmd has ended
}

func (s *simulated) Host(string) (remote.Host, bool)               { return remote.Here, s.own }
func (s *simulated) Root(context.Context) (string, error)          { return s.dir, nil }
func (s *simulated) Quiet() time.Duration                          { return 1500 * time.Millisecond }
func (s *simulated) Offers(context.Context) ([]Offer, error)       { return nil, nil }
func (s *simulated) Cancel(context.Context, []string) error        { s.kill(); return nil }
func (s *simulated) Submit(context.Context, Batch) (string, error) { return "1", s.begin() }

func (s *simulated) begin() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cmd, s.over = exec.Command("bash"), make(chan struct{})
	s.cmd.Stdin = bytes.NewReader(s.script)
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	s.cmd.Env = append(os.Environ(), "SLURM_JOB_ID=1", fmt.Sprint("SLURM_RESTART_COUNT=", s.state.Restarts))
	if err := s.cmd.Start(); err != nil {
		return err
	}
	s.known, s.state.ID, s.state.Phase, s.state.Why = true, "1", Running, ""
	go func(cmd *exec.Cmd, over chan struct{}) {
		_ = cmd.Wait()
		s.mu.Lock()
		if s.cmd == cmd && s.state.Phase == Running {
			s.state.Phase, s.state.Why = Ended, "it ended"
		}
		s.mu.Unlock()
		close(over)
	}(s.cmd, s.over)
	return nil
}

func (s *simulated) kill() {
	s.mu.Lock()
	cmd, over := s.cmd, s.over
	s.mu.Unlock()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	<-over
}

func (s *simulated) Look(context.Context, []string) (map[string]State, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.failing:
		return nil, errors.New("nobody answers")
	case !s.known:
		return nil, nil
	}
	return map[string]State{jobName: s.state}, nil
}

func (s *simulated) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

const (
	testKey = "00112233445566aa"
	jobName = testKey + "00"
	probes  = 2
)

// faults are what happens to a job, or to what is known of it.
var faults = map[string]func(s *simulated) error{
	"nothing": func(*simulated) error { return nil },
	"killed":  func(s *simulated) error { s.kill(); return nil },
	"requeued": func(s *simulated) error {
		s.set(func() { s.state.Restarts++; s.state.Phase = Waiting })
		s.kill()
		return s.begin()
	},
	"nobody answers": func(s *simulated) error {
		s.set(func() { s.failing = true })
		time.AfterFunc(time.Second, func() { s.set(func() { s.failing = false }) })
		return nil
	},
	"called failed while it runs": func(s *simulated) error {
		s.set(func() { s.state.Phase, s.state.Why = Ended, "its node failed" })
		return nil
	},
	"gone with its host": func(s *simulated) error {
		s.kill()
		s.set(func() { s.state.Phase, s.state.Why = Gone, "its host was terminated" })
		return nil
	},
	"forgotten while it runs": func(s *simulated) error { s.set(func() { s.known = false }); return nil },
}

// Whatever happens, whoever follows gets exactly the events that the spools have, of a host
// that is gone the first of them, and comes to an end.
func TestSchedules(t *testing.T) {
	lookFirst, lookLast, again = 50*time.Millisecond, 200*time.Millisecond, 100*time.Millisecond
	names := slices.Sorted(maps.Keys(faults))
	fewer(t, 12)
	rapid.Check(t, func(rt *rapid.T) {
		fault := rapid.SampledFrom(names).Draw(rt, "fault")
		when := time.Duration(rapid.IntRange(0, 1500).Draw(rt, "ms")) * time.Millisecond
		cuts := rapid.IntRange(0, 2).Draw(rt, "connections cut")
		s := submitted(t, rt)
		s.own = fault == "gone with its host" || rapid.Bool().Draw(rt, "own host")
		defer s.kill()
		w := NewWatch(t.Context(), s, []string{jobName})
		defer w.Close()
		failed := make(chan error, 1)
		go func() {
			time.Sleep(when)
			failed <- faults[fault](s)
		}()
		for probe := range probes {
			for attempt := 0; ; attempt++ {
				p, got := followed(w, Spool{s.dir, SpoolName(jobName, probe), attempt}, cuts)
				want := written(s.dir, SpoolName(jobName, probe), attempt)
				if fault == "gone with its host" && strings.HasPrefix(want, got) {
					want = got // the rest went with the host
				}
				if got != want {
					rt.Fatalf("%s after %s: probe %d, attempt %d: %d bytes of events came, and %d were written: %v", fault, when,
						probe, attempt, len(got), len(want), p.Wait().Lost)
				}
				if !p.Again() {
					if fault != "killed" && !s.own && p.Wait().Lost != nil {
						rt.Fatalf("%s after %s: probe %d, attempt %d: %v", fault, when, probe, attempt, p.Wait().Lost)
					}
					break
				}
			}
		}
		if err := <-failed; err != nil {
			rt.Fatal(err)
		}
	})
}

// fewer makes rapid draw so many times, unless a flag says how often: each takes two seconds.
func fewer(t *testing.T, checks int) {
	f := flag.Lookup("rapid.checks")
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if given {
		return
	}
	before := f.Value.String()
	if err := f.Value.Set(strconv.Itoa(checks)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Value.Set(before) })
}

// submitted is a job under way.
func submitted(t *testing.T, rt *rapid.T) *simulated {
	dir, err := os.MkdirTemp(t.TempDir(), "root")
	if err != nil {
		rt.Fatal(err)
	}
	job := remote.Job{Name: jobName, Root: dir, Grace: time.Second}
	for i := range probes {
		job.Probes = append(job.Probes, remote.Queued{Spool: SpoolName(jobName, i), Command: runner.Command{Argv: []string{
			"bash", "-c", `for i in $(seq 40); do echo "{\"step\":$i,\"of\":$$}" >&3; sleep 0.01; done`}}})
	}
	s := &simulated{dir: dir}
	if s.script, err = job.Script(""); err != nil {
		rt.Fatal(err)
	}
	if err := s.begin(); err != nil {
		rt.Fatal(err)
	}
	return s
}

// followed reads a probe to its end, while its connections are cut.
func followed(w *Watch, spool Spool, cuts int) (*Process, string) {
	p := Follow(w, spool)
	for range cuts {
		time.AfterFunc(300*time.Millisecond, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			if p.current != nil {
				p.current.Leave()
			}
		})
	}
	var events strings.Builder
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = bufio.NewReader(p.Events()).WriteTo(&events)
	}()
	go func() { _, _ = bufio.NewReader(p.Stdout()).WriteTo(&bytes.Buffer{}) }()
	go func() { _, _ = bufio.NewReader(p.Stderr()).WriteTo(&bytes.Buffer{}) }()
	p.Wait()
	<-done
	return p, events.String()
}

// written are the events of a spool.
func written(root, name string, attempt int) string {
	data, err := os.ReadFile(filepath.Join(root, fmt.Sprintf("%s%02x", name, attempt), "frames"))
	if err != nil {
		return ""
	}
	var events []byte
	for len(data) >= 13 {
		size := int(binary.BigEndian.Uint32(data[1:]))
		if len(data) < 13+size {
			break
		}
		if data[0] == 'e' {
			events = append(events, data[13:13+size]...)
		}
		data = data[13+size:]
	}
	return string(events)
}

// A job's own host is only connected to while it is there.
func TestOwnHost(t *testing.T) {
	lookFirst, lookLast, again = 20*time.Millisecond, 50*time.Millisecond, 20*time.Millisecond
	s := &simulated{dir: t.TempDir(), own: true, known: true, state: State{ID: "7", Phase: Waiting, Why: "is started"}}
	w := NewWatch(t.Context(), s, []string{jobName})
	defer w.Close()
	follow := func() *Process {
		p := Follow(w, Spool{s.dir, SpoolName(jobName, 0), 0})
		p.attach = func() (link, error) {
			t.Error("it was connected to")
			return nil, errors.New("there is no such host")
		}
		return p
	}
	left := follow()
	waitUntil(t, func() bool { why, waits := left.Waiting(); return waits && why == "is started" })
	left.Leave()
	if lost := left.Wait().Lost; left.Collected() || lost == nil || !strings.Contains(lost.Error(), "attach") {
		t.Errorf("left: %v, collected %t", lost, left.Collected())
	}
	stopped := follow()
	stopped.StopWithin(time.Second)
	if lost := stopped.Wait().Lost; !stopped.Collected() || lost == nil || lost.Error() != "stopped before it began" {
		t.Errorf("stopped: %v, collected %t", lost, stopped.Collected())
	}
	off := follow()
	s.set(func() { s.state.Phase, s.state.Why = Stopped, "it was stopped" })
	if lost := off.Wait().Lost; off.Collected() || off.Again() || lost == nil ||
		lost.Error() != "its job 7: it was stopped" {
		t.Errorf("stopped: %v, collected %t", lost, off.Collected())
	}
	s.set(func() { s.state.Phase = Waiting })
	waitUntil(t, func() bool { now, _, _ := w.State(jobName); return now.Phase == Waiting })
	unbegun := follow()
	s.set(func() { s.state.Phase, s.state.Why, s.state.Unbegun = Ended, "its launch failed", true })
	if lost := unbegun.Wait().Lost; !unbegun.Collected() || unbegun.Again() || lost == nil ||
		lost.Error() != "its job 7: its launch failed (it never began)" {
		t.Errorf("unbegun: %v, collected %t", lost, unbegun.Collected())
	}
	s.set(func() { s.state.Phase, s.state.Unbegun = Waiting, false })
	waitUntil(t, func() bool { now, _, _ := w.State(jobName); return now.Phase == Waiting })
	begun, connected := follow(), make(chan bool, 1)
	begun.mu.Lock()
	begun.begun, begun.attach = true, func() (link, error) {
		select {
		case connected <- true:
		default:
		}
		return nil, errors.New("its host is busy")
	}
	begun.mu.Unlock()
	s.set(func() { s.state.Phase, s.state.Unbegun = Ended, true })
	select {
	case <-connected:
	case <-begun.ended:
		t.Error("a probe that began is given up")
	}
	begun.Leave()
	begun.Wait()
	s.set(func() { s.state.Phase, s.state.Unbegun = Waiting, false })
	waitUntil(t, func() bool { now, _, _ := w.State(jobName); return now.Phase == Waiting })
	gone := follow()
	s.set(func() { s.state.Phase, s.state.Why = Gone, "it was terminated" })
	if lost := gone.Wait().Lost; !gone.Collected() || gone.Again() || lost == nil ||
		!strings.Contains(lost.Error(), "its job 7: it was terminated") {
		t.Errorf("gone: %v, collected %t", lost, gone.Collected())
	}
}

func waitUntil(t *testing.T, is func() bool) {
	t.Helper()
	for until := time.Now().Add(20 * time.Second); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("it never came to that")
		}
	}
}

func TestSpoolNames(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := Spool{Root: rapid.SampledFrom([]string{"/a", "/home/me/.local/state", "/a b"}).Draw(rt, "root"),
			Name: SpoolName(JobName(NewKey(), rapid.IntRange(0, 255).Draw(rt, "job")),
				rapid.IntRange(0, 255).Draw(rt, "probe")),
			Attempt: rapid.IntRange(0, 255).Draw(rt, "attempt")}
		if got, ok := ParseSpool(s.Path()); !ok || got != s || !strings.HasPrefix(s.Name, s.Job()) {
			rt.Fatalf("%+v became %+v, %t", s, got, ok)
		}
	})
	for _, path := range []string{"", "0011223344556677", "/a/0011223344556677", "/a/zz112233445566778899aa"} {
		if s, ok := ParseSpool(path); ok {
			t.Errorf("%q is %+v", path, s)
		}
	}
}
