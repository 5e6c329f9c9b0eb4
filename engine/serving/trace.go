package serving

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Trace is an arrival trace: the number of requests that come in each second.
type Trace []int

// Check returns a sentence about the first second that cannot be simulated.
func (tr Trace) Check() error {
	if len(tr) == 0 {
		return fmt.Errorf("the arrival trace is empty; it needs a second at least")
	}
	if len(tr) > MaxSeconds {
		return fmt.Errorf("the arrival trace has %d seconds; cut it to %d (31 days)", len(tr), MaxSeconds)
	}
	for t, n := range tr {
		if n < 0 || n > MaxPerSecond {
			return fmt.Errorf("second %d of the arrival trace has %d requests; a second has 0 to %d", t, n, MaxPerSecond)
		}
	}
	return nil
}

// Requests returns how many requests come in all.
func (tr Trace) Requests() int {
	total := 0
	for _, n := range tr {
		total += n
	}
	return total
}

// Mean returns the requests per second over the whole trace; 0 where it is empty.
func (tr Trace) Mean() float64 { return float64(tr.Requests()) / float64(max(len(tr), 1)) }

// Peak returns the most requests of one second.
func (tr Trace) Peak() int {
	if len(tr) == 0 {
		return 0
	}
	return slices.Max(tr)
}

// PeakToMedian returns the largest number of requests in a bucket of bucketS
// seconds over the median one (study, figure 6). An incomplete last bucket does
// not count, unless there is no other. ok is false where the median is 0: the
// ratio is unknown.
func (tr Trace) PeakToMedian(bucketS int) (ratio float64, ok bool) {
	buckets := tr.Buckets(bucketS)
	if n := len(tr) / max(bucketS, 1); n > 0 {
		buckets = buckets[:n]
	}
	n := len(buckets)
	if n == 0 {
		return 0, false
	}
	slices.Sort(buckets)
	median := float64(buckets[(n-1)/2]+buckets[n/2]) / 2
	if median == 0 {
		return 0, false
	}
	return float64(buckets[n-1]) / median, true
}

// Buckets returns the requests in each bucketS seconds; the last one may be short.
func (tr Trace) Buckets(bucketS int) []int {
	bucketS = max(bucketS, 1)
	sums := make([]int, (len(tr)+bucketS-1)/bucketS)
	for t, n := range tr {
		sums[t/bucketS] += n
	}
	return sums
}

// Scaled returns the trace with every second's requests times factor, the
// fractions carried on to the next seconds, so that the total is the whole part
// of the product. A factor above 1 makes crowds of single requests: bursts stay
// as they are, relative to the mean. By 1 it is the trace itself.
func (tr Trace) Scaled(factor float64) Trace {
	if factor == 1 {
		return tr
	}
	scaled := make(Trace, len(tr))
	before, sum := 0, 0
	for t, n := range tr {
		sum += n
		now := int(math.Floor(float64(sum) * factor))
		scaled[t] = now - before
		before = now
	}
	return scaled
}

// Constant returns a trace with a mean of exactly perSecond requests per second;
// fractions are carried over to the next second.
func Constant(seconds int, perSecond float64) Trace {
	tr := make(Trace, max(seconds, 0))
	for t := range tr {
		tr[t] = int(math.Floor(float64(t+1)*perSecond)) - int(math.Floor(float64(t)*perSecond))
	}
	return tr
}

// Phases returns constant loads of so many requests per second, one after the other, each
// for some seconds.
func Phases(rates []float64, seconds int) (tr Trace) {
	for _, rate := range rates {
		tr = append(tr, Constant(seconds, rate)...)
	}
	return tr
}

// Poisson returns a trace of independent arrivals with a mean of rate(t) requests in
// second t; a negative rate counts as 0. Equal seeds give equal traces.
func Poisson(seconds int, rate func(t int) float64, seed uint64) Trace {
	tr := make(Trace, max(seconds, 0))
	arrivals := distuv.Poisson{Src: rand.NewPCG(seed, 0x5eed)}
	for t := range tr {
		if arrivals.Lambda = rate(t); arrivals.Lambda > 0 {
			tr[t] = min(int(arrivals.Rand()), MaxPerSecond)
		}
	}
	return tr
}

// Steady is a constant rate, for [Poisson].
func Steady(perSecond float64) func(t int) float64 {
	return func(int) float64 { return perSecond }
}

// Diurnal is a load that rises and falls once a period, as a cosine.
type Diurnal struct {
	Mean      float64 // requests per second
	Amplitude float64 // of the mean, in [0,1]: the peak is Mean·(1+Amplitude)
	PeriodS   float64 // seconds
	PeakS     float64 // the second of a peak
}

// Rate returns the mean arrivals per second at second t.
func (d Diurnal) Rate(t int) float64 {
	return d.Mean * (1 + d.Amplitude*math.Cos(2*math.Pi*(float64(t)-d.PeakS)/d.PeriodS))
}

