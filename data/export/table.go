package export

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/rank"
	"sweetspot/engine/validate"
)

// tableRows is how many candidates the printed table shows.
const tableRows = 25

// WriteTable prints the feasible candidates for people, best first.
func WriteTable(w io.Writer, r *rank.Result, tested validate.Tested, now time.Time) error {
	fmt.Fprintln(w, Headline(r))
	tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tw, "#\tVM\tvariant\tbatch\ttime\tcost\t"+metricTitle(r)+"\tP(fastest)\tP(cheapest)\tbasis")
	pTime, pCost := r.BestProbability(rank.ObjectiveTime), r.BestProbability(rank.ObjectiveCost)
	for k, i := range r.Order {
		if k == tableRows {
			break
		}
		c := r.Space.At(i)
		fmt.Fprintf(tw, "%d\t%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\n", k+1, VMs(c), VariantLabel(c.Variant), c.BatchSize,
			withInterval(c.Time, quantity.Duration), withInterval(c.Cost, quantity.Money), accuracyText(c.Quality),
			probability(pTime, i), probability(pCost, i), c.Time.Basis)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	if more := len(r.Order) - tableRows; more > 0 {
		fmt.Fprintf(w, "… and %d more: --json and --csv list them all\n", more)
	}
	if len(r.Order) > 0 {
		if c := r.Space.At(r.Order[0]); CostItems(c) != "" {
			fmt.Fprintf(w, "note: the first costs %s: %s\n", quantity.Money(c.Cost.Value), CostItems(c))
		}
	}
	for _, warning := range Warnings(r, now) {
		fmt.Fprintln(w, "note: "+warning)
	}
	for _, line := range testedLines(r, tested) {
		fmt.Fprintln(w, "note: "+line)
	}
	return nil
}

// testedLines say how good estimates of the bases in the table were on the
// database itself.
func testedLines(r *rank.Result, tested validate.Tested) (lines []string) {
	said := map[estimate.Basis]bool{}
	for _, i := range r.Order[:min(len(r.Order), tableRows)] {
		c := r.Space.At(i)
		if s, ok := tested.For(c); ok && !said[c.Time.Basis] {
			said[c.Time.Basis] = true
			lines = append(lines, fmt.Sprintf("%s estimates, %s", c.Time.Basis, s.Words()))
		}
	}
	return lines
}

// Headline says what was asked and how much of it is feasible.
func Headline(r *rank.Result) string {
	return clean(fmt.Sprintf("%s · by %s · %d of %d feasible · %s · 90 %% intervals",
		WorkloadText(r.Query.Workload), r.Query.Sort, len(r.Order), r.Space.Len(), r.Query.Purchase))
}

// WorkloadText says in words what is to be done.
func WorkloadText(w rank.Workload) string {
	switch {
	case w.Mode == profile.Infer:
		return fmt.Sprintf("%s · infer %s %ss", w.Model, quantity.Count(w.Units), cmp.Or(w.Unit, "unit"))
	case w.Epochs != nil:
		return fmt.Sprintf("%s · train %s epochs", w.Model, quantity.Count(*w.Epochs))
	case w.TargetAccuracy != nil:
		return fmt.Sprintf("%s · train to %s", w.Model, quantity.Percent(*w.TargetAccuracy))
	default:
		return w.Model + " · train as long as each source did"
	}
}

// VMs names a configuration: 2× g3.4xlarge.
func VMs(c *rank.Candidate) string {
	return strings.Join(VMParts(c), " + ")
}

// VMParts names the parts of a configuration.
func VMParts(c *rank.Candidate) []string {
	parts := make([]string, len(c.Configuration))
	for i, p := range c.Configuration {
		parts[i] = clean(fmt.Sprintf("%d× %s", p.Count, p.VM.InstanceType))
	}
	return parts
}

// ShortVMs names a configuration, in parts as 2× g3.4xlarge, where room is scarce:
// several as 2×g3.4xl+1×p2.xl.
func ShortVMs(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	return strings.NewReplacer("× ", "×", "xlarge", "xl").Replace(strings.Join(parts, "+"))
}

// VariantLabel names a variant with its precision.
func VariantLabel(v profile.Variant) string {
	name := variantName(v)
	if v.Precision != "" && !strings.Contains(name, v.Precision) {
		name += " " + v.Precision
	}
	return clean(name)
}

func metricTitle(r *rank.Result) string {
	if r.Space.Metric == "" {
		return "accuracy"
	}
	return clean(r.Space.Metric)
}

func accuracyText(q *rank.Quality) string {
	if q == nil {
		return "—"
	}
	return AccuracyText(q.Estimate.Value, q.HigherIsBetter)
}

// AccuracyText writes a metric: in % where it is a fraction, plainly where
// lower is better and it may exceed 1.
func AccuracyText(v float64, higherIsBetter bool) string {
	if !higherIsBetter && v > 1 {
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	return quantity.Percent(v)
}

func withInterval(e estimate.Estimate, format func(float64) string) string {
	if !e.Known() {
		return "—"
	}
	return format(e.Value) + " " + quantity.PlusMinus(e.HalfWidth())
}

func probability(p map[int]float64, i int) string {
	if p == nil {
		return "—"
	}
	return fmt.Sprintf("%.0f %%", 100*p[i])
}

// WhyNothing explains an empty ranking: the constraint that rules everything
// out, and how far it would have to give.
func WhyNothing(r *rank.Result) string {
	n := r.Space.Len()
	all := r.RulesOutAll()
	if len(all) == 0 {
		var parts []string
		for _, c := range []rank.Constraint{rank.Accuracy, rank.Time, rank.Cost, rank.GPUMemory} {
			if k := r.Because[c]; k > 0 {
				parts = append(parts, fmt.Sprintf("%s rules out %d", c, k))
			}
		}
		return fmt.Sprintf("no constraint alone, but together they rule out all %d candidates (%s); loosen one", n, strings.Join(parts, ", "))
	}
	var parts []string
	for _, c := range all {
		parts = append(parts, fmt.Sprintf("%s rules out all %d candidates (%s)", c, n, nearest(r, c)))
	}
	return strings.Join(parts, "; ")
}

// nearest says which value of a constraint would let the first candidate in.
func nearest(r *rank.Result, c rank.Constraint) string {
	best := func(column []float64) (v float64) {
		v = math.NaN()
		for _, x := range column {
			if math.IsNaN(v) || x < v {
				v = x
			}
		}
		return v
	}
	s := r.Space
	switch c {
	case rank.Time:
		return "the fastest takes " + quantity.Duration(best(s.Time))
	case rank.Cost:
		return "the cheapest costs " + quantity.Money(best(s.Cost))
	case rank.Accuracy:
		v := best(s.Loss)
		if s.HigherIsBetter {
			v = -v
		}
		if math.IsNaN(v) {
			return "no accuracy is known"
		}
		return "the best reaches " + AccuracyText(v, s.HigherIsBetter)
	default:
		return "none fits the GPU's memory"
	}
}
