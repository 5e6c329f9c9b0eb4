package batching

import (
	"math"
	"slices"
	"sort"
	"testing"

	"pgregory.net/rapid"
)

// slowly serves the requests one step at a time, token by token, as the package's
// comment says it.
func slowly(requests []Request, s Server) (served []Served, gaps []float64, preemptions int) {
	type one struct {
		request        int
		tokens, cached int
		whole          int // tokens to compute before its next one; 0 while it decodes
	}
	var waiting, running []*one
	served = make([]Served, len(requests))
	for i := range served {
		served[i] = Served{math.NaN(), math.NaN(), math.NaN()}
	}
	t, next := requests[0].ArrivalS+s.RequestS, 0
	for {
		for ; next < len(requests) && requests[next].ArrivalS+s.RequestS <= t; next++ {
			if requests[next].Input+requests[next].Output-1 <= s.CacheTokens {
				waiting = append(waiting, &one{request: next})
			}
		}
		if len(waiting)+len(running) == 0 {
			if next == len(requests) {
				return served, gaps, preemptions
			}
			t = requests[next].ArrivalS + s.RequestS
			continue
		}
		// Room that the cache needs: what is in it, what prompts will need, and a token
		// for each that decodes.
		need := func() (n int) {
			for _, q := range running {
				if q.whole > 0 {
					n += q.whole
				} else {
					n += q.cached + 1
				}
			}
			return n
		}
		gaveUp := false
		for need() > s.CacheTokens {
			last := running[len(running)-1]
			running = running[:len(running)-1]
			last.cached, last.whole = 0, 0
			waiting = slices.Insert(waiting, 0, last)
			gaveUp = true
			preemptions++
		}
		decoding := []*one{}
		context, pairs, prompt, attended := 0, 0.0, 0, 0
		for _, q := range running {
			if q.whole == 0 {
				decoding = append(decoding, q)
				context += q.cached
				attended += q.cached + 1
			}
		}
		budget := s.TokenBudget - len(decoding)
		take := func(q *one) {
			n := min(q.whole-q.cached, budget)
			for k := range n {
				pairs += float64(q.cached+k) + 0.5
			}
			q.cached += n
			attended += q.cached
			budget -= n
			prompt += n
		}
		for _, q := range running {
			if q.whole > 0 {
				take(q)
			}
		}
		for len(waiting) > 0 && budget > 0 && !gaveUp && len(running) < s.MaxSequences {
			q := waiting[0]
			q.whole = requests[q.request].Input + q.tokens
			if need()+q.whole > s.CacheTokens {
				q.whole = 0
				break
			}
			waiting = waiting[1:]
			running = append(running, q)
			if math.IsNaN(served[q.request].AdmittedS) {
				served[q.request].AdmittedS = t
			}
			take(q)
		}
		t += s.StepS + s.PromptS*float64(prompt) + s.PairS*pairs + s.SequenceS*float64(len(decoding)) +
			s.ContextS*float64(context) + s.MaskedS*float64((len(decoding)+prompt)*attended)
		if len(decoding)+prompt > 1 {
			t += s.BatchedS
		}
		token := func(q *one) {
			at := &served[q.request]
			if q.tokens++; q.tokens == 1 {
				at.FirstS = t
			} else {
				gaps = append(gaps, t-at.LastS)
			}
			at.LastS = t
		}
		for _, q := range decoding {
			q.cached++
			token(q)
		}
		for _, q := range running {
			if q.whole > 0 && q.cached == q.whole {
				q.whole = 0
				token(q)
			}
		}
		running = slices.DeleteFunc(running, func(q *one) bool { return q.tokens == requests[q.request].Output })
	}
}

// dyadic are numbers that add up without rounding, so that two ways to add them
// agree to the last bit.
func dyadic(t *rapid.T, most int, name string) float64 {
	return float64(rapid.IntRange(0, most).Draw(t, name)) / (1 << 16)
}

