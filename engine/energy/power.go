package energy

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/roofline"
	"sweetspot/engine/transfer"
)

// Powers predicts the mean power of GPUs from the runs of which it was measured: at another
// batch size between those on the same GPU, and on another GPU by the ratio of both
// thermal design powers and by how busy each is kept, as other models tell that were run
// on both.
type Powers struct {
	curves map[transfer.Subject]map[string][]drawn // by GPU, each by rising batch size
	tdp    func(gpu string) float64                // W; 0 where it is unknown
	peak   func(gpu, precision string) float64     // TFLOPS; 0 where it is unknown
	name   func(gpu string) string                 // that all spellings of a GPU share
}

// drawn is the power of one GPU in watts at a batch size on it, and what a run there took:
// a step, or an epoch on that GPU alone; 0 where it is unknown. Repeats count that are told as the first one.
type drawn struct {
	batch, watts, seconds float64
	perEpoch              bool
	precision             string
}

// Standard deviations of ln(power). With half of any of them less than 85 % of Zeus'
// measurements are in their intervals.
const (
	sensorSpread = 0.03
	// octaveSpread is that of an octave beyond the batch sizes measured, or midway between
	// two that are four octaves apart.
	octaveSpread = 0.15
	// gpuSpread is that of the ratio between two GPUs.
	gpuSpread = 0.25
)

// Two models agree or differ by chance, as they keep the GPUs busy: those beyond the second
// that were run on both GPUs count, the ratio of the thermal design powers as plainModels
// of them. With all counted Zeus' mean error is 16.4 % instead of 14.6 %.
const plainModels = 4

const (
	// idleShare is the part of the thermal design power that a GPU draws without work: by the
	// boards' idle powers a twentieth to a seventh. With these Zeus' mean error is 15.3 and
	// 14.1 % instead of 14.6 %.
	idleShare = 0.1
	// plainSpeeds is the weight of the ratio of peaks, in models, where times on both GPUs
	// tell how much quicker one is.
	plainSpeeds = 1
)

// NewPowers reads the runs of a mode on GPUs. It is nil where no power was measured.
func NewPowers(set *profile.Set, mode profile.Mode) *Powers {
	p := &Powers{curves: map[transfer.Subject]map[string][]drawn{}}
	p.name = func(gpu string) string {
		if g, known := set.GPUSpec(gpu); known {
			return g.Name
		}
		return gpu
	}
	p.tdp = func(gpu string) float64 {
		if g, known := set.GPUSpec(gpu); known && g.TDPWatts != nil {
			return *g.TDPWatts
		}
		return 0
	}
	p.peak = func(gpu, precision string) float64 {
		g, _ := set.GPUSpec(gpu)
		if flops, _ := roofline.Peak(g, precision); flops != nil {
			return *flops
		}
		return 0
	}
	for _, r := range set.Runs {
		watts := r.AveragePowerW
		if r.Mode != mode || watts == nil || !(*watts > 0) || r.EnergyOf != profile.EnergyOfGPUs || r.GPU == "" ||
			r.PowerLimitW != nil || r.Status == profile.OutOfMemory || r.BatchSize < 1 {
			continue
		}
		gpus := float64(max(r.GPUCount, 1))
		s, gpu := transfer.SubjectOf(r.Model, r.Variant), p.name(r.GPU)
		if p.curves[s] == nil {
			p.curves[s] = map[string][]drawn{}
		}
		x := drawn{batch: perGPU(r.BatchSize, r.GPUCount, r.Count, mode), watts: *watts / gpus}
		x.precision = r.Variant.Precision
		x.seconds, x.perEpoch = took(r)
		p.curves[s][gpu] = append(p.curves[s][gpu], x)
	}
	if len(p.curves) == 0 {
		return nil
	}
	for _, curves := range p.curves {
		for gpu, points := range curves {
			curves[gpu] = merged(points)
		}
	}
	return p
}

