package transfer

import (
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"sweetspot/engine/profile"
	"sweetspot/engine/roofline"
)

// Times on a GPU that nothing was run on follow from the GPUs' published figures, by one of
// several laws. The GPUs that were run on tell which holds: each in turn is left out and
// predicted from the others.

// law is one way in which times follow figures: a part of the time falls as the strength of
// the GPU grows, and a share stays as it is, such as what the host takes.
type law struct {
	weight   float64 // before any GPU was left out
	strength func(g profile.GPUSpec, precision string) float64
	shares   []float64 // that may stay on the average GPU
}

// The plain law is the ratio of peaks, and has half of the weight. The others are of what a
// GPU keeps up, with and without its memory: in full precision most networks wait for
// arithmetic, in tensor cores for memory. How the other half is shared is a judgement;
// between equal and four times these odds the mean errors on PROFET, Zeus and timm change
// by up to a point.
var (
	plainLaw   = law{0.5, peak, []float64{0}}
	fullLaws   = []law{plainLaw, {0.4, sustained, staying}, {0.1, withMemory, staying}}
	tensorLaws = []law{plainLaw, {0.4, withMemory, staying}, {0.05, sustained, staying}, {0.05, bandwidth, staying}}
)

func sustained(g profile.GPUSpec, precision string) float64 {
	flops, _ := roofline.Sustained(g, precision)
	if flops == nil {
		return 0
	}
	return *flops
}

func bandwidth(g profile.GPUSpec, _ string) float64 {
	if g.BandwidthGBs == nil {
		return 0
	}
	return *g.BandwidthGBs
}

func withMemory(g profile.GPUSpec, precision string) float64 {
	return math.Sqrt(sustained(g, precision) * bandwidth(g, precision))
}

// staying are the shares of the time that may stay: none, or any.
var staying = func() []float64 {
	const steps = 12
	out := []float64{0}
	for i := range steps {
		out = append(out, (float64(i)+0.5)/steps)
	}
	return out
}()

const (
	// noneStays is the probability that nothing stays, before any time was seen; on several
	// GPUs the exchange of gradients always does. With a third Zeus' mean error is 11.2 %
	// instead of 8.8 %, with two thirds timm's 12.1 % instead of 11.9 %.
	noneStays = 0.5
	// overlap is the power in which both parts add up, since the host prepares work while
	// the GPU computes: 1 would be one after the other, infinity the longer of the two.
	overlap = 2.0
	// figureSpread is the standard deviation of ln(time) around the laws, by what is odd
	// about a GPU. With it 95 % of the times on PROFET's GPUs are in their intervals, all
	// on Zeus' and timm's.
	figureSpread = 0.2
	// mostVotes bounds how many cells tell which law holds, to save time.
	mostVotes = 200
)

// scaling is a law between GPUs: ln(time) on each, by the share that stays, where the
// average GPU takes 1.
type scaling struct {
	weight float64
	shares int
	known  [][]float64 // by GPU, then by share
	asked  []float64
}

// between is the law between GPUs; false where a figure is unknown.
func (t *Table) between(l law, gpus []string, asked, precision string) (scaling, bool) {
	x := make([]float64, len(gpus)+1) // ln(strength)
	for i, name := range append(slices.Clone(gpus), asked) {
		g, _ := t.specs(name)
		x[i] = math.Log(l.strength(g, precision))
	}
	middle := floats.Sum(x[:len(gpus)]) / float64(len(gpus))
	if sum := middle + x[len(gpus)]; math.IsNaN(sum) || math.IsInf(sum, 0) {
		return scaling{}, false
	}
	s := scaling{weight: l.weight, shares: len(l.shares)}
	for _, v := range x {
		times := make([]float64, len(l.shares))
		for i, share := range l.shares {
			stays, falls := math.Log(share), math.Log(1-share)-(v-middle) // logarithms: figures may be extreme
			longer := math.Max(stays, falls)
			times[i] = longer + math.Log1p(math.Exp(overlap*(math.Min(stays, falls)-longer)))/overlap
		}
		s.known = append(s.known, times)
	}
	s.known, s.asked = s.known[:len(gpus)], s.known[len(gpus)]
	return s, true
}

