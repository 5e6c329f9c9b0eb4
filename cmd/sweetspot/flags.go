package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sweetspot/data/catalog"
	"sweetspot/data/contract"
	"sweetspot/data/wording"
	"sweetspot/data/workspace"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

// database and wantsJSON read the flags that every subcommand shares.
func database(cmd *cobra.Command) string {
	db, _ := cmd.Flags().GetString("db")
	return db
}

func wantsJSON(cmd *cobra.Command) bool {
	yes, _ := cmd.Flags().GetBool("json")
	return yes
}

// opened is a workspace of a database, opened by [workspace.Open] or [workspace.OpenFor]. It warns of
// runs that could not be exchanged over a network disk.
func opened(ctx context.Context, cmd *cobra.Command, db string,
	open func(context.Context, string) (*workspace.Workspace, error)) (*workspace.Workspace, error) {
	w, err := open(ctx, db)
	if err != nil {
		return nil, err
	}
	warn(cmd.ErrOrStderr(), w.Warnings()...)
	return w, nil
}

// loaded is what the database asked for and the built-in library hold.
func loaded(cmd *cobra.Command) (*profile.Set, error) {
	w, err := opened(cmd.Context(), cmd, database(cmd), workspace.Open)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	return w.Load(cmd.Context())
}

// parsed is a flag whose text a function reads: with a unit, as a fraction, as a
// word of a list.
type parsed[T any] struct {
	to       *T
	read     func(string) (T, error)
	text     string
	required bool // it may not be empty
}

// flagOf is a flag that is written to a variable. usual is its default as text; without one
// an empty text leaves the variable as it is.
func flagOf[T any](to *T, read func(string) (T, error), usual string) pflag.Value {
	f := &parsed[T]{to: to, read: read}
	if err := f.Set(usual); err != nil {
		panic(err) // a mistake in the program
	}
	f.required = usual != ""
	return f
}

// optional is a flag whose variable stays nil unless it is given.
func optional[T any](to **T, read func(string) (T, error)) pflag.Value {
	return flagOf(to, func(s string) (*T, error) {
		v, err := read(s)
		return &v, err
	}, "")
}

// parseBool reads a switch that may also be turned off.
func parseBool(s string) (*bool, error) {
	v, err := strconv.ParseBool(s)
	return &v, err
}

// parseLimit reads how many candidates are listed.
func parseLimit(s string) (*int, error) {
	if word := strings.ToLower(strings.TrimSpace(s)); word == "all" || word == "0" {
		return new(contract.All), nil
	}
	n, err := quantity.ParseCount(s)
	if err != nil || n != math.Trunc(n) || n > math.MaxInt32 {
		return nil, fmt.Errorf("%q is not a number of candidates: write 100, or all", plaintext.Line(s, 40))
	}
	return new(int(n)), nil
}

// oneOf reads one of a list of words, in any case.
func oneOf[S ~string](words ...S) func(string) (S, error) {
	return func(s string) (S, error) {
		word := S(strings.ToLower(strings.TrimSpace(s)))
		if !slices.Contains(words, word) {
			return "", fmt.Errorf("%q is not %s", plaintext.Line(s, 40), wording.Either(words))
		}
		return word, nil
	}
}

// Set reads the flag.
func (f *parsed[T]) Set(s string) error {
	if s == "" && !f.required {
		return nil
	}
	v, err := f.read(s)
	if err == nil {
		*f.to, f.text = v, s
	}
	return err
}

// String is the flag as it was given.
func (f *parsed[T]) String() string { return f.text }

// Type is what the help calls the value.
func (*parsed[T]) Type() string { return "string" }

// modes reads a --mode flag.
var modes = oneOf(profile.Train, profile.Infer)

// flagError says which flag has a wrong value, and what is wrong with it.
func flagError(_ *cobra.Command, err error) error {
	invalid := (*pflag.InvalidValueError)(nil)
	if !errors.As(err, &invalid) {
		return exitError{exitUsage, err}
	}
	err = invalid.Unwrap()
	if number := (*strconv.NumError)(nil); errors.As(err, &number) {
		what := map[string]string{"ParseBool": "true or false", "ParseFloat": "a number"}[number.Func]
		err = fmt.Errorf("%q is not %s", number.Num, cmp.Or(what, "a whole number"))
	}
	return usageError("--%s: %w", invalid.GetFlag().Name, err)
}

// completeWords completes a flag's value from fixed words.
func completeWords[S ~string](cmd *cobra.Command, flag string, values []S) {
	var words []string
	for _, v := range values {
		words = append(words, string(v))
	}
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// fromCatalog completes a word of the catalog's VM types. The shell waits for it, so it
// opens no database.
func fromCatalog(word func(profile.VMType) string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		var out []string
		for _, vm := range catalog.Market() {
			if w := word(vm); w != "" && strings.HasPrefix(strings.ToLower(w), strings.ToLower(typed)) {
				out = append(out, w)
			}
		}
		slices.Sort(out)
		return slices.Compact(out), cobra.ShellCompDirectiveNoFileComp
	}
}

var (
	completeGPUs   = fromCatalog(func(vm profile.VMType) string { return vm.GPU })
	completeClouds = fromCatalog(func(vm profile.VMType) string { return vm.Cloud })
)

func completeVMTypes(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return fromCatalog(func(vm profile.VMType) string { return vm.InstanceType })(cmd, args, typed)
}
