package tensorboard

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"sweetspot/data/textfile"
)

// event is what is read of an Event: its time, step and scalars.
type event struct {
	wall    float64 // seconds since 1970
	step    int64
	version string
	scalars []scalar
}

type scalar struct {
	tag   string
	value float64
}

// The field numbers of tensorboard/compat/proto: event, summary and tensor.
const (
	eventWall, eventStep, eventVersion, eventSummary protowire.Number = 1, 2, 3, 5
	summaryValue                                     protowire.Number = 1
	valueTag, valueSimple, valueTensor               protowire.Number = 1, 2, 8
	tensorType, tensorContent, tensorFloat           protowire.Number = 1, 4, 5
	tensorDouble                                     protowire.Number = 6
)

// Types of a tensor that hold a scalar.
const (
	float32Type = 1
	float64Type = 2
)

var errMessage = &textfile.Error{What: "a record holds no event"}

// parseEvent reads an Event.
func parseEvent(data []byte) (e event, err error) {
	err = fields(data, func(n protowire.Number, f field) {
		switch {
		case n == eventWall && f.kind == protowire.Fixed64Type:
			e.wall = math.Float64frombits(f.bits)
		case n == eventStep && f.kind == protowire.VarintType:
			e.step = int64(f.bits)
		case n == eventVersion && f.kind == protowire.BytesType:
			e.version = string(f.bytes)
		case n == eventSummary && f.kind == protowire.BytesType:
			e.scalars = append(e.scalars, summary(f.bytes)...)
		}
	})
	return e, err
}

// summary reads the scalars among the values; pictures and histograms are none.
func summary(data []byte) (out []scalar) {
	_ = fields(data, func(n protowire.Number, f field) {
		if n != summaryValue || f.kind != protowire.BytesType {
			return
		}
		s, known := scalar{}, false
		_ = fields(f.bytes, func(n protowire.Number, f field) {
			switch {
			case n == valueTag && f.kind == protowire.BytesType:
				s.tag = string(f.bytes)
			case n == valueSimple && f.kind == protowire.Fixed32Type:
				s.value, known = float64(math.Float32frombits(uint32(f.bits))), true
			case n == valueTensor && f.kind == protowire.BytesType:
				s.value, known = tensor(f.bytes)
			}
		})
		if known && s.tag != "" {
			out = append(out, s)
		}
	})
	return out
}

// tensor reads one that holds a single number.
func tensor(data []byte) (v float64, ok bool) {
	kind := uint64(0)
	var content []byte
	_ = fields(data, func(n protowire.Number, f field) {
		switch {
		case n == tensorType && f.kind == protowire.VarintType:
			kind = f.bits
		case n == tensorContent && f.kind == protowire.BytesType:
			content = f.bytes
		case n == tensorFloat && f.kind == protowire.Fixed32Type:
			v, ok = float64(math.Float32frombits(uint32(f.bits))), true
		case n == tensorFloat && f.kind == protowire.BytesType && len(f.bytes) == 4:
			v, ok = float64(math.Float32frombits(binary.LittleEndian.Uint32(f.bytes))), true
		case n == tensorDouble && f.kind == protowire.Fixed64Type:
			v, ok = math.Float64frombits(f.bits), true
		case n == tensorDouble && f.kind == protowire.BytesType && len(f.bytes) == 8:
			v, ok = math.Float64frombits(binary.LittleEndian.Uint64(f.bytes)), true
		}
	})
	switch {
	case ok:
	case kind == float32Type && len(content) == 4:
		v, ok = float64(math.Float32frombits(binary.LittleEndian.Uint32(content))), true
	case kind == float64Type && len(content) == 8:
		v, ok = math.Float64frombits(binary.LittleEndian.Uint64(content)), true
	}
	return v, ok
}

// field is one field of a message.
type field struct {
	kind  protowire.Type
	bits  uint64
	bytes []byte
}

// fields calls do with every field of a message.
func fields(data []byte, do func(protowire.Number, field)) error {
	for len(data) > 0 {
		number, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			return errMessage
		}
		data = data[n:]
		f := field{kind: kind}
		switch kind {
		case protowire.VarintType:
			f.bits, n = protowire.ConsumeVarint(data)
		case protowire.Fixed32Type:
			var bits uint32
			bits, n = protowire.ConsumeFixed32(data)
			f.bits = uint64(bits)
		case protowire.Fixed64Type:
			f.bits, n = protowire.ConsumeFixed64(data)
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(data)
		default:
			n = protowire.ConsumeFieldValue(number, kind, data)
		}
		if n < 0 {
			return errMessage
		}
		data = data[n:]
		do(number, f)
	}
	return nil
}

// maxRecordBytes bounds one record; pictures and graphs are the largest.
const maxRecordBytes = 256 << 20

var (
	errCutOff  = errors.New("the last record is cut off")
	errDamaged = &textfile.Error{What: "a checksum is wrong; the file is damaged, or it holds no TensorBoard events"}
	errTooLong = &textfile.Error{What: "a record is longer than 256 MiB, which no event is"}
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// masked is the checksum of TFRecord: CRC-32C, rotated and shifted.
func masked(data []byte) uint32 {
	crc := crc32.Checksum(data, castagnoli)
	return (crc>>15 | crc<<17) + 0xa282ead8
}

// records calls do with every record: a length, its checksum, the data, its
// checksum. What do gets is gone after it.
func records(r io.Reader, do func(data []byte) error) error {
	var buffer bytes.Buffer // grows as bytes come: a length alone claims no memory
	next := func(n int64) ([]byte, error) {
		buffer.Reset()
		got, err := io.CopyN(&buffer, r, n)
		if errors.Is(err, io.EOF) && got > 0 {
			err = errCutOff
		}
		return buffer.Bytes(), err
	}
	for {
		head, err := next(12)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case masked(head[:8]) != binary.LittleEndian.Uint32(head[8:]):
			return errDamaged
		}
		n := binary.LittleEndian.Uint64(head)
		if n > maxRecordBytes {
			return errTooLong
		}
		data, err := next(int64(n) + 4)
		switch {
		case errors.Is(err, io.EOF):
			return errCutOff
		case err != nil:
			return err
		case masked(data[:n]) != binary.LittleEndian.Uint32(data[n:]):
			return errDamaged
		}
		if err := do(data[:n]); err != nil {
			return err
		}
	}
}
