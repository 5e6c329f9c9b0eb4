package reproduce

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/cluster"
)

// cells builds printed cells of one table from "variant|batch|vm|column" and
// exact numbers.
type made struct {
	table, variant string
	batch          int
	vm, column     string
	value          float64
}

func cellsOf(application string, list []made) []Cell {
	var cells []Cell
	for _, m := range list {
		k := Key{Table: m.table, Variant: m.variant, Batch: m.batch, VM: m.vm, Column: m.column}
		if m.table != "1" && m.table != vmTable && m.table != "text" {
			k.Application = application
		}
		cells = append(cells, Cell{Key: k, Number: &Number{Value: m.value}})
	}
	return cells
}

func rowOf(t interface {
	Helper()
	Fatalf(string, ...any)
}, rows []Row, table, column, vm string) Row {
	t.Helper()
	i := slices.IndexFunc(rows, func(r Row) bool { return r.Table == table && r.Key.Column == column && r.Key.VM == vm })
	if i < 0 {
		t.Fatalf("no %s of %s in table %s", column, vm, table)
	}
	return rows[i]
}

// Whatever the times and prices, the recommended VM is the one that really is
// cheapest, and what is printed from exact numbers is given back.
func TestComparisonFollowsTheTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		price := map[string]float64{"slow": rapid.Float64Range(0.1, 2).Draw(t, "slow price"),
			"fast": rapid.Float64Range(2, 9).Draw(t, "fast price")}
		list := []made{{"1", "", 0, "slow", hourlyPrice, price["slow"]}, {"1", "", 0, "fast", hourlyPrice, price["fast"]}}
		cheaper := 0
		for i, batch := range []int{64, 128, 256} {
			slow := rapid.Float64Range(1, 9).Draw(t, fmt.Sprint("slow ", i))
			fast := slow / rapid.Float64Range(1.1, 9).Draw(t, fmt.Sprint("speed-up ", i))
			if math.Abs(fast*price["fast"]/(slow*price["slow"])-1) < 1e-6 {
				fast *= 0.99 // no tie
			}
			if fast*price["fast"] < slow*price["slow"] {
				cheaper++
			}
			list = append(list,
				made{"2", "", batch, "slow", "time_h", slow}, made{"2", "", batch, "slow", "cost_usd", slow * price["slow"]},
				made{"2", "", batch, "slow", "accuracy_percent", 90},
				made{"2", "", batch, "fast", "time_h", fast}, made{"2", "", batch, "fast", "cost_usd", fast * price["fast"]},
				made{"2", "", batch, "fast", "speedup", slow / fast})
		}
		list = append(list, made{"text", "", 0, "fast", "cheapest_percent", 100 * float64(cheaper) / 3})
		cells := cellsOf("app", list)
		cells[len(cells)-1].Application = "app"
		for _, r := range Reproduce(Inputs{Paper: Malta2019, Cells: cells}) {
			// Rounding is exact here, so what agrees does so to the last bits.
			if r.Ours != nil && math.Abs(*r.Ours-*r.Published) > 1e-9*math.Max(1, *r.Published) {
				t.Fatalf("%s: published %g, ours %g (%s)", r.Cell, *r.Published, *r.Ours, r.Note)
			}
			if r.Ours == nil && r.Key.Column != "accuracy_percent" && r.Table != "1" {
				t.Fatalf("%s is not computed: %s", r.Cell, r.Note)
			}
		}
	})
}

