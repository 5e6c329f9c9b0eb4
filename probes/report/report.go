// Package report words a finished probe: as the JSON object that scripts rely
// on and as a few lines for people. Unknown is null, never 0.
package report

import (
	"fmt"
	"io"
	"strings"

	"sweetspot/data/store"
	"sweetspot/engine/estimate"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/runtime"
	"sweetspot/probes/matrix"
	"sweetspot/probes/session"
)

// Probe is the JSON of a probe.
type Probe struct {
	Schema    int      `json:"schema"`
	Command   string   `json:"command"`
	Warnings  []string `json:"warnings"`
	Run       *Run     `json:"run"` // null where nothing could be measured
	Estimates []Epochs `json:"estimates"`
}

// Unmeasured reports a probe of several that was skipped or could not start.
func Unmeasured(r matrix.Row) Probe {
	words := fmt.Sprintf("%s: %s, %s", r.Label(), r.State, r.Why)
	return Probe{Schema: 1, Command: "probe", Warnings: []string{words}, Estimates: []Epochs{}}
}

// Run is what was measured; times in seconds.
type Run struct {
	ID               int64      `json:"id"`
	Status           string     `json:"status"`
	Model            string     `json:"model"`
	Mode             string     `json:"mode"`
	BatchSize        *int       `json:"batch_size"`
	Precision        *string    `json:"precision"`
	Machine          Machine    `json:"machine"`
	InitS            *float64   `json:"init_s"`
	FirstIterationS  *float64   `json:"first_iteration_s"`
	SteadyS          *Interval  `json:"steady_s"`
	IsSteady         bool       `json:"is_steady"` // else steady_s is a rough mean of the later half
	SteadyIterations int        `json:"steady_iterations"`
	P50S             *float64   `json:"p50_s"`
	P90S             *float64   `json:"p90_s"`
	P99S             *float64   `json:"p99_s"`
	Drift            *float64   `json:"drift"`
	WarmupIterations int        `json:"warmup_iterations"`
	Iterations       int        `json:"iterations"`
	FirstValidationS *float64   `json:"first_validation_s"`
	ValidationS      *float64   `json:"validation_s"`
	PeakMemoryBytes  *float64   `json:"peak_memory_bytes"`
	Accuracy         *Accuracy  `json:"accuracy"`
	StoppedBecause   *string    `json:"stopped_because"`
	SpentS           float64    `json:"spent_s"`
	SpentUSD         *float64   `json:"spent_usd"`
	StoppedWords     *string    `json:"stopped_words"`
	Processes        *Processes `json:"processes"` // of several in fresh processes
	InputWait        *float64   `json:"input_wait"`
	EnergyJPerUnit   *float64   `json:"energy_j_per_unit"`
	Layers           []Layer    `json:"layers"`
	LargestBatch     *Largest   `json:"largest_batch"` // where that was asked for instead of times
	ScriptExit       *int       `json:"script_exit"`
	RejectedLines    int        `json:"rejected_lines"`
	Error            *string    `json:"error"`
}

// Layer is one layer's share of the time of a forward pass, in [0,1].
type Layer struct {
	Name  string  `json:"name"`
	Kind  string  `json:"kind"`
	Share float64 `json:"share"`
}

// Largest is the largest batch that fits the memory; FailsAt the smallest that
// was seen not to, null where none was.
type Largest struct {
	Fits    int  `json:"fits"`
	FailsAt *int `json:"fails_at"`
}

// Machine is where it was measured.
type Machine struct {
	Host         string   `json:"host"`
	OS           string   `json:"os"`
	CPU          *string  `json:"cpu"`
	CPUs         int      `json:"cpus"`
	GPU          *string  `json:"gpu"`
	GPUCount     *int     `json:"gpu_count"`
	GPUMemGiB    *float64 `json:"gpu_mem_gib"`
	Driver       *string  `json:"driver"`
	CUDA         *string  `json:"cuda"`
	Cloud        *string  `json:"cloud"`
	Region       *string  `json:"region"`
	InstanceType *string  `json:"instance_type"`
	USDPerHour   *float64 `json:"usd_per_hour"`
}

// Interval is a value with its 90 % interval.
type Interval struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Accuracy is what the last validation measured.
type Accuracy struct {
	Metric         string  `json:"metric"`
	Value          float64 `json:"value"`
	HigherIsBetter bool    `json:"higher_is_better"`
}

