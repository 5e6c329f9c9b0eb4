package training

import (
	"cmp"
	"math"
	"slices"

	"sweetspot/engine/profile"
)

// course is how complete runs of one series went on after their first epochs,
// against what these alone said.
type course struct {
	model  int // index in evidence.models
	series Series
	beside bool

	perEpoch float64   // pace.perEpoch; like all below the median over the runs
	epochs   float64   // of the whole run
	body     float64   // ln of the mean epoch between the known ones and the last, against perEpoch
	last     float64   // how much longer than those the last epoch was, in units of perEpoch; what a run does at its end is in it
	profile  []float64 // sums of the epochs after the known ones, last one excluded, in units of perEpoch, of the longest run
	startup  float64   // ln of the first epoch against the second
	uneven   float64   // ln of how much epochs differ that end alike
	runs     []ended
}

// ended is a complete run.
type ended struct {
	pace   pace
	epochs float64
	rest   float64 // seconds after the known epochs
}

// atLeast is how many epochs a complete run must have had after the known ones
// to tell how runs go on and how they end.
const atLeast = 4

// coursesOf collects the complete runs of a set by model and series, as seen
// from the end of their epoch known.
func coursesOf(runs []profile.Run, known int, models map[string]int) []course {
	type key struct {
		model  int
		series Series
		beside bool
	}
	gathered := map[key][]single{}
	for _, r := range runs {
		s, ok := singleOf(r, known)
		if !ok {
			continue
		}
		if _, seen := models[r.Model]; !seen {
			models[r.Model] = len(models)
		}
		k := key{models[r.Model], SeriesOf(r), s.pace.beside}
		gathered[k] = append(gathered[k], s)
	}
	courses := make([]course, 0, len(gathered))
	for k, list := range gathered {
		c := summarise(list)
		c.model, c.series, c.beside = k.model, k.series, k.beside
		courses = append(courses, c)
	}
	slices.SortFunc(courses, func(a, b course) int {
		return cmp.Or(cmp.Compare(a.model, b.model), cmp.Compare(a.body, b.body), cmp.Compare(a.last, b.last), cmp.Compare(a.perEpoch, b.perEpoch))
	})
	return courses
}

// single is the course of one run.
type single struct {
	ended
	body, last, startup, uneven float64
	profile                     []float64
}

func singleOf(r profile.Run, known int) (single, bool) {
	total, n, ok := complete(r)
	if !ok || n < known+atLeast {
		return single{}, false
	}
	p, ok := FirstEpochs(r, known)
	if !ok {
		return single{}, false
	}
	s := single{ended: ended{pace: p.pace(float64(n)), epochs: float64(n), rest: total - r.EpochStartsS[known]}}
	if s.rest <= 0 {
		return single{}, false
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

// unevenness is by how much the epochs of a complete run differ, as the
// logarithm of the ratio of their 90th to their 10th percentile; the first,
// the last and those with an evaluation are left out.
func unevenness(r profile.Run) float64 {
	p, ok := FirstEpochs(r, len(r.EpochStartsS)-1)
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
func summarise(list []single) course {
	over := func(of func(single) float64) float64 {
		x := make([]float64, len(list))
		for i, s := range list {
			x[i] = of(s)
		}
		return middle(x)
	}
	c := course{
		perEpoch: over(func(s single) float64 { return s.pace.perEpoch }),
		epochs:   over(func(s single) float64 { return s.epochs }),
		body:     over(func(s single) float64 { return s.body }),
		last:     over(func(s single) float64 { return s.last }),
		startup:  over(func(s single) float64 { return s.startup }),
		uneven:   over(func(s single) float64 { return s.uneven }),
	}
	for _, s := range list {
		if len(s.profile) > len(c.profile) {
			c.profile = s.profile
		}
		c.runs = append(c.runs, s.ended)
	}
	return c
}

// bodyOf is the course's body for a run that has so many epochs between the
// known ones and its last: where epochs are not equal work, those that such a
// run has. Beyond the end of the course its last quarter goes on.
func (c *course) bodyOf(between float64) float64 {
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