func drawn(t *rapid.T) ([]Request, Server) {
	s := Server{
		Times: Times{
			StepS: dyadic(t, 2000, "step") + 1.0/(1<<16), PromptS: dyadic(t, 20, "prompt"), PairS: dyadic(t, 2, "pair"),
			SequenceS: dyadic(t, 100, "sequence"), ContextS: dyadic(t, 10, "context"), RequestS: dyadic(t, 1000, "request"),
			BatchedS: dyadic(t, 500, "batched"), MaskedS: dyadic(t, 1, "masked"),
		},
		Settings: Settings{
			MaxSequences: rapid.IntRange(1, 12).Draw(t, "sequences"), CacheTokens: rapid.IntRange(8, 300).Draw(t, "cache"),
		},
	}
	s.TokenBudget = s.MaxSequences + rapid.IntRange(0, 40).Draw(t, "budget")
	n := rapid.IntRange(1, 40).Draw(t, "requests")
	requests, at := make([]Request, n), 0.0
	spread := rapid.SampledFrom([]int{0, 1 << 10, 1 << 14, 1 << 18}).Draw(t, "spread")
	for i := range requests {
		at += dyadic(t, spread, "wait")
		requests[i] = Request{at, rapid.IntRange(1, 60).Draw(t, "in"), rapid.IntRange(1, 60).Draw(t, "out")}
	}
	return requests, s
}

// The simulator that takes many steps at once is the one that takes each alone.
func TestSimulateIsTheSlowOne(t *testing.T) {
	preempted, rejected := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		requests, s := drawn(t)
		got, err := Simulate(requests, s)
		if err != nil {
			t.Fatal(err)
		}
		want, gaps, preemptions := slowly(requests, s)
		for i, w := range want {
			g := got.Served[i]
			if math.IsNaN(w.FirstS) != math.IsNaN(g.FirstS) || !math.IsNaN(w.FirstS) && g != w {
				t.Fatalf("request %d of %v\non %+v: %v, step by step %v", i, requests, s, g, w)
			}
		}
		if got.Preemptions != int64(preemptions) || got.Gaps.Tokens() != int64(len(gaps)) {
			t.Fatalf("%d preemptions and %d gaps, step by step %d and %d", got.Preemptions, got.Gaps.Tokens(), preemptions,
				len(gaps))
		}
		slices.Sort(gaps)
		for _, p := range []float64{0.01, 0.5, 0.9, 1} {
			if len(gaps) == 0 {
				break
			}
			want := gaps[int(math.Ceil(p*float64(len(gaps))))-1]
			if q := got.Gaps.Quantile(p); binOf(q) != binOf(want) {
				t.Fatalf("quantile %g of the gaps is %g, step by step %g", p, q, want)
			}
		}
		preempted += preemptions
		rejected += got.Rejected
	})
	if preempted == 0 || rejected == 0 {
		t.Errorf("%d preemptions and %d rejections: what was drawn tests too little", preempted, rejected)
	}
}

// With times as they are measured, sums round; the percentiles stay.
func TestSimulateRoundsAlike(t *testing.T) {
	requests := Synthetic(Lengths{Input: 300, Output: 80, Spread: 0.6}, 2000, 8, 5)
	s := Server{Times{0.0113, 7.1e-5, 3.3e-10, 1.9e-4, 2.3e-7, 0, 0, 1e-9}, Settings{48, 512, 9000}}
	got, err := Simulate(requests, s)
	if err != nil {
		t.Fatal(err)
	}
	want, _, preemptions := slowly(requests, s)
	if got.Preemptions == 0 || got.Preemptions != int64(preemptions) {
		t.Errorf("%d preemptions, step by step %d", got.Preemptions, preemptions)
	}
	first, last := func(s Served) float64 { return s.FirstS }, func(s Served) float64 { return s.LastS }
	for _, of := range []func(Served) float64{first, last} {
		a, b := times(got.Served, of), times(want, of)
		for i := range a {
			if math.Abs(a[i]-b[i]) > 1e-6 {
				t.Fatalf("time %d is %.9f, step by step %.9f", i, a[i], b[i])
			}
		}
	}
}

func times(served []Served, of func(Served) float64) (out []float64) {
	for _, s := range served {
		out = append(out, of(s))
	}
	sort.Float64s(out)
	return out
}
