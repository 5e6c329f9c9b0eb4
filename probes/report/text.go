package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"

	"sweetspot/engine/estimate"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/roofline"
	"sweetspot/engine/steady"
	"sweetspot/probes/matrix"
	"sweetspot/probes/session"
)

// Write writes the probe as text; path is the database it was saved in.
func (p Probe) Write(w io.Writer, path string) error {
	r := p.Run
	var b strings.Builder
	fmt.Fprintln(&b, plaintext.Cut(r.what(), 160)+" on "+plaintext.Cut(r.where(), 160))
	row := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "  %-18s %s\n", name, fmt.Sprintf(format, args...))
	}
	seconds := func(name string, v *float64) {
		if v != nil {
			row(name, "%s", quantity.Duration(*v))
		}
	}
	if r.look != "" {
		row("work of a unit", "%s", r.look)
	}
	if r.Framework != nil {
		row("framework", "%s", *r.Framework)
	}
	seconds("initialisation", r.InitS)
	seconds("first iteration", r.FirstIterationS)
	if s := r.SteadyS; s != nil {
		name := "steady iteration"
		if !r.IsSteady {
			name = "rough iteration"
		}
		row(name, "%s (90 %%: %s … %s) from %d of %d steps", spread(s.Value, s.Low, s.High, quantity.Duration),
			quantity.Duration(s.Low), quantity.Duration(s.High), r.SteadyIterations, r.Iterations)
	}
	if r.trained != "" {
		row("trained", "%s", r.trained)
	}
	if r.Tuning != nil && r.Tuning.TokensPerSecond != nil {
		row("tokens", "%s/s", quantity.Count(math.Round(*r.Tuning.TokensPerSecond)))
	}
	seconds("first validation", r.FirstValidationS)
	seconds("later validations", r.ValidationS)
	if r.PeakMemoryBytes != nil {
		reserved := ""
		if r.ReservedBytes != nil {
			reserved = fmt.Sprintf(", %.2f GiB reserved", *r.ReservedBytes/(1<<30))
		}
		row("peak GPU memory", "%.2f GiB%s", *r.PeakMemoryBytes/(1<<30), reserved)
	}
	if a := r.Accuracy; a != nil {
		row("accuracy", "%s", plaintext.Cut(a.words(r.unit), 160))
	}
	if r.accuracyRead != "" {
		name := ""
		if r.Accuracy == nil {
			name = "accuracy"
		}
		row(name, "%s", r.accuracyRead)
	}
	if r.Processes != nil {
		row("fresh processes", "%s", r.Processes.line())
	}
	if r.InputWait != nil && *r.InputWait >= 0.01 {
		row("waiting for input", "%s of each step", quantity.Percent(*r.InputWait))
	}
	if r.EnergyJPerUnit != nil {
		row("energy", "%.3g J a unit%s", *r.EnergyJPerUnit, of(r.EnergyOf))
	}
	if r.AveragePowerW != nil {
		row("power", "%.3g W%s", *r.AveragePowerW, of(r.EnergyOf))
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
	ending := r.ending()
	if ending != "" {
		spent += "; " + ending
	}
	row("spent", "%s", spent)
	for _, e := range p.Estimates {
		b.WriteString(e.line())
	}
	if n := len(p.Estimates); n > 0 && p.Estimates[n-1].Why != nil && !p.Estimates[n-1].pauses {
		row("", "%s", *p.Estimates[n-1].Why)
	}
	for _, warning := range p.Warnings {
		if why, ok := strings.CutPrefix(warning, notSteady); ok && strings.HasSuffix(ending, why) {
			continue // part of the ending
		}
		fmt.Fprintf(&b, "  warning: %s\n", warning)
	}
	fmt.Fprintf(&b, "saved as run %d in %s\n", r.ID, plaintext.Clean(path))
	_, err := io.WriteString(w, b.String())
	return err
}

// what describes the run: "net, infer, batch 64, fp32, pruned 30 %".
func (r Run) what() string {
	what := fmt.Sprintf("%s, %s", r.Model, r.Mode)
	if r.BatchSize != nil {
		what += fmt.Sprintf(", batch %d", *r.BatchSize)
	}
	if r.Precision != nil {
		what += ", " + *r.Precision
	}
	switch {
	case profile.VariantOfTitle(r.Variant) != "":
		what += ", " + r.Variant
	case r.Pruning != nil && r.Pruning.Ratio != nil:
		what += fmt.Sprintf(", pruned %.3g %%", 100**r.Pruning.Ratio)
	}
	return what
}

