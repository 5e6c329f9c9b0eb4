package probe

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/probes/matrix"
	"sweetspot/tui/components/panel"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// The smallest screen, in cells, of which the program's own two lines take
// their part.
const (
	leastWidth = 40
	leastRows  = 8
	ownRows    = 2
)

// View draws the screen in exactly its size.
func (s *Screen) View() string {
	switch {
	case s.w <= 0 || s.h <= 0:
		return ""
	case s.w < leastWidth || s.h < leastRows:
		return text.Block([]string{fmt.Sprintf("needs %d×%d, has %d×%d", leastWidth, leastRows+ownRows, s.w, s.h+ownRows)},
			s.w, s.h)
	case s.state == Filling:
		return s.viewForm()
	case s.small():
		return s.viewSmall()
	}
	body, head := s.h-1, s.headline()+"\n"
	if s.several() {
		table := s.cellsPanel()
		body -= strings.Count(table, "\n") + 1
		head += table + "\n"
	}
	switch {
	case s.w >= 120:
		return head + s.detailWide(body)
	case s.several() && body < roomyDetail:
		return head + s.detailTight(body)
	}
	return head + s.detailMedium(body)
}

// small reports whether there is no room for borders.
func (s *Screen) small() bool { return s.w < 80 || s.h < 18 }

// rightWidth is the width of the estimate's panel.
const rightWidth = 46

// detailWide is the chart, telemetry and output beside the estimate.
func (s *Screen) detailWide(body int) string {
	left := s.w - rightWidth
	logRows := min(max(body/4, 4), 12)
	gpuRows := s.gpuRows(left, min(max(body-logRows-12, 0), 3))
	chart := s.chart(left, body-gpuRows-logRows)
	rest := s.gpuPanel(left, gpuRows) + "\n" + s.logPanel(left, logRows)
	return text.Beside(chart+"\n"+rest, s.estimatePanel(rightWidth, body))
}

// detailMedium is the chart above the estimate, telemetry and output.
func (s *Screen) detailMedium(body int) string {
	lower := min(max(body/2, 11), 14)
	right := s.w - rightWidth
	gpuRows := s.gpuRows(right, lower-3-leastLog)
	below := text.Beside(s.estimatePanel(rightWidth, lower), s.gpuPanel(right, gpuRows)+"\n"+s.logPanel(right,
		lower-gpuRows))
	return s.chart(s.w, body-lower) + "\n" + below
}

// leastLog is the height of a panel with two lines of output.
const leastLog = 4

// viewSmall has no borders: the table of several probes and the numbers first, a
// chart of the only one if there is room.
func (s *Screen) viewSmall() string {
	lines := []string{s.headline()}
	if s.several() {
		rule := s.th.Border.Render(s.th.Symbols.H) + " " + s.spent() + " "
		rule += s.th.Border.Render(strings.Repeat(s.th.Symbols.H, max(s.w-text.Width(rule), 0)))
		lines = append(append(lines, text.Lines(s.cellsTable())...), rule)
	}
	lines = append(lines, s.estimateLines(s.w)...)
	lines = append(lines, " "+s.gpuLine(s.w-1))
	warnings, _ := s.warningLines(s.w, s.h-len(lines))
	lines = append(lines, warnings...)
	if room := s.h - len(lines); room >= 6 && !s.several() {
		s.live.SetSize(s.w, room-1)
		s.live.SetEmpty(s.nothing())
		lines = append(lines, text.Lines(s.live.View())...)
	}
	lines = append(lines, s.logLines(s.h-len(lines), s.w)...)
	return text.Block(lines, s.w, s.h)
}

