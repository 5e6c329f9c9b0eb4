package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"sweetspot/data/contract"
	"sweetspot/data/store"
	"sweetspot/data/workspace"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
)

// databaseFiles completes names of databases.
func databaseFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"db", "sqlite", "sqlite3"}, cobra.ShellCompDirectiveFilterFileExt
}

func newMergeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "merge FILE",
		Short: "Copy the runs, picks and VM types of another database into yours",
		Long: "merge copies another profile database into yours; the other one is only read. Every run has a mark by\n" +
			"which it is recognised even if you renamed or annotated it, so merging again adds nothing. Deleted runs\n" +
			"stay deleted.",
		Example:           "  sweetspot merge colleague.db\n  sweetspot merge laptop.db --db all.db --json",
		Args:              arguments(1, "one file: the database to merge into yours"),
		ValidArgsFunction: databaseFiles,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			w, err := opened(cmd.Context(), cmd, database(cmd), workspace.OpenFor)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, w.Close()) }()
			m, err := w.Merge(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if wantsJSON(cmd) {
				return printJSON(cmd.OutOrStdout(), mergeAnswer{contract.NewHead("merge", m.Warnings...), w.Store().Path(),
					args[0], m.Runs, m})
			}
			warn(cmd.ErrOrStderr(), m.Warnings...)
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s, in %s\n", m, plaintext.Clean(w.Path()))
			return err
		},
	}
}

// mergeAnswer is the result of a merge as JSON.
type mergeAnswer struct {
	contract.Head
	Database string `json:"database"`
	From     string `json:"from"`      // the database that was read
	RunCount int    `json:"run_count"` // new ones
	store.Merged
}

// backupAnswer is the result of a backup as JSON.
type backupAnswer struct {
	contract.Head
	Database string `json:"database"`
	File     string `json:"file"` // the copy
	Bytes    int64  `json:"bytes"`
}

func newBackupCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "backup FILE",
		Short:             "Copy your database to a new file, even while a probe writes to it",
		Example:           "  sweetspot backup profiles-$(date +%F).db",
		Args:              arguments(1, "one file: a new file for the copy"),
		ValidArgsFunction: databaseFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			return withDatabase(cmd, func(db *store.Store) error {
				size, err := db.Backup(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				if full, err := filepath.Abs(args[0]); err == nil {
					args[0] = full
				}
				if wantsJSON(cmd) {
					return printJSON(cmd.OutOrStdout(), backupAnswer{contract.NewHead("backup"), db.Path(), args[0], size})
				}
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "backed up %s to %s\n", quantity.Bytes(size), plaintext.Clean(args[0]))
				return err
			})
		},
	}
}
