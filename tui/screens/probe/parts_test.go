package probe

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"sweetspot/data/store"
	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/question"
	"sweetspot/engine/steady"
	"sweetspot/probes/matrix"
	"sweetspot/probes/session"
	"sweetspot/tui/components/confirm"
	"sweetspot/tui/components/pointer"
	"sweetspot/tui/keys"
	"sweetspot/tui/screen"
	"sweetspot/tui/state"
)

// program is what the screen has around it where it tells others.
type program struct{ shown keys.Action }

func (p *program) Show(a keys.Action) tea.Cmd { p.shown = a; return nil }
func (p *program) Shown() keys.Action         { return p.shown }
func (*program) Tell(tea.Msg) tea.Cmd         { return nil }
func (*program) Reload() tea.Cmd              { return nil }

// placed is the form with a program around it.
func placed(t *testing.T) (*Screen, *program) {
	t.Helper()
	s, p := idle(), &program{}
	s.Shell.Program = p
	s.Shell.After = func(time.Duration, func(time.Time) tea.Msg) tea.Cmd { return nil }
	s.SetSize(120, 38)
	return s, p
}

func TestValuesStepAndDouble(t *testing.T) {
	for _, c := range []struct{ v, n, want int }{{4, 1, 8}, {4, 2, 16}, {4, -1, 2}, {1, -1, 1}, {3, -1, 1},
		{1 << 19, 1, 1 << 20},
		{1 << 20, 1, 1 << 20}, {4, 0, 4}} {
		if double(&c.v, c.n); c.v != c.want {
			t.Errorf("%d steps lead to %d, not %d", c.n, c.v, c.want)
		}
	}
	for _, c := range []struct {
		list []int
		n    int
		want []int
	}{{[]int{2, 8}, 1, []int{4, 16}}, {[]int{2, 8}, -1, []int{1, 4}}, {[]int{1, 8}, -1, []int{1, 8}}, {[]int{3, 8}, -1,
		[]int{3, 8}},
		{[]int{3}, -1, []int{1}}, {[]int{1 << 20, 2}, 1, []int{1 << 20, 2}}} {
		if got := doubled(c.list, c.n); !slices.Equal(got, c.want) {
			t.Errorf("%v by %d steps is %v, not %v", c.list, c.n, got, c.want)
		}
	}
	all := []string{"a", "b", "c"}
	for _, c := range []struct {
		list []string
		n    int
		want string
	}{{[]string{"a"}, 1, "b"}, {[]string{"c"}, 1, "a"}, {[]string{"a"}, -1, "c"}, {[]string{"a"}, -4, "c"}, {[]string{"x"},
		1, "b"},
		{[]string{"a", "b"}, 1, "ab"}} {
		if got := strings.Join(stepped(c.list, all, c.n), ""); got != c.want {
			t.Errorf("%v by %d is %s, not %s", c.list, c.n, got, c.want)
		}
	}
	s, _ := placed(t)
	for _, c := range []struct {
		label string
		key   keys.Action
		want  func(f Form) bool
	}{
		{"epochs", keys.Right, func(f Form) bool { return f.Epochs == 20 }},
		{"epochs", keys.BigLeft, func(f Form) bool { return f.Epochs == 10 }},
		{"repeat", keys.Left, func(f Form) bool { return f.Repeat == 1 }},
		{"repeat", keys.Pin, func(f Form) bool { return f.Repeat == 2 }},
		{"prune", keys.Right, func(f Form) bool { return f.Prune == "0.1" }},
		{"prune", keys.Left, func(f Form) bool { return f.Prune == "0" }},
		{"mode", keys.Enter, func(f Form) bool { return f.Mode == profile.Infer }},
	} {
		at(t, s, c.label)
		if s.Act(c.key); !c.want(s.Form()) {
			t.Errorf("%s on %s leads to %+v", c.key, c.label, s.Form())
		}
	}
	at(t, s, "model")
	before := s.Form()
	if s.Act(keys.Right); s.Form().Model != before.Model || s.steps() {
		t.Error("a model is stepped")
	}
	for _, c := range []struct {
		key  keys.Action
		want int
	}{{keys.Top, 0}, {keys.Up, 0}, {keys.Down, 1}, {keys.FocusNext, 2}, {keys.FocusPrev, 1}, {keys.Bottom, len(fields)},
		{keys.Down, len(fields)}, {keys.PageUp, 0}, {keys.PageDown, len(fields)}} {
		if s.Act(c.key); s.row != c.want {
			t.Errorf("%s leads to row %d, not %d", c.key, s.row, c.want)
		}
	}
}

