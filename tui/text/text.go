// Package text fits strings into terminal cells. Everything that comes from
// outside the program goes through [Clean] first; widths are cells, never
// bytes, and escape sequences are never cut.
package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"sweetspot/engine/plaintext"
)

// Clean makes a string from outside safe to draw; see [plaintext.Clean]. Terminals
// draw what Unicode joins into one character, and what takes so many cells here, in
// up to a cell for every code point: of long ones the beginning is kept.
func Clean(s string) string {
	if s = plaintext.Clean(s); plaintext.IsASCII(s) {
		return s
	}
	var out strings.Builder
	for s != "" {
		character, _ := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
		s = s[len(character):]
		n := 0
		for _, r := range character {
			if n++; n <= longestCharacter {
				out.WriteRune(r)
			}
		}
	}
	return out.String()
}

// longestCharacter is the most code points that a character keeps.
const longestCharacter = 12

// Width is the number of cells s takes.
func Width(s string) int {
	if plaintext.IsASCII(s) {
		return len(s)
	}
	return ansi.StringWidth(s)
}

// Truncate cuts s to at most width cells and ends it with tail where something
// was cut.
func Truncate(s string, width int, tail string) string {
	if width <= 0 {
		return ""
	}
	if Width(s) <= width {
		return s
	}
	if Width(tail) > width {
		tail = ""
	}
	return ansi.Truncate(s, width, tail)
}

// Fit returns s in exactly width cells, cut or filled with spaces at the right.
func Fit(s string, width int) string {
	if width <= 0 {
		return ""
	}
	w := Width(s)
	if w > width {
		s = Truncate(s, width, "…")
		w = Width(s)
	}
	return s + Spaces(width-w)
}

// FitRight returns s in exactly width cells, filled at the left.
func FitRight(s string, width int) string {
	if width <= 0 {
		return ""
	}
	if Width(s) > width {
		return Fit(s, width)
	}
	return indent(s, width)
}

// indent fills s at the left up to width cells. A mark that combines with the
// space before it takes no cell of its own, so the sum is measured again.
func indent(s string, width int) string {
	for w := Width(s); w < width; w = Width(s) {
		s = Spaces(width-w) + s
	}
	return s
}

// Center returns s in exactly width cells with the spare cells on both sides.
func Center(s string, width int) string {
	if w := Width(s); w < width {
		s = indent(s, w+(width-w)/2)
	}
	return Fit(s, width)
}

// Ends returns left and right at the two ends of exactly width cells; left
// gives way where there isn't room for both.
func Ends(left, right string, width int) string {
	r := Width(right)
	if r >= width {
		return Fit(right, width)
	}
	return Fit(Fit(left, width-r)+right, width)
}

const blanks = "                                                                                                    "

// Spaces returns n spaces, "" for n ≤ 0.
func Spaces(n int) string {
	switch {
	case n <= 0:
		return ""
	case n <= len(blanks):
		return blanks[:n]
	}
	return strings.Repeat(" ", n)
}

// Block returns lines as exactly height lines of exactly width cells.
func Block(lines []string, width, height int) string {
	var b strings.Builder
	for i := range max(height, 0) {
		if i > 0 {
			b.WriteByte('\n')
		}
		line := ""
		if i < len(lines) {
			line = lines[i]
		}
		b.WriteString(Fit(line, width))
	}
	return b.String()
}

// Lines splits a rendered block.
func Lines(s string) []string { return strings.Split(s, "\n") }

// Beside puts blocks of equal height next to each other. Every line of a block
// must already have the same width.
func Beside(blocks ...string) string {
	split := make([][]string, len(blocks))
	height := 0
	for i, b := range blocks {
		split[i] = Lines(b)
		height = max(height, len(split[i]))
	}
	var out strings.Builder
	for row := range height {
		if row > 0 {
			out.WriteByte('\n')
		}
		for _, lines := range split {
			if row < len(lines) {
				out.WriteString(lines[row])
			} else {
				out.WriteString(Spaces(Width(lines[0])))
			}
		}
	}
	return out.String()
}

// Wrap breaks text without escape sequences so that no line is wider than
// width: at spaces, and inside a word only where it is wider than a line. A
// hyphen is no place to break: it may begin an option.
func Wrap(s string, width int) []string {
	if width <= 0 {
		return nil
	}
	var out []string
	for _, l := range Lines(s) {
		out = append(out, wrap(l, width)...)
	}
	return out
}

func wrap(s string, width int) []string {
	var out []string
	line := ""
	for word := range strings.SplitSeq(s, " ") {
		if line != "" && Width(line)+1+Width(word) <= width {
			line += " " + word
			continue
		}
		if line != "" {
			out = append(out, strings.TrimRight(line, " "))
		}
		for Width(word) > width {
			head := ansi.Truncate(word, width, "")
			if head == "" {
				break // a character wider than the line
			}
			out = append(out, head)
			word = word[len(head):]
		}
		line = Truncate(word, width, "")
	}
	return append(out, strings.TrimRight(line, " "))
}

// Sentence makes a clean sentence of words: a capital first, a full stop last.
func Sentence(words string) string {
	s := Clean(words)
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:] + "."
}
