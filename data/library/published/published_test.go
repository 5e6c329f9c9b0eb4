package published

import (
	"encoding/csv"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sweetspot/engine/reproduce"
)

// Table 3.1 of the thesis.
var prices = map[string]float64{
	"p2.xlarge": 0.90, "p2.8xlarge": 7.20, "p2.16xlarge": 14.40, "p3.2xlarge": 3.06, "p3.8xlarge": 12.24,
	"p3.16xlarge": 24.48,
}

func malta(t *testing.T) reproduce.Inputs {
	t.Helper()
	in, err := Read(reproduce.Malta)
	if err != nil {
		t.Fatal(err)
	}
	in.Prices = prices
	return in
}

// study gives any paper's inputs.
func study(t *testing.T, paper string) reproduce.Inputs {
	t.Helper()
	if paper == reproduce.Malta {
		return malta(t)
	}
	in, err := Read(paper)
	if err != nil {
		t.Fatal(err)
	}
	if paper == reproduce.Paragon {
		in = paragon(t)
	}
	if paper == reproduce.ApproxDNN {
		if in.Workload, err = madeUp(); err != nil {
			t.Fatal(err)
		}
	}
	return in
}

func find(t *testing.T, rows []reproduce.Row, table, cell string) reproduce.Row {
	t.Helper()
	i := slices.IndexFunc(rows, func(r reproduce.Row) bool { return r.Table == table && r.Cell == cell })
	if i < 0 {
		t.Fatalf("table %s has no cell %q", table, cell)
	}
	return rows[i]
}

// Cells picked by hand, with what the text prints and what arithmetic gives.
func TestPickedCells(t *testing.T) {
	rows := reproduce.Reproduce(malta(t))
	for _, c := range []struct {
		table, cell     string
		published, ours float64
		within          float64
		ok              bool
	}{
		{"5.2", "seismic/FCN b256 p2.xlarge estimated_s with validation", 146.47, 146.47, 0.001, true},
		{"5.2", "seismic/FCN b512 p2.xlarge epochs with validation", 11, 11, 0.01, true},
		{"5.4", "seismic/FCN b512 p2.xlarge estimated_s without validation", 148.6, 147.4775, 1e-6, true},
		{"5.5", "seismic/FCN b256 p2.xlarge average_iteration_s without validation", 0.067, 0.06666, 1e-4, true},
		{"5.4", "seismic/FCN b2048 p2.xlarge real_s without validation", 241.7, 248.5, 0, false},
		{"5.7", "seismic/FCN b256 p3.8xlarge runtime@20 epochs without validation", 1.75, 1.756, 0.01, true},
		{"5.8", "seismic/FCN b256 p2.16xlarge cost@10 epochs without validation", 38.3, 38.35, 0.1, true},
		{"5.6", "seismic/FCN b256 p2.xlarge real without validation", 4.01, 5.27, 0, false},
		{"5.6", "seismic/FCN b256 p2.xlarge second_iteration without validation", 5.34, 5.42, 0.01, true},
		{"5.9", "MNIST/Simple-CNN b512 p2.16xlarge error_percent without validation", 11.59, 11.6, 0.01, true},
		{"5.10", "MNIST/Simple-CNN b256 p2.xlarge runtime_real with validation", 2.58, 2.576, 0.01, true},
		{"5.11", "MNIST/Simple-CNN b256 p3.2xlarge cost_real with validation", 1.32, 1.318, 0.01, true},
		{"5.13", "MNIST/Simple-CNN b2048 p3.16xlarge cost@10 epochs without validation", 12.2, 18.94, 0.2, false},
		{"B.4", "MNIST/Simple-CNN b1024 p2.16xlarge cost@20 epochs without validation", 13.9, 15.88, 0.02, false},
		{"A.3", "seismic/FCN b2048 p2.xlarge runtime@20 epochs without validation", 7.13, 7.13, 0.05, true},
		{"5.14", "MNIST/Simple-CNN total method_2_usd", 2.62, 2.6129, 1e-9, true},
		{"4.1", "seismic/FCN b256 p3.8xlarge cost_usd", 0.05, 0.2016, 1e-4, false},
		{"4.3", "CIFAR-10/ResNet-50 b256 epochs", 2.7, 86.73, 0.01, false},
		{"4.3", "seismic/FCN b512 iterations", 880, 880, 1e-9, true},
		{"5.1", "MNIST/Simple-CNN b512 iterations", 98, 98, 1e-9, true},
		{"section 4.2", "p3.8xlarge price_over_p2.xlarge", 13.6, 13.6, 1e-9, true},
		{"section 4.2", "CIFAR-10/ResNet-50 p3.8xlarge speedup_over_p3.2xlarge", 1.46, 1.46, 1e-9, true},
		{"section 4.5", "MNIST/Simple-CNN method_1_saves_percent", 62.2, 62.16, 0.01, true},
		{"section 4.5", "seismic/FCN method_1_saves_percent", 86.4, 85.32, 0.01, false},
		{"section 5.5", "MNIST/Simple-CNN method_2_saves_percent", 83.8, 86.36, 0.01, false},
		{"section 5.5", "MNIST/Simple-CNN method_2_saves_over_method_1_percent", 64, 63.96, 0.01, true},
	} {
		r := find(t, rows, c.table, c.cell)
		if r.Ours == nil || r.OK == nil {
			t.Errorf("%s %s is not computed: %s", c.table, c.cell, r.Note)
			continue
		}
		if *r.Published != c.published || math.Abs(*r.Ours-c.ours) > c.within || *r.OK != c.ok {
			t.Errorf("%s %s: published %g, ours %g, ok %v; want %g, %g, %v", c.table, c.cell, *r.Published, *r.Ours, *r.OK,
				c.published, c.ours, c.ok)
		}
	}
	for _, c := range []struct{ table, cell, note string }{
		{"A.2", "seismic/FCN b1024 p2.16xlarge cost@5 epochs without validation", "lost"},
		{"5.9", "MNIST/Simple-CNN b256 p2.16xlarge estimated_s with validation", "not published"},
		{"5.6", "seismic/FCN b256 p2.xlarge first_iteration without validation", "contradicts table 5.7"},
	} {
		if r := find(t, rows, c.table, c.cell); r.OK != nil || !strings.Contains(r.Note, c.note) {
			t.Errorf("%s %s: %+v", c.table, c.cell, r)
		}
	}
}

