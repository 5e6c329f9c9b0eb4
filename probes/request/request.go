// Package request describes what a user wants to probe and turns it into a
// matrix of sessions: a model run by the harness, or a script with the hook, in
// variants and batch sizes, here or on other hosts.
package request

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"sweetspot/data/store"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/secret"
	"sweetspot/engine/steady"
	"sweetspot/probes/adapter"
	"sweetspot/probes/harness"
	"sweetspot/probes/matrix"
	"sweetspot/probes/metric"
	"sweetspot/probes/modelfile"
	"sweetspot/probes/prune"
	"sweetspot/probes/remote"
	"sweetspot/probes/sky"
	"sweetspot/probes/slurm"
)

// Request is one request for probes: a model or a command.
type Request struct {
	Command []string // a script; empty for a model
	Input   *os.File // what a command here reads; nil for nothing
	Folder  string   // that the command runs in: on its host; "" for the current one here, the user's home there
	Name    string   // of the model in the database; "" for its own or the script's

	// Spec is what all probes of a model share. For a command its mode and
	// epochs apply, too.
	Spec       harness.Spec
	Batches    []int
	Precisions []string
	Repeats    int
	Prune      string // degrees of pruning, as [prune.Parse] takes them; "" for none

	Hosts      []string      // user@vm or user@vm:port; empty for this machine
	On         string        // queue of an engine: slurm, slurm:login-host or sky; "" for none
	GPUs       []string      // GPU types of the queue, a100 or a100:2
	Slurm      slurm.Options // what its jobs ask for beside that
	Sky        sky.Options   // what its clusters are made of
	Detach     bool          // on other hosts it goes on without the connection
	Python     string        // interpreter, of each host
	Machine    store.Machine // what the user says about it: VM type and price
	NoMetadata bool

	Rule        steady.Rule // of each probe; its MaxUSD is for all together
	KeepRunning bool

	Adapter adapter.Kind // how to read the output of a script without events; "" is adapter.Auto
	Pattern string       // of adapter.Pattern, which it implies
	// AccuracyPattern reads the results of validations, as [metric.NewReader] takes
	// it; "" for the usual forms.
	AccuracyPattern string
}

// IsCommand reports whether a script is probed.
func (r Request) IsCommand() bool { return len(r.Command) > 0 }

// Cells checks the request and lists its probes in the order they run. It reads
// no files except those given.
func (r Request) Cells() ([]matrix.Cell, error) {
	if err := r.checkEffective(); err != nil {
		return nil, err
	}
	if err := r.checkQueue(); err != nil {
		return nil, err
	}
	axes := matrix.Axes{Mode: r.Spec.Mode, Batches: r.Batches, Precisions: r.Precisions, Hosts: r.Hosts,
		Repeats: r.Repeats}
	if r.isQueued() {
		axes.Hosts = r.GPUs
	}
	if r.Prune != "" {
		var err error
		if axes.Prunes, err = prune.Parse(r.Prune); err != nil {
			return nil, err
		}
	}
	if !r.IsCommand() {
		var err error
		if axes.Batches, err = r.batches(); err != nil {
			return nil, err
		}
	}
	cells, err := axes.Cells()
	if err != nil {
		return nil, err
	}
	for _, host := range r.Hosts {
		if host == "" {
			continue // this machine, beside others
		}
		if _, err := remote.Parse(host); err != nil {
			return nil, err
		}
	}
	if r.IsCommand() {
		_, unset := secret.Expand(r.Command, os.LookupEnv)
		_, err := r.reader()
		_, wrong := metric.NewReader(r.AccuracyPattern)
		return cells, errors.Join(unset, err, wrong)
	}
	if r.Adapter != "" || r.Pattern != "" || r.AccuracyPattern != "" {
		return nil, errors.New("--adapter, --pattern and --accuracy-pattern only apply to a command after --; leave " +
			"them out for a model")
	}
	for _, c := range cells {
		if _, err := r.spec(c).Resolve(); err != nil {
			return nil, err
		}
	}
	return cells, nil
}

// batches are the batch sizes of a model: those given, or the only one that its file
// takes.
func (r Request) batches() ([]int, error) {
	fixed := 0
	if r.Spec.TellsItsWork() {
		if facts, err := modelfile.Read(r.Spec.Model); err == nil { // what is wrong with the file is said where it is run
			fixed = facts.Batch
		}
	}
	other := func(b int) bool { return b != fixed }
	switch {
	case fixed == 0 && len(r.Batches) == 0:
		return []int{defaultBatch}, nil
	case fixed == 0:
		return r.Batches, nil
	case slices.ContainsFunc(r.Batches, other) || r.Spec.FitBatch > 0:
		return nil, fmt.Errorf("%s was exported for batches of exactly %d, so no other size can be run; use that one, or "+
			"export it with a batch dimension left open", filepath.Base(r.Spec.Model), fixed)
	}
	return []int{fixed}, nil
}