func TestAnEpochOfOwnSamples(t *testing.T) {
	s, _ := placed(t)
	at(t, s, "samples")
	press(s, "50k")
	if f := s.Form(); f.TrainSize != 50_000 {
		t.Errorf("%g samples: %s", f.TrainSize, s.err)
	}
	if got := exact(t, s); !strings.Contains(got, "50,000") {
		t.Errorf("not said:\n%s", got)
	}
	f := Defaults()
	f.Model = "net.py:make"
	for _, c := range []struct {
		change func(*Form)
		want   string
	}{
		{func(*Form) {}, "the shape of one input sample is missing"},
		{func(f *Form) { f.Input = "3x8x8" }, "how many samples an epoch has"},
		{func(f *Form) { f.TrainSize = 10 }, ""},
		{func(f *Form) { f.TrainSize, f.Input = 0, fashionShape }, ""},
		{func(f *Form) { f.Input, f.Mode = "3x8x8", profile.Infer }, ""},
		{func(f *Form) { f.Model, f.Input = "net.onnx", "" }, ""},
		{func(f *Form) { f.Prune = "0, 0.1" }, "need a Python factory"},
		{func(f *Form) { f.Prune, f.Precisions = "0", []string{"int8"} }, "need a Python factory"},
		{func(f *Form) { f.Model, f.Input = "net.py:make", "1" }, ""},
	} {
		c.change(&f)
		if err := f.check(); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, not %q", f, err, c.want)
		}
	}
}

// The form takes over what is known of a candidate, of its own model alone.
func TestACandidateFillsTheForm(t *testing.T) {
	c := &candidate.Candidate{Model: "make", Mode: profile.Infer, BatchSize: 32, Epochs: new(3.6),
		Variant:       profile.Variant{Precision: "bf16", Pruning: &profile.Pruning{Ratio: new(0.3)}},
		Configuration: []candidate.Part{{VM: profile.VMType{InstanceType: "g5"}}}}
	s, p := placed(t)
	s.form.Model = "net.py:make"
	if s.Receive(screen.ProbeCandidate{Candidate: c}); p.shown != keys.Probe {
		t.Error("the form is not shown")
	}
	f := s.Form()
	if f.Mode != profile.Infer || !slices.Equal(f.Batches, []int{32}) || f.Epochs != 4 || !slices.Equal(f.Precisions,
		[]string{"bf16"}) || f.Prune != "0.3" {
		t.Errorf("filled in with %+v", f)
	}
	for _, e := range []struct {
		epochs float64
		want   int
	}{{0.9, 4}, {1, 1}, {1e6, 1}, {999_999, 999_999}} {
		c.Epochs = &e.epochs
		if f = f.For(c); f.Epochs != e.want {
			t.Errorf("%g epochs are %d", e.epochs, f.Epochs)
		}
	}
	c.Variant.Precision, c.BatchSize, c.Mode, c.Variant.Pruning.Ratio = "fp4", 0, "", new(1.0)
	if f = f.For(c); !slices.Equal(f.Precisions, []string{"bf16"}) || !slices.Equal(f.Batches, []int{32}) ||
		f.Mode != profile.Infer || f.Prune != "0" {
		t.Errorf("of what is not known %+v is left", f)
	}
	s.form.Model = "net.py:other"
	s.form.Batches = []int{7}
	if s.Receive(screen.ProbeCandidate{Candidate: c}); s.Form().Batches[0] != 7 {
		t.Error("the numbers of another model are taken over")
	}
	if s.Receive(screen.ProbeCandidate{File: "x.pt"}); s.Form().Model != "x.pt" || s.typing || s.row != 0 {
		t.Errorf("a file leads to %+v", s.Form())
	}
	if s.Receive(screen.ProbeCandidate{File: "y.py"}); s.Form().Model != "y.py" || !s.typing ||
		s.input.Value() != "y.py:" {
		t.Errorf("Python leads to %q", s.input.Value())
	}
	for want, known := range map[string][2]bool{"name the model, and name the VM under where": {},
		"name the model":          {false, true},
		"name the VM under where": {true, false}} {
		if got := missing(c, known[0], known[1]); got != "next is make, batch 0, on a g5: "+want {
			t.Error(got)
		}
	}
	s.Begin()
	before := s.Form()
	if s.Receive(screen.ProbeCandidate{File: "z.pt"}); s.Form().Model != before.Model {
		t.Error("a running probe's form is filled in")
	}
	if s.SetForm(Defaults()); !s.Active() {
		t.Error("a running probe is left for the form")
	}
}

