package modelfile

import (
	"bytes"
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// pb builds a protobuf message.
type pb []byte

func (b pb) num(field int, v int64) pb {
	return binary.AppendUvarint(binary.AppendUvarint(b, uint64(field)<<3), uint64(v))
}

func (b pb) bytes(field int, v []byte) pb {
	b = binary.AppendUvarint(binary.AppendUvarint(b, protowire.EncodeTag(protowire.Number(field), protowire.BytesType)),
		uint64(len(v)))
	return append(b, v...)
}

func (b pb) text(field int, v string) pb { return b.bytes(field, []byte(v)) }

// made is an ONNX model made by hand.
type made struct {
	graph  pb
	nodes  int
	domain string
}

// model wraps the graph in what every model has around it.
func (m *made) model() []byte {
	return pb{}.num(1, 8).text(2, "hand\x1b[31m").text(3, "1.0").bytes(7, m.graph).bytes(8, pb{}.num(2, 13))
}

func (m *made) facts() (Facts, error) {
	raw := m.model()
	return parse(bytes.NewReader(raw), int64(len(raw)))
}

func tensorOfDims(name string, dtype int64, dims ...int64) pb {
	t := pb{}
	for _, d := range dims {
		t = t.num(1, d)
	}
	return t.num(2, dtype).text(8, name)
}

func (m *made) weight(name string, dtype int64, dims ...int64) *made {
	m.graph = m.graph.bytes(5, tensorOfDims(name, dtype, dims...))
	return m
}

// whole is a constant of whole numbers.
func (m *made) whole(name string, values ...int64) *made {
	var raw []byte
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
	}
	m.graph = m.graph.bytes(5, tensorOfDims(name, onnxInt64, int64(len(values))).bytes(9, raw))
	return m
}

func (m *made) scales(name string, values ...float32) *made {
	var raw []byte
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	m.graph = m.graph.bytes(5, tensorOfDims(name, onnxFloat, int64(len(values))).bytes(9, raw))
	return m
}

// info is a ValueInfoProto; a dimension is a number or the name of a symbol.
func info(name string, dims ...any) pb {
	shape := pb{}
	for _, d := range dims {
		switch d := d.(type) {
		case int:
			shape = shape.bytes(1, pb{}.num(1, int64(d)))
		case string:
			shape = shape.bytes(1, pb{}.text(2, d))
		}
	}
	return pb{}.text(1, name).bytes(2, pb{}.bytes(1, pb{}.num(1, onnxFloat).bytes(2, shape)))
}

func (m *made) input(name string, dims ...any) *made {
	m.graph = m.graph.bytes(11, info(name, dims...))
	return m
}

func (m *made) output(name string, dims ...any) *made {
	m.graph = m.graph.bytes(12, info(name, dims...))
	return m
}

// attr is an attribute: a number, numbers or text.
type attr struct {
	name  string
	value any
}

func (m *made) node(op string, in, out []string, attrs ...attr) *made {
	n := pb{}
	for _, name := range in {
		n = n.text(1, name)
	}
	for _, name := range out {
		n = n.text(2, name)
	}
	n = n.text(4, op).text(7, m.domain)
	for _, a := range attrs {
		p := pb{}.text(1, a.name)
		switch v := a.value.(type) {
		case int:
			p = p.num(3, int64(v))
		case []int:
			packed := []byte{}
			for _, i := range v {
				packed = binary.AppendUvarint(packed, uint64(i))
			}
			p = p.bytes(8, packed)
		case string:
			p = p.text(4, v)
		}
		n = n.bytes(5, p)
	}
	m.nodes++
	m.graph = m.graph.bytes(1, n)
	return m
}

func names(list ...string) []string { return list }
