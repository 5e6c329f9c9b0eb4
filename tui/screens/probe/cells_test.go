package probe

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"sweetspot/data/store"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/steady"
	"sweetspot/probes/matrix"
	"sweetspot/probes/prune"
	"sweetspot/tui/keys"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// several is a matrix of which the first cells are over, one runs, and the
// rest waits.
func several(t *testing.T, axes matrix.Axes, over int) matrix.Update {
	t.Helper()
	cells, err := axes.Cells()
	if err != nil {
		t.Fatal(err)
	}
	u := matrix.Update{Seq: over + 1, Current: over, SpentUSD: new(0.0)}
	for i, c := range cells {
		r := matrix.Row{Cell: c}
		if i <= over && i != 1 && i != 2 {
			r.Update = measured(100 + 10*i)
			r.State, r.Why = matrix.Done, "±1.4 % after 97 steady steps"
			r.Update.Done, r.Update.StoppedBecause, r.Update.Run.ID = true, steady.Precise, int64(20+i)
			r.Update.Run.Accuracy = &profile.Accuracy{Metric: "top1", Value: 0.912 - 0.01*float64(i), HigherIsBetter: true,
				Basis: estimate.Measured}
		}
		switch i {
		case over:
			r.State, r.Why = matrix.Running, ""
			r.Update.Done, r.Update.StoppedBecause, r.Update.Run.Accuracy = false, "", nil
			r.Update.Warnings = []string{"the GPU was throttled (thermal slowdown) in 12 % of the readings",
				"31 % of each step is spent waiting for input: more DataLoader workers may help"}
		case 1:
			r.State, r.Why = matrix.OutOfMemory, "does not fit in memory"
			r.Update.Seq, r.Update.SpentS = 1, 4
		case 2:
			r.State, r.Why = matrix.Skipped, "batch 32 · bf16 ran out of memory"
		}
		u.SpentS += r.Update.SpentS
		if usd := r.Update.SpentUSD; usd != nil {
			u.SpentUSD = new(*u.SpentUSD + *usd)
		}
		u.Rows = append(u.Rows, r)
	}
	return u
}

var (
	six    = matrix.Axes{Mode: profile.Train, Batches: []int{32, 64, 128}, Precisions: []string{"fp32", "bf16"}}
	thirty = matrix.Axes{Mode: profile.Infer, Batches: []int{32, 64, 128}, Precisions: []string{"fp32", "int8"},
		Prunes: []prune.Degree{"", "0.1", "0.2", "0.3", "0.5"}}
	hosts = matrix.Axes{Mode: profile.Train, Hosts: []string{"", "me@vm1", "me@vm2:2222"}, Batches: []int{64}, Repeats: 2}
)

func running(t *testing.T, axes matrix.Axes, over int) *Screen {
	t.Helper()
	s := started(t)
	s.Update(several(t, axes, over))
	return s
}

func TestGoldenFramesOfSeveral(t *testing.T) {
	for name, axes := range map[string]matrix.Axes{"six": six, "thirty": thirty, "hosts": hosts} {
		for _, size := range append(terminals, struct{ w, h int }{100, 40}) {
			t.Run(fmt.Sprintf("%s_%dx%d", name, size.w, size.h), func(t *testing.T) {
				s := running(t, axes, 4)
				s.standing([]string{"on Explore it would be  #2 by cost"})
				s.SetSize(size.w, size.h-ownRows)
				golden.RequireEqual(t, exact(t, s))
			})
		}
	}
}

func TestEverySizeOfSeveralIsExact(t *testing.T) {
	for _, symbols := range []string{"braille", "ascii"} {
		set, err := theme.SymbolSet(symbols)
		if err != nil {
			t.Fatal(err)
		}
		for _, axes := range []matrix.Axes{six, thirty, hosts} {
			s := running(t, axes, 4)
			s.SetTheme(dark().WithSymbols(set))
			s.Update(s.all)
			for _, row := range []int{1, 4, 5} { // out of memory, running, waiting
				s.moveTo(row)
				for w := 1; w < 210; w += 23 {
					for h := 1; h < 60; h += 8 {
						s.SetSize(w, h)
						exact(t, s)
					}
				}
			}
		}
	}
}

