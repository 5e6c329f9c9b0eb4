package probe

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sweetspot/data/shellwords"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/probes/matrix"
	"sweetspot/probes/prune"
)

// field is a row of the form. A field with choices steps through them, others
// are typed.
type field struct {
	label   string
	hint    string
	empty   string                    // what is shown in place of an empty value
	value   func(Form) string         // typing goes on from it
	show    func(Form) string         // how a value that isn't empty is shown; nil: as it is typed
	read    func(*Form, string) error // nil: it isn't typed
	choices func(*Form, int)          // steps by n; nil where there is nothing to step
	ofModel bool                      // a command sets its own
	ofHost  bool                      // a queue tells its own
	unsaid  bool                      // a command mostly sets its own
	several func(Form) bool           // a list of several values, which aren't stepped; nil: never
}

// shown is the field's value as the form shows it.
func (f *field) shown(form Form) string {
	switch value := f.value(form); {
	case value == "":
		return f.empty
	case f.show == nil:
		return value
	}
	return f.show(form)
}

// hintFor is the hint of a field in a form.
func (f *field) hintFor(form Form) string {
	switch {
	case f.ofModel && form.OfCommand():
		return "not used while there is a command"
	case f.ofHost && form.IsQueued():
		return "not used in a queue, which has its own"
	case f.label == batchLabel && form.OfCommand():
		return "32,64 in place of {batch}, or by the script's own flag"
	case f.unsaid && form.OfCommand():
		return "for a script that does not say how many it runs"
	}
	return f.hint
}

// Labels of rows that more than this list knows.
const (
	whereLabel = "where"
	vmLabel    = "VM type"
	batchLabel = "batch"
)

