package cluster

import (
	"errors"
	"fmt"
	"math"
)

// VMType is a type of VM of which several may be rented at once.
type VMType struct {
	GPUs       int     // v_i, GPUs per VM; a VM without counts as one device
	Limit      int     // most VMs of this type; 0 leaves it out
	USDPerHour float64 // c_i, of one VM
	StartupS   float64 // seconds from renting a VM to its first batch: paid, not worked
	Billing    Billing
}

// Billing is how a cloud turns rented seconds into billed ones. The zero value
// bills pro rata.
type Billing struct {
	MinimumS     float64 // the shortest time that is billed, in seconds
	GranularityS float64 // billed seconds are a multiple of this, rounded up; 0: not rounded
}

// Batch is how fast one GPU of a VM type runs a variant. The zero value says that
// the variant does not run there: too large for the memory, or unknown.
type Batch struct {
	Size    float64 // b_i, units in a batch
	Seconds float64 // t_i(b_i, p), of one batch
}

// Variant is a version of the model: its accuracy, and its speed on each type.
type Variant struct {
	Accuracy *float64 // nil where unknown
	Batches  []Batch  // one a VM type, in the order of Space.VMs
}

// Space is a job of batch inference and everything it may be run on: each
// variant on each multiset of VMs, 0 to Limit of every type.
type Space struct {
	VMs           []VMType
	Variants      []Variant
	Units         float64 // W, units of work in all
	Split         Split
	LowerIsBetter bool // of the accuracies: a loss or an error rate
}

// Configuration is a point of a space: a variant on a number of VMs of each type.
// Its time and cost are those of divisible work (equation 3 without rounding up), a
// lower bound that whole batches ([Space.Schedule]) approach.
type Configuration struct {
	Variant int   // index in Space.Variants
	Counts  []int // VMs of each type, in the order of Space.VMs
	Seconds float64
	USD     float64
}

// VMCount is the number of VMs in the configuration.
func (c Configuration) VMCount() (n int) {
	for _, k := range c.Counts {
		n += k
	}
	return n
}

// Limits are the constraints; nil is none. A limit may be reached.
type Limits struct {
	MaxSeconds *float64
	MaxUSD     *float64
	// WorstAccuracy is the lowest accuracy allowed, the highest where lower is
	// better. A variant of unknown accuracy does not satisfy it.
	WorstAccuracy *float64
}

// Check returns an error, in one sentence, if the space is not valid.
func (s Space) Check() error {
	if !(s.Units > 0) || math.IsInf(s.Units, 1) {
		return fmt.Errorf("%g units of work are none to plan for: give a number above 0", s.Units)
	}
	if s.Split != ByGPUs && s.Split != ByThroughput {
		return fmt.Errorf("no split is called %q: use %s or %s", s.Split, ByThroughput, ByGPUs)
	}
	if len(s.VMs) == 0 || len(s.Variants) == 0 {
		return errors.New("a plan needs at least one VM type and one variant")
	}
	gpus := 0
	for i, v := range s.VMs {
		if err := v.check(); err != nil {
			return fmt.Errorf("VM type %d: %w", i+1, err)
		}
		gpus += v.Limit * max(v.GPUs, 1)
	}
	if gpus > mostGPUs {
		return fmt.Errorf("the limits allow %d GPUs in all, more than the %d that a plan weighs: lower the limits",
			gpus, mostGPUs)
	}
	for i, v := range s.Variants {
		if len(v.Batches) != len(s.VMs) {
			return fmt.Errorf("variant %d has batches for %d VM types: give one for each of the %d", i+1,
				len(v.Batches), len(s.VMs))
		}
		for j, b := range v.Batches {
			if b != (Batch{}) && !(positive(b.Size) && positive(b.Seconds)) {
				return fmt.Errorf("variant %d on VM type %d: a batch of %g units in %g s is none: give both above 0, or neither",
					i+1, j+1, b.Size, b.Seconds)
			}
			if s.Units > mostBatches*b.Size && b != (Batch{}) {
				return fmt.Errorf("%g units of work are more than %g batches of %g: give fewer units", s.Units,
					float64(mostBatches), b.Size)
			}
		}
	}
	return nil
}

// mostBatches bounds the batches of the work: within it, sums of units are exact
// to less than a batch.
const mostBatches = 1e12

// mostGPUs bounds all GPUs of a space: memory grows with them.
const mostGPUs = 1 << 14

func (v VMType) check() error {
	switch {
	case v.Limit < 0 || v.Limit > mostGPUs:
		return fmt.Errorf("a limit of %d VMs is none: give 0 to %d", v.Limit, mostGPUs)
	case v.GPUs < 0 || v.GPUs > mostGPUs:
		return fmt.Errorf("%d GPUs in a VM are none: give 0 to %d", v.GPUs, mostGPUs)
	}
	for _, amount := range []float64{v.USDPerHour, v.StartupS, v.Billing.MinimumS, v.Billing.GranularityS} {
		if !(amount >= 0) || math.IsInf(amount, 1) {
			return fmt.Errorf("price, start-up and billing times must be finite and not negative, one is %g", amount)
		}
	}
	return nil
}

func positive(v float64) bool { return v > 0 && !math.IsInf(v, 1) }
