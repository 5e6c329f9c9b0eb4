package cluster

import "slices"

// trail remembers how partial sums came about: each link adds VMs of one offer
// to an earlier link. Sums carry the number of their link, so that they stay
// small; link 0 is the empty sum.
type trail struct {
	links []link
	a, b  []int // scratch: counts of two links under comparison
}

type link struct {
	before int32
	offer  int16
	count  int32
}

func newTrail(offers int) *trail {
	return &trail{links: make([]link, 1, 64), a: make([]int, offers), b: make([]int, offers)}
}

// add makes the link of so many more VMs after a link.
func (t *trail) add(before int32, offer, count int) int32 {
	t.links = append(t.links, link{before, int16(offer), int32(count)})
	return int32(len(t.links) - 1)
}

// counts writes the VMs of each offer that lead to a link.
func (t *trail) counts(at int32, into []int) []int {
	clear(into)
	for ; at != 0; at = t.links[at].before {
		l := t.links[at]
		into[l.offer] += int(l.count)
	}
	return into
}

// less orders two ways to the same sum, of which the second adds more VMs to
// its link: by VMs, then by counts, as [less] does.
func (t *trail) less(aVMs, bVMs int32, a, b int32, bOffer, bMore int) bool {
	if aVMs != bVMs {
		return aVMs < bVMs
	}
	counts := t.counts(b, t.b)
	counts[bOffer] += bMore
	return slices.Compare(t.counts(a, t.a), counts) < 0
}

// portion is a step in going from sums without a VM type to sums with any
// number up to its limit: 0 to times lots of so many VMs.
type portion struct{ vms, times int }

// portions cut a limit into such steps. Where limit + 1 has small factors every
// number of VMs comes about in one way only (for 8: 0 to 2 lots of 1 and 0 to 2
// lots of 3), else some in two, as 1 + 2 + 4 and the rest have it.
func portions(limit int) []portion {
	var out []portion
	lot, left := 1, limit+1
	for _, factor := range []int{2, 3, 5} {
		for ; left%factor == 0; left /= factor {
			out = append(out, portion{lot, factor - 1})
			lot *= factor
		}
	}
	if left == 1 {
		return out
	}
	out = out[:0]
	for step := 1; limit > 0; step *= 2 {
		out = append(out, portion{min(step, limit), 1})
		limit -= min(step, limit)
	}
	return out
}
