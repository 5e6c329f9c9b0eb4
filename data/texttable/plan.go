package texttable

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"sweetspot/data/contract"
	"sweetspot/data/wording"
	"sweetspot/engine/objective"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
	"sweetspot/engine/rank"
)

// planRows is how many candidates the printed plan shows.
const planRows = 15

// Plan prints the best combinations and what stands beside them.
func Plan(w io.Writer, described contract.Plan, in contract.PlanInput) error {
	p := plan{described}
	r := in.Result
	fmt.Fprintln(w, plaintext.Clean(fmt.Sprintf("%s · %s combinations of %d VM types, %s · split by %s · by %s · %s · "+
		"90 %% intervals", wording.Workload(r.Query.Workload), quantity.Count(p.Explored.Configurations), len(p.Query.VMs),
		p.Explored.Method, p.Query.Split, r.Query.Sort.Label(), r.Query.Purchase)))
	if p.Explored.Resolution > 0 {
		fmt.Fprintf(w, "note: because of many near-ties, costs are within %.2g %% of the lowest\n", 100*p.Explored.Resolution)
	}
	tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tw, "#\tVMs\tvariant\ttime\tcost\t"+metricTitle(r)+"\tin whole batches\tbasis")
	for k, c := range p.Candidates {
		if k == planRows {
			break
		}
		fmt.Fprintln(tw, planRow(c))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	if more := len(p.Candidates) - planRows; more > 0 {
		fmt.Fprintf(w, "… and %d more on the frontiers: --json and --csv list them all\n", more)
	}
	for _, line := range p.words(in) {
		fmt.Fprintln(w, line)
	}
	return nil
}

// plan is a plan while it is printed, part by part.
type plan struct{ contract.Plan }

func planRow(c contract.Candidate) string {
	place := plaintext.Optional(c.Rank, "—", strconv.Itoa)
	accuracy, batches := "—", "—"
	if c.Accuracy != nil {
		accuracy = objective.WriteAccuracy(c.Accuracy.Value, c.Accuracy.HigherIsBetter)
	}
	if b := c.WholeBatches; b != nil {
		batches = quantity.Duration(b.Seconds) + " " + quantity.Money(b.USD)
	}
	return fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s", place, wording.ShortVMs(c.VMs()), plaintext.Name(c.Variant),
		amount(c.Time.S, quantity.Duration)+c.Time.PlusMinus(c.Time.S),
		amount(c.Cost.USD, quantity.Money)+c.Cost.PlusMinus(c.Cost.USD), accuracy, batches, contract.Known(c.Time.Basis))
}

func amount(v *float64, format func(float64) string) string {
	return plaintext.Optional(v, "—", format)
}

// what names the configuration and the variant: 2× g3.4xlarge + 1× p2.xlarge conv2-50.
func what(c *contract.Candidate) string {
	return strings.Join(c.VMs(), " + ") + " " + plaintext.Name(c.Variant)
}

// words are the pick's parts, its neighbours, the limits' prices and the greedy
// pick, a line each.
func (p plan) words(in contract.PlanInput) (lines []string) {
	if p.Pick != nil {
		lines = append(lines, "pick: "+what(p.Pick))
		for _, part := range p.Pick.Configuration {
			lines = append(lines, fmt.Sprintf("  %d× %s: %s units (%s), batch %s, busy %s", part.Count,
				plaintext.Name(part.Name()), quantity.Count(math.Round(contract.Known(part.Units))),
				quantity.Percent(contract.Known(part.Units)/contract.Known(p.Pick.Units)),
				plaintext.Optional(part.BatchSize, "", strconv.Itoa), amount(part.BusyS, quantity.Duration)))
		}
	}
	if b := p.BestInWholeBatches; b != nil {
		lines = append(lines, fmt.Sprintf("in whole batches %s does better: %s, %s", what(b),
			amount(b.Time.S, quantity.Duration), amount(b.Cost.USD, quantity.Money)))
	}
	for _, n := range []struct {
		name string
		step *contract.Step
	}{{"next faster", p.NextFaster}, {"next cheaper", p.NextCheaper}} {
		if n.step != nil {
			lines = append(lines, fmt.Sprintf("%s: %s", n.name, stepWords(n.step)))
		}
	}
	for _, s := range p.ShadowPrices {
		lines = append(lines, shadowPrice(s, in.Result))
	}
	lines = append(lines, p.bought()...)
	lines = append(lines, p.greedyWords())
	for _, warning := range p.Warnings {
		lines = append(lines, "note: "+warning)
	}
	return lines
}

// bought compares the ways of buying, where there are several.
func (p plan) bought() (lines []string) {
	for _, b := range p.Purchases {
		if len(p.Purchases) > 1 {
			line := fmt.Sprintf("%s: dominates %s of the time–cost rectangle, from %s, from %s", b.Purchase,
				quantity.Percent(b.Hypervolume), quantity.Duration(b.Seconds), quantity.Money(b.USD))
			if b.Unpriced > 0 {
				line += fmt.Sprintf(" (%d of %d VM types have such a price)", b.VMTypes, b.VMTypes+b.Unpriced)
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// stepWords says what a step costs and saves: "+$1.20 saves 14 m".
func stepWords(s *contract.Step) string {
	if s.USD > 0 {
		return fmt.Sprintf("+%s saves %s", quantity.Money(s.USD), quantity.Duration(-s.Seconds))
	}
	return fmt.Sprintf("+%s saves %s", quantity.Duration(s.Seconds), quantity.Money(-s.USD))
}

func shadowPrice(s contract.ShadowPrice, r *rank.Result) string {
	write := func(float64) string { return "" }
	if o, ok := r.Space.Objective(objective.Name(s.Constraint)); ok {
		write = o.Write
	}
	line := fmt.Sprintf("%s is binding: %s instead of %s", s.Constraint, write(s.Need), write(s.Limit))
	gain, ok := r.Space.Objective(objective.Name(s.In))
	switch {
	case s.Gain == nil:
		return line + " would admit a first combination"
	case ok:
		return line + " saves " + gain.Write(*s.Gain)
	}
	return fmt.Sprintf("%s improves the %s by %.3g", line, s.In, *s.Gain)
}

func (p plan) greedyWords() string {
	if p.Greedy == nil {
		return "greedy (Algorithm 1 of Rathnayake et al. 2020): finds no combination within the limits"
	}
	line := fmt.Sprintf("greedy (Algorithm 1 of Rathnayake et al. 2020): %s, %s, %s", what(p.Greedy),
		amount(p.Greedy.Time.S, quantity.Duration), amount(p.Greedy.Cost.USD, quantity.Money))
	if p.Gap.Of(objective.Time) != nil && p.Gap.Of(objective.Cost) != nil {
		line += fmt.Sprintf("; at least as accurate, %s time at no more cost, %s cost at no more time",
			less(*p.Gap.Of(objective.Time)), less(*p.Gap.Of(objective.Cost)))
	}
	return line
}

// less writes a share that can be saved.
func less(share float64) string {
	if share >= 0.0005 {
		return quantity.Percent(share) + " less"
	}
	return "no less"
}