// fields lists the rows in order; the start row comes after them.
var fields = []field{
	{label: "model", hint: "file.py:factory, net.onnx, net.pt or example:fashion-cnn", ofModel: true,
		value: func(f Form) string { return f.Model },
		read:  func(f *Form, s string) error { f.Model = strings.TrimSpace(s); return nil }},
	{label: "or command", hint: "an unmodified script, such as python3 train.py --lr 0.1", empty: "none",
		value: func(f Form) string { return shellwords.Join(f.Command) },
		read:  func(f *Form, s string) error { return keep(&f.Command)(shellwords.Split(s)) }},
	{label: "folder", hint: "where the command runs; a rented VM gets a copy of it", empty: "the current one",
		value: func(f Form) string { return f.Folder }, read: readFolder},
	{label: "mode", hint: "train or infer",
		value:   func(f Form) string { return string(f.Mode) },
		choices: func(f *Form, n int) { next(&f.Mode, []profile.Mode{profile.Train, profile.Infer}, n) }},
	{label: batchLabel, hint: "global in training, per GPU in inference; 32,64 probes both", empty: ownWords,
		value: func(f Form) string { return plaintext.Join(*f.batches(), ", ", strconv.Itoa) },
		read:  readBatches,
		choices: func(f *Form, n int) {
			b := f.batches()
			*b = doubled(*b, n)
		}},
	{label: "input", hint: "shape of one sample, such as 3x224x224", ofModel: true, empty: "the model's own",
		value: func(f Form) string { return f.Input },
		read:  readInput},
	{label: "samples", hint: "samples in your training set, which make one epoch", ofModel: true,
		empty: "the dataset's own",
		show:  func(f Form) string { return quantity.Count(f.TrainSize) },
		value: func(f Form) string { return number(f.TrainSize) },
		read:  func(f *Form, s string) error { return keep(&f.TrainSize)(orZero(optional(s, quantity.ParseCount))) }},
	{label: "epochs", hint: "epochs of the whole job, for the estimate", unsaid: true,
		value:   func(f Form) string { return strconv.Itoa(f.Epochs) },
		read:    func(f *Form, s string) error { return keep(&f.Epochs)(whole(s, "number of epochs")) },
		choices: func(f *Form, n int) { double(&f.Epochs, n) }},
	{label: "precision", hint: "fp32, tf32, bf16, fp16 or int8; fp32,bf16 probes both", ofModel: true,
		value:   func(f Form) string { return strings.Join(f.Precisions, ", ") },
		read:    func(f *Form, s string) error { return keep(&f.Precisions)(list(strings.ToLower(s), precision)) },
		choices: func(f *Form, n int) { f.Precisions = stepped(f.Precisions, precisions, n) },
		several: func(f Form) bool { return len(f.Precisions) > 1 }},
	{label: "prune", hint: "share of filters: 0,30%, or of layers: conv1=0:0.6:0.1", ofModel: true,
		value:   func(f Form) string { return f.Prune },
		read:    readPrune,
		choices: stepPrune,
		several: func(f Form) bool { return len(f.prunes()) > 1 }},
	{label: "repeat", hint: "repetitions, each in a fresh process",
		value:   func(f Form) string { return strconv.Itoa(f.Repeat) },
		read:    func(f *Form, s string) error { return keep(&f.Repeat)(whole(s, "number of repeats")) },
		choices: func(f *Form, n int) { f.Repeat = min(max(f.Repeat+n, 1), matrix.MaxCells) }},
	{label: whereLabel, hint: "here, user@vm over SSH, rent, slurm[:user@login] or sky", empty: hostName(""),
		show: Form.where, value: Form.whereTyped,
		read:    func(f *Form, s string) error { return readWhere(f, nil, s) },
		choices: func(*Form, int) {}}, // the screen knows what queues there are
	{label: vmLabel, hint: "of the machine, in the catalog; tab completes it", empty: "not named", ofHost: true,
		value: func(f Form) string { return f.VM },
		read:  func(f *Form, s string) error { return readVM(f, nil, s) }},
	{label: "price $/h", hint: "price of the machine, for costs; may stay empty", empty: "unknown", ofHost: true,
		show: func(f Form) string { return quantity.Money(*f.USDPerHour) },
		value: func(f Form) string {
			if f.USDPerHour == nil {
				return ""
			}
			return strconv.FormatFloat(*f.USDPerHour, 'f', -1, 64)
		},
		read: func(f *Form, s string) error { return keep(&f.USDPerHour)(optional(s, quantity.ParseMoney)) }},
	{label: "stop at", hint: "half-width of the mean's 90 % interval at which to stop",
		show:  func(f Form) string { return quantity.PlusMinus(f.Target) },
		value: func(f Form) string { return strconv.FormatFloat(100*f.Target, 'g', 6, 64) + "%" },
		read:  readTarget},
	{label: "time cap", hint: "for each probe, such as 90s or 5m; empty for no cap", empty: "none",
		show:  func(f Form) string { return quantity.Duration(f.MaxSeconds) },
		value: func(f Form) string { return seconds(f.MaxSeconds) },
		read:  func(f *Form, s string) error { return keep(&f.MaxSeconds)(orZero(optional(s, quantity.ParseDuration))) }},
	{label: "cost cap", hint: "for all probes together, in dollars; empty for no cap", empty: "none",
		show:  func(f Form) string { return quantity.Money(f.MaxUSD) },
		value: func(f Form) string { return number(f.MaxUSD) },
		read:  func(f *Form, s string) error { return keep(&f.MaxUSD)(orZero(optional(s, quantity.ParseMoney))) }},
}

// pruneSteps are what pruning is stepped through.
var pruneSteps = []string{"0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9"}

// ownWords stand for what a command sets itself.
const ownWords = "the command's own"

// batches are the batch sizes of the model, or those that the command is given.
func (f *Form) batches() *[]int {
	if f.OfCommand() {
		return &f.OfScript
	}
	return &f.Batches
}

func readBatches(f *Form, s string) error {
	if f.OfCommand() && strings.TrimSpace(s) == "" {
		f.OfScript = nil
		return nil
	}
	return keep(f.batches())(list(s, func(s string) (int, error) { return whole(s, "batch size") }))
}

// here is how the form writes this machine.
const here = "here"