// This machine is taken before others of the same VM type.
func TestMachinesAreRecognised(t *testing.T) {
	s, _ := placed(t)
	vm := profile.VMKey{InstanceType: "g5"}
	if _, ok := s.machineOf(vm); ok {
		t.Error("a machine is known")
	}
	u := matrix.Update{}
	for _, host := range []string{"b", "a", ""} {
		u.Rows = append(u.Rows, matrix.Row{Cell: matrix.Cell{Host: host},
			Update: session.Update{Run: profile.Run{InstanceType: "g5"}}})
		s.recognise(u)
		if got, ok := s.machineOf(vm); !ok || got != host {
			t.Errorf("of %d machines %q is taken", len(u.Rows), got)
		}
	}
	var remembered state.State
	if s.Remember(&remembered); len(remembered.Machines) != 3 {
		t.Errorf("remembers %v", remembered.Machines)
	}
}

func TestLengthsOfJobs(t *testing.T) {
	for n, want := range map[int][]float64{0: {1, 2, 4}, 1: {1, 2, 4}, 2: {1, 2, 4}, 3: {1, 3, 6}, 10: {5, 10, 20}} {
		if got := around(n); !slices.Equal(got, want) {
			t.Errorf("around %d: %v", n, got)
		}
	}
	r := profile.Run{Mode: profile.Infer, BatchSize: 8, Steady: estimate.Around(0.1, 0.001, estimate.Measured),
		InitS: new(2.0)}
	lengths, what, predict := lengthsOf(r, 3)
	if what != "units" || lengths[1] != 1e5 || math.Abs(predict(8e5).Value/1e4-1) > 0.01 {
		t.Errorf("%s %v: %g", what, lengths, predict(8e5).Value)
	}
	if r.Unit = "token"; func() bool { _, what, _ = lengthsOf(r, 3); return what != "tokens" }() {
		t.Error(what)
	}
	r.Mode = profile.Train
	if lengths, what, _ = lengthsOf(r, 3); what != "iterations" || lengths[0] != 1e3 {
		t.Errorf("%s %v", what, lengths)
	}
	r.IterationsPerEpoch = new(10.0)
	if lengths, what, _ = lengthsOf(r, 3); what != "epochs" || lengths[1] != 3 {
		t.Errorf("%s %v", what, lengths)
	}
	for s, want := range map[float64]string{-1: "00:00", 0: "00:00", 59.9: "00:59", 60: "01:00", 3599: "59:59",
		3600:   "1:00:00",
		36_061: "10:01:01"} {
		if got := clock(s); got != want {
			t.Errorf("%g s is %s, not %s", s, got, want)
		}
	}
	for _, c := range []struct {
		e               estimate.Estimate
		value, interval string
	}{{estimate.Estimate{}, "–", ""}, {estimate.Estimate{Value: 2, Low: 2, High: 2, Basis: estimate.Measured}, "2.00 s",
		""},
		{estimate.Estimate{Value: 2, Low: 1.9, High: 2.1, Basis: estimate.Measured}, "2.00 s", "±5 %"}} {
		if value, interval := withInterval(c.e, quantity.Duration); value != c.value || interval != c.interval {
			t.Errorf("%+v is %s %s", c.e, value, interval)
		}
	}
	for _, c := range []struct {
		low, high float64
		want      string
	}{{1, 2, "1.00 s to 2.00 s"}, {1, 1.001, "1.00 s"}} {
		if got := between(c.low, c.high, quantity.Duration); got != c.want {
			t.Errorf("from %g to %g is %s", c.low, c.high, got)
		}
	}
}

