// Package texttable prints rankings, plans, fleets and serving as tables for a
// terminal, with the sentences that belong to them.
package texttable

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"sweetspot/data/contract"
	"sweetspot/data/wording"
	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
	"sweetspot/engine/rank"
	"sweetspot/engine/validate"
)

// RankingRows is how many candidates the printed table shows where nothing else is asked.
const RankingRows = 25

// Ranking prints what to rent and the first rows of the feasible candidates, best first;
// 0 rows are all.
func Ranking(w io.Writer, r *rank.Result, tested validate.Tested, now time.Time, rows int) error {
	if rows == contract.All {
		rows = r.Count()
	}
	shown := r.Head(rows)
	chances := contract.NewChances(r)
	for _, sentence := range contract.Decide(r, chances).Sentences() {
		fmt.Fprintln(w, sentence)
	}
	fmt.Fprintln(w, wording.Headline(r))
	tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	minimized := r.Space.Objectives.Minimized()
	head := []string{"#", "VM", "variant", "batch"}
	tuned := r.Query.Tuning != nil || r.Query.Lengths != nil
	if tuned {
		head = append(head, "memory of a GPU", "tokens/s")
	}
	for _, o := range minimized {
		head = append(head, string(o.Name))
	}
	head = append(head, metricTitle(r))
	for _, o := range minimized {
		head = append(head, o.PBest())
	}
	fmt.Fprintln(tw, strings.Join(append(head, "basis"), "\t"))
	for k, i := range shown {
		c := r.Space.At(i)
		row := []string{strconv.Itoa(k + 1), wording.VMs(c), wording.VariantLabel(c.Variant), strconv.Itoa(c.BatchSize)}
		if tuned {
			row = append(row, fitCells(c.Fit)...)
		}
		for _, o := range minimized {
			row = append(row, withInterval(c.Of(o.Name), o.Write))
		}
		row = append(row, accuracyText(c.Quality))
		for _, o := range minimized {
			row = append(row, probability(r.Chance(chances[o.Name], o.Name, i)))
		}
		fmt.Fprintln(tw, strings.Join(append(row, c.Time.Basis.String()), "\t"))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	if more := r.Count() - len(shown); more > 0 {
		fmt.Fprintf(w, "… and %d more: --limit all lists them\n", more)
	}
	if r.Count() > 0 {
		if c := r.Space.At(r.First()); contract.CostItems(c) != "" {
			fmt.Fprintf(w, "note: the first costs %s: %s\n", quantity.Money(c.Cost.Value), contract.CostItems(c))
		}
	}
	for _, warning := range wording.Warnings(r, now) {
		fmt.Fprintln(w, "note: "+warning)
	}
	for _, line := range wording.Unfit(r) {
		fmt.Fprintln(w, "note: "+line)
	}
	for _, line := range testedLines(r, shown, tested) {
		fmt.Fprintln(w, "note: "+line)
	}
	return nil
}

// fitCells are the memory and the speed of a language model's training.
func fitCells(f *candidate.Fit) []string {
	if f == nil {
		return []string{"—", "—"}
	}
	return []string{wording.Memory(f), quantity.Count(math.Round(f.TokensPerSecond.Value))}
}

// testedLines say how good estimates of the bases in the table were on the
// database itself.
func testedLines(r *rank.Result, shown []int, tested validate.Tested) (lines []string) {
	said := map[estimate.Basis]bool{}
	for _, i := range shown {
		c := r.Space.At(i)
		if s, ok := tested.For(c); ok && !said[c.Time.Basis] {
			said[c.Time.Basis] = true
			lines = append(lines, fmt.Sprintf("%s estimates, %s", c.Time.Basis, s.Words()))
		}
	}
	return lines
}

func metricTitle(r *rank.Result) string {
	if r.Space.Metric == "" {
		return "accuracy"
	}
	return plaintext.Name(r.Space.Metric)
}

func accuracyText(q *candidate.Quality) string {
	if q == nil {
		return "—"
	}
	return objective.WriteAccuracy(q.Estimate.Value, q.HigherIsBetter)
}

func withInterval(e estimate.Estimate, format func(float64) string) string {
	if !e.Known() {
		return "—"
	}
	return format(e.Value) + " " + quantity.PlusMinus(e.HalfWidth())
}

func probability(p float64) string {
	if math.IsNaN(p) {
		return "—"
	}
	return fmt.Sprintf("%.0f %%", 100*p)
}