// perGPU is the part of a batch that one GPU works on.
func perGPU(batch, gpus, count int, mode profile.Mode) float64 {
	if mode == profile.Infer {
		return float64(batch)
	}
	return float64(batch) / float64(max(gpus, 1)*max(count, 1))
}

// took is the time of a step, or else of an epoch, which several GPUs share; 0 where it is unknown.
func took(r profile.Run) (seconds float64, perEpoch bool) {
	switch {
	case r.Steady.Known():
		return r.Steady.Value, false
	case r.TotalS != nil && r.Epochs != nil && *r.Epochs > 0:
		return *r.TotalS / *r.Epochs * float64(max(r.GPUCount, 1)*max(r.Count, 1)), true
	}
	return 0, false
}

// merged sorts the points, of which those at one batch size count as their medians.
func merged(points []drawn) []drawn {
	of := map[float64][]drawn{}
	for _, x := range points {
		of[x.batch] = append(of[x.batch], x)
	}
	var out []drawn
	for _, alike := range of {
		var watts, seconds []float64
		for _, x := range alike {
			watts = append(watts, x.watts)
			if x.perEpoch == alike[0].perEpoch && x.seconds > 0 {
				seconds = append(seconds, x.seconds)
			}
		}
		x := alike[0]
		x.watts, x.seconds = estimate.Median(watts), 0
		if len(seconds) > 0 {
			x.seconds = estimate.Median(seconds)
		}
		out = append(out, x)
	}
	slices.SortFunc(out, func(a, b drawn) int { return cmp.Compare(a.batch, b.batch) })
	return out
}

// at is ln(power) at a batch size, between the nearest that were measured, beyond them that
// of the outermost; and its standard deviation.
func at(points []drawn, batch float64) (ln, sd float64) {
	i := slices.IndexFunc(points, func(x drawn) bool { return x.batch >= batch })
	last := points[len(points)-1]
	switch {
	case i < 0:
		return math.Log(last.watts), math.Hypot(sensorSpread, octaveSpread*math.Log2(batch/last.batch))
	case points[i].batch == batch:
		return math.Log(points[i].watts), sensorSpread
	case i == 0:
		return math.Log(points[0].watts), math.Hypot(sensorSpread, octaveSpread*math.Log2(points[0].batch/batch))
	}
	lo, hi := points[i-1], points[i]
	share := math.Log(batch/lo.batch) / math.Log(hi.batch/lo.batch)
	away := math.Log2(hi.batch/lo.batch) * share * (1 - share)
	return (1-share)*math.Log(lo.watts) + share*math.Log(hi.watts), math.Hypot(sensorSpread, octaveSpread*away)
}

// Of is the mean power of a VM with so many of a GPU in watts, and what it rests on; unknown
// where nothing of the subject was measured on any GPU, or the figures are not known.
func (p *Powers) Of(s transfer.Subject, gpu string, gpus, batch int, mode profile.Mode) (
	e estimate.Estimate, why string) {
	if p == nil || gpus < 1 || batch < 1 {
		return e, ""
	}
	gpu, each := p.name(gpu), perGPU(batch, gpus, 1, mode)
	if points := p.curves[s][gpu]; len(points) > 0 {
		ln, sd := at(points, each)
		why = fmt.Sprintf("power from %s measured there", quantity.Several(len(points), "batch size"))
		return p.within(ln, sd, gpu, gpus, estimate.OtherBatch), why
	}
	var lns []float64
	spread, most, timed := 0.0, 0, 0
	for _, from := range slices.Sorted(maps.Keys(p.curves[s])) {
		ln, sd := at(p.curves[s][from], each)
		moved, models, times, ok := p.onto(s, ln, from, gpu)
		if !ok {
			continue
		}
		lns = append(lns, moved)
		spread, most = math.Max(spread, math.Hypot(sd, gpuSpread)), max(most, models)
		timed = max(timed, times)
	}
	if len(lns) == 0 {
		return e, ""
	}
	basis, why := estimate.Spec, "power by the GPUs' thermal design powers"
	switch {
	case most > 0:
		basis, why = estimate.Transferred, fmt.Sprintf("%s and %s", why, quantity.Several(most, "other model"))
	case timed > 0:
		why = fmt.Sprintf("%s and the times of %s", why, quantity.Several(timed, "other model"))
	}
	return p.within(stat.Mean(lns, nil), spread, gpu, gpus, basis), why
}

