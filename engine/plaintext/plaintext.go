// Package plaintext makes text from outside harmless: what a script prints, a
// host calls itself or a file names a column may hold escape sequences and
// control characters that would drive a terminal or break a line.
//
// It is in engine, although data, probes and tui use it most, because engine itself
// cleans what it puts into errors and sentences (profile, bill, quantity, fleet).
package plaintext

import (
	"bufio"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean returns s without escape sequences, control characters and invisible
// formatting that hides or reorders text. Tabs and line ends become spaces;
// invalid UTF-8 becomes the replacement character, and so do the two code points
// that are no characters and that XML and YAML forbid. Of the marks that pile up on
// one character a few are kept.
func Clean(s string) string {
	if IsASCII(s) {
		return s
	}
	var out strings.Builder
	out.Grow(len(s))
	marks := 0 // on the character before
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 && s[i] >= 0x90 && s[i] <= 0x9f {
			// Not UTF-8: an 8-bit control may begin a sequence as ESC does.
			r = rune(s[i])
		}
		switch {
		case r == 0x1b || r == 0x9b || r == 0x9d || r == 0x90 || r == 0x98 || r == 0x9e || r == 0x9f:
			i += max(sequence(s[i:], size), size)
			continue
		case r == '\t' || r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029':
			marks = 0
			out.WriteByte(' ')
		case r == 0xfffe || r == 0xffff:
			out.WriteRune(utf8.RuneError)
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
		case unicode.In(r, unicode.M, joining):
			if marks++; marks <= mostMarks {
				out.WriteRune(r)
			}
		default:
			marks = 0
			out.WriteRune(r)
		}
		i += size
	}
	return out.String()
}

// mostMarks are more than any script puts on a character.
const mostMarks = 8

// joining are the letters that are drawn into the character before, as marks are:
// vowels and finals of Hangul, Japanese sound marks, skin colours.
var joining = &unicode.RangeTable{
	R16: []unicode.Range16{{Lo: 0x1160, Hi: 0x11ff, Stride: 1}, {Lo: 0xd7b0, Hi: 0xd7ff, Stride: 1},
		{Lo: 0xff9e, Hi: 0xff9f, Stride: 1}},
	R32: []unicode.Range32{{Lo: 0x1f3fb, Hi: 0x1f3ff, Stride: 1}},
}

// Line is Clean for a line of output: of a progress bar that redraws itself
// with carriage returns it keeps the last drawing, and it cuts at limit runes.
func Line(s string, limit int) string {
	s = strings.TrimRight(s, "\r\n")
	if i := strings.LastIndexByte(s, '\r'); i >= 0 {
		s = s[i+1:]
	}
	return Cut(strings.TrimRight(Clean(s), " "), limit)
}

// Name is Clean for a name among others on a line: at most 60 runes.
func Name(s string) string { return Cut(Clean(s), 60) }

// Cut shortens s to at most limit runes and says so with an ellipsis.
func Cut(s string, limit int) string {
	n := 0
	for i := range s {
		if n++; n == limit {
			rest := s[i:]
			if _, size := utf8.DecodeRuneInString(rest); size < len(rest) {
				return s[:i] + "…"
			}
			break
		}
	}
	return s
}

// Quote quotes what a cell or a flag holds for the sentence that refuses it,
// long ones cut.
func Quote(s string) string { return strconv.Quote(Cut(s, 41)) }

// Join writes the elements of a list one after another, with sep between them.
func Join[T any](list []T, sep string, write func(T) string) string {
	words := make([]string, len(list))
	for i, v := range list {
		words[i] = write(v)
	}
	return strings.Join(words, sep)
}

// Optional writes a value, or what stands for one that is unknown.
func Optional[T any](v *T, unknown string, write func(T) string) string {
	if v == nil {
		return unknown
	}
	return write(*v)
}

// Unmarked skips the byte order mark that spreadsheets put before a first cell,
// quoted or not.
func Unmarked(r io.Reader) io.Reader {
	text := bufio.NewReader(r)
	if mark, err := text.Peek(len(byteOrderMark)); err == nil && string(mark) == byteOrderMark {
		_, _ = text.Discard(len(byteOrderMark))
	}
	return text
}

const byteOrderMark = "\ufeff"

// IsASCII reports whether s is printable ASCII alone.
func IsASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// sequence returns the length of the control sequence that s begins with, its
// introducer of size bytes included. What is not ended takes the rest.
func sequence(s string, size int) int {
	kind, body := s[size-1], size
	if s[0] == 0x1b {
		if len(s) == 1 {
			return 1
		}
		kind, body = s[1]+0x40, 2 // ESC [ is the 7-bit form of 0x9b
		if s[1] < 0x40 || s[1] > 0x5f {
			return short(s)
		}
	}
	switch kind {
	case 0x9b:
		return control(s, body)
	case 0x9d, 0x90, 0x98, 0x9e, 0x9f:
		return text(s, body)
	}
	return body
}

// short is ESC, intermediate bytes and one final byte, as in ESC ( B.
func short(s string) int {
	for i := 1; i < len(s); i++ {
		if s[i] < 0x20 || s[i] > 0x2f {
			if s[i] >= 0x30 && s[i] <= 0x7e {
				return i + 1
			}
			return i
		}
	}
	return len(s)
}

// control is parameters, intermediates and a final byte: colours, cursor.
func control(s string, i int) int {
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 0x40 && c <= 0x7e:
			return i + 1
		case c < 0x20 || c > 0x7e:
			return i // broken off; the byte speaks for itself
		}
	}
	return len(s)
}

// text runs to BEL or the string terminator: titles, links, device strings.
func text(s string, i int) int {
	for ; i < len(s); i++ {
		switch {
		case s[i] == 0x07:
			return i + 1
		case s[i] == 0x1b && i+1 < len(s) && s[i+1] == '\\':
			return i + 2
		case s[i] == 0x1b, s[i] == '\n':
			return i
		case s[i] == 0xc2 && i+1 < len(s) && s[i+1] == 0x9c:
			return i + 2
		}
	}
	return len(s)
}
