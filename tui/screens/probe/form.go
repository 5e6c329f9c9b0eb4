package probe

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/steady"
)

// Form is what shall be measured, and for how long.
type Form struct {
	Model      string // file.py:factory or example:NAME
	Mode       profile.Mode
	Batch      int
	Input      string  // shape of one sample, 3x224x224; "" takes the example's own
	TrainSize  float64 // units in the training set, for input without a dataset; 0: the dataset's own
	Epochs     int     // epochs of training, passes over the data in inference
	Precision  string
	USDPerHour *float64 // nil: unknown
	Target     float64  // relative half-width of the steady mean to stop at
	MaxSeconds float64  // 0: no cap
	MaxUSD     float64  // 0: no cap
}

// Defaults are a first probe that anybody can run.
func Defaults() Form {
	return Form{Model: "example:fashion-cnn", Mode: profile.Train, Batch: 128, Epochs: 10, Precision: precisions[0], Target: 0.02, MaxSeconds: 120}
}

// precisions are those that the harness can run, given a device that has them.
var precisions = []string{"fp32", "tf32", "bf16", "fp16"}

// Rule is the form's stop rule.
func (f Form) Rule() steady.Rule {
	r := steady.DefaultRule()
	r.Target, r.MaxSeconds, r.MaxUSD, r.USDPerHour = f.Target, f.MaxSeconds, f.MaxUSD, f.USDPerHour
	return r
}

// fashionShape is the input for which there may be a real dataset.
const fashionShape = "1x28x28"

// check finds what no disk or device is needed to find, as one sentence.
func (f Form) check() error {
	switch {
	case f.Model == "":
		return errors.New("no model is named: write file.py:factory or example:fashion-cnn")
	case !strings.HasPrefix(f.Model, "example:") && f.Input == "":
		return errors.New("the shape of one input sample is missing: write it as 3x224x224")
	case f.Mode == profile.Train && !strings.HasPrefix(f.Model, "example:") && f.Input != fashionShape && f.TrainSize == 0:
		return errors.New("how many samples an epoch has is not known: write the size of your training set, as 50000")
	case f.MaxUSD > 0 && f.USDPerHour == nil:
		return errors.New("a cap in dollars needs the price of this machine: write $ per hour, or take the cap away")
	}
	return nil
}

// field is a row of the form. A field with choices steps through them, others
// are typed.
type field struct {
	label   string
	hint    string
	show    func(Form) string
	read    func(*Form, string) error
	choices func(*Form, int) // steps by n; nil where there is nothing to step
	typed   bool
}

// optional reads a value that may be left empty for none.
func optional(s string, parse func(string) (float64, error), set func(*float64)) error {
	if strings.TrimSpace(s) == "" {
		set(nil)
		return nil
	}
	v, err := parse(s)
	if err == nil {
		set(&v)
	}
	return err
}

// whole reads a whole number above zero.
func whole(s, what string) (int, error) {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil || n < 1 || n > 1<<20 {
		return 0, fmt.Errorf("%q is no %s: write a whole number from 1 to %d", s, what, 1<<20)
	}
	return n, nil
}

// double doubles v n times, or halves it for n < 0, between 1 and 2^20.
func double(v *int, n int) {
	for ; n > 0 && *v <= 1<<19; n-- {
		*v *= 2
	}
	for ; n < 0 && *v > 1; n++ {
		*v /= 2
	}
}

func next[T comparable](v *T, all []T, n int) {
	i := max(slices.Index(all, *v), 0)
	*v = all[((i+n)%len(all)+len(all))%len(all)]
}

func orNone(v float64, format func(float64) string) string {
	if v == 0 {
		return "none"
	}
	return format(v)
}

