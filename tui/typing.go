package tui

import (
	tea "charm.land/bubbletea/v2"

	"sweetspot/tui/keys"
)

// typist is a screen on which values are typed into sliders.
type typist interface {
	IsTyping() bool
	Typing(begin bool)
	Type(text string)
	Backspace()
	Commit() (changed bool)
}

// typist is the present screen, nil where it has no sliders.
func (a *App) typist() typist {
	switch a.screen {
	case keys.Explore:
		return a.explore
	case keys.Fleet:
		return a.fleet
	case keys.Traffic:
		return a.traffic
	}
	return nil
}

func (a *App) typing() bool {
	if t := a.typist(); t != nil {
		return t.IsTyping()
	}
	return a.screen == keys.Probe && a.probe.IsTyping()
}

// typed gives a key to the value being typed on a slider or in the form.
func (a *App) typed(msg tea.KeyPressMsg) tea.Cmd {
	if a.screen == keys.Probe {
		switch msg.String() {
		case "enter":
			return a.effect(a.probe.Key(keys.Enter))
		case "esc":
			return a.effect(a.probe.Key(keys.Back))
		default:
			a.probe.Press(msg)
		}
		return nil
	}
	t := a.typist()
	switch msg.String() {
	case "enter":
		return a.askPresent(t.Commit())
	case "esc":
		t.Typing(false)
	case "backspace":
		t.Backspace()
	default:
		t.Type(msg.Text)
	}
	return nil
}

// askPresent asks the present screen's question anew if it has changed.
func (a *App) askPresent(changed bool) tea.Cmd {
	switch a.screen {
	case keys.Fleet:
		return a.askFleetIf(changed)
	case keys.Traffic:
		return a.askTrafficIf(changed)
	}
	return a.askIf(changed)
}

func (a *App) paste(msg tea.PasteMsg) tea.Cmd {
	switch {
	case a.picker.Visible():
		a.picker.Type(msg.Content)
	case a.export.Visible():
		a.export.Type(msg.Content)
	case a.prompt.Visible():
		return a.prompted(a.prompt.Update(msg))
	case a.screen == keys.Probe && a.probe.IsTyping():
		a.probe.Type(msg.Content)
	case a.typing():
		a.typist().Type(msg.Content)
	}
	return nil
}
