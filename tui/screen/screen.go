// Package screen is what a screen is to the program around it, and what that
// program does for its screens.
package screen

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"sweetspot/data/contract"
	"sweetspot/data/imports"
	"sweetspot/data/intake"
	"sweetspot/data/store"
	"sweetspot/engine/candidate"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
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

	Quit() (asked bool)                   // asks before the program is left, where there is something to ask
	Close(ctx context.Context, lost bool) // the program has ended, lost with its terminal; until ctx ends at most
	Farewell() string                     // what to say once the terminal is back
	Remember(session *state.State)        // for the next session
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
type Base struct {
	idle
	Shell *Shell
}

// idle has nothing to say or to ask, passes over every message and allows every
// action.
type idle struct{}

func (idle) Headline() string            { return "" }
func (idle) Status() string              { return "" }
func (idle) Busy() string                { return "" }
func (idle) Activate() tea.Cmd           { return nil }
func (idle) Disabled(keys.Action) string { return "" }
func (idle) Typing() Typing              { return NotTyping }
func (idle) Key(tea.KeyPressMsg) tea.Cmd { return nil }
func (idle) Paste(string)                {}
func (idle) Mouse(pointer.Event) tea.Cmd { return nil }
func (idle) Receive(tea.Msg) tea.Cmd     { return nil }
func (idle) Quit() bool                  { return false }
func (idle) Close(context.Context, bool) {}
func (idle) Farewell() string            { return "" }
func (idle) Remember(*state.State)       {}

// Messages between screens, and from the program to them.
type (
	// Opened says that another database was opened; what it holds comes later.
	Opened struct{}

	// Loaded is what the database and the built-in library hold.
	Loaded struct {
		Set   *profile.Set
		Picks []store.Pick
	}

	// Ask has Explore ask about a model.
	Ask struct{ Question question.Question }

	// Reopen has Explore ask again what a pick was the answer to.
	Reopen struct{ Pick store.Pick }

	// ProbeSelected has Explore's selected candidate probed. File is a file of the
	// model; "" leaves the one that the form names.
	ProbeSelected struct{ File string }

	// ProbeCandidate fills the form of Probe; Candidate may be nil.
	ProbeCandidate struct {
		Candidate *candidate.Candidate
		File      string
	}

	// ProbeNext has the candidate probed whose probe is expected to save the most,
	// at once where its model's file and a machine are known. Without a candidate,
	// Why says what to do instead.
	ProbeNext struct {
		Candidate *candidate.Candidate
		Why       Words
	}

	// Measured are the runs of the probes that go on, to be ranked beside the
	// stored ones; none once they have ended.
	Measured struct{ Runs []profile.Run }

	// Standing says where the runs of the probes stand among the candidates.
	Standing struct{ Lines []string }
)

// Workspace is the open database beside or without the built-in library. Its
// methods are called from commands, several at once.
type Workspace interface {
	Label() string
	Path() string
	Load(ctx context.Context) (*profile.Set, error)
	Version(ctx context.Context) (int64, error) // changes when any process has written
	SavePick(ctx context.Context, p contract.Pick) error
	Picks(ctx context.Context) ([]store.Pick, error)
	Editor
	Close() error
}

// Editor changes the database for the user. What belongs to the built-in library
// is refused.
type Editor interface {
	Rename(ctx context.Context, to []store.RunName) (was []store.RunName, err error)
	Annotate(ctx context.Context, of store.Table, id int64, note string) (was string, err error)
	Delete(ctx context.Context, of store.Table, ids ...int64) (deletion int64, err error)
	Undelete(ctx context.Context, deletion int64) (store.Restored, error) // 0 is the last one
	Merge(ctx context.Context, path string) (store.Merged, error)
	Backup(ctx context.Context, path string) (size int64, err error)
	Import(ctx context.Context, found imports.Found, o imports.Options, taken func(intake.File)) (intake.Result, error)
}
