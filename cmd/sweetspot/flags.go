package main

import (
	"strings"

	"github.com/spf13/cobra"

	"sweetspot/data/workspace"
	"sweetspot/engine/profile"
)

// parseMode reads a --mode flag; empty means unspecified.
func parseMode(s string) (profile.Mode, error) {
	switch m := profile.Mode(strings.ToLower(s)); m {
	case "", profile.Train, profile.Infer:
		return m, nil
	}
	return "", usageError("--mode %q is neither train nor infer", s)
}

// numberFlag is a flag written with a unit or as a fraction, and where its
// value goes. The value stays nil if the flag is not given.
type numberFlag struct {
	name, text string
	parse      func(string) (float64, error)
	to         **float64
}

func readNumbers(flags ...numberFlag) error {
	for _, f := range flags {
		if f.text == "" {
			continue
		}
		v, err := f.parse(f.text)
		if err != nil {
			return usageError("--%s: %w", f.name, err)
		}
		*f.to = &v
	}
	return nil
}

// loaded is what the database asked for and the built-in library hold.
func loaded(cmd *cobra.Command) (*profile.Set, error) {
	w, err := workspace.Open(cmd.Context(), database(cmd))
	if err != nil {
		return nil, err
	}
	defer w.Close()
	return w.Load(cmd.Context())
}
