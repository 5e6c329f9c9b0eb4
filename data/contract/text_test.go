package contract

import (
	"bytes"
	"encoding/csv"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sweetspot/engine/estimate"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
)

var pickedAt = time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("elsewhere", 3600))

func written(t *testing.T, p Pick, f Format) string {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b, f); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPickGolden(t *testing.T) {
	r := example()
	p := NewPick(r, r.Order[0], pickedAt, "1.2.3", nil)
	for _, f := range Formats {
		golden(t, "pick"+f.Extension(), []byte(written(t, p, f)))
	}
}

func TestCSVReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		candidates := NewRanking(hostileResult(t), nil, pickedAt).Candidates
		var b bytes.Buffer
		if err := WriteCSV(&b, candidates); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&b).ReadAll()
		if err != nil || len(rows) != len(candidates)+1 {
			t.Fatalf("%d rows of %d candidates: %v", len(rows), len(candidates), err)
		}
		for k, c := range candidates {
			row := map[string]string{}
			for i, name := range rows[0] {
				cell := rows[k+1][i]
				row[name] = cell
				if _, err := strconv.ParseFloat(cell, 64); err != nil && name != "sources" && cell != "" && strings.ContainsRune("=+-@\t\r\n", rune(cell[0])) {
					t.Fatalf("%s holds %q, which a spreadsheet may calculate", name, cell)
				}
			}
			if got := strings.TrimPrefix(row["model"], "'"); got != strings.TrimPrefix(c.Model, "'") {
				t.Fatalf("model %q came back as %q", c.Model, got)
			}
			if v, err := strconv.ParseFloat(row["time_s"], 64); (err == nil) != (c.Time.S != nil) || err == nil && v != *c.Time.S {
				t.Fatalf("time %q of %v", row["time_s"], c.Time)
			}
			if row["feasible"] != strconv.FormatBool(c.Feasible) || (row["rank"] == "") != (c.Rank == nil) {
				t.Fatalf("feasible %q, rank %q of %+v", row["feasible"], row["rank"], c)
			}
		}
	})
}

func TestSpreadsheetSafe(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "p2.xlarge": "p2.xlarge", "-1.5": "-1.5", "+3": "+3",
		"=HYPERLINK(1)": "'=HYPERLINK(1)", "+cmd|' /C calc'!A0": "'+cmd|' /C calc'!A0", "-2+3": "'-2+3", "@SUM(1)": "'@SUM(1)", "\t=1": "'\t=1",
	} {
		if got := spreadsheetSafe(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

// bar is a | that ends a cell: one after an even number of backslashes.
var bar = regexp.MustCompile(`(?:^|[^\\])(?:\\\\)*\|`)

func TestMarkdownStaysInItsTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := NewPick(hostileResult(t), 0, pickedAt, "1.0", nil)
		var b bytes.Buffer
		if err := p.Write(&b, Markdown); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		if !strings.HasPrefix(lines[0], "# ") || lines[1] != "" {
			t.Fatalf("the heading broke: %q", lines[:2])
		}
		for _, line := range lines[2:] {
			switch {
			case line == "" || strings.HasPrefix(line, "> "):
			case !strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "|--") || !strings.HasSuffix(line, "|"):
				t.Fatalf("%q is no row", line)
			case len(bar.FindAllString(line, -1)) != 3:
				t.Fatalf("%q has not two cells", line)
			}
		}
	})
}

func TestMarkdownTakesNoMarkupFromNames(t *testing.T) {
	r := example()
	c := r.Space.At(r.Order[0])
	c.Variant.Name = "a\\|b | c\n<img src=x> [link](http://example.org) `code` &#124;"
	got := written(t, NewPick(r, r.Order[0], pickedAt, "1.0", nil), Markdown)
	want := "| variant | a\\\\\\|b \\| c &lt;img src=x> \\[link\\](http://example.org) 'code' &amp;#124; fp16 |\n"
	if !strings.Contains(got, want) {
		t.Errorf("want the row\n%s in\n%s", want, got)
	}
}

