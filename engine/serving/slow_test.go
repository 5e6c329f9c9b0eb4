package serving

import (
	"math"
	"math/big"
	"slices"
	"sort"
)

// The slow simulator is the definition that the fast one is held to: a value for
// every request, VM and function instance, looked at one by one, waits as exact
// fractions, every window added up again.
type slowRequest struct {
	second, place, came int // the place among those of its class that came with it
	strict              bool
}

type slowVM struct{ since, ready, until int }

type slowInstance struct {
	free, last, used int
	gone             bool
}

type slow struct {
	tr        Trace
	s         Settings
	scheme    Scheme
	queue     []slowRequest // of all classes, in the order of arrival
	vms       []*slowVM
	instances []*slowInstance
	wants     []int
	left      *big.Rat
	latencies []*big.Rat // of those served, ms
	waited    []bool
	out       Outcome
	mixing    bool
}

func simulateSlowly(tr Trace, s Settings, scheme Scheme) Outcome {
	w := &slow{tr: tr, s: s, scheme: scheme, left: new(big.Rat), mixing: true, out: Outcome{Scheme: scheme}}
	mean := w.mean(0)
	first := s.wanted(scheme, load{mean: mean, centre: mean})
	for range first {
		w.vms = append(w.vms, &slowVM{until: -1})
	}
	n := 0
	if scheme.usesFunctions() {
		for range s.Function.Prewarmed {
			w.instances = append(w.instances, &slowInstance{last: -1})
			w.out.Warming++
			w.out.FunctionMS += int64(math.Round((s.Function.Seconds + s.Function.ModelLoadS) * 1000))
		}
	}
	for t, came := range tr {
		w.keepWarm(t)
		now := w.arrivals(t, came, &n)
		short := w.serve(t, now, w.capacity(t))
		if !short {
			w.left.SetInt64(0)
		}
		w.wants = append(w.wants, w.want(t))
		w.scale(t, first)
	}
	return w.outcome()
}

// arrivals makes the requests of a second.
func (w *slow) arrivals(t, came int, n *int) []slowRequest {
	ppm := big.NewRat(int64(math.Round(w.s.StrictShare*1e6)), 1e6)
	whole := func(n int) int64 {
		x := new(big.Rat).Mul(ppm, big.NewRat(int64(n), 1))
		return new(big.Int).Quo(x.Num(), x.Denom()).Int64()
	}
	var list []slowRequest
	stricts := 0
	for range came {
		isStrict := whole(*n+1) > whole(*n)
		list = append(list, slowRequest{second: t, strict: isStrict})
		if isStrict {
			stricts++
		}
		*n++
	}
	seen := [2]int{}
	for i := range list {
		q := &list[i]
		q.place, q.came = i, came
		if w.scheme == Paragon {
			of, at := came-stricts, &seen[relaxed]
			if q.strict {
				of, at = stricts, &seen[strict]
			}
			q.place, q.came = *at, of
			*at++
		}
		count(&w.out.Requests, q.strict)
	}
	return list
}

func count(s *Split, isStrict bool) {
	if isStrict {
		s.Strict++
	} else {
		s.Relaxed++
	}
}

// capacity is the whole requests that VMs can begin in second t.
func (w *slow) capacity(t int) int {
	perVM := big.NewRat(int64(math.Round(w.s.VM.RequestsPerSecond*1e6)), 1e6)
	alive := 0
	for _, v := range w.vms {
		if v.until >= 0 {
			continue
		}
		alive++
		w.out.VMSeconds++
		if v.ready <= t {
			w.left.Add(w.left, perVM)
		}
	}
	w.out.MostVMs = max(w.out.MostVMs, alive)
	whole := new(big.Int).Quo(w.left.Num(), w.left.Denom())
	w.left.Sub(w.left, new(big.Rat).SetInt(whole))
	return int(whole.Int64())
}

// serve gives the second's requests to VMs and functions, one by one.
func (w *slow) serve(t int, now []slowRequest, capacity int) (short bool) {
	switch w.scheme {
	case Mixed, FunctionsOnly:
		for _, q := range now {
			if capacity > 0 {
				w.done(q, w.vmMS(), new(big.Rat), true)
				capacity--
			} else {
				w.function(q, t)
				short = true
			}
		}
		return short
	case Paragon:
		return w.serveParagon(t, now, capacity)
	}
	w.queue = append(w.queue, now...)
	w.begin(t, capacity, func(slowRequest) bool { return true })
	return len(w.queue) > 0
}

