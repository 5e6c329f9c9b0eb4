package published

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"testing"

	"sweetspot/data/catalog"
	"sweetspot/data/library"
	"sweetspot/engine/profile"
	"sweetspot/engine/reproduce"
)

// madeUp are the jobs of ApproxDNN, made up once for all tests.
var madeUp = sync.OnceValues(func() (*reproduce.Workload, error) {
	in, err := Read(reproduce.ApproxDNN)
	if err != nil {
		return nil, err
	}
	mix, err := library.StudyMix()
	return reproduce.NewWorkload(in.Cells, mix), err
})

var (
	int8Rows = []string{"int8", "int8 -10%", "int8 -20%", "int8 -30%", "int8 -40%"}
	policies = []string{"approxdnn", "acceptance-centric", "penalty-centric"}
)

// What the study's users and ours come to, each drawn once, from jobs that are
// made up.
func TestApproxDNNFromSyntheticJobs(t *testing.T) {
	rows := reproduce.Reproduce(study(t, reproduce.ApproxDNN))
	const jobs = ", synthetic jobs"
	holds(t, rows, []anchor{
		{"III" + jobs, "int8 approxdnn total_cost_share", 0.817, 0.815, 0.01, true},
		{"III" + jobs, "int8 acceptance-centric total_cost_share", 181265 / (158481 / 0.817), 0.933, 0.01, true},
		{"III" + jobs, "int8 penalty-centric total_cost_share", 180666 / (158481 / 0.817), 0.933, 0.01, true},
		{"section IV-B" + jobs, "approxdnn saves_over_on-demand_percent", 18.3, 18.3, 1.5, true},
		{"section IV-B" + jobs, "approxdnn saves_over_acceptance-centric_percent", 12.5, 12.5, 1.5, true},
		{"section IV-B" + jobs, "approxdnn saves_over_penalty-centric_percent", 12.2, 12.2, 1.5, true},
		{"section IV-B" + jobs, "on-demand accuracy_percent", 90.12, 90.12, 0.02, true},
		{"section IV-B" + jobs, "approxdnn accuracy_percent", 89.99, 89.99, 0.02, true},
		{"section IV-B" + jobs, "acceptance-centric accuracy_percent", 89.88, 89.88, 0.02, true},
		{"section IV-B" + jobs, "penalty-centric accuracy_percent", 90.10, 90.10, 0.02, true},
		{"figure 8" + jobs, "Inception-V1 jobs", 1513, 1513, 90, true},
		{"figure 8" + jobs, "Inception-V1 acceptance-centric accepted_jobs", 1371, 1371, 90, true},
	})
	missed := 0
	for _, row := range int8Rows {
		for _, p := range policies {
			if r := find(t, rows, "III"+jobs, row+" "+p+" s"); !(math.Abs(*r.RelativeError) < 0.01) {
				t.Errorf("%s: %g, published %g", r.Cell, *r.Ours, *r.Published)
			}
			parts := 0.0
			for _, column := range []string{"ri_cost_share", "on_demand_cost_share", "penalty_cost_share"} {
				parts += *find(t, rows, "III"+jobs, row+" "+p+" "+column).Ours
			}
			if total := find(t, rows, "III"+jobs, row+" "+p+" total_cost_share"); math.Abs(parts-*total.Ours) > 1e-9 {
				t.Errorf("%s: %g, its parts make %g", total.Cell, *total.Ours, parts)
			}
		}
	}
	judged := 0
	for _, r := range rows {
		if strings.HasSuffix(r.Table, jobs) && r.OK != nil {
			judged++
			if !*r.OK {
				missed++
			}
		}
	}
	if judged != 15*7+7+4 || missed > judged/10 {
		t.Errorf("%d of %d are off, of draws it is one in ten", missed, judged)
	}
}

