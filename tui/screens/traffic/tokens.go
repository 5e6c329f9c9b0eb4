package traffic

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"sweetspot/data/contract"
	"sweetspot/data/document"
	"sweetspot/data/workload"
	"sweetspot/engine/batching"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/serving"
	"sweetspot/tui/components/ask"
	"sweetspot/tui/components/chooser"
	"sweetspot/tui/components/desk"
	"sweetspot/tui/components/toast"
	"sweetspot/tui/keys"
	"sweetspot/tui/screen"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// Tokens is Traffic of a language model: what replicas of its server hold within
// limits, and what a million tokens cost.
type Tokens struct {
	*desk.Traced[workload.Tokens, TokenQuestion, TokenAnswer, TokenAnswer]
	set      *profile.Set
	log      string // of the server
	of       *batching.Fitted
	weights  string // that the server has, as fp8; "" where nobody said
	controls *tokenControls
	plots    *tokenPlots
	byLoad   bool // the last chart shows the cost by load in place of the prices
	fitting  ask.Loop[fitted]
}

// drawnBy is the seed of synthetic requests.
const drawnBy = 1

// fitted is a server, fitted to its log.
type fitted struct {
	name    string
	weights string
	of      batching.Fitted
	log     workload.Tokens
	err     error
}

// newTokens returns it without a server.
func newTokens(sh *screen.Shell) *Tokens {
	s := &Tokens{controls: newTokenControls(), plots: newTokenPlots(sh.Theme), set: &profile.Set{}}
	s.Traced = desk.NewTraced(sh, firstTokenQuestion(), desk.Config[TokenQuestion, *TokenAnswer]{
		Sliders: &s.controls.Stack, Regions: []string{keys.InTokenSliders, keys.InTokenLoads},
		Save: s.controls.save, Load: s.controls.load,
	}, desk.TraceConfig[workload.Tokens, TokenAnswer, TokenAnswer]{
		Read: func(_ context.Context, path string) (workload.Tokens, error) {
			return workload.ReadTokens(path, workload.DefaultLengths(), drawnBy)
		},
		Title: "Open a trace of requests with their lengths", Extensions: []string{".csv", ".jsonl", ".gz"},
		Empty: func(t workload.Tokens) bool { return len(t.Requests) == 0 },
		Rows:  3 + len(batching.Shares), Share: 50, Measures: s.measures(),
		Choices: func(a *TokenAnswer) int { return a.loads() }, Best: mostLoad,
		Charts: []interface{ SetTheme(*theme.Theme) }{s.plots.ttft, s.plots.tpot, s.plots.goodput,
			s.plots.cost},
		Solve: s.solve, Further: withIntervals, Draw: s.draw, Decision: s.decision,
	})
	return s
}

// Tab is the action that shows the screen.
func (s *Tokens) Tab() keys.Action { return keys.Traffic }

// Headline says what is served, for the title line.
func (s *Tokens) Headline() string { return text.Clean(s.Trace.Source) }

// Activate asks nothing: there is a trace once a server is chosen.
func (s *Tokens) Activate() tea.Cmd { return nil }

// serve has step times fitted to the log of a server, and its requests served.
func (s *Tokens) serve(path string) tea.Cmd {
	return s.fit(path, "", func() (batching.Fitted, workload.Tokens, error) { return workload.ReadServer(path) })
}

// fit has a server fitted. Until it is, the one before stays, also where it cannot be.
func (s *Tokens) fit(name, weights string, read func() (batching.Fitted, workload.Tokens, error)) tea.Cmd {
	s.Table.Empty = "fitting step times…"
	s.fitting.Forget()
	return s.fitting.AskAside(s.Shell.Ctx, func(context.Context) fitted {
		of, log, err := read()
		return fitted{name, weights, of, log, err}
	})
}

// serveLoads has step times fitted to the loads on a server, and synthetic requests served that
// are as long as theirs.
func (s *Tokens) serveLoads(name string, of profile.Server, all []profile.Server) tea.Cmd {
	weights := cmp.Or(of.Variant.Name, of.Variant.Precision)
	return s.fit(name, weights, func() (batching.Fitted, workload.Tokens, error) {
		made := workload.MakeTokens(serving.PoissonLoad, workload.DefaultHours*3600, workload.DefaultRate,
			workload.LengthsOf(of.Loads), drawnBy)
		fit, err := batching.FitServer(of, all, batching.Settings{})
		if err != nil {
			return batching.Fitted{}, made, fmt.Errorf("%s: %w", name, err)
		}
		return *fit, made, nil
	})
}

