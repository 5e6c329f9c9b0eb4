package intake

import (
	"strings"
	"testing"
)

func TestPassedOver(t *testing.T) {
	for skipped, want := range map[string]string{
		"":            "",
		"a":           "1 file of unknown format skipped: a",
		"a b c d e":   "5 files of unknown format skipped: a, b, c, d, e",
		"a b c d e f": "6 files of unknown format skipped: a, b, c, d, e and 1 more",
	} {
		if got := (&Result{Skipped: strings.Fields(skipped)}).PassedOver(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
