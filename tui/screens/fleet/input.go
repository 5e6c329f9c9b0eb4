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

// Redraw takes another seed for deadlines, models and users' decisions.
func (s *Screen) Redraw() tea.Cmd {
	q := s.Question()
	q.Seed = rand.Uint64N(1e6)
	return s.Change("seed", q)
}

// vmOffer is a way of reserving a VM type that can be rented on demand too.
type vmOffer struct {
	fleet.Reservation
	onDemand profile.Price
}

func offersOf(types []profile.VMType) (offers []vmOffer) {
	for _, vm := range types {
		if price, ok := vm.PriceOf(profile.OnDemand); ok {
			for _, r := range fleet.Reservations(vm) {
				offers = append(offers, vmOffer{r, price})
			}
		}
	}
	return offers
}

// setPrices sets the prices to those of a VM type.
func (q *Question) setPrices(o vmOffer) {
	q.OnDemand, q.Reserved, q.VM, q.Purchase, q.GPUsPerVM = o.onDemand.USDPerHour, o.Price.USDPerHour, o.VM.InstanceType,
		o.Reservation.Purchase, max(o.VM.GPUCount, 1)
}

// VMType goes to the next VM type that can be reserved.
func (s *Screen) VMType() tea.Cmd {
	cmd, _ := s.nextOffer(func(o vmOffer) bool { return o.VM.InstanceType != s.Question().VM })
	return cmd
}

// Purchase goes to the next way of reserving the VM type.
func (s *Screen) Purchase() tea.Cmd {
	cmd, ok := s.nextOffer(func(o vmOffer) bool {
		return o.VM.InstanceType == s.Question().VM && !s.taken(o)
	})
	if !ok {
		return s.Shell.Note(toast.Info, "this VM type has no other price of a reservation")
	}
	return cmd
}

func (s *Screen) nextOffer(accept func(vmOffer) bool) (cmd tea.Cmd, ok bool) {
	at := slices.IndexFunc(s.offers, s.taken)
	for k := range s.offers {
		if o := s.offers[(at+1+k)%len(s.offers)]; accept(o) {
			q := s.Question()
			q.setPrices(o)
			return s.Change("prices", q), true
		}
	}
	return nil, false
}

// taken reports whether the prices are those of an offer.
func (s *Screen) taken(o vmOffer) bool {
	q := s.Question()
	return o.VM.InstanceType == q.VM && o.Reservation.Purchase == q.Purchase && o.Price.USDPerHour == q.Reserved
}
