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
		value := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, -1, 1e300}))
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

func TestStackedIsExactAndShowsEveryPart(t *testing.T) {
	th := theme.New("", true, false)
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.Float64Range(0, 100), 0, 4).Draw(t, "parts")
		width := rapid.IntRange(0, 50).Draw(t, "width")
		top := rapid.Float64Range(0, 400).Draw(t, "top")
		bar := ansi.Strip(Stacked(th, parts, top, width))
		if got := text.Width(bar); got != width {
			t.Fatalf("%d cells, want %d", got, width)
		}
		positive := 0
		for i, p := range parts {
			if p > 0 {
				positive++
				if width >= len(parts) && top >= 400 && !strings.ContainsRune(bar, stackRunes[i]) {
					t.Fatalf("part %d of %v is missing in %q", i, parts, bar)
				}
			}
		}
		if positive == 0 && strings.TrimSpace(bar) != "" {
			t.Fatalf("nothing draws %q", bar)
		}
	})
	if got := ansi.Strip(Stacked(th, []float64{1, 2, 1}, 8, 16)); got != "██▓▓▓▓▒▒        " {
		t.Errorf("a bar of half the top: %q", got)
	}
}
