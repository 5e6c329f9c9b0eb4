package document

import (
	"bytes"
	"flag"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sweetspot/data/contract"
	"sweetspot/data/internal/exampleranking"
	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var pickedAt = time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("elsewhere", 3600))

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; got:\n%s", path, got)
	}
}

// hostile draws what a database from elsewhere may hold: any text, and numbers
// that are none.
func hostile() *rapid.Generator[candidate.Candidate] {
	odd := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, 1, 2.5, math.NaN(), math.Inf(1), math.Inf(-1),
		math.MaxFloat64, math.SmallestNonzeroFloat64}))
	return rapid.Custom(func(t *rapid.T) candidate.Candidate {
		word := func(name string) string { return rapid.String().Draw(t, name) }
		number := func(name string) *float64 { return rapid.Ptr(rapid.Float64Range(0, 1e9), true).Draw(t, name) }
		guess := func(name string) estimate.Estimate {
			return estimate.Estimate{
				Value: odd.Draw(t, name), Low: odd.Draw(t, name), High: odd.Draw(t, name),
				Basis: estimate.Basis(rapid.IntRange(0, 6).Draw(t, name)),
			}
		}
		c := candidate.Candidate{
			ID: word("id"), Model: word("model"), Mode: profile.Infer, Units: number("units"),
			BatchSize: rapid.IntRange(0, 4096).Draw(t, "batch"),
			Variant:   profile.Variant{Name: word("variant"), Precision: word("precision")},
			Time:      guess("time"), Cost: guess("cost"),
			Configuration: []candidate.Part{{
				VM:    profile.VMType{Cloud: word("cloud"), Region: word("region"), InstanceType: word("vm"), GPU: word("gpu")},
				Count: 2, USDPerHour: number("price"), PriceFrom: word("source"),
			}},
			Sources: rapid.SliceOf(rapid.Int64()).Draw(t, "sources"),
		}
		if rapid.Bool().Draw(t, "pruned") {
			c.Variant.Pruning = &profile.Pruning{Kind: word("kind"), Ratio: number("ratio")}
		}
		if rapid.Bool().Draw(t, "accurate") {
			c.Quality = &candidate.Quality{Metric: word("metric"), Estimate: guess("accuracy"),
				HigherIsBetter: rapid.Bool().Draw(t, "higher")}
		}
		if rapid.Bool().Draw(t, "too big") {
			c.OverMemory = &candidate.Violation{Constraint: question.GPUMemory, Limit: odd.Draw(t, "limit"),
				Value: new(odd.Draw(t, "peak"))}
		}
		return c
	})
}

func hostileResult(t *rapid.T) *rank.Result {
	q := question.Query{Workload: question.Workload{Model: rapid.String().Draw(t, "model"), Mode: profile.Infer, Units: 1,
		Purchase: profile.OnDemand}, Sort: question.ByScore}
	q.Limits = q.Limits.With(objective.Time, rapid.Ptr(rapid.Float64Range(0, 10), true).Draw(t, "max time"))
	return rank.Evaluate(rank.NewSpace(candidate.ListOf(rapid.SliceOfN(hostile(), 1, 4).Draw(t, "candidates")...)), q)
}

// bar is a | that ends a cell: one after an even number of backslashes.
var bar = regexp.MustCompile(`(?:^|[^\\])(?:\\\\)*\|`)

