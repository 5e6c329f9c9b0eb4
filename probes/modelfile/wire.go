package modelfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"google.golang.org/protobuf/encoding/protowire"
)

// message walks the fields of a protobuf message in a file. It reads only tags,
// lengths and the requested fields, so gigabytes of weights cost nothing; the
// usual decoders want the whole message in memory. The encoding:
// protobuf.dev/programming-guides/encoding.
type message struct {
	in       *window
	pos, end int64

	number protowire.Number // of the current field
	wire   protowire.Type
	value  int64 // of a varint or fixed field
	size   int64 // of a length-delimited field, which begins at start
	start  int64
}

var errTruncated = errors.New("ends in the middle: it was cut off or is not a model file; copy or save it again")

// next goes to the next field; false at the end or after an error.
func (m *message) next() bool {
	if m.in.err != nil || m.pos >= m.end {
		return false
	}
	tag := m.varint()
	m.number, m.wire = protowire.DecodeTag(uint64(tag))
	switch m.wire {
	case protowire.VarintType:
		m.value = m.varint()
	case protowire.Fixed64Type:
		m.fixed(8)
	case protowire.Fixed32Type:
		m.fixed(4)
	case protowire.BytesType:
		m.size = m.varint()
		m.start = m.pos
		if m.size < 0 || m.size > m.end-m.pos {
			m.in.fail(errTruncated)
		}
		m.pos += m.size
	default: // none of the messages read here uses the old groups
		m.in.fail(errNotModel)
	}
	if m.number == 0 {
		m.in.fail(errNotModel)
	}
	return m.in.err == nil
}

func (m *message) varint() int64 {
	buf := m.in.at(m.pos, min(binary.MaxVarintLen64, m.end-m.pos))
	v, n := binary.Uvarint(buf)
	if n <= 0 {
		m.in.fail(errTruncated)
		return 0
	}
	m.pos += int64(n)
	return int64(v)
}

func (m *message) fixed(n int64) {
	buf := m.in.at(m.pos, min(n, m.end-m.pos))
	if int64(len(buf)) < n {
		m.in.fail(errTruncated)
		return
	}
	if n == 4 {
		m.value = int64(binary.LittleEndian.Uint32(buf))
	} else {
		m.value = int64(binary.LittleEndian.Uint64(buf))
	}
	m.pos += n
}

// inner is the current field as a message of its own.
func (m *message) inner() *message {
	if m.wire != protowire.BytesType {
		m.in.fail(errNotModel)
	}
	return &message{in: m.in, pos: m.start, end: m.start + m.size}
}

// bytes is the content of the current field; it is an error if it is longer
// than limit.
func (m *message) bytes(limit int64) []byte {
	if m.wire != protowire.BytesType || m.size > limit {
		m.in.fail(errNotModel)
	} else if m.in.held += m.size; m.in.held > maxMetadata {
		m.in.fail(errTooMuch)
	}
	buf := bytes.Clone(m.in.at(m.start, m.size))
	if int64(len(buf)) < m.size {
		m.in.fail(errTruncated)
		return nil
	}
	return buf
}

func (m *message) text() string { return string(m.bytes(maxText)) }

const (
	maxText     = 64 << 10
	maxMetadata = 256 << 20
)

// ints appends the current field, a repeated integer in either encoding, and
// stops at limit values.
func (m *message) ints(to []int64, limit int) []int64 {
	if m.wire == protowire.VarintType {
		if len(to) < limit {
			to = append(to, m.value)
		}
		return to
	}
	packed := m.inner()
	for m.in.err == nil && packed.pos < packed.end && len(to) < limit {
		to = append(to, packed.varint())
	}
	return to
}

// window is a file seen through a buffer.
type window struct {
	r    io.ReaderAt
	buf  []byte
	from int64
	held int64 // bytes of metadata kept so far
	kept int   // parts of the model
	err  error // the first; nothing is read after it
}

func (w *window) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// part counts a part of the model that is kept.
func (w *window) part() {
	if w.kept++; w.kept > maxParts {
		w.fail(errTooMuch)
	}
}

const windowSize = 32 << 10

// at returns n bytes at pos, fewer at the end of the file. They are valid
// until the next call.
func (w *window) at(pos, n int64) []byte {
	if n <= 0 || w.err != nil {
		return nil
	}
	if pos < w.from || pos+n > w.from+int64(len(w.buf)) {
		size := max(n, windowSize)
		if int64(cap(w.buf)) < size {
			w.buf = make([]byte, size)
		}
		w.buf = w.buf[:size]
		got, err := w.r.ReadAt(w.buf, pos)
		if err != nil && !errors.Is(err, io.EOF) {
			w.fail(errors.New("cannot be read"))
		}
		w.buf, w.from = w.buf[:got], pos
	}
	off := pos - w.from
	return w.buf[off:min(off+n, int64(len(w.buf)))]
}
