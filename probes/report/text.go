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
	"sweetspot/probes/session"
)

// Write writes the probe as text; path is the database it was saved in.
func (p Probe) Write(w io.Writer, path string) error {
	r, l := p.Run, &lines{}
	fmt.Fprintln(l, plaintext.Cut(r.what(), 160)+" on "+plaintext.Cut(r.where(), 160))
	l.times(r)
	l.results(r)
	l.device(r)
	l.end(p)
	fmt.Fprintf(l, "saved as run %d in %s\n", r.ID, plaintext.Clean(path))
	_, err := io.WriteString(w, l.String())
	return err
}

// lines are the text of a probe.
type lines struct{ strings.Builder }

func (l *lines) row(name, format string, args ...any) {
	fmt.Fprintf(l, "  %-18s %s\n", name, fmt.Sprintf(format, args...))
}

func (l *lines) seconds(name string, v *float64) {
	if v != nil {
		l.row(name, "%s", quantity.Duration(*v))
	}
}

// times writes what was run, and how long its parts take.
func (l *lines) times(r *Run) {
	if r.look != "" {
		l.row("work of a unit", "%s", r.look)
	}
	if r.Framework != nil {
		l.row("framework", "%s", *r.Framework)
	}
	l.seconds("initialisation", r.InitS)
	l.seconds("first iteration", r.FirstIterationS)
	if s := r.SteadyS; s != nil {
		name := "steady iteration"
		if !r.IsSteady {
			name = "rough iteration"
		}
		l.row(name, "%s (90 %%: %s … %s) from %d of %d steps", spread(s.Value, s.Low, s.High, quantity.Duration),
			quantity.Duration(s.Low), quantity.Duration(s.High), r.SteadyIterations, r.Iterations)
	}
	if r.trained != "" {
		l.row("trained", "%s", r.trained)
	}
	if r.Tuning != nil && r.Tuning.TokensPerSecond != nil {
		l.row("tokens", "%s/s", quantity.Count(math.Round(*r.Tuning.TokensPerSecond)))
	}
	l.seconds("first validation", r.FirstValidationS)
	l.seconds("later validations", r.ValidationS)
}

// results writes the memory, the accuracy and the spread between processes.
func (l *lines) results(r *Run) {
	if r.PeakMemoryBytes != nil {
		reserved := ""
		if r.ReservedBytes != nil {
			reserved = fmt.Sprintf(", %.2f GiB reserved", *r.ReservedBytes/(1<<30))
		}
		l.row("peak GPU memory", "%.2f GiB%s", *r.PeakMemoryBytes/(1<<30), reserved)
	}
	if a := r.Accuracy; a != nil {
		l.row("accuracy", "%s", plaintext.Cut(a.words(r.unit), 160))
	}
	if r.accuracyRead != "" {
		name := ""
		if r.Accuracy == nil {
			name = "accuracy"
		}
		l.row(name, "%s", r.accuracyRead)
	}
	if r.Processes != nil {
		l.row("fresh processes", "%s", r.Processes.line())
	}
}

// device writes how the steps used the machine.
func (l *lines) device(r *Run) {
	if r.InputWait != nil && *r.InputWait >= 0.01 {
		l.row("waiting for input", "%s of each step", quantity.Percent(*r.InputWait))
	}
	if r.EnergyJPerUnit != nil {
		l.row("energy", "%.3g J a unit%s", *r.EnergyJPerUnit, of(r.EnergyOf))
	}
	if r.AveragePowerW != nil {
		l.row("power", "%.3g W%s", *r.AveragePowerW, of(r.EnergyOf))
	}
	for _, layer := range r.Layers {
		l.row("layer "+layer.Name, "%s of a forward pass (%s)", quantity.Percent(layer.Share), layer.Kind)
	}
	if most := r.LargestBatch; most != nil {
		l.row("largest batch", "%d%s", most.Fits, most.beyond())
	}
}

// end writes what the probe took, why it ended, and what follows from it.
func (l *lines) end(p Probe) {
	r := p.Run
	spent := quantity.Duration(r.SpentS)
	if r.SpentUSD != nil {
		spent += ", " + quantity.Money(*r.SpentUSD)
	}
	ending := r.ending()
	if ending != "" {
		spent += "; " + ending
	}
	l.row("spent", "%s", spent)
	for _, e := range p.Estimates {
		l.WriteString(e.line())
	}
	if n := len(p.Estimates); n > 0 && p.Estimates[n-1].Why != nil && !p.Estimates[n-1].pauses {
		l.row("", "%s", *p.Estimates[n-1].Why)
	}
	for _, warning := range p.Warnings {
		if why, ok := strings.CutPrefix(warning, notSteady); ok && strings.HasSuffix(ending, why) {
			continue // part of the ending
		}
		fmt.Fprintf(l, "  warning: %s\n", warning)
	}
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