// A run on a machine of one's own: nothing of a cloud, a price or a GPU.
func TestMarkdownOfALocalRun(t *testing.T) {
	r := example()
	for i := range r.Space.Len() {
		if r.Space.At(i).Configuration[0].VM.InstanceType != "desk" {
			continue
		}
		r.Space.At(i).BatchSize, r.Space.At(i).Sources = 0, []int64{5, -131}
		p := NewPick(r, i, pickedAt, "1.0", nil)
		got := written(t, p, Markdown)
		for _, want := range []string{"| VMs | 1× desk (no GPU known) |\n", "| price | price unknown |\n", "| rests on | run 5; built-in library, run 131 |\n"} {
			if !strings.Contains(got, want) {
				t.Errorf("no %q in\n%s", want, got)
			}
		}
		if strings.Contains(got, "batch") || strings.Contains(got, "—") || strings.Contains(got, " |\n| |") || regexp.MustCompile(`\| +\|\n\| [a-z]`).MatchString(got) {
			t.Errorf("an empty part in\n%s", got)
		}
		row := written(t, p, CSV)
		if !strings.HasSuffix(row, ",desk,1x desk,,,,,,,,\n") || !strings.Contains(row, ",train,,,,,,1,,,") {
			t.Errorf("CSV\n%s", row)
		}
		return
	}
	t.Fatal("the example has no machine of one's own")
}

// A pick that was kept may come from a database of another's making.
func TestHostilePickIsReadAndWritten(t *testing.T) {
	const query = `{"model": "n\u001b[31met", "clouds": ["a\nb"]}`
	for _, candidate := range []string{
		`{}`, `{"model": "n\u001b]0;t\u0007et|x", "time": {"s": 3}, "cost": {"usd": 1, "low": 0.5}, "configuration": [{"count": 1}]}`,
		`{"time": {"s": 3, "low": 1, "high": 4}, "accuracy": {}, "pruning": {"layers": {"\u001b[2Ja": 0.5}}, "configuration": [{"gpu_count": -1, "instance_type": "\u202evm"}], "sources": [-9223372036854775808]}`,
	} {
		p, err := ReadPick([]byte(query), []byte(candidate), pickedAt, "1.0")
		if err != nil {
			t.Fatalf("%s: %v", candidate, err)
		}
		for _, f := range Formats {
			if got := written(t, p, f); strings.ContainsAny(got, "\x1b\x07\u202e") || strings.Contains(got, `\u001b`) || strings.Contains(got, `\e`) {
				t.Errorf("%s as %s: %q", candidate, f, got)
			}
		}
		if got := written(t, p, Markdown); strings.Contains(candidate, `"s": 3`) && !strings.Contains(got, "| time | unknown |") {
			t.Errorf("an interval without its ends:\n%s", got)
		}
	}
	for _, broken := range []string{``, `{`, `[]`, `{"configuration": 3}`} {
		if _, err := ReadPick([]byte(query), []byte(broken), pickedAt, "1.0"); err == nil {
			t.Errorf("%q is read", broken)
		}
	}
}

func TestPartInWords(t *testing.T) {
	for want, p := range map[string]Part{
		"1× c5.large (no GPU), aws us-east-1": {Count: 1, InstanceType: new("c5.large"), GPUCount: new(0), Cloud: new("aws"), Region: new("us-east-1")},
		"2× g3.8xlarge (2× M60), aws":         {Count: 2, InstanceType: new("g3.8xlarge"), GPU: new("M60"), GPUCount: new(2), Cloud: new("aws")},
		"1× x (3 GPUs), lab":                  {Count: 1, InstanceType: new("x"), GPUCount: new(3), Cloud: new("lab")},
		"1× desk (1× T4)":                     {Count: 1, Host: new("desk"), GPU: new("T4"), GPUCount: new(1)},
	} {
		if got := p.Words(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestLimitsInWords(t *testing.T) {
	q := Query{MinAccuracy: new(0.7), MaxTimeS: new(7200.0), MaxCostUSD: new(10.0)}
	if got := q.LimitsWords(true); got != "accuracy ≥ 70.0 %, time ≤ 2 h 00 m, cost ≤ $10.00" {
		t.Errorf("got %q", got)
	}
	if got := (Query{MinAccuracy: new(0.1)}).LimitsWords(false); got != "accuracy ≤ 10.0 %" {
		t.Errorf("an error rate is limited from above: %q", got)
	}
	if got := (Query{}).LimitsWords(true); got != "none" {
		t.Errorf("got %q", got)
	}
}

// A workload beyond all measure overflows; what cannot be written is unknown.
func TestOverflowIsUnknown(t *testing.T) {
	huge := rank.Candidate{
		Time: estimate.Estimate{Value: 1e308, Low: 1e307, High: math.Inf(1), Basis: estimate.Measured}, Configuration: []rank.Part{{Count: 1}},
	}
	p := NewPick(rank.Evaluate(rank.NewSpace([]rank.Candidate{huge}), question.Query{}), 0, pickedAt, "1.0", nil)
	if p.Candidate.Time.S != nil {
		t.Errorf("time %v without an end", *p.Candidate.Time.S)
	}
	for _, f := range Formats {
		if got := written(t, p, f); strings.Contains(got, "Inf") {
			t.Errorf("%s: %s", f, got)
		}
	}
}
