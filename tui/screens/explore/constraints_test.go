package explore

import (
	"strings"
	"testing"

	"sweetspot/engine/advice"
	"sweetspot/tui/components/slider"
)

func TestTypedValuesMeanWhatPeopleMean(t *testing.T) {
	for _, c := range []struct {
		parse func(string) (float64, error)
		typed string
		want  float64
	}{
		{parseDeadline, "90", 5400}, {parseDeadline, "90s", 90}, {parseDeadline, "1.5h", 5400},
		{slider.ParsePercent, "70", 0.7}, {slider.ParsePercent, "0.7", 0.7}, {slider.ParsePercent, "70%", 0.7},
	} {
		if v, err := c.parse(c.typed); err != nil || v != c.want {
			t.Errorf("%q is %v (%v), want %v", c.typed, v, err, c.want)
		}
	}
}

func TestErrorsQuoteWhatWasTyped(t *testing.T) {
	for _, parse := range []func(string) (float64, error){parseDeadline, slider.ParsePercent} {
		_, err := parse("abc")
		if err == nil || !strings.HasPrefix(err.Error(), `"abc" is not a `) {
			t.Errorf("the sentence is %v", err)
		}
	}
}

func TestCrossoversAreCounted(t *testing.T) {
	a := &Answer{}
	for _, want := range []string{"", "1 crossover", "2 crossovers"} {
		if got := crossoverNote(a); got != want {
			t.Errorf("%d: %q, want %q", len(a.Crossovers), got, want)
		}
		a.Crossovers = append(a.Crossovers, advice.Crossover{})
	}
}
