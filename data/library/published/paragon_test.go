package published

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"sweetspot/data/library"
	"sweetspot/engine/reproduce"
)

// madeUpLoads are the loads of Paragon, simulated once for all tests.
var madeUpLoads = sync.OnceValues(func() (*reproduce.Traffic, error) {
	in, err := Read(reproduce.Paragon)
	return reproduce.NewTraffic(in.Cells), err
})

func paragon(t *testing.T) reproduce.Inputs {
	t.Helper()
	in, err := Read(reproduce.Paragon)
	if err != nil {
		t.Fatal(err)
	}
	if in.Traffic, err = madeUpLoads(); err != nil || in.Traffic == nil {
		t.Fatalf("no loads: %v", err)
	}
	if in.Own, err = library.Load(); err != nil {
		t.Fatal(err)
	}
	return in
}

const loads = ", synthetic loads"

// allLoads are in the order of their rows; ratios are their peaks to medians.
var (
	allLoads = []string{"steady", "diurnal 20%", "wiki-like", "diurnal 60%", "diurnal 80%", "flash-crowd",
		"crowd-sample", "bursty"}
	waves  = allLoads[:5]
	ratios = map[string]float64{"steady": 1, "diurnal 20%": 1.2, "wiki-like": 1.4, "diurnal 60%": 1.6,
		"diurnal 80%": 1.8, "flash-crowd": 4, "crowd-sample": 3.75, "bursty": 3}
)

// Figure 4: 20 to 30 % too many VMs, but for exascale where the load rises
// faster than VMs start, and in an hour that is half a crowd.
func TestParagonOverProvisioning(t *testing.T) {
	rows := reproduce.Reproduce(paragon(t))
	anchors := []anchor{
		{"figure 4" + loads, "flash-crowd util-aware over_provisioned_percent", 25, 23.1, 0.5, true},
		{"figure 4" + loads, "crowd-sample util-aware over_provisioned_percent", 25, 19.5, 0.4, false},
		{"figure 4" + loads, "bursty util-aware over_provisioned_percent", 25, 19.8, 1, true},
		{"figure 4" + loads, "flash-crowd exascale over_provisioned_percent", 25, 24.6, 0.5, true},
		{"figure 4" + loads, "crowd-sample exascale over_provisioned_percent", 25, 32.4, 0.5, false},
		{"figure 4" + loads, "bursty exascale over_provisioned_percent", 25, 50.2, 2, false},
	}
	for _, wave := range waves {
		anchors = append(anchors, anchor{"figure 4" + loads, wave + " util-aware over_provisioned_percent", 25, 24.8, 0.3,
			true}, anchor{"figure 4" + loads, wave + " exascale over_provisioned_percent", 25, 20.4, 0.1, true})
	}
	holds(t, rows, anchors)
	for _, load := range allLoads {
		r := find(t, rows, "figure 4"+loads, load+" exascale over_provisioned_percent")
		_, words, ok := strings.Cut(r.Note, "peak to median ")
		if ratio, err := strconv.ParseFloat(words, 64); !ok || err != nil || math.Abs(ratio-ratios[load]) > 0.02 ||
			!strings.Contains(r.Note, "seeds 1 to 5") {
			t.Errorf("%s does not state its load: %s", load, r.Note)
		}
		if !*r.OK && !strings.Contains(r.Note, "faster than VMs start") {
			t.Errorf("%s does not say why: %s", load, r.Note)
		}
	}
}

