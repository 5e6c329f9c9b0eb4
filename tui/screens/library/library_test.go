package library

import (
	"testing"

	"sweetspot/tui/keys"
	"sweetspot/tui/theme"
)

func TestEveryShelfIsARegionOfItsOwn(t *testing.T) {
	s := New(theme.New("", true, false))
	for _, want := range []string{keys.InModels, keys.InRuns, keys.InVMs, keys.InPicks, keys.InModels} {
		if s.Region() != want {
			t.Errorf("%s is in %s, want %s", shelfNames[s.Shelf()], s.Region(), want)
		}
		s.Turn(1)
	}
}
