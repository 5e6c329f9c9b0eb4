package modelfile

import "slices"

// shapeRule returns the shapes of a node's outputs; nil where unknown.
type shapeRule = func(*inference, *node) [][]int64

// shapeRules are the operators whose shapes are known, after the ONNX operator
// specification. Work is counted only for those with a work rule.
var shapeRules = rules(map[string]shapeRule{
	"Conv": (*inference).convShape, "ConvInteger": (*inference).convShape, "QLinearConv": (*inference).convShape,
	"FusedConv": (*inference).convShape, "ConvTranspose": (*inference).transposedShape,
	"MaxPool": (*inference).poolShape, "AveragePool": (*inference).poolShape, "LpPool": (*inference).poolShape,
	"Gemm": (*inference).gemmShape, "MatMul": (*inference).matMulShape,
	"MatMulInteger": (*inference).matMulShape, "QLinearMatMul": (*inference).matMulShape,
	"LSTM": (*inference).recurrentShape, "GRU": (*inference).recurrentShape, "RNN": (*inference).recurrentShape,
	"Flatten": (*inference).flattenShape, "Reshape": (*inference).reshapeShape, "Transpose": (*inference).transposeShape,
	"Squeeze": (*inference).squeezeShape, "Unsqueeze": (*inference).unsqueezeShape, "Concat": (*inference).concatShape,
	"Split": (*inference).splitShape, "Slice": (*inference).sliceShape, "Gather": (*inference).gatherShape,
	"Expand": (*inference).expandShape, "Pad": (*inference).padShape, "Tile": (*inference).tileShape,
	"Resize": (*inference).resizeShape, "Upsample": (*inference).resizeShape, "Shape": (*inference).shapeShape,
	"ConstantOfShape": (*inference).filledShape, "Constant": func(*inference, *node) [][]int64 { return nil },
	"DepthToSpace":   func(in *inference, n *node) [][]int64 { return in.blocks(n, true) },
	"SpaceToDepth":   func(in *inference, n *node) [][]int64 { return in.blocks(n, false) },
	"GatherElements": func(in *inference, n *node) [][]int64 { return one(in.shapes[n.input(1)]) },
	"QLinearAdd": func(in *inference, n *node) [][]int64 {
		return one(broadcast(in.shapes[n.input(0)], in.shapes[n.input(3)]))
	},
	"QLinearMul": func(in *inference, n *node) [][]int64 {
		return one(broadcast(in.shapes[n.input(0)], in.shapes[n.input(3)]))
	},
	"ArgMax": (*inference).reduceShape,
	"ArgMin": (*inference).reduceShape,
}, map[string][]string{
	"same": {
		"Relu", "LeakyRelu", "Sigmoid", "Tanh", "Softmax", "LogSoftmax", "BatchNormalization", "InstanceNormalization",
		"LayerNormalization",
		"GroupNormalization", "RMSNormalization", "Dropout", "Identity", "Cast", "CastLike", "Clip", "Elu", "Selu", "Celu",
		"Gelu", "HardSigmoid", "HardSwish", "Mish",
		"Swish", "Softplus", "Softsign", "Erf", "Exp", "Log", "Sqrt", "Abs", "Neg", "Reciprocal", "Floor", "Ceil", "Round",
		"Sign", "Sin", "Cos", "Tan",
		"Sinh", "Cosh", "Asin", "Acos", "Atan", "Asinh", "Acosh", "Atanh", "Not", "IsNaN", "IsInf", "LRN", "LpNormalization",
		"MeanVarianceNormalization",
		"QuantizeLinear", "DequantizeLinear", "Hardmax", "ThresholdedRelu", "PRelu", "CumSum", "Trilu", "Shrink",
		"BitwiseNot", "QLinearLeakyRelu", "QLinearSigmoid",
	},
	"broadcast": {
		"Add", "Sub", "Mul", "Div", "Pow", "Min", "Max", "Sum", "Mean", "And", "Or", "Xor", "Equal", "Greater", "Less",
		"GreaterOrEqual", "LessOrEqual",
		"Where", "Mod", "BitShift", "BitwiseAnd", "BitwiseOr", "BitwiseXor",
	},
	"global": {"GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool", "QLinearGlobalAveragePool"},
	"reduce": {
		"ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceLogSum",
		"ReduceLogSumExp", "ReduceSumSquare",
	},
})

