// Package profile defines the plain values that all layers share: models, variants,
// VM types and runs. A nil pointer is unknown, and is never written as zero.
package profile

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"sweetspot/engine/estimate"
)

// Mode is what a run does with the model.
type Mode string

// The two modes.
const (
	Train Mode = "train"
	Infer Mode = "infer"
)

// Noun is the mode as a noun: inference runs.
func (m Mode) Noun() string {
	if m == Train {
		return "training"
	}
	return "inference"
}

// Model is what is run.
type Model struct {
	Name         string
	Dataset      string
	Task         string
	Unit         string // what one unit of work is: image, token, sample
	SourceFile   string
	Params       *float64 // number of parameters
	FLOPsPerUnit *float64 // operations of one unit's forward pass, a multiply-add counting as two
}

// Pruning says what was removed from a model.
type Pruning struct {
	Kind   string             // filters by L1 norm, magnitude …
	Ratio  *float64           // overall fraction in [0,1]; nil if only layers are known
	Layers map[string]float64 // layer name → fraction in [0,1]
}

// Variant is the model and what was changed to trade accuracy for speed.
type Variant struct {
	Name      string // "" for the model as published; see [Variant.Network]
	Precision string // fp32, tf32, fp16, bf16, int8; "" unknown
	Pruning   *Pruning
}

// Network is the network that a variant is of, where the variants of a model are
// networks of their own, of which one says nothing of another: what its name begins
// with before a middle dot, as in "resnet50 · a1_in1k 224 px". It is "" where all
// variants are the model's own network.
func (v Variant) Network() string {
	name, _, several := strings.Cut(v.Name, " · ")
	if !several {
		return ""
	}
	return name
}

// Key tells variants apart.
func (v Variant) Key() string { return v.Name + "\x00" + v.Precision + "\x00" + v.Pruning.Key() }

// Key tells prunings apart; fmt writes maps in the order of their keys.
func (p *Pruning) Key() string {
	switch {
	case p == nil:
		return ""
	case p.Ratio == nil:
		return fmt.Sprint(p.Kind, p.Layers)
	}
	return fmt.Sprint(p.Kind, *p.Ratio, p.Layers)
}

// Accuracy is a measured quality of a variant. Value is in [0,1] for
// fractions, in its own unit otherwise (WER, loss).
type Accuracy struct {
	Metric         string
	Value          float64
	StdDev         *float64
	HigherIsBetter bool
	Basis          estimate.Basis
}

// Status is how a run ended.
type Status string

// The ends a run can have. Running is also what a killed recorder leaves.
const (
	Running     Status = "running"
	Done        Status = "done"
	OutOfMemory Status = "oom"
	Failed      Status = "failed"
	Interrupted Status = "interrupted"
)

