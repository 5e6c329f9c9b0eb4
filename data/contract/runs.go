package contract

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"sweetspot/data/store"
	"sweetspot/engine/profile"
)

// Run is a run as it travels with all its iteration times: seconds, US dollars
// for one VM, bytes and GiB, fractions. Times of single iterations,
// validations and pauses follow it.
type Run struct {
	ID                 int64     `json:"id"` // its number; below 0 in the built-in library
	Model              string    `json:"model"`
	Dataset            *string   `json:"dataset"`
	Unit               *string   `json:"unit"`    // of work: image, token, sample
	Variant            string    `json:"variant"` // unchanged is the model as published
	Precision          *string   `json:"precision"`
	Pruning            *Pruning  `json:"pruning"`
	Mode               string    `json:"mode"` // train or infer
	Cloud              *string   `json:"cloud"`
	Region             *string   `json:"region"`
	InstanceType       *string   `json:"instance_type"` // null of a machine of one's own
	Host               *string   `json:"host"`          // of a machine of one's own
	GPU                *string   `json:"gpu"`
	GPUCount           *int      `json:"gpu_count"` // of one VM; 0 where it had none
	GPUMemGiB          *float64  `json:"gpu_mem_gib"`
	Count              int       `json:"count"`        // number of VMs
	WorldSize          *int      `json:"world_size"`   // data-parallel ranks, over all VMs
	USDPerHour         *float64  `json:"usd_per_hour"` // of one VM
	BatchSize          *int      `json:"batch_size"`   // train: of the whole job; infer: per GPU
	Epochs             *float64  `json:"epochs"`
	Steps              *float64  `json:"steps"`    // that a script announces which counts no epochs
	Schedule           *string   `json:"schedule"` // how the work of its steps changes, in words; else null
	IterationsPerEpoch *float64  `json:"iterations_per_epoch"`
	TrainSize          *float64  `json:"train_size"` // units in the training set
	InitS              *float64  `json:"init_s"`     // before the first iteration
	FirstIterationS    *float64  `json:"first_iteration_s"`
	StartupS           *float64  `json:"startup_s"`        // the sum of both, where only that is known
	Steady             Seconds   `json:"steady_iteration"` // mean once the warm-up is over
	SteadyStdDevS      *float64  `json:"steady_stddev_s"`
	SteadyN            *int      `json:"steady_n"`          // iterations behind the mean
	WarmupIterations   *int      `json:"warmup_iterations"` // between the first and the steady ones
	WarmupExtraS       *float64  `json:"warmup_extra_s"`    // that these took beyond steady ones
	FirstValidationS   *float64  `json:"first_validation_s"`
	ValidationS        *float64  `json:"validation_s"` // of the later ones
	ExitS              *float64  `json:"exit_s"`       // from the step after which it was stopped; else null
	TotalS             *float64  `json:"total_s"`
	PeakMemoryBytes    *float64  `json:"peak_memory_bytes"` // of one GPU
	Accuracy           *Measured `json:"accuracy"`
	Status             string    `json:"status"` // done, oom, failed, interrupted or running
	Basis              string    `json:"basis"`
	Source             *string   `json:"source"` // who measured or published it
	AsOf               *string   `json:"as_of"`  // date of the source
	Note               *string   `json:"note"`
	EpochStartsS       []float64 `json:"epoch_starts_s"` // when each epoch began, from the run's start; null where unknown
	EnergyJPerUnit     *float64  `json:"energy_j_per_unit"`
	AveragePowerW      *float64  `json:"average_power_w"`      // of one VM
	EnergyOf           *string   `json:"energy_of"`            // what the sensors of both cover
	PowerLimitW        *float64  `json:"power_limit_w"`        // of one GPU, where it was lowered
	Params             *float64  `json:"params"`               // of the network of its variant
	FLOPsPerUnit       *float64  `json:"flops_per_unit"`       // operations of a forward pass; a multiply-add is two
	ActivationsPerUnit *float64  `json:"activations_per_unit"` // elements that convolutions and matrix products put out
	Network            *string   `json:"network"`              // class of the network's module, ResNet
	Input              *string   `json:"input"`                // shape of one unit, 3x224x224; null where it varies
	Command            []string  `json:"command"`              // as it was given, with variables for secrets; or null
	Folder             *string   `json:"folder"`               // where it was given
	Layers             *float64  `json:"layers"`               // convolutions and matrix products of an iteration
	StateBytes         *float64  `json:"state_bytes"`          // weights, gradients and optimizer, on one device
	Framework          *string   `json:"framework"`            // what ran the network, with its version; null if unknown
	Packages           []string  `json:"packages"`             // that the script had imported, name==version; or null
	Tuning             *Tuning   `json:"tuning"`               // of a language model's training; null of other work
	// Serving is the load on a language model's server and its latencies; null of other runs.
	Serving *profile.Serving `json:"serving"`
	// Sizes are those that its schedule goes by, where the script's text decides them; else null.
	Sizes []profile.Size `json:"sizes"`
}

