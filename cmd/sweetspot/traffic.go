package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sweetspot/data/contract"
	"sweetspot/data/document"
	"sweetspot/data/workload"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/serving"
)

// trafficFlags are the flags of the traffic subcommand.
type trafficFlags struct {
	trace                         string
	pattern                       serving.Pattern
	schemes                       []serving.Scheme
	rate, scale, hours            float64
	seed                          uint64
	models                        []string
	vm                            string
	vmPrice, minAccuracy, maxCost *float64
	maxViolations                 float64
	functionMemory                float64
	phases                        []float64
	phaseS                        int
	csv                           bool
	settings                      serving.Settings
	memory                        serving.Memory
	function                      workload.FunctionTime
}

func newTrafficCommand() *cobra.Command {
	var f trafficFlags
	cmd := &cobra.Command{
		Use:   "traffic",
		Short: "Serve an arrival trace with VMs and functions: what each scheme costs and how many requests are late",
		Long: "traffic simulates, second by second, how an arrival trace is served under the schemes that Paragon\n" +
			"(Gunasekaran et al. 2020) compares: VMs that follow the load, VMs that run ahead of it, and functions beside " +
			"them.\n" +
			"With --models it first chooses the variant and VM type that serve cheapest within the limits.",
		Example: "  sweetspot traffic\n  sweetspot traffic --trace arrivals.csv --slo 500ms --vm-rate 40 --vm-price 0.526\n" +
			"  sweetspot traffic --models fashion-cnn --vm-price 0.10 --min-accuracy 88% --pattern bursty --rate 5000 --json",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			in, err := f.answer(cmd)
			if err != nil {
				return err
			}
			err = printAs(cmd, f.csv, document.Traffic,
				document.Subject{Traffic: func() (contract.Traffic, error) { return contract.NewTraffic(in), nil }})
			return errors.Join(err, kept(in.Advice))
		},
	}
	f.register(cmd)
	cmd.AddCommand(newTrafficLLMCommand(), newTrafficMixCommand(), newTrafficLoadsCommand())
	return cmd
}

func (f *trafficFlags) register(cmd *cobra.Command) {
	f.registerLoad(cmd)
	f.registerServed(cmd)
	f.registerSettings(cmd)
}

// registerLoad registers the flags of what comes.
func (f *trafficFlags) registerLoad(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.trace, "trace", "", "arrival trace: CSV with time_s, or second,requests, or Azure's LLM trace "+
		"(default: a synthetic load)")
	fl.Var(flagOf(&f.pattern, oneOf(serving.Patterns...), string(serving.DayLoad)), "pattern",
		"pattern of the synthetic load without --trace: "+
			"constant, poisson, diurnal, flash-crowd, bursty or day")
	fl.Float64Var(&f.rate, "rate", 100, "mean rate of a synthetic load, in requests per second")
	fl.Float64Var(&f.hours, "hours", 24, "length of a synthetic load, in hours")
	fl.Float64SliceVar(&f.phases, "phases", nil, "constant loads one after the other in place of --pattern, in requests "+
		"per second, as 10,50,100,200")
	fl.Var(flagOf(&f.phaseS, parseWholeSeconds, "1h"), "phase-length", "length of each of the --phases")
	fl.Float64Var(&f.scale, "scale", 1, "factor by which to multiply the load")
	fl.Uint64Var(&f.seed, "seed", 1, "random seed of a synthetic load")
}

