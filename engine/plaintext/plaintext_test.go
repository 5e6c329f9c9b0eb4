package plaintext

import (
	"io"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                 "plain",
		"\x1b[31mred\x1b[0m":    "red",
		"\x1b]0;title\x07after": "after",
		"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\": "link",
		"a\tb\nc\rd":             "a b c d",
		"bell\a nul\x00 del\x7f": "bell nul del",
		"\x1b(Bcharset":          "charset",
		"\u009b31mred":           "red",
		"\x9b31mred":             "red",
		"\u202eevil\u200b":       "evil",
		"größe ±2 % 数":           "größe ±2 % 数",
		"bad \xff utf8":          "bad \uFFFD utf8",
		"cut \x1b[3":             "cut ",
		"cut \x1b":               "cut ",
		"\x1bPq#0;2\x1b\\sixel":  "sixel",
		"two\u2028lines":         "two lines",
		"e" + strings.Repeat("\u0301", 5000) + "f":            "e" + strings.Repeat("\u0301", mostMarks) + "f",
		"\u1100" + strings.Repeat("\u1161", 5000):             "\u1100" + strings.Repeat("\u1161", mostMarks),
		strings.Repeat("o\u0302\u0301 \u0e01\u0e35\u0e49", 9): strings.Repeat("o\u0302\u0301 \u0e01\u0e35\u0e49", 9),
		"not \ufffe a \uffff":                                 "not \uFFFD a \uFFFD",
	} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestLine(t *testing.T) {
	if got := Line(" 10%|#\r 20%|##\r\n", 80); got != " 20%|##" {
		t.Errorf("progress bar: %q", got)
	}
	if got := Line(strings.Repeat("ä", 10), 4); got != "äää…" {
		t.Errorf("cut: %q", got)
	}
	if got := Line("äöüß", 4); got != "äöüß" {
		t.Errorf("what fits is cut: %q", got)
	}
}

func harmless(s string) bool {
	return utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == 0xfffe || r == 0xffff
	}) < 0
}

func TestCleanIsHarmlessAndIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := string(rapid.SliceOf(rapid.OneOf(rapid.Byte(), rapid.SampledFrom([]byte("\x1b[]0;m\x07\\ab\x9b\xc2")))).Draw(t,
			"in"))
		out := Clean(in)
		if !harmless(out) {
			t.Fatalf("Clean(%q) = %q", in, out)
		}
		if again := Clean(out); again != out {
			t.Fatalf("Clean of %q changes it to %q", out, again)
		}
	})
}

func FuzzClean(f *testing.F) {
	f.Add("\x1b[31mred\x1b[0m")
	f.Add("\x1b]0;t\x07\xc2\x9b")
	f.Fuzz(func(t *testing.T, in string) {
		if out := Clean(in); !harmless(out) {
			t.Fatalf("Clean(%q) = %q", in, out)
		}
		if n := utf8.RuneCountInString(Line(in, 20)); n > 20 {
			t.Fatalf("Line of %q has %d runes", in, n)
		}
	})
}

// What a refusing sentence quotes is short; a mark before the first cell is no
// part of it, and what is as short as a mark stays.
func TestQuoteAndUnmarked(t *testing.T) {
	if got := Quote(strings.Repeat("é", 100)); got != `"`+strings.Repeat("é", 40)+`…"` {
		t.Errorf("%s", got)
	}
	for text, want := range map[string]string{"": "", "a": "a", "model,": "model,", "\ufeffmodel": "model",
		"\ufeff\"a\"": "\"a\"", "a\ufeff": "a\ufeff"} {
		if got, err := io.ReadAll(Unmarked(strings.NewReader(text))); err != nil || string(got) != want {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}
