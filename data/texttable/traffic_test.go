package texttable

import (
	"bytes"
	"strings"
	"testing"

	"sweetspot/data/contract"
)

// The advice names the pick though no row may be marked, for it is not listed.
func TestTrafficMarksThePickAmongTheListed(t *testing.T) {
	listed := contract.Traffic{
		Pick: "paragon", Advice: []string{"paragon: $1.00 a day"}, Schemes: []contract.TrafficScheme{{Scheme: "reactive"},
			{Scheme: "mixed"}},
	}
	var text bytes.Buffer
	if err := Traffic(&text, listed); err != nil || !strings.Contains(text.String(), "\nparagon: $") ||
		strings.Contains(text.String(), " *") {
		t.Errorf("%v:\n%s", err, &text)
	}
	listed.Schemes = append(listed.Schemes, contract.TrafficScheme{Scheme: "paragon"})
	text.Reset()
	if err := Traffic(&text, listed); err != nil || !strings.Contains(text.String(), "\nparagon *") {
		t.Errorf("%v:\n%s", err, &text)
	}
}

// Of memory sizes beyond the knee only the cheapest and the last are listed.
func TestMemoryOfTheFunction(t *testing.T) {
	of := func(gb, seconds float64, cheapest bool) contract.TrafficFunction {
		return contract.TrafficFunction{MemoryGiB: gb, Seconds: seconds, InTime: true, Cheapest: cheapest}
	}
	var text strings.Builder
	traffic{contract.Traffic{Function: []contract.TrafficFunction{of(0.5, 4, false), of(1, 3, false), of(1.5, 2, false),
		of(2, 2, true), of(2.5, 2, false), of(3, 2, false)}}}.writeFunction(&text)
	var listed []string
	for _, line := range strings.Split(strings.TrimSpace(text.String()), "\n")[2:] {
		listed = append(listed, strings.Fields(line)[0])
	}
	if got := strings.Join(listed, " "); got != "0.5 1 1.5 2 3" {
		t.Errorf("listed are %s:\n%s", got, text.String())
	}
}
