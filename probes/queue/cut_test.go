package queue

import (
	"strings"
	"testing"
	"time"

	"sweetspot/probes/remote"
	"sweetspot/probes/runner"
)

// A scheduler ends a job by SIGTERM, and says so a little later.
func TestProbeThatTheSchedulerEnds(t *testing.T) {
	lookFirst, lookLast, again = 50*time.Millisecond, 200*time.Millisecond, 100*time.Millisecond
	for name, c := range map[string]struct {
		ended State
		why   string // "" for a script of which that is all that is known
	}{
		"preempted": {State{Phase: Ended, Cut: true, Why: "a job of higher priority took its place"},
			"its job 1: a job of higher priority took its place (what it wrote until then is saved)"},
		"ended itself": {State{Phase: Ended, Why: "it failed"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			job := remote.Job{Name: jobName, Root: t.TempDir(), Grace: time.Second, Probes: []remote.Queued{{
				Spool:   SpoolName(jobName, 0),
				Command: runner.Command{Argv: []string{"bash", "-c", `echo '{"step":1}' >&3; kill -TERM $$`}}}}}
			s := &simulated{dir: job.Root}
			var err error
			if s.script, err = job.Script(""); err != nil {
				t.Fatal(err)
			}
			if err := s.begin(); err != nil {
				t.Fatal(err)
			}
			<-s.over
			s.set(func() { s.state.Phase, s.state.Why = Running, "" }) // as it still said then
			time.AfterFunc(500*time.Millisecond, func() {
				s.set(func() { s.state.Phase, s.state.Why, s.state.Cut = c.ended.Phase, c.ended.Why, c.ended.Cut })
			})
			w := NewWatch(t.Context(), s, []string{jobName})
			defer w.Close()
			p, got := followed(w, Spool{job.Root, SpoolName(jobName, 0), 0}, 0)
			switch exit := p.Wait(); {
			case got != written(job.Root, SpoolName(jobName, 0), 0) || !strings.Contains(got, "step"):
				t.Errorf("%q came", got)
			case c.why == "" && (exit.Lost != nil || exit.Code != terminated):
				t.Errorf("%+v", exit)
			case c.why != "" && (exit.Lost == nil || exit.Lost.Error() != c.why):
				t.Errorf("%v, want %s", exit.Lost, c.why)
			}
		})
	}
}
