package modelfile

import "encoding/binary"

// constant pushes a plain value that the instruction carries.
func (u *unpickler) constant(op byte) (done bool, err error) {
	switch op {
	case 'N':
		u.push(nil)
	case 0x88, 0x89:
		u.push(op == 0x88)
	case 'K', 'M', 'J', 'G', 0x8a:
		return true, u.number(op)
	case 'X', 'T', 'B', 0x8c, 'U', 'C', 0x8d, 0x8e, 0x96:
		return true, u.text(op)
	default:
		return false, nil
	}
	return true, nil
}

func (u *unpickler) number(op byte) error {
	width := map[byte]int{'K': 1, 'M': 2, 'J': 4, 'G': 8}[op]
	if op == 0x8a { // a long; its length comes first
		size, ok := u.take(1)
		if !ok {
			return errPickle
		}
		width = int(size[0])
	}
	raw, ok := u.take(width)
	switch {
	case !ok:
		return errPickle
	case op == 'J':
		u.push(int64(int32(binary.LittleEndian.Uint32(raw))))
	case op == 'G' || width > 8:
		u.push(0.0) // neither floats nor such long numbers matter for counting parameters
	default:
		var v uint64
		for i, b := range raw {
			v |= uint64(b) << (8 * i)
		}
		if op == 0x8a && width > 0 && raw[width-1]&0x80 != 0 {
			v -= 1 << (8 * width) // shifts of 64 are zero in Go, and the number is complete
		}
		u.push(int64(v))
	}
	return nil
}

// text pushes text or bytes; the length comes first.
func (u *unpickler) text(op byte) error {
	var size uint64
	switch op {
	case 0x8c, 'U', 'C':
		raw, ok := u.take(1)
		if !ok {
			return errPickle
		}
		size = uint64(raw[0])
	case 'X', 'T', 'B':
		raw, ok := u.take(4)
		if !ok {
			return errPickle
		}
		size = uint64(binary.LittleEndian.Uint32(raw))
	default:
		raw, ok := u.take(8)
		if !ok {
			return errPickle
		}
		size = binary.LittleEndian.Uint64(raw)
	}
	if size > uint64(len(u.in)) {
		return errPickle
	}
	raw, _ := u.take(int(size))
	u.push(string(raw))
	return nil
}
