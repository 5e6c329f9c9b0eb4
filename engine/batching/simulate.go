package batching

import (
	"fmt"
	"math"
	"sort"
)

// Served is when things happened to a request, in seconds on the trace's clock.
// All are NaN for a request that the cache has no room for.
type Served struct {
	AdmittedS float64 // began its first step
	FirstS    float64 // first token
	LastS     float64 // last token
}

// Outcome is what a simulated replica did.
type Outcome struct {
	Served []Served // of each request
	Gaps   Gaps     // between one token of a request and its next

	Steps       int64
	Preemptions int64 // sequences that gave up their cache
	Rejected    int   // requests that the cache has no room for
	MostRunning int   // sequences at once
	MostCached  int   // tokens in the cache at once

	EndS    float64 // the last step ended, on the trace's clock
	PromptS float64 // seconds that steps spent on prompts
	DecodeS float64 // and on decoding; the rest of the time the replica was idle
}

// Simulate serves the requests, which are in order of arrival, on one replica.
func Simulate(requests []Request, s Server) (*Outcome, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if err := Check(requests); err != nil {
		return nil, err
	}
	r := newReplica(requests, s)
	if err := r.run(); err != nil {
		return nil, err
	}
	return &r.out, nil
}

// run serves all requests.
func (r *replica) run() error {
	r.t = math.Inf(-1)
	for r.prepare() {
		r.compose()
		r.step()
		if r.out.Steps > maxSteps {
			return fmt.Errorf("the replica takes more than %d steps; cut the trace or correct the times", int64(maxSteps))
		}
	}
	r.out.EndS = r.t
	return nil
}

const maxSteps = 1e12

// replica is the state between two steps. Sequences that decode are counted, not
// listed: each step gives all of them a token, so that a sequence that joins at
// step d with k tokens to come leaves after step d+k, whatever else happens. Many
// steps in which nobody joins or leaves are one.
type replica struct {
	Server
	requests []Request  // those of a closed loop come in the order in which they are sent
	loop     *arrivals  // of these; nil where all come at their own times
	of       []sequence // by request
	out      Outcome

	t          float64
	head, next int     // requests[head:next] wait
	again      []int32 // those that gave up, which wait before them; the last one first

	order    []int32 // admitted, oldest first, with gaps; sequence.place is the valid one
	running  int
	decoding int     // of those
	context  int     // tokens in the cache of those that decode
	reserved int     // tokens in the cache, with all of the prompts admitted
	decoded  int64   // steps so far
	leaving  leavers // of those that decode

	partial  int32 // whose prompt is not finished; −1 for none
	done     int   // tokens of it that are
	finished []int32
	prompt   int     // tokens in the step
	before   int     // of the same prompts, computed in earlier steps
	pairs    float64 // of these with those before them
	barred   bool    // a sequence gave up in this step: none is admitted
}

// sequence is a request that was admitted.
type sequence struct {
	joined int64 // the step after which it decodes; −1 while it does not
	tokens int32 // that it had then
	place  int32 // in order; −1 while it is not running
}

func newReplica(requests []Request, s Server) *replica {
	r := &replica{Server: s, requests: requests, of: make([]sequence, len(requests)), partial: -1}
	r.out.Served = make([]Served, len(requests))
	r.out.Gaps.tokens = make([]int64, gapBins)
	for i := range r.of {
		r.of[i].place = -1
	}
	return r
}

// prepare lets requests arrive, waiting for one where there is nothing to do, and
// makes room for the tokens of those that decode; false when all are served.
func (r *replica) prepare() bool {
	r.arrive()
	for r.running == 0 && r.head == r.next && len(r.again) == 0 {
		if r.next == len(r.requests) {
			return false
		}
		r.t = r.upcomingS()
		r.arrive()
	}
	r.barred = false
	for r.reserved+r.decoding > r.CacheTokens {
		r.preempt()
	}
	return true
}

// upcomingS is from when on the request counts that comes next. In a closed loop one whose time is
// not known yet may come before it.
func (r *replica) upcomingS() float64 {
	if r.loop == nil {
		return r.requests[r.next].ArrivalS + r.RequestS
	}
	next, ok := r.loop.upcoming()
	if !ok {
		return math.Inf(1)
	}
	return next.atS + r.RequestS
}

