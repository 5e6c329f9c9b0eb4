package main

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"sweetspot/data/library"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
)

func planOutput(t *testing.T, args ...string) (string, error) {
	t.Helper()
	for _, dir := range []string{"XDG_DATA_HOME", "XDG_CACHE_HOME"} {
		t.Setenv(dir, t.TempDir())
	}
	out, _, err := execute(t, append([]string{"plan"}, args...)...)
	return out, err
}

// planned is what a script reads of a plan.
type planned struct {
	Candidates []struct {
		ID            string
		Variant       string
		Configuration []struct {
			InstanceType string `json:"instance_type"`
			Count        int
			Units        *float64
			BusyS        *float64 `json:"busy_s"`
		}
		Time         struct{ S, Low, High float64 }
		Cost         struct{ USD float64 }
		WholeBatches struct{ S, USD float64 } `json:"whole_batches"`
		Accuracy     struct{ Value float64 }
		Units        float64
	}
	Pick     *struct{ ID string }
	Frontier map[string][]string
	Greedy   *struct {
		Time struct{ S float64 }
		Cost struct{ USD float64 }
	}
	Gap      struct{ Time, Cost *float64 }
	Explored struct {
		Configurations float64
		Method         string
	}
}

// outcome is a point of the brute force: seconds, dollars, accuracy.
type outcome [3]float64

// everything is every combination of up to three VMs of each type with every
// variant, by equations 1 to 3 for work that divides at will and all VMs busy to
// the end, within an hour and 10 dollars.
func everything(t *testing.T, types []string) (all []outcome) {
	set, err := library.Load()
	if err != nil {
		t.Fatal(err)
	}
	usd, gpus := map[string]float64{}, map[string]float64{}
	for _, vm := range set.VMTypes {
		if p, ok := vm.PriceOf(profile.OnDemand); ok && slices.Contains(types, vm.InstanceType) {
			usd[vm.InstanceType], gpus[vm.InstanceType] = p.USDPerHour, float64(vm.GPUCount)
		}
	}
	rate, accuracy := map[string]map[string]float64{}, map[string]float64{}
	for _, r := range set.Runs {
		if r.Model == "CaffeNet" && r.Mode == profile.Infer && slices.Contains(types, r.InstanceType) {
			if rate[r.Variant.Name] == nil {
				rate[r.Variant.Name] = map[string]float64{}
			}
			rate[r.Variant.Name][r.InstanceType] = gpus[r.InstanceType] * float64(r.BatchSize) / r.Steady.Value
		}
		if r.Model == "CaffeNet" && r.Accuracy != nil {
			accuracy[r.Variant.Name] = r.Accuracy.Value
		}
	}
	for variant, of := range rate {
		for code := 1; code < 1<<(2*len(types)); code++ {
			var speed, hourly float64
			for k, vm := range types {
				n := float64(code >> (2 * k) & 3)
				speed, hourly = speed+n*of[vm], hourly+n*usd[vm]
			}
			seconds := 1e6 / speed
			if o := (outcome{seconds, seconds / 3600 * hourly, accuracy[variant]}); o[0] <= 3600 && o[1] <= 10 {
				all = append(all, o)
			}
		}
	}
	return all
}

// frontier are the points that none beats in the objectives, one of equal ones.
func frontier(all []outcome, objectives ...int) (front []outcome) {
	loss := func(o outcome, k int) float64 { return map[bool]float64{true: -o[2], false: o[k]}[k == 2] }
	const equal = 1e-9
	for _, o := range all {
		beaten := slices.ContainsFunc(all, func(p outcome) bool {
			better := false
			for _, k := range objectives {
				d := (loss(p, k) - loss(o, k)) / math.Max(math.Abs(loss(o, k)), equal)
				if d > equal {
					return false
				}
				better = better || d < -equal
			}
			return better
		})
		if !beaten && !slices.ContainsFunc(front, func(p outcome) bool { return same(p, o, objectives) }) {
			front = append(front, o)
		}
	}
	return front
}