// Measured is the accuracy of one run.
type Measured struct {
	Metric         string   `json:"metric"`
	Value          float64  `json:"value"`
	StdDev         *float64 `json:"stddev"`
	HigherIsBetter bool     `json:"higher_is_better"`
	Basis          string   `json:"basis"`
}

// RecordedRun is a run with what was recorded while it went on.
type RecordedRun struct {
	Run
	Iterations  []store.Iteration `json:"iterations"`
	Validations []Validation      `json:"validations"`
	Pauses      []Pause           `json:"pauses"`
}

// Validation is one evaluation during a run.
type Validation struct {
	Epoch          int      `json:"epoch"`   // from 0
	Seconds        *float64 `json:"seconds"` // it took
	Metric         *string  `json:"metric"`
	Value          *float64 `json:"value"`
	HigherIsBetter bool     `json:"higher_is_better"`
	Units          *float64 `json:"units"`      // evaluated
	AtS            *float64 `json:"at_s"`       // when it ended, from the run's start
	Iterations     *int     `json:"iterations"` // done before it; 0 of the untrained network
}

// Pause is time of a run that belongs to no iteration and no validation.
type Pause struct {
	AtS        float64 `json:"at_s"`       // when it ended, from the run's start
	Seconds    float64 `json:"seconds"`    // it took
	Kind       *string `json:"kind"`       // checkpoint and the like
	Iterations *int    `json:"iterations"` // done before it
}

