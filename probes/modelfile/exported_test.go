package modelfile

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// meta is a TensorMeta; a size is a number or, as text, a symbol.
func meta(dtype int, sizes ...any) string {
	var out []string
	for _, s := range sizes {
		switch s := s.(type) {
		case int:
			out = append(out, fmt.Sprintf(`{"as_int":%d}`, s))
		case string:
			out = append(out, fmt.Sprintf(`{"as_expr":{"expr_str":%q,"hint":null}}`, s))
		}
	}
	return fmt.Sprintf(
		`{"dtype":%d,"sizes":[%s],"requires_grad":false,"device":{"type":"cpu","index":null},"strides":[],"storage_offset":{"as_int":0},"layout":7}`,
		dtype, strings.Join(out, ","))
}

// call is a Node with one output; operands are name and value in turn.
func call(target, out string, operands ...string) string {
	var in []string
	for i := 0; i < len(operands); i += 2 {
		arg := fmt.Sprintf(`{"as_tensor":{"name":%q}}`, operands[i+1])
		if operands[i+1] == "true" {
			arg = `{"as_bool":true}`
		}
		in = append(in, fmt.Sprintf(`{"name":%q,"arg":%s,"kind":1}`, operands[i], arg))
	}
	return fmt.Sprintf(`{"target":%q,"inputs":[%s],"outputs":[{"as_tensor":{"name":%q}}],"metadata":{}}`, target,
		strings.Join(in, ","), out)
}

const inputSpecs = `{"parameter":{"arg":{"name":"p_conv_weight"},"parameter_name":"features.0.weight"}},
	{"parameter":{"arg":{"name":"p_conv_bias"},"parameter_name":"features.0.bias"}},
	{"parameter":{"arg":{"name":"p_fc_weight"},"parameter_name":"fc.weight"}},
	{"buffer":{"arg":{"name":"b_mean"},"buffer_name":"bn.running_mean","persistent":true}},
	{"user_input":{"arg":{"as_tensor":{"name":"x"}}}}`

// exportedJSON is a program after the schema of torch.export, made by hand: a
// convolution, a pooling, a linear layer, and scores of attention.
func exportedJSON(batch any, specs string, extra ...string) string {
	var twice any = "2*" + fmt.Sprint(batch)
	if n, ok := batch.(int); ok {
		twice = 2 * n
	}
	values := []string{
		`"p_conv_weight":` + meta(7, 6, 3, 3, 3), `"p_conv_bias":` + meta(7, 6), `"p_fc_weight":` + meta(13, 10, 96),
		`"b_mean":` + meta(7, 6), `"x":` + meta(7, batch, 3, 8, 8), `"conv":` + meta(7, batch, 6, 8, 8), `"flat":` +
			meta(7, batch, 96),
		`"fc":` + meta(7, batch, 10), `"q":` + meta(7, twice, 5, 4), `"k":` + meta(7, twice, 4, 7), `"scores":` +
			meta(7, twice, 5, 7),
	}
	nodes := append([]string{
		call("torch.ops.aten.conv2d.default", "conv", "input", "x", "weight", "p_conv_weight", "bias", "p_conv_bias"),
		call("torch.ops.aten.max_pool2d.default", "pool", "self", "conv"),
		call("torch.ops.aten.linear.default", "fc", "input", "flat", "weight", "p_fc_weight"),
		call("torch.ops.aten.bmm.default", "scores", "self", "q", "mat2", "k"),
		call("_operator.getitem", "item"),
	}, extra...)
	return fmt.Sprintf(
		`{"graph_module":{"graph":{"inputs":[],"outputs":[],"nodes":[%s],"tensor_values":{%s},"sym_int_values":{}},
		"signature":{"input_specs":[%s],"output_specs":[]},"module_call_graph":[]},
		"opset_version":{"aten":10},"schema_version":{"major":8,"minor":7},"torch_version":"2.8.0"}`,
		strings.Join(nodes, ","), strings.Join(values, ","), specs)
}