func TestTheRunningProbeIsFollowedUntilOneIsChosen(t *testing.T) {
	s := running(t, six, 3)
	if s.Region() != keys.InRunCells || s.at != 3 {
		t.Fatalf("row %d is shown in %s", s.at, s.Region())
	}
	s.Update(several(t, six, 4))
	if s.at != 4 {
		t.Errorf("the next probe runs and row %d is shown", s.at)
	}
	s.Act(keys.Top)
	s.Act(keys.Down)
	if got := exact(t, s); s.at != 1 || !strings.Contains(got, "out of memory: does not fit in memory") {
		t.Errorf("row %d is shown:\n%s", s.at, got)
	}
	s.Act(keys.Bottom)
	if got := exact(t, s); s.at != 5 || !strings.Contains(got, "waiting for its turn") {
		t.Errorf("row %d is shown:\n%s", s.at, got)
	}
	s.Update(several(t, six, 5))
	s.Act(keys.Up)
	if s.at != 4 || !strings.Contains(exact(t, s), "saved as run 24") {
		t.Errorf("a chosen row does not stay: %d", s.at)
	}
	s.Act(keys.Follow)
	if s.at != 5 {
		t.Errorf("following shows row %d", s.at)
	}
	u := several(t, six, 5)
	u.Seq, u.Done, u.Rows[5].State = 99, true, matrix.Done
	s.Update(u)
	if got := exact(t, s); s.State() != Done || s.Region() != keys.InEndedCells ||
		!strings.Contains(got, "4 of 6 done, 1 out of memory, 1 skipped") {
		t.Errorf("at the end in state %v:\n%s", s.State(), got)
	}
	s.Act(keys.Up)
	if s.at != 4 || s.State() != Done {
		t.Error("the rows of what has ended can't be looked at")
	}
}

func TestOneFailureAmongSeveralIsARow(t *testing.T) {
	s := running(t, six, 3)
	u := several(t, six, 4)
	u.Rows[3].State, u.Rows[3].Why, u.Rows[3].Update.Err = matrix.Failed, "the script failed\x1b[2J with exit 1",
		errors.New("exit 1")
	s.Update(u)
	if s.State() != Running || !strings.Contains(exact(t, s), "1 failed") {
		t.Errorf("in state %v:\n%s", s.State(), exact(t, s))
	}
	s.moveTo(3)
	if got := exact(t, s); !strings.Contains(got, "failed: the script failed with exit 1") {
		t.Errorf("the failure is not said:\n%s", got)
	}
}

// keptProbe counts what it is asked to.
type keptProbe struct{ kept, stopped int }

func (p *keptProbe) Updates() <-chan matrix.Update { return nil }
func (p *keptProbe) Stop()                         { p.stopped++ }
func (p *keptProbe) KeepRunning()                  { p.kept++ }
func (p *keptProbe) Cancel()                       {}

func TestKeepRunningIsForWhatRunsNow(t *testing.T) {
	s := running(t, six, 3)
	p := &keptProbe{}
	s.running = p
	for range 2 {
		if do(s.Act(keys.Keep)); p.kept != 1 {
			t.Fatalf("kept running %d times", p.kept)
		}
	}
	s.Update(several(t, six, 4))
	if do(s.Act(keys.Keep)); p.kept != 2 {
		t.Error("the next probe is not kept running")
	}
}

func TestClicksChooseAProbe(t *testing.T) {
	for _, size := range terminals {
		s := running(t, six, 4)
		s.SetSize(size.w, size.h-ownRows)
		for y, l := range text.Lines(exact(t, s)) {
			if strings.Contains(l, "batch 32 · fp32") {
				s.Click(20, y)
			}
		}
		if s.at != 1 {
			t.Errorf("%d×%d: row %d is shown", size.w, size.h, s.at)
		}
	}
}

func TestLabelsLeaveOutWhatDoesNotVary(t *testing.T) {
	for _, c := range []struct {
		axes matrix.Axes
		want string
	}{
		{six, "batch 32 · bf16"},
		{thirty, "batch 32 · int8 · pruned 50 %"},
		{hosts, "batch 64"},
		{matrix.Axes{Batches: []int{8}, Precisions: []string{"fp32"}, Prunes: []prune.Degree{"0.3", ""}}, "pruned 30 %"},
		{matrix.Axes{Repeats: 2}, "the only one"},
	} {
		cells, err := c.axes.Cells()
		if err != nil {
			t.Fatal(err)
		}
		rows := make([]matrix.Row, len(cells))
		for i := range cells {
			rows[i].Cell = cells[i]
		}
		if got := labels(rows, 120, false); got[0] != c.want {
			t.Errorf("%+v is called %q, want %q", cells[0], got[0], c.want)
		}
	}
}

func TestLayersAreShownLargestFirst(t *testing.T) {
	s := started(t)
	u := measured(200)
	u.Layers = []store.Layer{{Name: "fc", Kind: "Linear", Share: 0.1}, {Name: "conv1", Kind: "Conv2d", Share: 0.51}}
	s.Update(one(u))
	got := exact(t, s)
	conv, fc := strings.Index(got, "51 %  conv1 Conv2d"), strings.Index(got, "10 %  fc Linear")
	if conv < 0 || fc < conv {
		t.Errorf("layers:\n%s", got)
	}
}
