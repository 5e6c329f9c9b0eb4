package reproduce

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/training"
)

var testPrices = map[string]float64{"p2.xlarge": 0.9, "p2.8xlarge": 7.2, "p3.2xlarge": 3.06, "p3.8xlarge": 12.24}

// thesis is a small one of our own: an anchor table and the two relative
// tables that follow from known lines, printed with the given decimals.
func thesis(table string, lines map[string]training.Line, decimals int) []Cell {
	const batch, epochs = 512, 14
	app := "seismic/FCN"
	perEpoch := 40512.0 / batch
	var cells []Cell
	put := func(k Key, v float64, decimals int) {
		printed := strconv.FormatFloat(v, 'f', decimals, 64)
		n, err := ParseNumber(printed)
		if err != nil {
			panic(err)
		}
		cells = append(cells, Cell{Key: k, Number: &n})
	}
	a := lines["p2.xlarge"]
	steady := a.Slope / perEpoch
	startup := a.At0 + steady
	anchor := Key{Table: "5.4", Application: app, Batch: batch, Validation: "no", VM: "p2.xlarge"}
	put(Key{Table: "text", Application: app, Column: "train_images"}, 40512, 0)
	put(Key{Table: "5.1", Application: app, Batch: batch, Column: "epochs"}, epochs, 0)
	put(anchor.in("init_s"), startup/2, 6)
	put(anchor.in("first_iteration_s"), startup/2, 6)
	put(anchor.in("estimated_s"), a.At(epochs), 6)
	for _, column := range []string{runtimeColumn, costColumn} {
		for _, e := range []float64{5, 10, 20} {
			best := math.Inf(1)
			value := func(vm string) float64 {
				if column == costColumn {
					return lines[vm].At(e) * testPrices[vm]
				}
				return lines[vm].At(e)
			}
			for vm := range lines {
				best = math.Min(best, value(vm))
			}
			for _, vm := range []string{"p2.xlarge", "p2.8xlarge", "p3.2xlarge", "p3.8xlarge"} {
				put(Key{Table: table, Application: app, Batch: batch, Validation: "no", VM: vm, Column: column, Epochs: e},
					value(vm)/best, decimals)
			}
		}
	}
	return cells
}

func drawLines(t *rapid.T) map[string]training.Line {
	lines := map[string]training.Line{}
	for vm := range testPrices {
		lines[vm] = training.Line{}
	}
	for _, vm := range []string{"p2.xlarge", "p2.8xlarge", "p3.2xlarge", "p3.8xlarge"} {
		lines[vm] = training.Line{At0: rapid.Float64Range(1, 100).Draw(t, vm+" start"),
			Slope: rapid.Float64Range(2, 20).Draw(t, vm+" slope")}
	}
	return lines
}

func relativeRows(cells []Cell) []Row {
	rows := Reproduce(Inputs{Paper: Malta, Cells: cells, Prices: testPrices})
	return slices.DeleteFunc(rows, func(r Row) bool { return r.Table == "5.1" || r.Table == "5.4" })
}

// What was printed from straight lines is given back, every cell within its
// tolerance, whatever the lines.
func TestStraightLinesAreGivenBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := relativeRows(thesis("A.1", drawLines(t), 4))
		if len(rows) != 24 {
			t.Fatalf("%d rows, want 24", len(rows))
		}
		for _, r := range rows {
			if r.OK == nil || !*r.OK {
				t.Fatalf("%s: published %g, ours %s, tolerance %s (%s)", r.Cell, *r.Published, show(r.Ours),
					show(r.Tolerance), r.Note)
			}
		}
	})
}

// Ratios do not change when every VM takes k times as long.
func TestScalingAllTimesLeavesRatios(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := drawLines(t)
		k := rapid.Float64Range(0.5, 10).Draw(t, "k")
		scaled := map[string]training.Line{}
		for vm, l := range lines {
			scaled[vm] = training.Line{At0: k * l.At0, Slope: k * l.Slope}
		}
		one, other := relativeRows(thesis("A.1", lines, 9)), relativeRows(thesis("A.1", scaled, 9))
		for i := range one {
			if math.Abs(*one[i].Ours / *other[i].Ours - 1) > 1e-4 {
				t.Fatalf("%s: %g, scaled by %g %g", one[i].Cell, *one[i].Ours, k, *other[i].Ours)
			}
		}
	})
}

