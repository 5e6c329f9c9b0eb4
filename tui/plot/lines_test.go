package plot

import (
	"math"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"pgregory.net/rapid"

	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

func exampleLines(th *theme.Theme, w, h int) *Lines {
	l := NewLines(th)
	l.SetSize(w, h)
	l.SetAxes(Axis{Title: "VMs", Label: CountLabel}, Axis{Title: "bill", Label: MoneyLabel})
	var a, b Line
	b.Class = 1
	for n := range 41 {
		x := float64(n)
		a.X, a.Y = append(a.X, x), append(a.Y, 3000+(x-22)*(x-22)*4)
		b.X, b.Y = append(b.X, x), append(b.Y, 2600+(x-20)*(x-20)*4)
	}
	b.Y[30] = math.NaN()
	l.SetData(1, []Line{a, b})
	l.SetMarks(Mark{X: 22}, Mark{X: 10, Here: true})
	return l
}

func TestLinesGolden(t *testing.T) {
	for _, symbols := range []string{"braille", "ascii"} {
		t.Run(symbols, func(t *testing.T) {
			sym, _ := theme.SymbolSet(symbols)
			th := theme.New("", true, true).WithSymbols(sym)
			golden.RequireEqual(t, []byte(ansi.Strip(exampleLines(th, 60, 14).View())+"\n"))
		})
	}
}

func TestLinesAreExactWhateverTheyShow(t *testing.T) {
	th := theme.New("", true, false)
	rapid.Check(t, func(t *rapid.T) {
		l := NewLines(th)
		w, h := rapid.IntRange(0, 70).Draw(t, "w"), rapid.IntRange(0, 20).Draw(t, "h")
		l.SetSize(w, h)
		log := rapid.Bool().Draw(t, "log")
		l.SetAxes(Axis{Log: log}, Axis{Log: log, Label: MoneyLabel})
		value := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), 0,
			-1, 1e300}))
		var lines []Line
		for k := range rapid.IntRange(0, 4).Draw(t, "lines") {
			n := rapid.IntRange(0, 30).Draw(t, "n")
			line := Line{Class: k}
			for range n {
				line.X, line.Y = append(line.X, value.Draw(t, "x")), append(line.Y, value.Draw(t, "y"))
			}
			lines = append(lines, line)
		}
		l.SetData(7, lines)
		l.SetMarks(Mark{X: value.Draw(t, "mark")})
		view := l.View()
		if w == 0 || h == 0 {
			if view != "" {
				t.Fatalf("a chart of no size draws %q", view)
			}
			return
		}
		got := text.Lines(view)
		if len(got) != h {
			t.Fatalf("%d lines, want %d", len(got), h)
		}
		for _, line := range got {
			if text.Width(line) != w {
				t.Fatalf("%d cells, want %d: %q", text.Width(line), w, line)
			}
		}
	})
}

func TestBarsAreExactAndShowEveryPart(t *testing.T) {
	all := themes(t)
	rapid.Check(t, func(t *rapid.T) {
		th := rapid.SampledFrom(all).Draw(t, "theme")
		value := rapid.OneOf(rapid.Float64Range(0, 100), rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), -1, 0, 1e300}))
		width, height := rapid.IntRange(-1, 50).Draw(t, "width"), rapid.IntRange(-1, 20).Draw(t, "height")
		var bars []StackedBar
		for range rapid.IntRange(0, 5).Draw(t, "bars") {
			bars = append(bars, StackedBar{"name", "$1", rapid.SliceOfN(value, 0, 4).Draw(t, "parts")})
		}
		lines := text.Lines(Bars(th, bars, width, height))
		if len(lines) > max(height, 1) {
			t.Fatalf("%d lines of %d", len(lines), height)
		}
		for i, line := range lines {
			if got := text.Width(line); got > max(width, 0) {
				t.Fatalf("line %d has %d cells of %d: %q", i, got, width, line)
			}
		}
		if width < 5 || len(bars) == 0 {
			return
		}
		for i, row := range stacks(th, bars, width) {
			longest := true
			for _, b := range bars {
				longest = longest && bars[i].sum() >= b.sum()
			}
			row = ansi.Strip(row)
			if text.Width(row) != width {
				t.Fatalf("%d cells, want %d", text.Width(row), width)
			}
			positive := 0
			for part, p := range bars[i].Parts {
				if !(p > 0) || math.IsInf(p, 0) {
					continue
				}
				if positive++; longest && p > bars[i].sum()/20 && !strings.ContainsRune(row, stackRune(th, part)) {
					t.Fatalf("part %d of %v is missing in %q", part, bars[i].Parts, row)
				}
			}
			if empty := strings.TrimSpace(row) == ""; empty != (positive == 0) {
				t.Fatalf("%v draws %q", bars[i].Parts, row)
			}
		}
	})
	narrow := stacks(theme.New("", true, false), []StackedBar{{Parts: []float64{1, 3.5, 0.5}}}, 5)
	if got := ansi.Strip(narrow[0]); got != "█▓▓▓▒" {
		t.Errorf("a small last part: %q", got)
	}
	two := []StackedBar{{Parts: []float64{1, 2, 1}}, {Parts: []float64{0, 8}}}
	got := stacks(theme.New("", true, false), two, 16)
	for i, want := range []string{"██▓▓▓▓▒▒        ", strings.Repeat("▓", 16)} {
		if got := ansi.Strip(got[i]); got != want {
			t.Errorf("bar %d: %q, want %q", i, got, want)
		}
	}
}
