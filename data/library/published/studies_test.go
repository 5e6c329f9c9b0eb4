package published

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
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
		if math.Abs(*r.Published-a.published) > 1e-9 || math.Abs(*r.Ours-a.ours) > a.within || *r.OK != a.ok {
			t.Errorf("%s %s: published %g, ours %g, ok %v; want %g, %g, %v", a.table, a.cell, *r.Published, *r.Ours, *r.OK,
				a.published, a.ours, a.ok)
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
		if r := find(t, rows, "figure 2", cell); r.Ours == nil || math.Abs(*r.Ours-want) > 1e-9 || r.OK != nil ||
			r.Published != nil {
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
		if r := find(t, rows, table, name); r.Ours == nil || math.Abs(*r.Ours-want) > 1e-9 || r.Published != nil ||
			r.OK != nil {
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
		if r := find(t, rows, table, name); r.Ours == nil || math.Abs(*r.Ours-want) > 1e-3*want || r.OK != nil ||
			r.Published == nil || r.RelativeError != nil {
			t.Errorf("%s: %+v, want %g", cell, r, want)
		}
	}
	// By hand: Algorithm 1 adds VMs until both limits hold, which one M60 does, in
	// 16.7 min a K80 × 0.35/0.57 × 0.90/1.14 × 20; 21 of them take a 21st of that
	// for the same money.
	oneM60 := 16.7 / 60 * (0.35 / 0.57) * (0.90 / 1.14) * 20
	for cell, want := range map[string]float64{
		"algorithm_1_time_h": oneM60, "algorithm_1_cost_usd": oneM60 * 1.14, "algorithm_1_top5_percent": 80,
		"exact_time_h": oneM60 / 21, "exact_cost_usd": oneM60 * 1.14,
		"time_saved_over_algorithm_1_percent": 100 * 20 / 21.0, "cost_saved_over_algorithm_1_percent": 0,
	} {
		if r := find(t, rows, "exact frontier", "CaffeNet "+cell); r.Ours == nil ||
			math.Abs(*r.Ours-want) > 1e-9*max(want, 1) || r.Published != nil || r.OK != nil || r.Note == "" {
			t.Errorf("%s: %+v, want %g", cell, r, want)
		}
	}
	// The study's savings are shown beside ours, and not judged: the versions and
	// the VMs are others.
	for cell, published := range map[string]float64{"saved_time_percent": 50, "saved_cost_percent": 55} {
		if r := find(t, rows, "exact frontier", "CaffeNet "+cell); r.Ours == nil || !(*r.Ours > published && *r.Ours < 100) ||
			*r.Published != published || r.OK != nil || len(r.Inputs) == 0 {
			t.Errorf("%s: %+v", cell, r)
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
	if len(found) != 2 || !strings.Contains(found[0], "30.4 min") || !strings.Contains(found[1], "$5.70") {
		t.Errorf("findings %q", found)
	}
}

// The study's sweet spots are those of the same network measured by others; the
// other layers and networks have none printed.
func TestSweetSpotsOfOthers(t *testing.T) {
	in := study(t, reproduce.TARCAR)
	rows := reproduce.Reproduce(in)
	holds(t, rows, []anchor{
		{"sweet spots", "AlexNet/ImageNet conv1 sweet_spot_percent", 30, 35, 1e-9, true},
		{"sweet spots", "AlexNet/ImageNet conv2 sweet_spot_percent", 50, 50, 1e-9, true},
	})
	printed := 0
	for _, c := range in.Curves {
		r := find(t, rows, "sweet spots", c.Network+"/"+c.Dataset+" "+c.Layer+" sweet_spot_percent")
		last := 0
		for last+1 < len(c.Percent) && c.Percent[0]-c.Percent[last+1] <= 1+1e-9 {
			last++
		}
		if want := float64(last) * c.StepPercent; r.Ours == nil || math.Abs(*r.Ours-want) > 1e-9 {
			t.Errorf("%s: %v, want %g", r.Cell, r.Ours, want)
		}
		if r.Published != nil {
			printed++
		} else if r.OK != nil {
			t.Errorf("%s is judged without a printed number", r.Cell)
		}
	}
	if len(in.Curves) != 8+13+53 || printed != 2 {
		t.Errorf("%d curves, %d printed", len(in.Curves), printed)
	}
}

// A curve that would put CaffeNet's sweet spot elsewhere is not ok.
func TestOtherCurvesAreFound(t *testing.T) {
	in := study(t, reproduce.TARCAR)
	conv1 := &in.Curves[slices.IndexFunc(in.Curves, func(c reproduce.Curve) bool {
		return c.Network == "AlexNet" &&
			c.Layer == "conv1"
	})]
	conv1.Percent = slices.Clone(conv1.Percent)
	conv1.Percent[8] = conv1.Percent[0] // at 40 % nothing is lost
	if r := find(t, reproduce.Reproduce(in), "sweet spots", "AlexNet/ImageNet conv1 sweet_spot_percent"); *r.OK ||
		*r.Ours != 40 {
		t.Errorf("%+v", r)
	}
}

// The curves are those of the files that lie beside the project where it is
// developed.
func TestCurvesAgainstTheirSource(t *testing.T) {
	columns := map[string]string{"top-1": "top1", "top-5": "top5"}
	files := map[string]string{
		"AlexNet": "alexnet-imagenet__sensitivity.csv", "VGG-16": "vgg16-cifar__vgg16_cifar_sensitivity_filters.csv",
		"ResNet-50": "resnet50-imagenet__resnet50.imagenet.sensitivity_filter_wise.csv",
	}
	curves := study(t, reproduce.TARCAR).Curves
	for network, file := range files {
		f, err := os.Open(filepath.Join("..", "..", "..", "..", "shared", "data", "pruning", file))
		if os.IsNotExist(err) {
			t.Skipf("the measured curves (%s) are not here; TestSweetSpotsOfOthers holds what follows from them", file)
		}
		if err != nil {
			t.Fatal(err)
		}
		records, err := csv.NewReader(f).ReadAll()
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		next := 1 // the file lists layer after layer, as the curves are
		for _, c := range curves {
			if c.Network != network {
				continue
			}
			column := slices.Index(records[0], columns[c.Metric])
			for i, percent := range c.Percent {
				ratio, _ := strconv.ParseFloat(records[next][1], 64)
				want, _ := strconv.ParseFloat(records[next][column], 64)
				if math.Abs(100*ratio-float64(i)*c.StepPercent) > 1e-9 || math.Abs(percent-want) > 0.0005+1e-9 {
					t.Errorf("%s %s step %d: %g, the source has %g at %g", network, c.Layer, i, percent, want, ratio)
				}
				next++
			}
		}
		if next != len(records) {
			t.Errorf("%s: %d of %d rows are carried over", file, next-1, len(records)-1)
		}
	}
}

func TestReadKnowsItsPapers(t *testing.T) {
	if _, err := Read("spock"); err == nil || !strings.Contains(err.Error(), "spock") {
		t.Errorf("got %v", err)
	}
	head := strings.Join(studyColumns, ",") + "\n"
	if _, err := readCells(strings.NewReader(head + "2,x,,256,vm,time_h,1.0,-1,s\n")); err == nil ||
		!strings.Contains(err.Error(), "column rounding") {
		t.Errorf("a negative rounding: %v", err)
	}
	cells, err := readCells(strings.NewReader(head + "2,x,pruned,256,vm,time_min,19,0.5,s\n"))
	if err != nil || len(cells) != 1 || cells[0].Variant != "pruned" ||
		*cells[0].Number != (reproduce.Number{Value: 19, Half: 0.5}) {
		t.Errorf("%+v, %v", cells, err)
	}
	curves := strings.Join(curveColumns, ",") + "\n"
	good := "n,d,l,filters,top-1,5,90 89 88,s\n"
	for in, words := range map[string]string{
		"n,d,l,filters,top-1,5,90,s\n": "column percent", "n,d,l,filters,top-1,60,90 80 70,s\n": "column percent",
		"n,d,l,filters,top-1,0,90 80,s\n": "column percent",
		"n,d,l,filters,top-1,x,90 80,s\n": "column step_percent", "n,d,l,filters,top-1,5,90 NaN,s\n": "column percent",
		"n,d,,filters,top-1,5,90 80,s\n": "column layer",
		good + good:                      "repeats",
	} {
		if _, err := readCurves(strings.NewReader(curves + in)); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%q: %v", in, err)
		}
	}
	if got, err := readCurves(strings.NewReader(curves + good)); err != nil || len(got) != 1 || len(got[0].Percent) != 3 {
		t.Errorf("%+v, %v", got, err)
	}
	slips := strings.Join(slipColumns, ",") + "\n"
	if _, err := readSlips(strings.NewReader(slips + "spock,5.7,,,,,,,,,because\n")); err == nil ||
		!strings.Contains(err.Error(), "column paper") {
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
