package modelfile

import "strings"

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

// matrixRule counts the operations of a layer for the whole batch from the
// shapes of its operands and its output: two for every multiply-add.
type matrixRule struct {
	left, right string // the names of its operands in the operator's schema
	work        func(left, right, out []float64) float64
}

func filterWork(_, weight, out []float64) float64 { return 2 * times(out) * times(weight[1:]) }

func transposedFilterWork(x, weight, _ []float64) float64 { return 2 * times(x) * times(weight[1:]) }

func innerWork(left, _, out []float64) float64 { return 2 * times(out) * left[len(left)-1] }

// attentionWork: scores of every query with every key, and their weighted sum
// of the values, which is the output.
func attentionWork(query, key, out []float64) float64 {
	keys := key[max(len(key)-2, 0)]
	return 2*times(query)*keys + 2*times(out)*keys
}

// matrixRules covers the operators of ATen that do nearly all the work, by
// their name without the overload.
var matrixRules = map[string]matrixRule{
	"conv1d": {"input", "weight", filterWork}, "conv2d": {"input", "weight", filterWork},
	"conv3d":      {"input", "weight", filterWork},
	"convolution": {"input", "weight", filterWork}, "_convolution": {"input", "weight", filterWork},
	"conv_transpose1d": {"input", "weight", transposedFilterWork}, "conv_transpose2d": {"input", "weight",
		transposedFilterWork},
	"conv_transpose3d": {"input", "weight", transposedFilterWork},
	"linear":           {"input", "weight", innerWork}, "mm": {"self", "mat2", innerWork},
	"bmm":    {"self", "mat2", innerWork},
	"matmul": {"self", "other", innerWork}, "addmm": {"mat1", "mat2", innerWork},
	"baddbmm": {"batch1", "batch2", innerWork},
	"mv":      {"self", "vec", innerWork}, "dot": {"self", "tensor", innerWork}, "addmv": {"mat", "vec", innerWork},
	"scaled_dot_product_attention":                     {"query", "key", attentionWork},
	"_scaled_dot_product_flash_attention":              {"query", "key", attentionWork},
	"_scaled_dot_product_flash_attention_for_cpu":      {"query", "key", attentionWork},
	"_scaled_dot_product_efficient_attention":          {"query", "key", attentionWork},
	"_scaled_dot_product_cudnn_attention":              {"query", "key", attentionWork},
	"_scaled_dot_product_attention_math":               {"query", "key", attentionWork},
	"_scaled_dot_product_fused_attention_overrideable": {"query", "key", attentionWork},
}

// heavy are operators of ATen whose work is not counted here.
var heavy = set("einsum", "lstm", "gru", "rnn_tanh", "rnn_relu", "lstm_cell", "gru_cell", "tensordot", "_trilinear",
	"bilinear", "cdist",
	"_native_multi_head_attention", "fft_fft", "fft_rfft", "quantized_lstm", "_weight_int8pack_mm", "_weight_int4pack_mm",
	"_int_mm", "_scaled_mm")

// operator splits a target as torch.ops.aten.conv2d.default into its library
// and its name.
func operator(target string) (library, name string) {
	parts := strings.Split(strings.TrimPrefix(target, "torch.ops."), ".")
	if len(parts) < 2 {
		return "", target // a function of Python on plain numbers
	}
	return parts[0], parts[1]
}

func (e *exported) countWork() {
	total, all := 0.0, true
	for _, n := range e.module.Graph.Nodes {
		library, name := operator(n.Target)
		rule, counted := matrixRules[name]
		switch {
		case library == "aten" && counted:
			work, ok := e.layer(n, rule)
			if !ok {
				all = false
				e.facts.warn("the shapes at an %s are not in the file, so the operations of one sample are unknown", clean(name))
			}
			total += work
		case library == "aten" && !heavy[name], library == "prims", library == "", strings.HasPrefix(n.Target, "_operator."),
			strings.HasPrefix(n.Target, "math."):
		default:
			all = false
			e.facts.warn("the operator %s is not supported, so the operations of one sample are unknown", clean(n.Target))
		}
	}
	if all {
		e.facts.FLOPsPerUnit = new(total / e.batch)
	}
}

// layer counts the work of one node and records its memory.
func (e *exported) layer(n exportNode, rule matrixRule) (work float64, ok bool) {
	var output string
	if len(n.Outputs) > 0 && n.Outputs[0].Tensor != nil {
		output = n.Outputs[0].Tensor.Name
	}
	names := map[string]string{}
	transposed := false
	for _, in := range n.Inputs {
		if in.Arg.Tensor != nil {
			names[in.Name] = in.Arg.Tensor.Name
		}
		if in.Name == "transposed" && in.Arg.Bool != nil {
			transposed = *in.Arg.Bool
		}
	}
	left, right, out := e.shape(names[rule.left]), e.shape(names[rule.right]), e.shape(output)
	if ok = len(left) > 0 && len(right) > 0 && out != nil; ok {
		if transposed {
			rule.work = transposedFilterWork
		}
		work = rule.work(left, right, out)
		if meta, _ := e.meta(output); scalarTypes[meta.DType] > 0 {
			held := times(left) + times(out)
			if e.parameters[names[rule.right]] == "" {
				held += times(right)
			}
			e.facts.needActivations(held/e.batch, scalarTypes[meta.DType])
		}
	}
	return work, ok
}
