// Package screen is what a screen is to the program around it, and what that
// program does for its screens.
package screen

import (
	tea "charm.land/bubbletea/v2"

	"sweetspot/tui/components/pointer"
	"sweetspot/tui/keys"
	"sweetspot/tui/state"
	"sweetspot/tui/theme"
)

// Screen is one of the tabs. A screen refers to others only by the messages of
// this package, which [Program.Tell] hands to all of them.
type Screen interface {
	Tab() keys.Action // the action that shows it
	Headline() string // what it is about, for the title line; "" is what the first screen is about
	Status() string   // what goes on in it while another screen is shown, in a word; "" for nothing
	Busy() string     // why the workspace can't be changed or left now, a sentence; "" where it can
	Region() string   // where keys act

	SetSize(w, h int)
	SetTheme(th *theme.Theme)
	View() string // in exactly its size

	Activate() tea.Cmd // it is shown now
	Act(a keys.Action) tea.Cmd
	Disabled(a keys.Action) (why string) // "" where the action can be done
	Typing() Typing
	Key(msg tea.KeyPressMsg) tea.Cmd // while a value is typed
	Paste(text string)               // while a value is typed
	Mouse(m pointer.Event) tea.Cmd
	Receive(msg tea.Msg) tea.Cmd // every message of a command or another screen

	Quit() (asked bool)            // asks before the program is left, where there is something to ask
	Close(lost bool)               // the program has ended; lost with its terminal
	Farewell() string              // what to say once the terminal is back
	Remember(session *state.State) // for the next session
}

// DatabaseFiles are the extensions of profile databases.
var DatabaseFiles = []string{".db", ".sqlite", ".sqlite3"}

// Opener is a screen that opens files of its own rather than databases.
type Opener interface{ Open() tea.Cmd }

// Typing says what keys are to a screen.
type Typing uint8

// NotTyping leaves keys to the table of keys; a value is typed as a number on a
// slider, a line is edited as in a shell.
const (
	NotTyping Typing = iota
	TypingValue
	TypingLine
)

// Base is what a screen is that does nothing of its own; screens embed it.
type Base struct{ Shell *Shell }

// Headline leaves the title line to the first screen.
func (Base) Headline() string { return "" }

// Status is nothing.
func (Base) Status() string { return "" }

// Busy is nothing.
func (Base) Busy() string { return "" }

// Activate does nothing.
func (Base) Activate() tea.Cmd { return nil }

// Disabled allows everything.
func (Base) Disabled(keys.Action) string { return "" }

// Typing is never.
func (Base) Typing() Typing { return NotTyping }

// Key does nothing.
func (Base) Key(tea.KeyPressMsg) tea.Cmd { return nil }

// Paste does nothing.
func (Base) Paste(string) {}

// Mouse does nothing.
func (Base) Mouse(pointer.Event) tea.Cmd { return nil }

// Receive passes over every message.
func (Base) Receive(tea.Msg) tea.Cmd { return nil }

// Quit asks nothing.
func (Base) Quit() bool { return false }

// Close has nothing to wait for.
func (Base) Close(bool) {}

// Farewell is silent.
func (Base) Farewell() string { return "" }

// Remember keeps nothing.
func (Base) Remember(*state.State) {}
