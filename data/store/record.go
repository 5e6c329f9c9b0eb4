package store

import (
	"time"

	"sweetspot/engine/profile"
)

// Description is what is known about a run before and while it goes on.
type Description struct {
	Model              profile.Model
	Variant            profile.Variant
	Mode               profile.Mode
	BatchSize          int      // global batch in training, batch per GPU in inference
	Epochs             *float64 // that the script will run
	IterationsPerEpoch *float64
	TrainSize          *float64 // units in the training set
	Steps              *float64 // that the script will run, where it counts no epochs
	Schedule           string   // how the work of a step changes, in words
	Sizes              []profile.Size
	Count              int          // VMs; 0 is 1
	WorldSize          *int         // data-parallel ranks
	Work               profile.Work // nothing of what a unit takes where it is pruned
	Tuning             *profile.Tuning
	Machine            Machine
	Command            []string
	Packages           []string // distributions that were imported, name==version
	Folder             string   // working directory, on the user's machine
	Framework          string
	StartedAt          time.Time // zero is now

	Address string // ssh destination it runs at; "" for this machine
	Spool   string // where a detached run writes on that host
	Series  int64  // runs of one matrix share it; 0 for a single one
	Repeat  int    // 0, 1, … of the same cell in fresh processes
}

// Machine is where a run happens. With a zero VM it is a machine of one's own,
// named by its host.
type Machine struct {
	Host, OS, CPU string
	CPUs          int
	GPU           string
	GPUCount      int
	NoGPU         bool     // it is known that it has none, or that none is used
	GPUMemGiB     *float64 // per GPU
	PowerLimitW   *float64 // per GPU, where it was set lower than the maker does
	Driver, CUDA  string
	VM            profile.VMKey
	USDPerHour    *float64
}

// Iteration is one iteration time. Epoch and Index count from 0, Rank is the
// data-parallel rank, Units the work done, T the seconds since the process
// began.
type Iteration struct {
	Epoch   int     `json:"epoch"`
	Index   int     `json:"index"`
	Rank    int     `json:"rank"`
	Seconds float64 `json:"seconds"`
	Units   float64 `json:"-"`
	T       float64 `json:"-"`
}

// Memory is a reading of GPU memory, per GPU.
type Memory struct {
	T                     float64
	PeakBytes, TotalBytes float64
}

// Telemetry is a reading of one GPU or CPU package; utilisation in [0,1].
type Telemetry struct {
	T                                        float64
	CPU                                      bool // a reading of a CPU package, whose number GPU is
	GPU                                      int
	Utilisation, MemoryBytes, Watts, Celsius *float64
	Throttle                                 string
	Shared                                   *bool    // another program computed on it
	EnergyJ                                  *float64 // its counter, joules since some moment before the first reading
}

// Layer is one layer's share of the time of a forward pass, in [0,1].
type Layer struct {
	Name  string  `json:"name"`
	Kind  string  `json:"kind"`
	Share float64 `json:"share"`
}

// LogLine is a line the script printed, or a warning or error event.
type LogLine struct {
	T           float64
	Level, Text string
}

// Batch is what came in since the last one.
type Batch struct {
	Restart     bool // what was recorded of steps so far was of something else, and goes
	Iterations  []Iteration
	Validations []profile.Validation
	Pauses      []profile.Pause
	Memory      []Memory
	Telemetry   []Telemetry
	Log         []LogLine
	Layers      []Layer
	InitS       *float64
}

// Finish says how a run ended and what it amounts to.
type Finish struct {
	Run            profile.Run // its status, summary, accuracy, validations and energy are kept
	StoppedBecause string
	StoppedWords   string // the same in words
	ScriptExit     *int
	RejectedLines  int
	SpentS         float64
	SpentUSD       *float64
	InputWait      *float64 // share of steady iteration time spent waiting for input
}
