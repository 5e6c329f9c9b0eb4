package modelfile

import (
	"math"
	"slices"
)

// fold evaluates the small integers that shapes are computed from: exporters
// write x.view(x.size(0), -1) as Shape, Gather, Unsqueeze, Concat, Reshape.
func (in *inference) fold(n *node) {
	if len(n.out) == 0 || n.out[0] == "" {
		return
	}
	if v := in.folded(n); v != nil && len(v) <= maxConst {
		in.values[n.out[0]] = v
	}
}

func (in *inference) folded(n *node) []int64 {
	first, known := in.values[n.input(0)]
	switch n.op {
	case "Shape":
		x := in.shapes[n.input(0)]
		if x == nil || slices.Contains(x, -1) {
			return nil
		}
		return slices.Clone(cut(x, n))
	case "Concat":
		return in.foldConcat(n)
	case "ConstantOfShape":
		if known && len(first) == 1 && first[0] > 0 && first[0] <= maxConst {
			if w := n.attrs["value"].tensor; w != nil && len(w.values) == 1 {
				return slices.Repeat(w.values, int(first[0]))
			}
		}
		return nil
	}
	if !known {
		return nil
	}
	switch n.op {
	case "Identity", "Cast", "Unsqueeze", "Squeeze", "Reshape":
		return first
	case "Gather":
		return in.foldGather(n, first)
	case "Slice":
		return in.foldSlice(n, first)
	case "Add", "Sub", "Mul", "Div":
		return in.foldPair(n, first)
	}
	return nil
}

func (in *inference) foldConcat(n *node) []int64 {
	var out []int64
	for _, name := range n.in {
		v, known := in.values[name]
		if !known || len(out)+len(v) > maxConst || len(in.shapes[name]) > 1 {
			return nil
		}
		out = append(out, v...)
	}
	return out
}

func (in *inference) foldGather(n *node, from []int64) []int64 {
	indices, known := in.values[n.input(1)]
	if !known || n.int("axis", 0) != 0 {
		return nil
	}
	var out []int64
	for _, i := range indices {
		j, ok := axisOf(i, len(from))
		if !ok {
			return nil
		}
		out = append(out, from[j])
	}
	return out
}

func (in *inference) foldPair(n *node, a []int64) []int64 {
	b, known := in.values[n.input(1)]
	if !known || len(a) == 0 || len(b) == 0 || (len(a) != len(b) && len(a) != 1 && len(b) != 1) {
		return nil
	}
	out := make([]int64, max(len(a), len(b)))
	for i := range out {
		x, y := a[min(i, len(a)-1)], b[min(i, len(b)-1)]
		if math.Abs(float64(x)) > maxDim || math.Abs(float64(y)) > maxDim {
			return nil
		}
		switch n.op {
		case "Add":
			out[i] = x + y
		case "Sub":
			out[i] = x - y
		case "Mul":
			out[i] = x * y
		case "Div":
			if y == 0 {
				return nil
			}
			out[i] = x / y
		}
	}
	return out
}

// part is what a Slice takes of each axis.
type part struct{ starts, ends, axes, steps []int64 }

// part reads a Slice; the numbers were attributes before opset 10.
func (in *inference) part(n *node) (part, bool) {
	if a, ok := n.attrs["starts"]; ok {
		p := part{starts: a.ints, ends: n.ints("ends"), axes: n.ints("axes")}
		return p.whole()
	}
	var p part
	known := true
	for i, to := range []*[]int64{&p.starts, &p.ends, &p.axes, &p.steps} {
		if name := n.input(i + 1); name != "" {
			v, ok := in.values[name]
			*to, known = v, known && ok
		}
	}
	if !known {
		return part{}, false
	}
	return p.whole()
}

// whole fills in the defaults: the first axes, steps of one.
func (p part) whole() (part, bool) {
	if p.axes == nil {
		for i := range p.starts {
			p.axes = append(p.axes, int64(i))
		}
	}
	if p.steps == nil {
		p.steps = slices.Repeat([]int64{1}, len(p.starts))
	}
	n := len(p.starts)
	return p, n > 0 && len(p.ends) == n && len(p.axes) == n && len(p.steps) == n
}

// span returns where the i-th part begins on an axis of the given length, and
// how many values it takes.
func (p part) span(i int, length int64) (start, count int64, ok bool) {
	step := p.steps[i]
	if step == 0 || length < 0 || step < -maxDim || step > maxDim {
		return 0, 0, false
	}
	low, high := int64(0), length
	if step < 0 {
		low, high = -1, length-1
	}
	bound := func(v int64) int64 {
		if v < 0 {
			v = max(v, -maxDim*2) + length
		}
		return min(max(v, low), high)
	}
	start = bound(p.starts[i])
	end := bound(p.ends[i])
	if step < 0 && p.ends[i] < -length {
		end = -1
	}
	if step > 0 {
		return start, max((end-start+step-1)/step, 0), true
	}
	return start, max((end-start+step+1)/step, 0), true
}

func (in *inference) foldSlice(n *node, from []int64) []int64 {
	p, ok := in.part(n)
	if !ok || len(p.axes) != 1 || p.axes[0] != 0 && p.axes[0] != -1 {
		return nil
	}
	start, count, ok := p.span(0, int64(len(from)))
	if !ok {
		return nil
	}
	out := []int64{}
	for i := range count {
		j := start + i*p.steps[0]
		if j < 0 || j >= int64(len(from)) {
			return nil
		}
		out = append(out, from[j])
	}
	return out
}

func (in *inference) sliceShape(n *node) [][]int64 {
	x := in.shapes[n.input(0)]
	p, ok := in.part(n)
	if x == nil || !ok {
		return nil
	}
	out := slices.Clone(x)
	for i, a := range p.axes {
		axis, ok := axisOf(a, len(x))
		if !ok {
			return nil
		}
		_, count, ok := p.span(i, x[axis])
		if !ok {
			count = -1
		}
		out[axis] = count
	}
	return one(out)
}
