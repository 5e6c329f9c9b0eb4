// Package cluster computes time and cost of batch inference on a combination of
// VMs, after Rathnayake et al. (2020), with the slips in its equations corrected,
// and finds the best of all combinations.
//
// A [Space] is everything that a job may run on. [Space.Frontiers] finds its exact
// time–cost frontiers, [Frontiers.Within] the part of them within limits,
// [Space.Schedule] assigns whole batches, and [Space.Greedy] is the study's own
// Algorithm 1.
package cluster

import "math"

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

// Shares divides units of work among the members; each share is that of all VMs of
// the member, W_i in the study.
func Shares(members []Member, units float64, split Split) []float64 {
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
	for i, w := range Shares(members, units, split) {
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
	return ratio(seconds, accuracy, higherIsBetter)
}

// CAR is the cost–accuracy ratio; see [TAR].
func CAR(usd, accuracy float64, higherIsBetter bool) (car float64, ok bool) {
	return ratio(usd, accuracy, higherIsBetter)
}

func ratio(v, accuracy float64, higherIsBetter bool) (float64, bool) {
	if !higherIsBetter || !(accuracy > 0) {
		return 0, false
	}
	return v / accuracy, true
}
