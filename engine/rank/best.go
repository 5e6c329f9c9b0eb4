package rank

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"sweetspot/engine/candidate"
	"sweetspot/engine/objective"
)

// BestProbability is, for each feasible candidate by index, the probability
// that it is the best of all feasible ones with a value in the objective once the
// truth of every estimate is known; equal ones share. One that is not listed has none.
// It is nil where a competitor's value has no interval, because nothing can then be
// said, and where none has a value. It must not be changed: results that follow have it too.
//
// Times are resampled as log-normals with the estimates' 90 % intervals, prices
// of which there are several quotes with the spread of these.
func (r *Result) BestProbability(o objective.Name) map[int]float64 {
	values, contenders := r.contenders(o)
	if contenders == nil {
		return nil
	}
	fixed := r.fixed(o)
	if p, ok := r.drawings.of(o, fixed, contenders); ok {
		return p
	}
	if len(contenders) > mostKept {
		return r.draw(o, fixed, values, contenders)
	}
	of := drawing{fixed: fixed, contenders: slices.Clone(contenders)}
	of.p = r.draw(o, fixed, values, contenders)
	r.drawings.keep(o, of)
	return of.p
}

// draw is the probabilities of the contenders.
func (r *Result) draw(o objective.Name, fixed float64, values []float64, contenders []int) map[int]float64 {
	cells := r.normals(o, contenders)
	contenders = r.rivals(o, contenders, cells)
	// each goes through the logarithms of all resamples; nobody keeps them, for there may
	// be very many contenders.
	each := func(visit func(i int, resampled *[draws]float64)) {
		var resampled [draws]float64
		for _, i := range contenders {
			mu := math.Log(math.Max(0, values[i]-fixed))
			for d := range resampled {
				resampled[d] = mu
			}
			for _, p := range r.Space.errorsOf(o, i) {
				for d, z := range cells[p.Cell] {
					resampled[d] += p.Sigma * z
				}
			}
			if fixed > 0 {
				for d, v := range resampled {
					resampled[d] = math.Log(math.Exp(v) + fixed)
				}
			}
			visit(i, &resampled)
		}
	}
	var bound, ties [draws]float64 // what may tie with the least, and how many do
	for d := range bound {
		bound[d] = math.Inf(1)
	}
	each(func(_ int, resampled *[draws]float64) {
		for d, v := range resampled {
			bound[d] = min(bound[d], v)
		}
	})
	for d := range bound {
		bound[d] += tie
	}
	each(func(_ int, resampled *[draws]float64) {
		for d, v := range resampled {
			if v <= bound[d] {
				ties[d]++
			}
		}
	})
	p := make(map[int]float64, len(contenders))
	each(func(i int, resampled *[draws]float64) {
		var sum float64
		for d, v := range resampled {
			if v <= bound[d] {
				sum += 1 / (ties[d] * draws)
			}
		}
		if sum > 0 {
			p[i] = sum
		}
	})
	return p
}

// mostKept is of how many contenders a [drawing] is kept: sessions hold one for each objective.
const mostKept = 1 << 14

// drawing is what was found of the contenders in an objective, where all pay something fixed.
type drawing struct {
	fixed      float64
	contenders []int
	p          map[int]float64
}

// drawings are the last ones by objective, of results that follow one another: a limit that
// moves seldom changes who may be best. Nil keeps none.
type drawings struct {
	mu   sync.Mutex
	last map[objective.Name]drawing
}

func (d *drawings) of(o objective.Name, fixed float64, contenders []int) (p map[int]float64, ok bool) {
	if d == nil {
		return nil, false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	last, ok := d.last[o]
	return last.p, ok && last.fixed == fixed && slices.Equal(last.contenders, contenders)
}

func (d *drawings) keep(o objective.Name, of drawing) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.last == nil {
		d.last = map[objective.Name]drawing{}
	}
	d.last[o] = of
}

// Chance is candidate i's among the probabilities p of being the best in an objective;
// NaN where nothing can be said of it.
func (r *Result) Chance(p map[int]float64, o objective.Name, i int) float64 {
	if p == nil || math.IsNaN(r.Space.Values(o)[i]) {
		return math.NaN()
	}
	return p[i]
}

// fixed is what all pay, whatever they take: the egress of a cost, 0 of anything else.
func (r *Result) fixed(o objective.Name) float64 {
	if o == objective.Cost {
		return r.Query.Bill.EgressUSD()
	}
	return 0
}

