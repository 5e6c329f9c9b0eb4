package sliders

import (
	"reflect"

	tea "charm.land/bubbletea/v2"

	"sweetspot/data/workload"
	"sweetspot/engine/serving"
	"sweetspot/tui/components/chooser"
	"sweetspot/tui/components/prompt"
	"sweetspot/tui/screen"
)

// Shared is what the desk of one model and that of a mix both ask.
type Shared struct {
	StrictShare float64       // of the requests
	StartS      float64       // of a VM, seconds
	USDPerHour  float64       // of a VM whose price is not known otherwise
	Scale       float64       // of the load
	Warm        float64       // functions that are kept warm
	Predictor   float64       // of exascale, its place on its slider
	WindowS     float64       // that it looks back, seconds
	Load        workload.Load // generated in place of the trace; zero is the trace
}

// Defaults are what is asked at first.
func Defaults() Shared {
	d := serving.Defaults()
	return Shared{StrictShare: d.StrictShare, StartS: float64(d.VM.StartS), USDPerHour: d.VM.USDPerHour, Scale: 1,
		WindowS: float64(d.TrendS)}
}

// Settings are those of a simulation.
func (q *Shared) Settings() serving.Settings {
	s := serving.Defaults()
	s.StrictShare, s.VM.StartS, s.Function.Prewarmed = q.StrictShare, int(q.StartS+0.5), int(q.Warm+0.5)
	s.Predictor, s.TrendS = predictorAt(q.Predictor), int(q.WindowS+0.5)
	return s
}

// Made is what is generated where a desk with a trace asks about a load: the zero load is that of the
// trace. ok is false for a trace that was read.
func Made(l workload.Load, trace *workload.Requests) (made workload.Load, ok bool) {
	switch {
	case l.Seconds > 0:
		return l, true
	case trace.Made != nil:
		return *trace.Made, true
	}
	return l, false
}

// Requests are those that such a desk asks about.
func Requests(l workload.Load, trace workload.Requests) workload.Requests {
	if made, ok := Made(l, &trace); ok && (trace.Made == nil || !reflect.DeepEqual(made, *trace.Made)) {
		return made.Make()
	}
	return trace
}

// WithLength is a synthetic load that lasts so many seconds, each of its phases where it has some.
func WithLength(l workload.Load, trace *workload.Requests, seconds float64) workload.Load {
	made, ok := Made(l, trace)
	if !ok {
		return l
	}
	made.Seconds = min(max(int(seconds+0.5), 1), made.LongestLoad())
	return made
}

// The choices beside the patterns.
const (
	asRead = "trace"
	phases = "phases"
	other  = "open"
)

// phaseS is the length of phases at first, in seconds.
const phaseS = 3600

// ChooseLoad offers the trace that was read, synthetic loads, and another trace.
func ChooseLoad(sh *screen.Shell, now workload.Load, trace workload.Requests, then func(workload.Load) tea.Cmd,
	open func() tea.Cmd) {
	made, isMade := Made(now, &trace)
	var choices []chooser.Choice
	if trace.Made == nil {
		choices = append(choices, chooser.Choice{Values: []string{asRead}, Label: "the trace " + trace.Source, On: !isMade})
	}
	for _, p := range serving.Patterns {
		choices = append(choices, chooser.Choice{Values: []string{string(p)}, Label: "synthetic: " + string(p),
			On: isMade && len(made.Phases) == 0 && made.Pattern == p})
	}
	choices = append(choices,
		chooser.Choice{Values: []string{phases}, Label: "synthetic: constant phases", On: len(made.Phases) > 0},
		chooser.Choice{Values: []string{other}, Label: "open another trace"})
	sh.Offer(chooser.Question{Title: "Load", Choices: choices}, func(names []string) tea.Cmd {
		switch names[0] {
		case asRead:
			return then(workload.Load{})
		case other:
			return open()
		case phases:
			askPhases(sh, made, then)
			return nil
		}
		usual := workload.DefaultLoad()
		if isMade && len(made.Phases) == 0 {
			usual = made
		}
		usual.Pattern = serving.Pattern(names[0])
		return then(usual)
	})
}

// askPhases has the constant loads typed.
func askPhases(sh *screen.Shell, made workload.Load, then func(workload.Load) tea.Cmd) {
	seconds := phaseS
	if len(made.Phases) > 0 {
		seconds = made.Seconds
	}
	sh.Line.Ask(prompt.Question{Label: "phases", Value: workload.PhasesText(made.Phases),
		Hint: "requests per second, one after the other, as 10,50,100,200; the slider length is that of each",
		Accept: func(typed string) (tea.Cmd, error) {
			rates, err := workload.ParsePhases(typed)
			if err != nil {
				return nil, err
			}
			load := workload.Load{Phases: rates, Seconds: seconds}
			load.Seconds = min(load.Seconds, load.LongestLoad())
			return then(load), nil
		}})
}
