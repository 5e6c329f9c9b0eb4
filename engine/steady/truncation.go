package steady

import (
	"fmt"
	"math"
)

// minBatches is the least number of batches of five that are truncated at
// all: four leave ten steady iterations at worst.
const minBatches = 4

// wanted is how far the marginal standard error squared must fall before a
// cut beyond the middle is believed. Few batches can lie close together by
// chance (the error of such a tail falls to half on plain noise); a series
// that still warms up falls to a small part.
const wanted = 0.4

// nearBest is how much larger than the least the marginal standard error squared
// may be of the cut that is taken: the shortest such one. The least itself
// likes to cut what is slow by chance, which leaves a mean that is too small
// and looks too sure.
const nearBest = 1.3

// mser returns how many batches to cut from the front so that the marginal
// standard error of the rest is about least. A result above half of the batches
// means that the series has not become steady.
func mser(batches []moments) int {
	m := len(batches)
	// The last batches are no candidates: a tail of two or three has a small
	// error by accident.
	last := max(m-5, min(m/2+1, m-3))
	best := math.Inf(1)
	late, lateCut := math.Inf(1), 0
	var tail moments
	early := make([]float64, 0, m/2+1) // the errors of cuts up to the middle, longest cut first
	for cut := m - 1; cut >= 0; cut-- {
		tail = tail.plus(moments{1, batches[cut].mean, 0})
		if cut > last {
			continue
		}
		// Ties go to the shorter cut, so constant times are steady from the start.
		err2 := tail.m2 / (tail.n * tail.n)
		switch {
		case 2*cut <= m:
			best = min(best, err2)
			early = append(early, err2)
		case err2 <= late:
			late, lateCut = err2, cut
		}
	}
	if late < wanted*best {
		return lateCut
	}
	for cut := range early {
		if early[len(early)-1-cut] <= nearBest*best {
			return cut
		}
	}
	return 0
}

// cut is how many of the first n iterations MSER-5 cuts after the first, and
// whether that leaves at least half of them.
func (s *Series) cut(n int) (cut int, settled bool) {
	return cutOf(s.batches[:(n-1)/batch])
}

func cutOf(batches []moments) (cut int, settled bool) {
	if len(batches) < minBatches {
		return 0, false
	}
	c := mser(batches)
	return c * batch, 2*c <= len(batches)
}

// warmup is how many of the first n iterations are cut after the first; why
// says what speaks against any cut.
//
// Long iterations are what MSER likes to cut. Where they go on after the cut
// at about the rate before it they belong to the steady part, and the cut is
// found with them cut down; where none came since, it must be long enough
// since to believe that they are over.
func (s *Series) warmup(n int) (cut int, why string) {
	cut, settled := s.cut(n)
	if !settled {
		cut = (n - 1) / 2
		if len(after(s.long, cut)) == 0 {
			return cut, changing(n)
		}
	}
	steady := len(after(s.long, cut))
	before := len(s.long) - steady
	switch {
	case settled && before == 0:
	case steady == 0:
		if mayReturn(s.long, n-1) {
			last := s.long[before-1]
			return cut, fmt.Sprintf("the long iteration %d may come back: %s since", last+2, iterations(n-2-last))
		}
	case !settled || steady < leastCycles || float64(before)/float64(cut) <= 3*float64(steady)/float64(n-1-cut):
		if cut, settled = cutOf(s.clipped); !settled {
			return cut, changing(n)
		}
	}
	return cut, ""
}

func changing(n int) string {
	return fmt.Sprintf("still changing: the warm-up would take more than half of %s", iterations(n-1))
}
