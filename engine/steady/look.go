package steady

import "math"

// growth is the ratio of the lengths at which a series is looked at closely.
// Asking after every iteration whether the answer is precise enough stops at
// the first chance fluctuation; few looks, each with a quarter more evidence
// than the last, leave chance little choice.
const growth = 1.25

// firstLook is the least length that can be steady.
const firstLook = 1 + minBatches*batch

// A look is what was found at one of these lengths. It depends on nothing but
// the times up to there.
type look struct {
	n          int
	long, clip float64 // as usual tells them
	half       float64 // relative half-width of the mean; 1 if not steady
}

// follow takes the looks that are due, and keeps the list of long iterations
// up to date.
func (s *Series) follow() {
	for {
		n := firstLook
		if k := len(s.looks); k > 0 {
			n = int(math.Ceil(growth * float64(s.looks[k-1].n)))
		}
		if n > len(s.seconds) {
			break
		}
		s.looks = append(s.looks, look{n: n, long: math.Inf(1), clip: math.Inf(1), half: 1})
		l := &s.looks[len(s.looks)-1]
		cut, settled := s.cut(n)
		if !settled {
			cut = (n - 1) / 2
		}
		x := s.seconds[1+cut : n]
		for _, u := range usual(x) {
			l.long, l.clip = u.long, u.clip
			if period(begins(x, u.long)) > 0 {
				break
			}
		}
		s.long, s.clipped, s.followed = nil, nil, 0
		s.mark(n)
		if sum := s.sum(n); sum.IsSteady && (sum.Period == 0 || sum.Cycles >= leastCycles) {
			l.half = min(1, sum.Steady.HalfWidth())
		}
	}
	s.mark(len(s.seconds))
}

// mark extends the list of long iterations, and the clipped batches, to the
// first n. Of neighbouring long ones the first counts.
func (s *Series) mark(n int) {
	if len(s.looks) == 0 {
		return
	}
	l := s.looks[len(s.looks)-1]
	x := s.seconds[1:n]
	for i := s.followed; i < len(x); i++ {
		if x[i] > l.long && (i == 0 || x[i-1] <= l.long) {
			s.long = append(s.long, i)
		}
	}
	s.followed = len(x)
	for i := len(s.clipped); (i+1)*batch <= len(x); i++ {
		var b moments
		for _, v := range x[i*batch:][:batch] {
			b = b.plus(moments{1, min(v, l.clip), 0})
		}
		s.clipped = append(s.clipped, b)
	}
}

// looked is the half-width at the last two looks, the wider of both: a series
// that is narrow by chance seldom stays so.
func (s *Series) looked() float64 {
	k := len(s.looks)
	if k < 2 {
		return 1
	}
	return max(s.looks[k-2].half, s.looks[k-1].half)
}