func (w *slow) serveParagon(t int, now []slowRequest, capacity int) (short bool) {
	isStrict := func(q slowRequest) bool { return q.strict }
	if w.mixing {
		capacity -= w.begin(t, capacity, isStrict)
		for _, q := range now {
			switch {
			case !q.strict:
				w.queue = append(w.queue, q)
			case capacity > 0:
				w.done(q, w.vmMS(), new(big.Rat), true)
				capacity--
			default:
				w.function(q, t)
				short = true
			}
		}
	} else {
		w.queue = append(w.queue, now...)
		capacity -= w.begin(t, capacity, isStrict)
	}
	w.begin(t, capacity, func(q slowRequest) bool { return !q.strict })
	return short || len(w.queue) > 0
}

// begin lets the first requests of a kind begin, evenly over the second.
func (w *slow) begin(t, capacity int, kind func(slowRequest) bool) (begun int) {
	var rest []slowRequest
	for _, q := range w.queue {
		if begun == capacity || !kind(q) {
			rest = append(rest, q)
			continue
		}
		wait := big.NewRat(int64(begun), int64(capacity))
		wait.Add(wait, big.NewRat(int64(t-q.second), 1))
		wait.Sub(wait, big.NewRat(int64(q.place), int64(q.came)))
		if t-q.second > MaxLatencyS {
			wait.SetInt64(int64(t - q.second + 1))
		}
		if wait.Sign() < 0 {
			wait.SetInt64(0)
		}
		w.done(q, w.vmMS(), wait.Mul(wait, big.NewRat(1000, 1)), true)
		begun++
	}
	w.queue = rest
	return begun
}

func (w *slow) vmMS() int64 { return int64(math.Round(w.s.VM.LatencyS * 1000)) }

// done counts a request that is served after waitMS, in ms more.
func (w *slow) done(q slowRequest, ms int64, waitMS *big.Rat, onVM bool) {
	latency := new(big.Rat).Add(waitMS, big.NewRat(ms, 1))
	w.latencies = append(w.latencies, latency)
	w.waited = append(w.waited, waitMS.Sign() > 0)
	if onVM {
		count(&w.out.OnVMs, q.strict)
	} else {
		count(&w.out.OnFunctions, q.strict)
	}
	if latency.Cmp(w.limit(q)) > 0 {
		count(&w.out.Violations, q.strict)
	}
}

func (w *slow) limit(q slowRequest) *big.Rat {
	limit := w.s.RelaxedLimitS
	if q.strict {
		limit = w.s.StrictLimitS
	}
	return big.NewRat(int64(math.Round(limit*1000)), 1)
}

// function serves a request on the warm instance last used, else on a new one.
func (w *slow) function(q slowRequest, t int) {
	f := w.s.Function
	warm := int(math.Round(f.Seconds * 1000))
	cold := int(math.Round((f.ColdStartS + f.ModelLoadS) * 1000))
	var best *slowInstance
	for _, x := range w.instances {
		if x.used > 0 && x.last == t && x.free == t+1 && (x.used+1)*warm <= 1000 {
			best = x // has time left in this second
			break
		}
		if !x.gone && x.free <= t && t-x.free <= f.KeepAliveS && (best == nil || x.free > best.free) {
			best = x
		}
	}
	ms := warm
	switch {
	case best == nil:
		w.out.ColdStarts++
		ms += cold
		w.out.FunctionMS += int64(math.Round(f.ModelLoadS * 1000))
		w.instances = append(w.instances, &slowInstance{free: t + (ms+999)/1000, last: -1})
	case best.last == t && best.used > 0:
		best.used++
	default:
		best.last, best.used, best.free = t, 1, t+(warm+999)/1000
	}
	w.out.FunctionMS += int64(warm)
	w.done(q, int64(ms), new(big.Rat), false)
}

// keepWarm lets instances go that were idle for too long, the one idle for longest first,
// or keeps them warm while too few are left.
func (w *slow) keepWarm(t int) {
	f := w.s.Function
	idle := slices.Clone(w.instances)
	slices.SortStableFunc(idle, func(a, b *slowInstance) int { return a.free - b.free })
	for _, x := range idle {
		if x.gone || x.free > t || t-x.free <= f.KeepAliveS {
			continue
		}
		alive := 0
		for _, y := range w.instances {
			if !y.gone {
				alive++
			}
		}
		if alive > f.Prewarmed {
			x.gone = true
			continue
		}
		x.free, x.used = t, 0
		w.out.Warming++
		w.out.FunctionMS += int64(math.Round(f.Seconds * 1000))
	}
}

