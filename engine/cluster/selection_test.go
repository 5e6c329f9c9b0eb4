package cluster

import (
	"testing"

	"pgregory.net/rapid"
)

// drawVariants gives a small space more variants: some as accurate as others,
// some of unknown accuracy, some as fast.
func drawVariants(t *rapid.T, s Space) Space {
	s.LowerIsBetter = rapid.Bool().Draw(t, "lower is better")
	base := s.Variants[0]
	s.Variants = nil
	for range rapid.IntRange(1, 4).Draw(t, "variants") {
		v := Variant{}
		if rapid.IntRange(0, 9).Draw(t, "known") > 0 {
			v.Accuracy = new(rapid.SampledFrom([]float64{0, 0.25, 0.62, 0.8, 0.8}).Draw(t, "accuracy"))
		}
		faster := rapid.SampledFrom([]float64{1, 1, 0.5, 0.9}).Draw(t, "faster")
		for _, b := range base.Batches {
			if rapid.IntRange(0, 9).Draw(t, "fits") == 0 {
				b = Batch{}
			}
			b.Seconds *= faster
			v.Batches = append(v.Batches, b)
		}
		s.Variants = append(s.Variants, v)
	}
	return s
}

// drawTiny draws a space of a few dozen configurations.
func drawTiny(t *rapid.T) Space {
	s := drawRuled(t, rapid.SampledFrom([]Split{ByThroughput, ByGPUs}).Draw(t, "split"))
	s.VMs = s.VMs[:min(3, len(s.VMs))]
	for i := range s.VMs {
		s.VMs[i].Limit = min(2, s.VMs[i].Limit)
	}
	s.Variants[0].Batches = s.Variants[0].Batches[:len(s.VMs)]
	return drawVariants(t, s)
}

// drawLimits draws limits near what the configurations have.
func drawLimits(t *rapid.T, all []Configuration) (l Limits) {
	if len(all) == 0 {
		return l
	}
	pick := func(name string) Configuration { return rapid.SampledFrom(all).Draw(t, name) }
	factor := rapid.SampledFrom([]float64{0.5, 1, 1, 1.5})
	if rapid.Bool().Draw(t, "time limit") {
		l.MaxSeconds = new(pick("of time").Seconds * factor.Draw(t, "times"))
	}
	if rapid.Bool().Draw(t, "cost limit") {
		l.MaxUSD = new(pick("of cost").USD * factor.Draw(t, "times"))
	}
	if rapid.Bool().Draw(t, "accuracy limit") {
		l.WorstAccuracy = new(rapid.SampledFrom([]float64{0, 0.25, 0.7, 0.8, 0.9}).Draw(t, "accuracy"))
	}
	return l
}

// around are the limits moved by a fraction: configurations that count as equal
// may lie on either side of a limit.
func (l Limits) around(fraction float64) Limits {
	if l.MaxSeconds != nil {
		l.MaxSeconds = new(*l.MaxSeconds * (1 + fraction))
	}
	if l.MaxUSD != nil {
		l.MaxUSD = new(*l.MaxUSD * (1 + fraction))
	}
	return l
}

// holds says whether a configuration is within the limits.
func (s Space) holds(c Configuration, l Limits) bool {
	return within(c.Seconds, l.MaxSeconds) && within(c.USD, l.MaxUSD) && s.goodEnough(c.Variant, l.WorstAccuracy)
}

// clearly says whether a improves on b in an objective by more than counts as equal.
func (s Space) clearly(a, b Configuration, objective string) bool {
	switch objective {
	case "time":
		return a.Seconds < b.Seconds*(1-16*equal)
	case "cost":
		return a.USD < b.USD*(1-16*equal)
	}
	return s.compareQuality(a.Variant, b.Variant) > 0
}

// bests are the best configurations of a selection by objective.
func bests(s Selection) map[string]Configuration {
	best := map[string]Configuration{}
	if n := len(s.TimeCost); n > 0 {
		best["time"], best["cost"] = s.TimeCost[0], s.TimeCost[n-1]
	}
	if c, ok := s.MostAccurate(); ok {
		best["accuracy"] = c
	}
	return best
}

// firmly says whether a configuration is well within limits.
func (s Space) firmly(c Configuration, l Limits) bool { return s.holds(c, l.around(-16*equal)) }

func (s Space) everything() (all []Configuration) {
	for i := range s.Variants {
		s.every(i, func(c Configuration) { all = append(all, c) })
	}
	return all
}

// objectives are the values of a configuration, smaller is better; ok is false
// where one is needed and unknown.
func (s Space) objectives(c Configuration, time, cost, accuracy bool) (v []float64, ok bool) {
	if time {
		v = append(v, c.Seconds)
	}
	if cost {
		v = append(v, c.USD)
	}
	if accuracy {
		q, known := s.quality(c.Variant)
		if !known {
			return nil, false
		}
		v = append(v, -q)
	}
	return v, true
}

func noWorse(a, b []float64, slack float64) bool {
	for i := range a {
		if a[i] > b[i]+slack*max(a[i], -a[i]) {
			return false
		}
	}
	return true
}

