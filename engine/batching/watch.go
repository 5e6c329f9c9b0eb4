package batching

import (
	"cmp"
	"math"
	"slices"
)

// span is a time in which the same sequences decode.
type span struct {
	from, to          float64
	decoding, context float64 // sequences, and tokens in their cache on average
}

// spansOf are those of a log, in order. Tokens between the first and the last of a request
// are taken as evenly spread.
func spansOf(log []Observed) []span {
	var times []float64
	for _, o := range log {
		times = append(times, o.FirstS, o.LastS)
	}
	slices.Sort(times)
	times = slices.Compact(times)
	starts := slices.SortedFunc(slices.Values(log), func(a, b Observed) int { return cmp.Compare(a.FirstS, b.FirstS) })
	var out []span
	var running []Observed
	for i := range len(times) - 1 {
		s := span{from: times[i], to: times[i+1]}
		for ; len(starts) > 0 && starts[0].FirstS <= s.from; starts = starts[1:] {
			running = append(running, starts[0])
		}
		running = slices.DeleteFunc(running, func(o Observed) bool { return o.LastS <= s.from })
		for _, o := range running {
			s.decoding++
			s.context += float64(o.Input) + ((s.from+s.to)/2-o.FirstS)/o.TPOT()
		}
		out = append(out, s)
	}
	return out
}

// decode is what a step of the span is made of.
func (s span) decode() [terms]float64 {
	batched := 0.0
	if s.decoding > 1 {
		batched = 1
	}
	return [terms]float64{1, 0, 0, s.decoding, s.context, 0, batched, s.decoding * (s.context + s.decoding)}
}

// prompt is what a prompt adds to a step of the span.
func (s span) prompt(tokens float64) [terms]float64 {
	batched := 0.0
	if s.decoding <= 1 && s.decoding+tokens > 1 {
		batched = 1
	}
	return [terms]float64{0, tokens, tokens * tokens / 2, 0, 0, 0, batched, morePairs(s.decoding, s.context, 0, tokens)}
}

// rowsOfLog are the times between tokens, and those to the first token, of the requests of a
// log. What the steps were made of is seen in the log: no queue is simulated. Times to the first
// token count where no other prompt was computed or waited meanwhile; such a request waits for
// half a step where others decode.
func rowsOfLog(log []Observed) (out rows, weights []float64) {
	log = slices.DeleteFunc(slices.Clone(log), func(o Observed) bool { return !o.Complete() || o.LastS <= o.FirstS })
	spans := spansOf(log)
	for i, o := range log {
		steps, r := float64(o.Output-1), row{seconds: o.TPOT()}
		first, _ := slices.BinarySearchFunc(spans, o.FirstS, func(s span, t float64) int { return cmp.Compare(s.from, t) })
		for _, s := range spans[first:] {
			if s.from >= o.LastS {
				break
			}
			r.add(s.decode(), (s.to-s.from)/(o.LastS-o.FirstS))
		}
		alone := true
		for k, other := range log {
			if o.FirstS < other.FirstS && other.FirstS <= o.LastS {
				r.add(at(spans, other.FirstS).prompt(float64(other.Input)), 1/steps)
			}
			alone = alone && (k == i || other.FirstS <= o.ArrivalS || other.ArrivalS >= o.FirstS)
		}
		out.of, weights = append(out.of, r), append(weights, 1)
		if alone {
			before := at(spans, o.FirstS)
			r := row{[terms]float64{5: 1}, o.TTFT()} // with the time of a request
			r.add(before.decode(), 1)
			r.add(before.prompt(float64(o.Input)), 1)
			if before.decoding > 0 {
				r.add(before.decode(), 0.5)
			}
			out.of, weights = append(out.of, r), append(weights, ttftWeight)
		}
	}
	return out, weights
}

// ttftWeight is that of a time to the first token beside one between tokens: how far the step
// before has come when a request arrives is not seen, so that it is off by a tenth and more.
const ttftWeight = 0.01

// at is the span that ends at a time, or an idle one.
func at(spans []span, t float64) span {
	i, _ := slices.BinarySearchFunc(spans, t, func(s span, t float64) int { return cmp.Compare(s.to, t) })
	if i < len(spans) && spans[i].to == t {
		return spans[i]
	}
	return span{}
}

func (r *row) add(of [terms]float64, times float64) {
	for i, v := range of {
		r.of[i] += times * v
	}
}

// watched are those of some times that fit the steps as the log shows them, without simulation;
// false where none do.
func (f *fitter) watched(of []int) (Times, bool) {
	r, weights := rowsOfLog(f.seen)
	fits := r.solutions(weights, of)
	if len(fits) == 0 {
		return Times{}, false
	}
	return fits[0].times, true
}

// begin is where a search from times begins: their logarithms, those that the log does not show
// as a part of others.
func (t Times) begin(others [terms]float64, part float64) (x [terms]float64) {
	for i, seconds := range t.list() {
		x[i] = math.Log(seconds)
		if seconds == 0 {
			x[i] = others[i] + math.Log(part)
		}
	}
	return x
}
