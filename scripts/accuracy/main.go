// Command accuracy measures the predictors on published measurements and prints
// one table: `make accuracy`, or `make accuracy DATA=folder` for a folder laid
// out alike. Every set is converted to the Profile CSV, imported into a profile
// database of its own and asked as `sweetspot validate --db` would ask it.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sweetspot/data/library"
	"sweetspot/data/profilecsv"
	"sweetspot/data/store"
	"sweetspot/data/workspace"
	"sweetspot/engine/advice"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
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
		if !tables.ask(set.Name, runs) {
			fmt.Fprintf(notes, "accuracy: %s has too few runs to ask anything of\n", set.Name)
		}
	}
	if read == 0 && damaged == nil {
		return fmt.Errorf("none of the sets is in %q, which would be in folders called mlperf, profet and zeus; name "+
			"another with DATA=folder", data)
	}
	if read > 0 {
		if err := tables.write(out); err != nil {
			return err
		}
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

// imported makes a database of the runs and loads it as every subcommand does that is
// told to ask it alone.
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