// where describes the machine: the user's name for it, its VM type and its GPU:
// "me@vm1 (p3.2xlarge, V100-SXM2-16GB)".
func (r Run) where() string {
	m := r.Machine
	name := m.Host
	if m.InstanceType != nil {
		name = *m.InstanceType
	}
	var parts []string
	if r.Host != nil && *r.Host != name {
		parts = append(parts, name)
		name = *r.Host
	}
	switch {
	case m.GPU != nil && m.GPUCount != nil && *m.GPUCount > 1:
		parts = append(parts, fmt.Sprintf("%d × %s", *m.GPUCount, *m.GPU))
	case m.GPU != nil:
		parts = append(parts, *m.GPU)
	case m.CPU != nil:
		parts = append(parts, *m.CPU)
	}
	if r.VMs > 1 {
		parts = append(parts, quantity.Several(r.VMs, "VM"))
	}
	if r.WorldSize != nil && *r.WorldSize > 1 {
		parts = append(parts, fmt.Sprintf("world size %d", *r.WorldSize))
	}
	if len(parts) == 0 {
		return name
	}
	return name + " (" + strings.Join(parts, ", ") + ")"
}

// ending says why the probe ended; "" if unknown. It mentions what made the
// probe long, such as drift; the half-width is printed elsewhere.
func (r Run) ending() string {
	if r.StoppedBecause == nil {
		return ""
	}
	words := ""
	if r.StoppedWords != nil && r.LargestBatch == nil {
		words = *r.StoppedWords
	}
	switch *r.StoppedBecause {
	case steady.Precise:
		if _, rest, ok := strings.Cut(words, " steady steps"); ok {
			words = rest
		} else if words != "" {
			words = ": " + words
		}
		return "precise enough" + words
	case steady.Cap:
		return cmp.Or(words, "at the cap")
	case session.End:
		if r.look != "" {
			return "nothing was measured"
		}
		return "ran to its end"
	case session.OutOfMemory:
		return cmp.Or(words, "out of memory")
	case session.Interrupted:
		return cmp.Or(words, "stopped by you")
	}
	return ""
}

func (e Epochs) line() string {
	length, unit := e.Epochs, "epoch"
	if e.Steps != nil {
		length, unit = *e.Steps, "step"
	}
	if length != 1 {
		unit += "s"
	}
	text := spread(e.Time.S, e.Time.Low, e.Time.High, quantity.Duration)
	if low, value, high := quantity.Duration(e.Time.Low), quantity.Duration(e.Time.S),
		quantity.Duration(e.Time.High); low != value || high != value {
		text += fmt.Sprintf(" (%s … %s)", low, high)
	}
	if e.Cost != nil {
		text += ", " + spread(e.Cost.USD, e.Cost.Low, e.Cost.High, quantity.Money)
	}
	if e.pauses {
		text += ", " + *e.Why
	}
	return fmt.Sprintf("  %-18s %s\n", quantity.Count(length)+" "+unit, text)
}

// spread writes a value with the relative half-width of its interval.
func spread(value, low, high float64, write func(float64) string) string {
	return write(value) + " " + quantity.PlusMinus(estimate.Estimate{Value: value, Low: low, High: high}.HalfWidth())
}

func (l Largest) beyond() string {
	fails := func(batch int) string { return fmt.Sprintf("; %d does not fit", batch) }
	return plaintext.Optional(l.FailsAt, ", the largest tried", fails)
}

// of says what a measurement covers, where that is known.
func of(what *string) string {
	return plaintext.Optional(what, "", func(s string) string { return " (" + s + ")" })
}

// Accuracy is the result of the last validation with its 90 % interval: the
// sampling error over its units, or the interval that the source gave. If
// neither is known, low and high are null.
type Accuracy struct {
	Metric         string   `json:"metric"`
	Value          float64  `json:"value"`
	Low            *float64 `json:"low"`
	High           *float64 `json:"high"`
	Units          *float64 `json:"units"` // it was measured on
	HigherIsBetter bool     `json:"higher_is_better"`
}

