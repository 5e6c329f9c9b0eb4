package reproduce

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/serving"
)

// shorterBy makes loads short enough for a test; waves of a day become steep.
const shorterBy = 24

// paragonCells are the settings that a study prints, and its results.
func paragonCells() []Cell {
	exact := func(k Key, v float64) Cell { return Cell{k, &Number{Value: v}} }
	about := func(k Key, v, half float64) Cell { return Cell{k, &Number{Value: v, Half: half}} }
	cells := []Cell{
		exact(limitMS, 500), exact(utilisation, 80), exact(peakOverMedian, 50), exact(leastColdStart, 1),
		exact(mostColdStart, 10),
		exact(sampleHours, 0.5), exact(mostMemory, 3), exact(squeezeNetKnee, 2), exact(constantHours, 1),
		about(overKey(serving.UtilAware), 25, 5), about(overKey(serving.Exascale), 25, 5), {Key: mixedCosts},
		about(Key{Table: "figure 8", Variant: string(serving.Mixed), Column: cutsColumn}, 60, 5),
		about(Key{Table: "figure 8", Variant: string(serving.Paragon), Column: savesMixedColumn}, 10, 5),
		about(savesOverNaive, 20, 5), about(Key{Table: "section 1", Variant: string(serving.Paragon),
			Column: "saves_percent"}, 20, 5),
	}
	for name, rate := range map[string]float64{"few": 10, "many": 200} {
		cells = append(cells, exact(Key{Table: "text", Application: name, Column: rateColumn}, rate))
	}
	for name, m := range map[string][2]float64{"small": {70, 20}, "middle": {75, 60}, "slow": {75, 90},
		"large": {80, 130}} {
		cells = append(cells, exact(Key{Table: modelsTable, Application: name, Column: modelAccuracy}, m[0]),
			exact(Key{Table: modelsTable, Application: name, Column: modelMilliseconds}, m[1]))
	}
	return cells
}

func overKey(scheme serving.Scheme) Key {
	return Key{Table: "figure 4", Variant: string(scheme), Column: overColumn}
}

func printedAs(cells []Cell, k Key, n Number) []Cell {
	changed := slices.Clone(cells)
	changed[slices.IndexFunc(cells, func(c Cell) bool { return c.Key == k })].Number = &n
	return changed
}

func fewLoads(t *testing.T, cells []Cell) *Traffic {
	t.Helper()
	traffic := newTraffic(cells, shorterBy)
	if traffic == nil {
		t.Fatal("no loads")
	}
	return traffic
}

// Loads are equal on every call, follow the printed settings, and are not made
// where one is missing or makes no sense.
func TestTraffic(t *testing.T) {
	cells := paragonCells()
	a, b := fewLoads(t, cells), fewLoads(t, cells)
	for i := range a.loads {
		l := &a.loads[i]
		if len(l.draws) != seeds || !(l.ratio() >= 1) || l.name != b.loads[i].name {
			t.Errorf("%s: %d draws, peak to median %g", l.name, len(l.draws), l.ratio())
		}
		for k := range l.draws {
			if x, y := l.draws[k].by[serving.Mixed], b.loads[i].draws[k].by[serving.Mixed]; x.USD != y.USD ||
				x.Violations != y.Violations || x.Requests.Total() == 0 {
				t.Errorf("%s drawn twice: %+v and %+v", l.name, x, y)
			}
		}
		if x, y := l.draws[0].by[serving.Reactive].Requests, l.draws[1].by[serving.Reactive].Requests; x == y {
			t.Errorf("%s: two seeds make the same load of %v queries", l.name, x)
		}
	}
	// Over-provisioning of 1/utilisation − 1 follows from the setting.
	half := fewLoads(t, printedAs(cells, utilisation, Number{Value: 50}))
	if over := half.loads[0].over(overProvisioned(serving.UtilAware)).mean; math.Abs(over-100) > 5 {
		t.Errorf("at half utilisation %g %% more VMs", over)
	}
	if !slices.Contains(a.used, utilisation) || slices.Contains(a.used, overKey(serving.UtilAware)) {
		t.Errorf("settings are from %v", a.used)
	}
	for _, k := range a.used {
		without := slices.DeleteFunc(slices.Clone(cells), func(c Cell) bool { return c.Key == k })
		if k.Column != rateColumn && newTraffic(without, shorterBy) != nil {
			t.Errorf("loads without %s", k)
		}
		if newTraffic(printedAs(cells, k, Number{Value: 1e12}), shorterBy) != nil {
			t.Errorf("loads with a %s of 1e12", k)
		}
	}
	if NewTraffic(nil) != nil {
		t.Error("loads of a study that says nothing")
	}
}

