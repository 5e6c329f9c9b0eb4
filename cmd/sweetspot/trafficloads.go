package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"sweetspot/data/contract"
	"sweetspot/data/document"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
	"sweetspot/engine/tokens"
)

// loadsFlags are the flags of traffic loads.
type loadsFlags struct {
	model, gpu string
	atOnce     []float64
	lengths    tokens.Load
	csv        bool
}

func newTrafficLoadsCommand() *cobra.Command {
	var f loadsFlags
	cmd := &cobra.Command{
		Use:   "loads",
		Short: "Predict TPOT, latency and tokens per second of a language model's server at loads that were not measured",
		Long: "loads lists the loads that were probed or imported of a model's servers, and what requests take at other\n" +
			"numbers at once, by a line or a parabola between those that were measured; at other lengths; and on a\n" +
			"server with one such load, as on another one. How far these rules are off for other servers corrects them and\n" +
			"sets the intervals. A load is of clients that each ask again once they are answered, so that nothing waits.\n" +
			"What lies beyond the loads is unknown. traffic llm simulates requests that come at their own times.",
		Example: "  sweetspot traffic loads --model llama-3.1-8b\n" +
			"  sweetspot traffic loads --model llama-3.1-8b --gpu h100 --concurrency 24,48",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			described, err := f.answer(cmd)
			if err != nil {
				return err
			}
			return printAs(cmd, f.csv, document.Loads,
				document.Subject{Loads: func() (contract.Loads, error) { return described, nil }})
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.model, "model", "", "the language model whose servers' loads the database has")
	fl.StringVar(&f.gpu, "gpu", "", "only the servers with this kind of GPU")
	fl.Float64SliceVar(&f.atOnce, "concurrency", nil, "numbers of requests at once (default: those that were measured, "+
		"and powers of two between them)")
	fl.Float64Var(&f.lengths.Input, "input", 0, "tokens of a prompt (default: as measured)")
	fl.Float64Var(&f.lengths.Output, "output", 0, "tokens of an answer (default: as measured)")
	fl.BoolVar(&f.csv, "csv", false, "print the loads as CSV")
	return cmd
}

// mostAtOnce and mostLength bound what is asked: no server has more.
const (
	mostAtOnce = 1e6
	mostLength = 1e7
)

// check refuses what means nothing.
func (f *loadsFlags) check() error {
	if f.model == "" {
		return usageError("give --model, a language model of whose server loads were probed or imported")
	}
	for _, n := range f.atOnce {
		if !(n >= 1 && n <= mostAtOnce) {
			return usageError("--concurrency %g: give numbers from 1 to %s", n, quantity.Count(mostAtOnce))
		}
	}
	for k, n := range []float64{f.lengths.Input, f.lengths.Output} {
		if n != 0 && !(n >= 1 && n <= mostLength) {
			return usageError("--%s %g: give a number of tokens from 1 to %s", []string{"input", "output"}[k], n,
				quantity.Count(mostLength))
		}
	}
	return nil
}

func (f *loadsFlags) answer(cmd *cobra.Command) (out contract.Loads, err error) {
	set, err := loaded(cmd)
	if err != nil {
		return out, err
	}
	in := contract.LoadsInput{Servers: set.Servers(f.model, f.gpu), Lengths: f.lengths, Told: tokens.NewServed(set),
		Query: contract.LoadsQuery{Model: plaintext.Clean(f.model), GPU: contract.OrNull(plaintext.Clean(f.gpu)),
			AtOnce: f.atOnce, Input: contract.OrNull(f.lengths.Input),
			Output: contract.OrNull(f.lengths.Output)}}
	if len(in.Servers) == 0 {
		return out, fmt.Errorf("the database has no load on a server of %s: measure one with sweetspot probe server, or "+
			"import what vLLM's benchmark, guidellm or AIPerf wrote", plaintext.Quote(f.model))
	}
	return contract.NewLoads(in), nil
}
