package document

import (
	"fmt"
	"io"
	"strings"

	"sweetspot/data/contract"
	"sweetspot/data/report"
	"sweetspot/data/wording"
	"sweetspot/engine/objective"
	"sweetspot/engine/quantity"
	"sweetspot/engine/question"
)

// markdown writes a pick as a table.
func markdown(w io.Writer, p contract.Pick) error {
	c := p.Candidate
	var b strings.Builder
	row := func(name, value string) {
		fmt.Fprintf(&b, "| %s | %s |\n", wording.MarkdownCell(name), wording.MarkdownCell(value))
	}
	fmt.Fprintf(&b, "# %s\n\n| | |\n|---|---|\n", wording.MarkdownCell(c.Model+" · "+c.Mode))
	for _, v := range c.Configuration {
		row("VMs", v.Words())
		row("price", v.PriceWords(c.Purchase))
	}
	row("variant", strings.TrimSpace(c.Variant+" "+contract.Known(c.Precision)))
	if c.BatchSize != nil {
		row("batch size", fmt.Sprint(*c.BatchSize))
	}
	if c.Steps != nil {
		row("steps", quantity.Count(*c.Steps))
	} else if c.Epochs != nil {
		row("epochs", quantity.Count(*c.Epochs))
	}
	if c.Units != nil {
		row("units", quantity.Count(*c.Units))
	}
	row("time", c.Time.Words())
	row("cost", c.Cost.Words())
	for _, a := range c.Amounts() {
		row(string(a.Of.Name), a.Words())
	}
	if a := c.Accuracy; a != nil {
		row(a.Metric, fmt.Sprintf("%s (%s)", objective.WriteAccuracy(a.Value, a.HigherIsBetter), a.Basis))
	}
	if c.Rank != nil {
		row("rank", fmt.Sprintf("%d by %s", *c.Rank, question.Sort(p.Query.Sort).Label()))
	}
	row("limits", wording.Limits(p.Query, c.Accuracy == nil || c.Accuracy.HigherIsBetter))
	if len(c.Sources) > 0 {
		row("based on", wording.Sources(c.Sources))
	}
	row("picked", p.PickedAt+" with "+p.EstimatedBy)
	for _, w := range p.Warnings {
		fmt.Fprintf(&b, "\n> %s\n", wording.MarkdownCell(w))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// outline summarises an HTML report, which only a browser can show.
func outline(r *report.Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "One page with all its pictures, for any browser.\n\n%s\n\n", r.Title)
	wide := 0
	for _, f := range r.Facts {
		wide = max(wide, len(f.Name))
	}
	for _, f := range r.Facts {
		fmt.Fprintf(&b, "%-*s  %s\n", wide, f.Name, f.Text)
	}
	b.WriteString("\nPictures\n")
	for _, p := range r.Pictures {
		fmt.Fprintf(&b, "- %s. %s\n", p.Title, p.Caption)
	}
	fmt.Fprintf(&b, "\nThe candidates, %s\n", quantity.Several(len(r.Rows), "row"))
	for k, row := range r.Rows[:min(len(r.Rows), outlineRows)] {
		fmt.Fprintf(&b, "%d  %s, %s: %s, %s\n", k+1, row[1], row[2], row[4], row[5])
	}
	if len(r.Rows) > outlineRows {
		b.WriteString("…\n")
	}
	for _, s := range []struct {
		title string
		lines []string
	}{{"Prices", r.Prices}, {"Notes", r.Notes}, {"Verify the first candidate", r.Verify}} {
		if len(s.lines) > 0 {
			fmt.Fprintf(&b, "\n%s\n- %s\n", s.title, strings.Join(s.lines, "\n- "))
		}
	}
	return b.String()
}

// outlineRows is how many candidates an outline names.
const outlineRows = 5
