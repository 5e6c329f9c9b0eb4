package fleet

import (
	"math/rand/v2"
	"slices"

	"sweetspot/engine/fleet"
	"sweetspot/engine/profile"
	"sweetspot/tui/components/slider"
)

// Every method here that reports changed asks for a new answer.

// Focus moves the keys to the next region.
func (s *Screen) Focus(step int) {
	s.Typing(false)
	s.focus = (s.focus + Region(step) + regions) % regions
	s.lastEdit = ""
}

// Typing ends or begins typing a value on the active slider.
func (s *Screen) Typing(begin bool) {
	switch sl := s.controls.Current(); {
	case begin && s.focus == Sliders:
		sl.Begin()
	case sl.Typing():
		sl.Cancel()
	}
}

// IsTyping reports whether keys are text for a slider.
func (s *Screen) IsTyping() bool { return s.controls.Current().Typing() }

// Type gives text to the slider that is typed on.
func (s *Screen) Type(t string) { s.controls.Current().Type(t) }

// Backspace takes the last typed character away.
func (s *Screen) Backspace() { s.controls.Current().Backspace() }

// Commit takes the typed value over.
func (s *Screen) Commit() (changed bool) {
	before := s.question
	if changed, err := s.controls.Current().Commit(); err != nil || !changed {
		return false
	}
	s.lastEdit = ""
	s.remember("typed")
	s.lastEdit = ""
	s.controls.save(s.controls.Active, &s.question)
	return s.question != before
}

// Enter types a value.
func (s *Screen) Enter() { s.Typing(true) }

// Horizontal moves the active slider.
func (s *Screen) Horizontal(steps int, big bool) (changed bool) {
	if s.focus != Sliders {
		return false
	}
	return s.scrub(func(sl *slider.Slider) bool {
		if big {
			return sl.BigMove(steps)
		}
		return sl.Move(steps)
	})
}

// Ends moves the active slider to an end, or to the first or last policy.
func (s *Screen) Ends(last bool) (changed bool) {
	if s.focus == Policies {
		if last {
			s.table.Bottom()
		} else {
			s.table.Top()
		}
		return false
	}
	return s.scrub(func(sl *slider.Slider) bool {
		lo, hi := sl.Range()
		if last {
			return sl.Set(hi)
		}
		return sl.Set(lo)
	})
}

func (s *Screen) scrub(move func(*slider.Slider) bool) bool {
	if !move(s.controls.Current()) {
		return false
	}
	now := s.question
	s.controls.save(s.controls.Active, &now)
	s.change("slider "+s.controls.Current().Label(), now)
	return true
}

// Vertical goes to another slider or policy.
func (s *Screen) Vertical(steps int) {
	if s.focus == Sliders {
		s.controls.Move(steps)
		s.lastEdit = ""
		return
	}
	s.table.Move(steps)
}

// change takes another question, which undo takes back.
func (s *Screen) change(edit string, q Question) {
	s.remember(edit)
	s.question = q
}

// maxUndo bounds how far back undo goes.
const maxUndo = 100

// remember keeps the question for undo, once for a run of equal edits.
func (s *Screen) remember(edit string) {
	s.redo = nil
	if edit == s.lastEdit {
		return
	}
	s.lastEdit = edit
	s.undo = append(s.undo, s.question)
	if len(s.undo) > maxUndo {
		s.undo = slices.Delete(s.undo, 0, 1)
	}
}

// Undo returns to the question before the last edit.
func (s *Screen) Undo() (changed bool) { return s.travel(&s.undo, &s.redo) }

// Redo makes the last undone edit again.
func (s *Screen) Redo() (changed bool) { return s.travel(&s.redo, &s.undo) }

// CanUndo reports whether there is anything to take back.
func (s *Screen) CanUndo() bool { return len(s.undo) > 0 }

// CanRedo reports whether there is anything to redo.
func (s *Screen) CanRedo() bool { return len(s.redo) > 0 }

func (s *Screen) travel(from, to *[]Question) bool {
	n := len(*from)
	if n == 0 {
		return false
	}
	target := (*from)[n-1]
	*from, *to = (*from)[:n-1], append(*to, s.question)
	s.lastEdit = ""
	s.redraw(target.Seed)
	s.question = target
	s.controls.load(target)
	return true
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
	if b := s.layout.sliders; b.contains(x, y) {
		if !drag {
			s.focus = Sliders
		}
		px, py := b.inside(x, y)
		w, h := b.inner()
		k, track, ok := s.controls.Hit(py, h)
		if !ok || drag && k != s.controls.Active {
			return false
		}
		s.controls.Active = k
		return track && s.scrub(func(sl *slider.Slider) bool { return sl.Click(px, w) })
	}
	if b := s.layout.policies; b.contains(x, y) && !drag {
		s.focus = Policies
		px, py := b.inside(x, y)
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
	if !b.contains(x, y) {
		return false
	}
	_, py := b.inside(x, y)
	_, h := b.inner()
	if k, _, ok := s.controls.Hit(py, h); ok {
		s.controls.Active = k
		return s.scrub(func(sl *slider.Slider) bool { return sl.Move(-steps) })
	}
	return false
}
