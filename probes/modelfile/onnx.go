package modelfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

var (
	errNotModel = errors.New("is not a known kind of model file; known are ONNX (torch.onnx.export), TorchScript " +
		"(torch.jit.save), torch.save and torch.export")
	errTooMuch = errors.New("describes a model of more than two million parts or 256 MiB without its weights, " +
		"which no model needs; save it again")
)

const (
	maxParts = 2_000_000
	maxRank  = 64
	maxConst = 64 // values of a constant that may be a shape
)

// graph is the part of an ONNX GraphProto that is needed here.
type graph struct {
	nodes   []*node
	weights []*weight // initialisers
	inputs  []valueInfo
	infos   []valueInfo // of inner values and outputs
}

type node struct {
	name, op, domain string
	in, out          []string
	attrs            map[string]attribute
}

type attribute struct {
	i      int64
	hasInt bool
	ints   []int64
	s      string
	tensor *weight
}

// weight is a TensorProto without its content.
type weight struct {
	name   string
	dims   []int64
	dtype  int64
	values []int64   // of a small whole-number constant; nil otherwise
	scales []float64 // of a small constant of float32; nil otherwise
}

type valueInfo struct {
	name  string
	dims  []onnxDim
	known bool // whether there is a shape
}

// onnxDim is a number, or a symbol if value is unknown.
type onnxDim struct {
	value  int64 // -1 where symbolic or absent
	symbol string
}

// readONNX reads a ModelProto. Field numbers are those of onnx.proto.
func readONNX(r io.ReaderAt, size int64) (Facts, error) {
	m := &message{in: &window{r: r}, end: size}
	var f Facts
	var g *graph
	opsets := 0
	for m.next() {
		switch {
		case m.number == 7 && m.wire == protowire.BytesType:
			g = readGraph(m.inner())
		case m.number == 8 && m.wire == protowire.BytesType:
			opsets++
		case m.number == 25: // functions defined by the model
			f.warn("the model defines its own functions, whose work is not counted")
		}
	}
	switch err := m.in.err; {
	case err != nil && (g != nil || errors.Is(err, errTooMuch)):
		return Facts{}, err
	case g == nil || opsets == 0:
		return Facts{}, errNotModel
	}
	newInference(g, &f).run()
	return f, nil
}

func readGraph(m *message) *graph {
	g := &graph{}
	for m.next() {
		if m.wire != protowire.BytesType {
			continue
		}
		m.in.part()
		switch m.number {
		case 1:
			g.nodes = append(g.nodes, readNode(m.inner()))
		case 5:
			g.weights = append(g.weights, readWeight(m.inner()))
		case 11:
			g.inputs = append(g.inputs, readValueInfo(m.inner()))
		case 12, 13:
			g.infos = append(g.infos, readValueInfo(m.inner()))
		case 15: // sparse initialisers
			m.in.fail(errors.New("has sparse weights, which are not supported; save it with dense ones"))
		}
	}
	return g
}

func readNode(m *message) *node {
	n := &node{attrs: map[string]attribute{}}
	for m.next() {
		if m.wire != protowire.BytesType {
			continue
		}
		m.in.part()
		switch m.number {
		case 1:
			n.in = append(n.in, m.text())
		case 2:
			n.out = append(n.out, m.text())
		case 3:
			n.name = m.text()
		case 4:
			n.op = m.text()
		case 7:
			n.domain = m.text()
		case 5:
			name, a := readAttribute(m.inner())
			n.attrs[name] = a
		}
	}
	return n
}

func readAttribute(m *message) (name string, a attribute) {
	for m.next() {
		switch m.number {
		case 1:
			name = m.text()
		case 3:
			a.i, a.hasInt = m.value, m.wire == protowire.VarintType
		case 4:
			if m.wire == protowire.BytesType && m.size <= maxText {
				a.s = m.text()
			}
		case 5:
			a.tensor = readWeight(m.inner())
		case 8:
			a.ints = m.ints(a.ints, maxConst)
		}
	}
	return name, a
}

// int is an integer attribute, or its default if absent.
func (n *node) int(name string, absent int64) int64 {
	if a, ok := n.attrs[name]; ok && a.hasInt {
		return a.i
	}
	return absent
}

