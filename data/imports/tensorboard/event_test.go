package tensorboard

import (
	"encoding/binary"
	"math"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// A tensor of one number holds it by itself, in a list or as bytes, in either
// precision; one of several is none.
func TestTensor(t *testing.T) {
	half := binary.LittleEndian.AppendUint32(nil, math.Float32bits(0.5))
	double := binary.LittleEndian.AppendUint64(nil, math.Float64bits(0.5))
	number := func(n protowire.Number, v uint64) []byte {
		return protowire.AppendVarint(protowire.AppendTag(nil, n, protowire.VarintType), v)
	}
	bytes := func(n protowire.Number, v ...byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, n, protowire.BytesType), v)
	}
	for name, c := range map[string]struct {
		data []byte
		ok   bool
	}{
		"float":            {append(protowire.AppendTag(nil, tensorFloat, protowire.Fixed32Type), half...), true},
		"double":           {append(protowire.AppendTag(nil, tensorDouble, protowire.Fixed64Type), double...), true},
		"floats":           {bytes(tensorFloat, half...), true},
		"doubles":          {bytes(tensorDouble, double...), true},
		"several floats":   {bytes(tensorFloat, append(half, half...)...), false},
		"several doubles":  {bytes(tensorDouble, append(double, double...)...), false},
		"bytes of a float": {append(number(tensorType, float32Type), bytes(tensorContent, half...)...), true},
		"bytes of a double": {append(number(tensorType, float64Type), bytes(tensorContent, double...)...),
			true},
		"bytes of another type": {append(number(tensorType, 3), bytes(tensorContent, half...)...), false},
		"too many bytes":        {append(number(tensorType, float32Type), bytes(tensorContent, double...)...), false},
		"too few bytes":         {append(number(tensorType, float64Type), bytes(tensorContent, half...)...), false},
		"a number as a type":    {append(number(tensorFloat, 5), number(tensorDouble, 5)...), false},
		"nothing":               {nil, false},
	} {
		if v, ok := tensor(c.data); ok != c.ok || ok && v != 0.5 {
			t.Errorf("%s: %g, %v", name, v, ok)
		}
	}
}