// Figures 5 and 8 by load: what each says, and where it does not hold.
func TestParagonSchemes(t *testing.T) {
	rows := reproduce.Reproduce(paragon(t))
	for _, load := range allLoads {
		for _, c := range []struct {
			table, cell string
			least, most float64
			ok          bool
		}{
			{"figure 5", "util-aware cuts_violations_percent", 19, 100, true},
			{"figure 5", "exascale cuts_violations_percent", 30, 100, true},
			{"figure 5", "mixed cuts as many violations as exascale", -0.2, 70, true},
			{"figure 5", "mixed is cheaper than util-aware and exascale", 4, 18, true},
			{"figure 8", "mixed cost_over_reactive", 2, 14, load != "bursty"},
			{"figure 8", "mixed cuts_violations_percent", 99, 100, false},
			{"figure 8", "paragon saves_over_mixed_percent", 2, 11, load == "bursty"},
			{"figure 8", "paragon cuts as many violations as mixed", -2, 0.5, true},
		} {
			r := find(t, rows, c.table+loads, load+" "+c.cell)
			if r.Ours == nil || *r.Ours < c.least || *r.Ours > c.most || r.OK == nil || *r.OK != c.ok {
				t.Errorf("%s %s: %+v", c.table, r.Cell, r)
			}
		}
	}
	holds(t, rows, []anchor{
		{"figure 8" + loads, "bursty paragon saves_over_mixed_percent", 10, 10.3, 0.5, true},
		{"figure 8" + loads, "wiki-like mixed cuts_violations_percent", 60, 100, 0.1, false},
		{"section 1", "paragon saves_percent", 20, 20, 1e-9, true},
	})
	for cell, why := range map[string]string{
		"bursty mixed cost_over_reactive":               "functions carry them whole",
		"bursty mixed cuts_violations_percent":          "in points of all queries 24.",
		"wiki-like paragon saves_over_mixed_percent":    "more cannot be saved",
		"flash-crowd paragon saves_over_mixed_percent":  "a backlog that it orders VMs for",
		"crowd-sample paragon saves_over_mixed_percent": "a backlog that it orders VMs for",
	} {
		if r := find(t, rows, "figure 8"+loads, cell); !strings.Contains(r.Note, why) {
			t.Errorf("%s lacks %q: %s", cell, why, r.Note)
		}
	}
}

// Observation 4: mixing pays above a peak to median of about 1.5, with
// exceptions, each of which says why.
func TestParagonMixingPays(t *testing.T) {
	rows := reproduce.Reproduce(paragon(t))
	for cell, except := range map[string]map[string]string{
		" cheapest of four schemes uses functions": {"wiki-like": "begin here already",
			"flash-crowd": "short against the trace"},
		" cheapest of five schemes uses functions": {"diurnal 60%": "strict queries the VMs first",
			"diurnal 80%": "strict queries the VMs first", "flash-crowd": "short against the trace"},
	} {
		for _, load := range allLoads {
			r := find(t, rows, "section 2.4"+loads, load+cell)
			why, off := except[load]
			if r.OK == nil || *r.OK == off || !strings.Contains(r.Note, why) ||
				(*r.Ours > 0.5) != ((ratios[load] > 1.5) != off) {
				t.Errorf("%s: %+v", r.Cell, r)
			}
		}
	}
	for cell, ok := range map[string]bool{"waves of growing swing": true, "all loads": false} {
		for _, what := range []string{"", " per dollar"} {
			r := find(t, rows, "section 2.4"+loads, "functions spare more violations"+what+" as peak to median grows, "+cell)
			if r.OK == nil || *r.OK != ok {
				t.Errorf("%+v", r)
			}
		}
	}
	price := math.Inf(1)
	for _, wave := range waves {
		r := find(t, rows, "section 2.4"+loads, wave+" usd_per_million_violations_spared")
		if r.OK != nil || *r.Ours >= price {
			t.Errorf("%s: $%g, before $%g", wave, *r.Ours, price)
		}
		price = *r.Ours
	}
}