// fields lists the rows in order; the start row comes after them.
var fields = []field{
	{label: "model", hint: "file.py:factory or example:fashion-cnn", typed: true,
		show: func(f Form) string { return f.Model },
		read: func(f *Form, s string) error { f.Model = strings.TrimSpace(s); return nil }},
	{label: "mode", hint: "train or infer",
		show:    func(f Form) string { return string(f.Mode) },
		choices: func(f *Form, n int) { next(&f.Mode, []profile.Mode{profile.Train, profile.Infer}, n) }},
	{label: "batch", hint: "global batch in training, per GPU in inference", typed: true,
		show:    func(f Form) string { return strconv.Itoa(f.Batch) },
		read:    func(f *Form, s string) (err error) { return keep(&f.Batch)(whole(s, "batch size")) },
		choices: func(f *Form, n int) { double(&f.Batch, n) }},
	{label: "input", hint: "shape of one sample, 3x224x224; an example knows its own", typed: true,
		show: func(f Form) string {
			if f.Input == "" {
				return "the model's own"
			}
			return f.Input
		},
		read: readInput},
	{label: "samples", hint: "in your training set: they make an epoch", typed: true,
		show: func(f Form) string {
			if f.TrainSize == 0 {
				return "the dataset's own"
			}
			return quantity.Count(f.TrainSize)
		},
		read: func(f *Form, s string) error {
			return optional(s, quantity.ParseCount, func(v *float64) { f.TrainSize = orZero(v) })
		}},
	{label: "epochs", hint: "what the whole job takes; the estimate is for these", typed: true,
		show:    func(f Form) string { return strconv.Itoa(f.Epochs) },
		read:    func(f *Form, s string) error { return keep(&f.Epochs)(whole(s, "number of epochs")) },
		choices: func(f *Form, n int) { double(&f.Epochs, n) }},
	{label: "precision", hint: "fp32, tf32, bf16 or fp16",
		show:    func(f Form) string { return f.Precision },
		choices: func(f *Form, n int) { next(&f.Precision, precisions, n) }},
	{label: "price $/h", hint: "of this machine, for costs; may stay empty", typed: true,
		show: func(f Form) string {
			if f.USDPerHour == nil {
				return "unknown"
			}
			return quantity.Money(*f.USDPerHour)
		},
		read: func(f *Form, s string) error {
			return optional(s, quantity.ParseMoney, func(v *float64) { f.USDPerHour = v })
		}},
	{label: "precise at", hint: "stop when the steady mean is known to this share", typed: true,
		show: func(f Form) string { return quantity.PlusMinus(f.Target) },
		read: readTarget},
	{label: "at most", hint: "seconds, 90s or 5m; empty for no cap", typed: true,
		show: func(f Form) string { return orNone(f.MaxSeconds, quantity.Duration) },
		read: func(f *Form, s string) error {
			return optional(s, quantity.ParseDuration, func(v *float64) { f.MaxSeconds = orZero(v) })
		}},
	{label: "and at most", hint: "dollars; empty for no cap", typed: true,
		show: func(f Form) string { return orNone(f.MaxUSD, quantity.Money) },
		read: func(f *Form, s string) error {
			return optional(s, quantity.ParseMoney, func(v *float64) { f.MaxUSD = orZero(v) })
		}},
}

func orZero(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}

// keep sets *to unless there was an error.
func keep[T any](to *T) func(T, error) error {
	return func(v T, err error) error {
		if err == nil {
			*to = v
		}
		return err
	}
}

func readInput(f *Form, s string) error {
	s = strings.ToLower(strings.ReplaceAll(s, " ", ""))
	for size := range strings.SplitSeq(s, "x") {
		if n, err := strconv.Atoi(size); s != "" && (err != nil || n < 1) {
			return fmt.Errorf("%q is no shape: write it as 3x224x224", plaintext.Clean(s))
		}
	}
	f.Input = s
	return nil
}

func readTarget(f *Form, s string) error {
	v, err := quantity.ParseFraction(s)
	if err == nil && !(v >= 0.0001 && v <= 0.5) {
		err = fmt.Errorf("%q is no useful precision: write a share from 0.01%% to 50%%", s)
	}
	return keep(&f.Target)(v, err)
}
