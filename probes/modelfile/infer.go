package modelfile

import "math"

// inference walks the nodes of a graph once, in the order of the file, which
// ONNX requires to be an order of computation, and follows the shapes.
type inference struct {
	graph   *graph
	facts   *Facts
	weights map[string]*weight // initialisers, their aliases and constants
	// constants are held by nodes; they are parameters only if a layer computes
	// with them.
	constants map[string]bool
	origin    map[string]string  // a weight that was only cast or transposed: the weight
	shapes    map[string][]int64 // -1 an unknown dimension; absent all unknown
	values    map[string][]int64 // of small whole-number constants
	infos     map[string]valueInfo
	batch     int64
	symbol    string // of the batch dimension; "" where it is a number
	flops     float64

	activations, layers float64 // of what is counted
	counted             bool    // whether all work was counted
}

// maxDim is larger than any tensor's dimension.
const maxDim = 1 << 31

func newInference(g *graph, f *Facts) *inference {
	in := &inference{
		graph: g, facts: f, weights: map[string]*weight{}, constants: map[string]bool{}, origin: map[string]string{},
		shapes: map[string][]int64{}, values: map[string][]int64{}, infos: map[string]valueInfo{}, batch: 1, counted: true,
	}
	for _, w := range g.weights {
		in.addWeight(w.name, w)
	}
	for _, v := range g.infos {
		in.infos[v.name] = v
	}
	return in
}

func (in *inference) addWeight(name string, w *weight) {
	in.weights[name] = w
	in.setShape(name, atLeast(w.dims)) // no dimensions: a scalar
	if w.values != nil {
		in.values[name] = w.values
	}
}

// setShape stores a shape; impossible dimensions become unknown.
func (in *inference) setShape(name string, shape []int64) {
	if name == "" || shape == nil || len(shape) > maxRank {
		return
	}
	out := make([]int64, len(shape))
	for i, d := range shape {
		out[i] = d
		if d < 0 || d > maxDim {
			out[i] = -1
		}
	}
	in.shapes[name] = out
}

// size is the number of values of a shape; unknown if a dimension is.
func size(shape []int64) (n float64, known bool) {
	if shape == nil {
		return 0, false
	}
	n = 1
	for _, d := range shape {
		if d < 0 {
			return 0, false
		}
		n *= float64(d)
	}
	return n, true
}

func (in *inference) run() {
	in.takeInputs()
	for _, n := range in.graph.nodes {
		in.step(n)
	}
	in.countParams()
	switch {
	case len(in.graph.nodes) == 0:
		in.facts.warn("the file holds weights and no graph, so the operations of one sample are unknown")
	case in.counted:
		in.facts.FLOPsPerUnit = new(in.flops / float64(in.batch))
		in.facts.Activations, in.facts.Layers = new(in.activations/float64(in.batch)), new(in.layers)
	}
}

// takeInputs finds the batch dimension, the first of the first input. A
// symbolic one counts as 1, so that results are for one sample.
func (in *inference) takeInputs() {
	first := true
	for _, v := range in.graph.inputs {
		if in.weights[v.name] != nil {
			continue // old files list the initialisers too
		}
		if first && len(v.dims) > 0 {
			d := v.dims[0]
			if d.value > 0 && d.value <= maxDim {
				in.batch, in.facts.Batch = d.value, int(d.value)
			} else {
				in.symbol = d.symbol
			}
		}
		shape := in.given(v)
		if first && len(shape) > 0 && shape[0] < 0 {
			shape[0] = in.batch
		}
		in.setShape(v.name, shape)
		if first {
			in.takeSample(v, shape)
		}
		first = false
	}
}

func (in *inference) takeSample(v valueInfo, shape []int64) {
	if len(shape) == 0 {
		in.facts.warn("the input %s has no shape in the file", clean(v.name))
		return
	}
	sample := make([]int, 0, len(shape))
	for _, d := range shape[1:] {
		if d < 0 {
			in.facts.warn("the input %s has a dimension that is known only at run time, so the operations of one sample "+
				"are unknown", clean(v.name))
			return
		}
		sample = append(sample, int(d))
	}
	in.facts.Input = sample
}

