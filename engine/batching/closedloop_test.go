package batching

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// inLoops is the log of clients that each send their next request so long after they were answered, load
// after load, found by brute force: each request is added once its time is known, and all are served again.
func inLoops(t *testing.T, s Server, clients []int, each int, l Lengths, gapS float64) []Observed {
	t.Helper()
	var requests []Request
	var log []Observed
	serve := func() {
		out, err := Simulate(requests, s)
		if err != nil {
			t.Fatal(err)
		}
		log = out.Observe(requests)
	}
	start := 0.0
	lengths := Synthetic(l, each*len(clients), 1, 5)
	for _, n := range clients {
		answered := map[int]bool{} // whose client has sent its next request
		mine := lengths[:each]
		lengths = lengths[each:]
		for i := range n {
			requests = append(requests, Request{start, mine[i].Input, mine[i].Output})
		}
		first := len(requests) - n
		for serve(); len(requests)-first < each; serve() {
			next := -1
			for i := first; i < len(log); i++ {
				if !answered[i] && (next < 0 || log[i].LastS < log[next].LastS) {
					next = i
				}
			}
			answered[next] = true
			of := mine[len(requests)-first]
			requests = append(requests, Request{log[next].LastS + gapS, of.Input, of.Output})
		}
		for i := range log {
			start = max(start, log[i].LastS+gapS)
		}
	}
	return log
}

var looped = Server{Times{0.010, 4e-4, 0, 1e-3, 4e-6, 0.001, 0, 0}, Settings{64, 512, Unlimited}}

// The clients of a log in closed loops are found, and a server with its times answers them when it did.
func TestClosedLoopIsTheLog(t *testing.T) {
	log := inLoops(t, looped, []int{1, 4, 8}, 16, Lengths{Input: 128, Output: 24, Spread: 0.3}, 0.0003)
	c := closedLoopOf(log)
	if c == nil {
		t.Fatal("no closed loop is found")
	}
	if len(c.alone) != 1 {
		t.Errorf("%d of %d requests follow none, want the first one only", len(c.alone), len(log))
	}
	seen, err := c.simulate(looped)
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range log {
		if s := seen[i]; s.Input != o.Input || math.Abs(s.ArrivalS-o.ArrivalS) > 1e-9 || math.Abs(s.FirstS-o.FirstS) > 1e-9 ||
			math.Abs(s.LastS-o.LastS) > 1e-9 {
			t.Fatalf("request %d is %+v, was %+v", i, s, o)
		}
	}
}

// Steps that are longer by a fifth make every answer longer by about that: clients wait for it. Requests at
// their old times would meet those that are still being answered.
func TestClosedLoopWaits(t *testing.T) {
	log := inLoops(t, looped, []int{1, 4}, 16, Lengths{Input: 128, Output: 24}, 0.0003)
	slower := Server{looped.slower(1.2), looped.Settings}
	seen, err := closedLoopOf(log).simulate(slower)
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range log {
		if ratio := seen[i].TPOT() / o.TPOT(); ratio < 1.15 || ratio > 1.25 {
			t.Errorf("request %d takes %.2f times as long per token", i, ratio)
		}
	}
}

// Requests that come at random are taken as such, however long the server takes: in bursts, when many come and
// many end, several at once, and in a log whose times are coarse, where many have the same time.
func TestOpenLoopIsNoClosedOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.Float64Range(0.5, 30).Draw(t, "rate")
		requests := Synthetic(Lengths{Input: 100, Output: 40, Spread: 0.5}, 200, rate, rapid.Uint64().Draw(t, "seed"))
		burst := rapid.SampledFrom([]int{0, 20, 100}).Draw(t, "burst")
		atOnce := rapid.SampledFrom([]int{1, 8}).Draw(t, "at once")
		for i := range requests {
			if first := i - i%atOnce; first < i {
				requests[i].ArrivalS = requests[first].ArrivalS
			} else if burst > 0 {
				requests[i].ArrivalS += 60 * float64(i/burst)
			}
		}
		out, err := Simulate(requests, Server{Times{StepS: 0.008, PromptS: 1e-4, SequenceS: 1e-4}, looped.Settings})
		if err != nil {
			t.Fatal(err)
		}
		log := rounded(out.Observe(requests), rapid.SampledFrom([]float64{1e-6, 0.001, 0.01, 0.1, 1}).Draw(t, "resolution"))
		if c := closedLoopOf(log); c != nil {
			t.Errorf("%d of %d requests follow another one", len(requests)-len(c.alone), len(requests))
		}
	})
}

// rounded is a log in whole units of so many seconds.
func rounded(log []Observed, unit float64) []Observed {
	for i := range log {
		for _, at := range []*float64{&log[i].ArrivalS, &log[i].FirstS, &log[i].LastS} {
			*at = math.Floor(*at/unit) * unit
		}
	}
	SortLog(log)
	return log
}

