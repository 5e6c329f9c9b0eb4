package contract

import (
	"encoding/csv"
	"io"
	"strconv"
)

// WriteFleetCSV writes one row per policy. Columns may be added at the end, never
// moved. US dollars, fractions; empty is unknown.
func WriteFleetCSV(w io.Writer, f Fleet) error {
	rows := [][]string{{"policy", "total_usd", "reserved_usd", "on_demand_usd", "penalty_usd", "expected_usd",
		"relative_to_on_demand", "relative_low", "relative_high", "offered", "accepted", "mean_offer", "accuracy",
		"missed_deadlines", "bill_usd", "utilisation", "jobs", "candidates", "reserved_vms", "seed"}}
	for _, p := range f.Policies {
		rows = append(rows, []string{p.Policy, number(&p.TotalUSD), number(&p.ReservedUSD), number(&p.OnDemandUSD),
			number(&p.PenaltyUSD), number(&p.ExpectedUSD), number(p.Relative.Value), number(p.Relative.Low),
			number(p.Relative.High), strconv.Itoa(p.Offered), strconv.Itoa(p.Accepted), number(p.MeanOffer), number(p.Accuracy),
			strconv.Itoa(p.Missed), number(&p.BillUSD), number(p.Utilisation), strconv.Itoa(f.Workload.Jobs),
			strconv.Itoa(f.Workload.Candidates), strconv.Itoa(f.Query.ReservedVMs), strconv.FormatUint(f.Query.Seed, 10)})
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// WriteTrafficCSV writes one row per scheme. Columns may be added at the end, never
// moved. Seconds, US dollars, fractions; empty is unknown.
func WriteTrafficCSV(w io.Writer, t Traffic) error {
	rows := [][]string{{"scheme", "cost_usd", "vm_usd", "function_usd", "vm_seconds", "over_provisioning",
		"violations_strict", "violations_relaxed", "p50_s", "p99_s",
		"function_share", "most_vms", "cold_starts", "on_vms", "on_functions", "queued", "pick"}}
	for _, s := range t.Schemes {
		rows = append(rows, []string{s.Scheme, number(&s.CostUSD), number(&s.VMUSD), number(&s.FunctionUSD),
			strconv.FormatInt(s.VMSeconds, 10), number(s.OverProvisioning), number(s.Violations.Strict),
			number(s.Violations.Relaxed), number(s.P50S), number(s.P99S), number(&s.FunctionShare), strconv.Itoa(s.MostVMs),
			strconv.FormatInt(s.ColdStarts, 10), strconv.FormatInt(s.Queries.OnVMs, 10),
			strconv.FormatInt(s.Queries.OnFunctions, 10), strconv.FormatInt(s.Queries.Queued, 10),
			strconv.FormatBool(s.Scheme == t.Pick)})
	}
	return csv.NewWriter(w).WriteAll(rows)
}