// checkSelection holds one list to all configurations within the limits: it
// covers them, and none of them beats one on it.
func checkSelection(t *rapid.T, s Space, all, list []Configuration, l Limits, time, cost, accuracy bool) {
	t.Helper()
	for i, f := range list {
		v, ok := s.objectives(f, time, cost, accuracy)
		if !ok || !s.holds(f, l) {
			t.Fatalf("%+v does not belong on the list", f)
		}
		for j, g := range list {
			if w, _ := s.objectives(g, time, cost, accuracy); i != j && noWorse(w, v, 0) {
				t.Fatalf("%+v matches or beats %+v on the same list\nin %+v", g, f, s)
			}
		}
	}
	for _, c := range all {
		v, ok := s.objectives(c, time, cost, accuracy)
		if !ok || !s.firmly(c, l) {
			continue
		}
		covered := false
		for _, f := range list {
			w, _ := s.objectives(f, time, cost, accuracy)
			covered = covered || noWorse(w, v, 8*equal)
			if noWorse(v, w, 0) && !noWorse(w, v, 8*equal) {
				t.Fatalf("%+v beats %+v of the list", c, f)
			}
		}
		if !covered {
			t.Fatalf("%+v is beaten by none of %+v\nlimits %+v\nin %+v", c, list, l, s)
		}
	}
}

func TestSelectionsAgainstEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for range cases {
			s := drawTiny(t)
			f, err := s.Frontiers()
			if err != nil {
				t.Fatal(err)
			}
			all := s.everything()
			if f.Explored.Configurations != float64(len(all)) {
				t.Fatalf("explored %g of %d", f.Explored.Configurations, len(all))
			}
			l := drawLimits(t, all)
			got := f.Within(l)
			checkSelection(t, s, all, got.TimeCost, l, true, true, false)
			checkSelection(t, s, all, got.TimeCostAccuracy, l, true, true, true)
			checkBest(t, s, all, got, l)
			checkTighter(t, f, l)
			checkUnknown(t, s, all, got, l)
			checkGreedy(t, f, all, l)
		}
	})
}

var objectives = []string{"time", "cost", "accuracy"}

// checkBest: nothing within the limits is better.
func checkBest(t *rapid.T, s Space, all []Configuration, got Selection, l Limits) {
	for _, o := range objectives {
		best, ok := bests(got)[o]
		for _, c := range all {
			_, known := s.quality(c.Variant)
			if s.firmly(c, l) && (known || o != "accuracy") && (!ok || s.clearly(c, best, o)) {
				t.Fatalf("%+v is better in %s than %+v (%v)", c, o, best, ok)
			}
		}
	}
}

// checkTighter: a limit that is made tighter never improves the best.
func checkTighter(t *rapid.T, f *Frontiers, l Limits) {
	tighter := map[string]Limits{}
	if l.MaxSeconds != nil {
		tight := l
		tight.MaxSeconds = new(*l.MaxSeconds * 0.8)
		tighter["time"] = tight
	}
	if l.MaxUSD != nil {
		tight := l
		tight.MaxUSD = new(*l.MaxUSD * 0.8)
		tighter["cost"] = tight
	}
	if l.WorstAccuracy != nil {
		tight := l
		tight.WorstAccuracy = new(*l.WorstAccuracy * 1.1)
		if f.space.LowerIsBetter {
			tight.WorstAccuracy = new(*l.WorstAccuracy * 0.8)
		}
		tighter["accuracy"] = tight
	}
	for _, o := range objectives {
		before, any := bests(f.Within(l))[o]
		for name, tight := range tighter {
			if after, ok := bests(f.Within(tight))[o]; ok && (!any || f.space.clearly(after, before, o)) {
				t.Fatalf("%s tightened improves %+v to %+v", name, before, after)
			}
		}
	}
}

// checkUnknown: where a variant of unknown accuracy is on the time–cost frontier
// no other of known accuracy takes and costs the same.
func checkUnknown(t *rapid.T, s Space, all []Configuration, got Selection, l Limits) {
	for _, f := range got.TimeCost {
		if _, known := s.quality(f.Variant); known {
			continue
		}
		for _, c := range all {
			if _, known := s.quality(c.Variant); known && s.firmly(c, l) && dominates(c, f, 0) {
				t.Fatalf("%+v of known accuracy takes and costs no more than %+v", c, f)
			}
		}
	}
}

// checkGreedy: what the algorithm finds holds the limits, never beats the exact
// answer, and the gap to it is what could be saved.
func checkGreedy(t *rapid.T, f *Frontiers, all []Configuration, l Limits) {
	s := f.space
	c, ok := s.Greedy(l)
	if !ok {
		return
	}
	best, any := f.Within(l).MostAccurate()
	if !s.holds(c, l) || !any || s.compareQuality(c.Variant, best.Variant) > 0 {
		t.Fatalf("greedy found %+v, exact %+v (%v)", c, best, any)
	}
	g := f.Gap(c)
	for _, x := range all {
		if s.compareQuality(x.Variant, c.Variant) < 0 {
			continue
		}
		if x.USD <= c.USD && x.Seconds < g.Faster.Seconds*(1-8*equal) || x.Seconds <= c.Seconds &&
			x.USD < g.Cheaper.USD*(1-8*equal) {
			t.Fatalf("%+v saves more of %+v than %+v", x, c, g)
		}
	}
	if g.Time < 0 || g.Cost < 0 || g.Time > 1 || g.Cost > 1 {
		t.Fatalf("gap %+v", g)
	}
}

// A limit may be reached: at its own time and cost a frontier point is left, and
// what was faster is not bought.
func TestLimitsMayBeReached(t *testing.T) {
	for _, split := range []Split{ByThroughput, ByGPUs} {
		f, err := caffeNet(3, split).Frontiers()
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range f.Within(Limits{}).TimeCost {
			got := f.Within(Limits{MaxSeconds: &c.Seconds, MaxUSD: &c.USD}).TimeCost
			if len(got) != 1 || got[0].Seconds != c.Seconds || got[0].USD != c.USD {
				t.Errorf("at the limits of %+v: %+v", c, got)
			}
		}
	}
}
