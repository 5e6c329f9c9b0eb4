package slider

import (
	"math"
	"strings"

	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// Height is the number of lines of a slider.
const Height = 2

// trackLine is the line of the track, from the top of the slider; clicks on it
// go to [Slider.Click].
const trackLine = 1

// View draws the slider in exactly width cells and [Height] lines.
func (s *Slider) View(th *theme.Theme, width int) string {
	if width <= 0 {
		return "\n"
	}
	if s.err != "" {
		return s.complaint(th, width)
	}
	return s.head(th, width) + "\n" + s.track(th, width)
}

// complaint says what is wrong with the typed value, on both lines until the next
// key.
func (s *Slider) complaint(th *theme.Theme, width int) string {
	lines := text.Wrap(s.err, width)
	if len(lines) > Height {
		lines[Height-1] = text.Truncate(strings.Join(lines[Height-1:], " "), width, th.Symbols.Ellipsis)
	}
	for i := range lines {
		lines[i] = th.Bad.Render(lines[i])
	}
	return text.Block(lines, width, Height)
}

// head is the line with label, value and note.
func (s *Slider) head(th *theme.Theme, width int) string {
	label := th.Text.Render(s.cfg.Label)
	if s.focused {
		label = th.TitleFocus.Render(s.cfg.Label)
	}
	left := label + " " + s.reading(th)
	if s.typing {
		return text.Fit(left, width)
	}
	right := th.Dim.Render(s.note)
	if s.Binds && s.on {
		left += "  " + th.Binds.Render(th.Symbols.Here+" binds")
	}
	if text.Width(left)+1+text.Width(right) > width {
		return text.Fit(left, width)
	}
	return text.Ends(left, right, width)
}

// reading is the value as text.
func (s *Slider) reading(th *theme.Theme) string {
	sign := map[Direction]string{AtLeast: th.Symbols.AtLeast + " ", AtMost: th.Symbols.AtMost + " "}[s.cfg.Direction]
	switch {
	case s.typing:
		return sign + th.Key.Render(s.typed) + th.Cursor.Render(" ") + th.Dim.Render(" enter")
	case !s.on:
		return th.Dim.Render("any")
	}
	return sign + th.Title.Render(s.cfg.Format(s.value))
}

// track is the line with histogram, knob and marks.
func (s *Slider) track(th *theme.Theme, width int) string {
	knob := s.knob(width)
	heights := s.heights(width, len(th.Symbols.Bars))
	marks := s.markColumns(width)
	var b strings.Builder
	for x := 0; x < width; {
		pen, r := s.cell(th, x, knob, heights[x], marks[x])
		run := []rune{r}
		for x++; x < width; x++ {
			next, r := s.cell(th, x, knob, heights[x], marks[x])
			if next != pen {
				break
			}
			run = append(run, r)
		}
		b.WriteString(pen.Render(string(run)))
	}
	return b.String()
}

// cell chooses pen and rune of a column of the track.
func (s *Slider) cell(th *theme.Theme, x, knob, height int, mark bool) (theme.Pen, rune) {
	sym := &th.Symbols
	direction := s.cfg.Direction
	in := !s.on || direction == Exactly || direction == AtLeast && x >= knob || direction == AtMost && x <= knob
	switch {
	case x == knob && s.cfg.Direction == AtLeast:
		return th.Knob, sym.KnobLow
	case x == knob && s.cfg.Direction == AtMost:
		return th.Knob, sym.KnobHigh
	case x == knob:
		return th.Knob, sym.Series[0]
	case mark:
		return th.Pinned, sym.Mark
	case height > 0 && in:
		return th.Track, sym.Bars[height-1]
	case height > 0:
		return th.Histogram, sym.Bars[height-1]
	case in:
		return th.Track, sym.Track
	}
	return th.TrackOut, sym.TrackOut
}

// knob is the column of the knob, at the loose end when the constraint is off.
func (s *Slider) knob(width int) int {
	if !s.on {
		if s.cfg.Direction == AtMost {
			return width - 1
		}
		return 0
	}
	f, ok := s.cfg.fraction(s.value)
	if !ok {
		f = 0
	}
	return min(max(int(f*float64(width)+1e-9), 0), width-1)
}

// heights spreads the histogram over the columns: 0 for none, else 1…levels.
// Heights follow the square root, so that a few candidates are seen beside
// many.
func (s *Slider) heights(width, levels int) []int {
	out := make([]int, width)
	if len(s.Histogram) == 0 {
		return out
	}
	most := 0
	for x := range out {
		// A column covers at least one bin, several when there are more bins.
		from := x * len(s.Histogram) / width
		for _, n := range s.Histogram[from:max((x+1)*len(s.Histogram)/width, from+1)] {
			out[x] += max(n, 0)
		}
		most = max(most, out[x])
	}
	for x, n := range out {
		if n > 0 {
			out[x] = 1 + int(math.Sqrt(float64(n)/float64(most))*float64(levels-1)+0.5)
		}
	}
	return out
}

func (s *Slider) markColumns(width int) []bool {
	out := make([]bool, width)
	for _, v := range s.Marks {
		if f, ok := s.cfg.fraction(v); ok && f >= 0 && f <= 1 {
			out[min(int(f*float64(width)), width-1)] = true
		}
	}
	return out
}
