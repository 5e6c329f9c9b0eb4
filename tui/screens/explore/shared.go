package explore

import (
	"reflect"
	"slices"
	"sync"
	"weak"

	"sweetspot/engine/advice"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
	"sweetspot/engine/transfer"
	"sweetspot/engine/validate"
)

// Shared is what the screens of several people hold in common over one set: candidates
// laid out for a workload, predictors and back-tests. Each is made once, by the first who
// needs it, and lives as long as one of them holds it. All of it is immutable. Nil shares
// nothing.
type Shared struct {
	spaces     pool[question.Workload, laidOut]
	predictors pool[profile.Mode, transfer.Predictor]
	tests      pool[struct{}, validate.Tested]
}

// laidOut is the candidates of a workload, and what follows from them alone.
type laidOut struct {
	space     *rank.Space
	spots     map[int][]advice.SweetSpot // by candidate: where it is one, and where it is the unpruned one
	announced []float64                  // how long one's own trainings were to be, on the slider; see [announcedBy]
}

// pool holds values by a set and a key, weakly. Its zero value is empty.
type pool[K, V any] struct {
	mu    sync.Mutex
	slots []*slot[K, V]
}

type slot[K, V any] struct {
	set weak.Pointer[profile.Set]
	key K

	mu   sync.Mutex // held while the value is made
	made weak.Pointer[V]
}

// of is the value of a set and a key, made unless somebody holds it.
func (p *pool[K, V]) of(set *profile.Set, key K, make func() *V) *V {
	s := p.slot(set, key)
	s.mu.Lock()
	defer s.mu.Unlock()
	if v := s.made.Value(); v != nil {
		return v
	}
	v := make()
	s.made = weak.Make(v)
	return v
}

func (p *pool[K, V]) slot(set *profile.Set, key K) *slot[K, V] {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := weak.Make(set)
	p.slots = slices.DeleteFunc(p.slots, func(s *slot[K, V]) bool {
		if !s.mu.TryLock() {
			return false // being made
		}
		defer s.mu.Unlock()
		return s.made.Value() == nil
	})
	for _, s := range p.slots {
		if s.set == at && reflect.DeepEqual(s.key, key) {
			return s
		}
	}
	s := &slot[K, V]{set: at, key: key}
	p.slots = append(p.slots, s)
	return s
}

// lay is candidates laid out, of the pool where there is one.
func (s *Shared) lay(set *profile.Set, w question.Workload, make func() *laidOut) *laidOut {
	if s == nil {
		return make()
	}
	return s.spaces.of(set, w, make)
}

func (s *Shared) predictor(set *profile.Set, mode profile.Mode) *transfer.Predictor {
	if s == nil {
		return transfer.New(set, mode)
	}
	return s.predictors.of(set, mode, func() *transfer.Predictor { return transfer.New(set, mode) })
}

// tested is how well predictions do on a set.
func (s *Shared) tested(set *profile.Set) *validate.Tested {
	test := func() *validate.Tested { return new(validate.ByBasis(set)) }
	if s == nil {
		return test()
	}
	return s.tests.of(set, struct{}{}, test)
}