// registerServed registers the flags of what serves it.
func (f *trafficFlags) registerServed(cmd *cobra.Command) {
	fl, d, s := cmd.Flags(), serving.Defaults(), &f.settings
	f.settings = d
	fl.StringSliceVar(&f.models, "models", nil, "models to choose from, with inference runs (default: a VM as "+
		"the flags describe it)")
	fl.Var(optional(&f.minAccuracy, quantity.ParseFraction), "min-accuracy",
		"minimum accuracy, for --models, as 0.7 or 70%")
	fl.Var(optional(&f.maxCost, quantity.ParseMoney), "max-cost",
		"cost limit per million requests on VMs, for --models, as $5; the most "+
			"accurate variant within it is chosen, or, with --min-accuracy and without --slo, the fastest")
	fl.Var(lasting(&s.StrictLimitS, quantity.ParseDuration), "slo", "latency limit of strict requests")
	fl.Var(flagOf(&f.schemes, parseSchemes, "all"), "scheme",
		"schemes to list: all, or some of reactive, util-aware, exascale, "+
			"mixed, paragon; the advice compares all")
	fl.StringVar(&f.vm, "vm", "", "the VM type, for its price in the catalog, or to choose among the runs of --models")
	fl.Float64Var(&s.VM.RequestsPerSecond,
		"vm-rate", d.VM.RequestsPerSecond, "requests per second that a VM serves within the limit")
	fl.Var(lasting(&s.VM.LatencyS, quantity.ParseDuration), "vm-latency", "latency of a request on a VM")
	fl.Float64Var(&f.functionMemory, "function-memory", 0,
		"memory of a function in GiB (default: the cheapest within the limit)")
	fl.Var(lasting(&s.Function.Seconds, quantity.ParseDuration), "function-time",
		fmt.Sprintf("latency of a request on a warm function of %g GiB", d.Function.MemoryGiB))
	registerFunction(fl, &f.function)
}

// registerSettings registers the flags of how VMs and functions are started, and of limits
// that all requests share.
func (f *trafficFlags) registerSettings(cmd *cobra.Command) {
	fl, d, s := cmd.Flags(), serving.Defaults(), &f.settings
	fl.Var(lasting(&s.RelaxedLimitS, quantity.ParseDuration), "relaxed-slo", "latency limit of other requests")
	fl.Var(flagOf(&s.StrictShare, quantity.ParseFraction, fmt.Sprint(d.StrictShare)), "strict-share",
		"share of strict requests")
	fl.Var(flagOf(&f.maxViolations, quantity.ParseFraction, fmt.Sprint(serving.DefaultViolations)), "max-violations",
		"share of requests that may miss their limit")
	fl.Var(optional(&f.vmPrice, quantity.ParseMoney), "vm-price",
		"price of a VM in $ per hour (default 0.10, the study's m4.large; with "+
			"--models only where none is known)")
	fl.Var(flagOf(&s.VM.StartS, parseWholeSeconds, duration(float64(d.VM.StartS))), "vm-startup",
		"time from ordering a VM until it serves requests")
	fl.Var(lasting(&s.Function.ColdStartS, parseTerm), "cold-start", "time to start a new function")
	fl.Var(lasting(&s.Function.ModelLoadS, parseTerm), "model-load", "time to load the model into a new function")
	fl.Var(flagOf(&s.Predictor, oneOf(serving.Predictors...), string(serving.Trend)), "predictor",
		"how exascale predicts the load: trend, average or present")
	fl.IntVar(&s.TrendS, "predictor-window", d.TrendS, "seconds that the predictor looks back")
	fl.IntVar(&s.Function.Prewarmed, "prewarmed", 0, "functions that are kept warm, by requests that do nothing")
	fl.BoolVar(&f.csv, "csv", false, "print CSV")
}

// lasting is a flag with the variable's value as its default, in seconds.
func lasting(to *float64, read func(string) (float64, error)) pflag.Value {
	return flagOf(to, read, duration(*to))
}

func duration(s float64) string {
	if s < 1 {
		return fmt.Sprintf("%gms", 1000*s)
	}
	return fmt.Sprintf("%gs", s)
}