// Whatever is not ok has a reason, and nothing rests on the number it is
// compared with.
func TestEveryMissIsExplained(t *testing.T) {
	want := map[string]map[string]int{
		reproduce.Malta: {
			"4.1": 3, "4.2": 18, "4.3": 6, "4.4": 4, "section 4.5": 1, "5.1": 5, "5.3": 4, "5.4": 2, "5.6": 5, "5.9": 8,
			"5.11": 2, "5.13": 1, "section 5.5": 1, "B.4": 1,
		},
		reproduce.Malta2019: {},
		reproduce.TARCAR:    {"3": 1, "abstract": 2, "figure 9": 1, "figure 10": 1},
		reproduce.ApproxDNN: {"section IV-B": 2, "figure 7": 1, "III, synthetic jobs": 1, "figures 10 to 12": 1},
		reproduce.Paragon: {"figure 4, synthetic loads": 3, "figure 8, synthetic loads": 16,
			"section 2.4, synthetic loads": 7},
	}
	for _, paper := range reproduce.Papers {
		missed := map[string]int{}
		for _, r := range reproduce.Reproduce(study(t, paper)) {
			if slices.Contains(r.Inputs, r.Key) {
				t.Errorf("%s %s %s rests on itself", paper, r.Table, r.Cell)
			}
			if r.Note == "" || r.Paper != paper {
				t.Errorf("%s %s %s: paper %q, how it was got: %q", paper, r.Table, r.Cell, r.Paper, r.Note)
			}
			if r.OK == nil || *r.OK {
				continue
			}
			missed[r.Table]++
			if !strings.ContainsAny(r.Note, ";") {
				t.Errorf("%s %s %s is off without a reason: %s", paper, r.Table, r.Cell, r.Note)
			}
		}
		if !maps.Equal(missed, want[paper]) {
			t.Errorf("%s: cells off per table %v, known are %v", paper, missed, want[paper])
		}
	}
}

// Where a slip says what should be printed, ours agrees.
func TestSlipsAreWhatArithmeticGives(t *testing.T) {
	for _, paper := range reproduce.Papers {
		slipsAgree(t, study(t, paper))
	}
}

func slipsAgree(t *testing.T, in reproduce.Inputs) {
	for i, slip := range in.Slips {
		hit := slip.Paper != in.Paper
		for j, c := range in.Cells {
			if slip.Paper != in.Paper || c.Table != slip.Table || slip.Application != "" && c.Application != slip.Application ||
				slip.Variant != "" && c.Variant != slip.Variant || c.Column != slip.Column || c.Epochs != slip.Epochs &&
				slip.Epochs != 0 && c.Epochs != 0 {
				continue
			}
			hit = true
			if slip.ShouldBe == nil || c.Batch != slip.Batch || c.VM != slip.VM || c.Validation != slip.Validation &&
				slip.Validation != "" || c.Epochs != slip.Epochs {
				continue
			}
			corrected := in
			corrected.Workload, corrected.Traffic = nil, nil // slips are arithmetic of printed cells
			corrected.Cells = slices.Clone(in.Cells)
			corrected.Cells[j].Number = &reproduce.Number{Value: *slip.ShouldBe, Half: c.Number.Half}
			if r := find(t, reproduce.Reproduce(corrected), c.Table, c.Key.String()); r.OK == nil || !*r.OK {
				t.Errorf("%s %s corrected to %g is still off: ours %g", r.Table, r.Cell, *slip.ShouldBe, *r.Ours)
			}
		}
		if !hit && slip.Column != "" {
			t.Errorf("slip %d concerns no cell: %+v", i+1, slip)
		}
	}
}

