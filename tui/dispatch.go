package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"sweetspot/tui/components/pointer"
	"sweetspot/tui/components/toast"
	"sweetspot/tui/keys"
	"sweetspot/tui/screen"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// key hands a key press to whatever has the keys: dialogs first, then text
// being typed, then the table of keys.
func (a *App) key(msg tea.KeyPressMsg) tea.Cmd {
	action, known := a.opts.Keys.Resolve(msg, a.region())
	// A mouse that rests on a plot covers what keys show there.
	a.shown.Mouse(pointer.Event{Kind: pointer.Hover, X: -1, Y: -1})
	if cmd, handled := a.shell.Key(msg, action); handled {
		return cmd
	}
	switch {
	case action == keys.Interrupt:
		return tea.Quit
	case a.shown.Typing() != screen.NotTyping && !a.shell.Documents.Visible():
		return a.shown.Key(msg)
	case !known:
		return nil
	}
	if why := a.disabled(action); why != "" {
		return a.shell.Note(toast.Info, why)
	}
	return a.act(action)
}

func (a *App) paste(msg tea.PasteMsg) tea.Cmd {
	cmd, handled := a.shell.Paste(msg)
	if !handled && a.shown.Typing() != screen.NotTyping {
		a.shown.Paste(msg.Content)
	}
	return cmd
}

// region names where keys act, for the table of keys.
func (a *App) region() string {
	if a.shell.Documents.Visible() {
		return a.shell.Documents.Region()
	}
	return a.shown.Region()
}

// disabled says why an action cannot be done now.
func (a *App) disabled(action keys.Action) string {
	if why := a.shell.Denied.ForbidAction(action, a.shown.Tab(), a.region()); why != "" {
		return why
	}
	if action == keys.Open {
		if _, ok := a.shown.(screen.Opener); !ok {
			return a.busy(nil)
		}
	}
	if action == keys.Import || action == keys.Merge {
		return a.busy(a.shown)
	}
	return a.shown.Disabled(action)
}

// busy is why the workspace can't be changed or left, by what screens other than
// one do.
func (a *App) busy(but screen.Screen) string {
	for _, s := range a.screens {
		if why := s.Busy(); why != "" && s != but {
			return why
		}
	}
	return ""
}

// status is what goes on in a screen that is not shown for it.
func (a *App) status() string { return a.said(screen.Screen.Status, ", ") }

// said joins what the screens say that have anything to say.
func (a *App) said(what func(screen.Screen) string, between string) string {
	var out []string
	for _, s := range a.screens {
		if words := what(s); words != "" {
			out = append(out, words)
		}
	}
	return strings.Join(out, between)
}

// act does what an action means for the whole program, or on the present screen.
func (a *App) act(action keys.Action) tea.Cmd {
	switch action {
	case keys.Help:
		a.shell.Help.Open()
	case keys.Quit:
		return a.quit()
	case keys.Open:
		return a.openFile()
	case keys.Theme:
		names := theme.Names()
		a.opts.Theme = names[(slices.Index(names, a.shell.Theme.Name)+1)%len(names)]
		a.retheme()
		return a.shell.Note(toast.Info, "theme "+a.opts.Theme)
	case keys.Mouse:
		a.mouse = !a.mouse
		return a.shell.Note(toast.Info, map[bool]string{true: "mouse on",
			false: "mouse off: the terminal selects text again"}[a.mouse])
	case keys.Refresh:
		return a.Reload()
	default:
		if action.IsTab() {
			return a.Show(action)
		}
		return a.shown.Act(action)
	}
	return nil
}

// quit leaves, unless a screen asks first.
func (a *App) quit() tea.Cmd {
	for _, s := range a.screens {
		if s.Quit() {
			return nil
		}
	}
	return tea.Quit
}

// mouseAt handles the mouse: clicks and drags go to what is under the pointer,
// unless a dialog is open. Everything it does has a key.
func (a *App) mouseAt(msg tea.MouseMsg) tea.Cmd {
	if a.shell.Mouse(msg) {
		return nil
	}
	m := msg.Mouse()
	at := pointer.Event{X: m.X, Y: m.Y - 1}
	switch msg.(type) {
	case tea.MouseWheelMsg:
		at.Kind, at.Steps = pointer.Wheel, 1
		if m.Button == tea.MouseWheelUp {
			at.Steps = -1
		}
	case tea.MouseClickMsg:
		switch {
		case m.Button != tea.MouseLeft:
			return nil
		case at.Y < 0:
			return a.clickTab(at.X)
		}
		at.Kind = pointer.Click
	case tea.MouseMotionMsg:
		switch {
		case m.Button == tea.MouseNone:
			at.Kind = pointer.Hover
		case m.Button != tea.MouseLeft || at.Y < 0:
			return nil
		default:
			at.Kind = pointer.Drag
		}
	case tea.MouseReleaseMsg:
		at.Kind = pointer.Release
	}
	return a.shown.Mouse(at)
}

// clickTab switches to the screen whose name in the header was clicked.
func (a *App) clickTab(x int) tea.Cmd {
	at := text.Width(brand)
	for _, t := range a.tabs() {
		width := text.Width(t.label)
		if x >= at && x < at+width {
			return a.Show(t.action)
		}
		at += width
	}
	return nil
}

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
	what := cmp.Or(a.shown.Headline(), a.screens[0].Headline())
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
