package explore

import (
	"math"

	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/rank"
)

// choice is what two candidates must have in common to be the same choice: they run the
// same variant at the same batch size for as long on as many GPUs of one kind, bought in
// the same way, and are equally well known. They must also take and cost the same within
// [rank.Material], below which no measurement should choose: a VM type in two regions or
// clouds at one price, or one VM of four GPUs and two VMs of two. Combinations of VM
// types, and a candidate that is being probed, are choices of their own.
type choice struct {
	variant, precision string
	batch              int
	epochs             float64
	gpu                string
	gpus               int
	purchase           profile.Purchase
	basis              estimate.Basis
}

// choiceOf is the choice of a candidate; ok is false where it stands for itself.
func choiceOf(c *candidate.Candidate) (k choice, ok bool) {
	if len(c.Configuration) != 1 || c.Live {
		return k, false
	}
	p := c.Configuration[0]
	k = choice{variant: c.Variant.Name, precision: c.Variant.Precision, batch: c.BatchSize, gpu: p.VM.GPU,
		gpus: p.Count * p.VM.GPUCount, purchase: c.Purchase, basis: c.Time.Basis}
	if c.Epochs != nil {
		k.epochs = *c.Epochs
	}
	return k, p.VM.GPU != ""
}

// mergedDepth is among how many of the first rows the same choices are looked for: a
// slider's step may not wait for those that nobody will look at.
const mergedDepth = 1000

// sameChoices numbers what candidates are the same choice, as far as they were asked about.
// A candidate is made for it once, however often the rows are ordered.
type sameChoices struct {
	space   *rank.Space
	numbers map[choice]int32
	of      map[int]int32 // by candidate, from 1; 0 is not known yet, alone stands for itself
	last    []int32       // by number: the last of its leaders in the merging that goes on, from 1
	columns [][]float64
}

const alone = -1

func (k *sameChoices) number(s *rank.Space, i int) int32 {
	if k.space != s {
		*k = sameChoices{s, map[choice]int32{}, map[int]int32{}, []int32{0}, nil}
		for _, o := range s.Objectives {
			k.columns = append(k.columns, s.Values(o.Name))
		}
	}
	if k.of[i] == 0 {
		k.of[i] = alone
		if key, ok := choiceOf(s.At(i)); ok {
			if k.numbers[key] == 0 {
				k.numbers[key], k.last = int32(len(k.last)), append(k.last, 0)
			}
			k.of[i] = k.numbers[key]
		}
	}
	return k.of[i]
}

// merge leaves, of the candidates at the head of an order, the first of every choice,
// followed by its others where it is opened.
func (k *sameChoices) merge(s *rank.Space, head []int, opened map[string]bool) (m merged) {
	m = merged{was: head, head: head}
	var (
		leaders = make([]int, 0, len(head))
		before  = make([]int32, 0, len(head)) // by leader: the one before it of the same number
	)
	for _, i := range head {
		number := k.number(s, i)
		if number == alone {
			leaders, before = append(leaders, i), append(before, 0)
			continue
		}
		at := k.last[number]
		for at != 0 && !k.alike(leaders[at-1], i) {
			at = before[at-1]
		}
		if at == 0 {
			leaders, before = append(leaders, i), append(before, k.last[number])
			k.last[number] = int32(len(leaders))
			continue
		}
		m.add(leaders[at-1], i)
	}
	for _, i := range leaders {
		k.last[max(k.number(s, i), 0)] = 0
	}
	m.open(s, leaders, opened)
	return m
}

// merged is the head of an order with the same choices put together.
type merged struct {
	was, head []int         // before and after
	behind    map[int][]int // by the candidate that stands for them
	under     map[int]int   // candidate → the one that stands for it
	opened    map[int]bool  // those whose others follow them
}

func (m *merged) add(leader, i int) {
	if m.under == nil {
		m.behind, m.under, m.opened = map[int][]int{}, map[int]int{}, map[int]bool{}
	}
	m.behind[leader], m.under[i] = append(m.behind[leader], i), leader
}

// open makes the head of the leaders and of those behind the ones that are opened.
func (m *merged) open(s *rank.Space, leaders []int, opened map[string]bool) {
	if len(m.under) == 0 {
		return
	}
	m.head = leaders
	if len(opened) == 0 {
		return
	}
	m.head = make([]int, 0, len(m.was))
	for _, i := range leaders {
		m.head = append(m.head, i)
		if len(m.behind[i]) > 0 && opened[s.At(i).ID] {
			m.head, m.opened[i] = append(m.head, m.behind[i]...), true
		}
	}
}

// alike reports whether two candidates take and cost the same and are as accurate.
func (k *sameChoices) alike(i, j int) bool {
	for _, column := range k.columns {
		a, b := column[i], column[j]
		if math.Abs(a-b) > rank.Material*math.Abs(a) || math.IsNaN(a) != math.IsNaN(b) {
			return false
		}
	}
	return true
}