func (w *slow) mean(t int) float64 {
	sum, n := w.recent(t)
	return float64(sum) / float64(n)
}

func (w *slow) recent(t int) (sum, n int) {
	n = min(w.s.MonitorS, len(w.tr))
	for u := max(t, n-1) - n + 1; u <= max(t, n-1); u++ {
		sum += w.tr[u]
	}
	return sum, n
}

func (w *slow) want(t int) int {
	l := load{mean: w.mean(t), backlog: int64(len(w.queue))}
	l.centre = l.mean
	if n := w.s.TrendS; t >= n-1 {
		var sum, placed int64
		for i := range n {
			y := int64(w.tr[t-n+1+i])
			sum += y
			placed += int64(i) * y
		}
		l.centre, l.slope = float64(sum)/float64(n), slopeOf(n, sum, placed)
	}
	w.mixing = w.mixes(t)
	return w.s.wanted(w.scheme, l)
}

// mixes is Paragon's look at peak and median.
func (w *slow) mixes(t int) bool {
	buckets := w.tr[:t+1].Buckets(w.s.MonitorS)[:(t+1)/w.s.MonitorS]
	keep := max(1, w.s.PeakWindowS/w.s.MonitorS)
	buckets = buckets[max(0, len(buckets)-keep):]
	if len(buckets) < min(10, keep) {
		return true
	}
	slices.Sort(buckets)
	median := float64(buckets[(len(buckets)-1)/2]+buckets[len(buckets)/2]) / 2
	now, _ := w.recent(t)
	return float64(max(now, buckets[len(buckets)-1])) >= w.s.PeakToMedianAt*median
}

// scale orders or stops VMs at the end of second t.
func (w *slow) scale(t, first int) {
	target := 0
	for u := t; u > t-w.s.CoolDownS; u-- {
		if u == -1 {
			target = max(target, first)
		} else if u >= 0 {
			target = max(target, w.wants[u])
		}
	}
	var running, alive int
	for _, v := range w.vms {
		if v.until < 0 {
			alive++
			if v.ready <= t {
				running++
			}
		}
	}
	for ; alive < target; alive++ {
		w.vms = append(w.vms, &slowVM{since: t + 1, ready: t + 1 + w.s.VM.StartS, until: -1})
	}
	for _, v := range w.vms {
		if running > target && v.until < 0 && v.ready <= t {
			v.until = t + 1
			running--
		}
	}
}

func (w *slow) outcome() Outcome {
	end := len(w.tr)
	for _, q := range w.queue {
		count(&w.out.Queued, q.strict)
		wait := big.NewRat(int64(end-q.second), 1)
		wait.Sub(wait, big.NewRat(int64(q.place), int64(q.came)))
		if wait.Mul(wait, big.NewRat(1000, 1)).Cmp(w.limit(q)) > 0 {
			count(&w.out.Violations, q.strict)
		}
	}
	for _, v := range w.vms {
		if v.until >= 0 {
			w.out.VMBilledSeconds += int64(w.s.VM.Billed(v.until - v.since))
		} else {
			w.out.VMBilledSeconds += int64(end - v.since)
		}
	}
	w.out.VMUSD = float64(w.out.VMBilledSeconds) / 3600 * w.s.VM.USDPerHour
	w.out.FunctionUSD = w.s.Function.USD(w.out.OnFunctions.Total()+w.out.Warming, w.out.FunctionMS)
	w.out.USD = w.out.VMUSD + w.out.FunctionUSD
	w.out.P50S, w.out.P99S = w.percentile(50), w.percentile(99)
	return w.out
}

// percentile is by nearest rank, of latencies rounded up as the fast simulator
// says it rounds.
func (w *slow) percentile(percent int) float64 {
	n := len(w.latencies)
	if n == 0 {
		return math.NaN()
	}
	h := newHistogram(&w.s)
	rounded := make([]int64, n)
	for i, l := range w.latencies {
		ms, rest := new(big.Int).DivMod(l.Num(), l.Denom(), new(big.Int))
		rounded[i] = ms.Int64()
		if rest.Sign() > 0 {
			rounded[i]++
		}
		if w.waited[i] {
			at := sort.Search(len(h.edges), func(j int) bool { return h.edges[j] >= rounded[i] })
			rounded[i] = h.edges[at]
		}
	}
	slices.Sort(rounded)
	rank := (percent*n + 99) / 100
	return float64(rounded[max(rank, 1)-1]) / 1000
}
