package probe

import (
	"strings"

	"sweetspot/tui/components/panel"
	"sweetspot/tui/text"
)

// viewCells draws several probes: their table first, below it the one that is
// shown, as far as there is room.
func (s *Screen) viewCells() string {
	left, top, w, h := s.cellsArea()
	s.cells.SetSize(w, h)
	s.cells.SetColumns(columns(s.all.Rows, w))
	s.cells.SetRows(s.cellRows()) // their labels depend on the width
	table := s.cells.View(s.th)
	if left == 0 {
		return s.viewCellsSmall(table)
	}
	title := "probes " + s.th.Symbols.Dot + " "
	title += s.tally(s.w - text.Width(title) - 4)
	note := s.following()
	if text.Width(title)+text.Width(note)+6 > s.w {
		note = "" // the cursor shows it too
	}
	table = panel.Panel{Title: title, Note: note, Focused: true}.Render(s.th, table, s.w, h+2)
	body := s.h - top - h - 1
	detail := ""
	switch {
	case s.w >= 120:
		detail = s.detailWide(body)
	case body >= roomyDetail:
		detail = s.detailMedium(body)
	default:
		detail = s.detailTight(body)
	}
	return s.headline() + "\n" + table + "\n" + detail
}

// roomyDetail is the height from which the chart has all the width of a medium
// terminal.
const roomyDetail = 19

// leastChart is the height below which a chart shows nothing.
const leastChart = 7

// detailTight is the chart and telemetry beside the estimate.
func (s *Screen) detailTight(body int) string {
	left := s.w - rightWidth
	gpuRows := s.gpuRows(left, max(body-leastChart-3, 2))
	return text.Beside(s.chart(left, body-gpuRows)+"\n"+s.gpuPanel(left, gpuRows), s.estimatePanel(rightWidth, body))
}

// viewCellsSmall has no borders: the table, then the numbers of the probe that
// is shown.
func (s *Screen) viewCellsSmall(table string) string {
	lines := append([]string{s.headline()}, text.Lines(table)...)
	rule := s.th.Border.Render(s.th.Symbols.H) + " " + s.spent() + " "
	lines = append(lines, rule+s.th.Border.Render(strings.Repeat(s.th.Symbols.H, max(s.w-text.Width(rule), 0))))
	lines = append(lines, s.estimateLines(s.w)...)
	lines = append(lines, " "+s.gpuLine(s.w-1))
	warnings, _ := s.warningLines(s.w, s.h-len(lines))
	lines = append(lines, warnings...)
	if n := s.h - len(lines); n > 0 {
		lines = append(lines, s.logLines(n, s.w)...)
	}
	return text.Block(lines, s.w, s.h)
}

// following says which probe is shown: the one that runs, or the chosen one.
func (s *Screen) following() string {
	switch {
	case !s.Active():
		return ""
	case s.follow:
		return "shown: the one that runs"
	}
	return "shown: the chosen one"
}

// cellsArea is where the table of probes is: two cells of border around it,
// except on small terminals.
func (s *Screen) cellsArea() (left, top, w, h int) {
	n := len(s.all.Rows) + 1 // the titles
	if s.small() {
		return 0, 1, s.w, min(n, max(s.h/2, 3))
	}
	return 1, 2, s.w - 2, min(n, max((s.h-1)*2/5, 8)-2)
}
