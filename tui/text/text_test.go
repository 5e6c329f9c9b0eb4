package text

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestCleanTakesControlAway(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                              "plain",
		"a\x1b[31mred\x1b[0m":                "ared",
		"title\x1b]0;owned\x07x":             "titlex",
		"a\tb\nc":                            "a b c",
		"bell\x07\x00":                       "bell",
		"rtl\u202eevil":                      "rtlevil",
		"\u200bzero":                         "zero",
		"c1\u009b31mx":                       "c1x",
		"naïve ± €":                          "naïve ± €",
		strings.Repeat("\u0915\u094d", 5000): strings.Repeat("\u0915\u094d", longestCharacter/2),
		"a" + strings.Repeat("\u0301", 5000): "a" + strings.Repeat("\u0301", 8),
		"हिन्दी ไทย 한국어 é́ 👍🏽": "हिन्दी ไทย 한국어 é́ 👍🏽",
	} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("a\x1b[31mb\xff\u202e")
	f.Add("\x9b31m\x90q\x9c")
	f.Fuzz(func(t *testing.T, s string) {
		got := Clean(s)
		if !utf8.ValidString(got) {
			t.Fatalf("%q became invalid %q", s, got)
		}
		for _, r := range got {
			if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
				t.Fatalf("%q left %q in %q", s, r, got)
			}
		}
		if Clean(got) != got {
			t.Fatalf("cleaning %q twice changes it", got)
		}
	})
}

func TestFitIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Clean(rapid.String().Draw(t, "s"))
		w := rapid.IntRange(-2, 30).Draw(t, "w")
		for name, got := range map[string]string{"Fit": Fit(s, w), "FitRight": FitRight(s, w), "Center": Center(s, w),
			"Ends": Ends(s, "±3", w)} {
			if Width(got) != max(w, 0) {
				t.Fatalf("%s(%q, %d) = %q is %d cells", name, s, w, got, Width(got))
			}
		}
		if got := Truncate(s, w, "…"); Width(got) > max(w, 0) {
			t.Fatalf("Truncate(%q, %d) = %q", s, w, got)
		}
	})
}

func TestFitKeepsEscapes(t *testing.T) {
	got := Fit("\x1b[31mabcdef\x1b[m", 3)
	if !strings.Contains(got, "\x1b[31m") || !strings.Contains(got, "\x1b[m") || Width(got) != 3 {
		t.Errorf("got %q", got)
	}
}

func TestBlockAndBeside(t *testing.T) {
	left := Block([]string{"ab", "c"}, 3, 3)
	if left != "ab \nc  \n   " {
		t.Fatalf("Block = %q", left)
	}
	if got := Beside(left, "X\nY\nZ"); got != "ab X\nc  Y\n   Z" {
		t.Errorf("Beside = %q", got)
	}
	if got := Beside("X", left); got != "Xab \n c  \n    " {
		t.Errorf("Beside uneven = %q", got)
	}
}

func TestWrapKeepsEveryWordWithinTheWidth(t *testing.T) {
	for in, want := range map[string][]string{
		"":                                       {""},
		"a script, as python3 train.py --lr 0.1": {"a script, as", "python3", "train.py --lr", "0.1"},
		"/a/very/long/path.py x":                 {"/a/very/long/p", "ath.py x"},
		"two\nlines":                             {"two", "lines"},
	} {
		if got := Wrap(in, 14); !slices.Equal(got, want) {
			t.Errorf("%q became %q", in, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := Clean(rapid.String().Draw(t, "s"))
		w := rapid.IntRange(2, 30).Draw(t, "w")
		all := ""
		for _, l := range Wrap(s, w) {
			if Width(l) > w {
				t.Fatalf("%q is %d cells, %d are there", l, Width(l), w)
			}
			all += l
		}
		without := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		if without(all) != without(s) {
			t.Fatalf("%q became %q", s, all)
		}
	})
	if got := Wrap("日本", 1); len(got) != 1 || Width(got[0]) > 1 {
		t.Errorf("wider than the line: %q", got)
	}
}
