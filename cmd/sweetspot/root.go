package main

import (
	"os"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"sweetspot/tui"
)

func newRootCommand() *cobra.Command {
	var screen screenFlags
	root := &cobra.Command{
		Use:   "sweetspot [DB]",
		Short: "Which GPU VM, batch size and precision — for this accuracy, by this deadline, under this budget?",
		Long: "sweetspot opens a profile database (or its built-in library) and shows which rented GPU VM types are\n" +
			"fastest and cheapest for a model, what every number is based on, and what to measure next.\n" +
			"Without a terminal it prints the ranking as a table.",
		Example: "  sweetspot\n  sweetspot profiles.db\n" +
			"  sweetspot rank --model CaffeNet --mode infer --units 1M --min-accuracy 70%",
		Args:          existingFile,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := screen.check(); err != nil {
				return err
			}
			db := database(cmd)
			if len(args) == 1 {
				db = args[0]
			}
			if wantsJSON(cmd) || !term.IsTerminal(os.Stdout.Fd()) || !tui.Interactive() {
				return printDefaultRanking(cmd, db)
			}
			return runScreens(cmd.Context(), db, screen)
		},
	}
	root.PersistentFlags().String("db", "", "profile database to use instead of the built-in library and your "+
		"default database")
	root.PersistentFlags().Bool("json", false, "print JSON")
	screen.register(root)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(newRankCommand(), newPlanCommand(), newFleetCommand(), newTrafficCommand(), newProbeCommand(),
		newAttachCommand(), newExportCommand(), newReproduceCommand(), newValidateCommand(), newImportCommand(),
		newRunsCommand(), newMergeCommand(), newBackupCommand(), newCatalogCommand(), newDoctorCommand(), newVersionCommand())
	return root
}

// existingFile accepts at most one argument, an existing database: any other
// first word was meant as a subcommand.
func existingFile(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if len(args) > 1 {
		return usageError("unexpected argument %q: sweetspot takes one database", args[1])
	}
	if _, err := os.Stat(args[0]); err != nil {
		return usageError("%q is neither a command nor an existing file; see sweetspot --help", args[0])
	}
	return nil
}
