package probe

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"sweetspot/data/store"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/steady"
	"sweetspot/probes/matrix"
	"sweetspot/probes/session"
	"sweetspot/tui/keys"
	"sweetspot/tui/screen"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// idle is the form before anything was started.
func idle() *Screen {
	sh := &screen.Shell{Theme: dark(), Ctx: context.Background()}
	return New(sh, nil, nil, func() question.Query { return question.Query{} })
}

// standing says where the runs stand on Explore.
func (s *Screen) standing(lines []string) { s.Receive(screen.Standing{Lines: lines}) }

func dark() *theme.Theme { return theme.New("", true, false) }

// measured is what a probe has come to after n iterations of about 61 ms.
func measured(n int) session.Update {
	rng := rand.New(rand.NewPCG(7, 8))
	u := session.Update{Seq: n + 1}
	total := 3.9
	for i := range n {
		v := 0.0613 * (1 + 0.02*rng.NormFloat64() + 0.5*math.Exp(-float64(i)/6))
		if i == 0 {
			v = 4.1
		}
		u.Seconds = append(u.Seconds, v)
		total += v
	}
	u.Summary = steady.Summarise(u.Seconds)
	u.SpentS, u.SpentUSD = total, new(total*1.006/3600)
	u.Run = profile.Run{
		Model: "resnet18", Mode: profile.Train, Unit: "image", Variant: profile.Variant{Precision: "bf16"}, BatchSize: 128,
		InstanceType: "bench-7", GPU: "NVIDIA A10G", GPUCount: 1, GPUMemGiB: new(24.0), USDPerHour: new(1.006),
		IterationsPerEpoch: new(391.0), InitS: new(3.9), FirstIterationS: new(u.Summary.First), Steady: u.Summary.Steady,
		WarmupIterations: &u.Summary.Warmup, WarmupExtraS: &u.Summary.WarmupExtra,
	}
	rule := Defaults().Rule()
	u.Verdict = rule.Judge(u.Summary, total)
	for i := range 12 {
		u.Telemetry = append(u.Telemetry, store.Telemetry{T: float64(i), Utilisation: new(0.9 + 0.01*float64(i%8)),
			MemoryBytes: new(11.2 * (1 << 30)), Watts: new(146.0), Celsius: new(61.0)})
	}
	u.MemoryBytes, u.MemoryTotalBytes = new(11.9*(1<<30)), new(23.0*(1<<30))
	for i := range 20 {
		u.Log = append(u.Log, fmt.Sprintf("epoch 1  step %d  loss %.3f", n-20+i, 1.9+0.01*float64(i)))
	}
	return u
}

// one is the matrix of a single probe that has come to u.
func one(u session.Update) matrix.Update {
	row := matrix.Row{Cell: matrix.Cell{Mode: profile.Train, Batch: 128}, State: matrix.Running, Update: u}
	switch {
	case u.Err != nil:
		row.State, row.Why = matrix.Failed, u.Err.Error()
	case u.Done:
		row.State = matrix.Done
	}
	return matrix.Update{Seq: u.Seq, Rows: []matrix.Row{row}, SpentS: u.SpentS, SpentUSD: u.SpentUSD, Stopping: u.Stopping,
		Done: u.Done}
}

// started is a screen whose probe has been asked for.
func started(t *testing.T) *Screen {
	t.Helper()
	s := idle()
	s.SetSize(120, 38)
	f := Defaults()
	f.USDPerHour, f.MaxUSD = new(1.006), 0.1
	s.SetForm(f)
	if s.Act(keys.ProbeThis) != nil || !s.Shell.Question.Visible() || s.State() != Filling {
		t.Fatalf("a probe with a price is in state %v: it must be agreed to", s.State())
	}
	s.Shell.Question.Close()
	if s.Begin() == nil || s.State() != Starting {
		t.Fatalf("started it is in state %v", s.State())
	}
	return s
}

func exact(t *testing.T, s *Screen) string {
	t.Helper()
	view := s.View()
	lines := text.Lines(view)
	if len(lines) != s.h {
		t.Fatalf("%d×%d: %d lines", s.w, s.h, len(lines))
	}
	for i, l := range lines {
		if text.Width(l) != s.w {
			t.Fatalf("%d×%d: line %d is %d cells: %q", s.w, s.h, i, text.Width(l), ansi.Strip(l))
		}
	}
	return ansi.Strip(view)
}

// terminals are the sizes of the golden frames; two rows are the program's.
var terminals = []struct{ w, h int }{{200, 50}, {120, 40}, {80, 24}, {50, 15}}

