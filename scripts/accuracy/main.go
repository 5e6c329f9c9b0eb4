// Command accuracy measures the predictors on published measurements and prints
// one table: `make accuracy`, or `make accuracy DATA=folder` for a folder laid
// out alike. Every set goes through the Profile CSV first, so that what is
// measured is what an import would see.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"sweetspot/data/catalog"
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
	halves := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(halves, "\n\t\thalf 1\t\t\t\thalf 2\t\t\t\t")
	fmt.Fprintln(halves, "set\tquestion\tn\tmean\tmedian\tcoverage\tn\tmean\tmedian\tcoverage\t")
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
				halved(halves, set.Name, q.Name, cases)
			}
		}
	}
	for _, table := range []*tabwriter.Writer{w, halves} {
		if err := table.Flush(); err != nil {
			return err
		}
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

// halved writes how well a question is answered for each half of the models, or
// systems, apart. A constant that fits the ones it was chosen on, and no others,
// would show here.
func halved(w io.Writer, set, question string, cases []validate.Case) {
	fmt.Fprintf(w, "%s\t%s\t", set, question)
	for _, cases := range halves(cases) {
		s := validate.Summarise(cases)
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t", s.N, percent(s.Mean), percent(s.Median), percent(s.Coverage))
	}
	fmt.Fprintln(w)
}

// halves splits cases by their groups, which go to one half and the other in
// turn, in the order of the hashes of their names.
func halves(cases []validate.Case) [2][]validate.Case {
	hashes := map[string]uint32{}
	for _, c := range cases {
		h := fnv.New32a()
		h.Write([]byte(c.Group))
		hashes[c.Group] = h.Sum32()
	}
	inTurn := slices.Sorted(maps.Values(hashes))
	var out [2][]validate.Case
	for _, c := range cases {
		i, _ := slices.BinarySearch(inTurn, hashes[c.Group])
		out[i%2] = append(out[i%2], c)
	}
	return out
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
	read, err := profilecsv.Read(&text)
	if err != nil {
		return nil, err
	}
	read.GPUs = catalog.GPUs() // as beside every database
	return read, nil
}
