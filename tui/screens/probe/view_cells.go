package probe

import (
	"sweetspot/tui/components/panel"
	"sweetspot/tui/text"
)

// cellsTable draws the table of several probes.
func (s *Screen) cellsTable() string {
	_, _, w, h := s.cellsArea()
	s.cells.SetSize(w, h)
	s.cells.SetColumns(columns(s.all.Rows, w))
	s.cells.SetRows(s.cellRows()) // their labels depend on the width
	return s.cells.View(s.th)
}

// cellsPanel draws it in its border.
func (s *Screen) cellsPanel() string {
	title := "probes " + s.th.Symbols.Dot + " "
	title += s.tally(s.w - text.Width(title) - 4)
	note := s.following()
	if text.Width(title)+text.Width(note)+6 > s.w {
		note = "" // the cursor shows it too
	}
	_, _, _, h := s.cellsArea()
	return panel.Panel{Title: title, Note: note, Focused: true}.Render(s.th, s.cellsTable(), s.w, h+2)
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

// following says which probe is shown: the running one, or the chosen one.
func (s *Screen) following() string {
	switch {
	case !s.Active():
		return ""
	case s.follow:
		return "shown: the running one"
	}
	return "shown: the selected one"
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
