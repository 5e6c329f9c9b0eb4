package contract

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"sweetspot/engine/bill"
	"sweetspot/engine/objective"
	"sweetspot/engine/plaintext"
)

// candidateColumns is the layout of [WriteCSV]. Columns may be added at the
// end, never moved. Seconds, US dollars, fractions; empty is unknown.
var candidateColumns = []string{"rank", "id", "model", "variant", "precision", "mode", "cloud", "region",
	"instance_type", "gpu", "gpu_count", "count", "usd_per_hour", "batch_size", "epochs", "units", "purchase", "time_s",
	"time_low_s", "time_high_s", "time_basis", "cost_usd", "cost_low_usd", "cost_high_usd", "cost_basis", "metric",
	"accuracy", "score", "tar", "car", "p_best_time", "p_best_cost", "feasible", "frontier_time", "frontier_cost",
	"accuracy_low", "accuracy_high", "accuracy_basis", "price_from", "violates", "sources"}

// lastColumns were added later and follow everything else, also in the CSV of a
// pick. A machine of one's own has a host instead of an instance type; the columns
// of a VM are empty but for the count where there are several types.
var lastColumns = []string{"host", "vms", "whole_batches_s", "whole_batches_usd",
	"work_usd", "startup_usd", "interruptions_usd", "disk_usd", "egress_usd", "electricity_usd", "ties", "tied_with",
	"steps"}

// pickColumns follow the candidate's own in the CSV of a pick.
var pickColumns = []string{"query_min_accuracy", "query_max_time_s", "query_max_cost_usd", "query_sort",
	"query_weight_time", "query_weight_cost", "picked_at", "estimated_by"}

// WriteCSV writes a row for each candidate.
func WriteCSV(w io.Writer, candidates []Candidate) error {
	return writeCSV(w, slices.Values(candidates), optional(candidates...))
}

// writeCSV writes candidates with the columns of some optional objectives.
func writeCSV(w io.Writer, candidates iter.Seq[Candidate], of objective.List) error {
	rows := csv.NewWriter(w)
	err := rows.Write(slices.Concat(candidateColumns, lastColumns, optionalColumns(of)))
	for c := range candidates {
		if err != nil {
			return err
		}
		err = rows.Write(slices.Concat(csvRow(c), lastCells(c), optionalCells(c, of)))
	}
	rows.Flush()
	return cmp.Or(err, rows.Error())
}

// WritePickCSV writes a pick as a candidate's row with the query behind it.
func WritePickCSV(w io.Writer, p Pick) error {
	q := p.Query
	query := []string{
		number(q.Limits.Get(objective.Accuracy)),
		number(q.Limits.Get(objective.Time)),
		number(q.Limits.Get(objective.Cost)),
		string(q.Sort),
		number(new(q.Weights[objective.Time])),
		number(new(q.Weights[objective.Cost])),
		p.PickedAt,
		p.EstimatedBy,
	}
	measured := optional(p.Candidate)
	columns, cells := optionalColumns(measured), optionalCells(p.Candidate, measured)
	for _, o := range objective.All() {
		if limit := q.Limits.Get(o.Name); o.Optional && limit != nil {
			columns, cells = append(columns, "query_"+o.Limit), append(cells, number(limit))
		}
	}
	return csv.NewWriter(w).WriteAll([][]string{
		slices.Concat(candidateColumns, pickColumns, lastColumns, columns),
		slices.Concat(csvRow(p.Candidate), query, lastCells(p.Candidate), cells),
	})
}

// optional are the optional objectives that any of the candidates has.
func optional(candidates ...Candidate) objective.List {
	return slices.DeleteFunc(objective.All(), func(o objective.Objective) bool {
		return !o.Optional || !slices.ContainsFunc(candidates, func(c Candidate) bool { return c.amount(o.Name) != nil })
	})
}

// optionalColumns are those of optional objectives, after all others.
func optionalColumns(of objective.List) (columns []string) {
	for _, o := range of {
		name := string(o.Name)
		columns = append(columns, name+"_"+o.Unit, name+"_low_"+o.Unit, name+"_high_"+o.Unit, name+"_basis", "p_best_"+name,
			"frontier_"+name)
	}
	return columns
}

func optionalCells(c Candidate, of objective.List) (cells []string) {
	for _, o := range of {
		var e Amount
		if known := c.amount(o.Name); known != nil {
			e = *known
		}
		cells = append(cells, number(e.Value), number(e.Low), number(e.High), Known(e.Basis),
			number(c.PBest.Of(o.Name)), strconv.FormatBool(c.Frontier.Of(o.Name)))
	}
	return cells
}

// first is the VM of a candidate of one type. Of several only the number of all
// their VMs is common; which they are stands in a column of its own.
func first(c Candidate) (vm Part) {
	if len(c.Configuration) == 1 {
		return c.Configuration[0]
	}
	for _, p := range c.Configuration {
		vm.Count += p.Count
	}
	return vm
}

