package fleet

import (
	"math/rand/v2"
	"slices"

	tea "charm.land/bubbletea/v2"

	"sweetspot/engine/fleet"
	"sweetspot/engine/profile"
	"sweetspot/tui/components/toast"
)

// Scheduler goes to the next scheduler.
func (s *Screen) Scheduler() tea.Cmd {
	q := s.Question()
	q.Scheduler = fleet.Schedulers[(slices.Index(fleet.Schedulers, q.Scheduler)+1)%len(fleet.Schedulers)]
	return s.Change("scheduler", q)
}

// Overlap lets reduced jobs run at the same time as those behind them, as the
// study does, or not.
func (s *Screen) Overlap() tea.Cmd {
	q := s.Question()
	q.AsStudied = !q.AsStudied
	return s.Change("overlap", q)
}

// Redraw takes another seed for deadlines, models and users' minds.
func (s *Screen) Redraw() tea.Cmd {
	q := s.Question()
	q.Seed = rand.Uint64N(1e6)
	return s.Change("seed", q)
}

// vmOffer is a VM type with a way of reserving it.
type vmOffer struct {
	vm                 profile.VMType
	purchase           profile.Purchase
	onDemand, reserved float64
}

func offersOf(types []profile.VMType) (offers []vmOffer) {
	for _, vm := range types {
		price, ok := vm.PriceOf(profile.OnDemand)
		if !ok {
			continue
		}
		for _, r := range fleet.Reservations(vm) {
			offers = append(offers, vmOffer{vm, r.Purchase, price.USDPerHour, r.Price.USDPerHour})
		}
	}
	return offers
}

// take sets the prices to those of a VM type.
func (q *Question) take(o vmOffer) {
	q.OnDemand, q.Reserved, q.VM, q.Purchase, q.GPUsPerVM = o.onDemand, o.reserved, o.vm.InstanceType, o.purchase, max(o.vm.GPUCount, 1)
}

// VMType goes to the next VM type that can be reserved.
func (s *Screen) VMType() tea.Cmd {
	cmd, _ := s.nextOffer(func(o vmOffer) bool { return o.vm.InstanceType != s.Question().VM })
	return cmd
}

// Purchase goes to the next way of reserving the VM type.
func (s *Screen) Purchase() tea.Cmd {
	cmd, ok := s.nextOffer(func(o vmOffer) bool {
		return o.vm.InstanceType == s.Question().VM && (o.purchase != s.Question().Purchase || o.reserved != s.Question().Reserved)
	})
	if !ok {
		return s.Shell.Note(toast.Info, "this VM type has no other price of a reservation")
	}
	return cmd
}

func (s *Screen) nextOffer(accept func(vmOffer) bool) (cmd tea.Cmd, ok bool) {
	at := slices.IndexFunc(s.offers, func(o vmOffer) bool {
		return o.vm.InstanceType == s.Question().VM && o.purchase == s.Question().Purchase && o.reserved == s.Question().Reserved
	})
	for k := range s.offers {
		if o := s.offers[(at+1+k)%len(s.offers)]; accept(o) {
			q := s.Question()
			q.take(o)
			return s.Change("prices", q), true
		}
	}
	return nil, false
}
