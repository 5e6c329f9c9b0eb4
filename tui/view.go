package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"sweetspot/tui/keys"
	"sweetspot/tui/screen"
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

// View draws the whole terminal.
func (a *App) View() tea.View {
	frame := a.frame()
	if a.shell.Theme.Symbols.Raster == theme.ASCII {
		frame = typewriter.Replace(frame)
	}
	v := tea.NewView(frame)
	v.AltScreen = true
	v.WindowTitle = "sweetspot"
	if a.mouse {
		v.MouseMode = tea.MouseModeCellMotion
		if a.shown.Tab() == keys.Explore { // plots say what the mouse points at
			v.MouseMode = tea.MouseModeAllMotion
		}
	}
	return v
}

// typewriter puts ASCII, cell by cell, where sentences that are not only for
// screens have typographic characters. Names keep the letters they have.
var typewriter = strings.NewReplacer("×", "x", "·", "-", "…", "~", "–", "-", "—", "-", "±", "~", "→", ">", "←", "<",
	"≥", ">", "≤", "<", "−", "-", "’", "'")

func (a *App) frame() string {
	if a.w < leastWidth || a.h < leastHeight {
		return text.Block([]string{text.Truncate(fmt.Sprintf("needs %d×%d, has %d×%d", leastWidth, leastHeight, a.w, a.h),
			a.w, "")}, a.w, a.h)
	}
	body := a.shell.Over(a.shown.View(), a.region(), a.disabled, a.w, a.h-chromeRows)
	return a.header() + "\n" + body + "\n" + a.footer()
}

const brand = " sweetspot "

// wideHeader is the width from which all screens are named in full.
const wideHeader = 80

// tab is a screen's place in the header.
type tab struct {
	action keys.Action
	label  string
}

// tabs are the screens by their keys, with their names where there is room.
func (a *App) tabs() []tab {
	out := make([]tab, len(a.screens))
	for i, s := range a.screens {
		bind, _ := a.opts.Keys.Lookup(s.Tab())
		label := " " + strings.Join(bind.Keys[:min(1, len(bind.Keys))], "") + " "
		if a.w >= wideHeader || s == a.shown {
			label += bind.Help + " "
		}
		out[i] = tab{s.Tab(), label}
	}
	return out
}

// header names the screens and what is asked.
func (a *App) header() string {
	th := a.shell.Theme
	left := strings.Replace(brand, "sweetspot", th.Title.Render("sweetspot"), 1)
	for _, t := range a.tabs() {
		pen := th.Tab
		if t.action == a.shown.Tab() {
			pen = th.TabActive
		}
		left += pen.Render(t.label)
	}
	left += " "
	what := a.shown.Headline()
	if what == "" {
		what = a.screens[0].Headline()
	}
	if word := a.status(); word != "" && a.shown.Status() == "" {
		what = th.Warn.Render(word) + " " + th.Symbols.Dot + " " + what
	}
	room := a.w - text.Width(left) - 1
	facts := what + th.Dim.Render(" "+th.Symbols.Dot+" "+text.Clean(a.shell.Workspace.Label()))
	if text.Width(facts) > room {
		facts = text.Truncate(what, max(room, 0), th.Symbols.Ellipsis)
	}
	return text.Ends(left, facts+" ", a.w)
}

// footer is the message or prompt of the moment, else the keys.
func (a *App) footer() string {
	if line := a.shell.Footer(a.w); line != "" {
		return line
	}
	if typing := a.shown.Typing(); typing != screen.NotTyping {
		return keys.Typing(a.shell.Theme, a.w, typing == screen.TypingLine)
	}
	return a.opts.Keys.Footer(a.shell.Theme, a.region(), a.w, a.disabled)
}