// draws is the number of resamples behind a probability: its standard error is
// at most 2.2 %.
const draws = 512

// Material is the share of the best value that a gain must exceed to be worth
// giving way for: below it two candidates differ by the rounding of batches.
const Material = 0.005

// tie is how near the logarithms of two drawn values count as equal: nobody
// should prefer one VM to another for the rounding of a batch.
const tie = Material

// normals draws, by cell, how far off its estimate may be, in standard deviations. All
// candidates of a cell share the draw: two VM counts that rest on one run are
// wrong together. The seed is the cell alone, so a ranking is the same each
// time it is asked.
func (r *Result) normals(o objective.Name, contenders []int) map[int32]*[draws]float64 {
	cells := map[int32]*[draws]float64{}
	for _, i := range contenders {
		for _, p := range r.Space.errorsOf(o, i) {
			if cells[p.Cell] != nil {
				continue
			}
			rng := rand.New(rand.NewPCG(uint64(p.Cell), 0x5eed))
			z := new([draws]float64)
			for d := range z {
				z[d] = rng.NormFloat64()
			}
			cells[p.Cell] = z
		}
	}
	return cells
}

// rivals are the contenders, by rising value, but those that the first one of their cell
// beats in every draw: of very many predictions, which err together, a few are left.
func (r *Result) rivals(o objective.Name, contenders []int, cells map[int32]*[draws]float64) []int {
	if r.fixed(o) > 0 { // which brings values nearer to each other
		return contenders
	}
	type leader struct{ mu, sigma, reach float64 }
	leaders, values := map[int32]leader{}, r.Space.Values(o)
	return slices.DeleteFunc(contenders, func(i int) bool {
		parts := r.Space.errorsOf(o, i)
		if len(parts) != 1 {
			return false
		}
		mu, cell := math.Log(math.Max(0, values[i])), parts[0]
		l, led := leaders[cell.Cell]
		if !led {
			z := cells[cell.Cell]
			leaders[cell.Cell] = leader{mu, cell.Sigma, math.Max(slices.Max(z[:]), -slices.Min(z[:]))}
			return false
		}
		return mu-l.mu-math.Abs(cell.Sigma-l.sigma)*l.reach > 1.001*tie // beyond rounding
	})
}

// errorsOf are the cells whose errors candidate i has in an objective, and how much
// of them. A cost has those of its time and of the VM type's price; anything else has
// as much of each as its own interval is wider than that of the time.
func (s *Space) errorsOf(o objective.Name, i int) []candidate.CellError {
	timed, own := float64(s.column(objective.Time).sigma[i]), float64(s.column(o).sigma[i])
	if o == objective.Cost {
		own = timed
	}
	mix, ok := s.errors[i]
	switch {
	case !ok || timed == 0:
		mix = []candidate.CellError{{Cell: s.Cell[i], Sigma: own}}
	case own != timed:
		mix = slices.Clone(mix)
		for k := range mix {
			mix[k].Sigma *= own / timed
		}
	}
	if price, spread := s.priceError(i); spread && o == objective.Cost {
		mix = append(slices.Clip(mix), price)
	}
	return mix
}

// Reach is how many standard deviations off a value may be.
const Reach = 4

// contenders are the feasible candidates that could be best at all, by rising
// value: those that are not worse at four sigma than every other's far end. They
// are nil where nothing can be said.
func (r *Result) contenders(o objective.Name) (values []float64, indices []int) {
	s := r.Space
	if s.at(o) < 0 {
		return nil, nil
	}
	column := s.column(o)
	values = column.values
	if slices.ContainsFunc(column.vague, func(i int32) bool { return r.Feasible.Has(int(i)) }) {
		return nil, nil
	}
	bound, nearest := math.Inf(1), math.Exp(-Reach*float64(column.widest))
	for _, i := range s.Rising(o) {
		v := values[i]
		if !(v*nearest <= bound) { // also where it is unknown
			break
		}
		if r.Feasible.Has(int(i)) {
			bound = math.Min(bound, v*math.Exp(Reach*float64(column.sigma[i])))
			indices = append(indices, int(i))
		}
	}
	return values, slices.DeleteFunc(indices, func(i int) bool {
		return values[i]*math.Exp(-Reach*float64(column.sigma[i])) > bound
	})
}