// What printed cells give without any jobs, by hand.
func TestApproxDNNFromItself(t *testing.T) {
	rows := reproduce.Reproduce(study(t, reproduce.ApproxDNN))
	const allOnDemand = 158481 / (1 - 0.183) // dollars
	holds(t, rows, []anchor{
		{"III", "int8 approxdnn s", 1.434, 2.581 * 5 / 9, 1e-9, true},
		{"III", "int8 penalty-centric s", 0.287, 0.2868, 1e-9, true},
		{"III", "int8 -10% approxdnn s", 1.649, (3.868/0.9 - 1) / 2, 1e-9, true},
		{"III", "int8 -20% approxdnn s", 1.918, (3.868/0.8 - 1) / 2, 1e-9, true},
		{"III", "int8 -30% penalty-centric s", 0.453, (3.87/0.7 - 1) / 10, 1e-9, true},
		{"III", "int8 -40% acceptance-centric s", 4.902, 4.90167, 1e-5, true},
		{"III", "int8 approxdnn usage_cost_usd", 122833, 25134 + 97699, 1e-9, true},
		{"III", "int8 -40% penalty-centric total_cost_usd", 179997, 178426 + 1570, 1e-9, true},
		{"III", "int8 acceptance-centric accuracy_loss_percent", 0.266, 100 * (1 - 89.88/90.12), 1e-9, true},
		{"III, same s_max", "int8 approxdnn total_cost_share", 0.817, 0.8146, 1e-4, true},
		{"III, same s_max", "int8 acceptance-centric total_cost_share", 181265 / allOnDemand, 0.9333, 1e-4, true},
		{"III, same s_max", "int8 penalty-centric total_cost_share", 180666 / allOnDemand, 0.9333, 1e-4, true},
		{"III, same s_max", "int8 -40% approxdnn total_cost_share", 153454 / allOnDemand, 0.7888, 1e-4, true},
		{"section IV-B", "approxdnn saves_over_on-demand_percent", 18.3, 18.537, 1e-3, true},
		{"section IV-B", "approxdnn saves_over_acceptance-centric_percent", 12.5, 12.569, 1e-3, false},
		{"section IV-B", "approxdnn saves_over_penalty-centric_percent", 12.2, 12.280, 1e-3, false},
		{"section IV-B", "penalty-centric accuracy_percent", 90.10, 90.12 * 0.99972, 1e-9, true},
		{"section II-A", "ResNet-V2-152 accuracy_loss_percent", 0.6, 0.5451, 1e-4, true},
		{"abstract", "approxdnn accuracy_loss_percent", 0.14, 0.14425, 1e-5, true},
		{"figure 7", "acceptance-centric s", 2.33, 1.294 * 1.8, 1e-9, true},
		{"figure 7", "penalty-centric s", 0.285, 0.2588, 1e-9, false},
		{"figure 8", "Inception-V1 approxdnn accepted_jobs", 758, 756.5, 1e-9, true},
		{"figure 8", "Inception-V1 acceptance-centric accepted_jobs", 1371, 1361.7, 1e-9, true},
		{"figure 8", "Inception-V1 penalty-centric accepted_jobs", 140, 151.3, 1e-9, true},
	})
	// Nine in ten of 1,513 users: half of them within 1.645 · √(1513/4) = 32.
	if r := find(t, rows, "figure 8",
		"Inception-V1 approxdnn accepted_jobs"); math.Abs(*r.Tolerance*758-1.645*math.Sqrt(1513)/2) > 0.01 {
		t.Errorf("tolerance %g", *r.Tolerance*758)
	}
}

// Figures 10 to 12 over the on-demand price, and what the text says of them.
func TestApproxDNNOverThePrice(t *testing.T) {
	in := study(t, reproduce.ApproxDNN)
	rows := reproduce.Reproduce(in)
	at := func(figure, cell string) float64 {
		r := find(t, rows, figure+", synthetic jobs", cell)
		if r.Published != nil || r.OK != nil {
			t.Errorf("%s has no printed number: %+v", cell, r)
		}
		return *r.Ours
	}
	for usd := 1.06; usd < 5.5; usd++ {
		for _, p := range policies {
			cell := fmt.Sprintf("$%.2f/h %s ", usd, p)
			usage, penalty := at("figure 10", cell+"usage_cost"), at("figure 10", cell+"penalty_cost")
			if total := at("figure 10", cell+"total_cost"); math.Abs(total-usage-penalty) > 1e-9 {
				t.Errorf("%s: %g, %g and %g", cell, usage, penalty, total)
			}
			if at("figure 11", cell+"s") <= 0 || at("figure 12", cell+"accuracy_loss_percent") <= 0 {
				t.Errorf("%s offers and loses nothing", cell)
			}
		}
	}
	// At the study's price figures 10 to 12 are table III.
	for _, pair := range [][3]string{
		{"figure 10", "total_cost", "total_cost_share"}, {"figure 10", "penalty_cost", "penalty_cost_share"},
		{"figure 11", "s", "s"}, {"figure 12", "accuracy_loss_percent", "accuracy_loss_percent"},
	} {
		if a, b := at(pair[0], "$3.06/h approxdnn "+pair[1]), *find(t, rows, "III, synthetic jobs", "int8 approxdnn "+
			pair[2]).Ours; math.Abs(a-b) > 1e-9 {
			t.Errorf("%s: %g at $3.06, table III has %g", pair[1], a, b)
		}
	}
	for _, r := range rows {
		if r.Table != "figures 10 to 12" {
			continue
		}
		// Of all that the text says of the figures, only this contradicts its equations.
		if want := !strings.Contains(r.Cell, "portions"); r.OK == nil || *r.OK != want || r.Ours == nil {
			t.Errorf("%s: %+v", r.Cell, r)
		}
	}
}

