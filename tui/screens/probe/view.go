package probe

import (
	"fmt"
	"strconv"
	"strings"

	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/tui/components/panel"
	"sweetspot/tui/text"
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
		return text.Block([]string{fmt.Sprintf("needs %d×%d, has %d×%d", leastWidth, leastRows+ownRows, s.w, s.h+ownRows)}, s.w, s.h)
	case s.state == Filling:
		return s.viewForm()
	case s.w < 80 || s.h < 18:
		return s.viewSmall()
	case s.w < 120:
		return s.viewMedium()
	}
	return s.viewWide()
}

// rightWidth is the width of the estimate's panel.
const rightWidth = 46

func (s *Screen) viewWide() string {
	left := s.w - rightWidth
	body := s.h - 1
	logRows := min(max(body/4, 4), 12)
	chart := s.chart(left, body-gpuRows-logRows)
	rest := s.gpuPanel(left) + "\n" + s.logPanel(left, logRows)
	return s.headline() + "\n" + text.Beside(chart+"\n"+rest, s.estimatePanel(rightWidth, body))
}

// gpuRows is the height of the telemetry panel.
const gpuRows = 3

func (s *Screen) viewMedium() string {
	body := s.h - 1
	lower := min(max(body/2, 11), 14)
	right := s.w - rightWidth
	below := text.Beside(s.estimatePanel(rightWidth, lower), s.gpuPanel(right)+"\n"+s.logPanel(right, lower-gpuRows))
	return s.headline() + "\n" + s.chart(s.w, body-lower) + "\n" + below
}

// viewSmall has no borders: the numbers first, a chart if there is room.
func (s *Screen) viewSmall() string {
	lines := append([]string{s.headline()}, s.estimateLines(s.w)...)
	lines = append(lines, " "+s.gpuLine(s.w-1))
	if room := s.h - len(lines); room >= 6 {
		s.live.SetSize(s.w, room-1)
		s.live.SetEmpty(s.nothing())
		lines = append(lines, text.Lines(s.live.View())...)
	}
	if n := s.h - len(lines); n > 0 {
		lines = append(lines, s.logLines(n, s.w)...)
	}
	return text.Block(lines, s.w, s.h)
}

// headline says what is measured, on what, and what it has taken.
func (s *Screen) headline() string {
	th := s.th
	dot := " " + th.Symbols.Dot + " "
	word := map[State]string{Starting: "starting", Running: "probing", Stopping: "stopping", Done: "measured", Failed: "failed"}[s.state]
	pen := th.Key
	switch s.state {
	case Done:
		pen, word = th.Good, th.Symbols.Check+" "+word
	case Failed:
		pen, word = th.Bad, th.Symbols.Cross+" "+word
	}
	r := s.update.Run
	what := []string{s.form.Model, string(s.form.Mode), "batch " + strconv.Itoa(s.form.Batch), s.form.Precision}
	if s.update.Seq > 0 && r.Model != "" {
		what = []string{r.Model, string(r.Mode), "batch " + strconv.Itoa(r.BatchSize), r.Variant.Precision}
	}
	left := " " + pen.Render(word) + "  " + th.Title.Render(text.Clean(joined(what, dot)))
	if m := machine(r); m != "" && s.w >= 80 {
		left += "   " + th.Dim.Render(text.Clean(m))
	}
	right := s.spent() + " "
	if text.Width(left)+text.Width(right) > s.w && s.w < 60 {
		return text.Fit(left, s.w)
	}
	return text.Ends(left, "  "+right, s.w)
}

// joined puts the parts that aren't empty together.
func joined(parts []string, by string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, by)
}

// machine names where the probe runs.
func machine(r profile.Run) string {
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

// spent is the time and money of the probe so far.
func (s *Screen) spent() string {
	th := s.th
	out := th.Dim.Render("spent ") + clock(s.update.SpentS)
	if s.form.MaxSeconds > 0 {
		out += th.Dim.Render(" of " + clock(s.form.MaxSeconds))
	}
	if usd := s.update.SpentUSD; usd != nil {
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
	if s.state == Done || s.state == Failed {
		return "nothing was measured"
	}
	return "waiting for the first iteration"
}

func (s *Screen) gpuPanel(w int) string {
	return panel.Panel{Title: "GPU"}.Render(s.th, " "+s.gpuLine(max(w-4, 0)), w, gpuRows)
}

func (s *Screen) logPanel(w, h int) string {
	note := ""
	if n := s.update.Rejected; n > 0 {
		note = quantity.Count(float64(n)) + " lines rejected"
	}
	iw, ih := panel.Inner(w, h)
	return panel.Panel{Title: "output", Note: note}.Render(s.th, strings.Join(s.logLines(ih, iw), "\n"), w, h)
}

// logLines are the newest lines of the script, and above them the newest
// warning.
func (s *Screen) logLines(n, w int) []string {
	if n <= 0 {
		return nil
	}
	log := s.update.Log
	var out []string
	if k := len(s.update.Warnings); k > 0 {
		out = append(out, " "+s.th.Warn.Render(text.Truncate("! "+text.Clean(s.update.Warnings[k-1]), w-1, s.th.Symbols.Ellipsis)))
	}
	log = log[max(len(log)-(n-len(out)), 0):]
	for _, l := range log {
		out = append(out, " "+s.th.Dim.Render(text.Truncate(text.Clean(l), w-1, s.th.Symbols.Ellipsis)))
	}
	if len(out) == 0 {
		out = append(out, " "+s.th.Faint.Render("no output yet"))
	}
	return out[:min(len(out), n)]
}
