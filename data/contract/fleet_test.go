package contract

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"sweetspot/engine/approx"
	"sweetspot/engine/fleet"
	"sweetspot/engine/profile"
)

// exampleFleet is a small load on few VMs, with names that mean harm.
func exampleFleet(t *testing.T, vms int) FleetInput {
	t.Helper()
	load := fleet.Usual(400)
	q := fleet.Question{
		Jobs: load.Generate(3), Load: &load,
		Terms: fleet.Terms{Deadline: fleet.Range{Low: 1.5, High: 3}, Tightness: 1, Ratio: fleet.Range{Low: 0.75, High: 1},
			Speed: 1, Mix: fleet.Mix{
				{Model: "net\x1b[31m", Weight: 1, Ratio: 0.8, Accuracy: 0.9, ReducedAccuracy: 0.89, Basis: "made up"},
				{Model: "other", Weight: 1, Ratio: math.NaN(), Accuracy: math.NaN(), ReducedAccuracy: math.NaN(), Basis: "made up"},
			}},
		Fleet:    fleet.Fleet{VMs: vms, GPUsPerVM: 1, Scheduler: fleet.RoundRobin, AsStudied: true},
		Prices:   approx.Prices{Reserved: 0.985, OnDemand: 3.06},
		Policies: approx.Policies, Seed: 3,
	}
	a := q.Answer(fleet.NewDraws(len(q.Jobs), q.Seed))
	in := FleetInput{Question: q, Answer: a, Context: q.Context(a, 5), Source: "made up", Notes: []string{"one\nnote"},
		VM: "p3.2xlarge", Prices: []string{"a list"}}
	way := fleet.Reservation{Purchase: "reserved-3y", Months: 36, Price: profile.Price{USDPerHour: 0.985,
		Source: "a list"}}
	in.Sized = q.Size(t.Context(), a.Tasks, []fleet.Reservation{way}, 100)
	return in
}

func TestFleetGolden(t *testing.T) {
	f := NewFleet(exampleFleet(t, 16))
	for i := range f.Sizing { // a hundred of them say no more
		f.Sizing[i].Sizes = f.Sizing[i].Sizes[:2]
	}
	var asJSON, asCSV bytes.Buffer
	if err := errors.Join(WriteJSON(&asJSON, f), WriteFleetCSV(&asCSV, f)); err != nil {
		t.Fatal(err)
	}
	golden(t, "fleet.json", asJSON.Bytes())
	golden(t, "fleet.csv", asCSV.Bytes())
}

// A model that the mix lacks keeps its name, and a warning names it.
func TestFleetNamesModelsThatItDoesNotKnow(t *testing.T) {
	in := exampleFleet(t, 16)
	q := in.Question
	for i := range q.Jobs {
		q.Jobs[i].Model = []string{"their-net", "our-net", "study-net"}[i%3]
	}
	q.Terms.Mix = fleet.Mix{{Model: "study-net", Weight: 1, Ratio: 0.5, Accuracy: 0.7, ReducedAccuracy: 0.69}}
	in.Question, in.Answer = q, q.Answer(fleet.NewDraws(len(q.Jobs), q.Seed))
	f := NewFleet(in)
	var names []string
	for _, k := range f.Workload.Mix {
		names = append(names, *k.Model)
		if (k.Accuracy == nil) != (*k.Model != "study-net") {
			t.Errorf("%+v", k)
		}
	}
	if got := strings.Join(names, " "); got != "study-net their-net our-net" {
		t.Errorf("the mix is of %s", got)
	}
	if all := strings.Join(f.Warnings, "\n"); !strings.Contains(all, "known of their-net, our-net") {
		t.Errorf("no word of them in %s", all)
	}
}

// What scripts rely on: the parts of a cost add up, counts fit, unknown is null.
func TestFleetContract(t *testing.T) {
	for _, vms := range []int{0, 16} {
		f := NewFleet(exampleFleet(t, vms))
		data, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, field := range []string{`"schema":1`, `"command":"fleet"`, `"warnings":["one note"`, `"workload":{"jobs":400`,
			`"mix":[`, `"relative_to_on_demand":{"value":`, `"missed_deadlines":`} {
			if !strings.Contains(string(data), field) {
				t.Errorf("%d VMs: no %s in %s", vms, field, data)
			}
		}
		jobs := 0
		for _, k := range f.Workload.Mix {
			jobs += k.Jobs
		}
		if jobs != f.Workload.Jobs || f.Rest.ReservedJobs+f.Rest.OnDemandJobs+f.Workload.Candidates != f.Workload.Jobs {
			t.Errorf("%d VMs: %d jobs by model, %+v and %d candidates of %d", vms, jobs, f.Rest, f.Workload.Candidates,
				f.Workload.Jobs)
		}
		for _, p := range f.Policies {
			if sum := p.ReservedUSD + p.OnDemandUSD + p.PenaltyUSD; math.Abs(sum-p.TotalUSD) > 1e-9*math.Max(1, sum) {
				t.Errorf("%s: parts add up to %g of %g", p.Policy, sum, p.TotalUSD)
			}
			if (p.Relative.Value == nil) != (f.Workload.Candidates == 0) || p.Accepted > p.Offered {
				t.Errorf("%+v", p)
			}
		}
		if (f.Best == nil) != (vms == 0) || (f.BreakEven == nil) != (vms == 0) {
			t.Errorf("%d VMs: best %v, break even %v", vms, f.Best, f.BreakEven)
		}
	}
}

func TestFleetCSVReadsBack(t *testing.T) {
	var b bytes.Buffer
	if err := WriteFleetCSV(&b, NewFleet(exampleFleet(t, 16))); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != 5 || rows[0][0] != "policy" || rows[2][0] != "approxdnn" {
		t.Errorf("%v: %v", err, rows)
	}
}

// A fleet of prices alone has no VM type; where nobody can be asked no policy is best,
// and an interval stands only beside a value.
func TestUnknownOfAFleetIsNull(t *testing.T) {
	in := exampleFleet(t, 0)
	in.VM = ""
	in.Context.Spreads[0] = fleet.Spread{Low: 0.5, High: 0.6, Known: true}
	f := NewFleet(in)
	nulls(t, f, "best", "break_even")
	nulls(t, f.Query, "vm")
	nulls(t, f.Policies[0].Relative, "value", "low", "high")
	in.Answer.Tasks[0].Kind = -1
	mix := NewFleet(in).Workload.Mix
	nulls(t, mix[len(mix)-1], "model", "accuracy")
}