// predict is ln(time) on the GPU asked about by those on the others: its mean over the
// shares that may stay, each as likely as the times make it. none is the probability that
// nothing stays, before the times.
func (s *scaling) predict(y []float64, none float64) prediction {
	var sum, mean, square float64
	least := math.Inf(1)
	for i := range s.shares {
		w := none
		switch {
		case s.shares == 1:
			w = 1
		case i > 0:
			w = (1 - none) / float64(s.shares-1)
		}
		if w == 0 {
			continue
		}
		level, misses := 0.0, 0.0
		for k, times := range s.known {
			level += (y[k] - times[i]) / float64(len(y))
		}
		for k, times := range s.known {
			miss := (y[k] - times[i] - level) / ratioSpread
			misses += miss * miss / 2
		}
		if misses < least { // the weights are those beside the best share, however bad that is
			scale := math.Exp(misses - least)
			sum, mean, square, least = scale*sum, scale*mean, scale*square, misses
		}
		w *= math.Exp(least - misses)
		p := level + s.asked[i]
		sum, mean, square = sum+w, mean+w*p, square+w*p*p
	}
	mean /= sum
	return prediction{mean, math.Sqrt(math.Max(0, square/sum-mean*mean))}
}

// figures predict a GPU from others by all laws whose figures are known.
type figures struct {
	scalings []scaling // their weights sum to 1
	scale    float64   // of the spread
}

// figuresOf is nil where no law's figures are known.
func (t *Table) figuresOf(gpus []string, asked, precision string, verdict verdict) *figures {
	f := &figures{scale: verdict.scale}
	sum := 0.0
	for i, l := range t.laws(asked, precision) {
		if s, ok := t.between(l, gpus, asked, precision); ok {
			s.weight *= verdict.factors[i]
			sum += s.weight
			f.scalings = append(f.scalings, s)
		}
	}
	if !(sum > 0) {
		return nil
	}
	for i := range f.scalings {
		f.scalings[i].weight /= sum
	}
	return f
}

func (t *Table) laws(gpu, precision string) []law {
	g, _ := t.specs(gpu)
	if _, tensor := roofline.Peak(g, precision); tensor {
		return tensorLaws
	}
	return fullLaws
}

func (f *figures) predict(y []float64, none float64) prediction {
	mean, square := 0.0, 0.0
	for i := range f.scalings {
		s := &f.scalings[i]
		p := s.predict(y, none)
		mean, square = mean+s.weight*p.mean, square+s.weight*(p.mean*p.mean+p.sd*p.sd)
	}
	return prediction{mean, f.scale * math.Hypot(math.Sqrt(math.Max(0, square-mean*mean)), figureSpread)}
}

// verdict is what the GPUs that were run on say of the laws: factors on their weights, and
// one on the spread.
type verdict struct {
	factors []float64
	scale   float64
}

// figuresFor are those of a subject's route, judged by its sources; nil where no law's are
// known.
func (t *Table) figuresFor(r route, s Subject) *figures {
	var key strings.Builder
	gpus, precision := make([]string, len(r.sources)), t.precisions[s]
	key.WriteString(precision + "\x00" + t.runtimes[s])
	for i, p := range r.sources {
		gpus[i] = t.gpus[p.VM]
		for _, word := range []string{p.VM.Cloud, p.VM.InstanceType} {
			key.WriteByte(0)
			key.WriteString(word)
		}
	}
	asked, sources := t.gpus[r.target.VM], key.String()
	f, known := t.judgedFigures[[2]string{sources, asked}]
	if !known {
		v, judged := t.verdicts[sources]
		if !judged {
			v = t.judge(t.together(r.sources, s), t.laws(gpus[0], precision), precision)
			t.verdicts[sources] = v
		}
		f = t.figuresOf(gpus, asked, precision, v)
		t.judgedFigures[[2]string{sources, asked}] = f
	}
	return f
}

