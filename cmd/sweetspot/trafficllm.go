package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"sweetspot/data/contract"
	"sweetspot/data/document"
	"sweetspot/data/enginelog"
	"sweetspot/data/workload"
	"sweetspot/engine/batching"
	"sweetspot/engine/generation"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/serving"
)

// llmFlags are the flags of traffic llm.
type llmFlags struct {
	log, trace          string
	model, gpu          string
	precision           string // of the weights of the server that loads were measured on
	engineLog           string
	fit                 int
	times               batching.Times
	settings            batching.Settings
	pattern             serving.Pattern
	rate, hours, scale  float64
	lengths             batching.Lengths
	seed                uint64
	limits              batching.Limits
	maxViolations       float64
	replicas            int
	vm                  string
	price               *float64
	apiInput, apiOutput *float64
	csv                 bool
}

func newTrafficLLMCommand() *cobra.Command {
	var f llmFlags
	cmd := &cobra.Command{
		Use: "llm",
		Short: "Serve requests to a language model: the most load within latency limits, replicas, dollars per million " +
			"tokens",
		Long: "llm simulates the steps of a server that batches continuously, as vLLM does, with step times fitted to a " +
			"log\n" +
			"of the server (--log) or to the loads that were imported or probed of a model (--model), or given\n" +
			"(--step-time and its like). A log is JSON Lines with arrival_s, input_tokens,\n" +
			"output_tokens, first_token_s and last_token_s, as probe server writes it. TTFT is the time to the first token;\n" +
			"TPOT is the mean time per further token, without the first.",
		Example: "  sweetspot traffic llm --log requests.jsonl --slo-ttft 1s --slo-tpot 50ms --vm-price 2.50\n" +
			"  sweetspot traffic llm --step-time 12ms --prompt-time 70us --trace AzureLLMInferenceTrace_code.csv \\\n" +
			"    --vm g6.xlarge --api-input 0.10 --api-output 0.40",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			described, err := f.answer(cmd)
			if err != nil {
				return err
			}
			err = printAs(cmd, f.csv, document.LLM,
				document.Subject{LLM: func() (contract.LLM, error) { return described, nil }})
			if err == nil && !described.Keeps {
				err = exitError{exitInfeasible, fmt.Errorf("%s: %s", described.Verdict(), loosen(described))}
			}
			return err
		},
	}
	f.register(cmd)
	return cmd
}

// loosen is the mend where the limits are not kept.
func loosen(of contract.LLM) string {
	switch {
	case of.Load.Rejected > 0:
		return "give more --cache-tokens, or loosen --slo-ttft, --slo-tpot or --max-violations"
	case of.Query.Replicas != nil:
		return "give more --replicas, or loosen --slo-ttft, --slo-tpot or --max-violations"
	}
	return "loosen --slo-ttft, --slo-tpot or --max-violations"
}

