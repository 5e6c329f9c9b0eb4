package modelfile

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// tensor is what a pickle says about a tensor, without its values.
type tensor struct {
	storage  string // its key in the archive with the offset: tensors that share both are one
	values   float64
	width    float64 // bytes of one value
	trained  bool    // of a type that parameters have
	gradient bool    // it requires a gradient
}

// storages are PyTorch's storage classes: bytes of a value, and whether
// parameters can have the type.
var storages = map[string]struct {
	width   float64
	trained bool
}{
	"FloatStorage": {4, true}, "DoubleStorage": {8, true}, "HalfStorage": {2, true}, "BFloat16Storage": {2, true},
	"ComplexFloatStorage": {8, true}, "ComplexDoubleStorage": {16, true}, "QInt8Storage": {1, true},
	"QUInt8Storage": {1, true},
	"LongStorage":   {8, false}, "IntStorage": {4, false}, "ShortStorage": {2, false}, "CharStorage": {1, false},
	"ByteStorage": {1, false}, "BoolStorage": {1, false}, "QInt32Storage": {4, false},
}

// dtypes are the types without a storage class of their own.
var dtypes = map[string]struct {
	width   float64
	trained bool
}{
	"float32": {4, true}, "float64": {8, true}, "float16": {2, true}, "bfloat16": {2, true},
	"float8_e4m3fn": {1, true}, "float8_e5m2": {1, true}, "float8_e4m3fnuz": {1, true}, "float8_e5m2fnuz": {1, true},
	"uint16": {2, false}, "uint32": {4, false}, "uint64": {8, false},
}

// tensorOf reads a call of one of the functions that rebuild tensors.
func tensorOf(v any) (tensor, bool) {
	o, ok := v.(*object)
	for range 4 { // a parameter of a subclass is wrapped at most this often
		if !ok || o.class.module != "torch._utils" && o.class.module != "torch._tensor" {
			return tensor{}, false
		}
		switch o.class.name {
		case "_rebuild_tensor", "_rebuild_tensor_v2", "_rebuild_tensor_v3", "_rebuild_qtensor":
			return plainTensor(o)
		case "_rebuild_parameter", "_rebuild_parameter_with_state":
			if len(o.args) < 2 {
				return tensor{}, false
			}
			t, ok := tensorOf(o.args[0])
			t.gradient, _ = o.args[1].(bool)
			return t, ok
		case "_rebuild_from_type_v2", "_rebuild_from_type": // function, type, arguments
			if len(o.args) < 3 {
				return tensor{}, false
			}
			function, _ := o.args[0].(class)
			args, _ := o.args[2].([]any)
			o = &object{class: function, args: args}
		default:
			return tensor{}, false
		}
	}
	return tensor{}, false
}

// plainTensor: storage, offset, sizes, strides, and with a quantised one or
// not, whether it has a gradient.
func plainTensor(o *object) (tensor, bool) {
	if len(o.args) < 4 {
		return tensor{}, false
	}
	held, _ := o.args[0].(persistent)
	id, _ := held.id.([]any)
	sizes, isTuple := o.args[2].([]any)
	if len(id) < 5 || !isTuple || len(sizes) > maxRank {
		return tensor{}, false
	}
	kind, _ := id[1].(class)
	key, _ := id[2].(string)
	t := tensor{storage: key, values: 1}
	if s, known := storages[kind.name]; known {
		t.width, t.trained = s.width, s.trained
	}
	if len(o.args) > 6 {
		if dtype, ok := o.args[6].(class); ok {
			t.width, t.trained = dtypes[dtype.name].width, dtypes[dtype.name].trained
		}
	}
	for _, s := range sizes {
		n, ok := s.(int64)
		if !ok || n < 0 {
			return tensor{}, false
		}
		t.values *= float64(n)
	}
	if offset, ok := o.args[1].(int64); ok && offset > 0 {
		t.storage += "+" + strconv.FormatInt(offset, 10)
	}
	for _, a := range o.args[4:] {
		if b, ok := a.(bool); ok {
			t.gradient = b
		}
	}
	return t, t.width > 0
}

// torchFile collects the parameters of what PyTorch pickled.
type torchFile struct {
	archive archive
	facts   *Facts
	counted map[string]bool    // storages
	seen    map[*object]bool   // modules
	classes map[string]members // of TorchScript code
	code    int64              // bytes of it that were read
}

func readTorch(a archive) (Facts, error) {
	raw, err := a.read("data.pkl", maxPickle)
	if err != nil {
		return Facts{}, err
	}
	root, err := unpickle(raw)
	if err != nil {
		return Facts{}, err
	}
	f := Facts{}
	t := &torchFile{archive: a, facts: &f, counted: map[string]bool{}, seen: map[*object]bool{},
		classes: map[string]members{}}
	o, isObject := root.(*object)
	switch {
	case a.names["constants.pkl"] != nil && isObject:
		t.script(o, 0)
		if f.Params == nil {
			f.warn("no module holds parameters, as after torch.jit.freeze, so their number is unknown")
		}
		f.warn("TorchScript files do not contain the shapes of values, so the operations of one sample are unknown; an " +
			"ONNX file has them")
	case isObject && modulesOf(o) != nil:
		t.module(o, 0)
		f.warn(
			"a pickled module does not contain its graph, so the operations of one sample are unknown; an ONNX file has it")
	default:
		t.stateDict(root)
		f.warn("saved weights do not contain the model's graph, so the operations of one sample are unknown; an ONNX " +
			"file has it")
	}
	return f, nil
}

