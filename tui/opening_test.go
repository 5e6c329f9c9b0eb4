package tui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"sweetspot/data/catalog"
	builtin "sweetspot/data/library"
)

// A first session opens on networks of today, with what was published and, labelled,
// what is predicted; the studies are a key away.
func TestOpensOnAQuestionOfToday(t *testing.T) {
	set, err := builtin.Load()
	if err != nil {
		t.Fatal(err)
	}
	set.VMTypes = catalog.Market()
	for _, size := range []struct {
		name string
		w, h int
	}{{"120x40", 120, 40}, {"80x24", 80, 24}} {
		t.Run(size.name, func(t *testing.T) {
			d := driveOn(t, size.w, size.h, &shelf{set: set}, nil)
			golden.RequireEqual(t, []byte(d.screen()))
		})
	}
	d := driveOn(t, 200, 50, &shelf{set: set}, nil)
	for _, want := range []string{"ImageNet-1k · infer 1,000,000 images", "top-1 ≥ 80.0 %", "levit_256 · fb_dist_in1k",
		"Rent 4× 1x_RTX3090_SECURE (RTX-3090) for levit_256", "○ publ", "□ spec"} {
		if !strings.Contains(d.screen(), want) {
			t.Errorf("no %q:\n%s", want, d.screen())
		}
	}
	if !d.explore().Question().Predicted {
		t.Error("the predictions are not part of the question")
	}
	d.press("P")
	if strings.Contains(d.screen(), "□ spec") || !strings.Contains(d.screen(), "of 396") {
		t.Errorf("P leaves predictions:\n%s", d.screen())
	}
}