// check refuses numbers that mean nothing, and flags that would change nothing.
func (f *trafficFlags) check(cmd *cobra.Command) error {
	var err error
	if f.memory, _, err = f.function.Memory(f.settings.Function); err != nil {
		return usageError("%w", err)
	}
	for _, name := range []string{"vm-rate", "vm-latency"} {
		if len(f.models) > 0 && cmd.Flags().Changed(name) {
			return usageError("--%s is what the runs of --models say: leave out one of them", name)
		}
	}
	for _, n := range []struct {
		name     string
		is, most float64
	}{{"rate", f.rate, serving.MaxPerSecond / 10}, {"hours", f.hours, serving.MaxSeconds / 3600}, {"scale", f.scale, 1e6},
		{"vm-rate", f.settings.VM.RequestsPerSecond, serving.MaxPerSecond}} {
		if !(n.is > 0) || n.is > n.most {
			return usageError("--%s %g: give a number above 0 and up to %g", n.name, n.is, n.most)
		}
	}
	if err := f.checkPhases(cmd); err != nil {
		return err
	}
	if f.trace == "" && f.rate*f.scale > serving.MaxPerSecond/10 {
		return usageError("--rate %g times --scale %g: a load has at most %d requests a second on average", f.rate, f.scale,
			serving.MaxPerSecond/10)
	}
	if f.settings.StrictLimitS > f.settings.RelaxedLimitS {
		return usageError("--slo %s is looser than --relaxed-slo %s: strict requests have the shorter limit",
			cmd.Flag("slo").Value, cmd.Flag("relaxed-slo").Value)
	}
	if f.functionMemory != 0 && !(f.functionMemory >= f.memory.MinGiB && f.functionMemory <= f.memory.MaxGiB) {
		return usageError("--function-memory %g: give GiB from %g to %g", f.functionMemory, f.memory.MinGiB, f.memory.MaxGiB)
	}
	if (f.minAccuracy != nil || f.maxCost != nil) && len(f.models) == 0 {
		return usageError("--min-accuracy and --max-cost choose among --models: name some")
	}
	if err := f.settings.Check(); err != nil {
		return usageError("%w", err)
	}
	return nil
}

// checkPhases refuses phases that mean nothing, and what would be left out for them.
func (f *trafficFlags) checkPhases(cmd *cobra.Command) error {
	if len(f.phases) == 0 {
		if cmd.Flags().Changed("phase-length") {
			return usageError("--phase-length is that of --phases: give some")
		}
		return nil
	}
	for _, name := range []string{"trace", "pattern", "rate", "hours", "seed"} {
		if cmd.Flags().Changed(name) {
			return usageError("--phases are a load of their own: leave out --%s", name)
		}
	}
	for _, rate := range f.phases {
		if !(rate >= 0 && rate*f.scale <= serving.MaxPerSecond/10) {
			return usageError("--phases %g: give requests per second from 0 to %d", rate, serving.MaxPerSecond/10)
		}
	}
	if f.phaseS < 1 || f.phaseS > serving.MaxSeconds/len(f.phases) {
		return usageError("--phase-length is %d s: give 1 s at least, and 31 days for all --phases together at most",
			f.phaseS)
	}
	return nil
}

func parseSchemes(s string) (schemes []serving.Scheme, err error) {
	if s = strings.ToLower(strings.TrimSpace(s)); s == "all" || s == "" {
		return serving.Schemes(), nil
	}
	for _, word := range strings.Split(s, ",") {
		scheme := serving.Scheme(strings.TrimSpace(word))
		if slices.Contains(schemes, scheme) {
			continue
		}
		if !slices.Contains(serving.Schemes(), scheme) {
			return nil, fmt.Errorf("%q is not one of all, reactive, util-aware, exascale, mixed and paragon",
				plaintext.Line(string(scheme), 40))
		}
		schemes = append(schemes, scheme)
	}
	return schemes, nil
}

// answer answers the question that the flags ask.
func (f *trafficFlags) answer(cmd *cobra.Command) (in contract.TrafficInput, err error) {
	in = contract.TrafficInput{Schemes: f.schemes, MinAccuracy: f.minAccuracy, MaxCost: f.maxCost}
	q := serving.Question{Settings: f.settings, MaxViolations: f.maxViolations}
	load, err := f.arrivals(cmd, &in)
	if err != nil {
		return in, err
	}
	q.Trace = load.Arrivals
	w := serving.Wanted{
		Models: f.models, VM: f.vm, MinAccuracy: f.minAccuracy, MaxUSDPerMillion: f.maxCost, MemoryGiB: f.functionMemory,
		Best: f.best(cmd.Flags().Changed("slo")),
	}
	if f.function != (workload.FunctionTime{}) {
		w.Function = &f.memory
	}
	set, err := f.price(cmd, &q, &w, &in)
	if err != nil {
		return in, err
	}
	if in.Procured, err = w.Procure(q, set); err != nil {
		return in, mended(err)
	}
	in.Advice, err = serving.Advise(in.Question)
	return in, err
}