// Run is one measurement: variant × machine × batch size × mode, with its
// summary. Times are in seconds.
type Run struct {
	ID      int64 // positive in a profile database, negative in the built-in library
	Model   string
	Dataset string
	Unit    string
	Variant Variant
	Work    Work `json:",omitzero"` // of the variant's network; see [Run.WorkIn]
	// Tuning is how a language model was trained; nil of other work, or where it is unknown.
	Tuning *Tuning `json:",omitempty"`
	Mode   Mode

	// Command is what was run, as the user gave it, with variables for secrets: a script with its
	// arguments or, of a model, "sweetspot probe" with the flags of this one run. Folder is
	// where the user was. Both are unknown of imported runs.
	Command []string `json:",omitempty"`
	Folder  string   `json:",omitempty"`

	// Framework is what ran the network, with its version: torch 2.15.0, or
	// onnxruntime 1.32.0 with the execution provider. "" is unknown.
	Framework string `json:",omitempty"`
	// Packages are the distributions that the script had imported, as name==version; nil is
	// unknown.
	Packages []string `json:",omitempty"`

	Cloud, Region, InstanceType string // where it ran; InstanceType is the host name for a machine of one's own
	GPU                         string
	GPUCount                    int  // GPUs per VM used; 0 is none or unknown
	NoGPU                       bool `json:"-"` // it is known that none was used
	CPUs                        int  `json:"-"` // hardware threads of the machine; 0 is unknown
	GPUMemGiB                   *float64
	Count                       int      // VMs
	WorldSize                   *int     `json:",omitempty"` // data-parallel ranks, over all VMs
	USDPerHour                  *float64 // price the user gave or the source printed, one VM

	// in training the global batch of the whole job, all GPUs of all its VMs;
	// in inference the batch per GPU
	BatchSize          int
	Epochs             *float64 // epochs the source ran or needed to stabilise
	IterationsPerEpoch *float64 // real: 158.25 happens
	TrainSize          *float64 // units in the training set
	// Steps is how many iterations the training was to take, where its script counts these and
	// no epochs; see [sweetspot/engine/training.InEpochs].
	Steps *float64 `json:",omitempty"`
	// Schedule says how the work of the training's steps changes; "" where it is not known to.
	Schedule string `json:",omitempty"`
	// Sizes are those that the work of the training's steps hangs on; nil where they stay or
	// are not known.
	Sizes []Size `json:",omitempty"`

	InitS            *float64
	FirstIterationS  *float64
	StartupS         *float64 // initialisation + first iteration, where only the sum is known
	Steady           estimate.Estimate
	SteadyStdDevS    *float64
	SteadyN          int // steady iterations behind Steady; 0 is unknown
	WarmupIterations *int
	WarmupExtraS     *float64 // seconds the warm-up iterations after the first took beyond steady ones
	FirstValidationS *float64
	ValidationS      *float64
	// ExitS is the seconds from the step after which a probe stopped a training until its
	// processes had ended; nil of others.
	ExitS        *float64 `json:",omitempty"`
	TotalS       *float64 // measured total of the whole run
	TotalStdDevS *float64
	TotalN       int

	// What the sensors say of the electricity of the steady part.
	EnergyJPerUnit *float64 `json:",omitempty"` // joules per unit of work, of all that worked
	AveragePowerW  *float64 `json:",omitempty"` // mean power in watts, of one VM
	EnergyOf       string   `json:",omitempty"` // what the sensors cover; "" where nothing was measured
	PowerLimitW    *float64 `json:",omitempty"` // per GPU, where it was set lower than the maker does; else nil

	// InputWait is the share of the steady iterations spent waiting for input, in [0,1].
	InputWait *float64 `json:",omitempty"`

	// Serving is the load that a server of a language model was measured under; nil of other runs.
	Serving *Serving `json:",omitempty"`

	PeakMemoryBytes *float64 // largest GPU memory used, per GPU
	Accuracy        *Accuracy
	Validations     []Validation
	Untrained       []Validation `json:",omitempty"` // before the first iteration: their time is in the initialisation
	Pauses          []Pause      `json:",omitempty"` // nil where none was seen, which need not mean that there are none
	EpochStartsS    []float64    `json:",omitempty"` // when each epoch began, in seconds from the run's start, rising
	Status          Status
	Basis           estimate.Basis
	Source, AsOf    string
	Note            string `json:",omitempty"` // the user's own words
}

// IsTimed reports whether a run has times that answer a question: of an iteration,
// of all, or of at least two epochs.
func (r Run) IsTimed() bool { return r.Steady.Known() || r.TotalS != nil || len(r.EpochStartsS) > 2 }

// HasAccuracies reports whether some validation of the run has a value that is no loss.
func (r Run) HasAccuracies() bool {
	return r.Accuracy != nil && !IsLoss(r.Accuracy.Metric) || slices.ContainsFunc(r.Validations,
		func(v Validation) bool {
			return v.Value != nil && !IsLoss(v.Metric)
		})
}

// AccuracyStdDev is the standard deviation of the run's accuracy: as given, else
// that which a count over the units of its last validation has by chance. It is nil where neither is known.
func (r Run) AccuracyStdDev() *float64 {
	switch a := r.Accuracy; {
	case a == nil:
		return nil
	case a.StdDev != nil:
		return a.StdDev
	case len(r.Validations) == 0 || a.Value < 0 || a.Value > 1 || !a.HigherIsBetter || a.Metric != "" &&
		!isCount(a.Metric):
		return nil
	}
	units := r.Validations[len(r.Validations)-1].Units
	if units == nil || *units <= 0 {
		return nil
	}
	return new(math.Sqrt(r.Accuracy.Value * (1 - r.Accuracy.Value) / *units))
}

// AccuracyEstimate is the run's accuracy with its interval, which is without width where the
// standard deviation is unknown; unknown where the run has no accuracy.
func (r Run) AccuracyEstimate() estimate.Estimate {
	if r.Accuracy == nil {
		return estimate.Estimate{}
	}
	e := estimate.Exact(r.Accuracy.Value, r.Accuracy.Basis)
	if sd := r.AccuracyStdDev(); sd != nil {
		e.Low, e.High = e.Value-estimate.Z90**sd, e.Value+estimate.Z90**sd
	}
	return e
}

// Validation is what a run evaluated between two of its steps, or after its last one.
type Validation struct {
	Epoch          int     // counted from 0
	Seconds        float64 // how long it took; 0 where an imported one does not say
	Metric         string
	Value          *float64
	HigherIsBetter bool
	Units          *float64
	AtS            *float64 `json:",omitempty"` // when it ended, in seconds from the run's start
	Iterations     *int     `json:",omitempty"` // number of iterations before it
}

