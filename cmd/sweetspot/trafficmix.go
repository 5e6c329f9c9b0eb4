package main

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"sweetspot/data/arrivals"
	"sweetspot/data/contract"
	"sweetspot/data/document"
	"sweetspot/data/workload"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
	"sweetspot/engine/serving"
)

// mixFlags are the flags of traffic mix.
type mixFlags struct {
	trafficFlags
	kinds []string
}

func newTrafficMixCommand() *cobra.Command {
	var f mixFlags
	cmd := &cobra.Command{
		Use:   "mix",
		Short: "Serve requests of several kinds, each with its own models and limits",
		Long: "mix chooses for each kind of request the model that is best within its limits, as Paragon does for its\n" +
			"second workload, and simulates the VMs and functions that serve them. Kinds that the same VMs serve alike share " +
			"them.\n" +
			"A kind is --query with fields: models (with + between them), share, slo, min-accuracy, max-cost (of a million\n" +
			"requests), vm, and of its function function-memory, function-time, function-knee, function-fixed or measured\n" +
			"function-times (with + between them). A trace with a column model has the shares: name kinds as the column does.",
		Example: "  sweetspot traffic mix --query name=search,models=fashion-cnn+fashion-lenet,share=70%,slo=100ms \\\n" +
			"    --query name=review,models=fashion-cnn,share=30%,slo=1s,min-accuracy=88% --vm-price 0.10\n" +
			"  sweetspot traffic mix --trace named.csv --query name=a,models=resnet50,slo=200ms --query name=b,models=vit",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			in, err := f.answer(cmd)
			if err != nil {
				return err
			}
			described := contract.NewMix(in)
			err = printAs(cmd, f.csv, document.Mix,
				document.Subject{Mix: func() (contract.Mix, error) { return described, nil }})
			if err == nil && !described.Keeps {
				err = exitError{exitInfeasible, fmt.Errorf("no scheme keeps violations to %s, %s has the fewest: loosen the slo "+
					"of a --query or --max-violations", quantity.Percent(in.Mix.MaxViolations), described.Pick)}
			}
			return err
		},
	}
	f.settings = serving.Defaults()
	f.registerLoad(cmd)
	f.registerSettings(cmd)
	cmd.Flags().StringArrayVar(&f.kinds, "query", nil, "a kind of request, as "+
		"name=search,models=a+b,share=60%,slo=200ms,min-accuracy=80%; give it for each kind")
	return cmd
}

// answer answers the question that the flags ask.
func (f *mixFlags) answer(cmd *cobra.Command) (in contract.MixInput, err error) {
	if len(f.kinds) == 0 {
		return in, usageError("give --query for each kind of request, as name=search,models=a+b,share=60%%,slo=200ms")
	}
	f.settings.StrictLimitS = min(f.settings.StrictLimitS, f.settings.RelaxedLimitS) // each kind has its own
	if err := f.check(cmd); err != nil {
		return in, err
	}
	in.Mix = serving.Mix{Settings: f.settings, MaxViolations: f.maxViolations}
	for i, text := range f.kinds {
		kind, err := workload.ParseKind(text)
		if err != nil {
			return in, usageError("--query %s: %w", plaintext.Quote(text), err)
		}
		if kind.Name == "" {
			kind.Name = strconv.Itoa(i + 1)
		}
		if slices.ContainsFunc(in.Mix.Kinds, func(x serving.Kind) bool { return x.Name == kind.Name }) {
			return in, usageError("--query name=%s is given twice: name each kind differently", plaintext.Line(kind.Name, 60))
		}
		if f.vmPrice != nil {
			kind.USDPerHour = *f.vmPrice
		}
		in.Mix.Kinds = append(in.Mix.Kinds, kind)
	}
	var traffic contract.TrafficInput
	load, err := f.arrivals(cmd, &traffic)
	if err != nil {
		return in, err
	}
	in.Mix.Trace = load.Arrivals
	in.Source, in.Remarks, in.Seed = traffic.Source, traffic.Remarks, traffic.Seed
	if err := f.share(&in.Mix, load.Kinds); err != nil {
		return in, err
	}
	set, err := loaded(cmd)
	if err != nil {
		return in, err
	}
	if in.Answer, err = in.Mix.Answer(set); err != nil {
		return in, mended(err)
	}
	in.Answer, err = in.Answer.Intervals()
	return in, err
}

// share takes the shares of the kinds from the flags, or from those that the trace names where
// none has one.
func (f *mixFlags) share(m *serving.Mix, named []arrivals.Kind) error {
	given := 0
	for _, kind := range m.Kinds {
		if kind.Share > 0 {
			given++
		}
	}
	switch {
	case given == len(m.Kinds):
		if err := m.Check(); err != nil {
			return usageError("%w", err)
		}
		return nil
	case given > 0:
		return usageError("some --query have a share and some have none: give it in each, or in none")
	case f.trace == "" && len(m.Kinds) == 1:
		m.Kinds[0].Share = 1
		return nil
	case f.trace == "":
		return usageError("give the share of each --query, as share=60%%")
	}
	for _, kind := range m.Kinds {
		at := slices.IndexFunc(named, func(k arrivals.Kind) bool { return k.Model == kind.Name })
		if at < 0 {
			return fmt.Errorf("the trace has no rows of the model %s in a column model: give each --query a share, or the "+
				"names of that column", plaintext.Quote(kind.Name))
		}
		m.Parts = append(m.Parts, named[at].Trace)
		named = slices.Delete(named, at, at+1)
	}
	if len(named) > 0 {
		return fmt.Errorf("the trace has rows of the model %s too: give a --query of that name",
			plaintext.Quote(named[0].Model))
	}
	return nil
}