// Without the start-up solved from the table itself, table 5.7's lines bend by
// more than their rounding: the contradiction with table 5.4 is real.
func TestTable54ContradictsTable57(t *testing.T) {
	in := malta(t)
	for i, c := range in.Cells {
		switch c.Table { // under other names, the tables are taken at 5.4's word
		case "5.7":
			in.Cells[i].Table = "x.7"
		case "5.8":
			in.Cells[i].Table = "x.8"
		}
	}
	papers, tables := reproduce.Summarise(reproduce.Reproduce(in))
	i := slices.IndexFunc(tables, func(c reproduce.TableCount) bool { return c.Table == "x.7" })
	if i < 0 || tables[i].NotOK < 6 {
		t.Errorf("table 5.7 holds with table 5.4's start-up: %+v", tables)
	}
	if papers[reproduce.Malta].OK == 0 {
		t.Error("nothing else was computed")
	}
	found := reproduce.Findings(malta(t))
	if len(found) != 1 || !strings.Contains(found[0], "14.63 s") {
		t.Errorf("findings %q", found)
	}
}

// A check that cannot fail is none: a wrong digit turns ok into not ok.
func TestTamperingIsFound(t *testing.T) {
	for paper, step := range map[string]int{reproduce.Malta: 61, reproduce.Malta2019: 1, reproduce.TARCAR: 1,
		reproduce.ApproxDNN: 1} {
		in := study(t, paper)
		in.Workload = nil // what is drawn has its own test
		rows := reproduce.Reproduce(in)
		tried := 0
		for i := 0; i < len(rows); i += step {
			if rows[i].OK == nil || !*rows[i].OK {
				continue
			}
			tried++
			j := slices.IndexFunc(in.Cells, func(c reproduce.Cell) bool { return c.Key == rows[i].Key })
			tampered := in
			tampered.Cells = slices.Clone(in.Cells)
			n := *in.Cells[j].Number
			n.Value *= 1.01 + 2.5**rows[i].Tolerance
			tampered.Cells[j].Number = &n
			if r := reproduce.Reproduce(tampered)[i]; *r.OK || *r.Ours != *rows[i].Ours {
				t.Errorf("%s %s %s printed as %g instead of %g: ok %v, ours %g", paper, r.Table, r.Cell, n.Value,
					*rows[i].Published, *r.OK, *r.Ours)
			}
		}
		if tried < 10 {
			t.Errorf("%s: only %d cells tried", paper, tried)
		}
	}
}

// The numbers are those of the typed-out tables that lie beside the project
// where it is developed.
func TestAgainstTypedTables(t *testing.T) {
	in := malta(t)
	count := map[string]int{}
	value := map[reproduce.Key]*reproduce.Number{}
	for _, c := range in.Cells {
		count[c.Table]++
		value[c.Key] = c.Number
	}
	same := func(k reproduce.Key, text string) {
		n, ok := value[k]
		want, err := strconv.ParseFloat(text, 64)
		if !ok || (n == nil) != (text == "") || n != nil && (err != nil || n.Value != want) {
			t.Errorf("table %s %s: %v, the typed table has %q", k.Table, k, n, text)
		}
	}
	relative := map[string]int{}
	for _, row := range typed(t, "malta_relative.csv") {
		batch, _ := strconv.Atoi(row["batch_size"])
		k := reproduce.Key{Table: row["table"], Application: row["application"], Batch: batch,
			Validation: row["with_validation"], VM: row["instance_type"], Column: row["measure"]}
		epochs := []float64{5, 10, 20}
		if k.Table == "5.12" || k.Table == "5.13" {
			epochs = []float64{10, 20, 25}
		}
		for i, e := range epochs {
			k.Epochs = e
			same(k, row["relative_at_"+[]string{"1st", "2nd", "3rd"}[i]])
		}
		k.Epochs, k.Column = 0, k.Column+"_real"
		same(k, row["relative_real"])
		relative[k.Table] += 4
	}
	for table, n := range relative {
		if count[table] != n {
			t.Errorf("table %s: %d cells, the typed table has %d", table, count[table], n)
		}
	}
	for _, row := range typed(t, "malta_totals.csv") {
		table, ok := strings.CutPrefix(row["source"], "thesis ")
		if !ok {
			continue
		}
		batch, _ := strconv.Atoi(row["batch_size"])
		for column, name := range map[string]string{"time_s": "mean_total_s", "speedup": "speedup",
			"cost_usd": "cost_usd_printed"} {
			same(reproduce.Key{Table: table, Application: row["application"], Batch: batch, VM: row["instance_type"],
				Column: column}, row[name])
		}
	}
	typed2019(t)
	if len(relative) != 13 || count["5.9"] != 48 {
		t.Errorf("tables %v, 5.9 has %d cells", relative, count["5.9"])
	}
}

