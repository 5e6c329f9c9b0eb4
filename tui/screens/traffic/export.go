package traffic

import (
	tea "charm.land/bubbletea/v2"

	"sweetspot/data/contract"
	"sweetspot/data/document"
	"sweetspot/engine/serving"
	"sweetspot/tui/components/toast"
)

// export offers the forms of what Traffic shows.
func (s *Screen) export() tea.Cmd {
	shown := s.Shown
	if shown == nil {
		return s.Shell.Note(toast.Info, "nothing is answered yet")
	}
	if shown.Why != "" {
		return s.Shell.Note(toast.Warn, "there is nothing to write: "+shown.Why)
	}
	in := contract.TrafficInput{
		Procured: shown.Engine, Schemes: serving.Schemes(), Source: s.Headline(), Remarks: s.Trace.Notes,
		MinAccuracy: shown.Question.wanted().MinAccuracy,
	}
	return s.Shell.Export(in.Source, document.Subject{Traffic: func() (_ contract.Traffic, err error) {
		if in.Advice, err = serving.Advise(in.Question); err != nil {
			return contract.Traffic{}, err
		}
		return contract.NewTraffic(in), nil
	}})
}
