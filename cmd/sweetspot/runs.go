package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"sweetspot/data/contract"
	"sweetspot/data/store"
	"sweetspot/data/wording"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

func newRunsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "List the runs of your database, rename, annotate and delete them",
		Long: "runs manages the runs of your own database; those of the built-in library cannot be changed. Deleted runs\n" +
			"are left out of all lists, sums and rankings. undelete restores them completely, including iteration times,\n" +
			"until purge frees their space in the file.",
		Example: "  sweetspot runs list\n  sweetspot runs rename 12 13 --model resnet18 --variant half\n" +
			"  sweetspot runs annotate 12 \"with the new driver\"\n  sweetspot runs delete 12 13\n  sweetspot runs undelete",
		Args: rejectUnknown,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newRunsListCommand(), newRunsRenameCommand(), newRunsAnnotateCommand(), newRunsDeleteCommand(),
		newRunsUndeleteCommand(), newRunsPurgeCommand())
	for _, sub := range cmd.Commands() {
		sub.ValidArgsFunction = cobra.NoFileCompletions // the arguments are run numbers
	}
	return cmd
}

// runsResult is the JSON of the subcommands of runs.
type runsResult struct {
	contract.Head
	Action   string         `json:"action"`
	Database string         `json:"database"`
	Runs     []contract.Run `json:"runs"`  // affected runs; deleted ones as before the deletion
	Picks    []int64        `json:"picks"` // numbers of the affected picks
}

// withDatabase opens the user's database, calls do and closes the database.
func withDatabase(cmd *cobra.Command, do func(db *store.Store) error) error {
	db, err := store.OpenExisting(cmd.Context(), database(cmd))
	if err != nil {
		return err
	}
	warn(cmd.ErrOrStderr(), db.Warnings()...)
	return errors.Join(do(db), db.Close())
}

// printRuns prints the result as JSON or as a sentence.
func printRuns(cmd *cobra.Command, db *store.Store, runs []profile.Run, picks []int64, sentence string) error {
	if !wantsJSON(cmd) {
		_, err := fmt.Fprintln(cmd.OutOrStdout(), sentence)
		return err
	}
	a := runsResult{Head: contract.NewHead("runs"), Action: cmd.Name(), Database: db.Path(),
		Runs: make([]contract.Run, len(runs)), Picks: append([]int64{}, picks...)}
	for i, r := range runs {
		a.Runs[i] = contract.NewRun(r)
	}
	return printJSON(cmd.OutOrStdout(), a)
}

// parseRunNumbers parses run numbers and drops duplicates.
func parseRunNumbers(args []string) ([]int64, error) {
	var ids []int64
	for _, a := range args {
		id, err := strconv.ParseInt(a, 10, 64)
		if err != nil || id < 1 {
			return nil, usageError("%s is not the number of a run; sweetspot runs list shows them", plaintext.Quote(a))
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// needRunNumbers is parseRunNumbers, of at least one argument.
func needRunNumbers(cmd *cobra.Command, args []string) ([]int64, error) {
	if len(args) == 0 {
		return nil, usageError("give the numbers of the runs to %s; sweetspot runs list shows them", cmd.Name())
	}
	return parseRunNumbers(args)
}

// changeRuns changes runs and prints them as they are then.
func changeRuns(cmd *cobra.Command, ids []int64, sentence string, change func(db *store.Store) error) error {
	return withDatabase(cmd, func(db *store.Store) error {
		if err := change(db); err != nil {
			return err
		}
		runs, err := runsNumbered(cmd, db, ids)
		if err != nil {
			return err
		}
		return printRuns(cmd, db, runs, nil, sentence)
	})
}

// runsNumbered loads the runs with the given numbers.
func runsNumbered(cmd *cobra.Command, db *store.Store, ids []int64) ([]profile.Run, error) {
	set, err := db.Load(cmd.Context())
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(set.Runs, func(r profile.Run) bool { return !slices.Contains(ids, r.ID) }), nil
}

func newRunsListCommand() *cobra.Command {
	var deleted bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the runs of your database with their numbers and notes",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withDatabase(cmd, func(db *store.Store) (err error) {
				var runs []profile.Run
				if deleted {
					runs, err = db.Deleted(cmd.Context())
				} else {
					var set *profile.Set
					if set, err = db.Load(cmd.Context()); err == nil {
						runs = set.Runs
					}
				}
				switch {
				case err != nil:
					return err
				case wantsJSON(cmd):
					return printRuns(cmd, db, runs, nil, "")
				}
				return writeRuns(cmd.OutOrStdout(), runs)
			})
		},
	}
	cmd.Flags().BoolVar(&deleted, "deleted", false, "list deleted runs that can be restored instead")
	return cmd
}

func writeRuns(out io.Writer, runs []profile.Run) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "run\tmodel\tvariant\tmode\tVM or host\tbatch\titeration\tstatus\tnote")
	for _, r := range runs {
		iteration := "—"
		if r.Steady.Known() {
			iteration = quantity.Duration(r.Steady.Value)
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\n", r.ID, plaintext.Name(r.Model),
			wording.VariantLabel(r.Variant), r.Mode,
			plaintext.Name(r.VM().InstanceType), r.BatchSize, iteration, r.Status, plaintext.Name(r.Note))
	}
	return w.Flush()
}

