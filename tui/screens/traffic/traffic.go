// Package traffic is the screen of online serving: sliders for the limits and
// what is rented, the load and what each scheme of VMs and functions runs for it,
// what that costs and how many requests miss their limit. Of a language model it is the
// load that replicas of its server hold within limits.
package traffic

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"sweetspot/data/workload"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/tui/components/ask"
	"sweetspot/tui/components/chooser"
	"sweetspot/tui/components/toast"
	"sweetspot/tui/keys"
	"sweetspot/tui/screen"
	"sweetspot/tui/screens/traffic/mix"
	"sweetspot/tui/theme"
)

// desktop is one of the desks that the screen shows, a whole screen but for its tab.
type desktop interface {
	screen.Screen
	screen.Opener
}

// Screen is the state of Traffic: a desk for models that VMs and functions serve, one for a mix of
// requests of several kinds, and one for language models.
type Screen struct {
	desktop // the one that is shown
	VMs     *VMs
	Mix     *mix.Desk
	Tokens  *Tokens
	shell   *screen.Shell
	logs    []workload.ServerLog // of language models, beside the database
	servers []profile.Server     // of language models, whose loads the database has
	listing ask.Loop[[]workload.ServerLog]
}

// New returns the screen without a trace.
func New(sh *screen.Shell, read TraceReader) *Screen {
	s := &Screen{shell: sh, VMs: newVMs(sh, read), Tokens: newTokens(sh)}
	s.Mix = mix.New(sh, read, s.chooseModel)
	s.desktop = s.VMs
	return s
}

// SetSize changes the size in cells.
func (s *Screen) SetSize(w, h int) {
	s.VMs.SetSize(w, h)
	s.Mix.SetSize(w, h)
	s.Tokens.SetSize(w, h)
}

// SetTheme changes colours and symbols.
func (s *Screen) SetTheme(th *theme.Theme) {
	s.VMs.SetTheme(th)
	s.Mix.SetTheme(th)
	s.Tokens.SetTheme(th)
}

// Activate looks for servers that were probed since.
func (s *Screen) Activate() tea.Cmd {
	return tea.Batch(s.desktop.Activate(), s.list())
}

// list reads which servers were probed.
func (s *Screen) list() tea.Cmd {
	if s.shell.Workspace == nil {
		return nil
	}
	database := s.shell.Workspace.Path()
	s.listing.Forget()
	return s.listing.Ask(s.shell.Ctx, func(context.Context) []workload.ServerLog {
		logs, _ := workload.ServerLogs(database) // a folder that can't be read has none to choose
		return logs
	})
}

// Receive takes the database's runs, servers, traces, answers and advice.
func (s *Screen) Receive(msg tea.Msg) tea.Cmd {
	if logs, _, ok := s.listing.Receive(msg); ok {
		s.logs = logs
		return nil
	}
	var list tea.Cmd
	if loaded, ok := msg.(screen.Loaded); ok {
		s.setSet(loaded.Set)
		list = s.list()
	}
	return tea.Batch(list, s.VMs.Receive(msg), s.Mix.Receive(msg), s.Tokens.Receive(msg))
}

func (s *Screen) setSet(set *profile.Set) {
	s.VMs.setSet(set)
	s.Mix.SetSet(set, s.VMs.models[1:])
	s.Tokens.set = set
	s.servers = set.Servers("", "")
}

// Act does what a key means here.
func (s *Screen) Act(action keys.Action) tea.Cmd {
	if action == keys.Model && s.desktop != s.Mix {
		s.chooseModel()
		return nil
	}
	return s.desktop.Act(action)
}

// served is what can be chosen to be served.
type served struct {
	model string          // that has runs; "" is the study's VM
	log   string          // of a language model's server, or what its loads are called
	of    *profile.Server // that loads were measured on; nil for a log
	label string
	note  string
}

// servedNow are the choices, and which of them is served.
func (s *Screen) servedNow() (all []served, now int) {
	for _, m := range s.VMs.models {
		all = append(all, served{model: m, label: cmp.Or(m, "no model: the VM of the study")})
	}
	for _, l := range s.logs {
		all = append(all, served{log: l.Path, label: l.Model, note: "language model, probed " +
			l.At.Format("2006-01-02 15:04")})
	}
	for i := range s.servers {
		v := &s.servers[i]
		name := v.Model + " on " + v.Words()
		all = append(all, served{log: name, of: v, label: name,
			note: "language model, " + quantity.Several(len(v.Loads), "load")})
	}
	now = slices.IndexFunc(all, func(x served) bool {
		switch s.desktop {
		case s.Mix:
			return false
		case s.Tokens:
			return x.log != "" && x.log == s.Tokens.log
		}
		return x.log == "" && x.model == s.VMs.Question().Model
	})
	return all, now
}

// The choices of a log that is not beside the database, and of several kinds of request.
const (
	otherLog = "log"
	aMix     = "mix"
)

// chooseModel offers the models whose runs say what a VM serves, the language models
// whose servers were probed, and the study's VM.
func (s *Screen) chooseModel() {
	all, now := s.servedNow()
	names := make([]string, len(all))
	for i := range all {
		names[i] = strconv.Itoa(i)
	}
	at := func(name string) served {
		i, _ := strconv.Atoi(name)
		return all[i]
	}
	choices := chooser.Among(names, strconv.Itoa(now), func(name string) string { return at(name).label })
	for i := range choices {
		choices[i].Note = at(choices[i].Values[0]).note
	}
	several := chooser.Choice{Values: []string{aMix}, Label: "a mix: several kinds of request", On: s.desktop == s.Mix}
	other := chooser.Choice{Values: []string{otherLog}, Label: "a language model: open a log"}
	if len(s.logs)+len(s.servers) == 0 {
		other.Note = "none yet: sweetspot probe server URL"
	}
	choices = append(choices, several, other)
	s.shell.Offer(chooser.Question{Title: "Model", Choices: choices}, func(names []string) tea.Cmd {
		switch names[0] {
		case aMix:
			s.desktop = s.Mix
			return s.Mix.Start(s.VMs.Trace, s.VMs.Question().Model)
		case otherLog:
			return s.shell.Choose("Open the log of a language model's server", []string{".jsonl", ".csv", ".gz"}, s.serve)
		}
		chosen := at(names[0])
		if chosen.of != nil {
			s.desktop = s.Tokens
			return s.Tokens.serveLoads(chosen.log, *chosen.of, s.servers)
		}
		if chosen.log != "" {
			return s.serve(chosen.log)
		}
		return s.setModel(chosen.model)
	})
}

// setModel shows what VMs and functions make of a model.
func (s *Screen) setModel(name string) tea.Cmd {
	s.desktop = s.VMs
	return tea.Batch(s.VMs.Activate(), s.VMs.setModel(name))
}

// serve shows what replicas of a language model's server hold.
func (s *Screen) serve(log string) tea.Cmd {
	s.desktop = s.Tokens
	return tea.Batch(s.Tokens.serve(log), s.shell.Note(toast.Info, "fitting step times to the log of the server…"))
}
