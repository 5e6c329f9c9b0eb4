package cluster

import (
	"cmp"
	"math"
	"slices"
)

// branched finds the frontier under the throughput split where VMs differ in their
// start-up times or billing rules.
//
// At a fixed time t work and cost are sums over the VMs: one has done r·(t − s) and
// is billed for c·billed(t). So the frontiers at a few fixed times, found as in
// pooled, are candidates. A configuration between two neighbours of them, at t₁ and
// t₂, must do all the work by t₂, at prices no lower than those at t₁, for less than
// the cost of the first: few multisets do. Branch and bound lists them all, with
// fractions of VMs allowed in the bound (linear relaxation).
//
// Where prices are so nearly proportional to speed that too many do, the search ends
// early. The optimality gap, as a fraction of the cost, is the resolution returned.
func (p problem) branched() (front []Configuration, resolution float64) {
	front = p.sampled()
	slowest := 0.0
	for i := range p.offers {
		slowest = math.Max(slowest, p.seconds(p.only(i)))
	}
	all, b := slices.Clone(front), budget{nodes: maxNodes}
	for i, c := range front {
		until := slowest
		if i+1 < len(front) {
			until = front[i+1].Seconds
		}
		all = append(all, p.between(c.Seconds, until, c.USD, &b)...)
	}
	return sweep(all), b.resolution
}

// only is one VM of an offer.
func (p problem) only(offer int) []int {
	counts := make([]int, len(p.offers))
	counts[offer] = 1
	return counts
}

// samples is the number of fixed times, sampleCrowd the number of sums kept at each.
const (
	samples     = 24
	sampleCrowd = 1 << 10
)

// sampled is the frontier found at the fixed times, with the fastest configuration
// of all.
func (p problem) sampled() []Configuration {
	fastest := make([]int, len(p.offers))
	for i, o := range p.offers {
		fastest[i] = o.limit
	}
	t0 := p.seconds(fastest)
	for i, o := range p.offers {
		if o.startupS >= t0 {
			fastest[i] = 0 // would start after all the work is done
		}
	}
	all := []Configuration{p.configuration(fastest)}
	t1 := t0
	for i := range p.offers {
		all = append(all, p.configuration(p.only(i)))
		t1 = math.Max(t1, p.seconds(p.only(i)))
	}
	for n := range samples {
		t := t0 * math.Pow(t1/t0, float64(n)/(samples-1))
		now, _ := p.at(t).pooled(sampleCrowd)
		for _, c := range now {
			all = append(all, p.configuration(p.own(c.Counts)))
		}
	}
	return sweep(all)
}

// at is the problem at a fixed time: VMs that have not started are left out, others
// count with their mean rate and mean price until then.
func (p problem) at(t float64) problem {
	q := p
	q.offers = nil
	for _, o := range p.offers {
		if o.startupS < t {
			o.gpuRate *= (t - o.startupS) / t
			o.usd *= o.billing.billed(t) / t
			o.startupS, o.billing = 0, Billing{}
			q.offers = append(q.offers, o)
		}
	}
	return q
}

// maxNodes is the node limit of all searches of a variant together, splitNodes
// that of one search before splitting its time interval in two is considered.
const (
	maxNodes   = 1 << 20
	splitNodes = 2000
)

// tolerance is the gap to the bound, as a fraction of the cost, below which an
// interval is not split any more once the nodes are spent.
const tolerance = 1e-4

// budget is the number of nodes left, and the optimality gap, as a fraction of the
// cost, where they were not enough.
type budget struct {
	nodes      int
	resolution float64
}