func newRunsRenameCommand() *cobra.Command {
	var model, variant string
	cmd := &cobra.Command{
		Use:     "rename RUN…",
		Short:   "Give runs another model or variant",
		Example: "  sweetspot runs rename 12 --model resnet18\n  sweetspot runs rename 12 13 --variant half",
		RunE: func(cmd *cobra.Command, args []string) error {
			ids, err := needRunNumbers(cmd, args)
			if err != nil {
				return err
			}
			newModel, newVariant := cmd.Flags().Changed("model"), cmd.Flags().Changed("variant")
			if !newModel && !newVariant {
				return usageError("give the new names: --model, --variant or both")
			}
			return changeRuns(cmd, ids, quantity.Several(len(ids), "run")+" renamed", func(db *store.Store) error {
				runs, err := runsNumbered(cmd, db, ids)
				if err != nil {
					return err
				}
				names := make([]store.RunName, len(ids))
				for i, id := range ids {
					names[i] = store.RunName{Run: id, Model: model, Variant: variant}
					if at := slices.IndexFunc(runs, func(r profile.Run) bool { return r.ID == id }); at >= 0 {
						if !newModel {
							names[i].Model = runs[at].Model
						}
						if !newVariant {
							names[i].Variant = runs[at].Variant.Name
						}
					}
				}
				_, err = db.Rename(cmd.Context(), names)
				return err
			})
		},
	}
	cmd.Flags().StringVar(&model, "model", "", "new name of the model; an existing model of this name takes over the runs")
	cmd.Flags().StringVar(&variant, "variant", "", "new name of the variant; empty for the model as published")
	return cmd
}

func newRunsAnnotateCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "annotate RUN NOTE",
		Short:   "Attach a note to a run; an empty note removes the old one",
		Example: "  sweetspot runs annotate 12 \"with the new driver\"",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usageError("give the number of a run and its note, in quotes if it contains spaces")
			}
			ids, err := parseRunNumbers(args[:1])
			if err != nil {
				return err
			}
			return changeRuns(cmd, ids, fmt.Sprintf("note saved with run %d", ids[0]), func(db *store.Store) error {
				_, err := db.Annotate(cmd.Context(), store.RunTable, ids[0], args[1])
				return err
			})
		},
	}
}

func newRunsDeleteCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "delete RUN…",
		Short: "Delete runs; undelete restores them",
		RunE: func(cmd *cobra.Command, args []string) error {
			ids, err := needRunNumbers(cmd, args)
			if err != nil {
				return err
			}
			return withDatabase(cmd, func(db *store.Store) error {
				runs, err := runsNumbered(cmd, db, ids)
				if err != nil {
					return err
				}
				if _, err := db.Delete(cmd.Context(), store.RunTable, ids...); err != nil {
					return err
				}
				return printRuns(cmd, db, runs, nil, quantity.Several(len(ids), "run")+
					" deleted; sweetspot runs undelete restores what was deleted last")
			})
		},
	}
}

func newRunsUndeleteCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "undelete [RUN…]",
		Short: "Restore what was deleted last, or runs by their numbers",
		RunE: func(cmd *cobra.Command, args []string) error {
			ids, err := parseRunNumbers(args)
			if err != nil {
				return err
			}
			return withDatabase(cmd, func(db *store.Store) error {
				restored := store.Restored{Runs: ids}
				if len(ids) > 0 {
					err = db.UndeleteRuns(cmd.Context(), ids...)
				} else {
					restored, err = db.Undelete(cmd.Context(), 0)
				}
				if err == nil && len(restored.Runs)+len(restored.Picks) == 0 {
					err = fmt.Errorf("nothing was deleted in %s", plaintext.Clean(db.Path()))
				}
				if err != nil {
					return err
				}
				runs, err := runsNumbered(cmd, db, restored.Runs)
				if err != nil {
					return err
				}
				return printRuns(cmd, db, runs, restored.Picks, "restored: "+countRestored(restored))
			})
		},
	}
}

func newRunsPurgeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "purge",
		Short: "Remove deleted runs and picks permanently and shrink the file",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withDatabase(cmd, func(db *store.Store) error {
				runs, err := db.Deleted(cmd.Context())
				if err != nil {
					return err
				}
				removed, err := db.Purge(cmd.Context())
				if err != nil {
					return err
				}
				return printRuns(cmd, db, runs, removed.Picks, "removed permanently: "+countRestored(removed))
			})
		},
	}
}

// countRestored says how many runs and picks were restored or removed: 2 runs, 1 pick.
func countRestored(r store.Restored) string {
	words := quantity.Several(len(r.Runs), "run")
	if len(r.Picks) > 0 {
		words += ", " + quantity.Several(len(r.Picks), "pick")
	}
	return words
}
