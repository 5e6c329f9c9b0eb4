package training

import (
	"cmp"
	"math"
	"slices"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// history is how complete runs of one series went on after their first epochs,
// compared with what these alone predict.
type history struct {
	model      int // index in evidence.models
	series     Series
	concurrent bool

	perEpoch float64   // pace.perEpoch; this and all below are medians over the runs
	epochs   float64   // of the complete run
	body     float64   // ln(mean epoch between the known ones and the last / perEpoch)
	last     float64   // excess of the last epoch over those, in units of perEpoch; it includes what a run does at its end
	profile  []float64 // cumulative later epochs of the longest run but the last, in units of perEpoch
	startup  float64   // ln(first epoch / second epoch)
	uneven   float64   // ln(P90 / P10) of the epochs, see unevenness
	runs     []ended
}

// ended is a complete run.
type ended struct {
	pace   pace
	epochs float64
	rest   float64 // seconds after the known epochs
}

// minLaterEpochs is how many epochs a complete run must have after the known ones
// to show how runs go on and how they end.
const minLaterEpochs = 4

// historiesOf collects the complete runs of a set by model and series, given that
// many known epochs.
func historiesOf(runs []profile.Run, known int, models map[string]int) []history {
	type key struct {
		model      int
		series     Series
		concurrent bool
	}
	gathered := map[key][]runHistory{}
	var order []key // of their first runs: a map's would change how rounding adds up
	for _, r := range runs {
		s, ok := runHistoryOf(r, known)
		if !ok {
			continue
		}
		if _, seen := models[r.Model]; !seen {
			models[r.Model] = len(models)
		}
		k := key{models[r.Model], SeriesOf(r), s.pace.concurrent}
		if gathered[k] == nil {
			order = append(order, k)
		}
		gathered[k] = append(gathered[k], s)
	}
	histories := make([]history, 0, len(gathered))
	for _, k := range order {
		c := summarise(gathered[k])
		c.model, c.series, c.concurrent = k.model, k.series, k.concurrent
		histories = append(histories, c)
	}
	slices.SortStableFunc(histories, func(a, b history) int {
		return cmp.Or(cmp.Compare(a.model, b.model), cmp.Compare(a.body, b.body),
			cmp.Compare(a.last, b.last), cmp.Compare(a.perEpoch, b.perEpoch))
	})
	return histories
}

// runHistory is the history of one run.
type runHistory struct {
	ended
	body, last, startup, uneven float64
	profile                     []float64
}

func runHistoryOf(r profile.Run, known int) (runHistory, bool) {
	total, n, ok := complete(r)
	if !ok || n < known+minLaterEpochs {
		return runHistory{}, false
	}
	p, ok := firstEpochs(r, known)
	if !ok {
		return runHistory{}, false
	}
	s := runHistory{ended: ended{pace: p.pace(float64(n)), epochs: float64(n), rest: total - r.EpochStartsS[known]}}
	if s.rest <= 0 {
		return runHistory{}, false
	}
	sum := 0.0
	for i := known; i < n-1; i++ {
		sum += (r.EpochStartsS[i+1] - r.EpochStartsS[i]) / s.pace.perEpoch
		s.profile = append(s.profile, sum)
	}
	mean := sum / float64(len(s.profile))
	s.body = math.Log(mean)
	s.last = (total-r.EpochStartsS[n-1])/s.pace.perEpoch - mean
	at := r.EpochStartsS
	s.startup, s.uneven = math.Log((at[1]-at[0])/(at[2]-at[1])), unevenness(r)
	return s, true
}

// IsUneven reports whether the epochs of a run are seen to be unequal work, by more
// than the times of equal ones scatter on a busy machine. Validations and pauses,
// which come after some epochs only, are left out.
func IsUneven(r profile.Run) bool {
	if len(r.EpochStartsS) < minLaterEpochs {
		return false
	}
	var others []span
	for _, p := range r.Pauses {
		others = append(others, span{p.AtS, p.Seconds})
	}
	var bare profile.Run
	for _, v := range r.Validations {
		if v.AtS != nil {
			others = append(others, span{*v.AtS, v.Seconds})
		}
	}
	p := positions{others: cumulated(others)}
	for _, at := range r.EpochStartsS {
		bare.EpochStartsS = append(bare.EpochStartsS, at-p.otherwise(at))
	}
	for _, v := range r.Validations {
		if v.AtS != nil {
			bare.Validations = append(bare.Validations, profile.Validation{AtS: new(*v.AtS - p.otherwise(*v.AtS))})
		}
	}
	return unevenness(bare) > maxScatter
}

// cumulated puts pauses in order and sums up their seconds.
func cumulated(pauses []span) []span {
	slices.SortFunc(pauses, func(a, b span) int { return cmp.Compare(a.end, b.end) })
	for i := 1; i < len(pauses); i++ {
		pauses[i].sum += pauses[i-1].sum
	}
	return pauses
}

// maxScatter is that, as ln(P90 / P10).
var maxScatter = math.Log(1.25)

// unevenness is ln(P90 / P10) of the times of a complete run's epochs, without the
// first, the last and those with an evaluation.
func unevenness(r profile.Run) float64 {
	p, ok := firstEpochs(r, len(r.EpochStartsS)-1)
	if !ok || p.Known() < 3 {
		return 0
	}
	evaluated, _ := p.evaluations()
	alike, _ := alikeEpochs(p.durations(), evaluated)
	slices.Sort(alike)
	at := func(q float64) float64 { return alike[int(math.Round(q*float64(len(alike)-1)))] }
	return math.Log(at(0.9) / at(0.1))
}

// summarise takes the medians over the runs of a series.
func summarise(list []runHistory) history {
	over := func(of func(runHistory) float64) float64 {
		x := make([]float64, len(list))
		for i, s := range list {
			x[i] = of(s)
		}
		return estimate.Median(x)
	}
	c := history{
		perEpoch: over(func(s runHistory) float64 { return s.pace.perEpoch }),
		epochs:   over(func(s runHistory) float64 { return s.epochs }),
		body:     over(func(s runHistory) float64 { return s.body }),
		last:     over(func(s runHistory) float64 { return s.last }),
		startup:  over(func(s runHistory) float64 { return s.startup }),
		uneven:   over(func(s runHistory) float64 { return s.uneven }),
	}
	for _, s := range list {
		if len(s.profile) > len(c.profile) {
			c.profile = s.profile
		}
		c.runs = append(c.runs, s.ended)
	}
	return c
}

// laterEpochsOf is the history's body for a run with a given number of epochs
// between the known ones and its last, where epochs are not equal work. Beyond the
// end of the history its last quarter is extrapolated.
func (c *history) laterEpochsOf(between float64) float64 {
	n := len(c.profile)
	if between < 1 || n == 0 {
		return c.body
	}
	if i := int(between); i <= n {
		return math.Log(c.profile[i-1] / float64(i))
	}
	quarter := max(1, n/4)
	start := 0.0
	if n > quarter {
		start = c.profile[n-quarter-1]
	}
	tail := (c.profile[n-1] - start) / float64(quarter)
	return math.Log((c.profile[n-1] + tail*(between-float64(n))) / between)
}
