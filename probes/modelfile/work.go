package modelfile

import (
	"math"
	"slices"
	"strings"
)

// workRule counts the operations of a layer for the whole batch from the shapes
// of its operands and its output: two for every multiply-add. A dimension that is
// not known is NaN, and so is what follows from it.
type workRule func(left, right, out []float64) float64

// filterWork: every output value takes one filter.
func filterWork(_, weight, out []float64) float64 { return 2 * times(out) * filter(weight) }

// transposedFilterWork: every input value takes one filter.
func transposedFilterWork(x, weight, _ []float64) float64 { return 2 * times(x) * filter(weight) }

// filter is the number of weights of one, NaN where the weights are no filters.
func filter(weight []float64) float64 {
	if len(weight) < 2 {
		return math.NaN()
	}
	return times(weight[1:])
}

func innerWork(left, _, out []float64) float64 { return 2 * times(out) * left[len(left)-1] }

// recurrentWork: every step of the sequence uses the weights of the input and
// of the state.
func recurrentWork(x, weight, out []float64) float64 {
	if len(x) != 3 || len(weight) != 3 || len(out) == 0 {
		return math.NaN()
	}
	return 2 * times(x[:2]) * times(weight[:2]) * (weight[2] + out[len(out)-1])
}

// attentionWork: scores of every query with every key, and their weighted sum
// of the values, which is the output.
func attentionWork(query, key, out []float64) float64 {
	keys := key[max(len(key)-2, 0)]
	return 2*times(query)*keys + 2*times(out)*keys
}

// layers are the operators of ONNX that do nearly all the work, with the places
// of their operands among their inputs.
var layers = map[string]struct {
	left, right int
	work        workRule
}{
	"Conv": {0, 1, filterWork}, "ConvInteger": {0, 1, filterWork}, "QLinearConv": {0, 3, filterWork},
	"FusedConv": {0, 1, filterWork}, "ConvTranspose": {0, 1, transposedFilterWork},
	"Gemm": {0, 1, innerWork}, "MatMul": {0, 1, innerWork},
	"MatMulInteger": {0, 1, innerWork}, "QLinearMatMul": {0, 3, innerWork},
	"LSTM": {0, 1, recurrentWork}, "GRU": {0, 1, recurrentWork}, "RNN": {0, 1, recurrentWork},
}

// operands are the shapes of what a layer multiplies.
func (in *inference) operands(n *node) (left, right []int64) {
	return in.shapes[n.input(layers[n.op].left)], in.shapes[n.input(layers[n.op].right)]
}

// work counts the operations of a layer, whose output has its shape by now; NaN
// where a shape is unknown.
func (in *inference) work(n *node) float64 {
	x, w := in.operands(n)
	left, right := lengths(x), lengths(w)
	if len(left) == 0 || len(right) == 0 || len(n.out) == 0 {
		return math.NaN()
	}
	out := in.shapes[n.out[0]]
	if _, known := size(out); !known {
		return math.NaN()
	}
	if n.int("transA", 0) != 0 {
		slices.Reverse(left)
	}
	return layers[n.op].work(left, right, lengths(out))
}

// lengths are the dimensions of a shape, NaN where one is unknown.
func lengths(shape []int64) []float64 {
	out := make([]float64, len(shape))
	for i, d := range shape {
		if out[i] = float64(d); d < 0 {
			out[i] = math.NaN()
		}
	}
	return out
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

// matrixRule has the names of a layer's operands in the operator's schema.
type matrixRule struct {
	left, right string
	work        workRule
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
		e.facts.Activations, e.facts.Layers = new(e.activations/e.batch), new(e.layers)
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
		e.activations, e.layers = e.activations+times(out), e.layers+1
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
