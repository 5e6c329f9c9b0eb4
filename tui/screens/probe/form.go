package probe

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"sweetspot/engine/candidate"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/steady"
	"sweetspot/probes/harness"
	"sweetspot/probes/matrix"
	"sweetspot/probes/prune"
)

// Form is what shall be measured, and for how long. Every combination of its
// lists is a probe of its own; a list that says nothing has one entry.
type Form struct {
	Model      string   // file.py:factory, a model file, or example:NAME
	Command    []string // words of a script that brings its own model; nil for none
	Mode       profile.Mode
	Batches    []int
	Input      string  // shape of one sample, 3x224x224; "" takes the model's own
	TrainSize  float64 // units in the training set, for input without a dataset; 0: the dataset's own
	Epochs     int     // epochs of training, passes over the data in inference
	Precisions []string
	Prune      string   // degrees of pruning, as [prune.Parse] takes them; 0 for the whole model
	Repeat     int      // fresh processes per combination
	Folder     string   // that the command runs in; "" is the current one, on a host the home there
	Hosts      []string // user@vm[:port]; "" is this machine, rent a VM that is rented
	On         string   // queue of an engine, as slurm or slurm:login-host, in place of hosts; "" for none
	GPUs       []string // GPU types of the queue, a100 or a100:2
	OfScript   []int    // batch sizes that a command is given; nil for its own
	VM         string   // VM type of the machine, as aws/us-east-1/g6.xlarge; "" is unknown
	USDPerHour *float64 // nil: unknown
	Target     float64  // relative half-width of the steady mean to stop at
	MaxSeconds float64  // of each probe; 0: no cap
	MaxUSD     float64  // of all probes together; 0: no cap
}

// Defaults are a first probe that anybody can run.
func Defaults() Form {
	return Form{
		Model: "example:fashion-cnn", Mode: profile.Train, Batches: []int{128}, Epochs: 10, Precisions: precisions[:1:1],
		Prune: "0", Repeat: 1, Hosts: []string{""}, Target: 0.02, MaxSeconds: 120,
	}
}

// precisions are those that the harness can run, given a device that has them.
var precisions = []string{"fp32", "tf32", "bf16", "fp16", "int8"}

// Rule is the form's stop rule.
func (f Form) Rule() steady.Rule {
	r := steady.DefaultRule()
	r.Target, r.MaxSeconds, r.MaxUSD, r.USDPerHour = f.Target, f.MaxSeconds, f.MaxUSD, f.USDPerHour
	return r
}

// OfCommand reports whether a script is probed, which sets its own model,
// batch size, precision and pruning.
func (f Form) OfCommand() bool { return len(f.Command) > 0 }

// clone is a copy that shares nothing with f.
func (f Form) clone() Form {
	f.Command, f.Batches, f.Precisions = slices.Clone(f.Command), slices.Clone(f.Batches), slices.Clone(f.Precisions)
	f.Hosts, f.GPUs, f.OfScript = slices.Clone(f.Hosts), slices.Clone(f.GPUs), slices.Clone(f.OfScript)
	return f
}

// fill puts the entry that says nothing into lists that are empty.
func (f Form) fill() Form {
	d := Defaults()
	f = f.clone()
	f.Mode, f.Epochs, f.Repeat = cmp.Or(f.Mode, d.Mode), cmp.Or(f.Epochs, d.Epochs), cmp.Or(f.Repeat, d.Repeat)
	f.Batches, f.Precisions, f.Hosts = orOne(f.Batches, d.Batches), orOne(f.Precisions, d.Precisions),
		orOne(f.Hosts, d.Hosts)
	f.Prune = cmp.Or(f.Prune, d.Prune)
	return f
}

func orOne[T any](list, other []T) []T {
	if len(list) == 0 {
		return other
	}
	return list
}

// fashionShape is the input for which there may be a real dataset.
const fashionShape = "1x28x28"

// check finds what no disk or device is needed to find, as one sentence.
func (f Form) check() error {
	if !f.OfCommand() {
		if err := f.checkModel(); err != nil {
			return err
		}
	}
	switch {
	case f.IsQueued() && len(f.GPUs) == 0:
		return errors.New("no GPU type is chosen: take at least one of those below, each with space")
	case !f.IsQueued() && f.MaxUSD > 0 && f.USDPerHour == nil:
		return errors.New("a cap in dollars needs the price of this machine: write $ per hour, or clear the cap")
	}
	if err := f.checkRent(); err != nil {
		return err
	}
	_, err := f.Axes().Cells()
	return err
}

// checkModel is check for a model that the harness runs.
func (f Form) checkModel() error {
	example := strings.HasPrefix(f.Model, "example:")
	changed := slices.ContainsFunc(f.prunes(), func(d prune.Degree) bool { return d != "" }) ||
		slices.Contains(f.Precisions, "int8")
	switch {
	case f.Model == "":
		return errors.New("no model is named: write file.py:factory or example:fashion-cnn, or a command")
	case !example && !harness.KnowsItsInput(f.Model) && f.Input == "":
		return errors.New("the shape of one input sample is missing: write it as 3x224x224")
	case f.Mode == profile.Train && !example && f.Input != fashionShape && f.TrainSize == 0:
		return errors.New("how many samples an epoch has is not known: write the size of your training set, as 50000")
	case f.Mode == profile.Train && slices.Contains(f.Precisions, "int8"):
		return errors.New("int8 is for inference only: remove it from the precisions, or set the mode to infer")
	case f.Mode == profile.Train && strings.HasSuffix(f.Model, ".onnx"):
		return errors.New("an ONNX file can't be trained: set the mode to infer")
	case changed && modelFile(f.Model) && !example:
		return fmt.Errorf("pruning and int8 need a Python factory, which %s is not: write file.py:factory, or clear them",
			filepath.Base(f.Model))
	}
	return nil
}