func lastCells(c Candidate) []string {
	vms := plaintext.Join(c.Configuration, " + ", func(p Part) string { return fmt.Sprintf("%dx %s", p.Count, p.Name()) })
	cells := []string{spreadsheetSafe(Known(first(c).Host)), spreadsheetSafe(vms), "", ""}
	if w := c.WholeBatches; w != nil {
		cells[2], cells[3] = number(&w.Seconds), number(&w.USD)
	}
	for _, column := range lastColumns[len(cells):] {
		if item, isCost := strings.CutSuffix(column, "_usd"); isCost {
			cells = append(cells, c.Cost.item(item))
		}
	}
	return append(cells, whole(c.Ties), spreadsheetSafe(strings.Join(c.TiedWith, ";")), number(c.Steps))
}

// item is what a part of the cost comes to; "" where there is none.
func (d Dollars) item(name string) string {
	if i := slices.IndexFunc(d.Items, func(i bill.Item) bool { return i.Name == name }); i >= 0 {
		return number(&d.Items[i].USD)
	}
	return ""
}

func csvRow(c Candidate) []string {
	vm := first(c)
	var a Accuracy
	var accuracy [3]string
	if c.Accuracy != nil {
		a = *c.Accuracy
		accuracy = [3]string{number(&a.Value), number(&a.Low), number(&a.High)}
	}
	row := []string{whole(c.Rank), c.ID, c.Model, c.Variant, Known(c.Precision), c.Mode, Known(vm.Cloud), Known(vm.Region),
		Known(vm.InstanceType), Known(vm.GPU),
		whole(vm.GPUCount), strconv.Itoa(vm.Count), number(vm.USDPerHour), whole(c.BatchSize), number(c.Epochs),
		number(c.Units),
		c.Purchase, number(c.Time.S), number(c.Time.Low), number(c.Time.High), Known(c.Time.Basis),
		number(c.Cost.USD), number(c.Cost.Low), number(c.Cost.High), Known(c.Cost.Basis), a.Metric, accuracy[0],
		number(c.Score), number(c.TAR), number(c.CAR), number(c.PBest.Of(objective.Time)), number(c.PBest.Of(objective.Cost)),
		strconv.FormatBool(c.Feasible), strconv.FormatBool(c.Frontier.Of(objective.Time)),
		strconv.FormatBool(c.Frontier.Of(objective.Cost)),
		accuracy[1], accuracy[2], a.Basis, Known(vm.PriceFrom), violated(c.Violates)}
	for i := range row {
		row[i] = spreadsheetSafe(row[i])
	}
	return append(row, sources(c.Sources)) // a library's run numbers are below zero
}

func violated(vs []Violation) string {
	return plaintext.Join(vs, ";", func(v Violation) string { return v.Constraint })
}

func sources(ids []int64) string {
	return plaintext.Join(ids, ";", func(id int64) string { return strconv.FormatInt(id, 10) })
}

// spreadsheetSafe keeps text from being read as a formula. A number may begin
// with its sign.
func spreadsheetSafe(s string) string {
	if s == "" || !strings.ContainsRune("=+-@\t\r\n", rune(s[0])) {
		return s
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return s
	}
	return "'" + s
}

func number(v *float64) string {
	if v == nil || math.IsNaN(*v) || math.IsInf(*v, 0) {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}

func whole(n *int) string { return plaintext.Optional(n, "", strconv.Itoa) }

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
			strconv.FormatInt(s.ColdStarts, 10), strconv.FormatInt(s.Requests.OnVMs, 10),
			strconv.FormatInt(s.Requests.OnFunctions, 10), strconv.FormatInt(s.Requests.Queued, 10),
			strconv.FormatBool(s.Scheme == t.Pick)})
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// WriteLLMCSV writes the loads of one replica as CSV with a header. Columns are only
// added at the end.
func WriteLLMCSV(w io.Writer, l LLM) error {
	rows := [][]string{{"requests_per_second", "goodput_per_second", "within", "ttft_p50_s", "ttft_p95_s", "ttft_p99_s",
		"tpot_p50_s", "tpot_p95_s", "tpot_p99_s", "itl_p99_s", "queue_p95_s", "busy", "preemptions", "rejected",
		"most_running", "most_cached_tokens"}}
	for _, x := range l.Loads {
		row := []string{number(x.PerSecond), number(x.Goodput), number(&x.Within)}
		for _, p := range []Latency{x.TTFT.P50, x.TTFT.P95, x.TTFT.P99, x.TPOT.P50, x.TPOT.P95, x.TPOT.P99, x.ITL.P99,
			x.Queue.P95} {
			row = append(row, number(p.S))
		}
		rows = append(rows, append(row, number(&x.Busy), strconv.FormatInt(x.Preemptions, 10), strconv.Itoa(x.Rejected),
			strconv.Itoa(x.MostRunning), strconv.Itoa(x.MostCached)))
	}
	return csv.NewWriter(w).WriteAll(rows)
}