// Each of several clients that end together follows its own request, in a log in milliseconds too.
func TestClosedLoopInMilliseconds(t *testing.T) {
	log := rounded(inLoops(t, looped, []int{1, 4, 8}, 16, Lengths{Input: 128, Output: 24}, 0.0003), 0.001)
	c := closedLoopOf(log)
	if c == nil {
		t.Fatal("no closed loop is found")
	}
	several := 0
	for _, after := range c.after {
		if len(after) > 1 {
			several++
		}
	}
	if several > 2 {
		t.Errorf("%d requests have several that follow, want those that end the two first loads", several)
	}
	if len(c.alone) != 1 {
		t.Errorf("%d of %d requests follow none, want the first one only", len(c.alone), len(log))
	}
}

// Nothing of a log makes its simulation hang or leave a request out: odd times, answers that never end, more
// tokens than the cache has room for.
func TestClosedLoopServesAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		requests, s := drawn(t)
		out, err := Simulate(requests, s)
		if err != nil {
			t.Fatal(err)
		}
		log := out.Observe(requests)
		for i := range log {
			if rapid.IntRange(0, 3).Draw(t, "follows") == 0 && i > 0 && log[i-1].Complete() {
				log[i].ArrivalS = max(log[i].ArrivalS, log[i-1].LastS)
			}
		}
		SortLog(log)
		c, _ := following(log, endsOf(log))
		s.CacheTokens = rapid.IntRange(4, s.CacheTokens).Draw(t, "room") // for fewer, so that some are turned away
		seen, err := c.simulate(s)
		if err != nil {
			t.Fatal(err)
		}
		for i, o := range seen {
			if o.Request.Input != log[i].Input || !o.Complete() && !math.IsNaN(o.LastS) {
				t.Errorf("request %d is %+v", i, o)
			}
		}
		slices.SortStableFunc(seen, func(a, b Observed) int { return cmp.Compare(a.ArrivalS, b.ArrivalS) })
		seen = slices.DeleteFunc(seen, func(o Observed) bool { return math.IsNaN(o.AdmittedS) })
		for i := range seen[:max(len(seen)-1, 0)] {
			if a, b := seen[i], seen[i+1]; a.ArrivalS < b.ArrivalS && a.AdmittedS > b.AdmittedS {
				t.Errorf("%+v overtakes %+v", b, a)
			}
		}
	})
}

// From a probe in closed loops follow the step times, and with them an open load.
func TestFitFollowsClosedLoops(t *testing.T) {
	log := inLoops(t, looped, []int{1, 4, 8}, 16, Lengths{Input: 128, Output: 24, Spread: 0.3}, 0.0003)
	got, err := Fit(log, len(log), Settings{TokenBudget: 512})
	if err != nil {
		t.Fatal(err)
	}
	requests := Synthetic(Lengths{Input: 128, Output: 48, Spread: 0.5}, 300, 3, 3)
	comparePercentiles(t, looped, got.Server, requests, 0, 0.05)
}

// Where one client waits at a time, the log shows neither what a second sequence adds to a step nor how large the
// cache is: the interval of the most load says so. Where several do, both follow.
func TestIntervalsHoldWhatALogDoesNotShow(t *testing.T) {
	requests := Synthetic(Lengths{Input: 128, Output: 48, Spread: 0.5}, 300, 3, 3)
	limits := Limits{TTFTS: 1, TPOTS: 0.1, Share: 0.95}
	_, most, err := Most(requests, looped, limits)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		clients []int
		shown   bool // what a sequence adds
		budget  int  // told; 0 is fitted
	}{{[]int{1}, false, 512}, {[]int{1}, false, 0}, {[]int{4}, true, 512}, {[]int{1, 16}, true, 512}} {
		log := inLoops(t, looped, c.clients, 96/len(c.clients), Lengths{Input: 128, Output: 24, Spread: 0.3}, 0.0003)
		fit, err := Fit(log, len(log), Settings{TokenBudget: c.budget})
		if err != nil {
			t.Fatal(err)
		}
		if fit.CacheTokens != Unlimited {
			t.Errorf("%d clients: a cache of %d tokens, and the server has no limit", c.clients, fit.CacheTokens)
		}
		a, err := Question{requests, *fit, limits, 1}.Answer()
		if err != nil {
			t.Fatal(err)
		}
		if a.Most.Low > most.PerSecond || a.Most.High < most.PerSecond {
			t.Errorf("%d clients: it holds %+v requests/s, and the server %g", c.clients, a.Most, most.PerSecond)
		}
		if !c.shown && a.Most.Low > most.PerSecond/3 { // as if a sequence took all of a step
			t.Errorf("%d clients: it holds %+v requests/s", c.clients, a.Most)
		}
		if off := math.Abs(a.Most.Value/most.PerSecond - 1); c.shown && off > 0.03 {
			t.Errorf("%d clients: it holds %+v requests/s, and the server %g", c.clients, a.Most, most.PerSecond)
		}
	}
}