// FlashCrowd is a steady load to which a crowd comes once: it rises linearly,
// stays, and falls exponentially.
type FlashCrowd struct {
	Base   float64 // requests per second
	Factor float64 // the crowd's peak is Base·Factor
	AtS    float64 // the second in which it begins
	RiseS  float64 // seconds to its peak
	HoldS  float64 // seconds at the peak
	DecayS float64 // seconds in which it then falls to 1/e
}

// Rate returns the mean arrivals per second at second t.
func (f FlashCrowd) Rate(t int) float64 {
	since, share := float64(t)-f.AtS, 0.0
	switch {
	case since < 0:
	case since < f.RiseS:
		share = since / f.RiseS
	case since < f.RiseS+f.HoldS:
		share = 1
	case f.DecayS > 0:
		share = math.Exp(-(since - f.RiseS - f.HoldS) / f.DecayS)
	}
	return f.Base * (1 + (f.Factor-1)*share)
}

// Bursty is a Markov-modulated Poisson process of two states, calm and burst,
// whose lengths are exponential.
type Bursty struct {
	Calm, Burst   float64 // requests per second in each state
	CalmS, BurstS float64 // mean length of each state, seconds, above 0
}

// Trace returns a trace that begins calm. Equal seeds give equal traces.
func (b Bursty) Trace(seconds int, seed uint64) Trace {
	rng := rand.New(rand.NewPCG(seed, 0xb0057))
	rates := make([]float64, max(seconds, 0))
	rate, length := [2]float64{b.Calm, b.Burst}, [2]float64{b.CalmS, b.BurstS}
	state, until := 0, rng.ExpFloat64()*b.CalmS
	for t := range rates {
		// What of the second each state has.
		at, end, requests := float64(t), float64(t+1), 0.0
		for at < end {
			to := min(until, end)
			requests += (to - at) * rate[state]
			if at = to; at == until {
				state = 1 - state
				until += max(rng.ExpFloat64()*length[state], 1e-3)
			}
		}
		rates[t] = requests
	}
	return Poisson(seconds, func(t int) float64 { return rates[t] }, rng.Uint64())
}

// Pattern is a synthetic load.
type Pattern string

// The patterns: see [Constant], [Poisson], [Diurnal], [FlashCrowd] and [Bursty].
const (
	ConstantLoad Pattern = "constant"
	PoissonLoad  Pattern = "poisson"
	DiurnalLoad  Pattern = "diurnal"
	CrowdLoad    Pattern = "flash-crowd"
	BurstyLoad   Pattern = "bursty"
	DayLoad      Pattern = "day" // diurnal with a flash crowd in the evening
)

// Patterns lists them.
var Patterns = []Pattern{ConstantLoad, PoissonLoad, DiurnalLoad, CrowdLoad, BurstyLoad, DayLoad}

// Shares of a synthetic load.
const (
	swing       = 0.6 // of the mean, between night and day
	crowdFactor = 4.0 // a crowd's peak, of the mean
	burstFactor = 5.0 // a burst's rate, of the calm one
)

// Generate makes a load of a mean rate in requests per second, for a day or
// whatever the seconds are. Equal seeds make equal loads.
func (p Pattern) Generate(seconds int, perSecond float64, seed uint64) Trace {
	length := float64(seconds)
	diurnal := Diurnal{Mean: perSecond, Amplitude: swing, PeriodS: 86400, PeakS: 50400} // at two in the afternoon
	crowd := FlashCrowd{Base: perSecond, Factor: crowdFactor, AtS: 0.8 * length, RiseS: 120, HoldS: 600, DecayS: 900}
	switch p {
	case ConstantLoad:
		return Constant(seconds, perSecond)
	case DiurnalLoad:
		return Poisson(seconds, diurnal.Rate, seed)
	case CrowdLoad:
		return Poisson(seconds, crowd.Rate, seed)
	case DayLoad:
		return Poisson(seconds, func(t int) float64 { return diurnal.Rate(t) + crowd.Rate(t) - perSecond }, seed)
	case BurstyLoad:
		calm := perSecond / (1 + (burstFactor-1)*0.1) // a tenth of the time bursts
		return Bursty{Calm: calm, Burst: burstFactor * calm, CalmS: 1800, BurstS: 200}.Trace(seconds, seed)
	}
	return Poisson(seconds, Steady(perSecond), seed)
}

// Words states the parameters.
func (p Pattern) Words(seconds int, perSecond float64) string {
	of := fmt.Sprintf("%s load of %g requests/s", p, perSecond)
	switch p {
	case DiurnalLoad, DayLoad:
		of += fmt.Sprintf(" ±%.0f %% over the day", 100*swing)
	case BurstyLoad:
		of += fmt.Sprintf(", bursts of %g times the calm rate, 200 s every half hour on average", burstFactor)
	case ConstantLoad, PoissonLoad, CrowdLoad:
	}
	if p == CrowdLoad || p == DayLoad {
		of += fmt.Sprintf(", a crowd of %g times it for ten minutes after %.0f %%", crowdFactor, 80.0)
	}
	return of + fmt.Sprintf(", %.3g h", math.Round(float64(seconds)/36)/100)
}
