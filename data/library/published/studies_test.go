package published

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"sweetspot/engine/reproduce"
)

// anchor is a number that a study's text prints, typed here once more, and
// what ours must be.
type anchor struct {
	table, cell     string
	published, ours float64
	within          float64
	ok              bool
}

func holds(t *testing.T, rows []reproduce.Row, anchors []anchor) {
	t.Helper()
	for _, a := range anchors {
		r := find(t, rows, a.table, a.cell)
		if r.Ours == nil || r.OK == nil || r.Published == nil {
			t.Errorf("%s %s is not judged: %s", a.table, a.cell, r.Note)
			continue
		}
		if *r.Published != a.published || math.Abs(*r.Ours-a.ours) > a.within || *r.OK != a.ok {
			t.Errorf("%s %s: published %g, ours %g, ok %v; want %g, %g, %v", a.table, a.cell, *r.Published, *r.Ours, *r.OK, a.published, a.ours, a.ok)
		}
		if inside := math.Abs(*r.RelativeError) <= *r.Tolerance*(1+1e-9); inside != *r.OK {
			t.Errorf("%s %s: error %g, tolerance %g, ok %v", a.table, a.cell, *r.RelativeError, *r.Tolerance, *r.OK)
		}
	}
}

// Table 2 and the text of the 2019 study; costs and speed-ups by hand.
func TestCostBenefitOfP2AndP3(t *testing.T) {
	const app = "CIFAR-10/ResNet-50"
	rows := reproduce.Reproduce(study(t, reproduce.Malta2019))
	holds(t, rows, []anchor{
		{"2", app + " b64 p2.xlarge cost_usd", 1.20, 1.33 * 0.9, 1e-9, true},
		{"2", app + " b64 p3.2xlarge cost_usd", 1.51, 0.49 * 3.06, 1e-9, true},
		{"2", app + " b128 p3.2xlarge cost_usd", 1.02, 1.0098, 1e-9, true},
		{"2", app + " b512 p3.2xlarge cost_usd", 0.85, 0.8568, 1e-9, true},
		{"2", app + " b64 p3.2xlarge speedup", 2.70, 2.7143, 1e-4, true},
		{"2", app + " b256 p3.2xlarge speedup", 3.68, 3.6563, 1e-4, true},
		{"2", app + " b128 p2.xlarge time_h", 1.17, 1.1667, 1e-4, true},
		{"2", app + " b128 p3.2xlarge time_h", 0.33, 0.3333, 1e-4, true},
		{"2", app + " b256 p2.xlarge time_h", 1.17, 4213.0 / 3600, 1e-9, true}, // the thesis has the same runs
		{"2", app + " b512 p2.xlarge time_h", 1.00, 3602.0 / 3600, 1e-9, true},
		{"2", app + " b256 p2.xlarge iterations", 17000, 17000, 0, true},
		{"text", app + " p3.2xlarge price_ratio", 3, 3.4, 1e-9, true},
		{"text", app + " p3.2xlarge fastest_percent", 100, 100, 1e-9, true},
		{"text", app + " p3.2xlarge cheapest_percent", 75, 75, 1e-9, true},
		{"text", app + " p3.2xlarge fastest_batch_size", 512, 512, 0, true},
		{"text", app + " p2.xlarge slowest_batch_size", 64, 64, 0, true},
		{"text", app + " least_accurate_batch_size", 512, 512, 0, true},
	})
	// Figure 2 is drawn: ours stand alone. At batch 64 p3.2xlarge costs 25 % more.
	for cell, want := range map[string]float64{
		app + " b64 p3.2xlarge relative_cost": 0.49 * 3.06 / (1.33 * 0.9),
		app + " b64 p2.xlarge relative_time":  1.33 / 0.49,
		app + " b512 p2.xlarge relative_cost": 0.9 / (0.28 * 3.06),
	} {
		if r := find(t, rows, "figure 2", cell); r.Ours == nil || math.Abs(*r.Ours-want) > 1e-9 || r.OK != nil || r.Published != nil {
			t.Errorf("%s: %+v, want %g", cell, r, want)
		}
	}
}

