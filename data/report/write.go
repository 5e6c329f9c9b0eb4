package report

import (
	_ "embed" // the page
	"fmt"
	"html/template"
	"io"
	"path/filepath"
	"strings"

	"sweetspot/data/wording"
	"sweetspot/engine/plaintext"
)

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