func TestDrawnNumber(t *testing.T) {
	l := drawnLoad{draws: []draw{{ratio: 1}, {ratio: 2}, {ratio: 3}}}
	got := l.over(func(d *draw) float64 { return d.ratio })
	// Of 1, 2 and 3 the standard deviation is 1.
	if want := 1.6449 * math.Sqrt(4.0/3); got.mean != 2 || math.Abs(got.by-want) > 1e-3 {
		t.Errorf("%+v, want 2 ± %g", got, want)
	}
	one := drawnLoad{draws: l.draws[:1]}
	if got := one.over(func(d *draw) float64 { return d.ratio }); got != (drawnNumber{mean: 1}) {
		t.Errorf("of one draw %+v", got)
	}
}

// A study that prints what a load comes to is given back, a wrong number is
// found, and nothing rests on the cell it is held against.
func TestPrintedRelationsAreGivenBack(t *testing.T) {
	in := Inputs{Paper: Paragon, Cells: paragonCells()}
	in.Traffic = fewLoads(t, in.Cells)
	judged := 0
	for i, r := range Reproduce(in) {
		if slices.Contains(r.Inputs, r.Key) {
			t.Errorf("%s %s rests on itself", r.Table, r.Cell)
		}
		if r.OK != nil && !*r.OK && !strings.Contains(r.Note, "; ") {
			t.Errorf("%s %s is off without a reason: %s", r.Table, r.Cell, r.Note)
		}
		if r.Note == "" {
			t.Errorf("%s %s: no note", r.Table, r.Cell)
		}
		if !strings.HasSuffix(r.Table, loadsSuffix) || r.Published == nil || r.Ours == nil {
			continue
		}
		judged++
		for _, c := range []struct {
			printed Number
			ok      bool
		}{
			{Number{Value: *r.Ours}, true}, {Number{Value: *r.Ours + 6, Half: 6}, true},
			{Number{Value: *r.Ours + 1 + 1.01**r.Tolerance**r.Published}, false},
		} {
			changed := in
			changed.Cells = printedAs(in.Cells, r.Key, c.printed)
			if after := Reproduce(changed)[i]; after.OK == nil || *after.OK != c.ok || *after.Ours != *r.Ours {
				t.Errorf("%s %s printed as %+v: %+v", r.Table, r.Cell, c.printed, after)
			}
		}
	}
	if judged != 4*len(in.Traffic.loads) {
		t.Errorf("%d printed numbers are held against loads", judged)
	}
}

// Without loads there are no rows on them, and none of the findings they need.
func TestParagonWithoutLoads(t *testing.T) {
	in := Inputs{Paper: Paragon, Cells: paragonCells()}
	for _, r := range Reproduce(in) {
		if strings.Contains(r.Table, "synthetic") || r.Table != "section 1" && !strings.HasSuffix(r.Table, poolsSuffix) &&
			r.OK != nil {
			t.Errorf("%s %s without loads: %+v", r.Table, r.Cell, r)
		}
	}
	found := Findings(in)
	if len(found) != 1 || !strings.Contains(found[0], "10 % over mixed") {
		t.Errorf("findings %q", found)
	}
	in.Cells = printedAs(in.Cells, savesOverNaive, Number{Value: 30})
	if found := Findings(in); len(found) != 0 {
		t.Errorf("it contradicts itself no more: %q", found)
	}
}

