package fleet

import (
	"context"
	"math"
	"slices"

	"sweetspot/engine/approx"
	"sweetspot/engine/estimate"
)

// Question is everything that a fleet is asked about.
type Question struct {
	Jobs       []Job // in the order of submission
	Load       *Load // what they were made by, so that other seeds make others; nil for a trace
	Terms      Terms
	Fleet      Fleet
	Prices     approx.Prices
	Acceptance approx.Acceptance
	Policies   []approx.Policy
	Seed       uint64
}

// Defaults is the question as Nabavinejad et al. (2019) ask it, without jobs and
// VMs: the ranges of deadlines and of runtimes in INT8 that they draw from, all
// policies, users who take offers linearly.
func Defaults() Question {
	return Question{
		Terms:    Terms{Deadline: Range{1.5, 3}, Tightness: 1, Ratio: Range{0.75, 1}, Speed: 1},
		Fleet:    Fleet{GPUsPerVM: 1, Scheduler: RoundRobin},
		Prices:   approx.Prices{Reserved: 0.985, OnDemand: 3.06},
		Policies: approx.Policies, Seed: 1,
	}
}

// Answer is how the policies do.
type Answer struct {
	Tasks    []Task
	Schedule *Schedule
	Asked    []approx.Candidate
	Rest     Rest
	Outcomes []approx.Outcome // of the policies, in the question's order
	Unknown  []string         // models that jobs name and the mix lacks; the first mostUnknown
}

const mostUnknown = 20

// Answer places the jobs and has every policy decide. The draws must be those of
// the question's seed and as many as jobs.
func (q *Question) Answer(draws Draws) *Answer {
	a := &Answer{Tasks: Prepare(nil, q.Jobs, draws, q.Terms)}
	for i := range q.Jobs {
		if name := q.Jobs[i].Model; name != "" && a.Tasks[i].Kind < 0 && len(a.Unknown) < mostUnknown &&
			!slices.Contains(a.Unknown, name) {
			a.Unknown = append(a.Unknown, name)
		}
	}
	a.Schedule = Place(a.Tasks, q.Fleet)
	a.Asked, a.Rest = a.Schedule.Asked(a.Tasks), a.Schedule.Rest(a.Tasks)
	for _, p := range q.Policies {
		a.Outcomes = append(a.Outcomes, approx.Evaluate(p, a.Asked, q.Prices, q.Acceptance))
	}
	return a
}

// Bill is that of a policy, by its place in the question, as drawn.
func (a *Answer) Bill(q *Question, policy int) Bill {
	return a.Rest.Bill(q.Fleet, q.Prices, a.Outcomes[policy].Drawn)
}

// BreakEven are the on-demand prices, in US dollars per hour, up to which no job is
// worth an offer and above which every one is; ok is false where none can be asked.
func (a *Answer) BreakEven(prices approx.Prices) (low, high float64, ok bool) {
	low = math.Inf(1)
	for i := range a.Asked {
		price := approx.BreakEven(prices.Reserved, a.Asked[i].ReducedS/a.Asked[i].FullS)
		low, high = math.Min(low, price), math.Max(high, price)
	}
	return low, high, len(a.Asked) > 0
}

// Late is how many jobs miss their deadlines under a policy: those that even an
// on-demand VM at once would, unless a user accepted.
func (a *Answer) Late(q *Question, policy int) int {
	late := a.Rest.Late
	offers := approx.Offers(q.Policies[policy], a.Asked, q.Prices, q.Acceptance)
	for k, i := range a.Schedule.Candidates {
		accepted := a.Asked[k].Draw < q.Acceptance.Probability(offers[k], q.Prices.Most(&a.Asked[k]))
		if t := &a.Tasks[i]; !accepted && a.Schedule.Placements[i].RentedS+t.FullS > t.DeadlineS*(1+rounding) {
			late++
		}
	}
	return late
}

