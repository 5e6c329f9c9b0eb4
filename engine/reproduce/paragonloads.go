package reproduce

import (
	"fmt"
	"math"
	"slices"

	"sweetspot/engine/parallel"
	"sweetspot/engine/quantity"
	"sweetspot/engine/serving"
)

// Traffic is what the schemes make of synthetic loads in place of
// Paragon's traces, which it does not publish.
type Traffic struct {
	settings serving.Settings
	used     []Key // printed cells that the settings are from
	loads    []drawnLoad

	relaxed []variation // paragon's relaxed limit, on bursts, seconds
	starts  []variation // the VM's start-up there, seconds
	cold    variation   // the longest cold start there, seconds

	rates    []int // figure 3, queries per second
	hours    float64
	memories []functionModel
}

// variation is a load once more, with one setting changed.
type variation struct {
	value float64
	by    map[serving.Scheme]*serving.Outcome
}

// madeLoad is a load before it is drawn.
type madeLoad struct {
	name, words string
	seconds     int
	burstS      float64 // how long a burst lasts on average, 0 where there are none
	risesS      float64 // in how many seconds the load comes, 0 where it takes hours
	wave        bool    // of one family, in which only the swing differs
	trace       func(seconds int, seed uint64) serving.Trace
}

// drawnLoad is a load with what its draws come to.
type drawnLoad struct {
	madeLoad
	draws []draw
}

// draw is a load drawn with one seed.
type draw struct {
	ratio  float64 // peak to median, by the minute
	advice serving.Advice
	by     map[serving.Scheme]*serving.Outcome
}

const (
	seeds               = 5 // of every load: 1, 2, …
	aDay                = 86400
	sixHours            = 6 * 3600
	acceptedViolations  = 0.05 // of all queries, where the schemes are to be chosen among
	waveMean            = 1500 // queries per second
	calmRate, burstRate = 500, 1500
	calmS, burstS       = 300, 60 // seconds, on average
	crowdBase           = 1000    // queries per second
	crowdFactor         = 4
	crowdRisesS         = 60 // seconds
	loadsSuffix         = ", synthetic loads"
)

// madeLoads are the loads: one wave a day with swings from none up, a flash
// crowd, the same in a sample as long as the study's, and bursts. All but the
// sample are as many times shorter as told.
func madeLoads(shorter, sampleS int) []madeLoad {
	return slices.Concat(waves(aDay/shorter), []madeLoad{
		flashCrowd("flash-crowd", sixHours/shorter), flashCrowd("crowd-sample", sampleS),
		{
			name: "bursty", seconds: sixHours / shorter, burstS: burstS, risesS: 1,
			words: fmt.Sprintf("%d queries/s for %d s and %s for %d s in turn, on average", calmRate, calmS,
				quantity.Count(burstRate), burstS),
			trace: func(seconds int, seed uint64) serving.Trace {
				return serving.Bursty{Calm: calmRate, Burst: burstRate, CalmS: calmS, BurstS: burstS}.Trace(seconds, seed)
			},
		},
	})
}

func waves(length int) (loads []madeLoad) {
	for _, w := range []struct {
		name  string
		swing float64
	}{{"steady", 0}, {"diurnal 20%", 0.2}, {"wiki-like", 0.4}, {"diurnal 60%", 0.6}, {"diurnal 80%", 0.8}} {
		loads = append(loads, madeLoad{
			name: w.name, seconds: length, wave: true,
			words: fmt.Sprintf("%s queries/s ±%.0f %% in one wave", quantity.Count(waveMean), 100*w.swing),
			trace: func(seconds int, seed uint64) serving.Trace {
				day := float64(seconds)
				return serving.Poisson(seconds, serving.Diurnal{Mean: waveMean, Amplitude: w.swing, PeriodS: day,
					PeakS: day * 14 / 24}.Rate, seed)
			},
		})
	}
	return loads
}

func flashCrowd(name string, length int) madeLoad {
	return madeLoad{
		name: name, seconds: length, risesS: crowdRisesS,
		words: fmt.Sprintf("%s queries/s and one crowd of %d times that, which comes in %d s, stays 600 s and goes by "+
			"e in 300 s", quantity.Count(crowdBase), crowdFactor, crowdRisesS),
		trace: func(seconds int, seed uint64) serving.Trace {
			return serving.Poisson(seconds, serving.FlashCrowd{Base: crowdBase, Factor: crowdFactor, AtS: float64(seconds) / 3,
				RiseS: crowdRisesS, HoldS: 600, DecayS: 300}.Rate, seed)
		},
	}
}

// NewTraffic generates the loads and simulates them with the settings that the
// cells print, and [serving.Defaults] for what they do not; nil where the cells
// lack one.
func NewTraffic(cells []Cell) *Traffic { return newTraffic(cells, 1) }

func newTraffic(cells []Cell, shorter int) *Traffic {
	t := &Traffic{settings: serving.Defaults()}
	r := &reading{sheet: sheetOf(cells)}
	t.settings.StrictLimitS = r.at(limitMS) / 1000
	t.settings.Utilisation = r.at(utilisation) / 100
	t.settings.PeakToMedianAt = 1 + r.at(peakOverMedian)/100
	t.settings.Function.ColdStartS = r.at(leastColdStart)
	coldest := t.settings
	coldest.Function.ColdStartS = r.at(mostColdStart)
	t.hours = r.at(constantHours)
	sample := r.at(sampleHours)
	for _, c := range cells {
		if c.Table == "text" && c.Column == rateColumn {
			t.rates = append(t.rates, int(r.at(c.Key)))
		}
	}
	t.memories = functionModels(r.at(squeezeNetKnee), r.at(mostMemory))
	t.used = r.used
	if r.missing || t.settings.Check() != nil || coldest.Check() != nil || !t.constantIsSane() ||
		!(sample > 0 && sample <= mostHours) {
		return nil
	}
	t.draw(madeLoads(shorter, int(sample*3600)))
	t.vary(coldest)
	return t
}

