package fleet

import (
	"container/heap"
	"math"
)

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

// placeEarliestFirst keeps one line of tasks for all VMs and starts the task
// whose deadline comes first whenever enough VMs are idle; one that needs more of
// them than are idle lets others go first. A task that still waits when it must
// start to be in time is rented VMs then, unless reduced precision would do.
func placeEarliestFirst(b *book) {
	e := &earliestFirst{book: b, busy: &byFree{book: b}, waits: make([]bool, len(b.tasks))}
	for v := range b.free {
		e.idle = append(e.idle, int32(v))
	}
	for next := 0; ; {
		now := math.Inf(1)
		if next < len(b.tasks) {
			now = b.tasks[next].SubmitS
		}
		now = min(now, e.nextEvent())
		if math.IsInf(now, 1) {
			return
		}
		e.free(now)
		for ; next < len(b.tasks) && b.tasks[next].SubmitS <= now; next++ {
			e.arrive(next)
		}
		e.start(now)
		e.expire(now)
	}
}

type earliestFirst struct {
	book     *book
	idle     []int32
	busy     *byFree
	line     taskHeap // by deadline
	expiring taskHeap // by the last moment to start
	waits    []bool   // by task; what has left the line may still be in a heap
	vms      []int32  // scratch
}

// nextEvent is when a VM that may be wanted is free, or a task can wait no
// longer.
func (e *earliestFirst) nextEvent() float64 {
	for len(e.expiring) > 0 && !e.waits[e.expiring[0].task] {
		heap.Pop(&e.expiring)
	}
	if len(e.expiring) == 0 {
		return math.Inf(1) // nobody waits
	}
	at := e.expiring[0].by
	if e.busy.Len() > 0 {
		at = min(at, e.book.free[e.busy.vms[0]])
	}
	return at
}

func (e *earliestFirst) free(now float64) {
	for e.busy.Len() > 0 && e.book.free[e.busy.vms[0]] <= now {
		e.idle = append(e.idle, heap.Pop(e.busy).(int32))
	}
}

func (e *earliestFirst) arrive(task int) {
	t := &e.book.tasks[task]
	if e.book.schedule.Fleet.vmsOf(t) > len(e.book.free) {
		e.book.rent(task, t.SubmitS)
		return
	}
	e.waits[task] = true
	heap.Push(&e.line, queued{t.DeadlineS, task})
	heap.Push(&e.expiring, queued{max(t.SubmitS, t.DeadlineS-t.FullS), task})
}

// start starts what the idle VMs are enough for.
func (e *earliestFirst) start(now float64) {
	var tooLarge []queued
	for len(e.idle) > 0 && len(e.line) > 0 {
		q := heap.Pop(&e.line).(queued)
		t := &e.book.tasks[q.task]
		n := e.book.schedule.Fleet.vmsOf(t)
		switch {
		case !e.waits[q.task] || now+t.FullS > t.DeadlineS: // gone, or about to expire
		case n > len(e.idle):
			tooLarge = append(tooLarge, q)
		default:
			vms := e.idle[len(e.idle)-n:]
			e.idle = e.idle[:len(e.idle)-n]
			e.book.place(q.task, vms, now)
			e.waits[q.task] = false
			for _, v := range vms {
				heap.Push(e.busy, v)
			}
		}
	}
	for _, q := range tooLarge {
		heap.Push(&e.line, q)
	}
}

// expire decides on the tasks that can wait no longer.
func (e *earliestFirst) expire(now float64) {
	for len(e.expiring) > 0 && e.expiring[0].by <= now {
		task := heap.Pop(&e.expiring).(queued).task
		if !e.waits[task] {
			continue
		}
		e.waits[task] = false
		n := e.book.schedule.Fleet.vmsOf(&e.book.tasks[task])
		kept := max(len(e.idle)-n, 0)
		e.vms = append(e.vms[:0], e.idle[kept:]...)
		e.idle = e.idle[:kept]
		start := now
		if busy := n - len(e.vms); busy > 0 {
			e.vms = e.busy.take(e.vms, busy)
			start = max(now, e.book.free[e.vms[n-1]])
		}
		// Never at full precision: it would be late where it starts later, and here
		// where it was late already when it came.
		e.book.ask(task, e.vms, start, now)
		for _, v := range e.vms {
			if e.book.free[v] > now {
				heap.Push(e.busy, v)
			} else {
				e.idle = append(e.idle, v)
			}
		}
	}
}

// queued is a task in a heap.
type queued struct {
	by   float64
	task int
}

// taskHeap has the smallest on top, among equals the one submitted first.
type taskHeap []queued

// Len, Less, Swap, Push and Pop make it a [heap.Interface].
func (h taskHeap) Len() int { return len(h) }

func (h taskHeap) Less(i, j int) bool {
	return h[i].by < h[j].by || h[i].by == h[j].by && h[i].task < h[j].task
}

func (h taskHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

func (h *taskHeap) Push(x any) { *h = append(*h, x.(queued)) }

func (h *taskHeap) Pop() any {
	last := len(*h) - 1
	q := (*h)[last]
	*h = (*h)[:last]
	return q
}