// The busiest GPU is shown, with what it lacks left out.
func TestTelemetryInALine(t *testing.T) {
	s := running(t, six, 4)
	s.update.MemoryTotalBytes = new(16.0 * (1 << 30))
	reading := func(gpu int, util float64) store.Telemetry { return store.Telemetry{GPU: gpu, Utilisation: &util} }
	s.update.Telemetry = []store.Telemetry{reading(0, 0.9), reading(1, 0.2), reading(0, 0.3), reading(1, 0.4)}
	newest, history, n := latest(s.update.Telemetry)
	if n != 2 || newest.GPU != 1 || *newest.Utilisation != 0.4 || !slices.Equal(history, []float64{0.2, 0.4}) {
		t.Errorf("of %d GPUs %d is the busiest: %v", n, newest.GPU, history)
	}
	line := func(w int) string { return strings.TrimSpace(ansi.Strip(s.gpuLine(w))) }
	if got := line(80); !strings.HasPrefix(got, "busiest of 2  util 40 % ") ||
		!strings.HasSuffix(got, "GiB  no throttling") {
		t.Errorf("%q", got)
	}
	if strings.ContainsRune(line(49), '▃') || !strings.ContainsAny(line(50), "▁▂▃▄▅▆▇█") {
		t.Errorf("the history takes the room of words: %q, %q", line(49), line(50))
	}
	s.update.Telemetry = []store.Telemetry{{Watts: new(99.6), Celsius: new(60.4), MemoryBytes: new(2.0 * (1 << 30)),
		Throttle: "power\x1b[2J cap"}}
	if got := line(99); got != "mem 2.0/16.0 GiB  100 W  60 °C  throttled: power cap" {
		t.Errorf("%q", got)
	}
	s.update.Telemetry, s.update.MemoryBytes, s.update.MemoryTotalBytes = nil, new(3.0*(1<<30)), nil
	if got := line(99); got != "no GPU telemetry  peak mem 3.0 GiB" {
		t.Errorf("%q", got)
	}
	if s.update.MemoryBytes = nil; line(99) != "no GPU telemetry" {
		t.Errorf("%q", line(99))
	}
}

