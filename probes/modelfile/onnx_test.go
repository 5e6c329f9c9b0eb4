package modelfile

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// shapeAfter is the shape of y that the operators give it.
func shapeAfter(t *testing.T, m *made) []int64 {
	t.Helper()
	raw := m.model()
	outer := &message{in: &window{r: bytes.NewReader(raw)}, end: int64(len(raw))}
	for outer.next() {
		if outer.number == 7 {
			g := readGraph(outer.inner())
			if outer.in.err != nil {
				t.Fatal(outer.in.err)
			}
			in := newInference(g, &Facts{})
			in.run()
			return in.shapes["y"]
		}
	}
	t.Fatal(outer.in.err)
	return nil
}

// The shapes are worked out by hand from the operators' specification.
func TestShapes(t *testing.T) {
	x := func(dims ...any) *made { return (&made{}).input("x", dims...) }
	in, out := names("x"), names("y")
	for name, c := range map[string]struct {
		model *made
		want  []int64
	}{
		"conv pads strides dilations": {x(1, 3, 32, 33).weight("w", 1, 8, 3, 3, 5).node("Conv", names("x", "w"), out,
			attr{"strides", []int{2, 1}}, attr{"dilations", []int{1, 2}}, attr{"pads", []int{1, 4, 1, 4}}),
			[]int64{1, 8, 16, 33}},
		"conv same": {x(1, 3, 7).weight("w", 1, 4, 3, 3).node("Conv", names("x", "w"), out, attr{"strides", []int{2}},
			attr{"auto_pad", "SAME_UPPER"}), []int64{1, 4, 4}},
		"conv valid": {x(1, 3, 7).weight("w", 1, 4, 3, 3).node("Conv", names("x", "w"), out, attr{"strides", []int{2}},
			attr{"auto_pad", "VALID"}), []int64{1, 4, 3}},
		"kernel too large": {x(1, 3, 2).weight("w", 1, 4, 3, 5).node("Conv", names("x", "w"), out), []int64{1, 4, -1}},
		"transposed": {x(1, 6, 5).weight("w", 1, 6, 2, 4).node("ConvTranspose", names("x", "w"), out,
			attr{"strides", []int{3}}, attr{"group", 2}, attr{"pads", []int{1, 0}}, attr{"output_padding", []int{2}}),
			[]int64{1, 4, 17}},
		"pool": {x(1, 3, 9).node("MaxPool", in, out, attr{"kernel_shape", []int{2}}, attr{"strides", []int{2}}),
			[]int64{1, 3, 4}},
		"pool ceil": {x(1, 3, 9).node("AveragePool", in, out, attr{"kernel_shape", []int{2}},
			attr{"strides", []int{2}}, attr{"ceil_mode", 1}), []int64{1, 3, 5}},
		"global":        {x(2, 3, 9, 9).node("GlobalAveragePool", in, out), []int64{2, 3, 1, 1}},
		"flatten":       {x(2, 3, 4, 5).node("Flatten", in, out, attr{"axis", 2}), []int64{6, 20}},
		"reshape":       {x(2, 3, 4).whole("s", 0, -1).node("Reshape", names("x", "s"), out), []int64{2, 12}},
		"transpose":     {x(2, 3, 4).node("Transpose", in, out, attr{"perm", []int{1, 2, 0}}), []int64{3, 4, 2}},
		"transpose all": {x(2, 3, 4).node("Transpose", in, out), []int64{4, 3, 2}},
		"squeeze":       {x(1, 3, 1).node("Squeeze", in, out), []int64{3}},
		"squeeze axis":  {x(1, 3, 1).whole("a", -1).node("Squeeze", names("x", "a"), out), []int64{1, 3}},
		"unsqueeze":     {x(3, 4).whole("a", 0, 3).node("Unsqueeze", names("x", "a"), out), []int64{1, 3, 4, 1}},
		"concat":        {x(2, 3).node("Concat", names("x", "x", "x"), out, attr{"axis", -1}), []int64{2, 9}},
		"split": {x(2, 7).whole("s", 3, 4).node("Split", names("x", "s"), names("a", "y"), attr{"axis", 1}),
			[]int64{2, 4}},
		"split evenly": {x(2, 7).node("Split", in, names("a", "b", "y"), attr{"axis", 1}), []int64{2, 1}},
		"slice": {x(2, 10).whole("b", 1).whole("e", -2).whole("a", 1).whole("s", 3).node("Slice",
			names("x", "b", "e", "a", "s"), out), []int64{2, 3}},
		"slice backwards": {x(2, 10).whole("b", -1).whole("e", -100).whole("a", 1).whole("s", -2).node("Slice",
			names("x", "b", "e", "a", "s"), out), []int64{2, 5}},
		"gather":          {x(5, 4).whole("i", 1, 2, 3).node("Gather", names("x", "i"), out), []int64{3, 4}},
		"expand":          {x(3, 1).whole("s", 2, 1, 4).node("Expand", names("x", "s"), out), []int64{2, 3, 4}},
		"tile":            {x(3, 2).whole("s", 2, 5).node("Tile", names("x", "s"), out), []int64{6, 10}},
		"pad":             {x(3, 2).whole("s", 1, 0, 1, 4).node("Pad", names("x", "s"), out), []int64{5, 6}},
		"resize":          {x(1, 2, 5).scales("s", 1, 1, 2.5).node("Resize", names("x", "", "s"), out), []int64{1, 2, 12}},
		"resize to sizes": {x(1, 2, 5).whole("s", 1, 2, 9).node("Resize", names("x", "", "", "s"), out), []int64{1, 2, 9}},
		"upsample":        {x(1, 2, 5).scales("s", 1, 1, 2).node("Upsample", names("x", "s"), out), []int64{1, 2, 10}},
		"depth to space":  {x(1, 8, 3, 3).node("DepthToSpace", in, out, attr{"blocksize", 2}), []int64{1, 2, 6, 6}},
		"reduce": {x(2, 3, 4).node("ReduceMean", in, out, attr{"axes", []int{-1}}, attr{"keepdims", 0}),
			[]int64{2, 3}},
		"reduce all": {x(2, 3, 4).node("ReduceMean", in, out), []int64{1, 1, 1}},
		"broadcast":  {x(2, 1, 4).weight("w", 1, 3, 1).node("Add", names("x", "w"), out), []int64{2, 3, 4}},
		"gemm": {x(2, 3).weight("w", 1, 5, 3).node("Gemm", names("x", "w"), out, attr{"transB", 1}),
			[]int64{2, 5}},
		"matmul stack": {x(7, 1, 2, 3).weight("w", 1, 4, 3, 5).node("MatMul", names("x", "w"), out),
			[]int64{7, 4, 2, 5}},
		"matmul vector": {x(2, 3).weight("w", 1, 3).node("MatMul", names("x", "w"), out), []int64{2}},
		"lstm": {x(12, 1, 8).weight("w", 1, 2, 80, 8).weight("r", 1, 2, 80, 20).node("LSTM",
			names("x", "w", "r"), out), []int64{12, 2, 1, 20}},
		"constant of shape": {x(1).whole("s", 4, 5).node("ConstantOfShape", names("s"), out), []int64{4, 5}},
		"the file's word":   {x(2, 3).output("y", 2, 8).node("Mystery", in, out), []int64{2, 8}},
		"symbols": {x("n", 3, "width").weight("w", 1, 4, 3, 1).node("Conv", names("x", "w"), names("c")).node("Shape",
			names("x"), names("s")).
			node("GlobalMaxPool", names("c"), out), []int64{1, 4, 1}},
		"a view of x": {x("n", 3, 4, 4).node("Shape", in, names("s")).whole("i", 0).node("Gather", names("s", "i"),
			names("b")).
			whole("rest", -1).node("Concat", names("b", "rest"), names("to"), attr{"axis", 0}).node("Reshape", names("x", "to"),
			out), []int64{1, 48}},
		"half of it": {x(1, 8).node("Shape", in, names("s")).whole("i", 1).node("Gather", names("s", "i"),
			names("n")).whole("two", 2).
			node("Div", names("n", "two"), names("h")).whole("zero", 0).whole("one", 1).node("Slice",
			names("x", "zero", "h", "one"), out), []int64{1, 4}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := shapeAfter(t, c.model); !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestWork(t *testing.T) {
	// A batch of 4 in the file: everything is for one sample all the same.
	m := (&made{}).input("x", 4, 3, 8, 8).
		weight("w", 10, 6, 3, 3, 3).weight("b", 10, 6).node("Conv", names("x", "w", "b"), names("c"),
		attr{"pads", []int{1, 1, 1, 1}}).
		weight("gamma", 1, 6).weight("beta", 1, 6).weight("mean", 1, 6).weight("var", 1, 6).
		node("BatchNormalization", names("c", "gamma", "beta", "mean", "var"), names("n")).
		node("GlobalAveragePool", names("n"), names("p")).node("Flatten", names("p"), names("f")).
		weight("fc", 1, 6, 10).node("MatMul", names("f", "fc"), names("y"))
	f, err := m.facts()
	if err != nil {
		t.Fatal(err)
	}
	conv, fc := 2.0*6*8*8*27, 2.0*6*10
	if !is(f.Params, 162+6+12+60) || !is(f.ParamBytes, 2*168+4*72) || !is(f.FLOPsPerUnit, conv+fc) ||
		len(f.Warnings) > 0 || !slices.Equal(f.Input, []int{3, 8, 8}) {
		t.Error(shown(f))
	}
	if !is(f.Activations, 6*8*8+10) || !is(f.Layers, 2) {
		t.Errorf("%s activations of %s layers", shown(f), "two")
	}
	// (3 + 6)·64 values of two bytes.
	if !is(f.ActivationBytes, 9*64*2) || !is(f.MemoryFloorBytes(10, "fp32"), 2*168+4*72+10*9*64*2) ||
		!is(f.MemoryFloorBytes(10, "int8"), 240+10*9*64) {
		t.Errorf("activations %v, floor %v and %v", *f.ActivationBytes, *f.MemoryFloorBytes(10, "fp32"),
			*f.MemoryFloorBytes(10, "int8"))
	}
	if f.MemoryFloorBytes(0, "fp32") != nil || f.MemoryFloorBytes(1, "fp12") != nil {
		t.Error("a floor of no batch or of an unknown precision")
	}
}

func TestQuantisedParameters(t *testing.T) {
	m := (&made{}).input("x", "n", 4).weight("w", 3, 4, 8).weight("s", 1, 8).weight("z", 3, 8).weight("b", 6,
		8).weight("bs", 1, 8).
		node("DequantizeLinear", names("w", "s", "z"), names("wf")).node("DequantizeLinear", names("b", "bs"), names("bf")).
		node("Gemm", names("x", "wf", "bf"), names("y"))
	f, err := m.facts()
	if err != nil || !is(f.Params, 32+8) || !is(f.ParamBytes, 32+8*4) || !is(f.FLOPsPerUnit, 2*32) {
		t.Errorf("%v %s", err, shown(f))
	}
	m = (&made{}).input("x", 1, 3, 5, 5).weight("xs", 1).weight("xz", 2).weight("w", 3, 4, 3, 1, 1).weight("ws", 1,
		4).weight("wz", 3, 4).
		weight("ys", 1).weight("yz", 2).weight("b", 6, 4).
		node("QLinearConv", names("x", "xs", "xz", "w", "ws", "wz", "ys", "yz", "b"), names("y"))
	f, err = m.facts()
	if err != nil || !is(f.Params, 12+4) || !is(f.FLOPsPerUnit, 2*25*12) || !is(f.ActivationBytes, 25*7) {
		t.Errorf("%v %s", err, shown(f))
	}
}

// What is not known is said, and not counted as nothing.
func TestUnknownWork(t *testing.T) {
	for name, c := range map[string]struct {
		model *made
		why   string
	}{
		"operator": {(&made{}).input("x", 1, 4).node("Ein\x00sum", names("x", "x"), names("y")),
			"operator Einsum is not known"},
		"loop": {(&made{}).input("x", 1, 4).node("Loop", names("x"), names("y")), "operator Loop is not known"},
		"other operators": {(&made{domain: "org.example"}).input("x", 1, 4).node("Relu", names("x"), names("y")),
			"operator Relu is not known"},
		"shape": {(&made{}).input("x", 1, 4).node("NonZero", names("x"), names("i")).weight("w", 1, 4,
			4).node("MatMul", names("i", "w"), names("y")), "shapes at y (MatMul)"},
		"dimension": {(&made{}).input("x", "n", "words", 4).weight("w", 1, 4, 4).node("MatMul", names("x", "w"),
			names("y")), "known only at run time"},
		"no graph": {(&made{}).weight("w", 1, 4, 4), "weights and no graph"},
	} {
		f, err := c.model.facts()
		if err != nil || f.FLOPsPerUnit != nil || !strings.Contains(strings.Join(f.Warnings, "\n"), c.why) {
			t.Errorf("%s: %v %s, want %q", name, err, shown(f), c.why)
		}
	}
}

func TestNoModels(t *testing.T) {
	good := (&made{}).input("x", 1, 4).weight("w", 1, 4, 4).node("MatMul", names("x", "w"), names("y"))
	for name, c := range map[string]struct {
		raw []byte
		why string
	}{
		"empty":         {nil, "is empty"},
		"text":          {[]byte("import torch\n"), "not a known kind of model file"},
		"zeros":         {make([]byte, 100), "not a known kind of model file"},
		"pickle":        {[]byte("\x80\x04K\x01."), "bare pickle"},
		"no opset":      {pb{}.num(1, 8).bytes(7, good.graph), "not a known kind of model file"},
		"cut off":       {good.model()[:60], "not a known kind of model file"},
		"negative size": {(&made{}).weight("w", 1, -4).model(), "negative size"},
		"rank 65": {(&made{}).weight("w", 1, slices.Repeat([]int64{1}, 65)...).model(),
			"not a known kind of model file"},
		"sparse":        {(&made{graph: pb{}.bytes(15, nil)}).model(), "sparse"},
		"length beyond": {append(good.model(), 0x3a, 0xff, 0xff, 0xff, 0xff, 0x0f), "cut off"},
		"length of 2⁶³": {append(good.model(), 0x3a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01), "cut off"},
	} {
		if f, err := parse(bytes.NewReader(c.raw), int64(len(c.raw))); err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v %s, want %q", name, err, shown(f), c.why)
		}
	}
	// Sizes that no model has are no numbers of parameters.
	huge := (&made{}).weight("w", 1, slices.Repeat([]int64{1 << 62}, 60)...)
	if f, err := huge.facts(); err != nil || f.Params != nil || f.MemoryFloorBytes(1, "fp32") != nil ||
		len(f.Warnings) == 0 {
		t.Errorf("%v %s", err, shown(f))
	}
}

func TestMissingFiles(t *testing.T) {
	for _, path := range []string{"/nonexistent/a\x1b[31m.onnx", t.TempDir()} {
		if _, err := Read(path); err == nil || strings.ContainsAny(err.Error(), "\x1b\n") {
			t.Errorf("%v", err)
		}
	}
}

func FuzzONNX(f *testing.F) {
	f.Add((&made{}).input("x", "n", 3, 8, 8).weight("w", 1, 6, 3, 3, 3).node("Conv", names("x", "w"), names("c"),
		attr{"pads", []int{1, 1, 1, 1}}).
		node("Shape", names("c"), names("s")).whole("i", 0).node("Gather", names("s", "i"), names("b")).whole("r", -1).
		node("Concat", names("b", "r"), names("to"), attr{"axis", 0}).node("Reshape", names("c", "to"),
		names("y")).output("y", "n", 9).model())
	f.Add((&made{}).input("x", 4, 8).whole("s", 1, -9, 1<<62).node("Slice", names("x", "s", "s", "s", "s"),
		names("a")).node("Tile", names("a", "s"), names("b")).
		node("Pad", names("b", "s"), names("c")).node("DepthToSpace", names("c"), names("d"),
		attr{"blocksize", 60}).node("Split", names("x", "s"), names("e", "g"), attr{"axis", -1}).model())
	f.Fuzz(func(t *testing.T, in []byte) {
		facts, err := readONNX(bytes.NewReader(in), int64(len(in)))
		checkFacts(t, facts, err)
	})
}