// Epochs is the estimate for a number of epochs; cost is null without a price.
type Epochs struct {
	Epochs float64  `json:"epochs"`
	Time   Seconds  `json:"time"`
	Cost   *Dollars `json:"cost"`
}

// Seconds is an estimated time.
type Seconds struct {
	S     float64 `json:"s"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Basis string  `json:"basis"`
}

// Dollars is an estimated cost.
type Dollars struct {
	USD   float64 `json:"usd"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Basis string  `json:"basis"`
}

// New reports a probe that has ended, with estimates for the numbers of
// epochs.
func New(u session.Update, epochs []float64, kinds map[estimate.Basis]profile.Kind) Probe {
	r := u.Run
	p := Probe{Schema: 1, Command: "probe", Warnings: append([]string{}, u.Warnings...), Estimates: []Epochs{}}
	p.Run = &Run{
		ID: r.ID, Status: string(r.Status), Model: r.Model, Mode: string(r.Mode), BatchSize: above0(r.BatchSize), Precision: word(r.Variant.Precision),
		Machine: machine(u.Machine, u.GPUsKnown), InitS: r.InitS, FirstIterationS: r.FirstIterationS,
		SteadyIterations: u.Summary.N, WarmupIterations: u.Summary.Warmup, Iterations: u.Summary.Total,
		FirstValidationS: r.FirstValidationS, ValidationS: r.ValidationS, PeakMemoryBytes: r.PeakMemoryBytes,
		StoppedBecause: word(u.StoppedBecause), SpentS: u.SpentS, SpentUSD: u.SpentUSD, ScriptExit: u.ScriptExit, RejectedLines: u.Rejected,
		StoppedWords: word(u.StoppedWords), InputWait: u.InputWait, EnergyJPerUnit: u.EnergyJPerUnit, Layers: []Layer{},
	}
	for _, l := range u.Layers {
		p.Run.Layers = append(p.Run.Layers, Layer(l))
	}
	if u.Limit != nil {
		p.Run.LargestBatch = &Largest{u.Limit.BatchSize, u.Limit.FailsAt}
	}
	if s := u.Summary; s.IsSteady {
		p.Run.IsSteady = true
		p.Run.SteadyS = &Interval{s.Steady.Value, s.Steady.Low, s.Steady.High}
		p.Run.P50S, p.Run.P90S, p.Run.P99S, p.Run.Drift = &s.P50, &s.P90, &s.P99, &s.Drift
	} else if s.Why != "" && u.Err == nil && u.Limit == nil {
		if s.Steady.Known() {
			p.Run.SteadyS = &Interval{s.Steady.Value, s.Steady.Low, s.Steady.High}
		}
		p.Warnings = append(p.Warnings, "not steady: "+s.Why)
	}
	if a := r.Accuracy; a != nil {
		p.Run.Accuracy = &Accuracy{a.Metric, a.Value, a.HigherIsBetter}
	}
	if u.Err != nil {
		p.Run.Error = new(u.Err.Error())
	}
	for _, n := range epochs {
		if t := runtime.Training(r, n, kinds); t.Known() {
			p.Estimates = append(p.Estimates, atEpochs(n, t, r.USDPerHour))
		}
	}
	return p
}

func atEpochs(n float64, t estimate.Estimate, price *float64) Epochs {
	e := Epochs{Epochs: n, Time: Seconds{t.Value, t.Low, t.High, t.Basis.String()}}
	if price != nil {
		c := t.Times(*price / 3600)
		e.Cost = &Dollars{c.Value, c.Low, c.High, c.Basis.String()}
	}
	return e
}

func machine(m store.Machine, gpusKnown bool) Machine {
	out := Machine{
		Host: m.Host, OS: m.OS, CPU: word(m.CPU), CPUs: m.CPUs, GPU: word(m.GPU), GPUCount: above0(m.GPUCount), GPUMemGiB: m.GPUMemGiB,
		Driver: word(m.Driver), CUDA: word(m.CUDA), Cloud: word(m.VM.Cloud), Region: word(m.VM.Region),
		InstanceType: word(m.VM.InstanceType), USDPerHour: m.USDPerHour,
	}
	if gpusKnown {
		out.GPUCount = &m.GPUCount
	}
	return out
}

// above0 is a count whose zero means unknown.
func above0(n int) *int {
	if n <= 0 {
		return nil
	}
	return &n
}

