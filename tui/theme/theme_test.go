package theme

import (
	"image/color"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"sweetspot/engine/estimate"
)

func TestNoColourLeavesWeightsOnly(t *testing.T) {
	for _, th := range []*Theme{New("", true, true), New("mono", false, false), New("high-contrast", true, true)} {
		for name, p := range map[string]Pen{"selected": th.Selected, "warn": th.Warn, "cursor": th.Cursor,
			"series": th.SeriesDensity(3, 2), "spec": th.Basis(estimate.Spec)} {
			if strings.Contains(p.Open(), "38;") || strings.Contains(p.Open(), "48;") {
				t.Errorf("%s: %s carries a colour: %q", th.Name, name, p.Open())
			}
		}
		if th.Selected.Open() == "" {
			t.Error("a selected row must show without colour")
		}
	}
}

func TestBasesLookDifferent(t *testing.T) {
	for _, th := range []*Theme{New("", true, false), New("light", true, false), New("mono", true, false)} {
		pens, marks, words := map[string]bool{}, map[rune]bool{}, map[string]bool{}
		for b := estimate.Unknown; b <= estimate.Spec; b++ {
			marks[th.BasisMark(b)] = true
			words[BasisWord(b)] = true
			pens[th.Basis(b).Open()] = true
		}
		if len(marks) != 7 || len(words) != 7 {
			t.Errorf("%s: %d marks and %d words for 7 bases", th.Name, len(marks), len(words))
		}
		if len(pens) < 5 {
			t.Errorf("%s: only %d pens for 7 bases", th.Name, len(pens))
		}
		if th.Basis(estimate.Measured) == th.Basis(estimate.Published) {
			t.Errorf("%s: measured looks like published", th.Name)
		}
	}
}

func TestEverySymbolIsOneCell(t *testing.T) {
	for _, name := range []string{"braille", "block", "ascii"} {
		s, err := SymbolSet(name)
		if err != nil {
			t.Fatal(err)
		}
		all := append([]rune{s.Selected, s.Pinned, s.Sweet, s.Rest, s.Shade, s.Band, s.Track, s.TrackOut, s.KnobLow,
			s.KnobHigh, s.Mark, s.Up, s.Down,
			s.AxisV, s.AxisH, s.AxisCorner, s.TickX, s.TickY, s.CrossH, s.CrossV, s.WhiskerLeft, s.WhiskerRight, s.WhiskerTop,
			s.WhiskerBottom}, s.Series...)
		all = append(append(all, s.Bars...), s.Parts...)
		all = append(all, []rune(s.H+s.V+s.TopLeft+s.TopRight+s.BottomLeft+s.BottomRight)...)
		for _, r := range all {
			if ansi.StringWidth(string(r)) != 1 {
				t.Errorf("%s: %q is %d cells wide", name, r, ansi.StringWidth(string(r)))
			}
			if name == "ascii" && r > 126 {
				t.Errorf("ascii set holds %q", r)
			}
		}
		seen := map[rune]bool{}
		for _, r := range s.Series {
			if seen[r] {
				t.Errorf("%s: two classes share %q", name, r)
			}
			seen[r] = true
		}
	}
	if _, err := SymbolSet("emoji"); err == nil {
		t.Error("an unknown set must be refused")
	}
}

func TestOverKeepsThePenThroughResets(t *testing.T) {
	th := New("", true, false)
	got := th.Selected.Over("a" + th.Good.Render("b") + "c")
	if ansi.Strip(got) != "abc" {
		t.Fatalf("text changed: %q", got)
	}
	if n := strings.Count(got, th.Selected.Open()); n != 2 {
		t.Errorf("selected pen taken up %d times, want 2: %q", n, got)
	}
	if !strings.HasSuffix(got, Close) {
		t.Errorf("not closed: %q", got)
	}
}

// luminance is the relative luminance of WCAG 2.
func luminance(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	lin := func(v uint32) float64 {
		f := float64(v) / 65535
		return f * f
	}
	return 0.2126*lin(r) + 0.7152*lin(g) + 0.0722*lin(b)
}

func TestColoursReadOnTheirBackground(t *testing.T) {
	for name, p := range map[string]palette{"dark": darkPalette, "light": lightPalette, "contrast dark": contrastDark,
		"contrast light": contrastLight} {
		back := luminance(rgb(p.back))
		for _, hex := range append([]string{p.dim, p.good, p.warn, p.bad, p.key}, p.series...) {
			l := luminance(rgb(hex))
			ratio := (max(l, back) + 0.05) / (min(l, back) + 0.05)
			if ratio < 3 {
				t.Errorf("%s: %s has contrast %.1f, want at least 3", name, hex, ratio)
			}
		}
	}
}

func TestValidNames(t *testing.T) {
	for _, n := range append(Names(), "", "auto") {
		if Valid(n) != nil {
			t.Errorf("%q refused", n)
		}
	}
	if err := Valid("solarized"); err == nil || !strings.Contains(err.Error(), "okabe-ito") {
		t.Errorf("want the known names, got %v", err)
	}
}
