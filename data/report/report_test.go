package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var madeAt = time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("elsewhere", 3600))

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := errors.Join(os.MkdirAll("testdata", 0o755), os.WriteFile(path, []byte(got), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; got:\n%s", path, got)
	}
}

// result is a training on two VM types that cross over, with accuracies where
// they are wanted.
func result(accuracies bool) *rank.Result {
	run := func(id int64, vm string, batch int, startup, iteration, accuracy float64) profile.Run {
		r := profile.Run{
			ID: id, Model: "net", Mode: profile.Train, Cloud: "aws", Region: "us-east-1", InstanceType: vm, GPU: "K80",
			GPUCount: 1, Count: 1,
			BatchSize: batch, IterationsPerEpoch: new(100.0), StartupS: &startup, Steady: estimate.Spread(iteration, 0.05,
				estimate.Measured),
			Basis: estimate.Measured, Status: profile.Done,
		}
		if vm == "p3.2xlarge" {
			r.GPU = "V100"
		}
		if accuracies {
			r.Accuracy = &profile.Accuracy{Metric: "top-1", Value: accuracy, StdDev: new(0.01), HigherIsBetter: true,
				Basis: estimate.Measured}
		}
		return r
	}
	price := func(usd float64) []profile.Price {
		return []profile.Price{{Purchase: profile.OnDemand, USDPerHour: usd, Source: "price list", AsOf: "2021-03-01"}}
	}
	slow := run(4, "p2.xlarge", 32, 10, 3, 0.95)
	slow.Basis, slow.Steady = estimate.Published, estimate.Spread(3, 0.1, estimate.Published)
	set := &profile.Set{
		Runs: []profile.Run{run(1, "p3.2xlarge", 256, 60, 0.1, 0.9), run(2, "p2.xlarge", 256, 10, 0.4, 0.9),
			run(3, "p2.xlarge", 64, 10, 0.6, 0.92), slow},
		VMTypes: []profile.VMType{
			{Cloud: "aws", Region: "us-east-1", InstanceType: "p3.2xlarge", GPU: "V100", GPUCount: 1, GPUMemGiB: new(16.0),
				Prices: price(3.06)},
			{Cloud: "aws", Region: "us-east-1", InstanceType: "p2.xlarge", GPU: "K80", GPUCount: 1, Prices: price(0.9)},
		},
	}
	q := question.Query{
		Workload: question.Workload{Model: "net", Mode: profile.Train, Epochs: new(3.0), Purchase: profile.OnDemand,
			MaxCount: 1},
		Limits: question.Limits{objective.Time: 600.0}, Weights: question.Weights{objective.Time: 1, objective.Cost: 1},
		Sort: question.ByCost,
	}
	return rank.Answer(set, q, nil)
}

func made(t testing.TB, r *rank.Result) *Report {
	t.Helper()
	out, err := New(r, nil, madeAt, "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestMarkdownGolden(t *testing.T) {
	for name, accuracies := range map[string]bool{"accuracy.md": true, "length.md": false} {
		var b bytes.Buffer
		if err := made(t, result(accuracies)).Markdown(&b, "some/"+name); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.String())
	}
}

// The page without the drawings, whose coordinates say little in a diff.
func TestHTMLGolden(t *testing.T) {
	var b bytes.Buffer
	if err := made(t, result(true)).HTML(&b); err != nil {
		t.Fatal(err)
	}
	golden(t, "accuracy.html", regexp.MustCompile(`(?s)<svg .*?</svg>`).ReplaceAllString(b.String(), "<svg/>"))
}