// best is what has no limit of its own: the cost, unless it is limited; then the
// accuracy, or, where one is asked for and no latency is, the latency.
func (f *trafficFlags) best(limited bool) serving.Objective {
	switch {
	case f.maxCost == nil:
		return serving.Cost
	case limited || f.minAccuracy == nil:
		return serving.Accuracy
	}
	return serving.Latency
}

// mended names the flags that loosen the limit which rules everything out.
func mended(err error) error {
	infeasible := (*serving.InfeasibleError)(nil)
	if !errors.As(err, &infeasible) {
		return err
	}
	if infeasible.Of == serving.Latency {
		err = fmt.Errorf("%w: probe smaller ones or loosen --slo", err)
	}
	return exitError{exitInfeasible, err}
}

// kept turns advice that keeps no limit into the sentence that says why.
func kept(a serving.Advice) error {
	if a.Keeps {
		return nil
	}
	return exitError{exitInfeasible, fmt.Errorf("%s: loosen --slo or --max-violations", a.WhyNot)}
}

// arrivals reads the trace, or makes one up.
func (f *trafficFlags) arrivals(cmd *cobra.Command, in *contract.TrafficInput) (workload.Requests, error) {
	if len(f.phases) > 0 {
		rates := slices.Clone(f.phases)
		for i := range rates {
			rates[i] *= f.scale
		}
		made := workload.Load{Phases: rates, Seconds: f.phaseS}.Make()
		in.Source, _ = made.Described()
		return made, nil
	}
	if f.trace == "" {
		made := workload.Load{Pattern: f.pattern, Seconds: int(f.hours * 3600), PerSecond: f.rate * f.scale,
			Seed: f.seed}.Make()
		in.Seed = &f.seed
		in.Source, _ = made.Described()
		return made, nil
	}
	for _, name := range []string{"pattern", "rate", "hours", "seed"} {
		if cmd.Flags().Changed(name) {
			return workload.Requests{}, usageError("--%s describes a synthetic load: leave it out with --trace", name)
		}
	}
	read, err := workload.ReadRequests(f.trace)
	if err != nil {
		return read, err
	}
	in.Source, in.Remarks = read.Described()
	if f.scale != 1 {
		in.Source += fmt.Sprintf(", times %g", f.scale)
		read.Arrivals = read.Arrivals.Scaled(f.scale)
		for i := range read.Kinds {
			read.Kinds[i].Trace = read.Kinds[i].Trace.Scaled(f.scale)
		}
	}
	return read, nil
}

// price finds what a VM costs, and the runs of the models that are named.
func (f *trafficFlags) price(cmd *cobra.Command, q *serving.Question, w *serving.Wanted,
	in *contract.TrafficInput) (*profile.Set, error) {
	if given := f.vmPrice; given != nil {
		if w.USDPerHour, q.Settings.VM.USDPerHour = *given, *given; !(*given > 0) {
			return nil, usageError("--vm-price %g: a VM that costs nothing leaves nothing to compare", *given)
		}
	}
	if f.vm != "" && len(f.models) == 0 && !cmd.Flags().Changed("vm-rate") {
		in.Remarks = append(in.Remarks, fmt.Sprintf("nothing says what a %s serves: the study's %g requests/s at %s are "+
			"taken; --vm-rate and --vm-latency say it, or --models from runs", plaintext.Line(f.vm, 60),
			q.Settings.VM.RequestsPerSecond, duration(q.Settings.VM.LatencyS)))
	}
	priced := len(f.models) == 0 && (f.vm == "" || f.vmPrice != nil)
	if priced && database(cmd) == "" {
		return nil, nil
	}
	set, err := loaded(cmd) // where all is known already, for the database that was named must be sound
	if err != nil || priced || len(f.models) > 0 {
		return set, err
	}
	price, ok := set.LeastPrice(f.vm, profile.OnDemand)
	if !ok {
		return nil, fmt.Errorf("the catalog has no price of %s: give --vm-price", plaintext.Quote(f.vm))
	}
	q.Settings.VM.USDPerHour = price
	return set, nil
}
