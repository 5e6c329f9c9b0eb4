package serving

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// VM is one VM as it serves.
type VM struct {
	USDPerHour        float64 // dollars
	RequestsPerSecond float64 // throughput within the latency limit, see [CapacityWithin]
	LatencyS          float64 // of a request that does not wait, seconds; p99 keeps on the safe side
	StartS            int     // from its order to its first request, seconds
	MinimumS          int     // least time paid, seconds
	IncrementS        int     // paid by whole increments, seconds; 0 and 1 are by the second
}

// as is the VM with the price, throughput and latency of another; its start-up
// and billing, which no run tells, stay.
func (v VM) as(of VM) VM {
	v.USDPerHour, v.RequestsPerSecond, v.LatencyS = of.USDPerHour, of.RequestsPerSecond, of.LatencyS
	return v
}

// Billed returns the seconds paid for a VM that lived so many seconds.
func (v VM) Billed(aliveS int) int {
	billed := max(aliveS, v.MinimumS)
	if v.IncrementS > 1 {
		billed = (billed + v.IncrementS - 1) / v.IncrementS * v.IncrementS
	}
	return billed
}

// Prices are what functions cost.
type Prices struct {
	USDPerGBSecond float64 // dollars, of memory in GiB, which platforms call GB, times billed time
	USDPerMillion  float64 // dollars, of a million requests
}

// PublicPrices returns the public prices of AWS Lambda (x86, us-east-1): dollars
// per GB-second and per million requests.
func PublicPrices() Prices { return Prices{USDPerGBSecond: 0.0000166667, USDPerMillion: 0.20} }

// Function is a serverless function with its memory chosen.
type Function struct {
	MemoryGiB  float64
	Seconds    float64 // of one request on a warm instance
	ColdStartS float64 // until a new instance runs, seconds; not billed
	ModelLoadS float64 // to load the model into it, seconds; billed
	KeepAliveS int     // an idle instance stays warm so long, seconds
	Prewarmed  int     // instances that are kept warm, by requests that do nothing
	Prices
}

// WarmMS and ColdMS are the milliseconds billed for one request; platforms round up.
func (f Function) WarmMS() int64 { return milliseconds(f.Seconds) }

// ColdMS is WarmMS on a new instance.
func (f Function) ColdMS() int64 { return milliseconds(f.Seconds + f.ModelLoadS) }

// USD returns the cost of so many requests that were billed so many
// milliseconds together, dollars.
func (f Function) USD(requests, billedMS int64) float64 {
	return float64(billedMS)/1000*f.MemoryGiB*f.USDPerGBSecond + float64(requests)/1e6*f.Prices.USDPerMillion
}

// USDPerRequest returns the cost of one request on a warm instance, dollars.
func (f Function) USDPerRequest() float64 { return f.USD(1, f.WarmMS()) }

// BreakEven returns the constant rate in requests per second at which one VM and
// functions cost the same: functions are cheaper below, the VM above. ok is
// false where one VM cannot serve that rate; functions are then cheaper at every
// rate.
func BreakEven(vm VM, f Function) (perSecond float64, ok bool) {
	perSecond = vm.USDPerHour / 3600 / f.USDPerRequest()
	return perSecond, perSecond <= vm.RequestsPerSecond
}

// HourlyCost is what a steady rate of requests per second costs in an hour on as
// many VMs as it needs, and on warm functions, in dollars.
func HourlyCost(perSecond float64, s Settings) (vms, functions float64) {
	return float64(s.leastVMs(perSecond)) * s.VM.USDPerHour, perSecond * 3600 * s.Function.USDPerRequest()
}

// ConstantCost is the closed form of the cost of a constant load.
type ConstantCost struct {
	VMs          int     // that the load needs
	VMUSD        float64 // dollars for VMs alone
	ColdStarts   int     // of functions alone
	FunctionsUSD float64 // dollars for functions alone
}

