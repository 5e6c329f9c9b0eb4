package modelfile

// operands are the inputs of a layer that are multiplied with each other.
var operands = map[string][]int{
	"Conv": {0, 1}, "ConvInteger": {0, 1}, "QLinearConv": {0, 3}, "FusedConv": {0, 1}, "ConvTranspose": {0, 1},
	"Gemm": {0, 1}, "MatMul": {0, 1}, "MatMulInteger": {0, 1}, "QLinearMatMul": {0, 3},
	"LSTM": {0, 1}, "GRU": {0, 1}, "RNN": {0, 1},
}

// workRules count the operations of a layer for the whole batch, two for every
// multiply-add. The shapes of its outputs are known by then.
var workRules = map[string]func(*inference, *node) (flops float64, known bool){
	"Conv": (*inference).convWork, "ConvInteger": (*inference).convWork, "QLinearConv": (*inference).convWork,
	"FusedConv": (*inference).convWork, "ConvTranspose": (*inference).transposedWork,
	"Gemm": (*inference).gemmWork, "MatMul": (*inference).matMulWork,
	"MatMulInteger": (*inference).matMulWork, "QLinearMatMul": (*inference).matMulWork,
	"LSTM": (*inference).recurrentWork, "GRU": (*inference).recurrentWork, "RNN": (*inference).recurrentWork,
}

// operand is the shape of the i-th of a layer's operands.
func (in *inference) operand(n *node, i int) []int64 {
	return in.shapes[n.input(operands[n.op][i])]
}

func (in *inference) output(n *node) (float64, bool) {
	if len(n.out) == 0 {
		return 0, false
	}
	return size(in.shapes[n.out[0]])
}

// convWork: every output value takes one filter.
func (in *inference) convWork(n *node) (float64, bool) {
	weight := in.operand(n, 1)
	if len(weight) < 2 {
		return 0, false
	}
	filter, known := size(weight[1:])
	out, outKnown := in.output(n)
	return 2 * out * filter, known && outKnown
}

// transposedWork: every input value takes one filter.
func (in *inference) transposedWork(n *node) (float64, bool) {
	weight := in.operand(n, 1)
	if len(weight) < 2 {
		return 0, false
	}
	filter, known := size(weight[1:])
	values, inKnown := size(in.operand(n, 0))
	_, outKnown := in.output(n)
	return 2 * values * filter, known && inKnown && outKnown
}

func (in *inference) gemmWork(n *node) (float64, bool) {
	a := in.operand(n, 0)
	if len(a) != 2 {
		return 0, false
	}
	inner := a[1]
	if n.int("transA", 0) != 0 {
		inner = a[0]
	}
	out, known := in.output(n)
	return 2 * out * float64(inner), known && inner >= 0
}

func (in *inference) matMulWork(n *node) (float64, bool) {
	a := in.operand(n, 0)
	if len(a) == 0 {
		return 0, false
	}
	inner := a[len(a)-1]
	out, known := in.output(n)
	return 2 * out * float64(inner), known && inner >= 0
}

// recurrentWork: every step of the sequence uses the weights of the input and
// of the state.
func (in *inference) recurrentWork(n *node) (float64, bool) {
	x := in.shapes[n.input(0)]
	w, known := size(in.shapes[n.input(1)])
	r, stateKnown := size(in.shapes[n.input(2)])
	_, outKnown := in.output(n)
	if len(x) != 3 || !known || !stateKnown || !outKnown {
		return 0, false
	}
	steps, known := size(x[:2])
	return 2 * steps * (w + r), known
}

// cheap are operators with negligible work whose output shapes depend on values
// or are not needed.
var cheap = set(
	"Range", "NonZero", "TopK", "GatherND", "ScatterND", "Scatter", "ScatterElements", "NonMaxSuppression", "RoiAlign",
	"MaxRoiPool", "OneHot", "EyeLike", "RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike",
	"Multinomial",
	"Compress", "Unique", "Size", "StringNormalizer", "MaxUnpool", "DynamicQuantizeLinear", "GridSample", "Bernoulli",
	"SoftmaxCrossEntropyLoss", "NegativeLogLikelihoodLoss", "ReverseSequence", "SequenceConstruct", "SequenceAt",
	"ConcatFromSequence", "SplitToSequence",
)

func set(names ...string) map[string]bool {
	out := make(map[string]bool, len(names))
	for _, name := range names {
		out[name] = true
	}
	return out
}
