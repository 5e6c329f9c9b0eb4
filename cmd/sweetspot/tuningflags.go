package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"sweetspot/data/architecture"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/question"
	"sweetspot/engine/transformer"
)

// tuningFlags are those of the training of a language model; what was not given is zero.
type tuningFlags struct {
	method        transformer.Method
	optimizer     transformer.Optimizer
	weights       transformer.Weights
	sharding      transformer.Sharding
	checkpointing transformer.Checkpointing
	rank          *int
	sequence      *float64
	targets       []string
	input, output *float64
	loss          *float64
}

func (f *tuningFlags) register(fl *pflag.FlagSet) {
	fl.Var(flagOf(&f.method, oneOf(transformer.Methods...), ""), "tuning", "train a language model by its architecture "+
		"alone: full, lora or qlora (default lora, of a model that nothing was run of); --units are then tokens")
	fl.Var(optional(&f.sequence, quantity.ParseCount), "sequence",
		fmt.Sprintf("tokens of a sequence, for --tuning (default %d)", transformer.DefaultSequence))
	fl.Var(optional(&f.loss, question.ParseLoss), "target-loss", "train a language model until its validation loss is at "+
		"most this, in place of --units: tokens follow from trainings that reached it")
	fl.Var(optional(&f.input, quantity.ParseCount), "input-tokens", fmt.Sprintf("tokens of a prompt, in the inference of "+
		"a language model that nothing was run of (default %d)", transformer.DefaultLengths().Input))
	fl.Var(optional(&f.output, quantity.ParseCount), "output-tokens", fmt.Sprintf("tokens of an answer (default %d)",
		transformer.DefaultLengths().Output))
	fl.Var(flagOf(&f.rank, parseRank, ""), "lora-rank", fmt.Sprintf("rank of LoRA's matrices (default %d)",
		transformer.DefaultRank))
	fl.StringSliceVar(&f.targets, "lora-targets", nil, "matrices with LoRA beside them, of "+
		strings.Join(transformer.AllTargets(), ", ")+" (default all)")
	fl.Var(flagOf(&f.optimizer, oneOf(transformer.Optimizers...), ""), "optimizer", "the optimizer, for --tuning: adamw, "+
		"adamw-8bit, adafactor or sgd (default adamw)")
	fl.Var(flagOf(&f.weights, oneOf(transformer.WeightsIn...), ""), "weights-in", "precision of the weights that learn: "+
		"mixed, 32 bits with arithmetic in 16, half, all in 16, or single, all in 32 (default mixed)")
	fl.Var(flagOf(&f.checkpointing, oneOf(transformer.Checkpointings...), ""), "checkpointing", "compute activations "+
		"again in the backward pass: on, off or auto, whichever is the fastest that fits (default auto)")
	fl.Var(flagOf(&f.sharding, oneOf(transformer.Shardings...), ""), "sharding", "what several GPUs share out: none, "+
		"zero1, zero2, zero3, as FSDP does, or auto, none or zero3, whichever is the fastest that fits (default auto)")
}

func parseRank(s string) (*int, error) {
	v, err := quantity.ParseCount(s)
	if err != nil || v != float64(int(v)) || v < 1 || v > 1e6 {
		return nil, fmt.Errorf("%s is no rank: write a whole number such as 16", plaintext.Quote(s))
	}
	return new(int(v)), nil
}

// given reports whether any of the flags was.
func (f *tuningFlags) given() bool {
	return f.loss != nil || f.sequence != nil || f.rank != nil || len(f.targets) > 0 ||
		cmp.Or(string(f.method), string(f.optimizer), string(f.weights), string(f.sharding), string(f.checkpointing)) != ""
}

// withArchitecture is the set with the architecture of a config.json, where the model is the
// path of one, and the model's name in it. The name of a known model is no path, even where
// a folder has the same.
func withArchitecture(set *profile.Set, model string) (*profile.Set, string, error) {
	_, language := set.Architecture(model)
	named := func(m profile.Model) bool { return strings.EqualFold(m.Name, model) }
	if language || slices.ContainsFunc(set.Models, named) || !architecture.IsConfig(model) {
		return set, model, nil
	}
	a, err := architecture.ReadFile(model)
	if err != nil {
		return nil, "", err
	}
	out := *set
	out.Architectures = append([]transformer.Architecture{a}, set.Architectures...)
	return &out, a.Name, nil
}

// question is that of a language model's training, where the flags or the lack of runs ask
// for it.
func (f *tuningFlags) question(set *profile.Set, model string, mode profile.Mode) (of question.Question, err error) {
	if !f.given() {
		return question.Resolve(set, model, mode)
	}
	a, known := set.Architecture(model)
	flag := "--tuning"
	if f.loss != nil {
		flag = "--target-loss"
	}
	switch {
	case model == "":
		return of, usageError("%s and what belongs to it need --model, a known language model or its config.json", flag)
	case !known:
		return of, usageError("%s: of %s no architecture is known; give the path of its config.json, or one of %s",
			flag, plaintext.Quote(model), plaintext.Join(set.Architectures, ", ",
				func(a transformer.Architecture) string { return a.Name }))
	case mode == profile.Infer:
		return of, usageError("%s belongs to training: leave out --mode infer", flag)
	}
	return question.Question{Model: a.Name, Mode: profile.Train, Unit: question.Token, Untried: true,
		Tuned: question.Tuned(set, a.Name) != nil}, nil
}

// lengths puts the flags over the default lengths of requests.
func (f *tuningFlags) lengths(q *question.Query) error {
	for _, l := range []struct {
		flag  string
		given *float64
		to    func(l *transformer.Lengths) *int
	}{{"input-tokens", f.input, func(l *transformer.Lengths) *int { return &l.Input }},
		{"output-tokens", f.output, func(l *transformer.Lengths) *int { return &l.Output }}} {
		switch {
		case l.given == nil:
		case q.Lengths == nil:
			return fmt.Errorf("--%s belongs to the inference of a language model of which nothing was run: add --mode infer",
				l.flag)
		case *l.given != float64(int(*l.given)):
			return fmt.Errorf("--%s is a whole number of tokens", l.flag)
		default:
			*l.to(q.Lengths) = int(*l.given)
		}
	}
	return nil
}

// apply puts the flags over the defaults of a tuning.
func (f *tuningFlags) apply(t *transformer.Tuning) error {
	t.Method, t.Optimizer, t.Weights = cmp.Or(f.method, t.Method), cmp.Or(f.optimizer, t.Optimizer),
		cmp.Or(f.weights, t.Weights)
	t.Sharding, t.Checkpointing = cmp.Or(f.sharding, t.Sharding), cmp.Or(f.checkpointing, t.Checkpointing)
	if f.rank != nil {
		t.Rank = *f.rank
	}
	if f.sequence != nil {
		if t.Sequence = int(*f.sequence); float64(t.Sequence) != *f.sequence {
			return errors.New("--sequence is a whole number of tokens")
		}
	}
	if f.method == transformer.Full || len(f.targets) > 0 {
		t.Targets = append([]string{}, f.targets...)
	}
	if err := t.Check(); err != nil {
		return fmt.Errorf("--%w", err)
	}
	if f.rank != nil && t.Method == transformer.Full {
		return errors.New("--lora-rank: a full fine-tune has none; add --tuning lora")
	}
	return nil
}
