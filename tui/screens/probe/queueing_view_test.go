package probe

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"sweetspot/engine/profile"
	"sweetspot/engine/steady"
	"sweetspot/probes/matrix"
)

// three is a matrix of three GPU types and four batch sizes: one type is done, one runs,
// and the job of the last waits.
func three(t *testing.T) matrix.Update {
	t.Helper()
	axes := matrix.Axes{Mode: profile.Train, Hosts: []string{"a100", "h100", "v100:2"}, Batches: []int{16, 32, 64, 128}}
	cells, err := axes.Cells()
	if err != nil {
		t.Fatal(err)
	}
	u := matrix.Update{Seq: 7, Current: 4, SpentS: 93, SpentUSD: new(0.021)}
	for i, c := range cells {
		r := matrix.Row{Cell: c}
		switch {
		case c.Host == "a100" && c.Batch == 128:
			r.State, r.Why = matrix.Failed, "its job 8 on gpu2: its node failed; probe again (what it wrote until then is saved)"
		case c.Host == "a100" || c.Host == "h100" && c.Batch == 16:
			r.State, r.Update = matrix.Done, measured(100+10*i)
			r.Update.Done, r.Update.StoppedBecause, r.Update.Run.ID = true, steady.Precise, int64(20+i)
		case c.Host == "h100" && c.Batch == 32:
			r.State, r.Update = matrix.Running, measured(60)
		case c.Host == "v100:2" && c.Batch == 16:
			r.State = matrix.Running
			r.Update.Seq, r.Update.Waiting = 1, "waits for GPUs in use by others, expected to start at 13:45"
		}
		u.Rows = append(u.Rows, r)
	}
	return u
}

// inAQueue is the screen while that matrix is followed.
func inAQueue(t *testing.T) (*Screen, *queuedProbe) {
	t.Helper()
	s := queueable(t, newFakeQueues())
	where(t, s, "slurm")
	s.form.GPUs = []string{"a100", "h100", "v100:2"}
	p := &queuedProbe{quitting: quitting{updates: make(chan matrix.Update, 1)}}
	s.state, s.running = Starting, p
	s.Update(three(t))
	return s, p
}

func TestGoldenFramesOfAQueue(t *testing.T) {
	for name, make := range map[string]func() *Screen{
		"form": func() *Screen {
			s := queueable(t, newFakeQueues())
			where(t, s, "slurm:me@login")
			s.form.GPUs = []string{"a100:2", "h100"}
			s.row = len(fields) + 1
			return s
		},
		"asked": func() *Screen {
			s := queueable(t, newFakeQueues())
			at(t, s, "where")
			s.step(1)
			return s
		},
		"goes_on": func() *Screen {
			s := queueable(t, newFakeQueues())
			other := gone()
			other.Key, other.Followed = "ab12cd3456789012", true
			s.lookedNow(lookedFor{all: []Left{gone(), other}})
			s.row = s.startRow() + 1
			return s
		},
		"submitting": func() *Screen {
			s := queueable(t, newFakeQueues())
			where(t, s, "slurm:me@login")
			s.form.GPUs = []string{"a100", "h100"}
			s.Begin()
			return s
		},
		"running": func() *Screen { s, _ := inAQueue(t); return s },
		"waiting": func() *Screen { s, _ := inAQueue(t); s.moveTo(2); return s },
		"failed":  func() *Screen { s, _ := inAQueue(t); s.moveTo(9); return s },
	} {
		for _, size := range terminals[1:] {
			t.Run(fmt.Sprintf("%s_%dx%d", name, size.w, size.h), func(t *testing.T) {
				t.Setenv("TZ", "UTC")
				s := make()
				s.SetSize(size.w, size.h-ownRows)
				golden.RequireEqual(t, exact(t, s))
			})
		}
	}
}

// What takes long before there is anything to show is said.
func TestSubmittingAndRejoiningAreSaid(t *testing.T) {
	s := queueable(t, newFakeQueues())
	s.SetSize(120, 38)
	where(t, s, "slurm:me@login")
	s.form.GPUs, s.form.MaxSeconds = []string{"a100", "h100"}, 60
	s.Begin()
	for _, want := range []string{"submitting 2 jobs to slurm at me@login", "spent 00:00 of 02:00"} {
		if got := exact(t, s); !strings.Contains(got, want) {
			t.Errorf("%q is not said:\n%s", want, got)
		}
	}
	s.attach(gone())
	if want := "reading what was measured " + gone().where(); !strings.Contains(exact(t, s), want) {
		t.Errorf("%q is not said:\n%s", want, exact(t, s))
	}
	s.Receive(startedMsg{probe: &queuedProbe{quitting: quitting{updates: make(chan matrix.Update, 1)}}})
	if got := exact(t, s); strings.Contains(got, "reading what") || !strings.Contains(got, "waiting for the first") {
		t.Errorf("once it has begun it says:\n%s", got)
	}
}

func TestEverySizeOfAQueueIsExact(t *testing.T) {
	s, _ := inAQueue(t)
	for _, row := range []int{0, 2, 4, 5, 9} {
		s.moveTo(row)
		for w := 1; w < 210; w += 13 {
			for h := 1; h < 60; h += 7 {
				s.SetSize(w, h)
				exact(t, s)
			}
		}
	}
}

func TestEachProbeOfAQueueSaysWhereItStands(t *testing.T) {
	s, _ := inAQueue(t)
	got := exact(t, s)
	for _, want := range []string{"4 of 12 done, 1 running, 6 queued, 1 failed", "expected 13:45, waits for GPUs in use",
		"its job runs other probes first", "2× v100"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not said:\n%s", want, got)
		}
	}
	if s.Status() != "probing" {
		t.Errorf("status is %s", s.Status())
	}
	u := three(t)
	for i := range u.Rows {
		u.Rows[i].Update.Waiting, u.Rows[i].State = "waits behind\x1b[2J jobs", matrix.Waiting
		if i < 3 {
			u.Rows[i].State = matrix.Running
		}
	}
	u.Seq = 9
	s.Update(u)
	if got := exact(t, s); s.Status() != "queued" || !strings.Contains(got, "0 of 12 done, 12 queued") ||
		strings.Count(got, "waits behind jobs") < 12 {
		t.Errorf("status is %s:\n%s", s.Status(), got)
	}
}

// What the probes ran on may take minutes to end, and one that ended is not called the running one.
func TestEndingAndFollowing(t *testing.T) {
	s, _ := inAQueue(t)
	u := three(t)
	for _, began := range []int{2, 3} { // a job that waits, and a probe that is over
		u.Current, u.Seq = began, u.Seq+1
		if s.Update(u); s.at != 4 || !strings.Contains(exact(t, s), "shown: the running one") {
			t.Errorf("row %d is followed, want the one that runs", s.at)
		}
	}
	for i := range u.Rows {
		u.Rows[i].State, u.Rows[i].Update.Waiting = matrix.Done, ""
	}
	u.Seq = 19
	s.Update(u)
	if got := exact(t, s); s.Status() != "ending" || !strings.Contains(got, " ending  ") ||
		!strings.Contains(got, "ending what they ran on") || strings.Contains(got, "the running one") {
		t.Errorf("status %s:\n%s", s.Status(), got)
	}
	u.Seq, u.Done = 20, true
	s.Update(u)
	if got := exact(t, s); strings.Contains(got, "ending") {
		t.Errorf("once all has ended:\n%s", got)
	}
}