func typed(t *testing.T, name string) []map[string]string {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "..", "..", "shared", "seeds", "tables", name))
	if os.IsNotExist(err) {
		t.Skipf("the typed-out tables of the studies (%s) are not here; TestPickedCells holds some of their numbers", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]string
	for _, record := range records[1:] {
		row := map[string]string{}
		for i, column := range records[0] {
			row[column] = record[i]
		}
		rows = append(rows, row)
	}
	return rows
}

func TestReadRefuses(t *testing.T) {
	head := strings.Join(cellColumns, ",") + "\n"
	good := "5.7,x,256,no,vm,runtime,5,1.00,s\n"
	for name, c := range map[string]struct{ in, words string }{
		"nothing":         {"", "row 1"},
		"no header":       {good, "row 1"},
		"no table":        {head + ",x,256,no,vm,runtime,5,1.00,s\n", "row 2, column table"},
		"no column":       {head + "5.7,x,256,no,vm,,5,1.00,s\n", "row 2, column column"},
		"no source":       {head + "5.7,x,256,no,vm,runtime,5,1.00,\n", "row 2, column source"},
		"validation":      {head + "5.7,x,256,maybe,vm,runtime,5,1.00,s\n", "row 2, column validation"},
		"batch":           {head + "5.7,x,-1,no,vm,runtime,5,1.00,s\n", "row 2, column batch_size"},
		"not a number":    {head + "5.7,x,256,no,vm,runtime,5,NaN,s\n", "row 2, column printed"},
		"twice":           {head + good + good, "row 3"},
		"too few columns": {head + "5.7,x\n", "row 2"},
	} {
		if _, err := readCells(strings.NewReader(c.in)); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: got %v, want %q", name, err, c.words)
		}
	}
	slips := strings.Join(slipColumns, ",") + "\n"
	if _, err := readSlips(strings.NewReader(slips + "malta,5.7,,,,,,,,,\n")); err == nil ||
		!strings.Contains(err.Error(), "column why") {
		t.Errorf("a slip without a reason: %v", err)
	}
}

func text(t testing.TB, name string) string {
	t.Helper()
	whole, err := files.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(whole)
}

func FuzzReadCells(f *testing.F) {
	maltaCSV := text(f, "malta.csv")
	f.Add(maltaCSV[:2000])
	f.Add(text(f, "malta2019.csv"))
	f.Add(text(f, "tarcar.csv"))
	f.Add(text(f, "approxdnn.csv"))
	f.Add(text(f, "paragon.csv"))
	f.Add(text(f, "models.csv"))
	f.Add(strings.Join(cellColumns, ",") + "\n5.7,x,1,,v,c,,,s\n")
	f.Add(strings.Join(cellColumns, ",") + "\n5.7,x,1,,v,runtime,5,1.0,s\n5.8,x,1,,w,cost,5,1.0,s\n" +
		"5.6,x,1,,v,second_iteration,,1.0,s\n")
	var relative strings.Builder // a whole group, with a stranger in it
	for line := range strings.Lines(maltaCSV) {
		if strings.HasPrefix(line, "table,") || strings.HasPrefix(line, "5.7,") || strings.HasPrefix(line, "5.8,") ||
			strings.HasPrefix(line, "5.6,") {
			relative.WriteString(line)
		}
	}
	f.Add(relative.String() + "5.8,seismic/FCN,256,no,stranger,cost,5,1.0,s\n" +
		"5.6,seismic/FCN,256,no,stranger,second_iteration,,1.0,s\n")
	f.Fuzz(func(t *testing.T, in string) {
		cells, err := readCells(strings.NewReader(in))
		if err != nil {
			return
		}
		for _, c := range cells {
			if c.Table == "" || c.Column == "" || c.Number != nil && !(c.Number.Value >= 0) {
				t.Fatalf("read %+v", c)
			}
		}
		// Whatever is printed, no panic.
		for _, paper := range reproduce.Papers {
			reproduce.Reproduce(reproduce.Inputs{Paper: paper, Cells: cells})
			reproduce.Findings(reproduce.Inputs{Paper: paper, Cells: cells})
		}
	})
}

func BenchmarkReproduceMalta(b *testing.B) {
	in, err := Read(reproduce.Malta)
	if err != nil {
		b.Fatal(err)
	}
	in.Prices = prices
	for b.Loop() {
		reproduce.Reproduce(in)
	}
}