// headline says what is measured, on what, and what it has taken.
func (s *Screen) headline() string {
	th := s.th
	dot := " " + th.Symbols.Dot + " "
	word := map[State]string{Starting: "starting", Running: "probing", Stopping: "stopping", Failed: "failed"}[s.state]
	pen := th.Key
	switch {
	case s.ending():
		word = "ending"
	case s.state == Running && s.allQueued():
		word = "queued"
	}
	switch s.state {
	case Done:
		pen, word = s.outcome()
	case Failed:
		pen, word = th.Bad, th.Symbols.Cross+" "+word
	}
	left, name := " "+pen.Render(word)+"  ", th.Title.Render(text.Clean(joined(s.what(), dot)))
	if s.several() && s.small() { // what is spent stands below the table
		if left += s.tally(s.w - text.Width(left) - 1); text.Width(left)+text.Width(name)+3 > s.w {
			name = ""
		}
		return text.Ends(left, name+" ", s.w)
	}
	left += name
	right := s.spent() + " "
	m := text.Clean(machine(s.shown()))
	if room := s.w - text.Width(left) - text.Width(right) - 5; m != "" && text.Width(m) <= room && !onHosts(s.all.Rows) {
		left += "   " + th.Dim.Render(m)
	}
	if text.Width(left)+text.Width(right) > s.w && s.w < 60 {
		return text.Fit(left, s.w)
	}
	return text.Ends(left, "  "+right, s.w)
}

// outcome heads what is over: a success where at least one mean is as sure as
// was asked for.
func (s *Screen) outcome() (theme.Pen, string) {
	best := unknown
	for i := range s.all.Rows {
		if r := &s.all.Rows[i]; r.State == matrix.Done {
			best = min(best, judged(&r.Update, s.form.Target))
		}
	}
	switch b := qualityBadge(s.th, best); {
	case best == precise:
		return s.th.Good, s.th.Symbols.Check + " measured"
	case s.several():
		return s.th.Warn, "ended"
	default:
		return b.pen, b.symbol(s.th) + " " + b.word
	}
}

// what names what is measured: of several probes, what they have in common,
// whichever of them is shown.
func (s *Screen) what() []string {
	r := s.shown()
	switch {
	case r.Model != "" && s.several():
		return []string{r.Model, string(r.Mode)}
	case r.Model != "":
		return []string{r.Model, string(r.Mode), batch(r.BatchSize), r.Variant.Precision}
	case s.form.OfCommand() || s.several():
		return []string{s.form.name(), string(s.form.Mode)}
	}
	return []string{s.form.Model, string(s.form.Mode), batch(s.form.Batches[0]), s.form.Precisions[0]}
}

// shown is the run that is shown, or of several probes the first that says
// what it is; one without a model says nothing yet.
func (s *Screen) shown() profile.Run {
	for i := range s.all.Rows {
		if u := &s.all.Rows[i].Update; u.Seq > 0 && u.Run.Model != "" {
			return u.Run
		}
	}
	return profile.Run{}
}

func batch(n int) string {
	if n == 0 {
		return ""
	}
	return "batch " + strconv.Itoa(n)
}

// joined puts the parts that aren't empty together.
func joined(parts []string, by string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), by)
}

// machine names where the probe runs.
func machine(r profile.Run) string {
	if r.Count > 1 {
		one := r
		one.Count = 1
		return fmt.Sprintf("%d× %s", r.Count, machine(one))
	}
	if r.GPU == "" {
		return r.InstanceType
	}
	gpu := r.GPU
	if r.GPUCount > 1 {
		gpu = strconv.Itoa(r.GPUCount) + "× " + gpu
	}
	if r.GPUMemGiB != nil {
		gpu += " " + strconv.FormatFloat(*r.GPUMemGiB, 'f', 0, 64) + " GiB"
	}
	if r.InstanceType == "" {
		return gpu
	}
	return r.InstanceType + " (" + gpu + ")"
}

// leastUSD is less than the least that is worth showing; nothing is spent while jobs wait.
const leastUSD = 1e-5

// spent is the time and money of all probes so far, against their caps.
func (s *Screen) spent() string {
	th := s.th
	out := th.Dim.Render("spent ") + clock(s.all.SpentS)
	if s.form.MaxSeconds > 0 {
		n := len(s.all.Rows)
		if n == 0 { // as long as they are being started
			n = s.form.size().probes()
		}
		out += th.Dim.Render(" of " + clock(s.form.MaxSeconds*float64(n)))
	}
	if usd := s.all.SpentUSD; usd != nil && (*usd > leastUSD || !s.inQueue()) {
		out += th.Dim.Render(" "+th.Symbols.Dot+" ") + quantity.Money(*usd)
		if s.form.MaxUSD > 0 {
			out += th.Dim.Render(" of " + quantity.Money(s.form.MaxUSD))
		}
	}
	return out
}