// add counts a parameter. Tensors that share their values count once.
func (t *torchFile) add(v tensor) {
	if !t.counted[v.storage] {
		t.counted[v.storage] = true
		t.facts.addParams(v.values, v.width)
	}
}

// statistics are buffers that state dicts list among the parameters.
var statistics = []string{"running_mean", "running_var", "num_batches_tracked"}

// nested are the names under which checkpoints keep a model's state dict.
var nested = []string{"state_dict", "model_state_dict", "model_state", "model", "module", "net", "network", "weights",
	"params", "params_ema"}

// stateDict finds the weights in what was saved: a dict of tensors, or one
// inside a checkpoint under a usual name.
func (t *torchFile) stateDict(root any) {
	if t.tensors(root) {
		return
	}
	var keys []string
	for _, e := range entries(root) {
		keys = append(keys, e.key)
	}
	for _, name := range nested {
		for _, e := range entries(root) {
			if e.key != name {
				continue
			}
			if o, ok := e.value.(*object); ok && modulesOf(o) != nil {
				t.module(o, 0)
				return
			}
			if t.tensors(e.value) {
				return
			}
		}
	}
	if len(keys) > 10 {
		keys = keys[:10]
	}
	t.facts.warn("no weights were found under the usual names (it contains %s), so the number of parameters is unknown",
		strings.Join(append(keys, "nothing else"), ", "))
}

// tensors counts a dict of named tensors; false if it is not one.
func (t *torchFile) tensors(v any) bool {
	found := false
	for _, e := range entries(v) {
		value, ok := tensorOf(e.value)
		if !ok {
			continue
		}
		found = true
		name := e.key[strings.LastIndexByte(e.key, '.')+1:]
		if value.trained && !slices.Contains(statistics, name) {
			t.add(value)
		}
	}
	return found
}

const maxDepth = 100 // of modules in modules

// modulesOf is the state of a pickled nn.Module; nil for another object.
func modulesOf(o *object) *dict {
	state := o.attributes()
	if state == nil || entries(state.get("_parameters")) == nil && entries(state.get("_modules")) == nil {
		return nil
	}
	return state
}

func (t *torchFile) module(o *object, depth int) {
	state := modulesOf(o)
	if state == nil || t.seen[o] || depth > maxDepth {
		return
	}
	t.seen[o] = true
	for _, e := range entries(state.get("_parameters")) {
		if v, ok := tensorOf(e.value); ok {
			t.add(v)
		}
	}
	for _, e := range entries(state.get("_modules")) {
		if inner, ok := e.value.(*object); ok {
			t.module(inner, depth+1)
		}
	}
}

// members are the names of the parameters of a TorchScript class.
type members map[string]bool

// script counts a TorchScript module. Its pickle does not distinguish
// parameters from buffers; the code next to it does.
func (t *torchFile) script(o *object, depth int) {
	state := o.attributes()
	if state == nil || t.seen[o] || depth > maxDepth {
		return
	}
	t.seen[o] = true
	parameters, known := t.parametersOf(o.class)
	for _, e := range state.items {
		if v, ok := tensorOf(e.value); ok {
			if known && parameters[e.key] || !known && v.gradient {
				t.add(v)
			}
		} else if inner, ok := e.value.(*object); ok {
			t.script(inner, depth+1)
		}
	}
}

var (
	classLine      = regexp.MustCompile(`^class (\w+)\(`)
	parametersLine = regexp.MustCompile(`^\s*__parameters__ = \[(.*)\]`)
	quoted         = regexp.MustCompile(`"([^"]*)"`)
)

// parametersOf reads the parameters of a class from the archive's code, which
// has the module's path.
func (t *torchFile) parametersOf(c class) (members, bool) {
	full := c.module + "." + c.name
	if m, ok := t.classes[full]; ok {
		return m, m != nil
	}
	t.classes[full] = nil
	path := "code/" + strings.ReplaceAll(c.module, ".", "/") + ".py"
	if t.archive.names[path] == nil || t.code > maxCode {
		return nil, false
	}
	source, err := t.archive.read(path, maxCode)
	if err != nil {
		t.facts.warn("the code of %s in the file is damaged, so its parameters are recognised by their gradients",
			clean(full))
		return nil, false
	}
	t.code += int64(len(source))
	current := ""
	for line := range strings.Lines(string(source)) {
		if m := classLine.FindStringSubmatch(line); m != nil {
			current = c.module + "." + m[1]
			t.classes[current] = members{}
		} else if m := parametersLine.FindStringSubmatch(line); m != nil && current != "" {
			for _, name := range quoted.FindAllStringSubmatch(m[1], -1) {
				t.classes[current][name[1]] = true
			}
		}
	}
	m := t.classes[full]
	return m, m != nil
}
