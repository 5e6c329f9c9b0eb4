package fleet

import (
	"slices"
	"testing"
)

// Equal VMs keep their numbers' order, so that the same tasks take the same VMs in every run.
func TestTheLowerNumberComesFirstAmongVMsFreeAtOnce(t *testing.T) {
	b := &book{free: []float64{3, 0, 0, 3, 0, 1}}
	for _, pushed := range [][]int32{{0, 1, 2, 3, 4, 5}, {5, 4, 3, 2, 1, 0}, {2, 0, 4, 1, 5, 3}} {
		h := b.byFree()
		for _, v := range pushed {
			h.push(v)
		}
		if got := h.take(nil, 6); !slices.Equal(got, []int32{1, 2, 4, 5, 0, 3}) {
			t.Errorf("pushed as %v they come as %v", pushed, got)
		}
	}
}
