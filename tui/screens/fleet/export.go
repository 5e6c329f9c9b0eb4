package fleet

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"sweetspot/data/contract"
	"sweetspot/data/document"
	"sweetspot/engine/fleet"
	"sweetspot/engine/profile"
	"sweetspot/tui/components/toast"
)

// export offers the forms of what Fleet shows.
func (s *Screen) export() tea.Cmd {
	a := s.Shown
	if a == nil {
		return s.Shell.Note(toast.Info, "nothing is answered yet")
	}
	in := contract.FleetInput{
		Question: a.Engine, Answer: a.Result, Source: s.Headline(), Notes: s.Trace.Notes, VM: a.Question.VM,
		Prices: []string{"as set on the sliders"},
	}
	way := fleet.Reservation{Purchase: a.Question.Purchase, Months: 1,
		Price: profile.Price{USDPerHour: a.Question.Reserved, Source: in.Prices[0]}}
	if i := slices.IndexFunc(s.offers, s.taken); i >= 0 {
		way, in.Prices = s.offers[i].Reservation, s.offers[i].PricesFrom(s.offers[i].onDemand)
	}
	if s.IsFound() {
		in.Sized = []fleet.Sized{{Reservation: way, Sizes: s.Found.Sizes}}
	}
	return s.Shell.Export(in.Source, document.Subject{Fleet: func() (contract.Fleet, error) {
		in.Context = in.Question.Context(in.Answer, exportSeeds)
		return contract.NewFleet(in), nil
	}})
}

// exportSeeds are behind the intervals of what is written.
const exportSeeds = 20
