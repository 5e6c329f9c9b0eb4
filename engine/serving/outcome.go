package serving

// Split is a number of queries by strictness.
type Split struct{ Strict, Relaxed int64 }

// Total returns both together.
func (s Split) Total() int64 { return s.Strict + s.Relaxed }

// Outcome is what a scheme makes of a trace. Every query is counted once in
// OnVMs, OnFunctions or Queued.
type Outcome struct {
	Scheme      Scheme
	Queries     Split
	OnVMs       Split
	OnFunctions Split
	Queued      Split // still waiting when the trace ends
	Violations  Split // served later than the limit, or still queued beyond it
	ColdStarts  int64 // of the queries on functions

	VMSeconds       int64 // lived by all VMs within the trace, start-up included
	VMBilledSeconds int64 // VMSeconds with the minimum and increment of those stopped
	VMsStarted      int   // those at second 0 included
	MostVMs         int   // at once
	FunctionMS      int64 // billed milliseconds of all functions

	VMUSD       float64 // dollars
	FunctionUSD float64 // dollars
	USD         float64 // VMUSD + FunctionUSD

	P50S, P99S float64 // latency of the queries served, seconds; NaN where none was

	// OverProvisioning is VM-seconds over those of Reactive, less 1 (figure 4);
	// nil where there is nothing to compare with.
	OverProvisioning *float64
}

// FunctionShare returns the fraction of the served queries that functions served.
func (o Outcome) FunctionShare() float64 {
	return share(o.OnFunctions.Total(), o.OnVMs.Total()+o.OnFunctions.Total())
}

// ViolationShare returns the fraction of all queries that violate their limit.
func (o Outcome) ViolationShare() float64 { return share(o.Violations.Total(), o.Queries.Total()) }

// ViolationShares returns the fraction of the strict and of the relaxed queries
// that violate their limit.
func (o Outcome) ViolationShares() (strict, relaxed float64) {
	return share(o.Violations.Strict, o.Queries.Strict), share(o.Violations.Relaxed, o.Queries.Relaxed)
}

func share(part, all int64) float64 {
	if all == 0 {
		return 0
	}
	return float64(part) / float64(all)
}

// Span is a stretch of the simulated time, for a chart.
type Span struct {
	Seconds     int     // its length; the last one may be shorter
	Queries     int64   // that came
	OnFunctions int64   // of them
	Violations  int64   // that were noticed in it
	Running     float64 // VMs that serve, mean
	Starting    float64 // VMs that start, mean
	Backlog     int64   // queries that wait at its end
}