func (n *node) ints(name string) []int64 { return n.attrs[name].ints }

// input is the name of the i-th input; "" if it is absent.
func (n *node) input(i int) string {
	if i < len(n.in) {
		return n.in[i]
	}
	return ""
}

// label is a node's name in messages and lists.
func (n *node) label() string {
	if n.name != "" {
		return clean(n.name)
	}
	if len(n.out) > 0 && n.out[0] != "" {
		return clean(n.out[0])
	}
	return clean(n.op)
}

// readWeight reads a TensorProto: its shape and type, and the values of a
// small constant of int32 or int64.
func readWeight(m *message) *weight {
	w := &weight{}
	var raw []byte
	for m.next() {
		switch m.number {
		case 1:
			w.dims = m.ints(w.dims, maxRank+1)
		case 2:
			w.dtype = m.value
		case 4: // float_data
			if m.wire == protowire.BytesType && m.size <= maxConst*4 {
				raw = m.bytes(maxConst * 4) // packed, as raw data would be
			}
		case 5, 7: // int32_data, int64_data
			w.values = m.ints(w.values, maxConst+1)
		case 8:
			w.name = m.text()
		case 9:
			if m.size <= maxConst*8 {
				raw = m.bytes(maxConst * 8)
			}
		}
	}
	if len(w.dims) > maxRank {
		m.in.fail(errNotModel)
	} else if slices.ContainsFunc(w.dims, func(d int64) bool { return d < 0 }) {
		m.in.fail(fmt.Errorf("states a negative size for its weight %s; save it again", clean(w.name)))
	}
	w.takeRaw(raw)
	return w
}

// The element types of TensorProto that matter here.
const (
	onnxFloat = 1
	onnxInt32 = 6
	onnxInt64 = 7
)

func (w *weight) takeRaw(raw []byte) {
	if w.dtype == onnxFloat && float64(len(raw)) == 4*w.count() {
		for ; len(raw) >= 4; raw = raw[4:] {
			w.scales = append(w.scales, float64(math.Float32frombits(binary.LittleEndian.Uint32(raw))))
		}
	}
	width := map[int64]int{onnxInt32: 4, onnxInt64: 8}[w.dtype]
	switch {
	case width == 0 || w.count() > maxConst:
		w.values = nil
	case len(raw) > 0:
		w.values = nil
		for ; len(raw) >= width; raw = raw[width:] {
			w.values = append(w.values, littleEndian(raw[:width]))
		}
	}
	if float64(len(w.values)) != w.count() {
		w.values = nil
	}
}

// littleEndian is a signed integer of four or eight bytes.
func littleEndian(b []byte) int64 {
	var v uint64
	for i, c := range b {
		v |= uint64(c) << (8 * i)
	}
	if len(b) == 4 {
		return int64(int32(v))
	}
	return int64(v)
}

// count is the number of values; 1 for a scalar.
func (w *weight) count() float64 {
	n := 1.0
	for _, d := range w.dims {
		n *= float64(d)
	}
	return n
}

func readValueInfo(m *message) (v valueInfo) {
	for m.next() {
		switch m.number {
		case 1:
			v.name = m.text()
		case 2:
			v.readType(m.inner())
		}
	}
	return v
}

// readType reads TypeProto; only its tensor_type is a tensor's.
func (v *valueInfo) readType(m *message) {
	for m.next() {
		if m.number != 1 || m.wire != protowire.BytesType {
			continue
		}
		for tensor := m.inner(); tensor.next(); {
			if tensor.number == 2 && tensor.wire == protowire.BytesType {
				v.known = true
				v.readShape(tensor.inner())
			}
		}
	}
}

func (v *valueInfo) readShape(m *message) {
	for m.next() {
		if m.number != 1 || m.wire != protowire.BytesType {
			continue
		}
		if len(v.dims) >= maxRank {
			m.in.fail(errTooMuch)
		}
		d := onnxDim{value: -1}
		for dim := m.inner(); dim.next(); {
			switch dim.number {
			case 1:
				d.value = dim.value
			case 2:
				d.symbol = dim.text()
			}
		}
		v.dims = append(v.dims, d)
	}
}