// together are the cells like a subject's that were measured on several of the platforms with
// as many GPUs, ln(seconds) by GPU; only some where there are very many.
func (t *Table) together(sources []Platform, s Subject) []map[string]float64 {
	var out []map[string]float64
	seen := map[Cell]bool{}
	for _, p := range sources {
		for _, c := range t.cellsAt[p] {
			c.Platform = Platform{}
			if seen[c] || t.precisions[c.Subject] != t.precisions[s] || t.runtimes[c.Subject] != t.runtimes[s] {
				continue
			}
			seen[c] = true
			seconds := map[string]float64{}
			for _, at := range sources {
				if e := t.times[Cell{c.Subject, at, c.Batch}]; e.Known() && at.all() == sources[0].all() {
					seconds[t.gpus[at.VM]] = math.Log(e.Value)
				}
			}
			if len(seconds) > 1 {
				out = append(out, seconds)
			}
		}
	}
	if n := len(out); n > mostVotes {
		for i := range mostVotes {
			out[i] = out[i*n/mostVotes]
		}
		out = out[:mostVotes]
	}
	return out
}

// judge leaves out each GPU of the cells. With a single one nothing is said.
func (t *Table) judge(cells []map[string]float64, laws []law, precision string) verdict {
	v := verdict{slices.Repeat([]float64{1}, len(laws)), 1}
	gpus := map[string]bool{}
	for _, c := range cells {
		for g := range c {
			gpus[g] = true
		}
	}
	if len(gpus) < 2 {
		return v
	}
	n := float64(len(gpus))
	factors := make([]float64, len(laws))
	for i := range laws {
		alone := verdict{make([]float64, len(laws)), 1}
		alone.factors[i] = 1
		miss := 0.0
		for _, g := range slices.Sorted(maps.Keys(gpus)) {
			m, _ := t.leftOut(g, cells, precision, alone)
			miss += m / n
		}
		// A law whose figures are unknown of a GPU misses by infinity.
		factors[i] = math.Pow(miss/ratioSpread+leastMiss, -votesPerModel*math.Min(n-1, mostVoters))
	}
	v.factors = factors
	squares := 0.0
	for _, g := range slices.Sorted(maps.Keys(gpus)) {
		_, square := t.leftOut(g, cells, precision, v)
		squares += square
	}
	// That a few GPUs follow a law closely does not tell that another does.
	v.scale = math.Max(1, math.Sqrt((priorModels+squares)/(priorModels+n)))
	return v
}

// leftOut predicts a GPU from the others: the mean miss of ln(time), and the mean square of
// the misses in standard deviations. Both are infinite where nothing predicts it.
func (t *Table) leftOut(gpu string, cells []map[string]float64, precision string, v verdict) (miss, square float64) {
	n := 0.0
	fits := map[string]*figures{}
	for _, c := range cells {
		truth, has := c[gpu]
		if !has {
			continue
		}
		others := slices.DeleteFunc(slices.Sorted(maps.Keys(c)), func(g string) bool { return g == gpu })
		key := strings.Join(others, "\x00")
		f, fitted := fits[key]
		if !fitted {
			f = t.figuresOf(others, gpu, precision, v)
			fits[key] = f
		}
		if f == nil {
			return math.Inf(1), math.Inf(1)
		}
		y := make([]float64, len(others))
		for i, g := range others {
			y[i] = c[g]
		}
		p := f.predict(y, noneStays)
		r := truth - p.mean
		miss, square, n = miss+math.Abs(r), square+r*r/(p.sd*p.sd), n+1
	}
	return miss / n, square / n
}