func named(t *testing.T, format string) Form {
	t.Helper()
	f, err := Named(format, Pick)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func written(t *testing.T, p contract.Pick, f Form) string {
	t.Helper()
	d, ok := Find(Of(Subject{Pick: &p}), f)
	if !ok {
		t.Fatalf("no %s", f.Format)
	}
	text, err := d.Text()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestPickGolden(t *testing.T) {
	r := exampleranking.New()
	p := contract.NewPick(r, r.First(), pickedAt, "1.2.3", nil)
	for _, f := range Forms(Pick) {
		golden(t, "pick"+f.Extension, []byte(written(t, p, f)))
	}
}

func TestMarkdownStaysInItsTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := contract.NewPick(hostileResult(t), 0, pickedAt, "1.0", nil)
		var b bytes.Buffer
		if err := markdown(&b, p); err != nil {
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
	r := exampleranking.New()
	c := r.Space.At(r.First())
	c.Variant.Name = "a\\|b | c\n<img src=x> [link](http://example.org) `code` &#124;"
	got := written(t, contract.NewPick(r, r.First(), pickedAt, "1.0", nil), named(t, "markdown"))
	want := "| variant | a\\\\\\|b \\| c &lt;img src=x> \\[link\\](http://example.org) 'code' &amp;#124; fp16 |\n"
	if !strings.Contains(got, want) {
		t.Errorf("want the row\n%s in\n%s", want, got)
	}
}

// A run on a machine of one's own: nothing of a cloud, a price or a GPU.
func TestMarkdownOfALocalRun(t *testing.T) {
	r := exampleranking.New()
	for i := range r.Space.Len() {
		if r.Space.At(i).Configuration[0].VM.InstanceType != "desk" {
			continue
		}
		r.Space.At(i).BatchSize, r.Space.At(i).Sources = 0, []int64{5, -131}
		p := contract.NewPick(r, i, pickedAt, "1.0", nil)
		got := written(t, p, named(t, "markdown"))
		for _, want := range []string{"| VMs | 1× desk (no GPU known) |\n", "| price | unknown |\n",
			"| based on | run 5; built-in library, run 131 |\n"} {
			if !strings.Contains(got, want) {
				t.Errorf("no %q in\n%s", want, got)
			}
		}
		if strings.Contains(got, "batch") || strings.Contains(got, "—") || strings.Contains(got, " |\n| |") ||
			regexp.MustCompile(`\| +\|\n\| [a-z]`).MatchString(got) {
			t.Errorf("an empty part in\n%s", got)
		}
		row := written(t, p, named(t, "csv"))
		if !strings.HasSuffix(row, ",desk,1x desk,,,,,,,,,,,\n") || !strings.Contains(row, ",train,,,,,,1,,,") {
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
		`{}`, `{"model": "n\u001b]0;t\u0007et|x", "time": {"s": 3}, "cost": {"usd": 1, "low": 0.5}, "configuration": ` +
			`[{"count": 1}]}`,
		`{"time": {"s": 3, "low": 1, "high": 4}, "accuracy": {}, "pruning": {"layers": {"\u001b[2Ja": 0.5}}, ` +
			`"configuration": [{"gpu_count": -1, "instance_type": "\u202evm"}], "sources": [-9223372036854775808]}`,
	} {
		p, err := contract.ReadPick([]byte(query), []byte(candidate), pickedAt, "1.0")
		if err != nil {
			t.Fatalf("%s: %v", candidate, err)
		}
		for _, f := range Forms(Pick) {
			if got := written(t, p, f); strings.ContainsAny(got, "\x1b\x07\u202e") || strings.Contains(got, `\u001b`) ||
				strings.Contains(got, `\e`) {
				t.Errorf("%s as %s: %q", candidate, f.Format, got)
			}
		}
		if got := written(t, p, named(t, "markdown")); strings.Contains(candidate, `"s": 3`) &&
			!strings.Contains(got, "| time | unknown |") {
			t.Errorf("an interval without its ends:\n%s", got)
		}
	}
	for _, broken := range []string{``, `{`, `[]`, `{"configuration": 3}`} {
		if _, err := contract.ReadPick([]byte(query), []byte(broken), pickedAt, "1.0"); err == nil {
			t.Errorf("%q is read", broken)
		}
	}
}

// A workload beyond all measure overflows; what cannot be written is unknown.
func TestOverflowIsUnknown(t *testing.T) {
	huge := candidate.Candidate{
		Time:          estimate.Estimate{Value: 1e308, Low: 1e307, High: math.Inf(1), Basis: estimate.Measured},
		Configuration: []candidate.Part{{Count: 1}},
	}
	p := contract.NewPick(rank.Evaluate(rank.NewSpace(candidate.ListOf(huge)), question.Query{}), 0, pickedAt, "1.0", nil)
	if p.Candidate.Time.S != nil {
		t.Errorf("time %v without an end", *p.Candidate.Time.S)
	}
	for _, f := range Forms(Pick) {
		if got := written(t, p, f); strings.Contains(got, "Inf") {
			t.Errorf("%s: %s", f.Format, got)
		}
	}
}
