// Package report writes a ranking as a page to read, print or send: the question
// in words, both frontiers and the ranking as pictures, and what the numbers
// rest on. HTML holds all in one file and needs no script; Markdown has its
// pictures beside it.
package report

import (
	_ "embed" // the page
	"fmt"
	"html/template"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sweetspot/data/contract"
	"sweetspot/data/launch"
	"sweetspot/data/wording"
	"sweetspot/engine/objective"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
	"sweetspot/engine/rank"
	"sweetspot/engine/validate"
)

// tableRows is how many candidates the table shows: what fits two pages.
const tableRows = 40

// Report is a ranking ready to be written.
type Report struct {
	Title    string
	Facts    []Fact // about the question and its answer
	Columns  []string
	Rows     [][]string // the ranking, best first
	More     string     // "" where the table is all there is
	Verify   []string   // commands that probe the first
	Prices   []string
	Notes    []string
	Made     string
	Pictures []Picture
}

// Fact is a thing said about the ranking, by its name.
type Fact struct{ Name, Text string }

// New describes a result, made at a time by a version of the program; tested
// may be nil. There must be something feasible.
func New(r *rank.Result, tested validate.Tested, at time.Time, version string) (*Report, error) {
	if r.Count() == 0 {
		return nil, fmt.Errorf("nothing to report: %s", wording.WhyNothing(r))
	}
	shown := r.Head(tableRows)
	chances := contract.NewChances(r)
	candidates := make([]contract.Candidate, len(shown))
	for k, i := range shown {
		candidates[k] = contract.NewCandidate(r, i, k+1, chances, tested)
	}
	// Names are cleaned before words are joined to them: a control sequence that
	// does not end would take those too.
	asked := r.Query.Workload
	asked.Model, asked.Unit = plaintext.Clean(asked.Model), plaintext.Clean(asked.Unit)
	out := &Report{
		Title: wording.Workload(asked), Notes: wording.Warnings(r, at),
		Made: at.UTC().Format("2006-01-02 15:04 UTC") + " with sweetspot " + version,
	}
	for i, note := range out.Notes {
		out.Notes[i] = plaintext.Clean(note)
	}
	out.Facts = facts(r, candidates[0])
	out.table(candidates)
	if more := r.Count() - len(shown); more > 0 {
		out.More = fmt.Sprintf("… and %d more: sweetspot rank --csv lists them all.", more)
	}
	for _, v := range candidates[0].Configuration {
		out.Verify = append(out.Verify, launch.Probe(candidates[0], v, nil))
	}
	out.prices(candidates)
	var err error
	out.Pictures, err = pictures(r)
	return out, err
}

// facts say what was asked and what is best.
func facts(r *rank.Result, best contract.Candidate) []Fact {
	vms := plaintext.Join(best.Configuration, " + ", contract.Part.Words)
	out := []Fact{
		{"Limits", wording.Limits(r.Query, r.Space.HigherIsBetter() || r.Space.Metric == "")},
		{"Bought", string(r.Query.Purchase)}, {"Order", "by " + r.Query.Sort.Label()},
		{"Candidates", fmt.Sprintf("%d of %d feasible", r.Count(), r.Space.Len())},
		{"First", vms + ", " + variant(best) + batch(best, ", batch size ")},
		{"Its time", best.Time.Words()}, {"Its cost", best.Cost.Words()},
	}
	for _, a := range best.Amounts() {
		out = append(out, Fact{"Its " + string(a.Of.Name), a.Words()})
	}
	if a := best.Accuracy; a != nil {
		out = append(out, Fact{"Its accuracy", fmt.Sprintf("%s %s (%s)", a.Metric,
			objective.WriteAccuracy(a.Value, a.HigherIsBetter), a.Basis)})
	}
	if best.Why != nil {
		out = append(out, Fact{"Why", *best.Why})
	}
	if t := best.Tested; t != nil && t.Median != nil {
		out = append(out, Fact{"Tested", fmt.Sprintf("such estimates of %s were off by %s in the median",
			quantity.Several(t.N, "run"), quantity.Percent(*t.Median))})
	}
	for i := range out {
		out[i].Text = plaintext.Clean(out[i].Text)
	}
	return out
}

func variant(c contract.Candidate) string {
	if c.Precision == nil || strings.Contains(c.Variant, *c.Precision) {
		return c.Variant
	}
	return c.Variant + " " + *c.Precision
}

func batch(c contract.Candidate, before string) string {
	if c.BatchSize == nil {
		return ""
	}
	return fmt.Sprint(before, *c.BatchSize)
}

