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
	"sweetspot/engine/transfer"
)

// Powers predicts the mean power of GPUs from the runs of which it was measured: at another
// batch size between those on the same GPU, and on another GPU by the ratio of both
// thermal design powers, corrected by what other models draw on both.
type Powers struct {
	curves map[transfer.Subject]map[string][]drawn // by GPU, each by rising batch size
	tdp    func(gpu string) float64                // W; 0 where it is unknown
	name   func(gpu string) string                 // that all spellings of a GPU share
}

// drawn is the power of one GPU in watts at a batch size on it.
type drawn struct{ batch, watts float64 }

// Standard deviations of ln(power). With half of any of them less than 85 % of Zeus'
// measurements are in their intervals.
const (
	sensorSpread = 0.03
	// octaveSpread is that of an octave beyond the batch sizes measured, or midway between
	// two that are four octaves apart.
	octaveSpread = 0.15
	// gpuSpread is that of the ratio between two GPUs.
	gpuSpread = 0.3
)

// Two models agree or differ by chance, as they keep the GPUs busy: those beyond the second
// that were run on both GPUs count, the ratio of the thermal design powers as plainModels
// of them. With all counted Zeus' mean error is 17.6 % instead of 15.5 %.
const plainModels = 4

// NewPowers reads the runs of a mode on GPUs. It is nil where no power was measured.
func NewPowers(set *profile.Set, mode profile.Mode) *Powers {
	p := &Powers{curves: map[transfer.Subject]map[string][]drawn{}, name: func(gpu string) string {
		if g, known := set.GPUSpec(gpu); known {
			return g.Name
		}
		return gpu
	}, tdp: func(gpu string) float64 {
		if g, known := set.GPUSpec(gpu); known && g.TDPWatts != nil {
			return *g.TDPWatts
		}
		return 0
	}}
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
		p.curves[s][gpu] = append(p.curves[s][gpu], drawn{perGPU(r.BatchSize, r.GPUCount, r.Count, mode), *watts / gpus})
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

// merged sorts the points, of which those at one batch size count as their median.
func merged(points []drawn) []drawn {
	of := map[float64][]float64{}
	for _, x := range points {
		of[x.batch] = append(of[x.batch], x.watts)
	}
	var out []drawn
	for batch, watts := range of {
		out = append(out, drawn{batch, estimate.Median(watts)})
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
	spread, most := 0.0, 0
	for _, from := range slices.Sorted(maps.Keys(p.curves[s])) {
		ratio, models, ok := p.ratio(s, from, gpu)
		if !ok {
			continue
		}
		ln, sd := at(p.curves[s][from], each)
		lns = append(lns, ln+ratio)
		spread, most = math.Max(spread, math.Hypot(sd, gpuSpread)), max(most, models)
	}
	if len(lns) == 0 {
		return e, ""
	}
	basis, why := estimate.Spec, "power by the GPUs' thermal design powers"
	if most > 0 {
		basis, why = estimate.Transferred, fmt.Sprintf("%s and %s", why, quantity.Several(most, "other model"))
	}
	return p.within(stat.Mean(lns, nil), spread, gpu, gpus, basis), why
}

// ratio is ln(power on one GPU / on another) by their thermal design powers and by other
// models, each at the batch sizes measured on both, and how many these are.
func (p *Powers) ratio(s transfer.Subject, from, to string) (ln float64, models int, ok bool) {
	a, b := p.tdp(from), p.tdp(to)
	if !(a > 0) || !(b > 0) {
		return 0, 0, false
	}
	plain, found := math.Log(b/a), map[string][]float64{}
	for other, curves := range p.curves {
		if other.Model == s.Model {
			continue
		}
		for _, x := range curves[from] {
			for _, y := range curves[to] {
				if x.batch == y.batch {
					found[other.Model] = append(found[other.Model], math.Log(y.watts/x.watts)-plain)
				}
			}
		}
	}
	beyond := max(0, len(found)-2)
	if beyond == 0 {
		return plain, 0, true
	}
	deviation := 0.0
	for _, model := range slices.Sorted(maps.Keys(found)) {
		deviation += estimate.Median(found[model]) / float64(len(found))
	}
	return plain + deviation*float64(beyond)/float64(plainModels+beyond), len(found), true
}

// within is the power of all GPUs of a VM. None draws more than it is designed for.
func (p *Powers) within(ln, sd float64, gpu string, gpus int, basis estimate.Basis) estimate.Estimate {
	n, most := float64(gpus), math.Inf(1)
	if tdp := p.tdp(gpu); tdp > 0 {
		most = tdp
	}
	value := math.Min(math.Exp(ln), most)
	high := math.Min(value*math.Exp(estimate.Z90*sd), math.Max(value, most)*(1+SensorRel))
	return estimate.Estimate{Value: n * value, Low: n * value * math.Exp(-estimate.Z90*sd), High: n * high, Basis: basis}
}
