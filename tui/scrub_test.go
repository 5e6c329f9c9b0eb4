package tui

import (
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
)

// grid is a set of which inference gives variants × VM types × batches × 4
// candidates, one for each count of VMs.
func grid(variants, vms, batches int) *profile.Set {
	rng := rand.New(rand.NewPCG(1, 2))
	set := &profile.Set{Models: []profile.Model{{Name: "grid", Unit: "image"}}}
	gpus := []string{"K80", "M60", "V100", "T4", "A10G"}
	for v := range vms {
		set.VMTypes = append(set.VMTypes, profile.VMType{
			Cloud: "aws", Region: "us-east-1", InstanceType: fmt.Sprintf("g%d.xlarge", v), GPU: gpus[v%len(gpus)],
			GPUCount: 1 << (v % 4),
			Prices: []profile.Price{{Purchase: profile.OnDemand, USDPerHour: 0.3 + 5*rng.Float64(), Source: "made up",
				AsOf: "2026-01"}},
		})
	}
	set.Runs = make([]profile.Run, 0, variants*vms*batches)
	for v := range variants {
		accuracy := &profile.Accuracy{Metric: "top-1", Value: 0.5 + 0.4*float64(v)/float64(variants), HigherIsBetter: true,
			Basis: estimate.Measured}
		for _, vm := range set.VMTypes {
			for b := range batches {
				batch := 32 << b
				seconds := float64(batch) * (0.002 + 0.01*rng.Float64()) * (1 + float64(v)/float64(variants))
				set.Runs = append(set.Runs, profile.Run{
					ID: int64(len(set.Runs) + 1), Model: "grid", Unit: "image", Mode: profile.Infer, Status: profile.Done,
					Basis:   estimate.Measured,
					Variant: profile.Variant{Name: fmt.Sprintf("variant-%d", v)}, Cloud: vm.Cloud, Region: vm.Region,
					InstanceType: vm.InstanceType,
					GPU:          vm.GPU, GPUCount: vm.GPUCount, Count: 1, BatchSize: batch,
					Steady: estimate.Around(seconds, 0.02*seconds, estimate.Measured), SteadyN: 100,
					Accuracy: accuracy,
				})
			}
		}
	}
	return set
}

// answerOf is what asking comes to, without the clock beside it.
func answerOf(cmd tea.Cmd) tea.Msg {
	msg := cmd()
	if batch, ok := msg.(tea.BatchMsg); ok {
		return batch[0]()
	}
	return msg
}

// scrub presses a key and goes the whole way to the next frame.
func (d *driver) scrub(key tea.KeyPressMsg) string {
	_, cmd := d.app.Update(key)
	if cmd == nil {
		d.t.Fatal("the key changes nothing")
	}
	d.app.Update(answerOf(cmd))
	return d.app.View().Content
}

// BenchmarkScrub goes from a slider's step to the next frame at 120×40: the
// key, the answer over all candidates, the drawing.
func BenchmarkScrub(b *testing.B) {
	for _, size := range []struct {
		name                   string
		variants, vms, batches int
	}{{"1k", 10, 25, 1}, {"100k", 50, 100, 5}, {"1M", 100, 500, 5}, {"10M", 1000, 500, 5}} {
		b.Run(size.name, func(b *testing.B) {
			if size.name == "10M" { // the program sets this limit, which matters here
				before := debug.SetMemoryLimit(300 << 20)
				defer debug.SetMemoryLimit(before)
			}
			d := million(b, size.variants, size.vms, size.batches)
			d.app.Update(press("down")) // from accuracy to cost
			for range 4 {
				d.scrub(press("["))
			}
			d.steps(b, press("left"), press("left"), press("right"), press("right"))
			if because := d.explore().Answer().Result.Because[objective.Cost]; because == 0 {
				b.Fatal("the slider rules nothing out")
			}
		})
	}
}

// BenchmarkScrubWeight is the same on the slider between time and cost, by which
// all candidates change places.
func BenchmarkScrubWeight(b *testing.B) {
	b.Run("1M", func(b *testing.B) {
		d := million(b, 100, 500, 5)
		for range 4 { // from accuracy to weight
			d.app.Update(press("down"))
		}
		d.steps(b, press("left"), press("left"), press("right"), press("right"))
	})
}

// million is the program over variants × VM types × batches × 4 candidates.
func million(b *testing.B, variants, vms, batches int) *driver {
	d := drive(b, 120, 40, &shelf{set: grid(variants, vms, batches)})
	for d.explore().Answer() == nil {
		d.send(<-d.late) // the first answer over many takes its time
	}
	space := d.explore().Answer().Result.Space
	if n, want := space.Len(), 4*variants*vms*batches; n != want || !space.AccuracyVaries() {
		b.Fatalf("%d candidates, not %d", n, want)
	}
	return d
}

// steps presses the keys in turn and measures each until its frame.
func (d *driver) steps(b *testing.B, steps ...tea.KeyPressMsg) {
	last := ""
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		frame := d.scrub(steps[i%len(steps)])
		if frame == last {
			b.Fatal("the frame stands still")
		}
		last = frame
	}
}

// Keys that come faster than answers wait for one answer, not for one each, and
// the last one is of what is asked then.
func TestKeysFasterThanAnswers(t *testing.T) {
	d := drive(t, 120, 40, &shelf{set: grid(3, 4, 2)})
	d.app.Update(press("down"))
	_, first := d.app.Update(press("["))
	if first == nil {
		t.Fatal("nothing was asked")
	}
	for range 5 {
		if _, cmd := d.app.Update(press("left")); cmd != nil {
			t.Fatal("asked while an answer was on its way")
		}
	}
	_, second := d.app.Update(answerOf(first))
	if second == nil {
		t.Fatal("what changed meanwhile is not asked")
	}
	if _, third := d.app.Update(answerOf(second)); third != nil {
		t.Error("asked a third time about nothing new")
	}
	answered, asked := d.explore().Answer().Question.Limits.Get(objective.Cost), d.explore().Question().Limits.Get(objective.Cost)
	if answered == nil || asked == nil || *answered != *asked {
		t.Errorf("answered for %v, asked for %v", answered, asked)
	}
}

// An answer that is a long time coming says so on the screen, and what is still
// shown is not picked for it.
func TestLateAnswers(t *testing.T) {
	d := drive(t, 120, 40, &shelf{set: grid(3, 4, 2)})
	var clock tea.Msg
	d.app.shell.After = func(_ time.Duration, f func(time.Time) tea.Msg) tea.Cmd {
		clock = f(time.Time{})
		return nil
	}
	d.app.Update(press("down"))
	_, cmd := d.app.Update(press("["))
	if s := d.screen(); strings.Contains(s, "computing") {
		t.Errorf("late at once:\n%s", s)
	}
	d.app.Update(clock)
	if s := d.screen(); !strings.Contains(s, "computing the new ranking") {
		t.Errorf("nothing says that the answer is late:\n%s", s)
	}
	d.app.Update(press("x"))
	if s := d.screen(); !strings.Contains(s, "the ranking is out of date") {
		t.Errorf("picked from an older answer:\n%s", s)
	}
	d.app.Update(answerOf(cmd))
	if s := d.screen(); strings.Contains(s, "computing") {
		t.Errorf("still late:\n%s", s)
	}
	_, cmd = d.app.Update(press("left"))
	d.app.Update(answerOf(cmd))
	d.app.Update(clock) // of the answer that has come
	if s := d.screen(); strings.Contains(s, "computing") {
		t.Errorf("an old clock rings:\n%s", s)
	}
}
