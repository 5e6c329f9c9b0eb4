package modelfile

import (
	"math"
	"slices"
)

// sliding is a window that moves over the spatial dimensions.
type sliding struct {
	kernel, strides, dilations, pads []int64
	auto                             string
	ceil                             bool
}

// sliding reads the attributes; false if they contradict the rank.
func (n *node) sliding(kernel []int64) (sliding, bool) {
	rank := len(kernel)
	fill := func(name string, count int, absent int64) []int64 {
		if v := n.ints(name); len(v) > 0 {
			return v
		}
		return slices.Repeat([]int64{absent}, count)
	}
	s := sliding{
		kernel: kernel, strides: fill("strides", rank, 1), dilations: fill("dilations", rank, 1),
		pads: fill("pads", 2*rank, 0),
		auto: n.attrs["auto_pad"].s, ceil: n.int("ceil_mode", 0) != 0,
	}
	ok := len(s.strides) == rank && len(s.dilations) == rank && len(s.pads) == 2*rank
	for _, list := range [][]int64{s.kernel, s.strides, s.dilations} {
		for _, v := range list {
			ok = ok && v >= 1 && v <= maxDim
		}
	}
	return s, ok
}

// positions is how many positions the window takes along a dimension.
func (s sliding) positions(length int64, i int) int64 {
	if length < 0 {
		return -1
	}
	reach := s.dilations[i]*(s.kernel[i]-1) + 1
	stride := s.strides[i]
	switch s.auto {
	case "SAME_UPPER", "SAME_LOWER":
		return (length + stride - 1) / stride
	case "VALID":
		return max((length-reach)/stride+1, 0)
	}
	before, after := bounded(s.pads[i]), bounded(s.pads[len(s.kernel)+i])
	room := length + before + after - reach
	if room < 0 {
		return -1
	}
	n := room/stride + 1
	if s.ceil && room%stride != 0 && n*stride < length+before { // no window begins in the padding after
		n++
	}
	return n
}

func (in *inference) convShape(n *node) [][]int64 {
	x, w := in.operands(n)
	if len(x) < 3 || len(w) != len(x) {
		return nil
	}
	s, ok := n.sliding(w[2:])
	if !ok {
		return nil
	}
	out := []int64{x[0], w[0]}
	for i := range s.kernel {
		out = append(out, s.positions(x[2+i], i))
	}
	return one(out)
}

func (in *inference) transposedShape(n *node) [][]int64 {
	x, w := in.operands(n)
	group := n.int("group", 1)
	if len(x) < 3 || len(w) != len(x) || group < 1 || group > maxDim {
		return nil
	}
	s, ok := n.sliding(w[2:])
	if !ok {
		return nil
	}
	out := []int64{x[0], w[1] * group}
	asked, extra := n.ints("output_shape"), n.ints("output_padding")
	for i := range s.kernel {
		length := x[2+i]
		switch {
		case len(asked) == len(s.kernel):
			length = asked[i]
		case length < 0:
		case s.auto == "SAME_UPPER" || s.auto == "SAME_LOWER":
			length *= s.strides[i]
		default:
			length = s.strides[i]*(length-1) + s.dilations[i]*(s.kernel[i]-1) + 1 - bounded(s.pads[i]) - bounded(
				s.pads[len(s.kernel)+i])
			if i < len(extra) {
				length += bounded(extra[i])
			}
		}
		out = append(out, length)
	}
	return one(out)
}

func (in *inference) poolShape(n *node) [][]int64 {
	x := in.shapes[n.input(0)]
	kernel := n.ints("kernel_shape")
	if len(kernel) == 0 || len(x) != len(kernel)+2 {
		return nil
	}
	s, ok := n.sliding(kernel)
	if !ok {
		return nil
	}
	out := []int64{x[0], x[1]}
	for i := range kernel {
		out = append(out, s.positions(x[2+i], i))
	}
	return [][]int64{out, out}
}

func (in *inference) gemmShape(n *node) [][]int64 {
	a, b := in.operands(n)
	if len(a) != 2 || len(b) != 2 {
		return nil
	}
	rows, columns := a[0], b[1]
	if n.int("transA", 0) != 0 {
		rows = a[1]
	}
	if n.int("transB", 0) != 0 {
		columns = b[0]
	}
	return one([]int64{rows, columns})
}

func (in *inference) matMulShape(n *node) [][]int64 {
	a, b := in.operands(n)
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	var tail []int64
	stack := func(x []int64) []int64 { return x[:max(len(x)-2, 0)] }
	if len(a) > 1 {
		tail = append(tail, a[len(a)-2])
	}
	if len(b) > 1 {
		tail = append(tail, b[len(b)-1])
	}
	return one(atLeast(slices.Concat(broadcast(atLeast(stack(a)), atLeast(stack(b))), tail)))
}

// atLeast returns a shape that is known: without dimensions it is that of a
// scalar, while nil is unknown.
func atLeast(shape []int64) []int64 {
	if shape == nil {
		return []int64{}
	}
	return shape
}

// recurrentShape gives the sequence of states and the last state.
func (in *inference) recurrentShape(n *node) [][]int64 {
	x, r := in.shapes[n.input(0)], in.shapes[n.input(2)]
	if len(x) != 3 || len(r) != 3 {
		return nil
	}
	directions, hidden := r[0], r[2]
	if n.int("layout", 0) != 0 {
		last := []int64{x[0], directions, hidden}
		return [][]int64{{x[0], x[1], directions, hidden}, last, last}
	}
	last := []int64{directions, x[1], hidden}
	return [][]int64{{x[0], directions, x[1], hidden}, last, last}
}

// resizeShape uses sizes, or scales that the file contains.
func (in *inference) resizeShape(n *node) [][]int64 {
	x := in.shapes[n.input(0)]
	if sizes, known := in.values[n.input(3)]; known && len(sizes) == len(x) {
		return one(sizes)
	}
	name := n.input(2)
	if len(n.in) == 2 { // Upsample, and Resize before opset 11
		name = n.input(1)
	}
	w := in.weights[name]
	if w == nil || len(w.scales) != len(x) {
		return nil
	}
	out := slices.Clone(x)
	for i, d := range out {
		switch scaled := math.Floor(float64(d) * w.scales[i]); {
		case d < 0:
		case scaled >= 0 && scaled <= maxDim:
			out[i] = int64(scaled)
		default: // NaN included
			out[i] = -1
		}
	}
	return one(out)
}

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