func TestApproxDNNFindings(t *testing.T) {
	found := reproduce.Findings(study(t, reproduce.ApproxDNN))
	for i, want := range [][]string{
		{"are synthetic", "seeds 1 to ", "50,000 jobs", "20 reserved VMs", "the first 18,187", "0.90 for Inception-V1",
			"0.75 for ResNet-V2-152", "only that of ResNet-V2-152 is printed"},
		{"room", "18,187", "%"},
		{"portions", "at $1.06/h", "at $5.06/h"},
		{"1.294 and 1.434", "2.588", "2.868"},
		{"0.266 % or 0.24 points"},
		{"$97,699 of approxdnn in 3 rows", "$173,888 of penalty-centric in 2 rows"},
		{"$175,641, $173,957"},
	} {
		for _, words := range want {
			if i >= len(found) || !strings.Contains(found[i], words) {
				t.Errorf("finding %d lacks %q: %q", i+1, words, found[min(i, len(found)-1)])
			}
		}
	}
	if len(found) != 7 {
		t.Errorf("%d findings: %q", len(found), found)
	}
}

// Every number of table III is that of the typed-out table, the mix has table
// II's accuracies, and the catalog the study's prices.
func TestApproxDNNCells(t *testing.T) {
	in := study(t, reproduce.ApproxDNN)
	value := map[reproduce.Key]float64{}
	for _, c := range in.Cells {
		value[c.Key] = c.Number.Value
	}
	mix, err := library.StudyMix()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range mix {
		for column, accuracy := range map[string]float64{"full_percent": k.Accuracy, "int8_percent": k.ReducedAccuracy} {
			if printed := value[reproduce.Key{Table: "II", Application: k.Model,
				Column: column}]; math.Abs(printed-100*accuracy) > 1e-9 {
				t.Errorf("%s %s: %g, the mix has %g", k.Model, column, printed, accuracy)
			}
		}
	}
	priced := 0
	for _, vm := range catalog.Builtin() {
		if vm.Region != "us-east-2" || vm.InstanceType != "p3.2xlarge" {
			continue
		}
		for column, purchase := range map[string]profile.Purchase{"on_demand_usd_per_hour": profile.OnDemand,
			"reserved_usd_per_hour": profile.Reserved3Y} {
			priced++
			price, ok := vm.PriceOf(purchase)
			if printed := value[reproduce.Key{Table: "text", VM: vm.InstanceType, Column: column}]; !ok ||
				price.USDPerHour != printed {
				t.Errorf("%s: $%g, the catalog has $%g", column, printed, price.USDPerHour)
			}
		}
	}
	if priced != 2 {
		t.Errorf("the catalog has %d prices of the study's VM type", priced)
	}
	rows := typed(t, "approxdnn_table_3.csv")
	for _, row := range rows {
		reduction, _ := strconv.ParseFloat(row["int8_runtime_reduction"], 64)
		k := reproduce.Key{Table: "III", Application: int8Rows[int(math.Round(10*reduction))], Variant: row["policy"]}
		for column, name := range map[string]string{
			"s": "sla_p", "ri_cost_usd": "ri_cost", "on_demand_cost_usd": "on_demand_cost", "usage_cost_usd": "usage_cost",
			"penalty_cost_usd": "penalty_cost", "total_cost_usd": "total_cost", "accuracy_loss_percent": "accuracy_loss_percent",
		} {
			k.Column = column
			if want, err := strconv.ParseFloat(row[name], 64); err != nil || value[k] != want {
				t.Errorf("%s: %g, the typed table has %s", k, value[k], row[name])
			}
		}
	}
	if len(rows) != len(int8Rows)*len(policies) {
		t.Errorf("%d rows in the typed table", len(rows))
	}
}
