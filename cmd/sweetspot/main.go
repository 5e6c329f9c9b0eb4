// Command sweetspot advises which rented GPU VM, batch size and variant of a
// model to use, from short measured probes.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"charm.land/fang/v2"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"sweetspot/data/store"
	"sweetspot/engine/plaintext"
	"sweetspot/tui"
)

// Exit codes, which scripts rely on.
const (
	exitDone       = 0
	exitFailed     = 1
	exitUsage      = 2
	exitInfeasible = 3
)

// exitError is an error with an exit code.
type exitError struct {
	code int
	err  error
}

func (e exitError) Error() string { return e.err.Error() }
func (e exitError) Unwrap() error { return e.err }

func usageError(format string, args ...any) error {
	return exitError{exitUsage, fmt.Errorf(format, args...)}
}

func main() { os.Exit(run(context.Background(), os.Args[1:])) }

func run(ctx context.Context, args []string) int {
	root := newRootCommand()
	root.SetArgs(args)
	// fang's error box is replaced by one plain sentence.
	sentence := func(w io.Writer, _ fang.Styles, err error) { printError(w, err) }
	err := fang.Execute(ctx, root, fang.WithErrorHandler(sentence))
	var exit exitError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &exit):
		return exit.code
	case isUsage(err):
		return exitUsage
	default:
		return exitFailed
	}
}

// outliveReaders lets writing to a pipe that nobody reads any more fail, instead of
// ending a command that works on: with head -1, say.
func outliveReaders() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

func printError(w io.Writer, err error) {
	text := plaintext.Cut(strings.TrimSpace(err.Error()), 1000) // it may list names of a database
	if text == "" {
		return // reported already
	}
	fmt.Fprintln(w, "sweetspot: "+text)
}

// warn prints a warning to standard error.
func warn(w io.Writer, sentences ...string) {
	for _, s := range sentences {
		_, _ = fmt.Fprintln(w, "sweetspot: warning: "+s) // a lost terminal must not end it either
	}
}

// isUsage recognises the error of cobra's own commands about arguments; it has no type.
func isUsage(err error) bool { return strings.HasPrefix(err.Error(), "unknown command") }

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
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if networkDisk, _ := cmd.Flags().GetBool("network-disk"); networkDisk {
				if err := os.Setenv(store.NetworkVariable, "1"); err != nil { // for processes started here, too
					return err
				}
			}
			if csv, _ := cmd.Flags().GetBool("csv"); csv && wantsJSON(cmd) {
				return usageError("--csv and --json exclude each other")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
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
	root.PersistentFlags().Bool("network-disk", false, "open a database on a network disk, while no other machine does")
	screen.register(root)
	root.SetFlagErrorFunc(flagError)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(newRankCommand(), newPlanCommand(), newFleetCommand(), newTrafficCommand(), newProbeCommand(),
		newAttachCommand(), newQueueCommand(), newExportCommand(), newReproduceCommand(), newValidateCommand(),
		newImportCommand(), newRunsCommand(), newMergeCommand(), newSyncCommand(), newBackupCommand(), newCatalogCommand(),
		newDoctorCommand(), newServeCommand(), newVersionCommand())
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() { // cobra's own, which take any word
		case "completion":
			cmd.Args, cmd.RunE = rejectUnknown, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
			for _, shell := range cmd.Commands() {
				shell.Args = noArguments
			}
		case "help":
			cmd.Hidden, cmd.RunE = true, helpOn
		}
	}
	return root
}

// helpOn prints the help of the command that the arguments name.
func helpOn(help *cobra.Command, args []string) error {
	cmd, left, err := help.Root().Find(args)
	if err != nil || len(left) > 0 {
		return rejectUnknown(cmd, args[len(args)-max(len(left), 1):])
	}
	return cmd.Help()
}

// rejectUnknown rejects a first word that is none of the commands of a command.
func rejectUnknown(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var has []string
	for _, of := range cmd.Commands() {
		if of.IsAvailableCommand() {
			has = append(has, of.Name())
		}
	}
	if len(has) == 0 {
		return usageError("%s has no commands", cmd.Name())
	}
	return usageError("%s has no command %s; it has %s", cmd.Name(), plaintext.Quote(args[0]), strings.Join(has, ", "))
}

// noArguments rejects any word after a command that takes none.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 || cmd.HasAvailableSubCommands() {
		return rejectUnknown(cmd, args)
	}
	return usageError("%s takes no argument: leave out %s", cmd.Name(), plaintext.Quote(args[0]))
}

// arguments rejects any but so many words, none of them empty, and says what they are.
func arguments(n int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n || slices.Contains(args, "") {
			return usageError("give %s", what)
		}
		return nil
	}
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