func (f *llmFlags) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	f.lengths, f.limits = workload.DefaultLengths(), batching.Limits{TTFTS: 1, TPOTS: 0.05}
	fl.StringVar(&f.log, "log", "", "log of the server, to which step times are fitted")
	fl.StringVar(&f.model, "model", "", "the model whose loads in the database step times are fitted to, where no log "+
		"is given: see sweetspot import")
	fl.StringVar(&f.gpu, "gpu", "", "the GPU that these loads were measured on, where there are several")
	fl.Var(flagOf(&f.precision, parseWeights, ""), "precision", "what that server kept its weights in, where there are "+
		"several: bf16, fp8, int8, int4 or nf4")
	fl.IntVar(&f.fit, "fit", 0, "fit to the first so many requests of the log only (default: all)")
	fl.Var(flagOf(&f.times.StepS, quantity.ParseDuration, ""), "step-time", "time of every step, where no log is given")
	fl.Var(flagOf(&f.times.PromptS, quantity.ParseDuration, ""), "prompt-time", "time that a prompt token adds to a step")
	fl.Var(flagOf(&f.times.SequenceS, quantity.ParseDuration, ""), "sequence-time",
		"time that a sequence adds to a step in which it decodes")
	fl.Var(flagOf(&f.times.ContextS, quantity.ParseDuration, ""), "context-time",
		"time that a token in the cache of such a sequence adds")
	fl.Var(flagOf(&f.times.RequestS, quantity.ParseDuration, ""), "request-time",
		"time until a request is queued, beside the steps")
	fl.IntVar(&f.settings.MaxSequences, "max-sequences", 0, "sequences that a replica runs at once, max_num_seqs of vLLM "+
		"(default: as the log shows it, else 256)")
	fl.IntVar(&f.settings.TokenBudget, "token-budget", 0, "tokens of a step, max_num_batched_tokens of vLLM (default: "+
		"fitted, else 2048)")
	fl.IntVar(&f.settings.CacheTokens, "cache-tokens", 0, "tokens that the KV cache has room for (default: fitted, else "+
		"without a limit)")
	fl.StringVar(&f.engineLog, "engine-log", "", "what vLLM, SGLang or TGI wrote when it started: the size of its cache "+
		"and its other settings are read from it")
	fl.StringVar(&f.trace, "trace", "", "the requests to serve: CSV with time_s, input_tokens, output_tokens, Azure's "+
		"LLM traces, or JSON Lines (default: those of --log, else a synthetic load)")
	fl.Var(flagOf(&f.pattern, oneOf(serving.Patterns...), string(serving.PoissonLoad)), "pattern",
		"pattern of a synthetic load: constant, poisson, diurnal, flash-crowd, bursty or day")
	fl.Float64Var(&f.rate, "rate", workload.DefaultRate, "mean rate of a synthetic load, in requests per second")
	fl.Float64Var(&f.hours, "hours", workload.DefaultHours, "length of a synthetic load, in hours")
	fl.Float64Var(&f.lengths.Input, "input", f.lengths.Input, "mean tokens of a prompt, where the trace has no lengths; "+
		"with --model by default as in its loads")
	fl.Float64Var(&f.lengths.Output, "output", f.lengths.Output, "mean tokens of an answer, where the trace has no "+
		"lengths; with --model by default as in its loads")
	fl.Float64Var(&f.scale, "scale", 1, "factor by which the requests come faster")
	fl.Uint64Var(&f.seed, "seed", 1, "random seed of a synthetic load, and of lengths that a trace lacks")
	fl.Var(lasting(&f.limits.TTFTS, quantity.ParseDuration), "slo-ttft", "limit on the time to the first token")
	fl.Var(lasting(&f.limits.TPOTS, quantity.ParseDuration), "slo-tpot", "limit on the mean time per further token")
	fl.Var(flagOf(&f.maxViolations, quantity.ParseFraction, fmt.Sprint(serving.DefaultViolations)), "max-violations",
		"share of requests that may miss a limit")
	fl.IntVar(&f.replicas, "replicas", 0, "replicas to serve with (default: as few as keep the limits)")
	fl.StringVar(&f.vm, "vm", "", "the VM type of a replica, for its prices in the catalog")
	fl.Var(optional(&f.price, quantity.ParseMoney), "vm-price", "price of a replica in $ per hour")
	fl.Var(optional(&f.apiInput, quantity.ParseMoney), "api-input", "price of an API in $ per million tokens in, to "+
		"compare with")
	fl.Var(optional(&f.apiOutput, quantity.ParseMoney), "api-output", "price of an API in $ per million tokens out")
	fl.BoolVar(&f.csv, "csv", false, "print the loads of one replica as CSV")
}