// NewRun describes a run.
func NewRun(r profile.Run) Run {
	out := Run{
		ID: r.ID, Model: clean(r.Model), Dataset: OrNull(clean(r.Dataset)), Unit: OrNull(clean(r.Unit)),
		Variant: clean(r.Variant.Title()), Precision: OrNull(clean(r.Variant.Precision)),
		Pruning: newPruning(r.Variant.Pruning),
		Mode:    string(r.Mode), Cloud: OrNull(clean(r.Cloud)), Region: OrNull(clean(r.Region)),
		GPU: OrNull(clean(r.GPU)), GPUCount: r.GPUs(), GPUMemGiB: r.GPUMemGiB, Count: max(r.Count, 1),
		WorldSize: r.WorldSize, USDPerHour: r.USDPerHour,
		BatchSize: above0(r.BatchSize), Epochs: r.Epochs, Steps: r.Steps,
		Schedule: OrNull(clean(r.Schedule)), Sizes: r.Sizes,
		IterationsPerEpoch: r.IterationsPerEpoch, TrainSize: r.TrainSize,
		InitS: r.InitS, FirstIterationS: r.FirstIterationS, StartupS: r.StartupS, SteadyStdDevS: r.SteadyStdDevS,
		SteadyN:          above0(r.SteadyN),
		WarmupIterations: r.WarmupIterations, WarmupExtraS: r.WarmupExtraS,
		FirstValidationS: r.FirstValidationS, ValidationS: r.ValidationS, ExitS: r.ExitS, TotalS: r.TotalS,
		PeakMemoryBytes: r.PeakMemoryBytes,
		Status:          string(r.Status), Basis: r.Basis.String(), Source: OrNull(clean(r.Source)),
		AsOf: OrNull(clean(r.AsOf)), Note: OrNull(clean(r.Note)),
		EpochStartsS:   r.EpochStartsS,
		EnergyJPerUnit: r.EnergyJPerUnit, AveragePowerW: r.AveragePowerW, EnergyOf: OrNull(clean(r.EnergyOf)),
		PowerLimitW: r.PowerLimitW, Params: r.Work.Params, FLOPsPerUnit: r.Work.FLOPs,
		ActivationsPerUnit: r.Work.Activations, Layers: r.Work.Layers, StateBytes: r.Work.StateBytes, Packages: r.Packages,
		Tuning:  newTuning(r),
		Network: OrNull(clean(r.Work.Network)), Input: OrNull(clean(r.Work.Input)),
		Folder: OrNull(clean(r.Folder)), Framework: OrNull(clean(r.Framework)), Serving: r.Serving,
	}
	for _, word := range r.Command {
		out.Command = append(out.Command, clean(word))
	}
	if out.Cloud == nil {
		out.Host = OrNull(clean(r.InstanceType))
	} else {
		out.InstanceType = OrNull(clean(r.InstanceType))
	}
	out.Steady = NewSeconds(r.Steady)
	if a := r.Accuracy; a != nil {
		out.Accuracy = &Measured{clean(a.Metric), a.Value, a.StdDev, a.HigherIsBetter, a.Basis.String()}
	}
	return out
}

// lasted is the seconds of an evaluation; an imported one says only what it
// found.
func lasted(v profile.Validation) *float64 {
	if v.Seconds == 0 {
		return nil
	}
	return &v.Seconds
}

// WriteRuns writes the runs of a set as one JSON object, each with its
// iterations, validations and pauses; iterations gives those of one run. It
// holds one run's iterations at a time.
func WriteRuns(w io.Writer, set *profile.Set, iterations func(run int64) ([]store.Iteration, error)) error {
	out := bufio.NewWriterSize(w, 64<<10)
	fmt.Fprintf(out, "{\"schema\":%d,\"command\":\"export\",\"warnings\":[],\"runs\":[", Schema)
	for i, r := range set.Runs {
		if i > 0 {
			out.WriteByte(',')
		}
		its, err := iterations(r.ID)
		if err != nil {
			return err
		}
		if err := writeRun(out, r, its); err != nil {
			return err
		}
	}
	out.WriteString("\n]}\n")
	return out.Flush() // also says what went wrong before
}

func writeRun(out *bufio.Writer, r profile.Run, its []store.Iteration) error {
	validations := slices.Concat(r.Untrained, r.Validations)
	recorded := RecordedRun{
		Run: NewRun(r), Iterations: orEmpty(its), Validations: make([]Validation, len(validations)),
		Pauses: make([]Pause, len(r.Pauses)),
	}
	for k, v := range validations {
		recorded.Validations[k] = Validation{v.Epoch, lasted(v), OrNull(clean(v.Metric)), v.Value, v.HigherIsBetter, v.Units,
			v.AtS, v.Iterations}
	}
	for k, p := range r.Pauses {
		recorded.Pauses[k] = Pause{p.AtS, p.Seconds, OrNull(clean(p.Kind)), p.Iterations}
	}
	text, err := json.Marshal(recorded)
	if err != nil {
		return fmt.Errorf("run %d of %s holds a number that is not finite and can't be written", r.ID, clean(r.Model))
	}
	out.WriteByte('\n')
	out.Write(text)
	return nil
}
