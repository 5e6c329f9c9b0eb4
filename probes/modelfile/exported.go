package modelfile

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
)

// The JSON of torch.export, as far as it is needed: the dataclasses of
// torch/_export/serde/schema.py. A union has one key that is not null.
type (
	program struct {
		Module *module `json:"graph_module"`
	}
	module struct {
		Graph     exportGraph `json:"graph"`
		Signature signature   `json:"signature"`
	}
	exportGraph struct {
		Nodes  []exportNode          `json:"nodes"`
		Values map[string]tensorMeta `json:"tensor_values"`
	}
	exportNode struct {
		Target  string     `json:"target"`
		Inputs  []namedArg `json:"inputs"`
		Outputs []argument `json:"outputs"`
	}
	namedArg struct {
		Name string   `json:"name"`
		Arg  argument `json:"arg"`
	}
	argument struct {
		Tensor  *tensorName  `json:"as_tensor"`
		Tensors []tensorName `json:"as_tensors"`
		Bool    *bool        `json:"as_bool"`
	}
	tensorName struct {
		Name string `json:"name"`
	}
	tensorMeta struct {
		DType int       `json:"dtype"`
		Sizes []symSize `json:"sizes"`
		// In the first files, of PyTorch 2.1, Meta holds the same one level deeper.
		Meta *tensorMeta `json:"meta"`
	}
	symSize struct {
		Int  *float64 `json:"as_int"`
		Expr *struct {
			Text string `json:"expr_str"`
			Hint *struct {
				Int *float64 `json:"as_int"`
			} `json:"hint"`
		} `json:"as_expr"`
	}
	signature struct {
		Inputs []inputSpec `json:"input_specs"`
		// Of the first files:
		Parameters map[string]string `json:"inputs_to_parameters"`
		UserInputs []string          `json:"user_inputs"`
	}
	inputSpec struct {
		User *struct {
			Arg argument `json:"arg"`
		} `json:"user_input"`
		Parameter *struct {
			Arg  tensorName `json:"arg"`
			Name string     `json:"parameter_name"`
		} `json:"parameter"`
	}
)

// scalarTypes are the numbers of ScalarType: bytes of a value.
var scalarTypes = map[int]float64{
	1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 2, 7: 4, 8: 8, 9: 4, 10: 8, 11: 16, 12: 1, 13: 2, 28: 2, 29: 1, 30: 1, 31: 1, 32: 1,
}

func readExported(a archive, name string) (Facts, error) {
	raw, err := a.read(name, maxJSON)
	if err != nil {
		return Facts{}, err
	}
	return parseExported(raw)
}

func parseExported(raw []byte) (Facts, error) {
	var p program
	if err := json.Unmarshal(raw, &p); err != nil || p.Module == nil {
		return Facts{}, errors.New("holds a program of torch.export that cannot be read; export it again with a " +
			"release of PyTorch")
	}
	if len(p.Module.Graph.Nodes) > maxParts || len(p.Module.Graph.Values) > maxParts {
		return Facts{}, errTooMuch
	}
	var f Facts
	e := &exported{facts: &f, module: p.Module, parameters: map[string]string{}, batch: 1}
	e.takeInputs()
	e.countParams()
	e.countWork()
	return f, nil
}

// exported walks the graph, whose values all have their shapes.
type exported struct {
	facts      *Facts
	module     *module
	parameters map[string]string // a value of the graph: the parameter
	batch      float64

	activations, layers float64 // of what is counted
	symbol              string  // of the batch dimension if its length is unknown
}

// takeInputs finds the parameters and the batch: the first dimension of the
// first tensor input.
func (e *exported) takeInputs() {
	s := e.module.Signature
	users := s.UserInputs
	for value, name := range s.Parameters {
		e.parameters[value] = name
	}
	for _, in := range s.Inputs {
		switch {
		case in.Parameter != nil:
			e.parameters[in.Parameter.Arg.Name] = in.Parameter.Name
		case in.User != nil && in.User.Arg.Tensor != nil:
			users = append(users, in.User.Arg.Tensor.Name)
		}
	}
	if len(users) == 0 {
		e.facts.warn("the program has no tensor input, so the shape of a sample is unknown")
		return
	}
	meta, known := e.meta(users[0])
	if !known || len(meta.Sizes) == 0 {
		e.facts.warn("the input %s has no shape in the file", clean(users[0]))
		return
	}
	if first := meta.Sizes[0]; first.Int == nil && first.Expr != nil && first.hint() == nil {
		e.symbol = first.Expr.Text
	}
	if n, ok := e.length(meta.Sizes[0]); ok && n > 0 {
		e.batch = n
	}
	if fixed := meta.Sizes[0].Int; fixed != nil && *fixed >= 1 && *fixed <= maxDim {
		e.facts.Batch = int(*fixed)
	}
	sample := make([]int, 0, len(meta.Sizes))
	for _, s := range meta.Sizes[1:] {
		n, ok := e.length(s)
		if !ok || n > maxDim {
			return
		}
		sample = append(sample, int(n))
	}
	e.facts.Input = sample
}

func (e *exported) meta(value string) (tensorMeta, bool) {
	m, known := e.module.Graph.Values[value]
	if m.Meta != nil {
		m = *m.Meta
	}
	return m, known
}

func (s symSize) hint() *float64 {
	if s.Expr == nil || s.Expr.Hint == nil {
		return nil
	}
	return s.Expr.Hint.Int
}

// length is a dimension: a number, its value at export, or a product of numbers
// with the batch, which then counts as 1.
func (e *exported) length(s symSize) (float64, bool) {
	n := 1.0
	switch hint := s.hint(); {
	case s.Int != nil:
		n = *s.Int
	case hint != nil:
		n = *hint
	case s.Expr == nil || e.symbol == "":
		return 0, false
	default:
		for factor := range strings.SplitSeq(s.Expr.Text, "*") {
			factor = strings.TrimSpace(factor)
			if factor == e.symbol {
				continue
			}
			v, err := strconv.ParseFloat(factor, 64)
			if err != nil {
				return 0, false
			}
			n *= v
		}
	}
	return n, n >= 0 && n == math.Trunc(n) && !math.IsInf(n, 0)
}

// shape is the shape of a value of the graph; nil if it is unknown.
func (e *exported) shape(value string) []float64 {
	meta, known := e.meta(value)
	if !known || len(meta.Sizes) > maxRank {
		return nil
	}
	out := make([]float64, 0, len(meta.Sizes))
	for _, s := range meta.Sizes {
		n, ok := e.length(s)
		if !ok {
			return nil
		}
		out = append(out, n)
	}
	return out
}

func times(shape []float64) float64 {
	n := 1.0
	for _, d := range shape {
		n *= d
	}
	return n
}

func (e *exported) countParams() {
	e.facts.Params, e.facts.ParamBytes, e.facts.paramSizes = new(0.0), new(0.0), map[float64]float64{}
	counted := map[string]bool{}
	for value, name := range e.parameters {
		meta, _ := e.meta(value)
		shape, width := e.shape(value), scalarTypes[meta.DType]
		if shape == nil || width == 0 {
			e.facts.warn("the parameter %s has no shape in the file, so their number is unknown", clean(name))
			e.facts.Params, e.facts.ParamBytes = nil, nil
			return
		}
		if !counted[name] {
			counted[name] = true
			e.facts.addParams(times(shape), width)
		}
	}
}
