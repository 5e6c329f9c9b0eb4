package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"sweetspot/data/export"
	"sweetspot/data/profilecsv"
	"sweetspot/data/store"
)

func newExportCommand() *cobra.Command {
	var flags queryFlags
	var format, out string
	var place int
	var force, runs bool
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write a pick — the best candidate of a query, or another place — or all runs",
		Example: "  sweetspot export --model CaffeNet --units 1M --min-accuracy 70% --max-time 1h --format yaml\n" +
			"  sweetspot export --model seismic/FCN --epochs 13 --sort time --place 2 --out pick.md\n" +
			"  sweetspot export --runs --out runs.csv",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if runs {
				return exportRuns(cmd, out, force)
			}
			f, err := pickFormat(format, out, wantsJSON(cmd))
			if err != nil {
				return err
			}
			result, err := ask(cmd, database(cmd), flags)
			if err != nil {
				return err
			}
			if err := feasibleOrSay(result); err != nil {
				return err
			}
			if place < 1 || place > len(result.Order) {
				return usageError("--place %d: the ranking has places 1 to %d", place, len(result.Order))
			}
			pick := export.NewPick(result, result.Order[place-1], time.Now(), version())
			if out == "" {
				return pick.Write(cmd.OutOrStdout(), f)
			}
			return writeFile(out, force, func(w io.Writer) error { return pick.Write(w, f) })
		},
	}
	flags.register(cmd)
	cmd.Flags().StringVar(&format, "format", "", "json, yaml, csv or markdown (default: by the name of --out, else yaml)")
	cmd.Flags().StringVar(&out, "out", "", "file to write (default: standard output)")
	cmd.Flags().IntVar(&place, "place", 1, "place in the ranking to export")
	cmd.Flags().BoolVar(&runs, "runs", false, "write the runs of your database as Profile CSV instead of a pick")
	cmd.Flags().BoolVar(&force, "force", false, "overwrite an existing file")
	return cmd
}

// exportRuns writes the runs of the user's database, one row each.
func exportRuns(cmd *cobra.Command, out string, force bool) error {
	path := database(cmd)
	if path == "" {
		path = store.DefaultPath()
	}
	db, err := store.OpenExisting(cmd.Context(), path)
	if err != nil {
		return err
	}
	defer db.Close()
	set, err := db.Load(cmd.Context())
	if err != nil {
		return err
	}
	if out == "" {
		return profilecsv.Write(cmd.OutOrStdout(), set)
	}
	return writeFile(out, force, func(w io.Writer) error { return profilecsv.Write(w, set) })
}

func pickFormat(format, out string, asJSON bool) (export.Format, error) {
	switch {
	case format != "":
	case asJSON:
		format = "json"
	case out != "":
		format = filepath.Ext(out)
	default:
		format = "yaml"
	}
	f, err := export.ParseFormat(format)
	if err != nil {
		return f, usageError("--format: %w", err)
	}
	return f, nil
}

// writeFile writes a file that does not exist yet, or with force replaces one.
func writeFile(path string, force bool, write func(io.Writer) error) error {
	flag := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if force {
		flag = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	file, err := os.OpenFile(path, flag, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already: give another --out, or --force to overwrite it", path)
	}
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}