// The fixture follows the published schema; no release that writes the format
// was at hand to export a real one.
func TestExported(t *testing.T) {
	want := 2.0*6*64*27 + 2*10*96 + 2*2*5*7*4
	for name, archive := range map[string][]byte{
		"since 2.8": zipped(t, "m/archive_format", "pt2", "m/models/model.json", exportedJSON("s77", inputSpecs),
			"m/data/weights/weight_0", "x"),
		"under its name": zipped(t, "m/models/mine.json", exportedJSON(1, inputSpecs)),
		"up to 2.7": zipped(t, "version", "8.2", "serialized_exported_program.json", exportedJSON(4, inputSpecs),
			"serialized_state_dict.pt", "x"),
	} {
		f, err := parseBytes(archive)
		if err != nil || !is(f.Params, 162+6+960) ||
			!is(f.ParamBytes, 4*168+2*960) ||
			!is(f.FLOPsPerUnit, want) || !slices.Equal(f.Input, []int{3, 8, 8}) || len(f.Warnings) > 0 {
			t.Errorf("%s: %v %s, want %g operations", name, err, shown(f), want)
			continue
		}
		if !is(f.ActivationBytes, 4*64*9) {
			t.Errorf("%s: activations %v", name, *f.ActivationBytes)
		}
	}
}

// Programs of 2.1 kept the signature in maps and a meta in each value.
func TestFirstExported(t *testing.T) {
	raw := fmt.Sprintf(
		`{"graph_module":{"graph":{"nodes":[%s],"tensor_values":{"arg0":{"meta":%s},"arg1":{"meta":%s},"mm":{"meta":%s}}},
		"signature":{"inputs_to_parameters":{"arg0":"weight"},"user_inputs":["arg1"]}}}`,
		call("torch.ops.aten.mm.default", "mm", "self", "arg1", "mat2", "arg0"), meta(7, 4, 5), meta(7, 2, 4), meta(7, 2, 5))
	f, err := parseExported([]byte(raw))
	if err != nil || !is(f.Params, 20) || !is(f.FLOPsPerUnit, 2*20) || !slices.Equal(f.Input, []int{4}) {
		t.Errorf("%v %s", err, shown(f))
	}
}

func TestExportedUnknown(t *testing.T) {
	for name, c := range map[string]struct{ json, why string }{
		"custom operator": {exportedJSON(1, inputSpecs, call("torch.ops.mine.fast_conv.default", "z", "x", "x")),
			"mine.fast_conv.default is not supported"},
		"higher order": {exportedJSON(1, inputSpecs, call("torch.ops.higher_order.cond", "z")),
			"higher_order.cond is not supported"},
		"einsum": {exportedJSON(1, inputSpecs, call("torch.ops.aten.einsum.default", "z")),
			"einsum.default is not supported"},
		"no shape": {exportedJSON(1, inputSpecs, call("torch.ops.aten.mm.default", "z", "self", "a", "mat2", "b")),
			"shapes at an mm"},
	} {
		if f, err := parseExported([]byte(c.json)); err != nil || f.FLOPsPerUnit != nil || !is(f.Params, 1128) ||
			!strings.Contains(strings.Join(f.Warnings, " "), c.why) {
			t.Errorf("%s: %v %s, want %q", name, err, shown(f), c.why)
		}
	}
	if f,
		err := parseExported([]byte(exportedJSON(1,
		`{"parameter":{"arg":{"name":"gone"},"parameter_name":"w"}}`))); err != nil || f.Params != nil ||
		len(f.Warnings) != 2 {
		t.Errorf("%v %s", err, shown(f))
	}
	// A transposed convolution works on what goes in.
	transposed := exportedJSON(1, inputSpecs, call("torch.ops.aten.convolution.default", "conv", "input", "x", "weight",
		"p_conv_weight", "transposed", "true"))
	if f, _ := parseExported([]byte(transposed)); !is(f.FLOPsPerUnit, 2.0*6*64*27+2*10*96+2*2*5*7*4+2*3*64*27) {
		t.Error(shown(f))
	}
}

func FuzzExported(f *testing.F) {
	f.Add([]byte(exportedJSON("s0", inputSpecs)))
	f.Add([]byte(exportedJSON(4, inputSpecs)))
	f.Add(
		[]byte(
			`{"graph_module":{"graph":{"nodes":[{"target":"torch.ops.aten.mm.default","outputs":[{"as_tensor":{"name":"a"}}],"inputs":[{"name":"self","arg":{"as_tensor":{"name":"a"}}}]}],"tensor_values":{"a":{"dtype":7,"sizes":[]}}},"signature":{"user_inputs":["a"]}}}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		facts, err := parseExported(in)
		checkFacts(t, facts, err)
	})
}
