package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sweetspot/data/contract"
	"sweetspot/data/document"
	"sweetspot/data/store"
	"sweetspot/data/wording"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
)

func newExportCommand() *cobra.Command {
	var flags queryFlags
	var format, out string
	var place int
	var force, runs bool
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write a pick (the best candidate, or another by its place), a launch file, a report, the ranking or all runs",
		Long: "export writes a pick as data, or as a file that launches it with the tool you use. What only you know, " +
			"such as an\n" +
			"image, a subnet or your command, is a variable that the tool asks for. A report covers the whole ranking.",
		Example: "  sweetspot export --model CaffeNet --units 1M --min-accuracy 70% --max-time 1h --format yaml\n" +
			"  sweetspot export --model seismic/FCN --epochs 13 --sort time --place 2 --out pick.md\n" +
			"  sweetspot export --model seismic/FCN --epochs 13 --format skypilot --out task.yaml\n" +
			"  sweetspot export --model CaffeNet --units 1M --purchase spot --out main.tf\n" +
			"  sweetspot export --model CaffeNet --units 1M --out report.html\n" +
			"  sweetspot export --runs --out runs.csv\n" +
			"  sweetspot export --runs --format json",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if wantsJSON(cmd) && format != "" && !strings.EqualFold(format, "json") {
				return usageError("--json and --format %s exclude each other", format)
			}
			if runs {
				return exportRuns(cmd, exportFlags{format, out, wantsJSON(cmd)}, force)
			}
			f, err := exportFlags{format, out, wantsJSON(cmd)}.form("yaml", queryGroups...)
			if err != nil {
				return err
			}
			if err := checkForm(f, cmd.Flags().Changed("place"), out); err != nil {
				return err
			}
			result, tested, err := ask(cmd, database(cmd), flags)
			if err != nil {
				return err
			}
			if err := feasibleOrSay(result); err != nil {
				return err
			}
			if place < 1 || place > result.Count() {
				return usageError("--place %d: the ranking has places 1 to %d", place, result.Count())
			}
			now := time.Now()
			pick := contract.NewPick(result, result.Window(place-1, place)[0], now, version(), tested)
			set, err := loaded(cmd)
			if err != nil {
				return err
			}
			pick.RunAs(set)
			subject := document.Subject{Pick: &pick, Ranking: &document.Ranked{Result: result, Tested: tested, At: now,
				Version: version()}}
			return writeDocument(cmd, subject, f, out, force)
		},
	}
	flags.register(cmd)
	cmd.Flags().StringVar(&format, "format", "", fmt.Sprintf("format of a pick: %s; of a launch file: %s; of a report: "+
		"%s; of the ranking with its frontiers: %s; of runs: %s (default: by the extension of --out, else yaml, for runs "+
		"csv)", either(document.Pick), either(document.Launch), either(document.Report), either(document.Ranking),
		either(document.Runs)))
	completeWords(cmd, "format", document.Formats(queryGroups...))
	cmd.Flags().StringVar(&out, "out", "", "file to write (default: standard output)")
	cmd.Flags().IntVar(&place, "place", 1, "place in the ranking to export")
	cmd.Flags().BoolVar(&runs, "runs", false, "write the runs of your database instead of a pick: as Profile CSV, "+
		"or as JSON with every iteration time")
	cmd.Flags().BoolVar(&force, "force", false, "overwrite an existing file")
	return cmd
}

// exportFlags are the flags that choose the form to write.
type exportFlags struct {
	format, out string
	json        bool
}

func (e exportFlags) String() string {
	return cmp.Or(e.format, strings.TrimPrefix(filepath.Ext(e.out), "."))
}

// form returns the form that --format names, else that of the extension of --out,
// else fallback.
func (e exportFlags) form(fallback string, groups ...string) (document.Form, error) {
	name := cmp.Or(e.format, fallback)
	switch {
	case e.json && e.format == "":
		name = "json"
	case e.format == "" && filepath.Ext(e.out) != "":
		f, err := document.ByFile(e.out, groups...)
		if err != nil {
			return f, usageError("--out: %w", err)
		}
		return f, nil
	}
	f, err := document.Named(name, groups...)
	if err != nil {
		return f, usageError("--format: %w", err)
	}
	return f, nil
}

