package batching

import (
	"cmp"
	"math"
	"slices"
)

// In a closed loop a client sends its next request once it is answered. When that is hangs on the
// server: simulated steps that are a little too slow must not meet the next request while
// they still answer the last one. Such requests therefore follow, in the simulation of a
// log, the one whose end they waited for.
//
// promptly is within how many seconds from the end of an answer a client sends its next request.
const promptly = 0.005

// follower is a request that comes so long after the end of another one.
type follower struct {
	request int32
	gapS    float64
}

// closedLoop has the requests of a log come, each at its own time or after the one it follows.
type closedLoop struct {
	log   []Observed
	alone []int32      // requests that follow none, in order of arrival
	after [][]follower // those that follow each request
}

// closedLoopOf finds the requests of a log, which is in order of arrival, that were sent because another one
// had ended; nil where no more came just then than by chance, or its times are too coarse to tell.
func closedLoopOf(log []Observed) *closedLoop {
	ends := endsOf(log)
	c, followers := following(log, ends)
	const surely, few = 5, 3 // standard deviations of what comes by chance, and requests
	chance := byChance(log, ends)
	if tooCoarse(log, ends) || float64(followers) <= chance+surely*math.Sqrt(chance)+few {
		return nil
	}
	return c
}

// following has each request follow the end just before it, and counts those that have an end of their own.
func following(log []Observed, ends []int32) (c *closedLoop, followers int) {
	c = &closedLoop{log: log, after: make([][]follower, len(log))}
	follow := func(end, i int) {
		last := ends[end]
		c.after[last] = append(c.after[last], follower{int32(i), log[i].ArrivalS - log[last].LastS})
	}
	soon := func(end, i int) bool { return log[i].ArrivalS-log[ends[end]].LastS <= promptly }
	ended, free := 0, 0 // ends so far, of which the later ones had no follower
	for i, o := range log {
		for ended < len(ends) && log[ends[ended]].LastS <= o.ArrivalS {
			ended++
		}
		for free < ended && !soon(free, i) {
			free++
		}
		switch {
		case free < ended:
			follow(free, i)
			free++
			followers++
		case ended > 0 && soon(ended-1, i): // one of several, such as the clients of the next load
			follow(ended-1, i)
		default:
			c.alone = append(c.alone, int32(i))
		}
	}
	return c, followers
}

// endsOf are the requests of a log whose end is known, in the order in which they ended.
func endsOf(log []Observed) (ends []int32) {
	for i, o := range log {
		if o.Complete() {
			ends = append(ends, int32(i))
		}
	}
	slices.SortStableFunc(ends, func(a, b int32) int { return cmp.Compare(log[a].LastS, log[b].LastS) })
	return ends
}

// byChance is how many requests would come just after an end if they came at random, at each time as many
// as the log shows around it: in bursts, requests and ends come together.
func byChance(log []Observed, ends []int32) (requests float64) {
	const around = 100 * promptly
	if len(ends) == 0 {
		return 0
	}
	begins, over := log[0].ArrivalS, max(log[ends[len(ends)-1]].LastS, log[len(log)-1].ArrivalS)
	first, last := 0, 0
	for _, o := range log {
		from, to := max(begins, o.ArrivalS-around), min(over, o.ArrivalS+around)
		for first < len(ends) && log[ends[first]].LastS < from {
			first++
		}
		for last < len(ends) && log[ends[last]].LastS <= to {
			last++
		}
		requests += min(1, float64(last-first)*promptly/(to-from))
	}
	return requests
}

// tooCoarse reports whether no two times of a log are so close that one is just after the other: those of a log
// in tenths of a second are the same or too far apart.
func tooCoarse(log []Observed, ends []int32) bool {
	times := make([]float64, 0, len(log)+len(ends))
	for _, o := range log {
		times = append(times, o.ArrivalS)
	}
	for _, i := range ends {
		times = append(times, log[i].LastS)
	}
	slices.Sort(times)
	for i := 1; i < len(times); i++ {
		if apart := times[i] - times[i-1]; apart > 0 && apart <= promptly {
			return false
		}
	}
	return true
}

// arrivals are the requests of a closed loop in one simulation.
type arrivals struct {
	*closedLoop
	next int       // of those that follow none
	due  []arrival // of the others, those whose time is known, the latest first
	came []int32   // by their place among all that came: which request of the log it is
}

type arrival struct {
	request int32
	atS     float64
}

// upcoming is the request that comes next; false where none is left.
func (a *arrivals) upcoming() (arrival, bool) {
	var first arrival
	found := a.next < len(a.alone)
	if found {
		first = arrival{a.alone[a.next], a.log[a.alone[a.next]].ArrivalS}
	}
	if n := len(a.due); n > 0 && (!found || a.due[n-1].atS < first.atS) {
		return a.due[n-1], true
	}
	return first, found
}

// take is the request that comes next, which then has come.
func (a *arrivals) take() Request {
	first, _ := a.upcoming()
	if n := len(a.due); n > 0 && a.due[n-1] == first {
		a.due = a.due[:n-1]
	} else {
		a.next++
	}
	a.came = append(a.came, first.request)
	r := a.log[first.request].Request
	r.ArrivalS = first.atS
	return r
}

// ended has those come that follow the request at a place.
func (a *arrivals) ended(place int32, atS float64) {
	for _, f := range a.after[a.came[place]] {
		next := arrival{f.request, atS + f.gapS}
		at, _ := slices.BinarySearchFunc(a.due, next, func(x, y arrival) int {
			return cmp.Or(cmp.Compare(y.atS, x.atS), cmp.Compare(y.request, x.request))
		})
		a.due = slices.Insert(a.due, at, next)
	}
}

// simulate is the log as a server would have it, in the log's order.
func (c *closedLoop) simulate(s Server) ([]Observed, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	r := newReplica(make([]Request, len(c.log)), s)
	r.loop = &arrivals{closedLoop: c, came: make([]int32, 0, len(c.log))}
	if err := r.run(); err != nil {
		return nil, err
	}
	seen := make([]Observed, len(c.log))
	for place, o := range r.out.Observe(r.requests) {
		seen[r.loop.came[place]] = o
	}
	return seen, nil
}