// small is a TAR/CAR study of two families and three versions.
func small(deadline float64) []Cell {
	list := []made{
		{"text", "", 0, "", "images", 50000}, {"text", "", 0, "", "images_of_figures_9_and_10", 1e6},
		{"text", "", 0, "", "versions", 60}, {"text", "", 0, "", "deadline_h", deadline},
		{"text", "", 0, "", "budget_usd", 300},
		{"figure 9", "", 0, "p2", "feasible_configurations", 60 * 511},
		{"figure 9", "", 0, "p2", "top5_frontier_configurations", 2},
	}
	for vm, gpus := range map[string]float64{"p2.xlarge": 1, "p2.8xlarge": 8, "p2.16xlarge": 16} {
		list = append(list, made{vmTable, "", 0, vm, "gpus", gpus}, made{vmTable, "", 0, vm, hourlyPrice, 0.9 * gpus})
	}
	// A version that is as accurate and faster, and one that is worse in both.
	for version, v := range map[string][3]float64{unpruned: {19, 80, 0}, "conv1-30": {16, 80, 30},
		"conv1-60": {18, 70, 60}} {
		list = append(list, made{versionsTable, version, 0, oneK80, "time_min", v[0]}, made{versionsTable, version, 0, oneK80,
			"top5_percent", v[1]})
		if v[2] > 0 {
			list = append(list, made{versionsTable, version, 0, oneK80, "conv1" + prunedSuffix, v[2]})
		}
	}
	list = append(list, made{"section 4.3.2", "conv1", 0, oneK80, "sweet_spot_percent", 30})
	return cellsOf(caffeNet, list)
}

func TestFrontierAndFeasibility(t *testing.T) {
	rows := Reproduce(Inputs{Paper: TARCAR, Cells: small(10)})
	if r := rowOf(t, rows, "figure 9", "feasible_configurations", "p2"); r.OK == nil || !*r.OK || *r.Ours != 60*511 {
		t.Errorf("feasible: %+v", r)
	}
	// Only the faster version of the best accuracy is on the frontier.
	if r := rowOf(t, rows, "figure 9", "top5_frontier_configurations", "p2"); r.Ours == nil || *r.Ours != 1 ||
		r.OK != nil {
		t.Errorf("frontier: %+v", r)
	}
	if r := rowOf(t, rows, "section 4.3.2", "sweet_spot_percent", oneK80); r.Ours == nil || *r.Ours != 30 {
		t.Errorf("sweet spot: %+v", r)
	}
	// With a deadline that one K80 misses, other versions' times would decide.
	rows = Reproduce(Inputs{Paper: TARCAR, Cells: small(6)})
	if r := rowOf(t, rows, "figure 9", "feasible_configurations", "p2"); r.Ours != nil || r.OK != nil {
		t.Errorf("feasible within 6 h: %+v", r)
	}
}

func TestNoPaperNoRows(t *testing.T) {
	in := Inputs{Paper: "nature", Cells: small(10)}
	if rows, found := Reproduce(in), Findings(in); rows != nil || found != nil {
		t.Errorf("rows %v, findings %v", rows, found)
	}
	for _, paper := range Papers {
		if rows := Reproduce(Inputs{Paper: paper}); len(rows) > 0 {
			t.Errorf("%s without cells: %v", paper, rows)
		}
		Findings(Inputs{Paper: paper})
	}
}

// What is saved is against the configurations that keep both limits.
func TestSavedAtAccuracy(t *testing.T) {
	// An hour's work and $1 on the first VM, 12 min and $2 on the second; half an hour
	// and $5.50 on both, as each gets half.
	space := cluster.Space{Units: 3600, Split: cluster.ByGPUs,
		VMs: []cluster.VMType{{GPUs: 1, Limit: 1, USDPerHour: 1}, {GPUs: 1, Limit: 1, USDPerHour: 10}},
		Variants: []cluster.Variant{{Accuracy: new(0.8), Batches: []cluster.Batch{{Size: 1, Seconds: 1},
			{Size: 1, Seconds: 0.2}}}}}
	f, err := space.Frontiers()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		seconds, usd float64
		n            int
		time, cost   float64
	}{{3600, 3, 2, 0, 0}, {2000, 6, 2, 0.6, 1 - 2/5.5}, {3600, 5.5, 3, 0.6, 1 - 2/5.5}, {1000, 1.5, 0, 0, 0}} {
		l := cluster.Limits{MaxSeconds: &c.seconds, MaxUSD: &c.usd}
		n, time, cost := savedAtAccuracy(f, space, l, 0.8)
		if n != c.n || math.Abs(time-c.time) > 1e-9 || math.Abs(cost-c.cost) > 1e-9 {
			t.Errorf("within %g s and $%g: %d configurations, %g of the time and %g of the cost, want %+v", c.seconds,
				c.usd, n, time, cost, c)
		}
	}
}
