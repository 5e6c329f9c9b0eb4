// Command accuracy measures the predictors on published measurements and prints
// one table: `make accuracy`, or `make accuracy DATA=folder` for a folder laid
// out alike. Every set is converted to the Profile CSV, imported into a profile
// database of its own and asked as `sweetspot validate --db` would ask it.
package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"

	"sweetspot/data/library"
	"sweetspot/data/profilecsv"
	"sweetspot/data/store"
	"sweetspot/data/workspace"
	"sweetspot/engine/advice"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/roofline"
	"sweetspot/engine/validate"
	"sweetspot/scripts/convert"
)

func main() {
	data := flag.String("data", "", "folder with a folder for each set")
	write := flag.String("write", "", "folder to write the sets to, as Profile CSV")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, os.Stderr, *data, *write); err != nil {
		for line := range strings.Lines(err.Error()) {
			fmt.Fprintln(os.Stderr, "accuracy:", strings.TrimSuffix(line, "\n"))
		}
		os.Exit(1)
	}
}

// run asks all sets there are. One that can't be read keeps none of the others
// from being asked; its error comes at the end.
func run(ctx context.Context, out, notes io.Writer, data, write string) error {
	if info, err := os.Stat(data); err != nil || !info.IsDir() {
		return fmt.Errorf("%q is no folder with sets of measurements; name one with DATA=folder", data)
	}
	var damaged []error
	var tables report
	var points []workPoint
	read := 0
	for _, set := range convert.Sets() {
		runs, err := load(ctx, set, data, write)
		switch {
		case convert.Absent(err):
			fmt.Fprintf(notes, "accuracy: %s is not in %s\n", set.Name, data)
			continue
		case err != nil:
			damaged = append(damaged, err)
			continue
		}
		read++
		points = append(points, workPoints(set.Name, runs)...)
		if !tables.ask(set.Name, runs) {
			fmt.Fprintf(notes, "accuracy: %s has too few runs to ask anything of\n", set.Name)
		}
	}
	ofLanguage, err := tables.askLanguage(data, notes)
	if err != nil {
		damaged = append(damaged, err)
	}
	logs, err := serve(out, data)
	if err != nil {
		damaged = append(damaged, err)
	}
	if read+ofLanguage+logs == 0 && damaged == nil {
		return fmt.Errorf("none of the sets is in %q, which would be in folders called mlperf, profet, uneven, zeus, "+
			"timm and llm; name another with DATA=folder", data)
	}
	if read > 0 {
		tables.askWork(points)
	}
	if err := tables.write(out); err != nil {
		return err
	}
	if read > 0 {
		fmt.Fprintf(out, "\nconstants of estimates from the work alone, by all %d points: %+v\n", len(points),
			roofline.Fit(fitted(points), roofline.Fitted()))
		if err := follow(out); err != nil {
			return err
		}
	}
	return errors.Join(damaged...)
}

// follow replays probing on the tables of the built-in library whose totals are
// known.
func follow(out io.Writer) error {
	set, err := library.Load()
	if err != nil {
		return err
	}
	set.Runs = slices.DeleteFunc(slices.Clone(set.Runs),
		func(r profile.Run) bool { return r.Basis != estimate.Reconstructed || r.TotalS == nil })
	followed, spent := validate.Follow(set)
	var unsure, probes int
	var named [2]int // fastest, cheapest
	for _, f := range followed {
		probes += len(f.Probed)
		for k, n := range []validate.Named{f.Fastest, f.Cheapest} {
			switch {
			case n.Right():
				named[k]++
			case n.P < advice.Sure:
				unsure++
			}
		}
	}
	_, err = fmt.Fprintf(out, "\nnext probe, followed on %d tables of the built-in library: %d probes; the fastest "+
		"VM type named in %d, the cheapest in %d (of the others %d marked unsure);\n"+
		"%.1f %% of the cost of running everything, a probe of every cell would be %.1f %%\n",
		len(followed), probes, named[0], named[1], unsure, 100*spent.Following/spent.Running, 100*spent.All/spent.Running)
	return err
}

// load converts a set to the Profile CSV, which it also writes to a folder where
// one is named, imports that into an empty profile database and loads it as
// every subcommand does. Errors name the set and what is wrong where.
func load(ctx context.Context, set convert.Set, data, write string) (*profile.Set, error) {
	runs, err := set.Read(ctx, filepath.Join(data, set.Name))
	if convert.Absent(err) {
		return nil, err
	}
	loaded := &profile.Set{}
	if err == nil {
		loaded, err = throughDatabase(ctx, set.Name, runs, write)
	}
	if err != nil {
		return nil, fmt.Errorf("the set %s is left out: %w", set.Name, err)
	}
	return loaded, nil
}

func throughDatabase(ctx context.Context, name string, runs *profile.Set, write string) (*profile.Set, error) {
	var text bytes.Buffer
	if err := profilecsv.Write(&text, runs); err != nil {
		return nil, err
	}
	if write != "" {
		if err := os.WriteFile(filepath.Join(write, name+".csv"), text.Bytes(), 0o600); err != nil {
			return nil, err
		}
	}
	read, err := profilecsv.Read(&text)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "sweetspot-accuracy-")
	if err != nil {
		return nil, err
	}
	loaded, err := imported(ctx, filepath.Join(dir, name+".db"), read)
	return loaded, errors.Join(err, os.RemoveAll(dir))
}

// imported makes a database of the runs and loads it as every subcommand does that
// is to ask it alone.
func imported(ctx context.Context, path string, runs *profile.Set) (set *profile.Set, err error) {
	db, err := store.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	_, err = db.Import(ctx, runs)
	if err = errors.Join(err, db.Close()); err != nil {
		return nil, err
	}
	w, err := workspace.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	set, err = w.Load(ctx)
	return set, errors.Join(err, w.Close())
}

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
	questions := slices.Concat(validate.Questions(), further(name))
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
		"each one apart; last the mean error less the baseline's, over models drawn with replacement\n")
	table(out, "set\tquestion\tmodels\tmean of a half\t\tcoverage of a half\t\tleast mean of one\tgreatest mean of one\t"+
		"less the baseline\t\t", r.answers, answers.writeSplits)
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
	_ = w.Flush() // what out refuses is reported with the last line that is written to it
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
	fmt.Fprintln(w, flagged(a.cases))
}

func (a answers) writeSplits(w io.Writer) {
	s := splitsOf(a.cases)
	fmt.Fprintf(w, "%s\t%s\t%d\t", a.set, a.asked.Name, s.groups)
	for _, x := range []float64{s.mean.low, s.mean.high, s.coverage.low, s.coverage.high, s.one.low, s.one.high,
		s.beside.low, s.beside.high} {
		fmt.Fprint(w, percent(x), "\t")
	}
	if s.beside.low > 1e-6 { // beyond rounding
		fmt.Fprint(w, " worse than the baseline")
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