// Figures 3 and 7 hold for models whose times are assumed, and the closed form is what
// is simulated.
func TestFixedRows(t *testing.T) {
	in := Inputs{Paper: Paragon, Cells: paragonCells()}
	in.Traffic = fewLoads(t, in.Cells)
	tables := map[string]int{}
	for _, r := range Reproduce(in) {
		if strings.HasSuffix(r.Table, timesSuffix) {
			tables[r.Table]++
			if r.OK == nil || !*r.OK {
				t.Errorf("%s %s: %s", r.Table, r.Cell, r.Note)
			}
		}
	}
	if tables["figure 3"+timesSuffix] != 2*3+1 || tables["figure 7"+timesSuffix] != 10 {
		t.Errorf("rows %v", tables)
	}
	// Where a VM is dear the rows say so.
	in.Traffic.settings.VM.USDPerHour = 10
	for _, r := range (relations{cells: in.Cells, loads: in.Traffic}).constant() {
		if strings.Contains(r.cell, "functions_over_vms") && *r.holds {
			t.Errorf("%s: VMs for $10/h are cheaper: %+v", r.cell, r)
		}
	}
	if row := (relations{loads: in.Traffic}).simulated(serving.Constant(60, 1), 1, serving.Reactive, "usd",
		1e6); *row.holds {
		t.Errorf("any closed form is ok: %+v", row)
	}
	flat := functionModel{"flat", serving.Memory{FixedS: 0.1, KneeGiB: 2, MinGiB: 0.5, MaxGiB: 3}}
	if faster, dearer := (relations{loads: in.Traffic}).overMemory(flat, flat.Choices(serving.PublicPrices())); faster ||
		!dearer {
		t.Errorf("no memory makes it faster: %v %v", faster, dearer)
	}
}

// The cheapest model that keeps the limits against any that does, by hand.
func TestAsk(t *testing.T) {
	v := serving.Variants{List: []serving.Variant{
		{Name: "small", Accuracy: 0.7, LatencyS: 1, USDPerMillion: 1}, {Name: "large", Accuracy: 0.8, LatencyS: 2,
			USDPerMillion: 3},
	}}
	// (0.7, 1): small; (0.7, 2): small of both; (0.8, 1): none; (0.8, 2): large.
	if got := ask(v); got != (chosen{asked: 3, best: 5, naive: 6, accurate: 7}) {
		t.Errorf("%+v", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		var v serving.Variants
		for range rapid.IntRange(0, 8).Draw(t, "models") {
			v.List = append(v.List, serving.Variant{
				Accuracy: rapid.Float64Range(0, 1).Draw(t, "accuracy"), LatencyS: rapid.Float64Range(0, 1).Draw(t, "latency"),
				USDPerMillion: rapid.Float64Range(0, 9).Draw(t, "cost"),
			})
		}
		v.LowerIsBetter = rapid.Bool().Draw(t, "loss")
		if got := ask(v); got.best > got.naive+1e-9 || got.best > got.accurate+1e-9 || got.asked < len(v.List) {
			t.Fatalf("%+v of %v", got, v)
		}
	})
}

// Who is cheapest is not decided by who violates: those that keep the limit come in.
func TestCheapestOfSchemes(t *testing.T) {
	out := func(usd float64, violations int64) *serving.Outcome {
		return &serving.Outcome{USD: usd, Requests: serving.Split{Strict: 100}, Violations: serving.Split{Strict: violations}}
	}
	d := draw{by: map[serving.Scheme]*serving.Outcome{serving.Reactive: out(1, 6), serving.Mixed: out(2, 5),
		serving.Exascale: out(3, 0)}}
	if got := cheapest(&d, serving.Reactive, serving.Mixed, serving.Exascale); got != d.by[serving.Mixed] {
		t.Errorf("%+v", got)
	}
	if got := cheapest(&d, serving.Reactive); got != nil {
		t.Errorf("it violates, yet %+v", got)
	}
}
