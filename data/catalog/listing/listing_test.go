package listing

import (
	"strings"
	"testing"
	"time"

	"sweetspot/engine/profile"
)

// A price of today has no age.
func TestAgesOfAnEntry(t *testing.T) {
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	for asOf, want := range map[string]string{"2026-03-02": "  today  ", "2026-03-01": "  1 day old  ",
		"2026-01-20": "  41 days old  ", "2020-01-20": "  6 years old, stale  ", "": "  no date  "} {
		vm := profile.VMType{Cloud: "aws", Region: "us-east-1", InstanceType: "vm", GPU: "T4", GPUCount: 1,
			Prices: []profile.Price{{Purchase: profile.OnDemand, USDPerHour: 1.25, Source: "a list", AsOf: asOf}}}
		var b strings.Builder
		if err := WriteEntry(&b, vm, &profile.Set{}, now); err != nil || !strings.Contains(b.String(), want+"a list") {
			t.Errorf("as of %q: %v, want %q in\n%s", asOf, err, want, b.String())
		}
	}
}
