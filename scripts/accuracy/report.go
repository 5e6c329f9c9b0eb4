package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"

	"gonum.org/v1/gonum/stat"

	"sweetspot/engine/profile"
	"sweetspot/engine/validate"
)

// report are the tables: what each question gives, how much of it hangs on
// which models there are, and which case was worst.
type report struct{ answers []answers }

// answers are those to a question asked of a set.
type answers struct {
	set   string
	asked validate.Question
	cases []validate.Case
	all   validate.Summary
}

// ask asks all questions of a set, at once; false if it can answer none.
func (r *report) ask(name string, set *profile.Set) bool {
	questions := validate.Questions()
	found := make([]answers, len(questions))
	var asking sync.WaitGroup
	for i, q := range questions {
		asking.Go(func() {
			cases := q.Cases(set)
			found[i] = answers{name, q, cases, validate.Summarise(cases)}
		})
	}
	asking.Wait()
	found = slices.DeleteFunc(found, func(a answers) bool { return len(a.cases) == 0 })
	r.answers = append(r.answers, found...)
	return len(found) > 0
}

func (r *report) write(out io.Writer) error {
	if r.answers == nil {
		return nil
	}
	table(out, "set\tquestion\tn\tmean\tmedian\tp90\tworst\tcoverage\thalf-width\tbaseline mean\tbaseline median\t",
		r.answers, answers.writeAll)
	fmt.Fprint(out, "\nover all splits of the models, or systems, into halves: nine halves of ten lie between, and "+
		"each one apart\n")
	table(out, "set\tquestion\tmodels\tmean of a half\t\tcoverage of a half\t\tleast mean of one\tgreatest mean of one\t",
		r.answers, answers.writeSplits)
	_, err := fmt.Fprint(out, "\nworst cases\n")
	for _, a := range r.answers {
		if c, ok := worst(a.cases); ok && err == nil {
			_, err = fmt.Fprintf(out, "%8s  %-12s %8s  %s\n", a.set, a.asked.Name, percent(c.Error()),
				strings.TrimSuffix(c.Of, " from "))
		}
	}
	return err
}

func table(out io.Writer, header string, rows []answers, write func(answers, io.Writer)) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, header)
	for _, a := range rows {
		write(a, w)
	}
	_ = w.Flush() // what out refuses is told by the last line that is written to it
}

func (a answers) writeAll(w io.Writer) {
	s := a.all
	greatest := math.NaN()
	if c, ok := worst(a.cases); ok {
		greatest = c.Error()
	}
	fmt.Fprintf(w, "%s\t%s\t%d\t", a.set, a.asked.Asks, s.N)
	for _, x := range []float64{s.Mean, s.Median, s.P90, greatest, s.Coverage, s.MedianHalfWidth, s.Plain, s.PlainMedian} {
		fmt.Fprint(w, percent(x), "\t")
	}
	if s.Unanswered > 0 {
		fmt.Fprintf(w, " %d without an answer", s.Unanswered)
	}
	fmt.Fprintln(w)
}

func (a answers) writeSplits(w io.Writer) {
	s := splitsOf(a.cases)
	fmt.Fprintf(w, "%s\t%s\t%d\t", a.set, a.asked.Name, s.groups)
	for _, x := range []float64{s.mean.low, s.mean.high, s.coverage.low, s.coverage.high, s.one.low, s.one.high} {
		fmt.Fprint(w, percent(x), "\t")
	}
	fmt.Fprintln(w)
}

// worst is the case furthest off; false where there is none with an answer.
func worst(cases []validate.Case) (validate.Case, bool) {
	known := slices.DeleteFunc(slices.Clone(cases), func(c validate.Case) bool { return !c.Predicted.Known() })
	if len(known) == 0 {
		return validate.Case{}, false
	}
	return slices.MaxFunc(known, func(a, b validate.Case) int { return cmp.Compare(a.Error(), b.Error()) }), true
}

func percent(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return fmt.Sprintf("%.2f %%", 100*x)
}

// Cases of one model, or of one system, err alike: how well a question is
// answered hangs on which ones there are. A constant that fits some of them
// only shows in how far halves of them differ, and whatever they are called,
// since all splits into halves are looked at, or very many drawn by a generator
// that does not know their names.

// splits is what they show, as fractions.
type splits struct {
	groups         int
	mean, coverage span // of the middle nine of ten halves; of the only group, where there is but one
	one            span // of the mean errors of the groups, each by itself
}

type span struct{ low, high float64 }

const (
	allSplits   = 12   // groups whose splits are all looked at: 924 of twelve
	drawnSplits = 1000 // of more groups
)

// tally is what the mean and the coverage of cases are made of, and adds up.
type tally struct{ n, errors, withInterval, inside float64 }

func (t tally) plus(o tally) tally {
	return tally{t.n + o.n, t.errors + o.errors, t.withInterval + o.withInterval, t.inside + o.inside}
}

func (t tally) mean() float64     { return t.errors / t.n }            // NaN without cases
func (t tally) coverage() float64 { return t.inside / t.withInterval } // likewise

// tallies are those of each group with an answer, in the order of the cases.
func tallies(cases []validate.Case) []tally {
	var out []tally
	at := map[string]int{}
	for _, c := range cases {
		e := c.Predicted
		if !e.Known() {
			continue
		}
		i, seen := at[c.Group]
		if !seen {
			i = len(out)
			at[c.Group], out = i, append(out, tally{})
		}
		t := tally{n: 1, errors: c.Error()}
		if e.High > e.Low {
			t.withInterval = 1
			if e.Low <= c.Truth && c.Truth <= e.High {
				t.inside = 1
			}
		}
		out[i] = out[i].plus(t)
	}
	return out
}

func splitsOf(cases []validate.Case) splits {
	groups := tallies(cases)
	var means, coverages, ones []float64
	for _, g := range groups {
		ones = append(ones, g.mean())
	}
	for _, half := range halves(len(groups)) {
		sum := tally{}
		for _, i := range half {
			sum = sum.plus(groups[i])
		}
		means, coverages = append(means, sum.mean()), append(coverages, sum.coverage())
	}
	return splits{
		groups: len(groups), mean: between(means, 0.05, 0.95), coverage: between(coverages, 0.05, 0.95),
		one: between(ones, 0, 1),
	}
}

// halves lists halves of n groups by their places: all there are, or as many as
// are drawn. Of an odd number the half has one more or one less; one group is
// its own half.
func halves(n int) [][]int {
	if n < 2 {
		return [][]int{slices.Repeat([]int{0}, n)}
	}
	var out [][]int
	if n <= allSplits {
		for set := range uint(1) << n {
			if size := bits.OnesCount(set); size == n/2 || size == n-n/2 {
				out = append(out, membersOf(set))
			}
		}
		return out
	}
	draw := rand.New(rand.NewPCG(1, 2))
	for range drawnSplits / 2 {
		order := draw.Perm(n)
		out = append(out, order[:n/2], order[n/2:])
	}
	return out
}

func membersOf(set uint) []int {
	var out []int
	for ; set != 0; set &= set - 1 {
		out = append(out, bits.TrailingZeros(set))
	}
	return out
}

// between are two quantiles of what is a number.
func between(x []float64, low, high float64) span {
	x = slices.DeleteFunc(x, math.IsNaN)
	if len(x) == 0 {
		return span{math.NaN(), math.NaN()}
	}
	slices.Sort(x)
	return span{stat.Quantile(low, stat.LinInterp, x, nil), stat.Quantile(high, stat.LinInterp, x, nil)}
}