// checkForm rejects flags that do not apply to the form.
func checkForm(f document.Form, hasPlace bool, out string) error {
	switch {
	case (f.Group == document.Report || f.Group == document.Ranking) && hasPlace:
		return usageError("--place selects one candidate, but this format writes the whole ranking: leave --place out")
	case f.Beside && out == "":
		return usageError("the pictures of a %s %s are written beside it: name a file with --out report%s", f.Title, f.Group,
			f.Extension)
	}
	return nil
}

// queryGroups are the groups of forms that export the answer to a query.
var queryGroups = []string{document.Pick, document.Launch, document.Report, document.Ranking}

func either(group string) string { return wording.Either(document.Formats(group)) }

// exportRuns writes the runs of the user's database that answer anything.
func exportRuns(cmd *cobra.Command, as exportFlags, force bool) error {
	f, err := as.form("csv", document.Runs)
	if err != nil {
		return usageError("runs are written as %s, not as %s", either(document.Runs), as)
	}
	if idle := idleBesideRuns(cmd); len(idle) > 0 {
		return usageError("--runs writes all runs of the database, whatever %s asks for: leave it out",
			strings.Join(idle, " or "))
	}
	return withDatabase(cmd, func(db *store.Store) error {
		set, err := db.Load(cmd.Context())
		if err != nil {
			return err
		}
		set.Runs = slices.DeleteFunc(set.Runs, func(r profile.Run) bool { return !r.Answers() })
		iterations := func(run int64) ([]store.Iteration, error) { return db.Iterations(cmd.Context(), run) }
		return writeDocument(cmd, document.Subject{Runs: &document.Recorded{Set: set, Iterations: iterations}}, f,
			as.out, force)
	})
}

// writeDocument writes a subject in a form, and what belongs beside it. Nothing is
// written where the form does not fit what is asked.
func writeDocument(cmd *cobra.Command, s document.Subject, f document.Form, out string, force bool) error {
	d, ok := document.Find(document.Of(s), f)
	if !ok {
		return usageError("--format %s: nothing is written so", f.Format)
	}
	if d.Why != nil {
		return usageError("--format %s: %w", d.Format, d.Why)
	}
	files, err := d.Files(out)
	if err != nil {
		return err
	}
	if out == "" {
		return files[0].Write(cmd.OutOrStdout())
	}
	return save(cmd, out, force, files)
}

// save writes files and says so.
func save(cmd *cobra.Command, out string, force bool, files []document.File) error {
	err := document.Save(out, files, force)
	if exists := (*document.ExistsError)(nil); errors.As(err, &exists) {
		return fmt.Errorf("%s exists already: give another --out, or --force to overwrite it", plaintext.Clean(exists.Path))
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(cmd.ErrOrStderr(), document.Wrote(out, files))
	return err
}

// idleBesideRuns are the flags given that ask for a pick, which runs are not.
func idleBesideRuns(cmd *cobra.Command) (idle []string) {
	cmd.Flags().Visit(func(fl *pflag.Flag) {
		if cmd.InheritedFlags().Lookup(fl.Name) == nil &&
			!slices.Contains([]string{"runs", "format", "out", "force"}, fl.Name) {
			idle = append(idle, "--"+fl.Name)
		}
	})
	return idle
}

// printAs prints a subject of a group as the flags ask: as JSON, as CSV, or as
// text.
func printAs(cmd *cobra.Command, csv bool, group string, s document.Subject) error {
	format := "text"
	switch {
	case wantsJSON(cmd):
		format = "json"
	case csv:
		format = "csv"
	}
	f, err := document.Named(format, group)
	if err != nil {
		return err
	}
	return writeDocument(cmd, s, f, "", false)
}
