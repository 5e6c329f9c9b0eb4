// Package protocol reads the events of a probe: JSON Lines with the keys
// "sweetspot" and "event" among any other text. Other lines are log text; a
// malformed event is rejected with its line number, and reading goes on. The
// script may be buggy, so every text is cleaned and every number checked.
package protocol

import (
	"encoding/json"

	"sweetspot/engine/profile"
)

// version is the protocol's version, the value of the key "sweetspot".
const version = 1

// Event is one of the event types of this package, such as [Iteration].
type Event any

// Hello describes the machine and framework that the probe runs on. Empty text
// and nil mean unknown.
type Hello struct {
	T         *float64 // seconds since the process began
	Host      string
	Python    string
	Framework string
	CUDA      string
	Driver    string
	GPUs      []GPU // nil unknown, empty none
	CPU       string
	CPUs      *int
	PID       *int
	Hook      bool   // sent by sweetspot's hook in a script that sends no events itself
	Computes  *bool  // whether the script has computed with the framework that it imported, whose steps will be told
	Rank      *int   // data-parallel rank that sends it; nil of a process that is none
	Node      string // tells the host from others, which may have its name
}

// GPU is one device of a [Hello].
type GPU struct {
	Name        string
	MemoryBytes *float64
	UUID        string
}

// Model describes what is run.
type Model struct {
	T                  *float64
	Name               string
	Dataset            string
	Params             *float64
	FLOPsPerUnit       *float64
	ActivationsPerUnit *float64 // elements that convolutions and matrix products put out
	Layers             *float64 // convolutions and matrix products of an iteration's forward passes
	Unit               string
	BatchSize          *int
	TrainSize          *float64 // units
	IterationsPerEpoch *float64 // real
	Precision          string
	Pruning            *float64 // fraction in [0,1]
	Epochs             *float64
	Steps              *float64       // iterations of the whole training
	WorldSize          *int           // data-parallel ranks
	VMs                *int           // that the launcher put the ranks on
	Network            string         // class of the module; several are joined by +
	Input              string         // shape of one unit, 3x224x224
	Schedule           string         // how the work of a step changes, in words
	Sizes              []profile.Size // that it hangs on
	// StateBytes are those of weights, gradients and the optimizers' state on one device.
	StateBytes *float64
}

// Tuning is how a language model is trained. What its configuration says of the network, as
// transformers writes it, is in Config; nil where it has none.
type Tuning struct {
	T      *float64
	Tuning profile.Tuning
	Config json.RawMessage
}

// Training says that a process trains from now on, in the training of that number, from 0:
// a command may train several times, one after the other.
type Training struct {
	T      *float64
	Number int
	Script string // that the process runs: its file with its folder
}

// Packages lists distributions that the script has imported, as name==version. Several
// events of it are one list.
type Packages struct {
	T     *float64
	Names []string
}

// Init is the time from the start of the process to the first iteration.
type Init struct {
	T       *float64
	Seconds float64
}

// Iteration is one step.
type Iteration struct {
	T       *float64
	Rank    int
	Epoch   int
	Index   *int // nil if the script does not count
	Seconds float64
	Units   *float64
	Wait    *float64 // part of Seconds spent waiting for input
}

// Validation is one evaluation.
type Validation struct {
	T              *float64
	Epoch          int
	Seconds        float64
	Metric         string
	Value          *float64
	HigherIsBetter *bool
	Units          *float64
	Untrained      bool // it came before the first iteration, in the initialisation
}

// Pause is time that belongs to no iteration: a checkpoint, a log upload.
type Pause struct {
	T       *float64
	Seconds float64
	Kind    string
}

// Overhead is what watching took so far that is in no iteration, on one rank: without a probe
// the script would have ended so much earlier.
type Overhead struct {
	T       *float64
	Seconds float64
}

// Memory is the peak use of one GPU's memory so far.
type Memory struct {
	T          *float64
	PeakBytes  *float64 // held by tensors
	TotalBytes *float64 // of the device
	// ReservedBytes is the peak of what the framework took from the device, for tensors now or later.
	ReservedBytes *float64
}

// Telemetry is one reading of the sensors of a GPU or of a CPU package.
// Utilisation is in [0,1].
type Telemetry struct {
	T           *float64
	CPU         bool // of a CPU package, whose number GPU is
	GPU         int
	Utilisation *float64
	MemoryBytes *float64
	Watts       *float64
	Celsius     *float64
	Throttle    string
	Shared      *bool    // another program uses it
	EnergyJ     *float64 // its energy counter, joules since some moment before the first reading
	UUID        string   // of the GPU, whose number depends on who counts
}

// Load is how the CPUs of the host were used for a while. Shares are in [0,1].
type Load struct {
	T            *float64
	Seconds      float64  // how long it was
	Others, Idle float64  // shares of the time of all CPUs: other programs than the probe, and none
	Active       *float64 // share of the while in which something of the probe ran or waited for a CPU
}

// Layers lists the layers' shares of the time of a forward pass.
type Layers struct {
	T      *float64
	Layers []Layer
}

// Layer is one layer's share, in [0,1].
type Layer struct {
	Name, Kind string
	Share      float64
}

// Limit is the largest batch that fits in memory. FailsAt is the smallest that
// was found not to fit; nil if the largest one tried fits.
type Limit struct {
	T         *float64
	BatchSize int
	FailsAt   *int
}

// Warning is something the user should know.
type Warning struct {
	Message   string
	Unwatched bool // the program goes on, but its steps are no longer told
	Ahead     bool // it is about what the program will do later, and no longer holds once it has ended
}

// Failure is the event "error": why the probe cannot continue.
type Failure struct{ Message string }

// Rejection says what a script reported that cannot be true.
type Rejection struct{ Why string }

// Done is the last event. Reason is precise, cap, end, oom or interrupted.
type Done struct {
	T      *float64
	Reason string
}
