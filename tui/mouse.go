package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"sweetspot/tui/keys"
)

// mouseAt handles the mouse: clicks and drags go to what is under the pointer,
// unless a dialog is open. Everything it does has a key.
func (a *App) mouseAt(msg tea.MouseMsg) tea.Cmd {
	if wheel, ok := msg.(tea.MouseWheelMsg); ok && a.export.Visible() {
		a.export.Scroll(map[bool]int{true: -wheelLines, false: wheelLines}[wheel.Button == tea.MouseWheelUp])
		return nil
	}
	if a.export.Visible() || a.confirm.Visible() || a.help.Visible() || a.picker.Visible() || a.prompt.Visible() {
		return nil
	}
	m := msg.Mouse()
	x, y := m.X, m.Y-1
	switch msg.(type) {
	case tea.MouseWheelMsg:
		step := 1
		if m.Button == tea.MouseWheelUp {
			step = -1
		}
		switch a.screen {
		case keys.Library:
			a.library.Wheel(step)
		case keys.Probe:
			a.probe.Wheel(step)
		case keys.Fleet:
			return a.askFleetIf(a.fleet.Wheel(x, y, step))
		case keys.Traffic:
			return a.askTrafficIf(a.traffic.Wheel(x, y, step))
		case keys.Explore:
			return a.askIf(a.explore.Wheel(x, y, step))
		}
	case tea.MouseClickMsg:
		if m.Button != tea.MouseLeft {
			return nil
		}
		if y < 0 {
			return a.clickTab(x)
		}
		return a.click(x, y)
	case tea.MouseMotionMsg:
		switch {
		case a.screen == keys.Fleet && m.Button == tea.MouseLeft && y >= 0:
			return a.askFleetIf(a.fleet.Click(x, y, true))
		case a.screen == keys.Traffic && m.Button == tea.MouseLeft && y >= 0:
			return a.askTrafficIf(a.traffic.Click(x, y, true))
		case a.screen != keys.Explore:
		case m.Button == tea.MouseLeft && y >= 0:
			return a.askIf(a.explore.Click(x, y, true))
		case m.Button == tea.MouseNone:
			a.explore.Hover(x, y)
		}
	case tea.MouseReleaseMsg:
		a.explore.Release()
	}
	return nil
}

// wheelLines is how far the wheel scrolls a text.
const wheelLines = 3

func (a *App) click(x, y int) tea.Cmd {
	switch a.screen {
	case keys.Probe:
		return a.effect(a.probe.Click(x, y))
	case keys.Library:
		a.library.Click(x, y)
	case keys.Fleet:
		return a.askFleetIf(a.fleet.Click(x, y, false))
	case keys.Traffic:
		return a.askTrafficIf(a.traffic.Click(x, y, false))
	default:
		return a.askIf(a.explore.Click(x, y, false))
	}
	return nil
}

// clickTab switches to the screen whose name in the header was clicked.
func (a *App) clickTab(x int) tea.Cmd {
	at := len(" sweetspot ")
	for _, action := range tabs {
		bind, _ := a.keys.Lookup(action)
		width := len(" 1 ")
		if a.w >= wideHeader || action == a.screen {
			width += len(bind.Help) + 1
		}
		if x >= at && x < at+width {
			return a.act(action)
		}
		at += width
	}
	return nil
}

func sizeSentence(w, h int) string {
	return fmt.Sprintf("needs %d×%d, has %d×%d", leastWidth, leastHeight, w, h)
}
