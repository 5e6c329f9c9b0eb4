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
	if observations[group[0]].subject.Model == asked.Model {
		return nil
	}
	var probes []float64
	for _, o := range observations {
		if o.subject == asked {
			probes = append(probes, o.octave)
		}
	}
	var subjects []Subject
	own := map[Subject][]int{}
	for _, i := range group {
		s := observations[i].subject
		if own[s] == nil {
			subjects = append(subjects, s)
		}
		own[s] = append(own[s], i)
	}
	var out []trial
	for _, s := range subjects {
		kept := probesOf(observations, own[s], probes)
		if len(kept) == 0 || len(kept) == len(own[s]) {
			continue
		}
		t := trial{}
		for _, i := range group {
			if slices.Contains(kept, i) {
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

// probesOf are those of a subject's observations that stand for the batch sizes of the
// probes, as octaves.
func probesOf(observations []observation, own []int, probes []float64) []int {
	var kept []int
	for _, p := range probes {
		away := func(i int) float64 { return math.Abs(observations[i].octave - p) }
		best := slices.MinFunc(own, func(a, b int) int { return cmp.Compare(away(a), away(b)) })
		if away(best) <= sameBatch && !slices.Contains(kept, best) {
			kept = append(kept, best)
		}
	}
	return kept
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
