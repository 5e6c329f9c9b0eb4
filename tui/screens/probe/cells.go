package probe

import (
	"slices"
	"strconv"
	"strings"

	"sweetspot/engine/estimate"
	"sweetspot/probes/matrix"
	"sweetspot/probes/queue"
	"sweetspot/probes/session"
	"sweetspot/tui/components/panel"
	"sweetspot/tui/keys"
	"sweetspot/tui/text"
)

// several reports whether there is a table of probes to choose from.
func (s *Screen) several() bool { return len(s.all.Rows) > 1 }

// show turns to the row that is followed or was chosen.
func (s *Screen) show() {
	if s.follow {
		s.at = newest(s.all)
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

// newest is the probe that began last, of those that run if any does.
func newest(u matrix.Update) int {
	if u.Current < len(u.Rows) && !runs(u.Rows[u.Current]) {
		if i := slices.IndexFunc(u.Rows, runs); i >= 0 {
			return i
		}
	}
	return u.Current
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

// runs reports whether a probe is under way, and not only its job queued.
func runs(r matrix.Row) bool { return r.State == matrix.Running && r.Update.Waiting == "" }

// queuedWords say why a probe in a queue does not run yet; "" for one that does or did. Until
// its job is known about, that is the only thing to say.
func queuedWords(rows []matrix.Row, at int) string {
	r := &rows[at]
	switch {
	case r.State == matrix.Running:
		return text.Clean(r.Update.Waiting)
	case r.State != matrix.Waiting:
		return ""
	}
	for i := range rows { // the one of its job that is before it
		words := rows[i].Update.Waiting
		if rows[i].Host == r.Host && rows[i].State == matrix.Running && words != "" && words != queue.Beginning {
			return text.Clean(words)
		}
	}
	return "its job runs other probes first"
}

// isQueued reports whether the probe of a row waits in a queue.
func (s *Screen) isQueued(row int) bool {
	return s.inQueue() && row < len(s.all.Rows) && queuedWords(s.all.Rows, row) != ""
}

// allQueued reports whether none has begun that is not over.
func (s *Screen) allQueued() bool {
	return s.inQueue() && len(s.all.Rows) > 0 && !slices.ContainsFunc(s.all.Rows, runs)
}

// ending reports whether all probes are over, and what they ran on is not yet.
func (s *Screen) ending() bool {
	underWay := func(r matrix.Row) bool { return r.State == matrix.Waiting || r.State == matrix.Running }
	return s.running != nil && s.Active() && len(s.all.Rows) > 0 && !slices.ContainsFunc(s.all.Rows, underWay)
}

// startFirst puts when a job is expected to start before why it waits, which may be cut.
func startFirst(words string) string {
	why, start, ok := strings.Cut(words, ", expected to start at ")
	if !ok {
		return words
	}
	return "expected " + start + ", " + why
}

// waitWords say why the probe that is shown has measured nothing yet.
func (s *Screen) waitWords() string {
	switch {
	case s.isQueued(s.at):
		return queuedWords(s.all.Rows, s.at)
	case s.waits():
		return "waiting for its turn"
	case s.starting != nil && s.awaited != "":
		return s.awaited
	}
	return "waiting for the first iteration"
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

// roomyTally is the room from which the tally counts those that run, too, as the table shows.
const roomyTally = 60

// tally says how many probes have come how far: 3 of 30 done (1 rough), 1
// failed. In less room than that takes, it tells no kinds of less than was
// asked for apart.
func (s *Screen) tally(room int) string {
	states, qualities, queued := map[matrix.State]int{}, map[quality]int{}, 0
	for i := range s.all.Rows {
		r := &s.all.Rows[i]
		if s.isQueued(i) {
			queued++
			continue
		}
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
	if n := states[matrix.Running]; n > 0 && s.inQueue() && room >= roomyTally {
		rest += ", " + strconv.Itoa(n) + " running"
	}
	if queued > 0 {
		rest += ", " + strconv.Itoa(queued) + " queued"
	}
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
	s.cells.SetColumns(columns(s.all.Rows, w, s.inQueue()))
	s.cells.SetRows(s.cellRows()) // their labels depend on the width
	return s.cells.View(s.th)
}

// cellsPanel draws it in its border.
func (s *Screen) cellsPanel() string {
	title := "probes " + s.th.Symbols.Dot + " "
	title += s.tally(s.w - text.Width(title) - 4)
	note := s.following()
	if text.Width(title)+text.Width(note)+8 > s.w {
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
	case s.ending():
		return "ending what they ran on"
	case !s.Active() || s.follow && !runs(s.all.Rows[s.at]):
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
	most := (s.h - 1) * 2 / 5
	if s.inQueue() && s.h >= 30 { // where more of them are under way at once
		most = s.h / 2
	}
	return 1, 2, s.w - 2, min(n, max(most, 8)-2)
}