// check refuses what means nothing.
func (f *llmFlags) check(cmd *cobra.Command) error {
	typed := f.times != batching.Times{}
	switch {
	case f.log == "" && f.model == "" && f.times.StepS == 0:
		return usageError("give --log, a log of the server, --model, of whose server loads were imported, or --step-time " +
			"and its like")
	case f.model != "" && (f.log != "" || typed):
		return usageError("--model is what step times are fitted to: leave out --log, --step-time and its like")
	case f.model == "" && (f.gpu != "" || f.precision != ""):
		return usageError("--gpu and --precision narrow the loads of --model: add it")
	case f.log != "" && typed:
		return usageError("--log is what step times are fitted to: leave out --step-time and its like")
	case (f.apiInput == nil) != (f.apiOutput == nil):
		return usageError("--api-input and --api-output belong together: give both")
	case f.vm != "" && f.price != nil:
		return usageError("--vm has its prices in the catalog: leave out --vm-price, or --vm")
	case f.fit < 0 || f.replicas < 0 || f.replicas > batching.MostReplicas:
		return usageError("--fit and --replicas are counts: give numbers above 0, replicas up to %d", batching.MostReplicas)
	case f.settings.MaxSequences < 0 || f.settings.TokenBudget < 0 || f.settings.CacheTokens < 0:
		return usageError("--max-sequences, --token-budget and --cache-tokens are counts: give numbers above 0")
	}
	for _, n := range []struct {
		name     string
		is, most float64
	}{{"rate", f.rate, 10_000}, {"hours", f.hours, serving.MaxSeconds / 3600}, {"scale", f.scale, 1e6},
		{"input", f.lengths.Input, 1e6}, {"output", f.lengths.Output, 1e6}} {
		if !(n.is > 0) || n.is > n.most {
			return usageError("--%s %g: give a number above 0 and up to %g", n.name, n.is, n.most)
		}
	}
	if f.rate*f.hours*3600 > batching.MaxRequests/4 {
		return usageError("--rate %g for --hours %g are too many requests: a load has at most %d", f.rate, f.hours,
			batching.MaxRequests/4)
	}
	if f.maxViolations >= 1 {
		return usageError("--max-violations %g: give a share below 1", f.maxViolations)
	}
	if f.trace != "" {
		for _, name := range []string{"pattern", "rate", "hours"} {
			if cmd.Flags().Changed(name) {
				return usageError("--%s describes a synthetic load: leave it out with --trace", name)
			}
		}
	}
	f.limits.Share = 1 - f.maxViolations
	return readEngineLog(f.engineLog, &f.settings)
}

// answer answers the question that the flags ask.
func (f *llmFlags) answer(cmd *cobra.Command) (out contract.LLM, err error) {
	in := contract.LLMInput{VM: f.vm}
	in.Limits, in.Replicas = f.limits, f.replicas
	var log workload.Tokens
	if f.model != "" {
		in.Of, in.Precision, err = f.fromLoads(cmd)
	} else {
		in.Of, log, err = f.server()
	}
	if err != nil {
		return out, err
	}
	load, err := f.load(cmd, log)
	if err != nil {
		return out, err
	}
	load = load.Quicker(f.scale)
	in.Requests, in.Source, in.Remarks = load.Requests, load.Source, load.Notes
	if load.HasTimes && f.scale == 1 {
		in.Log = load.Log
	}
	if load.Drawn {
		in.Seed = &f.seed
	}
	if in.Prices, err = f.prices(cmd); err != nil {
		return out, err
	}
	if f.apiInput != nil {
		in.API = &batching.Prices{Input: *f.apiInput, Output: *f.apiOutput}
	}
	if in.Answer, err = in.Question.Answer(); err != nil {
		return out, err
	}
	if in.Curve, err = in.Question.Curve(in.Answer); err == nil {
		in.Curve, err = in.Curve.Intervals(cmd.Context(), in.Question)
	}
	return contract.NewLLM(in), err
}

// server is the replica: fitted to the log, or as given.
func (f *llmFlags) server() (fit batching.Fitted, log workload.Tokens, err error) {
	if f.log == "" {
		s := batching.Settings{MaxSequences: 256, TokenBudget: 2048, CacheTokens: batching.Unlimited}
		set := func(to *int, given int) {
			if given > 0 {
				*to = given
			}
		}
		set(&s.MaxSequences, f.settings.MaxSequences)
		set(&s.TokenBudget, f.settings.TokenBudget)
		set(&s.CacheTokens, f.settings.CacheTokens)
		fit.Server = batching.Server{Times: f.times, Settings: s}
		if err := fit.Check(); err != nil {
			return fit, log, usageError("%w", err)
		}
		return fit, log, nil
	}
	if log, err = workload.ReadTokens(f.log, f.lengths, f.seed); err != nil {
		return fit, log, err
	}
	if !log.HasTimes {
		return fit, log, fmt.Errorf("%s has no lengths, or no times of first and last tokens: give it as --trace, and as "+
			"--log one that has them", plaintext.Quote(f.log))
	}
	if fit, err = log.FitServer(f.fit, f.settings); err != nil {
		return fit, log, fmt.Errorf("%s: %w", plaintext.Quote(f.log), err)
	}
	return fit, log, nil
}

