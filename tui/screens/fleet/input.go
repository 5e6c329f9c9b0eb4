package fleet

import (
	"math/rand/v2"
	"slices"

	tea "charm.land/bubbletea/v2"

	"sweetspot/engine/fleet"
	"sweetspot/engine/profile"
	"sweetspot/tui/components/toast"
	"sweetspot/tui/keys"
)

// turn changes what no slider sets: the scheduler, whether reduced jobs overlap
// those behind them as in the study, the seed of all that is drawn.
func (s *Screen) turn(action keys.Action) tea.Cmd {
	q := s.Question()
	switch action {
	case keys.Scheduler:
		q.Scheduler = fleet.Schedulers[(slices.Index(fleet.Schedulers, q.Scheduler)+1)%len(fleet.Schedulers)]
	case keys.Overlap:
		q.AsStudied = !q.AsStudied
	case keys.Redraw:
		q.Seed = rand.Uint64N(1e6)
	}
	return s.Change(string(action), q)
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

// setVMTypes gives the VM types whose prices can be taken. Before anything is
// asked they are those of the study's.
func (s *Screen) setVMTypes(types []profile.VMType) {
	s.offers = offersOf(types)
	if _, asked := s.Asking(); asked > 0 {
		return
	}
	q := s.Question()
	for _, o := range s.offers {
		if o.VM.InstanceType == fleet.StudyVM && (q.VM == "" || o.Price.USDPerHour < q.Reserved) {
			q.setPrices(o)
		}
	}
	s.Begin(q)
}

// setPrices sets the prices to those of a VM type.
func (q *Question) setPrices(o vmOffer) {
	q.OnDemand, q.Reserved, q.VM, q.Purchase, q.GPUsPerVM = o.onDemand.USDPerHour, o.Price.USDPerHour, o.VM.InstanceType,
		o.Reservation.Purchase, max(o.VM.GPUCount, 1)
}

// nextVMType goes to the next VM type that can be reserved.
func (s *Screen) nextVMType() tea.Cmd {
	cmd, _ := s.nextOffer(func(o vmOffer) bool { return o.VM.InstanceType != s.Question().VM })
	return cmd
}

// nextPurchase goes to the next way of reserving the VM type.
func (s *Screen) nextPurchase() tea.Cmd {
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