func TestWhichPicturesAreDrawn(t *testing.T) {
	for _, c := range []struct {
		accuracies bool
		want       []string
	}{{true, []string{"time-accuracy", "cost-accuracy", "ranking"}},
		{false, []string{"time-cost", "cost-epochs", "ranking"}}} {
		var got []string
		for _, p := range made(t, result(c.accuracies)).Pictures {
			got = append(got, p.Name)
			var b bytes.Buffer
			if err := p.PNG(&b); err != nil {
				t.Fatal(err)
			}
			image, err := png.Decode(&b)
			if err != nil || image.Bounds().Dx() < 800 {
				t.Errorf("%s: %v", p.Name, err)
			}
			svg, err := p.SVG()
			if err != nil || strings.Count(svg, "<path") < 10 {
				t.Errorf("%s: %v in %.300s", p.Name, err, svg)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v, want %v", got, c.want)
		}
	}
}

// The lines of the ranking are the candidates' intervals.
func TestTheRankingShowsIntervals(t *testing.T) {
	r := result(true)
	low, high := math.Inf(1), 0.0
	for _, i := range r.Order() {
		cost := r.Space.At(i).Cost
		low, high = min(low, cost.Low), max(high, cost.High)
	}
	pictures := made(t, r).Pictures
	if x := pictures[len(pictures)-1].plot.X; math.Abs(x.Min-low) > 1e-12 || math.Abs(x.Max-high) > 1e-12 {
		t.Errorf("costs of $%g to $%g are drawn from $%g to $%g", low, high, x.Min, x.Max)
	}
}

var svgText = regexp.MustCompile(`<text x="[\d.]+" y="-([\d.]+)"[^>]*>([^<]*)</text>`)

// The legend is above the plot and hides nothing of it.
func TestTheLegendIsAboveThePlot(t *testing.T) {
	for _, p := range slices.Concat(made(t, result(true)).Pictures, made(t, result(false)).Pictures) {
		svg, err := p.SVG()
		if err != nil {
			t.Fatal(err)
		}
		lowest, inLegend := math.Inf(1), true
		for _, m := range svgText.FindAllStringSubmatch(svg, -1) {
			y, err := strconv.ParseFloat(m[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			inLegend = inLegend && m[2] != p.plot.X.Label.Text
			switch {
			case inLegend:
				lowest = min(lowest, y)
			case y >= lowest:
				t.Errorf("%s: %q of the plot is at %g, the legend at %g", p.Name, m[2], y, lowest)
			}
		}
		if inLegend {
			t.Errorf("%s: no axis is named %q in\n%s", p.Name, p.plot.X.Label.Text, svg)
		}
	}
}

func TestUnitsOfTime(t *testing.T) {
	for most, want := range map[float64]string{119: "seconds", 120: "minutes", 7199: "minutes", 7200: "hours",
		48*3600 - 1: "hours", 48 * 3600: "days"} {
		if got := scaleOfTime(most).title; got != "time, "+want {
			t.Errorf("up to %g s: %q", most, got)
		}
	}
}

func TestNothingFeasibleIsNoReport(t *testing.T) {
	r := result(true)
	q := r.Query
	q.Limits = question.Limits{objective.Time: 1}
	if _, err := New(rank.Evaluate(r.Space, q), nil, madeAt, "1"); err == nil ||
		!strings.Contains(err.Error(), "time rules out all 4") {
		t.Error(err)
	}
}

func TestPictureFiles(t *testing.T) {
	for in, want := range map[string]string{"report.md": "report-ranking.png", "a/b c.md": "b c-ranking.png",
		"x": "x-ranking.png"} {
		if got := (Picture{Name: "ranking"}).File(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
	if got := escapeURL("b c)(<x>%#?.png"); got != "b%20c%29%28%3Cx%3E%25%23%3F.png" {
		t.Error(got)
	}
}

// named is a result with a text from outside in every place there is.
func named(s string, time, cost, accuracy float64, higher bool) *rank.Result {
	with := func(k float64) candidate.Candidate {
		return candidate.Candidate{
			ID: s, Model: s, Mode: profile.Train, Epochs: new(3.0), BatchSize: 8, Purchase: profile.OnDemand, Why: s,
			Variant: profile.Variant{Name: s, Precision: s},
			Configuration: []candidate.Part{{VM: profile.VMType{Cloud: s, Region: s, InstanceType: s, GPU: s, GPUCount: 1},
				Count: 1, USDPerHour: new(1.0), PriceFrom: s}},
			Time: estimate.Spread(k*time, 0.1, estimate.Measured), Cost: estimate.Spread(k*cost, 0.1, estimate.Published),
			Quality: &candidate.Quality{Metric: s, Estimate: estimate.Exact(k*accuracy, estimate.Measured),
				HigherIsBetter: higher},
		}
	}
	q := question.Query{Workload: question.Workload{Model: s, Mode: profile.Train, Epochs: new(3.0),
		Purchase: profile.OnDemand}, Sort: question.ByTime, Weights: question.Weights{objective.Time: 1, objective.Cost: 1}}
	return rank.Evaluate(rank.NewSpace(candidate.ListOf(with(1), with(0.5), with(math.Pi/7))), q)
}

var hostileNames = []string{
	"", "<script>alert(1)</script>", "</svg><img src=x onerror=alert(1)>", "</title></style>", `" onload="alert(1)`,
	"' x='", "&lt;b&gt; &#x3c;", "<!-- --> ]]>", "{{.Title}}", "[link](javascript:alert(1))",
	"![x](http://example.org/y.png)",
	"a | b", "two\nlines", "# heading", "\x1b[31mred\x1b[0m", "“größe” 数 🙂", "bad \xff utf8",
	"not \ufffe a \uffff character", "\u2028", "`code`", "*bold* _it_ ~s~ $x$", "\\", "$(id)",
	strings.Repeat("long ", 100),
}

func TestHostileNamesStayText(t *testing.T) {
	for _, name := range hostileNames {
		readBack(t, name, named(name, 100, 2, 0.9, true))
	}
}

// The legend tells what was measured from what was estimated.
func TestTheLegendNamesTheBasis(t *testing.T) {
	out, err := New(named("net", 100, 2, 0.9, true), nil, madeAt, "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	var page bytes.Buffer
	if err := out.HTML(&page); err != nil {
		t.Fatal(err)
	}
	if text := page.String(); !strings.Contains(text, ">measured<") || strings.Contains(text, ">estimated<") {
		t.Error("measured candidates are drawn as estimated")
	}
}

func TestAnyReportIsParsedBack(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		positive := rapid.OneOf(rapid.Float64Range(1e-9, 1e9), rapid.SampledFrom([]float64{0, 1e-300, 1e300, 1}))
		name := rapid.OneOf(rapid.String(),
			rapid.StringOf(rapid.SampledFrom([]rune("a<>&\"'/!-[]()|\n`*_{}\\\ufffe")))).Draw(r, "name")
		readBack(r, name, named(name, positive.Draw(r, "time"), positive.Draw(r, "cost"), positive.Draw(r, "accuracy"),
			rapid.Bool().Draw(r, "higher")))
	})
}

func FuzzNames(f *testing.F) {
	for _, name := range hostileNames {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) { readBack(t, name, named(name, 100, 2, 0.9, true)) })
}

// readBack parses the page as XML, which takes no tag that is not closed and no
// stray character, and holds its elements and texts to what is meant.
func readBack(t rapid.TB, name string, r *rank.Result) {
	t.Helper()
	if r.Count() == 0 {
		return
	}
	out, err := New(r, nil, madeAt, "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	var page, markdown bytes.Buffer
	if err := errors.Join(out.HTML(&page), out.Markdown(&markdown, "r.md")); err != nil {
		t.Fatal(err)
	}
	heading := ""
	for dec := xml.NewDecoder(bytes.NewReader(page.Bytes())); ; {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%q: %v in\n…%.500s", name, err, page.String()[max(0, int(dec.InputOffset())-250):])
		}
		element, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if slices.Contains([]string{"script", "img", "b", "iframe", "link", "a"}, element.Name.Local) {
			t.Fatalf("%q became the element %s", name, element.Name.Local)
		}
		for _, a := range element.Attr {
			if strings.HasPrefix(a.Name.Local, "on") || strings.Contains(a.Value, "alert") {
				t.Fatalf("%q became the attribute %s", name, a.Name.Local)
			}
		}
		if element.Name.Local == "h1" {
			text, _ := dec.Token()
			heading = string(text.(xml.CharData))
		}
	}
	if want := plaintext.Name(name) + " · train 3 epochs"; heading != want {
		t.Fatalf("the heading is %q, want %q", heading, want)
	}
	checkMarkdown(t, name, markdown.String())
}

// bar is a | that ends a cell: one after an even number of backslashes.
var bar = regexp.MustCompile(`(?:^|[^\\])(?:\\\\)*\|`)

func checkMarkdown(t rapid.TB, name, text string) {
	t.Helper()
	pictures := 0
	for _, line := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "| |"):
			if n := len(bar.FindAllString(line, -1)); n != 3 && n != 13 {
				t.Fatalf("%q breaks the row %q", name, line)
			}
		case strings.HasPrefix(line, "![") && regexp.MustCompile(`^!\[[A-Za-z, ]+\]\(r-[a-z-]+\.png\)$`).MatchString(line):
			pictures++
		case strings.HasPrefix(line, "    sweetspot probe "), strings.HasPrefix(line, "- "), line == "",
			strings.HasPrefix(line, "|--"), line == "| | |":
		case strings.Contains(line, "<"):
			t.Fatalf("%q is markup in %q", name, line)
		}
	}
	if pictures == 0 || pictures > 3 {
		t.Fatalf("%d pictures for %q in\n%s", pictures, name, text)
	}
}
