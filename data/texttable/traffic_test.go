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
