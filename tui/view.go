package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"sweetspot/tui/components/overlay"
	"sweetspot/tui/keys"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// Sizes below which there is nothing sensible to draw, in cells.
const (
	leastWidth  = 40
	leastHeight = 10
)

// chromeRows are the title line and the footer.
const chromeRows = 2

func (a *App) resize(w, h int) {
	a.w, a.h = w, h
	body := max(h-chromeRows, 0)
	a.explore.SetSize(w, body)
	a.probe.SetSize(w, body)
	a.fleet.SetSize(w, body)
	a.traffic.SetSize(w, body)
	a.library.SetSize(w, body)
}

// dress takes on the theme that is asked for now.
func (a *App) dress() {
	a.th = a.theme()
	a.explore.SetTheme(a.th)
	a.probe.SetTheme(a.th)
	a.fleet.SetTheme(a.th)
	a.traffic.SetTheme(a.th)
	a.library.SetTheme(a.th)
}

// View draws the whole terminal.
func (a *App) View() tea.View {
	frame := a.frame()
	if a.th.Symbols.Raster == theme.ASCII {
		frame = typewriter.Replace(frame)
	}
	v := tea.NewView(frame)
	v.AltScreen = true
	v.WindowTitle = "sweetspot"
	if a.mouse {
		v.MouseMode = tea.MouseModeCellMotion
		if a.screen == keys.Explore { // plots say what the mouse points at
			v.MouseMode = tea.MouseModeAllMotion
		}
	}
	return v
}

// typewriter puts ASCII, cell by cell, where sentences that are not only for
// screens have typographic characters. Names keep the letters they have.
var typewriter = strings.NewReplacer("×", "x", "·", "-", "…", "~", "–", "-", "—", "-", "±", "~", "→", ">", "←", "<", "≥", ">", "≤", "<", "−", "-", "’", "'")

func (a *App) frame() string {
	if a.w < leastWidth || a.h < leastHeight {
		return a.tooSmall()
	}
	body := a.body()
	h := a.h - chromeRows
	switch {
	case a.confirm.Visible():
		body = overlay.Center(body, a.confirm.View(a.th, a.w, h), a.w, h)
	case a.help.Visible():
		body = overlay.Center(body, a.help.View(a.th, a.keys, a.region(), a.disabled, a.w, h), a.w, h)
	case a.picker.Visible():
		body = overlay.Center(body, a.picker.View(a.th, a.w, h), a.w, h)
	case a.export.Visible():
		body = overlay.Center(body, a.export.View(a.th, a.w, h), a.w, h)
	}
	return a.header() + "\n" + body + "\n" + a.footer()
}

func (a *App) tooSmall() string {
	return text.Block([]string{text.Truncate(sizeSentence(a.w, a.h), a.w, "")}, a.w, a.h)
}

func (a *App) body() string {
	switch a.screen {
	case keys.Probe:
		return a.probe.View()
	case keys.Fleet:
		return a.fleet.View()
	case keys.Traffic:
		return a.traffic.View()
	case keys.Library:
		return a.library.View()
	}
	return a.explore.View()
}

// tabs are the screens, in the order of the header.
var tabs = []keys.Action{keys.Explore, keys.Probe, keys.Fleet, keys.Traffic, keys.Library}

// header names the screens and what is asked.
func (a *App) header() string {
	var b strings.Builder
	b.WriteString(" " + a.th.Title.Render("sweetspot") + " ")
	short := a.w < wideHeader
	for _, action := range tabs {
		bind, _ := a.keys.Lookup(action)
		pen := a.th.Tab
		if action == a.screen {
			pen = a.th.TabActive
		}
		key := strings.Join(bind.Keys[:min(1, len(bind.Keys))], "")
		if short && action != a.screen {
			b.WriteString(pen.Render(" " + key + " "))
			continue
		}
		b.WriteString(pen.Render(" " + key + " " + bind.Help + " "))
	}
	what := a.explore.Headline()
	switch a.screen {
	case keys.Fleet:
		what = a.fleet.Headline()
	case keys.Traffic:
		what = a.traffic.Headline()
	}
	if a.running != nil && a.screen != keys.Probe {
		what = a.th.Warn.Render("probing") + " " + a.th.Symbols.Dot + " " + what
	}
	right := text.Clean(a.ws.Label())
	left := b.String() + " "
	room := a.w - text.Width(left) - 1
	facts := what + a.th.Dim.Render(" "+a.th.Symbols.Dot+" "+right)
	if text.Width(facts) > room {
		facts = text.Truncate(what, max(room, 0), a.th.Symbols.Ellipsis)
	}
	return text.Ends(left, facts+" ", a.w)
}

// wideHeader is the width from which all screens are named in full.
const wideHeader = 80

// footer is the message or prompt of the moment, else the keys.
func (a *App) footer() string {
	switch {
	case a.prompt.Visible():
		return a.prompt.View(a.th, a.w)
	case a.toast.Visible():
		return a.toast.View(a.th, a.w)
	case a.export.Typing():
		return keys.Typing(a.th, a.w, true)
	case a.typing():
		return keys.Typing(a.th, a.w, a.screen == keys.Probe)
	}
	return a.keys.Footer(a.th, a.region(), a.w, a.disabled)
}