func accuracy(r profile.Run) *Accuracy {
	a := r.Accuracy
	if a == nil {
		return nil
	}
	out := &Accuracy{Metric: a.Metric, Value: a.Value, HigherIsBetter: a.HigherIsBetter}
	if n := len(r.Validations); n > 0 {
		out.Units = r.Validations[n-1].Units
	}
	sigma := r.AccuracyStdDev()
	switch {
	case sigma == nil:
	case a.StdDev == nil:
		low, high := counted(a.Value, *out.Units)
		out.Low, out.High = &low, &high
	default:
		low, high := a.Value-estimate.Z90**sigma, a.Value+estimate.Z90**sigma
		if out.isFraction() {
			low, high = max(low, 0), min(high, 1)
		}
		out.Low, out.High = &low, &high
	}
	return out
}

// counted is the 90 % interval of a share measured on n units, Wilson's score
// interval (1927). It is not empty even if all or none of them are right.
func counted(share, n float64) (low, high float64) {
	const z2 = estimate.Z90 * estimate.Z90
	middle := (share + z2/(2*n)) / (1 + z2/n)
	half := estimate.Z90 / (1 + z2/n) * math.Sqrt(share*(1-share)/n+z2/(4*n*n))
	return max(0, middle-half), min(1, middle+half)
}

// isFraction reports whether the value can be shown as a percentage; a loss cannot.
func (a Accuracy) isFraction() bool { return a.HigherIsBetter && 0 <= a.Value && a.Value <= 1 }

// words returns text such as "top1 87.6 % (90 %: 87.1 % … 88.1 %) over 10,000
// images".
func (a Accuracy) words(unit string) string {
	write := func(v float64) string { return fmt.Sprintf("%.4g", v) }
	if a.isFraction() {
		write = quantity.Percent
	}
	text := a.Metric + " " + write(a.Value)
	if a.Low != nil && a.High != nil {
		text += fmt.Sprintf(" (90 %%: %s … %s)", write(*a.Low), write(*a.High))
	}
	if a.Units != nil {
		unit = cmp.Or(unit, "sample")
		text += fmt.Sprintf(" over %s %ss", quantity.Count(*a.Units), unit)
	}
	return text
}

// Processes combines a cell's probes in fresh processes, separating the spread
// within one process from that between them. Times in seconds.
type Processes struct {
	N        int       `json:"n"`
	WithinS  float64   `json:"within_s"`  // standard deviation of one process's mean
	BetweenS *float64  `json:"between_s"` // between processes, beyond that; null if there is none
	MeanS    *Interval `json:"mean_s"`
	NextS    *Interval `json:"next_s"` // of one more process
}

// Repeated combines the rows of the same cell up to and including row i; nil if
// fewer than two became steady.
func Repeated(rows []matrix.Row, i int) *Processes {
	var runs []estimate.Estimate
	for _, r := range rows {
		c := r.Cell
		if c.Repeat > rows[i].Repeat {
			continue
		}
		c.Repeat = rows[i].Repeat
		if c == rows[i].Cell && r.Update.Done && r.Update.Summary.IsSteady {
			runs = append(runs, r.Update.Summary.Steady)
		}
	}
	if len(runs) < 2 {
		return nil
	}
	p := steady.Between(runs)
	return &Processes{p.N, p.Within, p.Between, interval(p.Mean), interval(p.Next)}
}

func interval(e estimate.Estimate) *Interval {
	if !e.Known() {
		return nil
	}
	return &Interval{e.Value, e.Low, e.High}
}

// line returns text such as "12.1 ms ±2 % over 3; standard deviation 300 µs between,
// 100 µs within".
func (p *Processes) line() string {
	text := fmt.Sprintf("%s over %d; ", spread(p.MeanS.Value, p.MeanS.Low, p.MeanS.High, quantity.Duration), p.N)
	if p.BetweenS == nil {
		return text + fmt.Sprintf("no more spread between than within, standard deviation %s", quantity.Duration(p.WithinS))
	}
	return text + fmt.Sprintf("standard deviation %s between, %s within", quantity.Duration(*p.BetweenS),
		quantity.Duration(p.WithinS))
}

// lookWords are what a unit takes a network: "3.6 G operations, 2.5 M activations, 21
// layers, 11.7 M parameters".
func lookWords(w profile.Work) string {
	var parts []string
	for _, x := range []struct {
		of    *float64
		words string
	}{{w.FLOPs, "operations"}, {w.Activations, "activations"}, {w.Layers, "layers"}, {w.Params, "parameters"}} {
		if x.of != nil {
			parts = append(parts, roofline.Amount(*x.of)+" "+x.words)
		}
	}
	return strings.Join(parts, ", ")
}
