package probe

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/quantity"
	"sweetspot/engine/steady"
	"sweetspot/probes/matrix"
	"sweetspot/probes/session"
	"sweetspot/tui/components/panel"
	"sweetspot/tui/components/table"
	"sweetspot/tui/keys"
	"sweetspot/tui/plot"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// several reports whether there is a table of probes to choose from.
func (s *Screen) several() bool { return len(s.all.Rows) > 1 }

// show turns to the row that is followed or was chosen.
func (s *Screen) show() {
	if running := s.all.Current; s.follow && running >= 0 && running < len(s.all.Rows) {
		s.at = running
	}
	s.at = min(max(s.at, 0), max(len(s.all.Rows)-1, 0))
	s.update = session.Update{}
	if len(s.all.Rows) > 0 {
		s.update = s.all.Rows[s.at].Update
	}
	if s.several() {
		s.cells.SetRows(s.cellRows())
	}
	s.cells.SetCursor(s.at)
	u := s.update
	warm := min(len(u.Seconds), 1) // the first iteration is no steady one
	var mean estimate.Estimate     // a rough one is of no part of the chart
	if u.Summary.IsSteady {
		warm, mean = warm+u.Summary.Warmup, u.Summary.Steady
	}
	// The number of the row is a part of the version: other rows have other data.
	s.live.SetData(uint64(s.at)<<48|uint64(u.Seq), u.Seconds, warm, mean)
}

// keyCells moves among the probes; used is false for other keys.
func (s *Screen) keyCells(a keys.Action) (used bool) {
	if a == keys.Follow {
		s.follow = true
		s.show()
		return true
	}
	_, _, w, h := s.cellsArea()
	s.cells.SetSize(w, h)
	if used = s.cells.Act(a); used {
		row, _ := s.cells.Cursor()
		s.moveTo(row)
	}
	return used
}

// moveTo shows another probe, and no longer the newest that runs.
func (s *Screen) moveTo(row int) {
	s.at, s.follow = min(max(row, 0), max(len(s.all.Rows)-1, 0)), false
	s.show()
}

// clickCells shows the probe that was clicked.
func (s *Screen) clickCells(x, y int) {
	left, top, w, h := s.cellsArea()
	s.cells.SetSize(w, h)
	if row, _, ok := s.cells.Hit(x-left, y-top); ok && row >= 0 {
		s.moveTo(row)
	}
}

// phase is where the probe that is shown is.
func (s *Screen) phase() State {
	if !s.several() || s.state == Failed {
		return s.state
	}
	switch s.all.Rows[s.at].State {
	case matrix.Waiting:
		return Starting
	case matrix.Running:
		return max(s.state, Running)
	case matrix.Done:
		return Done
	}
	return Failed
}

// waits reports whether the probe that is shown has not been started.
func (s *Screen) waits() bool {
	return s.several() && s.all.Rows[s.at].State == matrix.Waiting
}

// why is the failure of the probe that is shown.
func (s *Screen) why() string {
	if !s.several() || s.state == Failed {
		return s.failure
	}
	r := s.all.Rows[s.at]
	word := r.State.String()
	if r.Why == "" {
		return word
	}
	return word + ": " + text.Clean(r.Why)
}

// stateCell is the mark and, where there is room, the word of a badge in its
// colour.
func stateCell(th *theme.Theme, b badge, width int) string {
	if width == 1 {
		return b.pen.Render(b.symbol(th))
	}
	return b.pen.Render(b.symbol(th) + " " + b.word)
}

// leastBesideLabel is the room in cells of the mark and the steady mean, which
// are beside a label on every terminal.
const leastBesideLabel = 22

// leastStates is the width from which states have words and hosts a column.
const leastStates = 70

// onHosts reports whether there are other hosts than this machine.
func onHosts(rows []matrix.Row) bool {
	return slices.ContainsFunc(rows, func(r matrix.Row) bool { return r.Host != "" })
}

// columns are those of the table of probes in w cells. Hosts are shown where
// there are others than this machine; on a narrow terminal a state is its mark
// alone.
func columns(rows []matrix.Row, w int) []table.Column {
	out := []table.Column{
		{ID: "state", Title: "state", Width: 15},
		{ID: "label", Title: "probe", Width: 16, Flex: 3},
	}
	room := w
	if w < leastStates {
		out[0].Title, out[0].Width = "", 1
		room = w - leastBesideLabel
	}
	for _, l := range labels(rows, w) {
		out[1].Width = max(out[1].Width, min(text.Width(l), room, 34))
	}
	if w >= leastStates && onHosts(rows) {
		out = append(out, table.Column{ID: "host", Title: "host", Width: 12, Flex: 1, Drop: 2})
	}
	return append(out,
		table.Column{ID: "steps", Title: "steps", Width: 6, Right: true, Drop: 4},
		table.Column{ID: "steady", Title: "mean", Width: 15, Right: true},
		table.Column{ID: "accuracy", Title: "accuracy", Width: 8, Right: true, Drop: 1},
		table.Column{ID: "spent", Title: "spent", Width: 14, Right: true, Drop: 3},
		table.Column{ID: "why", Title: "end", Width: 24, Flex: 2, Drop: 5},
	)
}

// cellRows are the rows of the table of probes; their number is their ID.
type cellRows struct {
	rows   []matrix.Row
	labels []string
	th     *theme.Theme
	target float64 // as relative half-width, of means that are good enough
}

func (s *Screen) cellRows() cellRows {
	return cellRows{s.all.Rows, labels(s.all.Rows, s.w), s.th, s.form.Target}
}