func rules(own map[string]shapeRule, groups map[string][]string) map[string]shapeRule {
	shared := map[string]shapeRule{
		"same":      func(in *inference, n *node) [][]int64 { return one(in.shapes[n.input(0)]) },
		"broadcast": (*inference).broadcastShape,
		"global":    (*inference).globalShape,
		"reduce":    (*inference).reduceShape,
	}
	for group, ops := range groups {
		for _, op := range ops {
			own[op] = shared[group]
		}
	}
	return own
}

func one(shape []int64) [][]int64 { return [][]int64{shape} }

func (in *inference) broadcastShape(n *node) [][]int64 {
	if len(n.in) == 0 {
		return nil
	}
	out := in.shapes[n.in[0]]
	for _, name := range n.in[1:] {
		out = broadcast(out, in.shapes[name])
	}
	return one(out)
}

// broadcast joins two shapes from their last dimension on.
func broadcast(a, b []int64) []int64 {
	if a == nil || b == nil {
		return nil
	}
	if len(a) < len(b) {
		a, b = b, a
	}
	out := slices.Clone(a)
	for i := range b {
		j := len(a) - len(b) + i
		switch {
		case out[j] == 1:
			out[j] = b[i]
		case out[j] == -1 && b[i] > 1:
			out[j] = b[i]
		}
	}
	return out
}

func (in *inference) globalShape(n *node) [][]int64 {
	x := slices.Clone(in.shapes[n.input(0)])
	for i := 2; i < len(x); i++ {
		x[i] = 1
	}
	return one(x)
}

// axisOf counts from the end if negative; false if out of range.
func axisOf(axis int64, rank int) (int, bool) {
	if axis < 0 {
		axis += int64(rank)
	}
	return int(axis), axis >= 0 && axis < int64(rank)
}

// axes are those of an attribute or, since opset 13, of an input.
func (in *inference) axes(n *node, input int) (axes []int64, known bool) {
	if a, ok := n.attrs["axes"]; ok {
		return a.ints, true
	}
	name := n.input(input)
	if name == "" {
		return nil, true
	}
	axes, known = in.values[name]
	return axes, known
}

func (in *inference) reduceShape(n *node) [][]int64 {
	x := in.shapes[n.input(0)]
	axes, known := in.axes(n, 1)
	if n.op == "ArgMax" || n.op == "ArgMin" {
		axes, known = []int64{n.int("axis", 0)}, true
	}
	if x == nil || !known {
		return nil
	}
	if len(axes) == 0 && n.int("noop_with_empty_axes", 0) != 0 {
		return one(x)
	}
	all := len(axes) == 0
	return without(x, axes, func(int64) bool { return all }, n.int("keepdims", 1) != 0)
}

// without leaves out axes of a shape, and those whose length says so; kept ones
// have the length 1.
func without(x, axes []int64, leave func(length int64) bool, kept bool) [][]int64 {
	gone := make([]bool, len(x))
	for i, d := range x {
		gone[i] = leave(d)
	}
	for _, a := range axes {
		i, ok := axisOf(a, len(x))
		if !ok {
			return nil
		}
		gone[i] = true
	}
	out := []int64{}
	for i, d := range x {
		switch {
		case !gone[i]:
			out = append(out, d)
		case kept:
			out = append(out, 1)
		}
	}
	return one(out)
}

func (in *inference) flattenShape(n *node) [][]int64 {
	x := in.shapes[n.input(0)]
	axis := n.int("axis", 1)
	if axis < 0 {
		axis += int64(len(x))
	}
	if x == nil || axis < 0 || axis > int64(len(x)) {
		return nil
	}
	return one([]int64{product(x[:axis]), product(x[axis:])})
}

// product is -1 if a dimension is unknown or the tensor too large.
func product(dims []int64) int64 {
	n, known := size(dims)
	switch {
	case len(dims) == 0:
		return 1
	case !known || n > maxDim:
		return -1
	}
	return int64(n)
}

