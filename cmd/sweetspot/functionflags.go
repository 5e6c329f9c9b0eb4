package main

import (
	"github.com/spf13/pflag"

	"sweetspot/data/workload"
	"sweetspot/engine/quantity"
)

// registerFunction registers the flags of how the time of a function falls with its memory.
func registerFunction(fl *pflag.FlagSet, f *workload.FunctionTime) {
	fl.Float64Var(&f.KneeGiB, "function-knee", 0, "memory in GiB from which a function gets no faster (default 2)")
	fl.Var(optional(&f.Fixed, quantity.ParseFraction), "function-fixed",
		"share of a function's time that more memory does not shorten (default 10%)")
	fl.StringVar(&f.Times, "function-times", "", "measured times of a warm function by its memory in GiB, as "+
		"0.5:1.2s,1:600ms,2:310ms, to which knee and fixed share are fitted")
}