func (c cellRows) Len() int                               { return len(c.rows) }
func (c cellRows) Find(_ table.Rows, row int) (int, bool) { return row, row < len(c.rows) }

func (c cellRows) Style(row int) table.RowStyle {
	return table.RowStyle{Faint: c.rows[row].State == matrix.Skipped}
}

func (c cellRows) Cell(row int, column string, width int) string {
	r := &c.rows[row]
	u := &r.Update
	switch column {
	case "state":
		return stateCell(c.th, badgeOf(c.th, r, c.target), width)
	case "label":
		return text.Truncate(c.labels[row], width, c.th.Symbols.Ellipsis)
	case "host":
		return text.Truncate(text.Clean(hostName(r.Host)), width, c.th.Symbols.Ellipsis)
	case "steps":
		if u.Summary.Total == 0 {
			return ""
		}
		return quantity.Count(float64(u.Summary.Total))
	case "steady":
		return c.mean(&u.Summary, width)
	case "accuracy":
		if a := u.Run.Accuracy; a != nil {
			return objective.WriteAccuracy(a.Value, a.HigherIsBetter)
		}
	case "spent":
		if u.Seq > 0 {
			return spentCell(u)
		}
	case "why":
		return c.end(r, width)
	}
	return ""
}

func spentCell(u *session.Update) string {
	if u.SpentUSD == nil {
		return clock(u.SpentS)
	}
	return clock(u.SpentS) + " " + quantity.Money(*u.SpentUSD)
}

// mean is the steady mean with its interval, or a rough one, marked as such.
func (c cellRows) mean(m *steady.Summary, width int) string {
	if !m.Steady.Known() {
		return ""
	}
	value, interval := withInterval(m.Steady, quantity.Duration)
	if !m.IsSteady {
		b := qualityBadge(c.th, rough)
		value = b.pen.Render(b.symbol(c.th) + value)
	}
	if text.Width(value)+text.Width(interval) < width {
		value += " "
	}
	return value + c.th.Interval.Render(interval)
}

// end says why a probe is over or what it waits for; of one that runs it is
// how near the end is.
func (c cellRows) end(r *matrix.Row, width int) string {
	words := text.Clean(r.Why)
	switch r.State {
	case matrix.Running:
		p := min(max(r.Update.Verdict.Progress, 0), 1)
		return plot.Bar(c.th, p, max(min(width-6, 20), 1)) + fmt.Sprintf("%4.0f %%", p*100)
	case matrix.Done:
		words = whyEnded(&r.Update, c.target)
		if _, last, ok := strings.Cut(words, "; "); ok {
			words = last // the half-width before it stands in the row, and the panel has the whole of it
		}
	}
	return c.th.Dim.Render(text.Truncate(words, width, c.th.Symbols.Ellipsis))
}

// labels name the probes by what varies among them. The host is a part of them
// in w cells that have no column for it.
func labels(rows []matrix.Row, w int) []string {
	if len(rows) == 0 {
		return nil
	}
	first := rows[0].Cell
	varies := struct{ host, batch, precision, prune bool }{host: w < leastStates && onHosts(rows)}
	for _, r := range rows {
		varies.batch = varies.batch || r.Batch != first.Batch
		varies.precision = varies.precision || r.Precision != first.Precision
		varies.prune = varies.prune || r.Prune != first.Prune
	}
	out := make([]string, len(rows))
	for i, r := range rows {
		c := r.Cell
		if c.Host = ""; varies.host {
			c.Host = hostName(r.Host)
		}
		if varies.host || varies.batch || varies.precision || varies.prune {
			if !varies.batch {
				c.Batch = 0
			}
			if !varies.precision {
				c.Precision = ""
			}
			if !varies.prune {
				c.Prune = ""
			}
		}
		if out[i] = text.Clean(c.Label()); !varies.host && !varies.batch && !varies.precision && varies.prune &&
			c.Prune == "" {
			out[i] = "whole model" + repeated(c)
		}
	}
	return out
}

func repeated(c matrix.Cell) string {
	if c.Repeat == 0 {
		return ""
	}
	return " · repeat " + strconv.Itoa(c.Repeat+1)
}

// tally says how many probes have come how far: 3 of 30 done (1 rough), 1
// failed. In less room than that takes, it tells no kinds of less than was
// asked for apart.
func (s *Screen) tally(room int) string {
	states, qualities := map[matrix.State]int{}, map[quality]int{}
	for i := range s.all.Rows {
		r := &s.all.Rows[i]
		if states[r.State]++; r.State == matrix.Done {
			qualities[judged(&r.Update, s.form.Target)]++
		}
	}
	var less []string
	unsure := 0
	for _, q := range []quality{imprecise, rough, unknown} {
		if n := qualities[q]; n > 0 {
			unsure += n
			less = append(less, strconv.Itoa(n)+" "+qualityBadge(s.th, q).word)
		}
	}
	out, rest := strconv.Itoa(states[matrix.Done])+" of "+strconv.Itoa(len(s.all.Rows))+" done", ""
	for _, state := range []matrix.State{matrix.Failed, matrix.OutOfMemory, matrix.Skipped} {
		if n := states[state]; n > 0 {
			rest += ", " + strconv.Itoa(n) + " " + state.String()
		}
	}
	if unsure == 0 {
		return out + rest
	}
	if all := out + " (" + strings.Join(less, ", ") + ")" + rest; text.Width(all) <= room {
		return all
	}
	return out + " (" + strconv.Itoa(unsure) + " unsure)" + rest
}

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