func TestWhyProbesEnd(t *testing.T) {
	for because, want := range map[string]string{steady.Precise: "precise enough", steady.Cap: "the cap is reached",
		session.End: "the script ended", session.OutOfMemory: "out of GPU " +
			"memory", session.Interrupted: "stopped", "": "ended"} {
		if got := ended(session.Update{StoppedBecause: because}); got != want {
			t.Errorf("%q: %s", because, got)
		}
	}
	for _, c := range []struct {
		run  profile.Run
		want string
	}{{profile.Run{InstanceType: "g5"}, "g5"}, {profile.Run{GPU: "T4"}, "T4"}, {profile.Run{GPU: "T4", GPUCount: 1}, "T4"},
		{profile.Run{GPU: "T4", GPUCount: 2, GPUMemGiB: new(15.6)}, "2× T4 16 GiB"},
		{profile.Run{InstanceType: "g4", GPU: "T4"}, "g4 (T4)"}} {
		if got := machine(c.run); got != c.want {
			t.Errorf("%+v is on %q", c.run, got)
		}
	}
	s := running(t, six, 4)
	for row, want := range map[int]string{1: "out of memory: does not fit in memory",
		2: "skipped: batch 32 · bf16 ran out of memory",
		5: "waiting"} {
		if s.at = row; s.why() != want {
			t.Errorf("row %d: %q", row, s.why())
		}
	}
	for row, want := range map[int]State{0: Done, 1: Failed, 2: Failed, 4: Running, 5: Starting} {
		if s.at = row; s.phase() != want || s.waits() != (row == 5) {
			t.Errorf("row %d is in phase %d", row, s.phase())
		}
	}
	if got := batch(0) + batch(3) + joined([]string{"", "a", "", "b"}, "+"); got != "batch 3a+b" {
		t.Error(got)
	}
	u := several(t, six, 4)
	u.Stopping, u.Seq = true, 99
	if s.Update(u); s.State() != Stopping || !strings.Contains(exact(t, s), "stopping at the next step…") {
		t.Errorf("stopping:\n%s", exact(t, s))
	}
	s.Mouse(pointer.Event{Kind: pointer.Wheel, Steps: -9})
	if s.at != 0 || s.follow {
		t.Errorf("the wheel leads to row %d", s.at)
	}
	if s.Mouse(pointer.Event{Kind: pointer.Wheel, Steps: 99}); s.at != len(s.all.Rows)-1 {
		t.Errorf("the wheel leads to row %d", s.at)
	}
	if got := repeated(matrix.Cell{Repeat: 2}) + repeated(matrix.Cell{}); got != " · repeat 3" {
		t.Error(got)
	}
}

// quitting is a probe that notes what it has to do.
type quitting struct {
	updates chan matrix.Update
	told    []string
}

func (p *quitting) Updates() <-chan matrix.Update { return p.updates }
func (p *quitting) Stop()                         { p.told = append(p.told, "stop") }
func (p *quitting) KeepRunning()                  { p.told = append(p.told, "keep") }
func (p *quitting) Cancel()                       { p.told = append(p.told, "cancel") }

func TestLeavingWhileAProbeRuns(t *testing.T) {
	for _, c := range []struct {
		id   string
		told string
	}{{confirm.StopAndSave, "stop"}, {discard, "cancel"}, {confirm.Stay, ""}} {
		s, _ := placed(t)
		if s.Quit() || s.Busy() != "" || s.Status() != "" || s.quit(c.id) != nil {
			t.Fatal("nothing runs, and something is asked")
		}
		s.Begin()
		p := &quitting{updates: make(chan matrix.Update)}
		s.running = p
		s.Update(one(measured(30)))
		if !s.Quit() || s.Busy() == "" || s.Status() != "probing" {
			t.Fatal("nothing is asked")
		}
		cmd := s.quit(c.id)
		if cmd != nil {
			if all, ok := cmd().(tea.BatchMsg); ok {
				for _, one := range all {
					do(one)
				}
			}
		}
		if got := strings.Join(p.told, " "); got != c.told || s.leaving != (c.told != "") {
			t.Errorf("%s tells the probe %q, leaving %v", c.id, got, s.leaving)
		}
		if c.id == confirm.StopAndSave { // said again it must not hurry the probe
			s.quit(c.id)
			if len(p.told) != 1 {
				t.Errorf("told %v", p.told)
			}
		}
		close(p.updates)
		if msg := s.Receive(listen(p)()); c.told != "" && (msg == nil || msg() != tea.Quit()) || s.running != nil {
			t.Errorf("%s: at its end the program stays", c.id)
		}
	}
}

// What was asked for before the program ended is stopped when it comes about, and
// what never comes is not waited for.
func TestCloseIsBounded(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	s, _ := placed(t)
	s.Close(t.Context(), false) // nothing runs
	s.prober = func(ctx context.Context, _ screen.Workspace, _ Form, _ question.Query) (Probe, error) {
		<-ctx.Done()
		return nil, errors.New("given up")
	}
	s.Begin()
	s.Close(ended, false) // nobody has started it yet
	s, _ = placed(t)
	p := &quitting{updates: make(chan matrix.Update)}
	s.running = p
	s.Close(ended, false)
	if s.running == nil {
		t.Error("a probe is forgotten")
	}
}