// modelFiles are the extensions of models that are run as they are.
var modelFiles = []string{".pt", ".pt2", ".onnx"}

func modelFile(path string) bool { return slices.Contains(modelFiles, filepath.Ext(path)) }

// ModelFiles are the extensions of files that hold models.
func ModelFiles() []string { return append([]string{".py"}, modelFiles...) }

// For is the form for what a candidate is: its mode, batch size, precision and
// pruning, as far as they are known and can be probed.
func (f Form) For(c *candidate.Candidate) Form {
	f = f.clone()
	f.Command, f.Mode = nil, cmp.Or(c.Mode, f.Mode)
	if c.BatchSize > 0 {
		f.Batches = []int{c.BatchSize}
	}
	if c.Epochs != nil && *c.Epochs >= 1 && *c.Epochs < 1e6 {
		f.Epochs = int(math.Round(*c.Epochs))
	}
	if slices.Contains(precisions, c.Variant.Precision) {
		f.Precisions = []string{c.Variant.Precision}
	}
	f.Prune = Defaults().Prune
	if d, ok := prune.Of(c.Variant.Pruning); ok && d != "" {
		f.Prune = string(d)
	}
	return f
}

// prunes are the degrees of pruning; none where they cannot be read, which the
// field refuses.
func (f Form) prunes() []prune.Degree {
	degrees, err := prune.Parse(f.Prune)
	if err != nil {
		return nil
	}
	return degrees
}

// name is what is measured, in the headline.
func (f Form) name() string {
	if f.OfCommand() {
		i := slices.IndexFunc(f.Command, func(w string) bool { return strings.HasSuffix(w, ".py") })
		return filepath.Base(f.Command[max(i, 0)])
	}
	return f.Model
}

// Axes are the lists of the form, whose combinations are the probes. What a
// command sets itself has the zero value.
func (f Form) Axes() matrix.Axes {
	a := matrix.Axes{Mode: f.Mode, Hosts: f.Hosts, Repeats: f.Repeat, Batches: f.OfScript}
	if f.IsQueued() {
		a.Hosts = f.GPUs
	}
	if !f.OfCommand() {
		a.Batches, a.Precisions, a.Prunes = f.Batches, f.Precisions, f.prunes()
	}
	return a
}

// size is how many of each thing a form asks for.
type size struct {
	batches, precisions, prunes, repeats, hosts int
	queued                                      bool // hosts are GPU types
}

func (f Form) size() size {
	a := f.Axes()
	return size{max(len(a.Batches), 1), max(len(a.Precisions), 1), max(len(a.Prunes), 1), max(a.Repeats, 1),
		max(len(a.Hosts), 1), f.IsQueued()}
}

// probes is the number of probes.
func (s size) probes() int { return s.perHost() * s.hosts }

// perHost is how many of them run one after the other.
func (s size) perHost() int { return s.batches * s.precisions * s.prunes * s.repeats }

// String writes the factors that aren't one: 3 batch sizes × 2 precisions.
func (s size) String() string {
	var parts []string
	hosts := "hosts"
	if s.queued {
		hosts = "GPU types"
	}
	for _, x := range []struct {
		n    int
		word string
	}{{s.batches, "batch sizes"}, {s.precisions, "precisions"}, {s.prunes, "prunings"}, {s.repeats, "repeats"},
		{s.hosts, hosts}} {
		if x.n > 1 {
			parts = append(parts, fmt.Sprintf("%d %s", x.n, x.word))
		}
	}
	return strings.Join(parts, " × ")
}

// Sizing says what the form comes to: how many probes, and about how long and
// how dear they are.
func (f Form) Sizing() string {
	s := f.size()
	if s.probes() == 1 {
		return "one probe, " + f.spend()
	}
	return fmt.Sprintf("%s = %d probes, %s", s, s.probes(), f.spend())
}

// wall is how many seconds the probes of a host are expected to take, the least and the most.
func (f Form) wall() (low, high float64) {
	s, rule := f.size(), f.Rule()
	if f.USDPerHour != nil {
		rule.USDPerHour = new(*f.USDPerHour * float64(s.hosts)) // all hosts work at a time
	}
	return rule.Spend(s.perHost())
}

// spend is what all probes take. Hosts work side by side, and each of them costs.
func (f Form) spend() string {
	low, high := f.wall()
	words := "about " + between(low, high, quantity.Duration)
	if f.USDPerHour == nil {
		return words
	}
	second := *f.USDPerHour / 3600 * float64(f.size().hosts) // dollars while all hosts work
	return words + ", " + between(low*second, high*second, quantity.Money)
}

// between writes a range.
func between(low, high float64, format func(float64) string) string {
	if format(low) == format(high) {
		return format(low)
	}
	return format(low) + " to " + format(high)
}