// AddValidation adds an evaluation, to those of the untrained network if no iteration came before it.
func (r *Run) AddValidation(v Validation) {
	if v.Iterations != nil && *v.Iterations == 0 {
		r.Untrained = append(r.Untrained, v)
	} else {
		r.Validations = append(r.Validations, v)
	}
}

// Pause is time during a run that belongs to no iteration and no validation.
type Pause struct {
	AtS        float64 // when it ended, in seconds from the run's start
	Seconds    float64
	Kind       string // such as checkpoint; "" where unknown
	Iterations *int   `json:",omitempty"` // number of iterations before it
}

// EpochAt is the epoch, counted from 0, that an evaluation belongs to which
// ended t seconds after the run's start; -1 where no epoch had begun. Logs round
// times, and an evaluation ends where the next epoch begins: a moment within
// the first twentieth of an epoch is counted to the one before.
func (r Run) EpochAt(t float64) int {
	i, exact := slices.BinarySearch(r.EpochStartsS, t)
	if !exact {
		i--
	}
	if i > 0 {
		length := r.EpochStartsS[i] - r.EpochStartsS[i-1]
		if i+1 < len(r.EpochStartsS) {
			length = r.EpochStartsS[i+1] - r.EpochStartsS[i]
		}
		if t-r.EpochStartsS[i] < length/20 {
			i--
		}
	}
	return i
}

// IsOfGPU reports whether the iteration time is that of a GPU, whatever VM has
// it: a batch of inference as printed or reconstructed. It is one number, on
// however many VM types it stands. What was measured on a VM stands for itself.
func (r Run) IsOfGPU() bool {
	return r.Mode == Infer && r.Basis != estimate.Measured && r.GPU != ""
}

// What the sensors of energy cover ([Run.EnergyOf]).
const (
	EnergyOfGPUs = "GPUs"
	EnergyOfCPUs = "CPU packages"
)

// VM is the key of the VM type that the run is of. A machine of one's own under a lowered
// power limit is a machine of its own: "V100 at 150 W".
func (r Run) VM() VMKey {
	key := VMKey{r.Cloud, r.Region, r.InstanceType}
	if r.PowerLimitW != nil && r.Cloud == "" {
		key.InstanceType += fmt.Sprintf(" at %g W", *r.PowerLimitW)
	}
	return key
}

// Startup returns the seconds before the second iteration: initialisation and
// first iteration, or their known sum. Parts that are unknown are left out;
// known is false where there is nothing.
func (r Run) Startup() (seconds float64, known bool) {
	if r.StartupS != nil {
		return *r.StartupS, true
	}
	for _, part := range []*float64{r.InitS, r.FirstIterationS} {
		if part != nil {
			seconds += *part
			known = true
		}
	}
	return seconds, known
}

// OneOff is what a run takes once besides its steady iterations, in seconds: its
// start-up, what its warm-up takes longer, and its exit. Parts that are unknown are left
// out; known is false without a start-up.
func (r Run) OneOff() (seconds float64, known bool) {
	seconds, known = r.Startup()
	for _, part := range []*float64{r.WarmupExtraS, r.ExitS} {
		if part != nil {
			seconds += *part
		}
	}
	return seconds, known
}

// GPUs is the number of GPUs of one VM that were used; nil is unknown.
func (r Run) GPUs() *int {
	if r.GPUCount == 0 && !r.NoGPU {
		return nil
	}
	return &r.GPUCount
}

// Workers is the number of GPUs that shared the work of a training, over all its VMs, or
// of processes where it used none; 0 is unknown.
func (r Run) Workers() int {
	switch {
	case r.WorldSize != nil && *r.WorldSize > 0:
		return max(*r.WorldSize, r.GPUCount*max(r.Count, 1)) // one process may use several GPUs
	case r.GPUCount > 0:
		return r.GPUCount * max(r.Count, 1)
	case r.NoGPU:
		return max(r.Count, 1)
	}
	return 0
}

// Answers reports whether the run measured anything: a time, an accuracy, or that
// the model does not fit in memory. A command that failed before its first
// iteration leaves a run that measured nothing.
func (r Run) Answers() bool {
	return r.Status == OutOfMemory || r.FirstIterationS != nil || r.StartupS != nil || r.IsTimed() || r.Accuracy != nil ||
		r.Serving != nil
}

// IsLook reports whether the run is a look at a model: what a unit takes the network is
// known, and nothing was measured.
func (r Run) IsLook() bool {
	return r.Status == Done && r.Work.FLOPs != nil && r.BatchSize > 0 && !r.Answers()
}

// unchanged is the title of the variant in which nothing was traded for speed.
const unchanged = "unchanged"

// Title is the variant's name, also where it has none: unchanged.
func (v Variant) Title() string { return cmp.Or(v.Name, unchanged) }

// VariantOfTitle is the name of the variant that has such a title.
func VariantOfTitle(title string) string {
	if title == unchanged {
		return ""
	}
	return title
}