func same(a, b outcome, objectives []int) bool {
	return !slices.ContainsFunc(objectives, func(k int) bool { return math.Abs(a[k]-b[k]) > 1e-9*math.Abs(b[k]) })
}

// The frontiers over all combinations are those that trying every one gives.
func TestPlanIsExact(t *testing.T) {
	types := []string{"p2.xlarge", "p2.8xlarge", "p2.16xlarge", "g3.4xlarge", "g3.8xlarge", "g3.16xlarge"}
	text, err := planOutput(t, "--model", "CaffeNet", "--units", "1000000", "--vms", strings.Join(types, ":3,")+":3",
		"--max-time", "1h", "--max-cost", "10", "--json")
	if err != nil {
		t.Fatal(err)
	}
	var got planned
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	all := everything(t, types)
	if got.Explored.Method != "exact" || got.Explored.Configurations != 7*4095 || len(all) < 20000 {
		t.Errorf("explored %+v, tried %d", got.Explored, len(all))
	}
	at := map[string]outcome{}
	for _, c := range got.Candidates {
		at[c.ID] = outcome{c.Time.S, c.Cost.USD, c.Accuracy.Value}
		units := 0.0
		for _, p := range c.Configuration {
			units += *p.Units
			if *p.BusyS > c.WholeBatches.S*(1+1e-9) {
				t.Errorf("%s: a GPU is busy for %g of %g s", c.ID, *p.BusyS, c.WholeBatches.S)
			}
		}
		if math.Abs(units-c.Units) > 1e-3 || c.WholeBatches.S < c.Time.S*(1-1e-9) ||
			!(c.Time.Low < c.Time.S && c.Time.S < c.Time.High) {
			t.Errorf("%s: %g of %g units, whole batches %g s, time %+v", c.ID, units, c.Units, c.WholeBatches.S, c.Time)
		}
	}
	for name, objectives := range map[string][]int{"time_cost": {0, 1}, "time_accuracy": {0, 2}, "cost_accuracy": {1, 2},
		"time_cost_accuracy": {0, 1, 2}} {
		want := frontier(thin(all, objectives), objectives...)
		var ours []outcome
		for _, id := range got.Frontier[name] {
			ours = append(ours, at[id])
		}
		for _, side := range []struct {
			who          string
			these, those []outcome
		}{{"missing", want, ours}, {"too much", ours, want}} {
			for _, o := range side.these {
				if !slices.ContainsFunc(side.those, func(p outcome) bool { return same(p, o, objectives) }) {
					t.Errorf("%s: %s is %v", name, side.who, o)
				}
			}
		}
	}
	if got.Greedy == nil || got.Gap.Time == nil || *got.Gap.Time < 0 || *got.Gap.Cost < -1e-9 {
		t.Errorf("greedy %+v, gap %+v", got.Greedy, got.Gap)
	}
}

// thin drops what is plainly beaten, by the best of each accuracy at a grid of
// times, so that the quadratic check of the rest is quick. It may keep too much,
// never too little.
func thin(all []outcome, _ []int) (out []outcome) {
	best := map[[2]int]float64{}
	cell := func(o outcome) [2]int { return [2]int{int(math.Log(o[0]) * 200), int(math.Round(o[2] * 1e6))} }
	for _, o := range all {
		if old, ok := best[cell(o)]; !ok || o[1] < old {
			best[cell(o)] = o[1]
		}
	}
	for _, o := range all {
		earlier := cell(o)
		earlier[0]--
		if cheap, ok := best[earlier]; !ok || o[1] <= cheap*(1+1e-9) {
			out = append(out, o)
		}
	}
	return out
}

