// Package profilecsv reads and writes the Profile CSV: one row per run, columns
// found by their names in any order, an empty cell meaning unknown.
//
// Times are in seconds, money in US dollars per hour for one VM, memory in
// bytes (_bytes) or GiB (_gib), fractions in [0,1]; an accuracy whose metric is
// none by its name, BLEU or WER, in the metric's own unit. In train mode batch_size is
// the global batch of the whole job, of all GPUs of all its VMs (count) together:
// 4 VMs of 8 GPUs with 32 units each make 1024. In infer mode it is the batch per
// GPU, and steady_iteration_s the time of one such batch on one GPU; all GPUs of
// a VM work at once.
//
// The variant of a model as published is "unchanged", or empty. A gpu_count of 0 is a
// machine of which it is known that it has no GPU.
//
// Besides the columns of the contract these optional ones are understood:
//
//	task                what the model does
//	params              number of parameters of the row's network: of a pruned one, what is left
//	flops_per_unit      its operations for one unit of work, a multiply-add counting as two
//	activations_per_unit  elements of the outputs of its convolutions and matrix products
//	layers              convolutions and matrix products of an iteration's forward passes
//	pruning_kind        how was pruned: "filters by L1 norm"
//	pruning_layers      fraction pruned per layer: "conv1=0.3;conv2=0.5"
//	accuracy_stddev     standard deviation of accuracy
//	gpu_mem_gib         memory of one GPU
//	train_size          units in the training set
//	startup_s           initialisation and first iteration, where only their sum is known
//	steady_low_s        ends of the 90 % interval of steady_iteration_s; without
//	steady_high_s       them it is the t-interval of steady_stddev_s and steady_n
//	warmup_iterations   iterations after the first and before the steady part
//	warmup_extra_s      seconds these took beyond steady ones; negative if they were faster
//	first_validation_s  the first validation; validation_s is that of the later ones
//	total_stddev_s      standard deviation of total_s over total_n runs
//	total_n
//	status              done, oom, failed or interrupted; empty is done
//	epoch_starts_s      when each epoch began, in seconds from the run's start: "3.2;232;462.5"
//	evaluations         when each evaluation ended, likewise, and its metric: "462.4:0.31;925.1:0.44"
//	validations         the epoch of each evaluation, from 0, and its metric: "1:0.31;3:0.44"
//	pauses              what belongs to no iteration: when each ended, its seconds, the iterations done
//	                    before it and its kind: "63:1.4:782:checkpoint;125.1:1.3:1564:checkpoint"
//	note                what the user noted of the run
//	energy_j_per_unit   joules per unit of work in the steady part
//	average_power_w     mean power in watts while it worked, of one VM
//	energy_of           what energy and power cover: "GPUs", "CPU packages"
//	host                a machine of one's own, which has no cloud; the same name stands in
//	                    instance_type too, which is deprecated
//	power_limit_w       of one GPU in watts, where it was set lower than the maker does; on
//	                    a machine of one's own each limit is a configuration of its own
//	network             class of the network's module, ResNet; several are joined by +
//	input               shape of one unit of work, 3x224x224; empty where it varies
//	command             what was run, as in a shell, with variables for secrets
//	folder              where that was, on the machine of whoever probed
//	steps               iterations that a training was to take which counts these and no epochs
//	schedule            how the work of a training's steps changes, in words
//	sizes               the sizes that it hangs on, as JSON: of (side, length, batch, samples), per
//	                    (epoch, step), the rounds from which on each is so large, and iterations
//	                    of the first epoch
//	world_size          data-parallel ranks of a training, over all its VMs
//	tuning              how a language model was trained, as the JSON of a run has it
//	serving             load on a language model's server and its latencies, as JSON: serving in
//	                    docs/json.md
//	exit_s              seconds from the step after which a probe stopped a training until its
//	                    processes had ended
//
// The metric of evaluations is that of the columns metric and higher_is_better,
// empty after the colon where it is unknown; where no metric and no value is
// known, higher_is_better is empty too. Of evaluations with a time the
// epoch follows from epoch_starts_s; where it does not, validations stands
// beside evaluations and lists the same ones. Of pauses the iterations and the
// kind may be left empty ("63:1.4::"); in a kind, %3B stands for a semicolon
// and %25 for a percent sign. An empty cell means that none was seen.
package profilecsv

import (
	"cmp"
	"io"
	"strings"

	"sweetspot/data/textfile"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
)