func (s *Screen) chart(w, h int) string {
	iw, ih := panel.Inner(w, h)
	s.live.SetSize(iw, ih)
	s.live.SetEmpty(s.nothing())
	note := ""
	if n := len(s.update.Seconds); n > 0 {
		note = quantity.Count(float64(n)) + " iterations, last " + quantity.Duration(s.update.Seconds[n-1])
	}
	return panel.Panel{Title: "time per iteration", Note: note}.Render(s.th, s.live.View(), w, h)
}

// nothing is what the chart says while it is empty.
func (s *Screen) nothing() string {
	if phase := s.phase(); phase == Done || phase == Failed {
		return "nothing was measured"
	}
	return s.waitWords()
}

// gpuPanel shows the telemetry and below it the warnings, in rows of the
// height that gpuRows gave for them.
func (s *Screen) gpuPanel(w, rows int) string {
	iw, ih := panel.Inner(w, rows)
	warnings, shown := s.warningLines(iw, ih-1)
	lines := append([]string{" " + s.gpuLine(max(iw-2, 0))}, warnings...)
	title, note, n := "GPU", "", len(s.update.Warnings)
	switch {
	case n == 0:
	case shown == n:
		title = "GPU and warnings"
	case shown > 0:
		note = fmt.Sprintf("%d of %d warnings", shown, n)
	case n == 1:
		note = "1 warning"
	default:
		note = strconv.Itoa(n) + " warnings"
	}
	return panel.Panel{Title: title, Note: note}.Render(s.th, strings.Join(lines[:min(len(lines), ih)], "\n"), w, rows)
}

// gpuRows is the height of the telemetry panel of a width, with at most
// some lines for warnings.
func (s *Screen) gpuRows(w, warnings int) int {
	iw, _ := panel.Inner(w, 3)
	lines, _ := s.warningLines(iw, warnings)
	return 3 + len(lines)
}

// warningLines are the warnings, the newest first, in at most some lines, and
// how many they are. One that does not fit is left out; the newest is rather
// cut.
func (s *Screen) warningLines(w, most int) (lines []string, shown int) {
	for i := len(s.update.Warnings) - 1; i >= 0; i-- {
		one := s.th.Warn.Wrap("! "+text.Clean(s.update.Warnings[i]), " ", w)
		room := most - len(lines)
		switch {
		case room <= 0 || len(one) > room && shown > 0:
			return lines, shown
		case len(one) > room:
			one = one[:room]
			one[room-1] = text.Truncate(one[room-1], w-2, "") + s.th.Warn.Render(s.th.Symbols.Ellipsis)
		}
		lines, shown = append(lines, one...), shown+1
	}
	return lines, shown
}

func (s *Screen) logPanel(w, h int) string {
	note := ""
	if n := s.update.Rejected; n > 0 {
		note = quantity.Count(float64(n)) + " lines rejected"
	}
	iw, ih := panel.Inner(w, h)
	return panel.Panel{Title: "output", Note: note}.Render(s.th, strings.Join(s.logLines(ih, iw), "\n"), w, h)
}

// logLines are the newest lines of the script.
func (s *Screen) logLines(n, w int) []string {
	if n <= 0 {
		return nil
	}
	log := s.update.Log
	var out []string
	for _, l := range log[max(len(log)-n, 0):] {
		out = append(out, " "+s.th.Dim.Render(text.Truncate(text.Clean(l), w-1, s.th.Symbols.Ellipsis)))
	}
	if len(out) == 0 {
		words := "no output yet"
		if phase := s.phase(); phase == Done || phase == Failed {
			words = "no output"
		}
		out = append(out, " "+s.th.Faint.Render(words))
	}
	return out
}