// What the text of the TAR/CAR study says, and what equations 1 to 4 give.
func TestCostAndAccuracyOfCaffeNet(t *testing.T) {
	in := study(t, reproduce.TARCAR)
	rows := reproduce.Reproduce(in)
	const on = " p2.xlarge "
	holds(t, rows, []anchor{
		{"3", "p2.16xlarge usd_per_hour", 14.4, 14.4, 1e-9, true},
		{"3", "p2.16xlarge gpu_mem_gb", 19, 192, 0, false},
		{"figures 6 and 8", "CaffeNet conv2-90" + on + "time_min", 14, 19 * 0.75, 1e-9, true},
		{"figures 6 and 8", "CaffeNet conv1-2" + on + "time_min", 13, 16.7 * 0.8, 1e-9, true},
		{"figures 6 and 8", "CaffeNet conv2-50" + on + "saved_fraction", 0.125, 2.3 / 19, 1e-9, true},
		{"figures 6 and 8", "CaffeNet all-conv" + on + "top5_lost_points", 18, 18, 1e-9, true},
		{"abstract", "CaffeNet conv1-2" + on + "saved_fraction", 0.5, 6.0 / 19, 1e-9, false},
		{"abstract", "CaffeNet conv1-2" + on + "cost_saved_fraction", 0.5, 6.0 / 19, 1e-9, false},
		{"section 4.3.2", "CaffeNet conv1" + on + "sweet_spot_percent", 30, 30, 1e-9, true},
		{"section 4.3.2", "CaffeNet conv2" + on + "sweet_spot_percent", 50, 50, 1e-9, true},
		{"figure 7", "GoogLeNet conv2-3x3" + on + "saved_fraction", 0.3, 4.0 / 13, 1e-9, true},
		{"figure 12", "CaffeNet conv1-2 at 20 % p2.16xlarge car_relative_to_smallest", 1, 1, 1e-9, true},
		{"figure 12", "CaffeNet conv1-2 at 20 % g3.8xlarge car_relative_to_smallest", 1, 1, 1e-9, true},
		{"figure 9", "CaffeNet p2 feasible_configurations", 7654, 60 * 511, 0, false},
	})
	// TAR = t/a and CAR = c/a by hand: 19 min at 80 % are 1425 s, $0.285 at 80 % is $0.356.
	for cell, want := range map[string]float64{
		"figure 11: CaffeNet unpruned" + on + "tar_s":     1140 / 0.8,
		"figure 11: CaffeNet conv1-2" + on + "tar_s":      780 / 0.7,
		"section 3.5: CaffeNet unpruned" + on + "car_usd": 0.9 * 19 / 60 / 0.8,
		"section 3.5: CaffeNet all-conv" + on + "car_usd": 0.9 * 11 / 60 / 0.62,
		"section 3.5: CaffeNet conv2-90" + on + "tar_s":   840 / 0.25,
	} {
		table, name, _ := strings.Cut(cell, ": ")
		if r := find(t, rows, table, name); r.Ours == nil || math.Abs(*r.Ours-want) > 1e-9 || r.Published != nil || r.OK != nil {
			t.Errorf("%s: %+v, want %g", cell, r, want)
		}
	}
	// What rests on a part of the inputs is shown and not judged.
	for cell, want := range map[string]float64{
		"figure 9: CaffeNet p2 top5_frontier_configurations":           3,
		"figure 9: CaffeNet p2 top5_frontier_highest_percent":          80,
		"figure 9: CaffeNet p2 saved_at_highest_accuracy_percent":      100 * 2.3 / 19,
		"figure 10: CaffeNet p2 frontier_dearest_usd":                  0.9 * 16.7 / 60 * 20,
		"figure 10: CaffeNet p2 versions_shared_with_figure_9_percent": 100,
	} {
		table, name, _ := strings.Cut(cell, ": ")
		if r := find(t, rows, table, name); r.Ours == nil || math.Abs(*r.Ours-want) > 1e-3*want || r.OK != nil || r.Published == nil || r.RelativeError != nil {
			t.Errorf("%s: %+v, want %g", cell, r, want)
		}
	}
	for _, c := range []struct{ table, cell, note string }{
		{"section 3.5", "CaffeNet conv1-90" + on + "tar_s", "accuracy 0"},
		{"figure 12", "CaffeNet conv1-2 at 20 % g3.4xlarge car_usd", "2.06 K80"},
		{"figure 9", "CaffeNet p2 top1_frontier_lowest_percent", "top-1"},
	} {
		if r := find(t, rows, c.table, c.cell); r.Ours != nil || r.OK != nil || !strings.Contains(r.Note, c.note) {
			t.Errorf("%s %s: %+v", c.table, c.cell, r)
		}
	}
	found := reproduce.Findings(in)
	if len(found) != 4 || !strings.Contains(found[0], "30.4 min") || !strings.Contains(found[1], "$5.70") ||
		!strings.Contains(found[2], "57 % of the cost") || !strings.Contains(found[3], "1 × g3.4xlarge with conv2-50: 2.70 h") {
		t.Errorf("findings %q", found)
	}
}

