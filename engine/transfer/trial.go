package transfer

import (
	"cmp"
	"math"
	"slices"
)

// trial leaves observations out, all but what is known of the subject asked about too,
// and asks for some of them.
type trial struct {
	left  []int
	asked []int // places in left
}

// trialsOf are those of each model.
func trialsOf(observations []observation, subject *Subject) [][]trial {
	var out [][]trial
	for _, group := range groupsOf(observations) {
		if subject == nil {
			asked := make([]int, len(group))
			for i := range asked {
				asked[i] = i
			}
			out = append(out, []trial{{group, asked}})
			continue
		}
		if trials := probeTrials(observations, group, *subject); len(trials) > 0 {
			out = append(out, trials)
		}
	}
	return out
}

// probeTrials keep of each subject of a model what is at the batch sizes that the
// subject asked about was probed at.
func probeTrials(observations []observation, group []int, asked Subject) []trial {
	var probes []float64
	for _, o := range observations {
		if o.subject == asked {
			probes = append(probes, o.octave)
		}
	}
	var out []trial
	for start := 0; start < len(group); {
		s := observations[group[start]].subject
		end := start
		for end < len(group) && observations[group[end]].subject == s {
			end++
		}
		own := group[start:end]
		start = end
		if s.Model == asked.Model {
			continue
		}
		kept := map[int]bool{}
		for _, p := range probes {
			best := slices.MinFunc(own, func(a, b int) int {
				return cmp.Compare(math.Abs(observations[a].octave-p), math.Abs(observations[b].octave-p))
			})
			if math.Abs(observations[best].octave-p) <= sameBatch {
				kept[best] = true
			}
		}
		if len(kept) == 0 || len(kept) == len(own) {
			continue
		}
		t := trial{}
		for _, i := range group {
			if kept[i] {
				continue
			}
			if observations[i].subject == s {
				t.asked = append(t.asked, len(t.left))
			}
			t.left = append(t.left, i)
		}
		out = append(out, t)
	}
	return out
}

// groupsOf are the indices of each model's observations, in their order.
func groupsOf(observations []observation) [][]int {
	var out [][]int
	of := map[string]int{}
	for i, o := range observations {
		g, seen := of[o.subject.Model]
		if !seen {
			g = len(out)
			of[o.subject.Model], out = g, append(out, nil)
		}
		out[g] = append(out[g], i)
	}
	return out
}
