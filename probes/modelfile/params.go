package modelfile

// widths are the bytes of one value of the element types of TensorProto.
var widths = map[int64]float64{
	1: 4, 2: 1, 3: 1, 4: 2, 5: 2, 6: 4, 7: 8, 9: 1, 10: 2, 11: 8, 12: 4, 13: 8, 14: 8, 15: 16, 16: 2,
	17: 1, 18: 1, 19: 1, 20: 1, 21: 0.5, 22: 0.5, 23: 0.5,
}

// isFloat reports the element types that trained values have, complex ones included.
func isFloat(dtype int64) bool {
	switch dtype {
	case 1, 10, 11, 14, 15, 16, 17, 18, 19, 20, 23:
		return true
	}
	return false
}

// isQuantised reports the element types of quantised values.
func isQuantised(dtype int64) bool { return dtype == 2 || dtype == 3 || dtype == 21 || dtype == 22 }

// use is how the graph uses a weight.
type use struct {
	any       bool // other than by a renaming
	renamed   bool
	parameter bool // in computations, not as a statistic or a setting
	layer     bool // an operand or bias of a counted layer
	narrow    bool // a quantised value
}

// settings are operator inputs that are not parameters: running statistics,
// scales, zero points, sizes.
var settings = map[string]map[int]bool{
	"BatchNormalization": {3: true, 4: true},
	"QuantizeLinear":     {1: true, 2: true},
	"DequantizeLinear":   {1: true, 2: true},
	"QLinearConv":        {1: true, 2: true, 4: true, 5: true, 6: true, 7: true},
	"QLinearMatMul":      {1: true, 2: true, 4: true, 5: true, 6: true, 7: true},
	"ConvInteger":        {2: true, 3: true},
	"MatMulInteger":      {2: true, 3: true},
	"Resize":             {1: true, 2: true, 3: true},
	"Upsample":           {1: true},
	"Clip":               {1: true, 2: true},
	"Pad":                {2: true},
	"Dropout":            {1: true},
}

func (in *inference) uses() map[string]use {
	uses := map[string]use{}
	for _, n := range in.graph.nodes {
		_, isLayer := layers[n.op]
		for i, name := range n.in {
			if in.weights[name] == nil {
				continue
			}
			u := uses[name]
			if n.op == "Identity" {
				u.renamed = true
			} else {
				u.any = true
				u.parameter = u.parameter || !settings[n.op][i]
				u.layer = u.layer || (isLayer && !settings[n.op][i])
				u.narrow = u.narrow || (n.op == "DequantizeLinear" && i == 0) || (n.op == "QLinearConv" && i == 8)
			}
			uses[name] = u
		}
	}
	return uses
}

// parameters returns the names of the trained weights, each once.
func (in *inference) parameters() map[string]bool {
	uses := in.uses()
	out := map[string]bool{}
	for name, w := range in.weights {
		u := uses[name]
		switch {
		case in.constants[name]:
			out[name] = isFloat(w.dtype) && u.layer
		case !u.any:
			out[name] = isFloat(w.dtype) && len(w.dims) > 0 && !u.renamed
		case !u.parameter:
		case isFloat(w.dtype):
			out[name] = len(w.dims) > 0 // a scalar is a constant of the code
		case isQuantised(w.dtype):
			out[name] = u.narrow || len(w.dims) > 1
		default:
			out[name] = u.narrow // the bias of a quantised layer
		}
	}
	return out
}

func (in *inference) countParams() {
	in.facts.Params, in.facts.ParamBytes, in.facts.paramSizes = new(0.0), new(0.0), map[float64]float64{}
	for name, is := range in.parameters() {
		if w := in.weights[name]; is {
			in.facts.addParams(w.count(), widths[w.dtype])
		}
	}
}