// precision reads the name of an arithmetic precision.
func precision(s string) (string, error) {
	if !slices.Contains(precisions, s) {
		return "", fmt.Errorf("%q is not a precision: write fp32, tf32, bf16, fp16 or int8", s)
	}
	return s, nil
}

// readPrune keeps what was written, in which a grid of many variants is short.
func readPrune(f *Form, s string) error {
	s = cmp.Or(strings.TrimSpace(s), "0")
	_, err := prune.Parse(s)
	return keep(&f.Prune)(s, err)
}

// stepPrune goes on from one degree for the whole model; other text stays.
func stepPrune(f *Form, n int) {
	degrees := f.prunes()
	if len(degrees) != 1 {
		return
	}
	ratio, whole := degrees[0].Ratio()
	if whole || degrees[0] == "" {
		f.Prune = strconv.FormatFloat(ratio, 'g', -1, 64)
		next(&f.Prune, pruneSteps, n)
	}
}

// host reads a destination for ssh; what more is wrong with one, ssh says.
func host(s string) (string, error) {
	switch {
	case s == here:
		return "", nil
	case strings.HasPrefix(s, "-") || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return "", fmt.Errorf("%q is not a host: write user@vm or user@vm:port", s)
	}
	return s, nil
}

func hostName(s string) string {
	if s == rented {
		return "a VM that is rented for it"
	}
	return cmp.Or(s, "this machine")
}

// optional reads a value that may be left empty for none.
func optional(s string, parse func(string) (float64, error)) (*float64, error) {
	if strings.TrimSpace(s) == "" {
		return nil, nil
	}
	v, err := parse(s)
	return &v, err
}

// whole reads a whole number above zero.
func whole(s, what string) (int, error) {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil || n < 1 || n > 1<<20 {
		return 0, fmt.Errorf("%q is not a %s: write a whole number from 1 to %d", s, what, 1<<20)
	}
	return n, nil
}

// list reads values parted by commas, each once, in their order.
func list[T comparable](s string, parse func(string) (T, error)) ([]T, error) {
	var out []T
	for part := range strings.SplitSeq(s, ",") {
		part = strings.TrimSpace(part)
		if part == "" && strings.Contains(s, ",") {
			return nil, errors.New("a value is missing between two commas: write it, or remove a comma")
		}
		v, err := parse(part)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out, nil
}

// number writes what may be left empty as it is typed, without losing a digit.
func number(v float64) string {
	if v == 0 {
		return ""
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// seconds writes a duration that may be left empty as it is typed: 90s.
func seconds(v float64) string {
	if v == 0 {
		return ""
	}
	return number(v) + "s"
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

// doubled doubles or halves every value, as long as all of them can.
func doubled(list []int, n int) []int {
	out := slices.Clone(list)
	for i := range out {
		double(&out[i], n)
		if out[i] == list[i] || n < 0 && out[i]<<-n != list[i] && len(list) > 1 {
			return list
		}
	}
	return out
}

// stepped goes to the next of all the values; a list of several stays.
func stepped[T comparable](list, all []T, n int) []T {
	if len(list) != 1 {
		return list
	}
	v := list[0]
	next(&v, all, n)
	return []T{v}
}

func next[T comparable](v *T, all []T, n int) {
	i := max(slices.Index(all, *v), 0)
	*v = all[((i+n)%len(all)+len(all))%len(all)]
}

// orZero is 0 for a value that was left empty.
func orZero(v *float64, err error) (float64, error) {
	if v == nil {
		return 0, err
	}
	return *v, err
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
			return fmt.Errorf("%q is not a shape: write it as 3x224x224", plaintext.Clean(s))
		}
	}
	f.Input = s
	return nil
}

func readTarget(f *Form, s string) error {
	v, err := quantity.ParseFraction(s)
	if err == nil && !(v >= 0.0001 && v <= 0.5) {
		err = fmt.Errorf("%q is not a usable precision: write a share from 0.01%% to 50%%", s)
	}
	return keep(&f.Target)(v, err)
}
