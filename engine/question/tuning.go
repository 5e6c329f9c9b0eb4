package question

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sweetspot/engine/generation"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
)

// InUnits reports whether the length of a workload is in units: of inference, or the tokens of
// a language model's training. Others count epochs or steps.
func (w *Workload) InUnits() bool { return w.Mode != profile.Train || w.Tuning != nil }

// InTokens reports whether a workload is that of a language model which is asked about by its architecture.
func (w *Workload) InTokens() bool { return w.Tuning != nil || w.Lengths != nil }

// LanguageModels are the questions about language models of which nothing is known but their architecture:
// the training of each, then the inference.
func LanguageModels(set *profile.Set) (out []Question) {
	for _, a := range set.Architectures {
		for _, mode := range []profile.Mode{profile.Train, profile.Infer} {
			ran := func(r profile.Run) bool {
				return r.Mode == mode && strings.EqualFold(r.Model, a.Name) && (r.IsTimed() || r.IsLook())
			}
			if !slices.ContainsFunc(set.Runs, ran) {
				out = append(out, Question{Model: a.Name, Mode: mode, Unit: Token, Untried: true})
			}
		}
	}
	return out
}

// checkLengths says why a language model cannot be asked for answers so.
func (q *Query) checkLengths() error {
	switch {
	case q.Lengths == nil:
		return nil
	case q.Mode != profile.Infer:
		return errors.New("--input-tokens and --output-tokens belong to inference: add --mode infer")
	case !(q.Units > 0):
		return errors.New("the work is not above zero")
	case len(q.BatchSizes) > 1 || len(q.BatchSizes) == 1 && (q.BatchSizes[0] < 1 || q.BatchSizes[0] > mostBatch):
		return fmt.Errorf("--batch: write one number of requests at once, from 1 to %d", mostBatch)
	}
	for _, v := range q.Variants {
		if _, err := generation.ParseWeights(profile.Variant{Name: v}.Title()); err != nil {
			return fmt.Errorf("--variant: %w", err)
		}
	}
	if err := q.Lengths.Check(); err != nil {
		return fmt.Errorf("--%w", err)
	}
	return nil
}

// mostLoss bounds the loss of a token: a network that knows nothing has that of its vocabulary, ln of some 100,000.
const mostLoss = 100

// ParseLoss reads a validation loss to train to.
func ParseLoss(s string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || !(v > 0) || v > mostLoss {
		return 0, fmt.Errorf("%s is no loss: write a number above 0, such as 0.95", plaintext.Quote(s))
	}
	return v, nil
}

// mostBatch bounds the sequences of a step: nobody trains with as many.
const mostBatch = 1 << 20

// checkTuning says why a language model cannot be trained so; nil where it can, or where the
// question is about other work.
func (q *Query) checkTuning() error {
	switch {
	case q.TargetLoss != nil && q.Tuning == nil:
		return errors.New("--target-loss belongs to the training of a language model: use --target-accuracy for others")
	case q.TargetLoss != nil && !(*q.TargetLoss > 0 && *q.TargetLoss <= mostLoss):
		return fmt.Errorf("--target-loss %g: write a loss above 0, such as 0.95", *q.TargetLoss)
	case q.Tuning == nil:
		return nil
	case q.Mode != profile.Train:
		return errors.New("--tuning belongs to training: add --mode train")
	case q.Epochs != nil || q.Steps != nil || q.TargetAccuracy != nil || q.TrainSize != nil:
		return errors.New("a language model is trained on a number of tokens: use --units in place of --epochs, --steps, " +
			"--train-size and --target-accuracy")
	case len(q.BatchSizes) > 0 && slices.Max(q.BatchSizes) > mostBatch:
		return fmt.Errorf("--batch %d: write a number of sequences from 1 to %d", slices.Max(q.BatchSizes), mostBatch)
	case q.TargetLoss == nil && !(q.Units > 0):
		return errors.New("the work is not above zero")
	}
	return q.Tuning.Check()
}