func (in *inference) reshapeShape(n *node) [][]int64 {
	x := in.shapes[n.input(0)]
	target, known := in.values[n.input(1)]
	if a, ok := n.attrs["shape"]; ok { // before opset 5
		target, known = a.ints, true
	}
	if !known {
		return nil
	}
	out := slices.Clone(target)
	open, rest := -1, 1.0
	for i, d := range out {
		switch {
		case d == 0 && n.int("allowzero", 0) == 0:
			if i >= len(x) {
				return nil
			}
			out[i] = x[i]
		case d == -1:
			open = i
			continue
		}
		rest *= float64(out[i])
	}
	if total, known := size(x); open >= 0 && known && rest > 0 && total/rest <= maxDim {
		out[open] = int64(total / rest)
	}
	return one(out)
}

func (in *inference) transposeShape(n *node) [][]int64 {
	x := in.shapes[n.input(0)]
	perm := n.ints("perm")
	out := slices.Clone(x)
	if len(perm) == 0 {
		slices.Reverse(out)
		return one(out)
	}
	if len(perm) != len(x) {
		return nil
	}
	for i, p := range perm {
		j, ok := axisOf(p, len(x))
		if !ok {
			return nil
		}
		out[i] = x[j]
	}
	return one(out)
}

func (in *inference) squeezeShape(n *node) [][]int64 {
	x := in.shapes[n.input(0)]
	axes, known := in.axes(n, 1)
	if x == nil || !known {
		return nil
	}
	all := len(axes) == 0
	return without(x, axes, func(length int64) bool { return all && length == 1 }, false)
}

func (in *inference) unsqueezeShape(n *node) [][]int64 {
	x := in.shapes[n.input(0)]
	axes, known := in.axes(n, 1)
	if x == nil || !known || len(axes) == 0 || len(x)+len(axes) > maxRank {
		return nil
	}
	out := make([]int64, len(x)+len(axes))
	for _, a := range axes {
		i, ok := axisOf(a, len(out))
		if !ok || out[i] != 0 {
			return nil
		}
		out[i] = -2 // taken
	}
	next := 0
	for i := range out {
		if out[i] == -2 {
			out[i] = 1
			continue
		}
		out[i] = x[next]
		next++
	}
	return one(out)
}

func (in *inference) concatShape(n *node) [][]int64 {
	if len(n.in) == 0 {
		return nil
	}
	out := slices.Clone(in.shapes[n.in[0]])
	axis, ok := axisOf(n.int("axis", 1), len(out))
	if !ok {
		return nil
	}
	for _, name := range n.in[1:] {
		x := in.shapes[name]
		switch {
		case len(x) != len(out):
			return nil
		case x[axis] < 0 || out[axis] < 0:
			out[axis] = -1
		default:
			out[axis] += x[axis]
		}
	}
	return one(out)
}

func (in *inference) splitShape(n *node) [][]int64 {
	x := in.shapes[n.input(0)]
	axis, ok := axisOf(n.int("axis", 0), len(x))
	if !ok || len(n.out) == 0 {
		return nil
	}
	parts := n.ints("split")
	if v, known := in.values[n.input(1)]; known {
		parts = v
	}
	each := int64(-1)
	if x[axis] >= 0 {
		each = (x[axis] + int64(len(n.out)) - 1) / int64(len(n.out))
	}
	left := x[axis]
	var out [][]int64
	for i := range n.out {
		part := slices.Clone(x)
		switch {
		case i < len(parts):
			part[axis] = parts[i]
		case each >= 0:
			part[axis] = max(min(each, left), 0)
			left -= each
		}
		out = append(out, part)
	}
	return out
}

func (in *inference) gatherShape(n *node) [][]int64 {
	x, indices := in.shapes[n.input(0)], in.shapes[n.input(1)]
	axis, ok := axisOf(n.int("axis", 0), len(x))
	if !ok || indices == nil {
		return nil
	}
	return one(atLeast(slices.Concat(x[:axis], indices, x[axis+1:])))
}

// bounded limits a number from a file so that sums and products cannot overflow.
func bounded(v int64) int64 { return min(max(v, -maxDim), maxDim) }
