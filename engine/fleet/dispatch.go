package fleet

import (
	"container/heap"
	"math"
)

// placeRoundRobin gives every task to the next VMs in turn, whatever they have
// to do.
func placeRoundRobin(b *book) {
	turn := 0
	b.placeEach(func(vms []int32, n int) []int32 {
		for k := range n {
			vms = append(vms, int32((turn+k)%len(b.free)))
		}
		turn = (turn + n) % len(b.free)
		return vms
	}, func([]int32) {})
}

// placeLeastLoaded gives every task to the VMs that are free first.
func placeLeastLoaded(b *book) {
	line := b.byFree()
	back := func(vms []int32) {
		for _, v := range vms {
			line.push(v)
		}
	}
	for v := range b.free {
		line.push(int32(v))
	}
	b.placeEach(line.take, back)
}

// placeEach places task after task on the VMs that are taken for it, which are
// given back afterwards.
func (b *book) placeEach(take func(vms []int32, n int) []int32, back func([]int32)) {
	vms := make([]int32, 0, 1)
	for i := range b.tasks {
		t := &b.tasks[i]
		n := b.schedule.Fleet.vmsOf(t)
		if n > len(b.free) {
			b.rent(i, t.SubmitS)
			continue
		}
		vms = take(vms[:0], n)
		start := t.SubmitS
		for _, v := range vms {
			start = max(start, b.free[v])
		}
		b.decide(i, vms, start, t.SubmitS)
		back(vms)
	}
}

// byFree is a heap of VMs, the one that is free first on top, the lower number
// first among equals.
func (b *book) byFree() *heapOf[int32] {
	return &heapOf[int32]{before: func(v, w int32) bool {
		return b.free[v] < b.free[w] || b.free[v] == b.free[w] && v < w
	}}
}

// heapOf is a heap with the item on top that comes before all others.
type heapOf[T any] struct {
	items  []T
	before func(a, b T) bool
}

func (h *heapOf[T]) push(x T) { heap.Push(h, x) }

func (h *heapOf[T]) pop() T { return heap.Pop(h).(T) }

// take takes the first n items out, in their order.
func (h *heapOf[T]) take(into []T, n int) []T {
	for range n {
		into = append(into, h.pop())
	}
	return into
}

// Len, Less, Swap, Push and Pop make it a [heap.Interface].
func (h *heapOf[T]) Len() int           { return len(h.items) }
func (h *heapOf[T]) Less(i, j int) bool { return h.before(h.items[i], h.items[j]) }
func (h *heapOf[T]) Swap(i, j int)      { h.items[i], h.items[j] = h.items[j], h.items[i] }
func (h *heapOf[T]) Push(x any)         { h.items = append(h.items, x.(T)) }

// Pop removes the last item; pop removes the first.
func (h *heapOf[T]) Pop() any {
	last := len(h.items) - 1
	x := h.items[last]
	h.items = h.items[:last]
	return x
}

// placeEarliestFirst keeps one line of tasks for all VMs and starts the task
// whose deadline comes first whenever enough VMs are idle; one that needs more of
// them than are idle lets others go first. A task that still waits when it must
// start to be in time is rented VMs then, unless reduced precision would do.
func placeEarliestFirst(b *book) {
	e := &earliestFirst{book: b, busy: b.byFree(), waits: make([]bool, len(b.tasks))}
	e.line.before, e.expiring.before = queued.before, queued.before
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
	busy     *heapOf[int32]
	line     heapOf[queued] // by deadline
	expiring heapOf[queued] // by the last moment to start
	waits    []bool         // by task; what has left the line may still be in a heap
	vms      []int32        // scratch
}

// nextEvent is when a VM that may be wanted is free, or a task can wait no
// longer.
func (e *earliestFirst) nextEvent() float64 {
	for len(e.expiring.items) > 0 && !e.waits[e.expiring.items[0].task] {
		e.expiring.pop()
	}
	if len(e.expiring.items) == 0 {
		return math.Inf(1) // nobody waits
	}
	at := e.expiring.items[0].by
	if e.busy.Len() > 0 {
		at = min(at, e.book.free[e.busy.items[0]])
	}
	return at
}

func (e *earliestFirst) free(now float64) {
	for e.busy.Len() > 0 && e.book.free[e.busy.items[0]] <= now {
		e.idle = append(e.idle, e.busy.pop())
	}
}

func (e *earliestFirst) arrive(task int) {
	t := &e.book.tasks[task]
	if e.book.schedule.Fleet.vmsOf(t) > len(e.book.free) {
		e.book.rent(task, t.SubmitS)
		return
	}
	e.waits[task] = true
	e.line.push(queued{t.DeadlineS, task})
	e.expiring.push(queued{max(t.SubmitS, t.DeadlineS-t.FullS), task})
}

// start starts what the idle VMs are enough for.
func (e *earliestFirst) start(now float64) {
	var tooLarge []queued
	for len(e.idle) > 0 && len(e.line.items) > 0 {
		q := e.line.pop()
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
				e.busy.push(v)
			}
		}
	}
	for _, q := range tooLarge {
		e.line.push(q)
	}
}

// expire decides on the tasks that can wait no longer.
func (e *earliestFirst) expire(now float64) {
	for len(e.expiring.items) > 0 && e.expiring.items[0].by <= now {
		task := e.expiring.pop().task
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
				e.busy.push(v)
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

// before orders tasks by time, equal ones by their submission.
func (q queued) before(r queued) bool { return q.by < r.by || q.by == r.by && q.task < r.task }