// AsTheyCome is what a policy comes to where reduced jobs run as they come, see
// [placeAsking].
type AsTheyCome struct {
	Asked, Accepted int
	Bill            Bill
}

// AsTheyCome asks the users in the order of submission.
func (q *Question) AsTheyCome(tasks []Task, policy approx.Policy) AsTheyCome {
	offer := approx.Offer(policy, q.Prices, q.Acceptance)
	accepted := 0
	s := placeAsking(tasks, q.Fleet, func(task int) bool {
		c := candidate(&tasks[task], &q.Fleet)
		if c.Draw >= q.Acceptance.Probability(offer(&c), q.Prices.Most(&c)) {
			return false
		}
		accepted++
		return true
	})
	asked, rest := s.Asked(tasks), s.Rest(tasks)
	return AsTheyCome{len(asked), accepted, rest.Bill(q.Fleet, q.Prices, approx.Evaluate(policy, asked, q.Prices,
		q.Acceptance).Drawn)}
}

// Others are the bills without offers under each of [Schedulers].
func (q *Question) Others(tasks []Task) (bills []Bill) {
	f := q.Fleet
	for _, f.Scheduler = range Schedulers {
		placed := Place(tasks, f)
		none := approx.Evaluate(approx.OnDemand, placed.Asked(tasks), q.Prices, q.Acceptance)
		bills = append(bills, placed.Rest(tasks).Bill(f, q.Prices, none.Drawn))
	}
	return bills
}

// Context is what an answer is seen beside.
type Context struct {
	Seeds      int
	Spreads    []Spread     // of the policies, over so many seeds
	AsTheyCome []AsTheyCome // of the policies
	Others     []Bill       // without offers, under each of [Schedulers]
}

// Context works out what an answer is seen beside. An answer without candidates
// has no share that a spread could be of.
func (q *Question) Context(a *Answer, seeds int) Context {
	c := Context{Seeds: seeds, Spreads: make([]Spread, len(q.Policies)), Others: q.Others(a.Tasks)}
	if len(a.Asked) > 0 {
		c.Spreads = q.Spreads(seeds)
	}
	for _, p := range q.Policies {
		c.AsTheyCome = append(c.AsTheyCome, q.AsTheyCome(a.Tasks, p))
	}
	return c
}

// Spread is between which shares of the cost of on-demand VMs alone nine in ten
// seeds have a policy. Seeds without candidates say nothing; with fewer than two
// that do, it is not known.
type Spread struct {
	Low, High float64
	Known     bool
}

// Spreads asks again with other seeds: the synthetic jobs, and what users decide.
func (q *Question) Spreads(seeds int) []Spread {
	shares := make([][]float64, len(q.Policies))
	other := *q
	for k := range seeds {
		other.Seed = q.Seed + uint64(k)
		if q.Load != nil {
			other.Jobs = q.Load.Generate(other.Seed)
		}
		a := other.Answer(NewDraws(len(other.Jobs), other.Seed))
		if len(a.Asked) == 0 {
			continue
		}
		for i := range a.Outcomes {
			value, _, _ := a.Outcomes[i].Relative()
			shares[i] = append(shares[i], value)
		}
	}
	spreads := make([]Spread, len(q.Policies))
	for i, x := range shares {
		if len(x) < 2 {
			continue
		}
		slices.Sort(x)
		spreads[i] = Spread{estimate.Quantile(x, 0.05), estimate.Quantile(x, 0.95), true}
	}
	return spreads
}

// Sized is a way of reserving VMs, and the bills of their numbers.
type Sized struct {
	Reservation
	Sizes []Size
}

// Size finds the bills of other numbers of VMs for each way of reserving them.
func (q *Question) Size(ctx context.Context, tasks []Task, ways []Reservation, most int) (sized []Sized) {
	for _, way := range ways {
		as := *q
		as.Prices.Reserved = way.Price.USDPerHour
		sized = append(sized, Sized{way, as.Sizes(ctx, tasks, most)})
	}
	return sized
}
