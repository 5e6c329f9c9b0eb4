package fleet

import "container/heap"

// placeRoundRobin gives every task to the next VMs in turn, whatever they have
// to do.
func placeRoundRobin(b *book) {
	turn := 0
	vms := make([]int32, 0, 1)
	for i := range b.tasks {
		t := &b.tasks[i]
		n := b.schedule.Fleet.vmsOf(t)
		if n > len(b.free) {
			b.rent(i, t.SubmitS)
			continue
		}
		start := t.SubmitS
		vms = vms[:0]
		for k := range n {
			v := (turn + k) % len(b.free)
			start = max(start, b.free[v])
			vms = append(vms, int32(v))
		}
		turn = (turn + n) % len(b.free)
		b.decide(i, vms, start, t.SubmitS)
	}
}

// placeLeastLoaded gives every task to the VMs that are free first.
func placeLeastLoaded(b *book) {
	line := newByFree(b)
	vms := make([]int32, 0, 1)
	for i := range b.tasks {
		t := &b.tasks[i]
		n := b.schedule.Fleet.vmsOf(t)
		if n > len(b.free) {
			b.rent(i, t.SubmitS)
			continue
		}
		vms = line.take(vms[:0], n)
		start := max(t.SubmitS, b.free[vms[n-1]])
		b.decide(i, vms, start, t.SubmitS)
		line.give(vms)
	}
}

// byFree is a heap of VMs, the one that is free first on top, the lower number
// first among equals.
type byFree struct {
	book *book
	vms  []int32
}

func newByFree(b *book) *byFree {
	h := &byFree{book: b, vms: make([]int32, len(b.free))}
	for v := range h.vms {
		h.vms[v] = int32(v)
	}
	return h
}

// take takes the n VMs out that are free first, in that order.
func (h *byFree) take(into []int32, n int) []int32 {
	for range n {
		into = append(into, heap.Pop(h).(int32))
	}
	return into
}

func (h *byFree) give(vms []int32) {
	for _, v := range vms {
		heap.Push(h, v)
	}
}

// Len, Less, Swap, Push and Pop make it a [heap.Interface].
func (h *byFree) Len() int { return len(h.vms) }

func (h *byFree) Less(i, j int) bool {
	a, b := h.book.free[h.vms[i]], h.book.free[h.vms[j]]
	return a < b || a == b && h.vms[i] < h.vms[j]
}

func (h *byFree) Swap(i, j int) { h.vms[i], h.vms[j] = h.vms[j], h.vms[i] }

func (h *byFree) Push(x any) { h.vms = append(h.vms, x.(int32)) }

func (h *byFree) Pop() any {
	last := len(h.vms) - 1
	v := h.vms[last]
	h.vms = h.vms[:last]
	return v
}
