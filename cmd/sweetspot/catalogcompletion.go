package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sweetspot/data/catalog"
	"sweetspot/engine/profile"
)

// completeWords completes a flag's value from fixed words.
func completeWords(cmd *cobra.Command, flag string, values ...string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// plainWords are values of a type whose values are words.
func plainWords[S ~string](values []S) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}

// completeGPUs, completeClouds and completeVMTypes complete from the catalog.
// The shell waits for them, so they open no database.
func completeGPUs(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	return offered(typed, func(vm profile.VMType) string { return vm.GPU }), cobra.ShellCompDirectiveNoFileComp
}

func completeClouds(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	return offered(typed, func(vm profile.VMType) string { return vm.Cloud }), cobra.ShellCompDirectiveNoFileComp
}

func completeVMTypes(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return offered(typed, func(vm profile.VMType) string { return vm.InstanceType }), cobra.ShellCompDirectiveNoFileComp
}

func offered(typed string, word func(profile.VMType) string) []string {
	var out []string
	for _, vm := range catalog.Market() {
		if w := word(vm); w != "" && strings.HasPrefix(strings.ToLower(w), strings.ToLower(typed)) {
			out = append(out, w)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