func (t *Traffic) draw(loads []madeLoad) {
	var all parallel.Group
	t.loads = make([]drawnLoad, len(loads))
	for i, l := range loads {
		t.loads[i] = drawnLoad{l, make([]draw, seeds)}
		all.Go(func() {
			for k := range t.loads[i].draws {
				t.loads[i].draws[k] = t.drawOne(l.trace(l.seconds, uint64(k)+1))
			}
		})
	}
	all.Wait()
}

func (t *Traffic) drawOne(tr serving.Trace) draw {
	advice, err := serving.Advise(serving.Question{Trace: tr, Settings: t.settings, MaxViolations: acceptedViolations})
	if err != nil {
		advice = serving.Advice{}
	}
	return draw{ratio: valueOr(advice.PeakToMedian), advice: advice, by: byScheme(advice.Outcomes)}
}

// byScheme finds outcomes by their scheme; what was not simulated is empty.
func byScheme(outcomes []serving.Outcome) map[serving.Scheme]*serving.Outcome {
	by := map[serving.Scheme]*serving.Outcome{}
	for _, s := range serving.Schemes() {
		by[s] = &serving.Outcome{Scheme: s}
	}
	for i := range outcomes {
		by[outcomes[i].Scheme] = &outcomes[i]
	}
	return by
}

// vary changes one setting after the other on the first draw of the bursts.
func (t *Traffic) vary(coldest serving.Settings) {
	l := t.loads[len(t.loads)-1]
	tr := l.trace(l.seconds, 1)
	with := func(value float64, s serving.Settings) variation {
		outcomes, err := serving.Compare(tr, s)
		if err != nil {
			outcomes = nil
		}
		return variation{value, byScheme(outcomes)}
	}
	for _, limit := range []float64{10, 100, 200, 300} {
		s := t.settings
		s.RelaxedLimitS = limit
		t.relaxed = append(t.relaxed, with(limit, s))
	}
	for _, start := range []int{60, 100, 200, 300} {
		s := t.settings
		s.VM.StartS = start
		t.starts = append(t.starts, with(float64(start), s))
	}
	t.cold = with(coldest.Function.ColdStartS, coldest)
}

// read notes the printed cells that a simulation rests on.
func (t *Traffic) read(r *reading) {
	for _, k := range t.used {
		r.at(k)
	}
}

// drawnNumber is a mean over seeds, and by how much one more draw would be off
// it in nine of ten cases.
type drawnNumber struct{ mean, by float64 }

// over is a number of a load over its seeds.
func (l *drawnLoad) over(of func(*draw) float64) drawnNumber {
	n := float64(len(l.draws))
	sum, squares := 0.0, 0.0
	for i := range l.draws {
		sum += of(&l.draws[i])
	}
	mean := sum / n
	for i := range l.draws {
		off := of(&l.draws[i]) - mean
		squares += off * off
	}
	if n < 2 {
		return drawnNumber{mean: mean}
	}
	return drawnNumber{mean, nineInTen * math.Sqrt(squares/(n-1)*(1+1/n))}
}

func (l *drawnLoad) mean(of func(*draw) float64) float64 { return l.over(of).mean }

func (l *drawnLoad) ratio() float64 { return l.mean(func(d *draw) float64 { return d.ratio }) }

// described states the parameters, the seeds and the peak to median.
func (l *drawnLoad) described() string {
	return fmt.Sprintf("load: %s, %.3g h, seeds 1 to %d; peak to median %.2f", l.words, float64(l.seconds)/3600,
		len(l.draws), l.ratio())
}

// cuts is by how much a scheme cuts reactive's violations, in percent of them.
func cuts(scheme serving.Scheme) func(*draw) float64 {
	return func(d *draw) float64 {
		return 100 * saving(d.by[scheme].ViolationShare(), d.by[serving.Reactive].ViolationShare())
	}
}

func reactiveViolates(d *draw) float64 { return 100 * d.by[serving.Reactive].ViolationShare() }

// saves is by how much a scheme is cheaper than another, in percent.
func saves(scheme, over serving.Scheme) func(*draw) float64 {
	return func(d *draw) float64 { return 100 * saving(d.by[scheme].USD, d.by[over].USD) }
}

func overProvisioned(scheme serving.Scheme) func(*draw) float64 {
	return func(d *draw) float64 {
		return 100 * valueOr(d.by[scheme].OverProvisioning)
	}
}

// spared is what share of all queries functions spare a violation, in percent.
func spared(d *draw) float64 {
	return 100 * (d.by[serving.Reactive].ViolationShare() - d.by[serving.Mixed].ViolationShare())
}

// sparedUSD is what a million violations spared by functions cost, dollars.
func sparedUSD(d *draw) float64 {
	mixed := d.by[serving.Mixed]
	return 1e6 * mixed.FunctionUSD / (spared(d) / 100 * float64(mixed.Requests.Total()))
}

// onFunctions is the share of its queries that a scheme gives to functions, and
// functionsCost their share of its cost, in percent.
func onFunctions(scheme serving.Scheme) func(*draw) float64 {
	return func(d *draw) float64 { return 100 * d.by[scheme].FunctionShare() }
}

func functionsCost(scheme serving.Scheme) func(*draw) float64 {
	return func(d *draw) float64 { return 100 * d.by[scheme].FunctionUSD / d.by[scheme].USD }
}