// defaultBatch is the batch size of a model if none is given.
const defaultBatch = 128

// spec is the harness's description of a cell.
func (r Request) spec(c matrix.Cell) harness.Spec {
	s := r.Spec
	s.Batch, s.Precision, s.Prune = c.Batch, cmp.Or(c.Precision, s.Precision), c.Prune
	return s
}

// reader turns the output of a script without events into events.
func (r Request) reader() (*adapter.Adapter, error) {
	kind := r.Adapter
	if kind == "" && r.Pattern != "" {
		kind = adapter.Pattern
	}
	return adapter.New(cmp.Or(kind, adapter.Auto), r.Pattern)
}

// checkEffective rejects flags that would have no effect: the user expects one.
func (r Request) checkEffective() error {
	s := r.Spec
	ofTimes := []option{{"layers", s.Layers}, {"eval", s.Eval != ""}, {"fine-tune", s.FineTune > 0}}
	ofRuns := append(slices.Clone(ofTimes), option{"largest-batch", s.FitBatch > 0}, option{"prune", r.Prune != ""},
		option{"host", r.IsElsewhere() && !r.isQueued()},
		option{"on", r.isQueued()}, option{"repeat", r.Repeats > 1}, option{"keep-running", r.KeepRunning})
	switch {
	case r.IsCommand() && flags(r.ofModel()) == "--batch":
		return fmt.Errorf("no flag of the command's script is known to be its batch size; put %s where it goes, such as "+
			"--bs %[1]s, or leave out --batch", batchWord)
	case r.IsCommand() && flags(r.ofModel()) != "":
		return fmt.Errorf("a command sets its own batch size, precision, pruning, data and interpreter; leave out %s, "+
			"or give a --model", flags(r.ofModel()))
	case r.IsCommand() && len(r.Batches) == 0 && r.namesBatch():
		return fmt.Errorf("the command takes a batch size at %s; add --batch, such as --batch 32,64", batchWord)
	case !r.IsCommand() && r.Folder != "":
		return errors.New("--folder is where a command runs; leave it out for a --model")
	case s.WorkOnly && flags(ofRuns) != "":
		return fmt.Errorf("--work-only measures nothing; leave out either it or %s", flags(ofRuns))
	case s.FitBatch > 0 && flags(ofTimes) != "":
		return fmt.Errorf("--largest-batch only finds that size; leave out either it or %s", flags(ofTimes))
	case s.FineTune > 0 && !r.prunes():
		return errors.New("--fine-tune trains pruned models and nothing is pruned; add --prune, such as --prune 0.3, " +
			"or leave out --fine-tune")
	}
	return nil
}

// prunes reports whether some of the probes are of a pruned model; what cannot be
// read is refused elsewhere.
func (r Request) prunes() bool {
	degrees, err := prune.Parse(r.Prune)
	return r.Prune != "" && (err != nil || slices.ContainsFunc(degrees, func(d prune.Degree) bool { return d != "" }))
}

// IsElsewhere reports whether some of the probes run on other hosts.
func (r Request) IsElsewhere() bool {
	return r.isQueued() || slices.ContainsFunc(r.Hosts, func(h string) bool { return h != "" })
}

// option is a flag and whether the request uses it.
type option struct {
	flag string
	is   bool
}

// ofModel lists the flags that only apply to a model. The interpreter of
// another host also runs the agent.
func (r Request) ofModel() []option {
	s := r.Spec
	return []option{
		{"batch", len(r.Batches) > 0 && !r.takesBatch()}, {"precision", len(r.Precisions) > 0}, {"prune", r.Prune != ""},
		{"input", s.Input != ""}, {"data", s.Data != ""}, {"train-size", s.TrainSize != 0}, {"optimizer", s.Optimizer != ""},
		{"eval", s.Eval != ""}, {"fine-tune", s.FineTune != 0}, {"layers", s.Layers}, {"largest-batch", s.FitBatch != 0},
		{"python", r.Python != "" && !r.IsElsewhere()},
	}
}

// flags lists those that are used: "--eval, --layers and --data".
func flags(all []option) string {
	var names []string
	for _, a := range all {
		if a.is {
			names = append(names, "--"+a.flag)
		}
	}
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}

// Spend is the expected time and cost of probes.
type Spend struct {
	Probes    int
	Low, High float64  // seconds, of all hosts together
	USDLow    *float64 // nil without a price
	USDHigh   *float64
}

// Expect estimates the spend of the cells under the request's rule.
func (r Request) Expect(cells []matrix.Cell) Spend {
	rule := r.Rule
	rule.USDPerHour = r.Machine.USDPerHour
	s := Spend{Probes: len(cells)}
	s.Low, s.High = rule.Spend(len(cells))
	if price := r.Machine.USDPerHour; price != nil {
		usd := func(seconds float64) *float64 {
			return new(seconds / 3600 * *price)
		}
		s.USDLow, s.USDHigh = usd(s.Low), usd(s.High)
	}
	return s
}