func TestGoldenFrames(t *testing.T) {
	for name, make := range map[string]func() *Screen{
		"form": idle,
		"running": func() *Screen {
			s := started(t)
			s.Update(one(measured(118)))
			s.standing([]string{"on Explore it would be  #2 by cost", "                        #1 by time"})
			return s
		},
		"done": func() *Screen {
			s := started(t)
			u := measured(300)
			u.Done, u.StoppedBecause, u.Run.ID, u.Run.USDPerHour, u.SpentUSD, u.Telemetry = true, steady.Precise, 12,
				nil, nil, nil
			s.Update(one(u))
			return s
		},
		"failed": func() *Screen {
			s := started(t)
			s.Fail(errors.New("no Python with PyTorch was found: install python3-torch, or name one with --python"))
			return s
		},
	} {
		for _, size := range terminals {
			t.Run(fmt.Sprintf("%s_%dx%d", name, size.w, size.h), func(t *testing.T) {
				s := make()
				s.SetSize(size.w, size.h-ownRows)
				golden.RequireEqual(t, exact(t, s))
			})
		}
	}
}

func TestEverySizeIsExact(t *testing.T) {
	for _, s := range []*Screen{idle(), started(t), started(t), started(t)} {
		if s.Active() {
			s.Update(one(measured(60)))
		}
		for w := 1; w < 210; w += 9 {
			for h := 1; h < 60; h += 5 {
				s.SetSize(w, h)
				got := exact(t, s)
				if (w < leastWidth || h < leastRows) && w > 24 && !strings.Contains(got, "needs 40×10") {
					t.Fatalf("%d×%d doesn't say what it needs: %q", w, h, got)
				}
			}
		}
		s.Fail(errors.New("out of memory"))
	}
}

// do does what a key asks for outside the screen.
func do(cmd tea.Cmd) {
	if cmd != nil {
		cmd()
	}
}

func TestAProbeFromFormToResult(t *testing.T) {
	s := started(t)
	if s.Region() != keys.InRun || !strings.Contains(exact(t, s), "waiting for the first iteration") {
		t.Errorf("starting:\n%s", exact(t, s))
	}
	s.Update(one(measured(10)))
	if s.State() != Running || !strings.Contains(exact(t, s), "not steady yet") {
		t.Errorf("after ten iterations:\n%s", exact(t, s))
	}
	s.Update(one(measured(150)))
	got := exact(t, s)
	for _, want := range []string{"steady  61", "epochs", "util 9", "mem 11.2/23.0 GiB", "no throttling", "loss 2.090",
		"stops when ±2 % or 2 m 00 s or $0.10", "resnet18 · train · batch 128 · bf16", "bench-7 (NVIDIA A10G 24 GiB)"} {
		if !strings.Contains(got, want) {
			t.Errorf("running lacks %q:\n%s", want, got)
		}
	}
	s.Update(one(measured(20))) // a straggler
	if len(s.update.Seconds) != 150 {
		t.Error("an older update replaced a newer one")
	}
	p := &keptProbe{}
	s.running = p
	if do(s.Act(keys.Keep)); p.kept != 1 || !strings.Contains(exact(t, s), "keeps running") {
		t.Errorf("kept running %d times", p.kept)
	}
	if s.Act(keys.Back); !s.Shell.Question.Visible() || !s.Active() {
		t.Errorf("escape leads to state %v: the program asks first", s.State())
	}
	for range 2 {
		if do(s.Act(keys.Stop)); p.stopped != 1 || s.State() != Stopping {
			t.Errorf("stopped %d times, in state %v", p.stopped, s.State())
		}
	}
	u := measured(160)
	s.Update(one(u))
	if s.State() != Stopping {
		t.Error("an update on its way took the stop back")
	}
	u.Seq, u.Done, u.StoppedBecause, u.Run.ID = u.Seq+1, true, session.Interrupted, 7
	s.Update(one(u))
	if got := exact(t, s); s.State() != Done || !strings.Contains(got, "stopped, saved as run 7") {
		t.Errorf("done:\n%s", got)
	}
	if s.Act(keys.Enter); s.State() != Filling {
		t.Error("enter must lead back to the form")
	}
}

func TestFailureIsASentenceAndTheFormStays(t *testing.T) {
	s := started(t)
	before := s.Form()
	u := measured(30)
	u.Done, u.Err = true, errors.New("the script failed\x1b[31m\nwith exit 1")
	s.Update(one(u))
	got := exact(t, s)
	if s.State() != Failed || !strings.Contains(got, "the script failed with exit 1") {
		t.Errorf("failed:\n%s", got)
	}
	s.Act(keys.Back)
	if s.State() != Filling || !reflect.DeepEqual(s.Form(), before) {
		t.Errorf("the form is lost: %+v", s.Form())
	}
}

func BenchmarkView(b *testing.B) {
	s := idle()
	s.SetSize(120, 38)
	s.Act(keys.ProbeThis)
	u := measured(2000)
	for b.Loop() {
		u.Seq++
		s.Update(one(u))
		s.View()
	}
}
