// Command sweetspot advises which rented GPU VM, batch size and variant of a
// model to use, from short measured probes.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"charm.land/fang/v2"
	"github.com/spf13/cobra"
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

func printError(w io.Writer, err error) {
	text := strings.TrimSpace(err.Error())
	if text == "" {
		return // reported already
	}
	fmt.Fprintln(w, "sweetspot: "+plainArgument(text))
}

// warn prints a warning to standard error.
func warn(w io.Writer, sentences ...string) {
	for _, s := range sentences {
		_, _ = fmt.Fprintln(w, "sweetspot: warning: "+s) // a lost terminal must not end it either
	}
}

// badValue matches the flag library's error for an invalid value, which quotes
// Go's strconv.
var badValue = regexp.MustCompile(`^invalid argument (".*") for "(?:-., )?(--[a-z-]+)" flag: strconv\.(\w+)`)

func plainArgument(text string) string {
	m := badValue.FindStringSubmatch(text)
	switch {
	case m == nil:
		return text
	case m[3] == "ParseBool":
		return m[2] + ": " + m[1] + " is not true or false"
	}
	return m[2] + ": " + m[1] + " is not a whole number"
}

// isUsage recognises cobra's errors about flags and arguments; they have no
// types.
func isUsage(err error) bool {
	for _, prefix := range []string{"unknown command", "unknown flag", "unknown shorthand", "flag needs an argument",
		"invalid argument", "accepts ", "requires at least", "required flag", "if any flags in the group"} {
		if strings.HasPrefix(err.Error(), prefix) {
			return true
		}
	}
	return false
}

// persistent flags, shared by every subcommand.
func database(cmd *cobra.Command) string {
	db, _ := cmd.Flags().GetString("db")
	return db
}

func wantsJSON(cmd *cobra.Command) bool {
	yes, _ := cmd.Flags().GetBool("json")
	return yes
}
