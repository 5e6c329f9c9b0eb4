// Package approx prices what ApproxDNN (Nabavinejad, Mashayekhy and Reda 2019)
// offers: a job that reserved VMs finish in time only at reduced precision may
// run so if its user accepts a penalty for it, and is rented an on-demand VM
// otherwise. An offer is a coefficient s: the penalty paid is s times what the
// reduced job costs on reserved VMs.
package approx

// Prices are those of one VM, in US dollars per hour, both above 0.
type Prices struct{ Reserved, OnDemand float64 }

// Candidate is a job whose user can be made an offer.
type Candidate struct {
	FullS    float64 // VM-seconds at full precision: its runtime times the VMs it takes
	ReducedS float64 // VM-seconds at reduced precision, above 0
	// Accuracies in [0,1] at either precision; NaN where unknown.
	Accuracy, ReducedAccuracy float64
	// Draw in [0,1) is the random number that decides for the user: an offer is
	// accepted if its probability is greater. All policies use the same draws (common
	// random numbers).
	Draw float64
}

const secondsPerHour = 3600

// OnDemandUSD is the cost of the job at full precision on on-demand VMs.
func (p Prices) OnDemandUSD(c *Candidate) float64 { return c.FullS / secondsPerHour * p.OnDemand }

// ReducedUSD is the cost of the reduced job on reserved VMs, without a penalty.
func (p Prices) ReducedUSD(c *Candidate) float64 { return c.ReducedS / secondsPerHour * p.Reserved }

// Most is s_max, the largest offer that costs no more than on-demand VMs (eq. 9).
// It is 0 or less where even an unpaid reduced job costs more; then nothing is
// offered.
func (p Prices) Most(c *Candidate) float64 { return p.OnDemandUSD(c)/p.ReducedUSD(c) - 1 }

// Accepted is the cost of a job whose user accepted an offer of s (eq. 8), and the
// penalty, which is a part of it.
func (p Prices) Accepted(c *Candidate, s float64) (usd, penalty float64) {
	reduced := p.ReducedUSD(c)
	return (1 + s) * reduced, s * reduced
}

// Expected is the expected cost of offering s to a user who accepts with the
// given probability (eq. 11).
func (p Prices) Expected(c *Candidate, s, probability float64) float64 {
	usd, _ := p.Accepted(c, s)
	return probability*usd + (1-probability)*p.OnDemandUSD(c)
}

// BreakEven is the on-demand price in US dollars per hour at which s_max is 0 for a
// job with this ratio of reduced to full runtime; below it nothing is offered.
func BreakEven(reserved, ratio float64) float64 { return reserved * ratio }