// A wrong number is found: moved by twice its tolerance and more it is not ok,
// and ours, which must not rest on it, stays.
func TestTamperingIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells := thesis("A.1", drawLines(t), 4)
		before := relativeRows(cells)
		i := rapid.IntRange(0, len(before)-1).Draw(t, "cell")
		j := slices.IndexFunc(cells, func(c Cell) bool { return c.Key == before[i].Key })
		wrong := *cells[j].Number
		wrong.Value *= 1 + 2.5**before[i].Tolerance
		cells[j].Number = &wrong
		after := relativeRows(cells)[i]
		if *after.Ours != *before[i].Ours {
			t.Fatalf("%s: ours went from %g to %g with the published value", after.Cell, *before[i].Ours, *after.Ours)
		}
		if *after.OK {
			t.Fatalf("%s: printed as %g instead of %g, and still ok", after.Cell, wrong.Value, *before[i].Published)
		}
	})
}

// Where the anchor's printed start-up contradicts the table, the start-up is
// found from the table itself, and without the cell at hand.
func TestStartupIsSolvedWhereItIsContradicted(t *testing.T) {
	lines := map[string]training.Line{
		"p2.xlarge": {At0: 2, Slope: 12}, "p2.8xlarge": {At0: 40, Slope: 9}, "p3.2xlarge": {At0: 1, Slope: 2.6},
		"p3.8xlarge": {At0: 10, Slope: 2.2},
	}
	cells := thesis("5.7", lines, 4)
	for i, c := range cells {
		switch c.Column {
		case "first_iteration_s":
			cells[i].Number = &Number{14, 0.05} // six times what the lines rest on
		case costColumn:
			cells[i].Table = "5.8"
		}
	}
	for _, r := range relativeRows(cells) {
		if r.OK == nil || !*r.OK || slices.Contains(r.Inputs, r.Key) {
			t.Errorf("%s: published %s, ours %s (%s)", r.Cell, show(r.Published), show(r.Ours), r.Note)
		}
	}
	found := Findings(Inputs{Paper: Malta, Cells: cells, Prices: testPrices})
	if len(found) != 1 || !strings.Contains(found[0], "table 5.4 prints 15.08 s") {
		t.Errorf("findings: %q", found)
	}
}

// A second printing, 1 = 1 and the way back along an identity are ok, and no
// successes of their own.
func TestRepeats(t *testing.T) {
	key := func(table, column string) Key {
		return Key{Table: table, Application: "seismic/FCN", Batch: 512, VM: "p2.xlarge", Column: column}
	}
	put := func(k Key, v float64) Cell { return Cell{Key: k, Number: &Number{Value: v, Half: 0.005}} }
	of := func(table, validation, column string) Key { return key(table, column).of(table, validation) }
	in := Inputs{Paper: Malta, Cells: []Cell{
		put(key("4.2", "time_s"), 100), put(key("4.2", "speedup"), 1), // p2.xlarge's best is 1 by definition
		put(of("5.2", "yes", "init_s"), 10), put(of("5.2", "yes", "first_epoch_s"), 20), put(of("5.2", "yes", "epochs"), 5),
		put(of("5.2", "yes", "average_epoch_s"), 15), put(of("5.2", "yes", "estimated_s"), 90), // and the way back
		put(of("5.3", "no", "init_s"), 7), put(of("5.5", "no", "init_s"), 7),
	}}
	got := map[Key]Repeat{}
	for _, r := range Reproduce(in) {
		if r.OK != nil && *r.OK {
			got[r.Key] = ""
			if r.Repeats != nil {
				got[r.Key] = *r.Repeats
			}
		}
	}
	for k, want := range map[Key]Repeat{
		key("4.2", "speedup"): One, of("5.2", "yes", "epochs"): "", of("5.2", "yes", "average_epoch_s"): Identity,
		of("5.2", "yes", "estimated_s"): Identity, of("5.3", "no", "init_s"): Printing,
	} {
		if repeat, ok := got[k]; !ok || repeat != want {
			t.Errorf("%s: %q, want %q (ok: %v)", k, repeat, want, ok)
		}
	}
}

func TestLostAndMissingNumbersStayUnknown(t *testing.T) {
	cells := thesis("A.1", map[string]training.Line{
		"p2.xlarge": {At0: 2, Slope: 12}, "p2.8xlarge": {At0: 40, Slope: 9}, "p3.2xlarge": {At0: 1, Slope: 2.6},
		"p3.8xlarge": {At0: 10, Slope: 2.2},
	}, 2)
	cells[len(cells)-1].Number = nil
	rows := relativeRows(cells)
	lost := rows[len(rows)-1]
	if lost.Published != nil || lost.OK != nil || lost.Ours == nil || lost.RelativeError != nil ||
		!strings.Contains(lost.Note, "lost") {
		t.Errorf("lost cell: %+v", lost)
	}
	noAnchor := slices.DeleteFunc(slices.Clone(cells), func(c Cell) bool { return c.Column == "estimated_s" })
	for _, r := range relativeRows(noAnchor) {
		if r.Ours != nil || r.OK != nil {
			t.Errorf("%s without an anchor: ours %s", r.Cell, show(r.Ours))
		}
	}
	papers, tables := Summarise(rows)
	want := Count{OK: 23, Separate: 11, NotComputable: 1}
	if got := papers[Malta]; got != want || len(tables) != 1 || tables[0].Count != got {
		t.Errorf("summary %+v, %+v", papers, tables)
	}
}

