package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"sweetspot/data/bundle"
	"sweetspot/data/contract"
	"sweetspot/data/store"
	"sweetspot/data/workspace"
	"sweetspot/engine/plaintext"
	"sweetspot/probes/remote"
)

func newSyncCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "sync FOLDER|USER@HOST:FOLDER",
		Short: "Exchange runs, picks and prices with the databases that sync in the same folder",
		Long: "sync reads the bundles that other databases have left in a folder and leaves one with what they lack.\n" +
			"The folder may be on a network disk, or on another host that ssh reaches. After everybody has synced, all have\n" +
			"the same: of names, notes, deletions and undeletions the latest holds. What one database purged stays in the\n" +
			"others' files, and can be undeleted there. A sync that is broken off is finished by the next one.",
		Example: "  sweetspot sync /mnt/team/sweetspot\n  sweetspot sync me@server:sweetspot --db team.db --json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "" {
				return usageError("give one folder to sync in, or user@host:folder")
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			folder, err := syncFolder(args[0])
			if err != nil {
				return exitError{exitUsage, err}
			}
			w, err := opened(cmd.Context(), cmd, database(cmd), workspace.OpenFor)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, w.Close()) }()
			done, err := w.Sync(cmd.Context(), folder)
			if err != nil {
				warn(cmd.ErrOrStderr(), done.Warnings...)
				return err
			}
			if wantsJSON(cmd) {
				return printJSON(cmd.OutOrStdout(), syncAnswer{contract.NewHead("sync", done.Warnings...), w.Store().Path(),
					args[0], done})
			}
			warn(cmd.ErrOrStderr(), done.Warnings...)
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s, in %s\n", done, plaintext.Clean(w.Path()))
			return err
		},
	}
}

// syncFolder is a folder here or on another host.
func syncFolder(text string) (bundle.Folder, error) {
	there, isRemote, err := remote.ParseFolder(text)
	if err != nil {
		return nil, err
	}
	if isRemote {
		return there, nil
	}
	return bundle.Directory{Path: text}, nil
}

// syncAnswer is the result of a sync as JSON.
type syncAnswer struct {
	contract.Head
	Database string `json:"database"`
	Folder   string `json:"folder"` // as it was given
	store.Synced
}
