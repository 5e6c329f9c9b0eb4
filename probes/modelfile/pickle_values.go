package modelfile

// constant pushes a plain value that the instruction carries; false for other
// instructions.
func (u *unpickler) constant(op byte) bool {
	switch op {
	case 'N':
		u.push(nil)
	case 0x88, 0x89:
		u.push(op == 0x88)
	case 'K':
		u.push(int64(u.unsigned(1)))
	case 'M':
		u.push(int64(u.unsigned(2)))
	case 'J':
		u.push(int64(int32(u.unsigned(4))))
	case 'G':
		u.take(8)
		u.push(0.0) // floats do not matter for counting parameters
	case 0x8a:
		u.long(int(u.unsigned(1)))
	case 0x8c, 'U', 'C':
		u.text(u.unsigned(1))
	case 'X', 'T', 'B':
		u.text(u.unsigned(4))
	case 0x8d, 0x8e, 0x96:
		u.text(u.unsigned(8))
	default:
		return false
	}
	return true
}

// long pushes a signed number of so many bytes.
func (u *unpickler) long(width int) {
	if width > 8 {
		u.take(width)
		u.push(0.0) // no number of values is so long
		return
	}
	unused := 64 - 8*width
	u.push(int64(u.unsigned(width)<<unused) >> unused)
}

// text pushes text or bytes.
func (u *unpickler) text(size uint64) {
	if size > uint64(len(u.in)) {
		u.fail(errPickle)
		return
	}
	u.push(string(u.take(int(size))))
}