func TestPlanSaysWhatIsWrong(t *testing.T) {
	for want, args := range map[string][]string{
		"give an instance type and a number":   {"--vms", "p2.xlarge"},
		"give an instance type":                {"--vms", "p2.xlarge:-1"},
		"twice":                                {"--vms", "p2.xlarge:1,p2.xlarge:2"},
		"is not throughput or gpus":            {"--split", "by magic"},
		"is not exact or greedy":               {"--method", "guess"},
		"--startup":                            {"--startup", "soon"},
		"give a cloud":                         {"--min-billing", "=60s"},
		"given twice":                          {"--billing-step", "1h,aws=1m,aws=1h"},
		"no run of CaffeNet on mars.large":     {"--model", "CaffeNet", "--vms", "mars.large:2"},
		"nothing feasible: cost rules out all": {"--model", "CaffeNet", "--max-cost", "0.01"},
		"unknown flag: --epochs":               {"--epochs", "3"},
		"nothing to combine: no run of":        {"--model", "fashion-cnn"},
		"exclude each other":                   {"--csv", "--json"},
		"the greedy algorithm finds no combination within": {"--model", "CaffeNet", "--method", "greedy", "--max-time", "80m",
			"--max-cost", "2.6", "--vms", "p2.16xlarge:1,p2.xlarge:1,g3.4xlarge:1"},
		"p2.xlarge, p2.8xlarge": {"--model", "CaffeNet", "--vms", "p2.xlarge:1,p2.8xlarge:1", "--purchase",
			"reserved-3y"},
		fmt.Sprintf("from 1 to %d", question.MostCount): {"--vms", "p2.xlarge:100000"},
	} {
		if out, err := planOutput(t, args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, not %q\n%s", args, err, want, out)
		}
	}
}

// Of a few batches only, what divides at will is out of reach: the pick holds the
// limits in whole batches, and what does better in these is said.
func TestPlansOfFewBatches(t *testing.T) {
	type plan struct {
		Pick *struct {
			WholeBatches struct{ S, USD float64 } `json:"whole_batches"`
			Divisible    struct{ S, USD float64 }
		}
		Best *struct {
			Configuration []struct{ Count int }
			Cost          struct{ USD float64 }
		} `json:"best_in_whole_batches"`
		Warnings []string
		Query    struct {
			Terms map[string]struct {
				StartupS float64 `json:"startup_s"`
				MinimumS float64 `json:"minimum_billed_s"`
			}
		}
	}
	ask := func(args ...string) (p plan) {
		t.Helper()
		text, err := planOutput(t, append([]string{"--model", "CaffeNet", "--json"}, args...)...)
		if err == nil {
			err = json.Unmarshal([]byte(text), &p)
		}
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	few := ask("--units", "5000")
	if few.Best == nil || few.Best.Cost.USD >= few.Pick.WholeBatches.USD || few.Pick.Divisible.USD >= few.Best.Cost.USD {
		t.Errorf("pick %+v, best in whole batches %+v", few.Pick, few.Best)
	}
	if many := ask("--units", "100M"); many.Best != nil {
		t.Errorf("of many batches the best is another: %+v", many.Best)
	}
	if held := ask("--units", "1500", "--max-time", "2s"); held.Pick.WholeBatches.S > 2 {
		t.Errorf("the pick takes %g s in whole batches", held.Pick.WholeBatches.S)
	}
	if _, err := planOutput(t, "--model", "CaffeNet", "--units", "1000", "--max-time", "1s"); err == nil ||
		!strings.Contains(err.Error(), "nothing feasible in whole batches") {
		t.Errorf("a batch takes longer than the limit, yet %v", err)
	}
	told := ask("--startup", "90s,gcp=2m", "--min-billing", "aws=60s")
	terms := told.Query.Terms
	if terms[""].StartupS != 90 || terms["gcp"].StartupS != 120 || terms["aws"].StartupS != 90 ||
		terms["aws"].MinimumS != 60 || terms["gcp"].MinimumS != 0 {
		t.Errorf("terms %+v", terms)
	}
	if w := strings.Join(told.Warnings, "; "); !strings.Contains(w, `cloud "gcp"`) || strings.Contains(w, `cloud "aws"`) {
		t.Errorf("of the clouds without VM types it says %q", w)
	}
}