// given is the shape that the file states; nil if it states none.
func (in *inference) given(v valueInfo) []int64 {
	if !v.known {
		return nil
	}
	shape := make([]int64, len(v.dims))
	for i, d := range v.dims {
		shape[i] = d.value
		if d.value < 0 && d.symbol != "" && d.symbol == in.symbol {
			shape[i] = in.batch
		}
	}
	return shape
}

// step finds the shapes of a node's outputs and counts its work.
func (in *inference) step(n *node) {
	in.follow(n)
	in.fold(n)
	if infer, ok := shapeRules[n.op]; ok && n.isStandard() {
		for i, shape := range infer(in, n) {
			if i < len(n.out) {
				in.setShape(n.out[i], shape)
			}
		}
	}
	for _, name := range n.out {
		if _, known := size(in.shapes[name]); known {
			continue
		}
		if info, ok := in.infos[name]; ok {
			in.setShape(name, in.given(info))
		}
	}
	in.count(n)
}

// isStandard recognises the operators of ONNX itself, and those of ONNX Runtime
// with the same names.
func (n *node) isStandard() bool {
	return n.domain == "" || n.domain == "ai.onnx" || n.domain == "com.microsoft"
}

// follow tracks weights on their way to a layer.
func (in *inference) follow(n *node) {
	if len(n.out) == 0 {
		return
	}
	switch n.op {
	case "Constant":
		if w := n.attrs["value"].tensor; w != nil {
			in.addWeight(n.out[0], w)
			in.constants[n.out[0]] = true
		} else if a, ok := n.attrs["value_int"]; ok {
			in.values[n.out[0]] = []int64{a.i}
			in.setShape(n.out[0], []int64{})
		} else if a, ok := n.attrs["value_ints"]; ok && len(a.ints) < maxConst {
			in.values[n.out[0]] = a.ints
			in.setShape(n.out[0], []int64{int64(len(a.ints))})
		}
	case "Identity":
		// Exporters write equal weights once and refer to them by an Identity;
		// they still count as parameters of their own.
		if w := in.weights[n.input(0)]; w != nil {
			in.addWeight(n.out[0], w)
			in.constants[n.out[0]] = in.constants[n.input(0)]
		}
	case "DequantizeLinear", "Transpose", "Cast", "Reshape", "Unsqueeze", "Squeeze":
		if name := n.input(0); in.weights[name] != nil {
			in.origin[n.out[0]] = name
		} else if from, ok := in.origin[name]; ok {
			in.origin[n.out[0]] = from
		}
	}
}

// weightOf is the weight that an input of a node comes from; "" for none.
func (in *inference) weightOf(name string) string {
	if in.weights[name] != nil {
		return name
	}
	return in.origin[name]
}

// count adds the work and the memory of a node.
func (in *inference) count(n *node) {
	if !n.isStandard() {
		in.unknown(n)
		return
	}
	if _, ok := layers[n.op]; !ok {
		if _, known := shapeRules[n.op]; !known && !cheap[n.op] {
			in.unknown(n)
		}
		return
	}
	flops := in.work(n)
	if math.IsNaN(flops) || math.IsInf(flops, 0) {
		in.counted = false
		in.facts.warn("the shapes at %s (%s) are not in the file, so the operations of one sample are unknown", n.label(),
			clean(n.op))
		return
	}
	in.flops += flops
	out, _ := size(in.shapes[n.out[0]])
	in.activations, in.layers = in.activations+out, in.layers+1
	in.hold(n)
}

// hold records the memory of a layer: its input and its output, which cannot
// share memory.
func (in *inference) hold(n *node) {
	width := 4.0
	total := 0.0
	for _, i := range []int{layers[n.op].left, layers[n.op].right} {
		name := n.input(i)
		if w := in.weights[in.weightOf(name)]; w != nil {
			width = widths[w.dtype]
			continue
		}
		values, known := size(in.shapes[name])
		if !known {
			return
		}
		total += values
	}
	out, known := size(in.shapes[n.out[0]])
	if !known || width == 0 {
		return
	}
	in.facts.needActivations((total+out)/float64(in.batch), width)
}

func (in *inference) unknown(n *node) {
	in.counted = false
	in.facts.warn("the operator %s is not known here, so the operations of one sample are unknown", clean(n.op))
}