// String is the spend in words: "30 probes, 5 m to 30 m, $0.10 to $0.60".
func (s Spend) String() string {
	out := fmt.Sprintf("%d probes", s.Probes)
	if s.Probes == 1 {
		out = "1 probe"
	}
	out += ", " + between(s.Low, s.High, quantity.Duration)
	if s.USDLow != nil && s.USDHigh != nil {
		out += ", " + between(*s.USDLow, *s.USDHigh, quantity.Money)
	}
	return out
}

func between(low, high float64, words func(float64) string) string {
	if words(low) == words(high) {
		return "about " + words(high)
	}
	return words(low) + " to " + words(high)
}

// Here is the name of this machine in a list of hosts.
const Here = "here"

// Argv is the request as arguments of "sweetspot probe", for a background
// process and for users who want to run it again.
func (r Request) Argv() []string {
	var out []string
	add := func(flag string, value any) {
		if value == true {
			out = append(out, "--"+flag)
		} else if !reflect.ValueOf(value).IsZero() {
			out = append(out, fmt.Sprintf("--%s=%v", flag, value))
		}
	}
	s := r.Spec
	add("model", s.Model)
	add("name", r.Name)
	add("mode", s.Mode)
	add("input", s.Input)
	add("batch", list(r.Batches, ","))
	add("precision", list(r.Precisions, ","))
	add("prune", r.Prune)
	add("epochs", s.Epochs)
	add("data", s.Data)
	add("train-size", s.TrainSize)
	add("optimizer", s.Optimizer)
	add("eval", s.Eval)
	add("fine-tune", s.FineTune)
	add("layers", s.Layers)
	add("largest-batch", s.FitBatch)
	add("work-only", s.WorkOnly)
	add("repeat", r.Repeats)
	r.addPlace(add)
	add("precision-target", r.Rule.Target)
	add("max-seconds", r.Rule.MaxSeconds)
	add("max-cost", r.Rule.MaxUSD)
	add("max-steps", r.Rule.MaxN)
	add("python", r.Python)
	add("folder", r.Folder)
	if vm := r.Machine.VM; vm.InstanceType != "" {
		add("vm", vmPath(vm))
	}
	if usd := r.Machine.USDPerHour; usd != nil {
		add("price", fmt.Sprint(*usd))
	}
	add("adapter", r.Adapter)
	add("pattern", r.Pattern)
	add("accuracy-pattern", r.AccuracyPattern)
	add("no-metadata", r.NoMetadata)
	add("keep-running", r.KeepRunning)
	add("detach", r.Detach)
	if r.IsCommand() {
		out = append(append(out, "--"), r.Command...)
	}
	return out
}

// addPlace adds the flags of where the probes run: hosts, and what a cluster gives them.
func (r Request) addPlace(add func(flag string, value any)) {
	for _, h := range r.Hosts {
		add("host", cmp.Or(h, Here))
	}
	add("on", r.On)
	add("gpu", strings.Join(r.GPUs, ","))
	for flag, value := range map[string]string{"account": r.Slurm.Account, "qos": r.Slurm.QoS,
		"partition": r.Slurm.Partition, "constraint": r.Slurm.Constraint, "container": r.Slurm.Container,
		"spool": r.Slurm.Spool} {
		add(flag, value)
	}
	for _, m := range r.Slurm.Modules {
		add("module", m)
	}
	for _, o := range r.Slurm.Options {
		add("sbatch", o)
	}
	add("infra", strings.Join(r.Sky.Infra, ","))
	add("vm", plaintext.Join(r.Sky.Only, ",", vmPath))
}

// alone is the command that measures one cell of a model by itself.
func (r Request) alone(c matrix.Cell) []string {
	one := Request{Name: r.Name, Spec: r.spec(c)}
	s := &one.Spec
	if s.Batch > 0 {
		one.Batches = []int{s.Batch}
	}
	if s.Precision != "" {
		one.Precisions = []string{s.Precision}
	}
	one.Prune = string(s.Prune)
	if c.Host == "" {
		one.Python = r.Python
	}
	return secret.Words(append([]string{"sweetspot", "probe"}, one.Argv()...))
}

// vmPath is a VM type as --vm takes it.
func vmPath(k profile.VMKey) string { return k.Cloud + "/" + k.Region + "/" + k.InstanceType }

// list joins the values' words.
func list[T any](values []T, between string) string {
	return plaintext.Join(values, between, func(v T) string { return fmt.Sprint(v) })
}

// folderHere is the folder of this machine that the command belongs to.
func (r Request) folderHere(host string) string {
	if host != "" {
		return ""
	}
	return r.Folder
}
