// Package report writes a ranking as a page to read, print or send: the question
// in words, both frontiers and the ranking as pictures, and what the numbers
// rest on. HTML holds all in one file and needs no script; Markdown has its
// pictures beside it.
package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"sweetspot/data/contract"
	"sweetspot/data/launch"
	"sweetspot/data/wording"
	"sweetspot/engine/objective"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
	"sweetspot/engine/rank"
	"sweetspot/engine/validate"
)

// tableRows is how many candidates the table shows: what fits two pages.
const tableRows = 40

// Report is a ranking ready to be written.
type Report struct {
	Title    string
	Facts    []Fact // about the question and its answer
	Columns  []string
	Rows     [][]string // the ranking, best first
	More     string     // "" where the table is all there is
	Verify   []string   // commands that probe the first
	Prices   []string
	Notes    []string
	Made     string
	Pictures []Picture
}

// Fact is a thing said about the ranking, by its name.
type Fact struct{ Name, Text string }

// New describes a result, made at a time by a version of the program; tested
// may be nil. There must be something feasible.
func New(r *rank.Result, tested validate.Tested, at time.Time, version string) (*Report, error) {
	if len(r.Order) == 0 {
		return nil, fmt.Errorf("nothing to report: %s", wording.WhyNothing(r))
	}
	shown := r.Order[:min(len(r.Order), tableRows)]
	chances := contract.NewChances(r)
	candidates := make([]contract.Candidate, len(shown))
	for k, i := range shown {
		candidates[k] = contract.NewCandidate(r, i, k+1, chances, tested)
	}
	// Names are cleaned before words are joined to them: a control sequence that
	// does not end would take those too.
	asked := r.Query.Workload
	asked.Model, asked.Unit = plaintext.Clean(asked.Model), plaintext.Clean(asked.Unit)
	out := &Report{
		Title: wording.Workload(asked), Notes: wording.Warnings(r, at),
		Made: at.UTC().Format("2006-01-02 15:04 UTC") + " with sweetspot " + version,
	}
	for i, note := range out.Notes {
		out.Notes[i] = plaintext.Clean(note)
	}
	out.Facts = facts(r, candidates[0])
	out.table(candidates)
	if more := len(r.Order) - len(shown); more > 0 {
		out.More = fmt.Sprintf("… and %d more: sweetspot rank --csv lists them all.", more)
	}
	for _, v := range candidates[0].Configuration {
		out.Verify = append(out.Verify, launch.Probe(candidates[0], v))
	}
	out.prices(candidates)
	var err error
	out.Pictures, err = pictures(r)
	return out, err
}

// facts say what was asked and what is best.
func facts(r *rank.Result, best contract.Candidate) []Fact {
	var vms []string
	for _, v := range best.Configuration {
		vms = append(vms, v.Words())
	}
	out := []Fact{
		{"Limits", wording.Limits(r.Query, r.Space.HigherIsBetter() || r.Space.Metric == "")},
		{"Bought", string(r.Query.Purchase)}, {"Order", "by " + r.Query.Sort.Label()},
		{"Candidates", fmt.Sprintf("%d of %d feasible", len(r.Order), r.Space.Len())},
		{"First", strings.Join(vms, " + ") + ", " + variant(best) + batch(best, ", batch size ")},
		{"Its time", best.Time.Words()}, {"Its cost", best.Cost.Words()},
	}
	for _, a := range best.Amounts() {
		out = append(out, Fact{"Its " + string(a.Of.Name), a.Words()})
	}
	if a := best.Accuracy; a != nil {
		out = append(out, Fact{"Its accuracy", fmt.Sprintf("%s %s (%s)", a.Metric,
			objective.WriteAccuracy(a.Value, a.HigherIsBetter), a.Basis)})
	}
	if best.Why != nil {
		out = append(out, Fact{"Why", *best.Why})
	}
	if t := best.Tested; t != nil && t.Median != nil {
		out = append(out, Fact{"Tested", fmt.Sprintf("such estimates of %s were off by %s in the median",
			quantity.Several(t.N, "run"), quantity.Percent(*t.Median))})
	}
	for i := range out {
		out[i].Text = plaintext.Clean(out[i].Text)
	}
	return out
}

func variant(c contract.Candidate) string {
	if c.Precision == nil || strings.Contains(c.Variant, *c.Precision) {
		return c.Variant
	}
	return c.Variant + " " + *c.Precision
}

func batch(c contract.Candidate, before string) string {
	if c.BatchSize == nil {
		return ""
	}
	return fmt.Sprint(before, *c.BatchSize)
}

func (r *Report) table(candidates []contract.Candidate) {
	r.Columns = []string{"#", "VMs", "variant", "batch", "time", "cost", "accuracy", "P(fastest)", "P(cheapest)",
		"frontier", "basis", "based on"}
	for _, c := range candidates {
		row := []string{
			fmt.Sprint(*c.Rank), strings.Join(c.VMs(), " + "), variant(c), batch(c, ""),
			span(c.Time.S, c.Time.Low, c.Time.High, quantity.Duration),
			span(c.Cost.USD, c.Cost.Low, c.Cost.High, quantity.Money), "", share(c.PBest.Of(objective.Time)),
			share(c.PBest.Of(objective.Cost)), frontier(c.Frontier), "", wording.Sources(c.Sources),
		}
		if a := c.Accuracy; a != nil {
			row[6] = objective.WriteAccuracy(a.Value, a.HigherIsBetter)
		}
		if c.Time.Basis != nil {
			row[10] = *c.Time.Basis
		}
		for i := range row {
			row[i] = plaintext.Clean(row[i])
		}
		r.Rows = append(r.Rows, row)
	}
}

// span is a value with its 90 % interval.
func span(v, low, high *float64, format func(float64) string) string {
	if v == nil {
		return "unknown"
	}
	return fmt.Sprintf("%s (%s to %s)", format(*v), format(*low), format(*high))
}

func share(p *float64) string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf("%.0f %%", 100**p)
}

func frontier(on objective.Each[bool]) string {
	var names []string
	for _, f := range on {
		if f.Value {
			names = append(names, f.Name)
		}
	}
	return strings.Join(names, ", ")
}

// prices names each price of the table once, with who says it when.
func (r *Report) prices(candidates []contract.Candidate) {
	for _, c := range candidates {
		for _, v := range c.Configuration {
			v.Count = 1
			line := plaintext.Clean(strings.TrimPrefix(v.Words(), "1× ") + ": " + v.PriceWords(c.Purchase))
			if !slices.Contains(r.Prices, line) {
				r.Prices = append(r.Prices, line)
			}
		}
	}
	slices.Sort(r.Prices)
}