func (r *Report) table(candidates []contract.Candidate) {
	r.Columns = []string{"#", "VMs", "variant", "batch", "time", "cost", "accuracy", "P(fastest)", "P(cheapest)",
		"frontier", "basis", "based on"}
	for _, c := range candidates {
		row := []string{
			fmt.Sprint(*c.Rank), strings.Join(c.VMs(), " + "), variant(c), batch(c, ""),
			span(c.Time.S, c.Time.Low, c.Time.High, quantity.Duration),
			span(c.Cost.USD, c.Cost.Low, c.Cost.High, quantity.Money), "", share(c.PBest.Of(objective.Time)),
			share(c.PBest.Of(objective.Cost)), frontier(c.Frontier), "", wording.Sources(c.Sources),
		}
		if a := c.Accuracy; a != nil {
			row[6] = objective.WriteAccuracy(a.Value, a.HigherIsBetter)
		}
		if c.Time.Basis != nil {
			row[10] = *c.Time.Basis
		}
		for i := range row {
			row[i] = plaintext.Clean(row[i])
		}
		r.Rows = append(r.Rows, row)
	}
}

// span is a value with its 90 % interval.
func span(v, low, high *float64, format func(float64) string) string {
	if v == nil {
		return "unknown"
	}
	return fmt.Sprintf("%s (%s to %s)", format(*v), format(*low), format(*high))
}

func share(p *float64) string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf("%.0f %%", 100**p)
}

func frontier(on objective.Each[bool]) string {
	var names []string
	for _, f := range on {
		if f.Value {
			names = append(names, f.Name)
		}
	}
	return strings.Join(names, ", ")
}

// prices names each price of the table once, with who says it when.
func (r *Report) prices(candidates []contract.Candidate) {
	for _, c := range candidates {
		for _, v := range c.Configuration {
			v.Count = 1
			line := plaintext.Clean(strings.TrimPrefix(v.Words(), "1× ") + ": " + v.PriceWords(c.Purchase))
			if !slices.Contains(r.Prices, line) {
				r.Prices = append(r.Prices, line)
			}
		}
	}
	slices.Sort(r.Prices)
}

// File is the name of a picture beside the report of that name: report.md has
// report-ranking.png.
func (p Picture) File(report string) string {
	base := filepath.Base(report)
	return strings.TrimSuffix(base, filepath.Ext(base)) + "-" + p.Name + ".png"
}

// Markdown writes the report of that file name, which its pictures' names are
// made of: pandoc turns it into a PDF as it is.
func (r *Report) Markdown(w io.Writer, name string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", prose(r.Title))
	b.WriteString("| | |\n|---|---|\n")
	for _, f := range r.Facts {
		fmt.Fprintf(&b, "| %s | %s |\n", f.Name, wording.MarkdownCell(f.Text))
	}
	for _, p := range r.Pictures {
		fmt.Fprintf(&b, "\n## %s\n\n![%s](%s)\n\n%s\n", p.Title, p.Title, escapeURL(p.File(name)), prose(p.Caption))
	}
	fmt.Fprintf(&b, "\n## The candidates\n\n| %s |\n|%s\n", strings.Join(r.Columns, " | "),
		strings.Repeat("---|", len(r.Columns)))
	for _, row := range r.Rows {
		b.WriteByte('|')
		for _, cell := range row {
			b.WriteString(" " + wording.MarkdownCell(cell) + " |")
		}
		b.WriteByte('\n')
	}
	if r.More != "" {
		b.WriteString("\n" + prose(r.More) + "\n")
	}
	section(&b, "Prices", r.Prices)
	section(&b, "Notes", r.Notes)
	b.WriteString("\n## Verify the first candidate\n\nOn such a VM, COMMAND being the command that runs the model:\n\n")
	for _, command := range r.Verify {
		b.WriteString("    " + command + "\n")
	}
	fmt.Fprintf(&b, "\nMade %s. Intervals are 90 %%.\n", prose(r.Made))
	_, err := io.WriteString(w, b.String())
	return err
}

func section(b *strings.Builder, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n", title)
	for _, line := range lines {
		fmt.Fprintf(b, "- %s\n", prose(line))
	}
}

// prose keeps a name from being markup in a paragraph or heading too.
func prose(s string) string {
	return strings.NewReplacer("*", "\\*", "_", "\\_", "#", "\\#", "!", "\\!", "$", "\\$", "~",
		"\\~").Replace(wording.MarkdownCell(plaintext.Clean(s)))
}

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// HTML writes the report as one page that needs no other file and no script.
func (r *Report) HTML(w io.Writer) error {
	type figure struct {
		Picture
		SVG template.HTML
	}
	figures := make([]figure, len(r.Pictures))
	for i, p := range r.Pictures {
		svg, err := p.SVG()
		if err != nil {
			return err
		}
		figures[i] = figure{p, template.HTML(svg)} // the drawing's texts are escaped where it is made
	}
	return page.Execute(w, struct {
		*Report
		Figures []figure
	}{r, figures})
}
