package fleet

import (
	tea "charm.land/bubbletea/v2"

	"sweetspot/data/contract"
	"sweetspot/data/document"
	"sweetspot/engine/fleet"
	"sweetspot/tui/components/toast"
)

// export offers the forms of what Fleet shows.
func (s *Screen) export() tea.Cmd {
	shown := s.answer
	if shown == nil {
		return s.Shell.Note(toast.Info, "nothing is answered yet")
	}
	in := contract.FleetInput{
		Question: shown.Engine, Answer: shown.Result, Seeds: exportSeeds, Source: s.Headline(), VM: shown.Question.VM,
		Prices: s.PricesFrom(), Notes: s.Notes(), Sized: s.Sized(),
	}
	return s.Shell.Export(in.Source, document.Subject{Fleet: func() (contract.Fleet, error) {
		in.Spreads = in.Question.Spreads(exportSeeds)
		for _, p := range in.Question.Policies {
			in.AsTheyCome = append(in.AsTheyCome, in.Question.AsTheyCome(in.Answer.Tasks, p))
		}
		for _, o := range fleet.Schedulers {
			in.Schedulers = append(in.Schedulers, contract.SchedulerBill{Scheduler: o, Bill: in.Question.Under(o, in.Answer.Tasks)})
		}
		return contract.NewFleet(in), nil
	}})
}

// exportSeeds are behind the intervals of what is written.
const exportSeeds = 20
