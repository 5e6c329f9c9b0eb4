package cluster

// frontier is the time–cost frontier of one variant, and the fraction within
// which it is one; see [Explored].
func (p problem) frontier() (front []Configuration, resolution float64) {
	switch {
	case len(p.offers) == 0:
		return nil, 0
	case p.split == ByGPUs:
		return p.evenly(), 0
	case p.startUnlike() || !p.billedAlike():
		return p.branched()
	}
	return p.pooled(crowded)
}