// contractColumns are the columns of the contract, in its order.
var contractColumns = []string{
	"model", "dataset", "unit", "variant", "precision", "pruning", "metric", "accuracy", "higher_is_better",
	"mode", "cloud", "region", "instance_type", "gpu", "gpu_count", "count", "usd_per_hour", "batch_size",
	"epochs", "iterations_per_epoch", "init_s", "first_iteration_s", "steady_iteration_s", "steady_stddev_s",
	"steady_n", "validation_s", "total_s", "peak_memory_bytes", "basis", "source", "as_of",
}

// extraColumns are the optional columns described in the package comment.
var extraColumns = []string{
	"task", "params", "flops_per_unit", "activations_per_unit", "pruning_kind", "pruning_layers", "accuracy_stddev",
	"gpu_mem_gib", "train_size", "startup_s", "steady_low_s", "steady_high_s", "warmup_iterations", "warmup_extra_s",
	"first_validation_s", "total_stddev_s", "total_n", "status",
	"epoch_starts_s", "evaluations", "validations", "pauses", "note",
	"energy_j_per_unit", "average_power_w", "energy_of", "power_limit_w", "host",
	"network", "input", "command", "folder", "layers", "packages", "state_bytes",
	"steps", "schedule", "world_size", "tuning", "serving", "exit_s", "sizes",
}

// required must be in the header: without them a file is not a Profile CSV.
var required = []string{"model", "mode", "basis"}

// Read returns the runs of a Profile CSV in file order and the models they are
// of. Errors about the content are of type [*textfile.Error]. Unknown columns
// are ignored.
func Read(r io.Reader) (*profile.Set, error) {
	rd := reader{textfile.NewTable(r)}
	if err := rd.Header("a Profile CSV", ""); err != nil {
		return nil, err
	}
	if err := rd.Need(required...); err != nil {
		return nil, err
	}
	set := &profile.Set{}
	models := modelIndex{set: set, at: map[string]int{}}
	err := rd.Each(func() error {
		model, run := rd.row()
		models.add(model)
		set.Runs = append(set.Runs, run)
		return nil
	})
	return set, err
}

// modelIndex collects models by name; later rows fill in what earlier ones left
// unknown.
type modelIndex struct {
	set *profile.Set
	at  map[string]int
}

func (x *modelIndex) add(m profile.Model) {
	i, seen := x.at[m.Name]
	if !seen {
		x.at[m.Name] = len(x.set.Models)
		x.set.Models = append(x.set.Models, m)
		return
	}
	have := &x.set.Models[i]
	have.Dataset, have.Task = cmp.Or(have.Dataset, m.Dataset), cmp.Or(have.Task, m.Task)
	have.Unit, have.Params = cmp.Or(have.Unit, m.Unit), cmp.Or(have.Params, m.Params)
	have.FLOPsPerUnit = cmp.Or(have.FLOPsPerUnit, m.FLOPsPerUnit)
}

// reader reads the cells of one row by column name.
type reader struct{ *textfile.Table }

// fraction returns a number in [0,1], or nil for an empty cell.
func (r reader) fraction(column string) *float64 {
	v := r.NotNegative(column)
	if v != nil && *v > 1 {
		_ = r.Fail(column, "%g is above 1; write a fraction, %g for %g %%", *v, *v/100, *v)
	}
	return v
}

// boolean returns nil for an empty cell.
func (r reader) boolean(column string) *bool {
	switch cell := strings.ToLower(r.Cell(column)); cell {
	case "":
		return nil
	case "true", "1", "yes":
		return new(true)
	case "false", "0", "no":
		return new(false)
	default:
		_ = r.Fail(column, "%s is neither true nor false", plaintext.Quote(cell))
		return nil
	}
}

// layers reads "conv1=0.3;conv2=0.5".
func (r reader) layers(column string) map[string]float64 {
	cell := r.Cell(column)
	if cell == "" {
		return nil
	}
	layers := map[string]float64{}
	for part := range strings.SplitSeq(cell, ";") {
		name, ratio, ok := strings.Cut(part, "=")
		name, ratio = strings.TrimSpace(name), strings.TrimSpace(ratio)
		v, sound := textfile.Decimal(ratio)
		if !ok || name == "" || !sound || v < 0 || v > 1 {
			_ = r.Fail(column, "%s is not layer=fraction; write conv1=0.3;conv2=0.5", plaintext.Quote(part))
			return nil
		}
		layers[name] = v
	}
	return layers
}