// Observations 1, 2 and 5.
func TestParagonChoices(t *testing.T) {
	rows := reproduce.Reproduce(paragon(t))
	for _, rate := range []string{"10", "50", "100", "200"} {
		for _, cell := range []string{" queries/s functions_over_vms", " queries/s vms_usd simulated",
			" queries/s functions_usd simulated"} {
			if r := find(t, rows, "figure 3, assumed times", rate+cell); r.OK == nil || !*r.OK || *r.Ours <= 0 {
				t.Errorf("%+v", r)
			}
		}
		perSecond, _ := strconv.ParseFloat(rate, 64)
		if r := find(t, rows, "figure 3, assumed times", rate+
			" queries/s vms_usd simulated"); math.Abs(*r.Ours-0.01*perSecond) > 1e-9 {
			t.Errorf("%s queries/s on VMs of 10 for $0.10 an hour: $%g", rate, *r.Ours)
		}
	}
	for cell, gb := range map[string]float64{"squeezenet": 0.5, "a medium model": 1.375, "a large model": 2.375} {
		if r := find(t, rows, "figure 7, assumed times", cell+" cheapest_within_limit_gb"); r.OK == nil || !*r.OK ||
			*r.Ours != gb {
			t.Errorf("%+v", r)
		}
	}
	for _, pool := range []string{"pre-trained", "fashion-cnn"} {
		const table = "section 4, other models"
		if r := find(t, rows, table, pool+" paragon saves_over_naive_percent"); *r.Published != 20 || r.OK != nil ||
			*r.Ours < 20 || *r.Ours > 50 {
			t.Errorf("%+v", r)
		}
		if r := find(t, rows, table, pool+" choosing the model saves"); r.OK == nil || !*r.OK {
			t.Errorf("%+v", r)
		}
	}
}

func TestParagonFindings(t *testing.T) {
	found := reproduce.Findings(paragon(t))
	for i, want := range [][]string{
		{"seeds 1 to 5", "wiki-like (1,500 queries/s ±40 %", "Berkeley", "start in 200 s", "$1.66667e-05 per GB-second",
			"others within 300 s"},
		{"longer than a start-up", "21.10 % at 10 s", "0.07 % at 300 s", "VMs start in 200 s"},
		{"26 % with VMs that start in 60 s", "71 % with VMs that start in 300 s"},
		{"up to 60 %", "cold starts of 10 s", "bursty 24."},
		{"Wiki", "3.2 times", "wiki-like +2.1 %"},
		{"bursty 10.3 of 24.2 %", "flash-crowd 2.3 of 9.8 %"},
		{"4.7 % in 6 h", "16.9 % in 1 h"},
		{"up to 20 %", "10 % over mixed"},
		{"from 0.5, 1.5, 2 GB on"},
	} {
		for _, words := range want {
			if i >= len(found) || !strings.Contains(found[i], words) {
				t.Errorf("finding %d lacks %q: %q", i+1, words, found[min(i, len(found)-1)])
			}
		}
	}
	if len(found) != 9 {
		t.Errorf("%d findings: %q", len(found), found)
	}
}

// A wrong printed number is found on every load that agrees with the right one.
func TestParagonTamperingIsFound(t *testing.T) {
	in := paragon(t)
	tried := 0
	for i, r := range reproduce.Reproduce(in) {
		if r.Published == nil || r.OK == nil || !*r.OK {
			continue
		}
		tried++
		j := slices.IndexFunc(in.Cells, func(c reproduce.Cell) bool { return c.Key == r.Key })
		tampered := in
		tampered.Cells = slices.Clone(in.Cells)
		n := *in.Cells[j].Number
		n.Value += 1 + 2.5**r.Tolerance*n.Value
		tampered.Cells[j].Number = &n
		if after := reproduce.Reproduce(tampered)[i]; *after.OK || *after.Ours != *r.Ours {
			t.Errorf("%s %s printed as %g: %+v", r.Table, r.Cell, n.Value, after)
		}
	}
	if tried < 10 {
		t.Errorf("only %d numbers tried", tried)
	}
}

// The pool of models has both numbers of each, in their units.
func TestParagonCells(t *testing.T) {
	models := map[string]int{}
	for _, c := range paragon(t).Cells {
		if c.Table != "models" {
			continue
		}
		models[c.Application]++
		if v := c.Number.Value; c.Column == "top1_percent" && !(v > 50 && v < 90) || c.Column == "cpu_ms" &&
			!(v > 10 && v < 500) {
			t.Errorf("%s: %g", c.Key, v)
		}
	}
	for name, n := range models {
		if n != 2 {
			t.Errorf("%s has %d numbers", name, n)
		}
	}
	if len(models) != 14 {
		t.Errorf("%d models", len(models))
	}
}
