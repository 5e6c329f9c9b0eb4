package profile

import "testing"

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                   "plain",
		"größer als 3 %":          "größer als 3 %",
		"a\x1b[31mred\x1b[0m":     "a[31mred[0m",
		"two\nlines\tand a tab":   "two lines and a tab",
		"bell\a del\x7f c1\u009b": "bell del c1",
		"bad \xff utf8":           "bad \uFFFD utf8",
		"left\u202eright":         "leftright",
	} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}
