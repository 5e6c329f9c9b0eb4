package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"

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