func word(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Write writes the probe for people; path is the database it was saved in.
func (p Probe) Write(w io.Writer, path string) error {
	r := p.Run
	var b strings.Builder
	what := fmt.Sprintf("%s, %s", r.Model, r.Mode)
	if r.BatchSize != nil {
		what += fmt.Sprintf(", batch %d", *r.BatchSize)
	}
	if r.Precision != nil {
		what += ", " + *r.Precision
	}
	fmt.Fprintf(&b, "%s on %s\n", what, r.Machine.words())
	row := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "  %-18s %s\n", name, fmt.Sprintf(format, args...))
	}
	seconds := func(name string, v *float64) {
		if v != nil {
			row(name, "%s", quantity.Duration(*v))
		}
	}
	seconds("initialisation", r.InitS)
	seconds("first iteration", r.FirstIterationS)
	if s := r.SteadyS; s != nil {
		e := estimate.Estimate{Value: s.Value, Low: s.Low, High: s.High}
		name := "steady iteration"
		if !r.IsSteady {
			name = "rough iteration"
		}
		row(name, "%s %s (90 %%: %s … %s) from %d of %d steps", quantity.Duration(s.Value), quantity.PlusMinus(e.HalfWidth()),
			quantity.Duration(s.Low), quantity.Duration(s.High), r.SteadyIterations, r.Iterations)
	}
	seconds("first validation", r.FirstValidationS)
	seconds("later validations", r.ValidationS)
	if r.PeakMemoryBytes != nil {
		row("peak GPU memory", "%.2f GiB", *r.PeakMemoryBytes/(1<<30))
	}
	if a := r.Accuracy; a != nil {
		row("accuracy", "%s %.4g", a.Metric, a.Value)
	}
	if r.Processes != nil {
		row("fresh processes", "%s", r.Processes.line())
	}
	if r.InputWait != nil && *r.InputWait >= 0.01 {
		row("waiting for input", "%s of each step", quantity.Percent(*r.InputWait))
	}
	if r.EnergyJPerUnit != nil {
		row("energy", "%.3g J a unit", *r.EnergyJPerUnit)
	}
	for _, l := range r.Layers {
		row("layer "+l.Name, "%s of a forward pass (%s)", quantity.Percent(l.Share), l.Kind)
	}
	if l := r.LargestBatch; l != nil {
		row("largest batch", "%d%s", l.Fits, l.beyond())
	}
	spent := quantity.Duration(r.SpentS)
	if r.SpentUSD != nil {
		spent += ", " + quantity.Money(*r.SpentUSD)
	}
	row("spent", "%s%s", spent, because(r.StoppedBecause))
	for _, e := range p.Estimates {
		b.WriteString(e.line())
	}
	for _, warning := range p.Warnings {
		fmt.Fprintf(&b, "  warning: %s\n", warning)
	}
	fmt.Fprintf(&b, "saved as run %d in %s\n", r.ID, plaintext.Clean(path))
	_, err := io.WriteString(w, b.String())
	return err
}

func (e Epochs) line() string {
	unit := "epochs"
	if e.Epochs == 1 {
		unit = "epoch"
	}
	text := fmt.Sprintf("%s (%s … %s)", quantity.Duration(e.Time.S), quantity.Duration(e.Time.Low), quantity.Duration(e.Time.High))
	if e.Cost != nil {
		text += ", " + quantity.Money(e.Cost.USD)
	}
	return fmt.Sprintf("  %-18s %s\n", quantity.Count(e.Epochs)+" "+unit, text)
}

func (m Machine) words() string {
	where := m.Host
	if m.InstanceType != nil {
		where = *m.InstanceType
	}
	switch {
	case m.GPU != nil && m.GPUCount != nil && *m.GPUCount > 1:
		return fmt.Sprintf("%s (%d × %s)", where, *m.GPUCount, *m.GPU)
	case m.GPU != nil:
		return where + " (" + *m.GPU + ")"
	case m.CPU != nil:
		return where + " (" + *m.CPU + ")"
	}
	return where
}

func because(why *string) string {
	if why == nil {
		return ""
	}
	words := map[string]string{
		"precise": "precise enough", "cap": "at the cap", "end": "ran to its end", "oom": "out of memory", "interrupted": "stopped by you",
	}[*why]
	if words == "" {
		return ""
	}
	return "; " + words
}

func (l Largest) beyond() string {
	if l.FailsAt == nil {
		return ", the largest tried"
	}
	return fmt.Sprintf("; %d does not fit", *l.FailsAt)
}