// arrive moves those that have arrived among those that wait. What would never
// fit is turned away.
func (r *replica) arrive() {
	for r.next < len(r.requests) && r.upcomingS() <= r.t {
		if r.loop != nil {
			r.requests[r.next] = r.loop.take()
		}
		r.next++
	}
	for r.head < r.next && r.tooLong(r.head) {
		r.reject()
	}
}

func (r *replica) tooLong(i int) bool {
	return r.requests[i].Input+r.requests[i].Output-1 > r.CacheTokens
}

func (r *replica) reject() {
	r.out.Served[r.head] = Served{math.NaN(), math.NaN(), math.NaN()}
	r.out.Rejected++
	r.head++
	r.ended(int32(r.head - 1))
}

// tokensOf are the tokens that a sequence which decodes has generated.
func (r *replica) tokensOf(i int32) int {
	q := &r.of[i]
	return int(q.tokens) + int(r.decoded-q.joined)
}

// preempt takes the cache of the sequence admitted last.
func (r *replica) preempt() {
	i := r.newest()
	q := &r.of[i]
	if i == r.partial {
		r.reserved -= r.requests[i].Input + int(q.tokens)
		r.partial = -1
	} else {
		q.tokens = int32(r.tokensOf(i))
		cached := r.requests[i].Input + int(q.tokens) - 1
		r.reserved, r.context, r.decoding = r.reserved-cached, r.context-cached, r.decoding-1
		r.out.Served[i].LastS = r.t // of its tokens so far
	}
	q.place, q.joined = -1, -1
	r.running--
	r.barred = true
	r.again = append(r.again, i)
	r.out.Preemptions++
}

// newest takes the sequence admitted last out of the order.
func (r *replica) newest() int32 {
	for {
		last := len(r.order) - 1
		i := r.order[last]
		r.order = r.order[:last]
		if r.of[i].place == int32(last) {
			return i
		}
	}
}

// compose chooses the prompt tokens of the next step.
func (r *replica) compose() {
	r.prompt, r.before, r.pairs, r.finished = 0, 0, 0, r.finished[:0]
	budget := r.TokenBudget - r.decoding
	if r.partial >= 0 {
		budget -= r.prefill(r.partial, budget)
	}
	for budget > 0 && !r.barred && r.running < r.MaxSequences {
		i := r.front()
		if i < 0 {
			return
		}
		whole := r.requests[i].Input + int(r.of[i].tokens)
		if r.reserved+r.decoding+whole > r.CacheTokens {
			return
		}
		r.admit(i, whole)
		budget -= r.prefill(i, budget)
	}
}

// front is the request whose turn it is; −1 for none.
func (r *replica) front() int32 {
	if n := len(r.again); n > 0 {
		return r.again[n-1]
	}
	if r.head < r.next {
		return int32(r.head)
	}
	return -1
}

// admit takes the request in front in, with room for the whole prompt.
func (r *replica) admit(i int32, whole int) {
	if n := len(r.again); n > 0 {
		r.again = r.again[:n-1]
	} else {
		r.out.Served[i].AdmittedS = r.t
		for r.head++; r.head < r.next && r.tooLong(r.head); {
			r.reject()
		}
	}
	if len(r.order) > 2*r.running+64 {
		r.tidy()
	}
	r.of[i].place = int32(len(r.order))
	r.order = append(r.order, i)
	r.running++
	r.reserved += whole
	r.done = 0
	r.out.MostRunning = max(r.out.MostRunning, r.running)
}

// tidy closes the gaps in the order.
func (r *replica) tidy() {
	n := 0
	for at, i := range r.order {
		if r.of[i].place == int32(at) {
			r.order[n], r.of[i].place = i, int32(n)
			n++
		}
	}
	r.order = r.order[:n]
}

// prefill takes tokens of a prompt into the step, and returns how many.
func (r *replica) prefill(i int32, budget int) int {
	whole := r.requests[i].Input + int(r.of[i].tokens)
	n := min(whole-r.done, budget)
	r.pairs += float64(n) * (float64(r.done) + float64(n)/2)
	r.prompt += n
	r.before += r.done
	if r.done += n; r.done < whole {
		r.partial = i
		return n
	}
	r.partial = -1
	r.finished = append(r.finished, i)
	return n
}

