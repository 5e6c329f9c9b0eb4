package harness

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sweetspot/engine/profile"
	"sweetspot/probes/prune"
)

// Data says what the model is fed.
type Data string

// Auto uses a dataset that fits the model if one is installed, else synthetic
// input.
const (
	Auto         Data = "auto"
	FashionMNIST Data = "fashion-mnist"
	Synthetic    Data = "synthetic"
)

// Spec describes one probe by the harness. Zero values take the defaults that
// the fields state.
type Spec struct {
	Model     string       // see [Form]
	Mode      profile.Mode // train
	Input     string       // shape of one sample, 3x224x224; the model's own where it is known, see [KnowsItsInput]
	Batch     int          // 128
	Epochs    int          // 10 in training; in inference passes over the data, 0 until stopped
	Precision string       // fp32
	Data      Data         // auto
	TrainSize int          // units per epoch of synthetic input; 0 unknown
	Optimizer string       // sgd or adam; sgd

	// Prune is what to remove: of the filters of every convolution that allows it,
	// or of those of some layers, which must.
	Prune prune.Degree
	// FineTune is the number of epochs to train a pruned network before it is
	// measured, in inference; 0 for none. It has no effect without pruning.
	FineTune int
	// Eval names a labelled set, file.py:factory or package.module:factory,
	// whose factory returns batches or a Dataset of (input, label); "" for
	// Fashion-MNIST where it fits.
	Eval string
	// Layers requests each layer's share of the time of a forward pass.
	Layers bool
	// FitBatch, if not 0, replaces the run by a search for the largest batch
	// that fits in memory: from Batch (or below, if that is too large) up to
	// this.
	FitBatch int
	// WorkOnly replaces the run by a count of what one unit takes the network.
	WorkOnly bool
}

const (
	maxSize     = 1 << 20 // of one dimension
	maxElements = 1 << 28 // of one sample, 1 GiB in fp32
	maxBatch    = 1 << 20
	maxEpochs   = 1 << 20
)

// DefaultEpochs is the length of a training if none is given.
const DefaultEpochs = 10

// Precisions are those the harness can run on a device that supports them.
var Precisions = []string{"fp32", "tf32", "bf16", "fp16", "int8"}

// Resolve fills in the defaults and checks the rest; the error is one
// sentence.
func (s Spec) Resolve() (Spec, error) {
	s.Mode = cmp.Or(s.Mode, profile.Train)
	if s.Mode != profile.Train && s.Mode != profile.Infer {
		return s, fmt.Errorf("mode %q is neither train nor infer", s.Mode)
	}
	form, err := checkModel(s.Model)
	if err != nil {
		return s, err
	}
	if s.Input == "" && form == Example {
		s.Input = "1x28x28"
	}
	if s.Input != "" || !KnowsItsInput(s.Model) {
		if err := checkInput(s.Input); err != nil {
			return s, err
		}
	}
	s.Batch = cmp.Or(s.Batch, 128)
	if s.Epochs == 0 && s.Mode == profile.Train {
		s.Epochs = DefaultEpochs
	}
	if err := s.checkNumbers(); err != nil {
		return s, err
	}
	if s, err = s.resolveChoices(); err != nil {
		return s, err
	}
	err = s.checkVariant(form)
	if s.Prune == "" {
		s.FineTune = 0
	}
	return s, err
}

func (s Spec) checkNumbers() error {
	switch {
	case s.Batch < 1 || s.Batch > maxBatch:
		return fmt.Errorf("batch size %d is not between 1 and %d", s.Batch, maxBatch)
	case s.Epochs < 0 || s.TrainSize < 0 || s.FineTune < 0:
		return errors.New("epochs and the size of the training set cannot be negative")
	case s.Epochs > maxEpochs || s.FineTune > maxEpochs:
		return fmt.Errorf("more than %d epochs are too many for a probe", maxEpochs)
	case s.FitBatch < 0 || s.FitBatch > maxBatch:
		return fmt.Errorf("the largest batch size to try, %d, is not between 1 and %d", s.FitBatch, maxBatch)
	case s.FitBatch > 0 && s.FitBatch < s.Batch:
		return fmt.Errorf("the largest batch size to try, %d, is below the batch size to begin with, %d", s.FitBatch, s.Batch)
	}
	return s.Prune.Check()
}

func (s Spec) resolveChoices() (Spec, error) {
	for _, c := range []struct {
		what    string
		value   *string
		choices []string
	}{
		{"precision", &s.Precision, Precisions},
		{"data", (*string)(&s.Data), []string{string(Auto), string(FashionMNIST), string(Synthetic)}},
		{"optimizer", &s.Optimizer, []string{"sgd", "adam"}},
	} {
		*c.value = cmp.Or(*c.value, c.choices[0])
		if !slices.Contains(c.choices, *c.value) {
			return s, fmt.Errorf("%s %q is not one of %s", c.what, *c.value, strings.Join(c.choices, ", "))
		}
	}
	return s, nil
}

// checkVariant rejects variants that this form of model does not allow.
func (s Spec) checkVariant(form Form) error {
	infer := s.Mode == profile.Infer
	switch {
	case form.isGraph() && !infer:
		return fmt.Errorf("%s cannot be trained; use --mode infer, or a Python factory", form)
	case form == ONNX && s.Precision != "fp32":
		return fmt.Errorf("%s runs in the precision it was exported in; leave --precision out, or use a Python factory", form)
	case form == Exported && s.Precision != "fp32" && s.Precision != "tf32":
		return fmt.Errorf("%s runs in the precision it was exported in; use --precision fp32 or tf32, or a Python factory",
			form)
	case s.WorkOnly && !infer && s.TrainSize == 0:
		return errors.New("nothing is run, so nothing shows how long an epoch is; add --train-size, the units in your " +
			"training set, or use --mode infer")
	case s.Prune != "" && !form.isPython():
		return fmt.Errorf("%s cannot be pruned; give the Python factory that makes it", form)
	case s.Precision == "int8" && !form.isPython():
		return fmt.Errorf("%s cannot be quantised; give the Python factory that makes it", form)
	case s.Precision == "int8" && !infer:
		return errors.New("int8 is for inference only; use --mode infer, or another precision")
	case s.FineTune > 0 && !infer:
		return errors.New("fine-tuning applies to pruned models in --mode infer; in --mode train the pruned network is " +
			"trained anyway")
	}
	if s.Eval == "" {
		return nil
	}
	return checkFactory("labelled set", s.Eval)
}

func checkInput(input string) error {
	if input == "" {
		return errors.New("the shape of one input sample is missing; give --input, such as 3x224x224")
	}
	elements := 1
	for size := range strings.SplitSeq(input, "x") {
		n, err := strconv.Atoi(size)
		if err != nil || n < 1 || n > maxSize || size[0] == '+' {
			return fmt.Errorf("input %q is not a shape such as 3x224x224", input)
		}
		if elements *= n; elements > maxElements {
			return fmt.Errorf("input %q is larger than a sample of 1 GiB", input)
		}
	}
	return nil
}
