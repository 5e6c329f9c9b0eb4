package serving

import "math"

// VM is one VM as it serves.
type VM struct {
	USDPerHour       float64 // dollars
	QueriesPerSecond float64 // throughput within the latency limit, see [CapacityWithin]
	LatencyS         float64 // of a query that does not wait, seconds; p99 keeps on the safe side
	StartS           int     // from its order to its first query, seconds
	MinimumS         int     // least time paid, seconds
	IncrementS       int     // paid by whole increments, seconds; 0 and 1 are by the second
}

// as is the VM with the price, throughput and latency of another; its start-up
// and billing, which no run tells, stay.
func (v VM) as(of VM) VM {
	v.USDPerHour, v.QueriesPerSecond, v.LatencyS = of.USDPerHour, of.QueriesPerSecond, of.LatencyS
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
	USDPerGBSecond float64 // dollars, of memory times billed time
	USDPerMillion  float64 // dollars, of a million requests
}

// PublicPrices returns the public prices of AWS Lambda (x86, us-east-1): dollars
// per GB-second and per million requests.
func PublicPrices() Prices { return Prices{USDPerGBSecond: 0.0000166667, USDPerMillion: 0.20} }

// Function is a serverless function with its memory chosen.
type Function struct {
	MemoryGB   float64
	Seconds    float64 // of one query on a warm instance
	ColdStartS float64 // until a new instance runs, seconds; not billed
	ModelLoadS float64 // to load the model into it, seconds; billed
	KeepAliveS int     // an idle instance stays warm so long, seconds
	Prices
}

// WarmMS and ColdMS are the milliseconds billed for one query; platforms round up.
func (f Function) WarmMS() int64 { return int64(math.Ceil(f.Seconds*1000 - 1e-6)) }

// ColdMS is WarmMS on a new instance.
func (f Function) ColdMS() int64 { return int64(math.Ceil((f.Seconds+f.ModelLoadS)*1000 - 1e-6)) }

// USD returns the cost of so many requests that were billed so many
// milliseconds together, dollars.
func (f Function) USD(requests, billedMS int64) float64 {
	return float64(billedMS)/1000*f.MemoryGB*f.USDPerGBSecond + float64(requests)/1e6*f.Prices.USDPerMillion
}

// USDPerQuery returns the cost of one query on a warm instance, dollars.
func (f Function) USDPerQuery() float64 { return f.USD(1, f.WarmMS()) }

// BreakEven returns the constant rate in queries per second at which one VM and
// functions cost the same: functions are cheaper below, the VM above. ok is
// false where one VM cannot serve that rate; functions are then cheaper at every
// rate.
func BreakEven(vm VM, f Function) (perSecond float64, ok bool) {
	perSecond = vm.USDPerHour / 3600 / f.USDPerQuery()
	return perSecond, perSecond <= vm.QueriesPerSecond
}

// HourlyCost is what a steady rate of queries per second costs in an hour on as
// many VMs as it needs, and on warm functions, in dollars.
func HourlyCost(perSecond float64, s Settings) (vms, functions float64) {
	return float64(max(s.MinVMs, wholeVMs(perSecond, s.VM.QueriesPerSecond))) * s.VM.USDPerHour,
		perSecond * 3600 * s.Function.USDPerQuery()
}

// ConstantCost is the closed form of the cost of a constant load.
type ConstantCost struct {
	VMs          int     // that the load needs
	VMUSD        float64 // dollars for VMs alone
	ColdStarts   int     // of functions alone
	FunctionsUSD float64 // dollars for functions alone
}

// CostOfConstant returns what perSecond queries a second cost for so many
// seconds on VMs alone and on functions alone (study, figure 3). VMs run from the
// beginning; of functions every query starts one cold until the first is ready.
func CostOfConstant(perSecond, seconds int, s Settings) ConstantCost {
	c := ConstantCost{VMs: max(s.MinVMs, wholeVMs(float64(perSecond), s.VM.QueriesPerSecond))}
	c.VMUSD = float64(c.VMs*seconds) / 3600 * s.VM.USDPerHour
	queries := perSecond * seconds
	c.ColdStarts = perSecond * min(seconds, s.Function.busySeconds(true))
	billed := int64(queries-c.ColdStarts)*s.Function.WarmMS() + int64(c.ColdStarts)*s.Function.ColdMS()
	c.FunctionsUSD = s.Function.USD(int64(queries), billed)
	return c
}

// wholeVMs is the least number of VMs for a demand in queries per second; the
// grain keeps rounding from starting a VM for nothing.
func wholeVMs(demand, perVM float64) int {
	const grain = 1e-9
	return int(math.Ceil(demand/perVM - grain))
}