// step takes the step, or as many at once as are alike.
func (r *replica) step() {
	d := float64(r.decoding)
	base := r.StepS + r.SequenceS*d + r.MaskedS*d*d
	if r.decoding+r.prompt > 1 {
		base += r.BatchedS
	}
	forPrompts := r.PromptS*float64(r.prompt) + r.PairS*r.pairs +
		r.MaskedS*morePairs(d, float64(r.context), float64(r.before), float64(r.prompt))
	n := 1
	if r.prompt == 0 && !r.barred {
		n = r.alike(base)
	}
	took := base*float64(n) + r.contextS(n)
	if r.decoding > 0 {
		r.out.Gaps.add(base+forPrompts+r.perToken()*float64(r.context), r.perToken()*d, n, r.decoding)
		r.out.DecodeS += took
	} else {
		r.out.PromptS += took
	}
	r.out.PromptS += forPrompts
	r.t += took + forPrompts
	r.out.Steps += int64(n)
	r.decoded += int64(n)
	r.context += n * r.decoding
	r.reserved += n * r.decoding
	r.out.MostCached = max(r.out.MostCached, r.reserved)
	r.leave()
	r.join()
}

// morePairs is how many pairs more of a token of the step and one of any of its sequences there are
// with prompt tokens, which follow others of their prompts that were computed before, than in a step
// without prompts.
func morePairs(decoding, context, before, prompt float64) float64 {
	attended := context + decoding
	return (decoding+prompt)*(attended+before+prompt) - decoding*attended
}

// perToken is the time that a token in the cache adds to a step without prompts.
func (r *replica) perToken() float64 { return r.ContextS + r.MaskedS*float64(r.decoding) }

// contextS is the time that the attention of n steps takes which differ only in
// the context of those that decode.
func (r *replica) contextS(n int) float64 {
	k := float64(n)
	return r.perToken() * (k*float64(r.context) + float64(r.decoding)*(k*(k-1)/2))
}

// alike is the number of steps until a sequence leaves, the cache is full, or a
// request arrives that might be admitted.
func (r *replica) alike(base float64) int {
	n := min(int(r.leaving[0].after-r.decoded), (r.CacheTokens-r.reserved)/r.decoding)
	if r.head < r.next || len(r.again) > 0 || r.next == len(r.requests) {
		return n // nobody can be admitted before, or nobody comes
	}
	until := r.upcomingS()
	return 1 + sort.Search(n-1, func(k int) bool { return r.t+base*float64(k+1)+r.contextS(k+1) >= until })
}

// leave lets those go that have all of their tokens.
func (r *replica) leave() {
	for len(r.leaving) > 0 && (r.leaving[0].after <= r.decoded || r.stale(r.leaving[0])) {
		at := r.leaving.pop()
		if r.stale(at) {
			continue
		}
		cached := r.requests[at.request].Input + r.requests[at.request].Output - 1
		r.context -= cached
		r.decoding--
		r.end(at.request, cached)
	}
}

// stale reports whether a sequence has given up since it was to leave.
func (r *replica) stale(at leaver) bool {
	q := &r.of[at.request]
	return q.place < 0 || q.joined != at.joined
}

// end takes a sequence out.
func (r *replica) end(i int32, cached int) {
	r.reserved -= cached
	r.running--
	r.of[i].place = -1
	r.out.Served[i].LastS = r.t
	r.ended(i)
}

// ended lets the requests come that waited for the end of one.
func (r *replica) ended(i int32) {
	if r.loop != nil {
		r.loop.ended(i, r.t)
	}
}

// join gives those their token whose prompts are done; they decode from now on.
func (r *replica) join() {
	for _, i := range r.finished {
		q, request, served := &r.of[i], &r.requests[i], &r.out.Served[i]
		whole := request.Input + int(q.tokens)
		if q.tokens++; q.tokens == 1 {
			served.FirstS = r.t
		} else {
			r.out.Gaps.add(r.t-served.LastS, 0, 1, 1)
		}
		if int(q.tokens) == request.Output {
			r.end(i, whole)
			continue
		}
		q.joined = r.decoded
		r.decoding++
		r.context += whole
		r.leaving.push(leaver{r.decoded + int64(request.Output) - int64(q.tokens), r.decoded, i})
	}
}