// CostOfConstant returns what perSecond requests a second cost for so many
// seconds on VMs alone and on functions alone (study, figure 3). VMs run from the
// beginning; of functions every request starts one cold until the first is ready.
func CostOfConstant(perSecond, seconds int, s Settings) ConstantCost {
	c := ConstantCost{VMs: s.leastVMs(float64(perSecond))}
	c.VMUSD = float64(c.VMs*seconds) / 3600 * s.VM.USDPerHour
	requests := perSecond * seconds
	c.ColdStarts = perSecond * min(seconds, s.Function.busySeconds(true))
	billed := int64(requests-c.ColdStarts)*s.Function.WarmMS() + int64(c.ColdStarts)*s.Function.ColdMS()
	c.FunctionsUSD = s.Function.USD(int64(requests), billed)
	return c
}

// leastVMs is how many VMs a steady rate of requests per second needs.
func (s Settings) leastVMs(perSecond float64) int {
	return max(s.MinVMs, wholeVMs(perSecond, s.VM.RequestsPerSecond))
}

// wholeVMs is the least number of VMs for a demand in requests per second; the
// grain keeps rounding from starting a VM for nothing.
func wholeVMs(demand, perVM float64) int {
	const grain = 1e-9
	return int(math.Ceil(demand/perVM - grain))
}

// Memory says how the time of a function falls with its memory: CPU is given in
// proportion to it, and from the knee on a request uses no more (section 2.5,
// figure 7; the footnote's SqueezeNet has its knee at 2 GiB).
//
//	time(m) = FixedS + ScalingS · KneeGiB / min(m, KneeGiB)
type Memory struct {
	FixedS   float64 // what no CPU shortens, seconds
	ScalingS float64 // the rest, at the knee, seconds
	KneeGiB  float64
	MinGiB   float64 // the least the model fits in
	MaxGiB   float64 // the most the platform gives: 3 in the study, 10 today
}

// Seconds returns the time of a request on a warm instance of so much memory.
func (m Memory) Seconds(gib float64) float64 {
	return m.FixedS + m.ScalingS*m.KneeGiB/min(gib, m.KneeGiB)
}

// Known is the time of a request at a size, seconds, and the share of it that no CPU shortens:
// what [MemoryWith] follows from, beside the knee.
func (m Memory) Known(gib float64) (seconds, fixed float64) {
	seconds = m.Seconds(gib)
	return seconds, m.FixedS / seconds
}

// Choice is a size of memory with what follows from it.
type Choice struct {
	MemoryGiB     float64
	Seconds       float64 // of a request on a warm instance
	USDPerMillion float64 // dollars of a million requests on warm instances
}

// memoryStepGiB is the step in which sizes are tried, 64 MiB.
const memoryStepGiB = 0.0625

// Choices returns every size from the least to the largest, in steps of 64 MiB:
// figure 7's two curves.
func (m Memory) Choices(p Prices) []Choice {
	var all []Choice
	for i := 0; ; i++ {
		gib := min(m.MinGiB+float64(i)*memoryStepGiB, m.MaxGiB)
		f := Function{MemoryGiB: gib, Seconds: m.Seconds(gib), Prices: p}
		all = append(all, Choice{MemoryGiB: gib, Seconds: f.Seconds, USDPerMillion: f.USDPerRequest() * 1e6})
		if !(gib < m.MaxGiB) || math.IsNaN(gib) {
			return all
		}
	}
}

// Cheapest returns the cheapest size whose warm time is within the limit, of
// equal ones the fastest (Observation 5). ok is false where none is fast enough.
func (m Memory) Cheapest(limitS float64, p Prices) (best Choice, ok bool) {
	for _, c := range m.Choices(p) {
		if c.Seconds > limitS {
			continue
		}
		if !ok || c.USDPerMillion < best.USDPerMillion || c.USDPerMillion == best.USDPerMillion && c.Seconds < best.Seconds {
			best, ok = c, true
		}
	}
	return best, ok
}

// Suits returns the cheapest size whose warm time is within the limit, and
// where none is in time the knee: the least that is as fast as a function gets.
func (m Memory) Suits(limitS float64, p Prices) (gib float64, inTime bool) {
	if c, ok := m.Cheapest(limitS, p); ok {
		return c.MemoryGiB, true
	}
	return min(max(m.KneeGiB, m.MinGiB), m.MaxGiB), false
}

