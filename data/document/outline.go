package document

import (
	"fmt"
	"strings"

	"sweetspot/data/report"
	"sweetspot/engine/quantity"
)

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
