package modelfile

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
)

// message walks the fields of a protobuf message in a file. It reads only tags,
// lengths and the requested fields, so gigabytes of weights cost nothing; the
// usual decoders want the whole message in memory. The encoding:
// protobuf.dev/programming-guides/encoding.
type message struct {
	in       *window
	pos, end int64

	number int   // of the current field
	wire   int   // its wire type
	value  int64 // of a varint or fixed field
	size   int64 // of a length-delimited field, which begins at start
	start  int64
	err    error
}

const (
	wireVarint = 0
	wireFixed8 = 1 // eight bytes
	wireBytes  = 2
	wireFixed4 = 5 // four bytes
)

var errTruncated = errors.New("ends in the middle: it was cut off or is not a model file; copy or save it again")

// next goes to the next field; false at the end or after an error.
func (m *message) next() bool {
	if m.err != nil || m.pos >= m.end {
		return false
	}
	tag := m.varint()
	m.number, m.wire = int(tag>>3&math.MaxInt32), int(tag&7)
	switch m.wire {
	case wireVarint:
		m.value = m.varint()
	case wireFixed8:
		m.fixed(8)
	case wireFixed4:
		m.fixed(4)
	case wireBytes:
		m.size = m.varint()
		m.start = m.pos
		if m.err == nil && (m.size < 0 || m.size > m.end-m.pos) {
			m.err = errTruncated
		}
		m.pos += m.size
	default: // none of the messages read here uses the old groups
		m.err = errNotModel
	}
	if m.err == nil && m.number == 0 {
		m.err = errNotModel
	}
	return m.err == nil
}

func (m *message) varint() int64 {
	buf := m.in.at(m.pos, min(binary.MaxVarintLen64, m.end-m.pos))
	v, n := binary.Uvarint(buf)
	if n <= 0 {
		m.fail()
		return 0
	}
	m.pos += int64(n)
	return int64(v)
}

func (m *message) fixed(n int64) {
	buf := m.in.at(m.pos, min(n, m.end-m.pos))
	if int64(len(buf)) < n {
		m.fail()
		return
	}
	if n == 4 {
		m.value = int64(binary.LittleEndian.Uint32(buf))
	} else {
		m.value = int64(binary.LittleEndian.Uint64(buf))
	}
	m.pos += n
}

func (m *message) fail() {
	if m.err == nil {
		m.err = errTruncated
		if m.in.err != nil {
			m.err = m.in.err
		}
	}
}

// inner is the current field as a message of its own.
func (m *message) inner() *message {
	if m.wire != wireBytes {
		return &message{in: m.in, err: errNotModel}
	}
	return &message{in: m.in, pos: m.start, end: m.start + m.size}
}

// bytes is the content of the current field; it is an error if it is longer
// than limit.
func (m *message) bytes(limit int64) []byte {
	if m.err != nil {
		return nil
	}
	if m.wire != wireBytes || m.size > limit {
		m.err = errNotModel
		return nil
	}
	if m.in.held += m.size; m.in.held > maxMetadata {
		m.err = errTooMuch
		return nil
	}
	buf := append([]byte(nil), m.in.at(m.start, m.size)...)
	if int64(len(buf)) < m.size {
		m.fail()
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
	if m.wire == wireVarint {
		if len(to) < limit {
			to = append(to, m.value)
		}
		return to
	}
	packed := m.inner()
	for packed.err == nil && packed.pos < packed.end && len(to) < limit {
		to = append(to, packed.varint())
	}
	if packed.err != nil && m.err == nil {
		m.err = packed.err
	}
	return to
}

// window is a file seen through a buffer.
type window struct {
	r    io.ReaderAt
	buf  []byte
	from int64
	held int64 // bytes of metadata kept so far
	err  error
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
			w.err = errors.New("cannot be read")
		}
		w.buf, w.from = w.buf[:got], pos
	}
	off := pos - w.from
	return w.buf[off:min(off+n, int64(len(w.buf)))]
}