func TestPropagationIsTheSumOfTheMoves(t *testing.T) {
	a, b := Key{Column: "a"}, Key{Column: "b"}
	s := sheet{a: {3, 0.5}, b: {10, 0.25}}
	got, ok := s.evaluate(func(r *reading) float64 { return 2*r.at(a) - r.at(b) + r.at(a) })
	if !ok || got.value != -1 || math.Abs(got.tolerance-(3*0.5+0.25)) > 1e-12 || !slices.Equal(got.used, []Key{a, b}) {
		t.Errorf("got %+v", got)
	}
	if _, ok := s.evaluate(func(r *reading) float64 { return r.at(Key{Column: "c"}) }); ok {
		t.Error("a cell that is not printed was read")
	}
}

func TestParseNumber(t *testing.T) {
	for in, want := range map[string]Number{"5.24": {5.24, 0.005}, "1.0": {1, 0.05}, "195": {195, 0},
		"0.0009": {0.0009, 0.00005}} {
		got, err := ParseNumber(in)
		if err != nil || got.Value != want.Value || math.Abs(got.Half-want.Half) > 1e-15 {
			t.Errorf("%s: %+v, %v", in, got, err)
		}
	}
	for _, in := range []string{"", ".", "1.", ".5", "-1", "1e3", "NaN", "0x1", "1.2.3", "1 ", strings.Repeat("9", 400)} {
		if _, err := ParseNumber(in); err == nil {
			t.Errorf("%q was read as a number", in)
		}
	}
}

func FuzzParseNumber(f *testing.F) {
	f.Add("15.9")
	f.Add("1e308")
	f.Fuzz(func(t *testing.T, in string) {
		n, err := ParseNumber(in)
		if err == nil && (!(n.Value >= 0) || math.IsInf(n.Value, 0) || n.Half < 0 || n.Half > 0.05) {
			t.Fatalf("%q is %+v", in, n)
		}
	})
}

func TestJudge(t *testing.T) {
	cell := func(vm string, steady, real, price float64) Reconstructed {
		return Reconstructed{Application: "x", Batch: 8, VM: vm, StartupS: 1, SteadyS: steady, PerEpoch: 11, Epochs: 1,
			RealS: real, USDPerHour: price}
	}
	// Predicted 11 and 21 s, really 10 and 28: the fast one is dear.
	m := Judge(Inputs{Reconstructed: []Reconstructed{cell("fast", 1, 10, 3), cell("cheap", 2, 28, 1)}})
	if m.N != 2 || math.Abs(m.MeanAbsoluteError-(0.1+0.25)/2) > 1e-12 || math.Abs(m.P90-(0.1+0.9*0.15)) > 1e-12 {
		t.Errorf("%+v", m)
	}
	if m.Worst.Cell != "x b8 cheap" || m.Worst.Error != -0.25 || m.Fastest.Right != 1 || m.Cheapest.Right != 1 {
		t.Errorf("%+v", m)
	}
	wrong := Judge(Inputs{Reconstructed: []Reconstructed{cell("a", 1, 30, 1), cell("b", 2, 10, 1)}})
	if wrong.Fastest.Right != 0 || !slices.Equal(wrong.Fastest.Wrong, []WrongPick{{"x b8", "a", "b"}}) {
		t.Errorf("%+v", wrong.Fastest)
	}
	if Judge(Inputs{}) != nil {
		t.Error("an error of nothing")
	}
	for _, f := range wrong.FindingOut {
		if f.EverythingUSD != nil || f.Method1Saves != nil {
			t.Errorf("no totals printed, yet %+v", f)
		}
	}
}

func BenchmarkReproduce(b *testing.B) {
	cells := thesis("A.1", map[string]training.Line{
		"p2.xlarge": {At0: 2, Slope: 12}, "p2.8xlarge": {At0: 40, Slope: 9}, "p3.2xlarge": {At0: 1, Slope: 2.6},
		"p3.8xlarge": {At0: 10, Slope: 2.2},
	}, 2)
	for b.Loop() {
		relativeRows(cells)
	}
}

func show(v *float64) string {
	if v == nil {
		return "unknown"
	}
	return fmt.Sprint(*v)
}
