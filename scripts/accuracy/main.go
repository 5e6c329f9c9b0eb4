// Command accuracy measures the predictors on published measurements and prints
// one table: `make accuracy`, or `make accuracy DATA=folder` for a folder laid
// out alike. Every set goes through the Profile CSV first, so that what is
// measured is what an import would see.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"sweetspot/data/library"
	"sweetspot/data/profilecsv"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/rank"
	"sweetspot/engine/validate"
	"sweetspot/scripts/convert"
)

func main() {
	data := flag.String("data", "", "folder with a folder for each set")
	write := flag.String("write", "", "folder to write the sets to, as Profile CSV")
	flag.Parse()
	if err := run(os.Stdout, *data, *write); err != nil {
		fmt.Fprintln(os.Stderr, "accuracy:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, data, write string) error {
	if _, err := os.Stat(data); err != nil {
		return fmt.Errorf("%q is no folder with sets of measurements (%w); name one with DATA=folder", data, err)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "set\tquestion\tn\tmean\tmedian\tp90\tcoverage\thalf-width\tplain mean\tplain median\t")
	for _, set := range convert.Sets() {
		runs, err := load(set, filepath.Join(data, set.Name), write)
		if convert.Absent(err) {
			fmt.Fprintf(os.Stderr, "accuracy: %s is not in %s\n", set.Name, data)
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", set.Name, err)
		}
		for _, q := range validate.Questions() {
			if cases := q.Cases(runs); len(cases) > 0 {
				row(w, set.Name, q.Asks, validate.Summarise(cases))
			}
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return follow(out)
}

// follow replays probing on the tables of the built-in library whose totals are
// known.
func follow(out io.Writer) error {
	set, err := library.Load()
	if err != nil {
		return err
	}
	set.Runs = slices.DeleteFunc(slices.Clone(set.Runs), func(r profile.Run) bool { return r.Basis != estimate.Reconstructed || r.TotalS == nil })
	followed, spent := validate.Follow(set)
	var fastest, cheapest, unsure, probes int
	for _, f := range followed {
		probes += len(f.Probed)
		for n, right := range map[validate.Named]*int{f.Fastest: &fastest, f.Cheapest: &cheapest} {
			switch {
			case n.Right():
				*right++
			case n.P < rank.Sure:
				unsure++
			}
		}
	}
	_, err = fmt.Fprintf(out, "\nnext probe, followed on %d tables of the built-in library: %d probes; the fastest VM type named in %d, the cheapest in %d (of the others %d marked unsure);\n"+
		"%.1f %% of the cost of running everything, a probe of every cell would be %.1f %%\n",
		len(followed), probes, fastest, cheapest, unsure, 100*spent.Following/spent.Running, 100*spent.All/spent.Running)
	return err
}

func row(w io.Writer, set, question string, s validate.Summary) {
	fmt.Fprintf(w, "%s\t%s\t%d\t", set, question, s.N)
	for _, x := range []float64{s.Mean, s.Median, s.P90, s.Coverage, s.MedianHalfWidth, s.Plain, s.PlainMedian} {
		fmt.Fprint(w, percent(x), "\t")
	}
	if s.Unanswered > 0 {
		fmt.Fprintf(w, "%d without an answer", s.Unanswered)
	}
	fmt.Fprintln(w)
}

func percent(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return fmt.Sprintf("%.2f %%", 100*x)
}

// load reads a set, writes it as Profile CSV and reads that back.
func load(set convert.Set, folder, write string) (*profile.Set, error) {
	runs, err := set.Read(os.DirFS(folder))
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := profilecsv.Write(&text, runs); err != nil {
		return nil, err
	}
	if write != "" {
		if err := os.WriteFile(filepath.Join(write, set.Name+".csv"), text.Bytes(), 0o600); err != nil {
			return nil, err
		}
	}
	return profilecsv.Read(&text)
}
