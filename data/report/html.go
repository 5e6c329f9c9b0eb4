package report

import (
	_ "embed" // the page
	"html/template"
	"io"
)

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
