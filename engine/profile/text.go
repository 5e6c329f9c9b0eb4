package profile

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean returns s as it may be stored and drawn: without control characters
// (escape sequences lose their teeth), without marks that reorder or hide
// text, with tabs and line breaks as spaces and broken UTF-8 replaced.
func Clean(s string) string {
	if isClean(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029':
			return ' '
		case unicode.IsControl(r) || reordersOrHides(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

func isClean(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
				return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || reordersOrHides(r)
			})
		}
	}
	return true
}

// reordersOrHides names the zero-width and bidirectional marks: with them a
// name can look like another one.
func reordersOrHides(r rune) bool {
	return r == '\u200b' || r == '\u200e' || r == '\u200f' || r == '\ufeff' || r == '\u2060' ||
		r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}