// readEngineLog fills in the settings that were not given from the log of an engine, if any.
func readEngineLog(path string, s *batching.Settings) error {
	if path == "" {
		return nil
	}
	told, err := enginelog.ReadFile(path)
	if err != nil {
		return err
	}
	s.MaxSequences = cmp.Or(s.MaxSequences, told.MaxSequences)
	s.TokenBudget, s.CacheTokens = cmp.Or(s.TokenBudget, told.TokenBudget), cmp.Or(s.CacheTokens, told.CacheTokens)
	return nil
}

// fromLoads is the replica that loads in the database were measured on, and what it kept its weights in.
func (f *llmFlags) fromLoads(cmd *cobra.Command) (fit batching.Fitted, precision string, err error) {
	set, err := loaded(cmd)
	if err != nil {
		return fit, "", err
	}
	servers := set.Servers(f.model, f.gpu)
	if kind, known := generation.WeightsNamed(f.precision); known && f.precision != "" {
		servers = slices.DeleteFunc(servers, func(s profile.Server) bool { return !kind.Same(s.Variant) })
	}
	switch {
	case len(servers) == 0:
		return fit, "", fmt.Errorf("the database has no load on a server of %s%s: measure one with sweetspot probe "+
			"server, or import what vLLM's benchmark, guidellm or AIPerf wrote", plaintext.Quote(f.model), f.narrowed())
	case len(servers) > 1:
		return fit, "", fmt.Errorf("the loads on servers of %s are of several: name one with --gpu and --precision, of %s",
			plaintext.Quote(f.model), plaintext.Join(servers, ", ", profile.Server.Words))
	}
	found, err := batching.FitServer(servers[0], set.Servers(f.model, ""), f.settings)
	if err != nil {
		return fit, "", fmt.Errorf("%s: %w", plaintext.Quote(f.model), err)
	}
	lengths := workload.LengthsOf(servers[0].Loads)
	if !cmd.Flags().Changed("input") {
		f.lengths.Input = lengths.Input
	}
	if !cmd.Flags().Changed("output") {
		f.lengths.Output = lengths.Output
	}
	v := servers[0].Variant
	return *found, plaintext.Clean(cmp.Or(v.Name, v.Precision)), nil
}

// narrowed says which loads of a model are asked for: on L4 with fp8.
func (f *llmFlags) narrowed() (words string) {
	if f.gpu != "" {
		words = " on " + plaintext.Clean(f.gpu)
	}
	if f.precision != "" {
		words += " with " + f.precision
	}
	return words
}

// load is what is to be served.
func (f *llmFlags) load(cmd *cobra.Command, log workload.Tokens) (workload.Tokens, error) {
	synthetic := cmd.Flags().Changed("rate") || cmd.Flags().Changed("pattern") || cmd.Flags().Changed("hours")
	switch {
	case f.trace != "":
		return workload.ReadTokens(f.trace, f.lengths, f.seed)
	case f.log != "" && !synthetic:
		return log, nil
	}
	made := workload.MakeTokens(f.pattern, int(math.Ceil(f.hours*3600)), f.rate, f.lengths, f.seed)
	if len(made.Requests) == 0 {
		return made, errors.New("the synthetic load has no request: raise --rate or --hours")
	}
	return made, nil
}

// prices are those of a replica.
func (f *llmFlags) prices(cmd *cobra.Command) (out []contract.HourlyPrice, err error) {
	if f.price != nil {
		return []contract.HourlyPrice{{Purchase: "at the price given", USDPerHour: *f.price}}, nil
	}
	if f.vm == "" {
		return nil, nil
	}
	set, err := loaded(cmd)
	if err != nil {
		return nil, err
	}
	out = contract.HourlyPrices(set, f.vm)
	if len(out) == 0 {
		return nil, fmt.Errorf("the catalog has no price of %s: give --vm-price", plaintext.Quote(f.vm))
	}
	return out, nil
}
