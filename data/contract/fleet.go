package contract

import (
	"math"
	"slices"

	"sweetspot/data/wording"
	"sweetspot/engine/approx"
	"sweetspot/engine/fleet"
)

// Fleet is the JSON of the fleet subcommand. Unknown is null.
type Fleet struct {
	Head
	Query    FleetQuery    `json:"query"`
	Workload FleetWorkload `json:"workload"`
	Rest     FleetRest     `json:"rest"`     // what no policy decides on
	Policies []FleetPolicy `json:"policies"` // how each does
	Best     *string       `json:"best"`     // the policy that expects to pay least for the candidates; null without any
	// An offer is made for as long as on-demand VMs cost more than reserved ones times
	// the ratio of reduced to full runtime. Null without candidates.
	BreakEven  *BreakEven       `json:"break_even"`
	Schedulers []OtherScheduler `json:"schedulers"` // all, with as many reserved VMs
	Sizing     []Reserving      `json:"sizing"`     // how many VMs to reserve
}

// FleetQuery is what was asked.
type FleetQuery struct {
	VM               *string    `json:"vm"` // null where only prices are given
	OnDemand         float64    `json:"on_demand_usd_per_hour"`
	Reserved         float64    `json:"reserved_usd_per_hour"`
	PricesFrom       []string   `json:"prices_from"`        // sources of both prices
	ReservedVMs      int        `json:"reserved_vms"`       // number of reserved VMs
	ReservedVMsFound bool       `json:"reserved_vms_found"` // none was given: this one has the least bill
	GPUsPerVM        int        `json:"gpus_per_vm"`
	Scheduler        string     `json:"scheduler"`         // how jobs get VMs
	AsStudied        bool       `json:"as_studied"`        // reduced jobs overlap those behind them
	Acceptance       string     `json:"acceptance"`        // how likely users accept
	Deadline         [2]float64 `json:"deadline_runtimes"` // of jobs that state none
	Tightness        float64    `json:"deadline_scale"`    // factor on the deadlines
	Ratio            [2]float64 `json:"int8_ratio"`        // of models that have none of their own, or of all
	EveryRatio       bool       `json:"int8_ratio_given"`  // it is that of all models
	Speed            float64    `json:"int8_scale"`        // factor on the runtimes in INT8
	Seed             uint64     `json:"seed"`              // of the draws
	Seeds            int        `json:"seeds"`             // behind the intervals
}

// FleetWorkload is the trace and what was drawn for it.
type FleetWorkload struct {
	Jobs       int         `json:"jobs"`
	Candidates int         `json:"candidates"` // jobs whose users can be asked
	Seed       uint64      `json:"seed"`
	Source     string      `json:"source"`   // where the jobs are from
	PeriodS    float64     `json:"period_s"` // from the first to the last submission
	Mix        []FleetKind `json:"mix"`      // the models
}

// FleetKind is a model among the jobs.
type FleetKind struct {
	Model           *string  `json:"model"` // null: none that the mix knows
	Jobs            int      `json:"jobs"`
	Candidates      int      `json:"candidates"`
	Ratio           *float64 `json:"int8_ratio"`    // runtime in INT8 / at full precision
	Accuracy        *float64 `json:"accuracy"`      // at full precision
	ReducedAccuracy *float64 `json:"int8_accuracy"` // in INT8
	Basis           string   `json:"basis"`         // where these are from
}

// FleetRest is what no policy decides on.
type FleetRest struct {
	ReservedJobs int      `json:"reserved_jobs"`  // run at full precision on reserved VMs
	OnDemandJobs int      `json:"on_demand_jobs"` // run on demand
	ReservedUSD  float64  `json:"reserved_usd"`   // while they run
	OnDemandUSD  float64  `json:"on_demand_usd"`
	MeanWaitS    *float64 `json:"mean_wait_s"`
	P95WaitS     *float64 `json:"p95_wait_s"` // 19 in 20 wait less
}

// FleetPolicy is how a policy does with the candidates, as the study counts
// it, and the bill of the whole fleet with it.
type FleetPolicy struct {
	Policy      string   `json:"policy"`
	TotalUSD    float64  `json:"total_usd"` // of the jobs that can be asked, as drawn
	ReservedUSD float64  `json:"reserved_usd"`
	OnDemandUSD float64  `json:"on_demand_usd"`
	PenaltyUSD  float64  `json:"penalty_usd"`           // paid to users
	ExpectedUSD float64  `json:"expected_usd"`          // over all that users may decide
	Relative    Relative `json:"relative_to_on_demand"` // total / that of on-demand alone
	Offered     int      `json:"offered"`               // users who got an offer
	Accepted    int      `json:"accepted"`              // who accepted
	MeanOffer   *float64 `json:"mean_offer"`            // as a multiple of the reduced job's cost
	Accuracy    *float64 `json:"accuracy"`              // mean of the jobs asked
	Missed      int      `json:"missed_deadlines"`      // of all jobs
	BillUSD     float64  `json:"bill_usd"`              // all jobs, all reserved VMs, busy or not
	Utilisation *float64 `json:"utilisation"`           // of the reserved VMs
	// AsTheyCome is where reduced jobs run as they come and may displace what is
	// behind them; its bill may be larger than that of no offers.
	AsTheyCome FleetAsTheyCome `json:"as_they_come"`
}