// Receive takes servers, traces and answers.
func (s *Tokens) Receive(msg tea.Msg) tea.Cmd {
	f, _, ok := s.fitting.Receive(msg)
	switch {
	case !ok:
		return s.Traced.Receive(msg)
	case f.err != nil:
		s.Table.Empty = text.Clean(f.err.Error()) + "."
		return s.Shell.Fail(f.err)
	}
	s.log, s.of, s.weights = f.name, &f.of, f.weights
	words := "fitted step times to " + quantity.Several(f.of.Used, "request")
	if f.of.From != "" {
		words = fmt.Sprintf("step times on %s, made to meet the loads on this server", text.Clean(f.of.From))
	}
	return tea.Batch(s.SetTrace(f.log), s.Shell.Note(toast.Good, words))
}

// Act does what a key means here.
func (s *Tokens) Act(action keys.Action) tea.Cmd {
	if cmd, handled := s.Do(action); handled {
		return cmd
	}
	switch action {
	case keys.NextChart:
		s.byLoad = !s.byLoad
	case keys.GPUs:
		s.chooseVMType()
	case keys.Clear:
		return s.clear()
	case keys.Export:
		return s.export()
	}
	return nil
}

// Disabled says why an action can't be done now.
func (s *Tokens) Disabled(action keys.Action) string {
	if action == keys.Open && s.of == nil {
		return "step times are fitted first: m chooses a server"
	}
	return s.Traced.Disabled(action)
}

// solve answers the present question.
func (s *Tokens) solve() ask.Work[*TokenAnswer] {
	if s.of == nil {
		return nil
	}
	load, of, weights, q, prices := s.Trace, *s.of, s.weights, s.Question(), s.prices()
	return func(context.Context) *TokenAnswer { return solveTokens(load, of, weights, q, prices) }
}

// prices are those of a replica, the first for the yardstick; none where none is given.
func (s *Tokens) prices() []contract.HourlyPrice {
	q := s.Question()
	switch {
	case q.VM != "":
		return contract.HourlyPrices(s.set, q.VM)
	case q.USDPerHour > 0:
		return []contract.HourlyPrice{{Purchase: "as given", USDPerHour: q.USDPerHour}}
	}
	return nil
}

// draw brings sliders and charts to the answer.
func (s *Tokens) draw() {
	s.Table.Empty = cmp.Or(s.Shown.Why, "all requests arrive at once, so there is no load to change")
	s.controls.show(s.Shown)
	s.plots.show(s.Shown, s.Chosen())
}

// chooseVMType offers the VM types that have prices, and none.
func (s *Tokens) chooseVMType() {
	names := []string{""}
	for _, t := range s.set.VMTypes {
		if len(t.Prices) > 0 && t.GPUCount > 0 && !slices.Contains(names, t.InstanceType) {
			names = append(names, t.InstanceType)
		}
	}
	label := func(name string) string { return cmp.Or(name, "no VM type: the price on the slider") }
	s.Shell.Offer(chooser.Question{Title: "VM type of a replica", Choices: chooser.Among(names, s.Question().VM, label)},
		func(names []string) tea.Cmd {
			q := s.Question()
			q.VM, q.USDPerHour = names[0], 0
			return s.Change("VM type", q)
		})
}

// clear takes back prices and the VM type.
func (s *Tokens) clear() tea.Cmd {
	q := s.Question()
	q.VM, q.USDPerHour, q.APIInput, q.APIOutput = "", 0, 0, 0
	return s.Change("clear", q)
}

// export offers the forms of what is shown.
func (s *Tokens) export() tea.Cmd {
	shown := s.Shown
	if shown.Why != "" {
		return s.Shell.Note(toast.Warn, "there is nothing to write: "+shown.Why)
	}
	ctx := s.Shell.Ctx
	return s.Shell.Export(s.Headline(), document.Subject{LLM: func() (contract.LLM, error) {
		full, err := shown.intervals(ctx)
		if err != nil {
			return contract.LLM{}, err
		}
		return full.Described, nil
	}})
}
