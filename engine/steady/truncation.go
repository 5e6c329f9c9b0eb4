package steady

import "math"

// minBatches is the least number of batches of five that are truncated at
// all: four leave ten steady iterations at worst.
const minBatches = 4

// wanted is how far the marginal standard error squared must fall before a
// cut beyond the middle is believed. Few batches can lie close together by
// chance (the error of such a tail falls to half on plain noise); a series
// that still warms up falls to a small part.
const wanted = 0.4

// mser returns how many batches to cut from the front so that the marginal
// standard error of the rest is least. A result above half of the batches
// means that the series has not become steady.
func mser(batches []moments) int {
	m := len(batches)
	// The last batches are no candidates: a tail of two or three has a small
	// error by accident.
	last := max(m-5, min(m/2+1, m-3))
	best, bestCut := math.Inf(1), 0
	late, lateCut := math.Inf(1), 0
	var tail moments
	for cut := m - 1; cut >= 0; cut-- {
		tail = tail.plus(moments{1, batches[cut].mean, 0})
		if cut > last {
			continue
		}
		// Ties go to the shorter cut, so constant times are steady from the start.
		switch err2 := tail.m2 / (tail.n * tail.n); {
		case 2*cut > m && err2 <= late:
			late, lateCut = err2, cut
		case 2*cut <= m && err2 <= best:
			best, bestCut = err2, cut
		}
	}
	if late < wanted*best {
		return lateCut
	}
	return bestCut
}
