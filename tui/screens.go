package tui

import (
	"sweetspot/tui/screen"
	"sweetspot/tui/screens/explore"
	"sweetspot/tui/screens/fleet"
	"sweetspot/tui/screens/library"
	"sweetspot/tui/screens/probe"
	"sweetspot/tui/screens/traffic"
)

// screens are all there are, in the order of [keys.Tabs]; the program begins with
// the first. A new one is a line here and one there.
func screens(sh *screen.Shell, o Options) []screen.Screen {
	e := explore.New(sh, o.State, o.Today)
	return []screen.Screen{
		e,
		probe.New(sh, o.Probe, o.State.Machines, e.Query),
		fleet.New(sh, o.Traces),
		traffic.New(sh, o.Loads),
		library.New(sh),
	}
}
