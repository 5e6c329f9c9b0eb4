package hook

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sweetspot/probes/runner"
)

// effect is the seconds of blocks of steps with recording on and off.
func effect(t testing.TB, blocks, steps, width int, env []string) (pairs [][2]float64, r *recorded) {
	t.Helper()
	r = watch(t, runner.Command{Argv: []string{torch(t), "../frameworks/scripts/effect.py",
		strconv.Itoa(blocks), strconv.Itoa(steps),
		strconv.Itoa(width)}, Env: env}, nil)
	if r.exit.Code != 0 {
		t.Fatalf("exit %+v, stderr %q", r.exit, r.stderr)
	}
	for line := range strings.Lines(r.stdout) {
		var p [2]float64
		if _, err := fmt.Sscan(line, &p[0], &p[1]); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		pairs = append(pairs, p)
	}
	return pairs, r
}

// Paused, nothing is recorded, and what happened meanwhile is in no iteration.
func TestRecordingPauses(t *testing.T) {
	pairs, r := effect(t, 3, 10, 128, nil)
	// One block is for warming up.
	if n := len(r.iterations); len(pairs) != 3 || n != 40 {
		t.Fatalf("%d pairs of blocks, %d iterations", len(pairs), n)
	}
	sum := 0.0
	for _, it := range r.iterations[10:] {
		sum += it.Seconds
		if number(it.Units) != 64 {
			t.Errorf("units %g", number(it.Units))
		}
	}
	on := pairs[0][0] + pairs[1][0] + pairs[2][0]
	if sum > on {
		t.Errorf("iterations last %g s, the blocks with recording %g s", sum, on)
	}
}

// BenchmarkHookEffect is what recording does to a training: the ratio of the
// times of neighbouring blocks of steps with and without it, in one process, and
// the difference. The aim is the larger of 1 % and 50 µs a step.
func BenchmarkHookEffect(b *testing.B) { reportEffect(b, nil) }

// BenchmarkHookEffectByStream is the same by the clock of a stream, without what an event
// of a real one costs.
func BenchmarkHookEffectByStream(b *testing.B) { reportEffect(b, Env(stream(b))) }

func reportEffect(b *testing.B, env []string) {
	const steps = 10
	var ratios, more []float64
	for b.Loop() {
		pairs, _ := effect(b, 60, steps, 512, env)
		for _, p := range pairs {
			ratios, more = append(ratios, p[0]/p[1]), append(more, 1e6*(p[0]-p[1])/steps)
		}
	}
	slices.Sort(ratios)
	slices.Sort(more)
	b.ReportMetric(ratios[len(ratios)/2], "on/off")
	b.ReportMetric(more[len(more)/2], "µs/step")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkHook is what one iteration costs in the script: fetching a batch
// and stepping with recording, less the same without. The aim is 20 µs.
func BenchmarkHook(b *testing.B) {
	for b.Loop() {
		r := watch(b, runner.Command{Argv: []string{torch(b), "../frameworks/scripts/overhead.py", "40000"}}, nil)
		var on, off float64
		if _, err := fmt.Sscan(r.stdout, &on, &off); err != nil {
			b.Fatalf("stdout %q, stderr %q, %v", r.stdout, r.stderr, err)
		}
		b.ReportMetric(1e6*(on-off), "µs/iteration")
	}
	b.ReportMetric(0, "ns/op")
}
