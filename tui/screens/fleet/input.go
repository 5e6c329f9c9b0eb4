package fleet

import (
	"math/rand/v2"
	"slices"

	"sweetspot/engine/fleet"
	"sweetspot/engine/profile"
)

// Every method here that reports changed asks for a new answer.

// Focus moves the keys to the next region.
func (s *Screen) Focus(step int) {
	s.Typing(false)
	s.focus = (s.focus + Region(step) + regions) % regions
	s.history.Pause()
}

// Typing ends or begins typing a value on the active slider.
func (s *Screen) Typing(begin bool) {
	if !begin || s.focus == Sliders {
		s.controls.Typing(begin)
	}
}

// IsTyping reports whether keys are text for a slider.
func (s *Screen) IsTyping() bool { return s.controls.IsTyping() }

// Type gives text to the slider that is typed on.
func (s *Screen) Type(t string) { s.controls.Current().Type(t) }

// Backspace takes the last typed character away.
func (s *Screen) Backspace() { s.controls.Current().Backspace() }

// Commit takes the typed value over.
func (s *Screen) Commit() (changed bool) {
	if changed, err := s.controls.Current().Commit(); err != nil || !changed {
		return false
	}
	s.history.Pause()
	defer s.history.Pause()
	return s.moved(true)
}

// Enter types a value.
func (s *Screen) Enter() { s.Typing(true) }

// Horizontal moves the active slider.
func (s *Screen) Horizontal(steps int, big bool) (changed bool) {
	return s.focus == Sliders && s.moved(s.controls.Step(steps, big))
}

// Ends moves the active slider to an end, or to the first or last policy.
func (s *Screen) Ends(last bool) (changed bool) {
	switch {
	case s.focus == Sliders:
		return s.moved(s.controls.End(last))
	case last:
		s.table.Bottom()
	default:
		s.table.Top()
	}
	return false
}

// moved writes the active slider into the question once it has moved.
func (s *Screen) moved(has bool) (changed bool) {
	if !has {
		return false
	}
	now := s.question
	s.controls.save(s.controls.Active, &now)
	changed = now != s.question
	s.change("slider "+s.controls.Current().Label(), now)
	return changed
}

// Vertical goes to another slider or policy.
func (s *Screen) Vertical(steps int) {
	if s.focus == Sliders {
		s.controls.Move(steps)
		s.history.Pause()
		return
	}
	s.table.Move(steps)
}

// change takes another question, which undo takes back.
func (s *Screen) change(edit string, q Question) {
	s.history.Remember(edit, s.question)
	s.question = q
}

// Undo returns to the question before the last edit.
func (s *Screen) Undo() (changed bool) { return s.turnTo(s.history.Undo(s.question)) }

// Redo makes the last undone edit again.
func (s *Screen) Redo() (changed bool) { return s.turnTo(s.history.Redo(s.question)) }

// CanUndo reports whether there is anything to take back.
func (s *Screen) CanUndo() bool { return s.history.CanUndo() }

// CanRedo reports whether there is anything to redo.
func (s *Screen) CanRedo() bool { return s.history.CanRedo() }

func (s *Screen) turnTo(q Question, ok bool) bool {
	if ok {
		s.redraw(q.Seed)
		s.question = q
		s.controls.load(q)
	}
	return ok
}

// redraw draws anew where the seed is another.
func (s *Screen) redraw(seed uint64) {
	if seed != s.question.Seed {
		s.draws = fleet.NewDraws(len(s.trace.Jobs), seed)
	}
}

// Scheduler goes to the next scheduler.
func (s *Screen) Scheduler() (changed bool) {
	q := s.question
	q.Scheduler = fleet.Schedulers[(slices.Index(fleet.Schedulers, q.Scheduler)+1)%len(fleet.Schedulers)]
	s.change("scheduler", q)
	return true
}

// Overlap lets reduced jobs run at the same time as those behind them, as the
// study does, or not.
func (s *Screen) Overlap() (changed bool) {
	q := s.question
	q.AsStudied = !q.AsStudied
	s.change("overlap", q)
	return true
}

// Redraw takes another seed for deadlines, models and users' minds.
func (s *Screen) Redraw() (changed bool) {
	q := s.question
	q.Seed = rand.Uint64N(1e6)
	s.redraw(q.Seed)
	s.change("seed", q)
	return true
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

// VMType goes to the next VM type that can be reserved, Purchase to the next way
// of reserving the present one.
func (s *Screen) VMType() (changed bool) {
	return s.nextOffer(func(o vmOffer) bool { return o.vm.InstanceType != s.question.VM })
}

// Purchase goes to the next way of reserving the VM type.
func (s *Screen) Purchase() (changed bool) {
	return s.nextOffer(func(o vmOffer) bool {
		return o.vm.InstanceType == s.question.VM && (o.purchase != s.question.Purchase || o.reserved != s.question.Reserved)
	})
}

func (s *Screen) nextOffer(accept func(vmOffer) bool) bool {
	at := slices.IndexFunc(s.offers, func(o vmOffer) bool {
		return o.vm.InstanceType == s.question.VM && o.purchase == s.question.Purchase && o.reserved == s.question.Reserved
	})
	for k := range s.offers {
		if o := s.offers[(at+1+k)%len(s.offers)]; accept(o) {
			q := s.question
			q.take(o)
			s.change("prices", q)
			s.controls.load(q)
			return true
		}
	}
	return false
}

// Sort sorts the policies by the next column, or turns the order round.
func (s *Screen) Sort(reverse bool) {
	if reverse {
		s.descending = !s.descending
	} else {
		all := s.table.Sortable()
		s.column, s.descending = all[(slices.Index(all, s.column)+1)%len(all)], false
	}
	s.refresh()
}

// Click handles the mouse at a cell of the screen; dragging repeats it.
func (s *Screen) Click(x, y int, drag bool) (changed bool) {
	if b := s.layout.sliders; b.Contains(x, y) {
		if !drag {
			s.focus = Sliders
		}
		px, py := b.Inside(x, y)
		w, h := b.Inner()
		return s.moved(s.controls.Press(px, py, w, h, drag))
	}
	if b := s.layout.policies; b.Contains(x, y) && !drag {
		s.focus = Policies
		px, py := b.Inside(x, y)
		if row, column, ok := s.table.Hit(px, py); ok && row >= 0 {
			s.table.SetCursor(row)
		} else if ok && slices.Contains(s.table.Sortable(), column) {
			s.descending = s.column == column && !s.descending
			s.column = column
			s.refresh()
		}
	}
	return false
}

// Wheel moves the slider under the pointer.
func (s *Screen) Wheel(x, y, steps int) (changed bool) {
	b := s.layout.sliders
	if !b.Contains(x, y) {
		return false
	}
	_, py := b.Inside(x, y)
	_, h := b.Inner()
	return s.moved(s.controls.Wheel(py, h, steps))
}
