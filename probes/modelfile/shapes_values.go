package modelfile

import "slices"

// The shapes that follow from values rather than from other shapes.

func (in *inference) expandShape(n *node) [][]int64 {
	target, known := in.values[n.input(1)]
	if !known {
		return nil
	}
	return one(broadcast(in.shapes[n.input(0)], target))
}

func (in *inference) tileShape(n *node) [][]int64 {
	x := in.shapes[n.input(0)]
	times, known := in.values[n.input(1)]
	if !known || len(times) != len(x) {
		return nil
	}
	out := slices.Clone(x)
	for i := range out {
		if out[i] >= 0 {
			out[i] = product([]int64{out[i], times[i]})
		}
	}
	return one(out)
}

func (in *inference) padShape(n *node) [][]int64 {
	x := in.shapes[n.input(0)]
	pads, known := in.values[n.input(1)]
	if a, ok := n.attrs["pads"]; ok { // before opset 11
		pads, known = a.ints, true
	}
	if !known || n.input(3) != "" || len(pads) != 2*len(x) {
		return nil
	}
	out := slices.Clone(x)
	for i := range out {
		if out[i] >= 0 {
			out[i] += bounded(pads[i]) + bounded(pads[len(x)+i])
		}
	}
	return one(out)
}

func (in *inference) shapeShape(n *node) [][]int64 {
	if x := in.shapes[n.input(0)]; x != nil {
		return one([]int64{int64(len(cut(x, n)))})
	}
	return nil
}

// cut is the part of a shape that Shape's attributes select.
func cut(x []int64, n *node) []int64 {
	bound := func(v int64) int64 {
		if v < 0 {
			v += int64(len(x))
		}
		return min(max(v, 0), int64(len(x)))
	}
	from, to := bound(n.int("start", 0)), bound(n.int("end", int64(len(x))))
	return x[from:max(from, to)]
}

func (in *inference) filledShape(n *node) [][]int64 {
	if target, known := in.values[n.input(0)]; known {
		return one(target)
	}
	return nil
}

func (in *inference) blocks(n *node, toSpace bool) [][]int64 {
	x := slices.Clone(in.shapes[n.input(0)])
	b := n.int("blocksize", 0)
	if len(x) != 4 || b < 1 || b > maxRank || slices.Min(x) < 0 {
		return nil
	}
	if toSpace {
		return one([]int64{x[0], x[1] / (b * b), x[2] * b, x[3] * b})
	}
	return one([]int64{x[0], x[1] * b * b, x[2] / b, x[3] / b})
}