// between lists the configurations that are done between two times for less
// than a cost, or at least those of them that no other found here dominates.
func (p problem) between(from, until, usd float64, b *budget) []Configuration {
	if until <= from*(1+equal) {
		return nil
	}
	s := p.search(from, until, usd*(1-equal))
	if done, nodes := s.run(min(splitNodes, b.nodes)); done {
		b.nodes -= nodes
		return sweep(s.found)
	}
	b.nodes = max(0, b.nodes-splitNodes)
	// Splitting the interval helps where most of the gap is due to its length.
	wide, narrow := s.bound(0, p.units), p.search(from, from*(1+equal), usd).bound(0, p.units)
	lacking := 1 - wide/usd
	if narrow-wide < (usd-wide)/2 || b.nodes == 0 && lacking < tolerance {
		done, nodes := s.run(b.nodes)
		if b.nodes -= nodes; !done {
			b.resolution = math.Max(b.resolution, lacking)
		}
		return sweep(s.found)
	}
	middle := math.Sqrt(from * until)
	early := p.between(from, middle, usd, b)
	if len(early) > 0 {
		usd = early[len(early)-1].USD
	}
	return append(early, p.between(middle, until, usd, b)...)
}

// run searches with a node limit and returns whether it was enough and how many
// nodes it took.
func (s *search) run(nodes int) (done bool, took int) {
	s.left, s.found = nodes, nil
	if s.bound(0, s.units) >= s.usd {
		return true, 0
	}
	done = s.descend(0, s.units, 0)
	return done, nodes - max(0, s.left)
}

// search is a branch and bound over counts, with the offers in the order of their
// price per unit of work.
type search struct {
	problem
	order  []int
	work   []float64 // of one VM by the end, by place in the order
	price  []float64 // of one VM if done at the beginning
	usd    float64   // what a configuration must cost less than
	counts []int
	left   int // nodes
	found  []Configuration
}

func (p problem) search(from, until, usd float64) *search {
	s := &search{problem: p, usd: usd, counts: make([]int, len(p.offers))}
	for i, o := range p.offers {
		if o.startupS < until {
			s.order = append(s.order, i)
		}
	}
	work := func(i int) float64 { return p.offers[i].rate() * (until - p.offers[i].startupS) }
	price := func(i int) float64 { return p.offers[i].usd * p.offers[i].billing.billed(from) }
	slices.SortStableFunc(s.order, func(a, b int) int { return cmp.Compare(price(a)/work(a), price(b)/work(b)) })
	for _, i := range s.order {
		s.work = append(s.work, work(i))
		s.price = append(s.price, price(i))
	}
	return s
}

// bound is the least price of an amount of work with the offers from a place on,
// fractions of VMs allowed.
func (s *search) bound(place int, work float64) (usd float64) {
	for i := place; i < len(s.order) && work > 0; i++ {
		take := math.Min(work, float64(s.offers[s.order[i]].limit)*s.work[i])
		usd += s.price[i] * take / s.work[i]
		work -= take
	}
	if work > s.units*equal {
		return math.Inf(1)
	}
	return usd
}

// descend tries all counts of the offers from a place on, given the work left and
// the price so far. It returns false when the nodes are spent.
func (s *search) descend(place int, work, usd float64) bool {
	if s.left--; s.left < 0 {
		return false
	}
	if place == len(s.order) {
		if c := s.configuration(s.counts); c.USD < s.usd {
			s.found = append(s.found, c)
		}
		return true
	}
	i := s.order[place]
	// With the best value first, the bound falls until the work is done and
	// rises from there on.
	enough := int(math.Ceil(math.Max(0, work) / s.work[place]))
	least := min(enough, s.offers[i].limit)
	for n := least; n >= 0; n-- {
		ok, useful := s.try(place, n, work, usd)
		if !ok {
			return false
		}
		if !useful && n < least {
			break
		}
	}
	for n := least + 1; n <= s.offers[i].limit; n++ {
		ok, useful := s.try(place, n, work, usd)
		if !ok {
			return false
		}
		if !useful {
			break
		}
	}
	s.counts[i] = 0
	return true
}

// try descends with n VMs of the offer at a place, if the bound allows.
func (s *search) try(place, n int, work, usd float64) (ok, useful bool) {
	work -= float64(n) * s.work[place]
	usd += float64(n) * s.price[place]
	if usd+s.bound(place+1, work) >= s.usd {
		return true, false
	}
	s.counts[s.order[place]] = n
	return s.descend(place+1, work, usd), true
}