// FleetAsTheyCome is how many are asked then, and the bill of the whole fleet.
type FleetAsTheyCome struct {
	Asked    int     `json:"asked"`
	Accepted int     `json:"accepted"`
	BillUSD  float64 `json:"bill_usd"`
}

// OtherScheduler is what the whole fleet costs without offers under a scheduler.
type OtherScheduler struct {
	Scheduler string  `json:"scheduler"`
	BillUSD   float64 `json:"bill_usd"`
}

// Relative is a share with its 90 % interval; null where it is unknown.
type Relative struct {
	Value *float64 `json:"value"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
}

// BreakEven are on-demand prices in US dollars per hour.
type BreakEven struct {
	Low  float64 `json:"low_usd_per_hour"`  // below it no offer pays
	High float64 `json:"high_usd_per_hour"` // above it every candidate gets one
}

// Reserving is how many VMs to reserve in one way of buying.
type Reserving struct {
	Purchase   string      `json:"purchase"` // reserved-1y or reserved-3y
	USDPerHour float64     `json:"usd_per_hour"`
	PriceFrom  string      `json:"price_from"` // source and date
	Months     float64     `json:"months"`     // that are paid for
	Least      []LeastBill `json:"least"`      // a policy each
	Sizes      []SizePoint `json:"sizes"`      // the bills by number of VMs
}

// LeastBill is the number of reserved VMs at which a policy costs least.
type LeastBill struct {
	Policy      string   `json:"policy"`
	ReservedVMs int      `json:"reserved_vms"`
	USDPerMonth float64  `json:"usd_per_month"`
	WithoutUSD  float64  `json:"without_usd_per_month"` // everything on demand
	PaysAfter   *float64 `json:"pays_after_months"`     // of load; null where it never does
}

// SizePoint is a number of reserved VMs and the bills with it.
type SizePoint struct {
	ReservedVMs int                `json:"reserved_vms"`
	USDPerMonth map[string]float64 `json:"usd_per_month"` // by policy
	Utilisation *float64           `json:"utilisation"`   // of the first policy
}

// FleetInput is everything a fleet is described from.
type FleetInput struct {
	Question fleet.Question
	Answer   *fleet.Answer
	Context  fleet.Context
	Source   string // where the jobs are from
	Notes    []string
	VM       string
	Prices   []string // where the prices are from
	Found    bool     // the number of reserved VMs is that of the least bill
	Sized    []fleet.Sized
}

// NewFleet describes how the policies do.
func NewFleet(in FleetInput) Fleet {
	q, a := &in.Question, in.Answer
	hours := func(vmSeconds, usdPerHour float64) float64 { return vmSeconds / 3600 * usdPerHour }
	f := Fleet{
		Head: NewHead("fleet"), Query: newFleetQuery(in),
		Workload: FleetWorkload{
			Jobs: len(a.Tasks), Candidates: len(a.Asked), Seed: q.Seed, Source: clean(in.Source), PeriodS: a.Rest.PeriodS,
			Mix: newFleetMix(q, a),
		},
		Rest: FleetRest{
			a.Rest.Reserved, a.Rest.Rented, hours(a.Rest.ReservedVMS, q.Prices.Reserved),
			hours(a.Rest.OnDemandVMS, q.Prices.OnDemand),
			known(a.Rest.WaitS), known(a.Rest.WaitP95S),
		},
		Policies: []FleetPolicy{}, BreakEven: newBreakEven(q, a), Schedulers: []OtherScheduler{}, Sizing: []Reserving{},
	}
	in.Notes = append(in.Notes, wording.FleetNotes(a)...)
	for _, n := range in.Notes {
		f.Warnings = append(f.Warnings, clean(n))
	}
	best := math.Inf(1)
	for i := range q.Policies {
		p := newFleetPolicy(in, i)
		if len(a.Asked) > 0 && p.ExpectedUSD < best {
			best, f.Best = p.ExpectedUSD, &p.Policy
		}
		f.Policies = append(f.Policies, p)
	}
	for i, bill := range in.Context.Others {
		f.Schedulers = append(f.Schedulers, OtherScheduler{string(fleet.Schedulers[i]), bill.USD()})
	}
	for _, s := range in.Sized {
		f.Sizing = append(f.Sizing, newReserving(s, q.Policies))
	}
	return f
}

func newFleetQuery(in FleetInput) FleetQuery {
	q := &in.Question
	out := FleetQuery{
		VM: OrNull(clean(in.VM)), OnDemand: q.Prices.OnDemand, Reserved: q.Prices.Reserved, PricesFrom: []string{},
		ReservedVMs: q.Fleet.VMs, ReservedVMsFound: in.Found,
		GPUsPerVM: q.Fleet.GPUsPerVM, Scheduler: string(q.Fleet.Scheduler), AsStudied: q.Fleet.AsStudied,
		Acceptance: q.Acceptance.String(),
		Deadline:   [2]float64{q.Terms.Deadline.Low, q.Terms.Deadline.High}, Tightness: q.Terms.Tightness,
		Ratio: [2]float64{q.Terms.Ratio.Low, q.Terms.Ratio.High}, EveryRatio: q.Terms.EveryRatio, Speed: q.Terms.Speed,
		Seed: q.Seed, Seeds: in.Context.Seeds,
	}
	for _, p := range in.Prices {
		out.PricesFrom = append(out.PricesFrom, clean(p))
	}
	return out
}

// newFleetMix counts the models of the jobs; those of which nothing is known come
// last, the many and the unnamed together.
func newFleetMix(q *fleet.Question, a *fleet.Answer) []FleetKind {
	kinds := make([]FleetKind, len(q.Terms.Mix)+len(a.Unknown)+1)
	for i, k := range q.Terms.Mix {
		kinds[i] = FleetKind{Model: OrNull(clean(k.Model)), Ratio: known(k.Ratio), Accuracy: known(k.Accuracy),
			ReducedAccuracy: known(k.ReducedAccuracy), Basis: clean(k.Basis)}
		if q.Terms.EveryRatio {
			kinds[i].Ratio = nil
		}
	}
	rest := len(kinds) - 1
	for i, model := range append(slices.Clone(a.Unknown), "") {
		kinds[len(q.Terms.Mix)+i] = FleetKind{Model: OrNull(clean(model)), Basis: "no accuracy known"}
	}
	place := func(task int) int {
		if k := int(a.Tasks[task].Kind); k >= 0 {
			return k
		}
		if k := slices.Index(a.Unknown, q.Jobs[task].Model); k >= 0 {
			return len(q.Terms.Mix) + k
		}
		return rest
	}
	for i := range a.Tasks {
		kinds[place(i)].Jobs++
	}
	for _, i := range a.Schedule.Candidates {
		kinds[place(i)].Candidates++
	}
	out := []FleetKind{}
	for _, k := range kinds {
		if k.Jobs > 0 {
			out = append(out, k)
		}
	}
	return out
}

func newFleetPolicy(in FleetInput, i int) FleetPolicy {
	q, a := &in.Question, in.Answer
	o := a.Outcomes[i]
	bill := a.Bill(q, i)
	value, _, _ := o.Relative()
	p := FleetPolicy{
		Policy: string(o.Policy), TotalUSD: o.Drawn.USD(), ReservedUSD: o.Drawn.ReservedUSD, OnDemandUSD: o.Drawn.OnDemandUSD,
		PenaltyUSD:  o.Drawn.PenaltyUSD,
		ExpectedUSD: o.Expected.USD(), Relative: Relative{Value: known(value)}, Offered: o.Offered,
		Accepted:  int(math.Round(o.Drawn.Accepted)),
		MeanOffer: known(o.MeanOffer), Accuracy: known(o.Drawn.Accuracy), Missed: a.Late(q, i), BillUSD: bill.USD(),
		Utilisation: known(bill.Utilisation),
		AsTheyCome: FleetAsTheyCome{in.Context.AsTheyCome[i].Asked, in.Context.AsTheyCome[i].Accepted,
			in.Context.AsTheyCome[i].Bill.USD()},
	}
	if s := in.Context.Spreads[i]; s.Known && p.Relative.Value != nil {
		p.Relative.Low, p.Relative.High = &s.Low, &s.High
	}
	return p
}

func newBreakEven(q *fleet.Question, a *fleet.Answer) *BreakEven {
	low, high, ok := a.BreakEven(q.Prices)
	if !ok {
		return nil
	}
	return &BreakEven{low, high}
}

func newReserving(s fleet.Sized, policies []approx.Policy) Reserving {
	r := Reserving{Purchase: string(s.Purchase), USDPerHour: s.Price.USDPerHour, PriceFrom: clean(s.From()),
		Months: s.Months, Least: []LeastBill{}, Sizes: []SizePoint{}}
	for _, size := range s.Sizes {
		point := SizePoint{ReservedVMs: size.VMs, USDPerMonth: map[string]float64{},
			Utilisation: known(size.Bills[0].Utilisation)}
		for k, p := range policies {
			point.USDPerMonth[string(p)] = size.Bills[k].USD()
		}
		r.Sizes = append(r.Sizes, point)
	}
	for k, p := range policies {
		least, without := s.Sizes[fleet.Least(s.Sizes, k)], s.Sizes[0].Bills[k]
		r.Least = append(r.Least, LeastBill{
			string(p), least.VMs, least.Bills[k].USD(), without.USD(), known(fleet.PaysAfter(least.Bills[k], without, s.Months)),
		})
	}
	return r
}
