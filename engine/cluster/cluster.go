// Package cluster computes time and cost of batch inference on a combination of
// VMs, after Rathnayake et al. (2020), with the slips in its equations corrected,
// and finds the best of all combinations.
//
// A [Space] is everything that a job may run on. [Space.Frontiers] finds its exact
// time–cost frontiers, [Frontiers.Within] the part of them within limits,
// [Space.Schedule] assigns whole batches, and [Space.Greedy] is the study's own
// Algorithm 1.
package cluster

import (
	"errors"
	"fmt"
	"math"
)

// Member is a group of equal VMs in a configuration.
type Member struct {
	Count      int     // VMs
	GPUs       int     // v_i, GPUs per VM; a VM without counts as one device
	BatchSize  float64 // b_i, units in one batch on one GPU
	BatchTime  float64 // t_i(b_i, p), seconds of one batch on one GPU
	USDPerHour float64 // c_i, of one VM
}

// rate is the throughput of all GPUs of the member, in units per second.
func (m Member) rate() float64 { return m.gpus() * m.BatchSize / m.BatchTime }

func (m Member) gpus() float64 { return float64(m.Count * max(m.GPUs, 1)) }

// Split is the rule by which the work is divided among the VMs.
type Split string

// The splits: the study's equation 4, and the one that keeps every GPU busy
// until the end.
const (
	ByGPUs       Split = "gpus"
	ByThroughput Split = "throughput"
)

// sharesOf divides units of work among the members; each share is that of all VMs of
// the member, W_i in the study.
func sharesOf(members []Member, units float64, split Split) []float64 {
	weights, sum := make([]float64, len(members)), 0.0
	for i, m := range members {
		weights[i] = m.gpus()
		if split == ByThroughput {
			weights[i] = m.rate()
		}
		sum += weights[i]
	}
	for i := range weights {
		weights[i] *= units / sum
	}
	return weights
}

// Makespan is the seconds until the last VM is done, with whole batches: equations
// 2 and 3, T = max_i ceil(W_i/(v_i·b_i))·t_i, with the printed fraction inverted and
// W_i the share of one VM.
func Makespan(members []Member, units float64, split Split) float64 {
	var t float64
	for i, w := range sharesOf(members, units, split) {
		t = math.Max(t, Batches(members[i], w)*members[i].BatchTime)
	}
	return t
}

// Batches is the number of batches that each GPU of the member processes, one after
// another, for the member's share of the units.
func Batches(m Member, share float64) float64 {
	exact := share / (m.gpus() * m.BatchSize)
	// A share computed in floating point must not cost a batch for its last bit.
	if r := math.Round(exact); math.Abs(exact-r) < 1e-9*math.Max(1, r) {
		return r
	}
	return math.Ceil(exact)
}

// USDPerHour is Σ c_i over all VMs.
func USDPerHour(members []Member) float64 {
	var sum float64
	for _, m := range members {
		sum += float64(m.Count) * m.USDPerHour
	}
	return sum
}

// Cost is equation 1, C = T·Σ c_i, in US dollars, prorated to the second.
func Cost(seconds, usdPerHour float64) float64 { return seconds / 3600 * usdPerHour }

// TAR is the time–accuracy ratio t/a in seconds per unit of accuracy, CAR the
// cost–accuracy ratio c/a in dollars; lower is better. ok is false where the
// ratio has no meaning: accuracy 0, or a metric where lower is better.
func TAR(seconds, accuracy float64, higherIsBetter bool) (tar float64, ok bool) {
	if !higherIsBetter || !(accuracy > 0) {
		return 0, false
	}
	return seconds / accuracy, true
}

// CAR is the cost–accuracy ratio; see [TAR].
func CAR(usd, accuracy float64, higherIsBetter bool) (car float64, ok bool) {
	return TAR(usd, accuracy, higherIsBetter)
}

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