func TestReadKnowsItsPapers(t *testing.T) {
	if _, err := Read("paragon"); err == nil || !strings.Contains(err.Error(), "paragon") {
		t.Errorf("got %v", err)
	}
	head := strings.Join(studyColumns, ",") + "\n"
	if _, err := ReadCells(strings.NewReader(head + "2,x,,256,vm,time_h,1.0,-1,s\n")); err == nil || !strings.Contains(err.Error(), "column rounding") {
		t.Errorf("a negative rounding: %v", err)
	}
	cells, err := ReadCells(strings.NewReader(head + "2,x,pruned,256,vm,time_min,19,0.5,s\n"))
	if err != nil || len(cells) != 1 || cells[0].Variant != "pruned" || *cells[0].Number != (reproduce.Number{Value: 19, Half: 0.5}) {
		t.Errorf("%+v, %v", cells, err)
	}
	slips := strings.Join(slipColumns, ",") + "\n"
	if _, err := ReadSlips(strings.NewReader(slips + "paragon,5.7,,,,,,,,,because\n")); err == nil || !strings.Contains(err.Error(), "column paper") {
		t.Errorf("a slip of an unknown paper: %v", err)
	}
}

// typed2019 holds table 2 of the 2019 study against its typed-out totals,
// whose times are in seconds.
func typed2019(t *testing.T) {
	value := map[reproduce.Key]float64{}
	for _, c := range study(t, reproduce.Malta2019).Cells {
		if c.Number != nil {
			value[c.Key] = c.Number.Value
		}
	}
	rows := 0
	for _, row := range typed(t, "malta_totals.csv") {
		if row["source"] != "Malta-2019 table 2" {
			continue
		}
		rows++
		batch, _ := strconv.Atoi(row["batch_size"])
		k := reproduce.Key{Table: "2", Application: row["application"], Batch: batch, VM: row["instance_type"]}
		want := map[string]float64{}
		for column, name := range map[string]string{
			"time_h": "mean_total_s", "cost_usd": "cost_usd_printed", "speedup": "speedup",
			"accuracy_percent": "accuracy_percent", "iterations": "iterations_to_stabilise",
		} {
			want[column], _ = strconv.ParseFloat(row[name], 64)
		}
		want["time_h"] /= 3600
		for column, v := range want {
			k.Column = column
			once := column == "accuracy_percent" || column == "iterations"
			if k.VM == "p2.xlarge" && column == "speedup" || k.VM != "p2.xlarge" && once {
				continue // printed once for both VMs
			}
			if math.Abs(value[k]-v) > 1e-9 {
				t.Errorf("%s: %g, the typed table has %g", k, value[k], v)
			}
		}
	}
	if rows != 8 {
		t.Errorf("%d typed rows of the 2019 study", rows)
	}
}