// onto is ln(power of a subject on another GPU) where it is ln on one, by what both are
// designed for and by other models: how many of these told by the power that they drew on
// both, and by the times that they took.
func (p *Powers) onto(s transfer.Subject, ln float64, from, to string) (moved float64, models, timed int, ok bool) {
	if !(p.tdp(from) > 0) || !(p.tdp(to) > 0) {
		return 0, 0, 0, false
	}
	both := p.onBoth(s, from, to)
	busier, timed := p.busier(both, from, to)
	plain := p.law(ln, from, to, busier)
	beyond := max(0, len(both)-2)
	if beyond == 0 {
		return plain, 0, timed, true
	}
	deviation := 0.0
	for _, model := range slices.Sorted(maps.Keys(both)) {
		var misses []float64
		for _, x := range both[model] {
			misses = append(misses, math.Log(x[1].watts)-p.law(math.Log(x[0].watts), from, to, busier))
		}
		deviation += estimate.Median(misses) / float64(len(both))
	}
	return plain + deviation*float64(beyond)/float64(plainModels+beyond), len(both), timed, true
}

// onBoth is what other models drew on two GPUs at the same batch size, by model.
func (p *Powers) onBoth(s transfer.Subject, from, to string) map[string][][2]drawn {
	found := map[string][][2]drawn{}
	for other, curves := range p.curves {
		if other.Model == s.Model {
			continue
		}
		for _, x := range curves[from] {
			for _, y := range curves[to] {
				if x.batch == y.batch {
					found[other.Model] = append(found[other.Model], [2]drawn{x, y})
				}
			}
		}
	}
	return found
}

// busier is how many times as much of its peak the second GPU keeps busy, by the times that
// so many other models took on both, each beside the peaks at its own precision; 1 where it is unknown.
func (p *Powers) busier(both map[string][][2]drawn, from, to string) (factor float64, models int) {
	sum := 0.0
	for _, model := range slices.Sorted(maps.Keys(both)) {
		var quicker []float64
		for _, x := range both[model] {
			a, b := x[0].seconds*p.peak(from, x[0].precision), x[1].seconds*p.peak(to, x[1].precision)
			if a > 0 && b > 0 && x[0].perEpoch == x[1].perEpoch {
				quicker = append(quicker, math.Log(a/b))
			}
		}
		if len(quicker) > 0 {
			sum, models = sum+estimate.Median(quicker), models+1
		}
	}
	return math.Exp(sum / float64(models+plainSpeeds)), models
}

// law is ln(power on another GPU): a GPU that works draws power in proportion to the part of
// its peak that it keeps busy, beside what it draws idle, and at most what it is designed for.
func (p *Powers) law(ln float64, from, to string, busier float64) float64 {
	share := math.Exp(ln) / p.tdp(from)
	idle := math.Min(idleShare, share)
	return math.Log(p.tdp(to) * math.Min(1, idle+(share-idle)*busier))
}

// within is the power of all GPUs of a VM. None draws more than it is designed for.
func (p *Powers) within(ln, sd float64, gpu string, gpus int, basis estimate.Basis) estimate.Estimate {
	n, most := float64(gpus), math.Inf(1)
	if tdp := p.tdp(gpu); tdp > 0 {
		most = tdp
	}
	value := math.Min(math.Exp(ln), most)
	high := math.Min(value*math.Exp(estimate.Z90*sd), math.Max(value, most)*(1+sensorRel))
	return estimate.Estimate{Value: n * value, Low: n * value * math.Exp(-estimate.Z90*sd), High: n * high, Basis: basis}
}