// What [MemoryOf] takes for granted.
const (
	DefaultKneeGiB = 2.0  // the footnote's SqueezeNet
	defaultMinGiB  = 0.5  // the first of the three kinds of cores (section 3.2.4)
	defaultMaxGiB  = 10.0 // the most that AWS Lambda gives today
	DefaultFixed   = 0.1  // of the time, that no CPU shortens
)

// MemoryOf is a function of which only the time at one size is known: a tenth of
// it is taken to be fixed, and the knee to be at 2 GiB.
func MemoryOf(seconds, gib float64) Memory {
	return Memory{
		FixedS: DefaultFixed * seconds, ScalingS: (1 - DefaultFixed) * seconds * min(gib, DefaultKneeGiB) / DefaultKneeGiB,
		KneeGiB: DefaultKneeGiB, MinGiB: defaultMinGiB, MaxGiB: defaultMaxGiB,
	}
}

// BatchPoint is a measurement of one VM at a batch size.
type BatchPoint struct {
	Batch float64 // requests served at once
	P50S  float64 // median time of one batch, seconds
	P99S  float64 // 99th percentile, seconds
}

// RequestsPerSecond is the load that one VM serves in such batches.
func (p BatchPoint) RequestsPerSecond() float64 { return p.Batch / p.P50S }

// CapacityWithin returns the batch of most throughput whose p99 stays within the
// limit (section 2.2: the number of requests each VM can handle in parallel without
// violating response latencies); of equal ones the smaller. Between measured
// batches both percentiles are interpolated linearly; beyond the largest nothing
// is known, so nothing beyond it is given. Where p99 exceeds the limit in between,
// what lies above that counts no more. ok is false where even the smallest batch is
// too slow.
func CapacityWithin(points []BatchPoint, limitS float64) (c BatchPoint, ok bool, err error) {
	sorted := slices.SortedFunc(slices.Values(points), func(a, b BatchPoint) int { return cmp.Compare(a.Batch, b.Batch) })
	if err := checkPoints(sorted); err != nil {
		return c, false, err
	}
	take := func(found BatchPoint) {
		if !ok || found.RequestsPerSecond() > c.RequestsPerSecond() {
			c, ok = found, true
		}
	}
	for i, p := range sorted {
		if p.P99S <= limitS {
			take(p)
			continue
		}
		if i > 0 {
			if between, any := lastWithin(sorted[i-1], p, limitS); any {
				take(between)
			}
		}
		break
	}
	return c, ok, nil
}

// lastWithin is the largest batch between two measured ones that is within the
// limit, which lies between them.
func lastWithin(below, above BatchPoint, limitS float64) (c BatchPoint, ok bool) {
	const grain = 1e-9 // of rounding
	share := (limitS - below.P99S) / (above.P99S - below.P99S)
	batch := math.Floor(below.Batch + share*(above.Batch-below.Batch) + grain)
	if batch <= below.Batch {
		return c, false
	}
	share = (batch - below.Batch) / (above.Batch - below.Batch)
	return BatchPoint{Batch: batch, P50S: below.P50S + share*(above.P50S-below.P50S),
		P99S: min(below.P99S+share*(above.P99S-below.P99S), limitS)}, true
}

func checkPoints(sorted []BatchPoint) error {
	for i, p := range sorted {
		if !(p.Batch >= 1 && p.P50S > 0 && p.P99S >= p.P50S) || math.IsInf(p.Batch, 0) || math.IsInf(p.P99S, 0) {
			return fmt.Errorf("batch %g with p50 %g s and p99 %g s is no measurement: a batch is at least 1 and 0 < p50 ≤ p99",
				p.Batch, p.P50S, p.P99S)
		}
		if i > 0 && p.Batch == sorted[i-1].Batch {
			return fmt.Errorf("batch %g is measured twice; keep one", p.Batch)
		}
	}
	return nil
}
