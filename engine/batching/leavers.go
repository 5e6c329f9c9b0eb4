package batching

// leavers are sequences by the step after which they leave: a binary heap.
type leavers []leaver

type leaver struct {
	after, joined int64 // steps
	request       int32
}

func (h *leavers) push(x leaver) {
	*h = append(*h, x)
	s := *h
	i := len(s) - 1
	for i > 0 && s[(i-1)/2].after > x.after {
		s[i] = s[(i-1)/2]
		i = (i - 1) / 2
	}
	s[i] = x
}

func (h *leavers) pop() leaver {
	s := *h
	top, x := s[0], s[len(s)-1]
	s = s[:len(s)-1]
	i := 0
	for 2*i+1 < len(s) {
		k := 2*i + 1
		if k+1 < len(s) && s[k+1].after < s[k].after {
			k++
		}
		if s[k].after >= x.after {
			break
		}
		s[i] = s[k]
		i = k
	}
	if len(s) > 0 {
		s[i] = x
	}
	*h = s
	return top
}
