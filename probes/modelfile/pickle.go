package modelfile

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
)

// The values that a pickle decodes to. Nothing is called: a class is its name,
// an object a class with its arguments. Other values are nil, bool, int64,
// float64, string and []any for lists and tuples.
type (
	class struct{ module, name string }
	// object is a class with the arguments of its constructor, and its state.
	object struct {
		class class
		args  []any
		state any
		pairs *dict // items set on it, as on an OrderedDict
	}
	// persistent refers to data outside the pickle: a storage of values.
	persistent struct{ id any }
	// list is shared by everything that refers to it.
	list struct{ items []any }
	// dict keeps its order. Only keys that are text matter.
	dict struct{ items []item }
	item struct {
		key   string
		value any
	}
	mark struct{}
)

const maxObjects = 2_000_000

var errPickle = errors.New("holds a damaged or unknown pickle; save the model again with torch.jit.save or torch.save")

// unpickler runs a pickle's instructions, those of protocols 2 to 5 that
// PyTorch writes: docs.python.org/3/library/pickletools.html. The usual
// libraries trust the lengths in the file; this one is bounded by the file's
// size and a limit on objects.
type unpickler struct {
	in      []byte
	stack   []any
	memo    map[int]any
	objects int
	err     error // the first; nothing is read or pushed after it
}

func unpickle(in []byte) (value any, err error) {
	u := &unpickler{in: in, memo: map[int]any{}}
	for u.err == nil {
		op := u.take(1)
		if op != nil && op[0] == '.' {
			value = u.pop()
			return value, u.err
		}
		u.count(1)
		if u.err == nil {
			u.do(op[0])
		}
	}
	return nil, u.err
}

func (u *unpickler) fail(err error) {
	if u.err == nil {
		u.err = err
	}
}

// count bounds what is built: without it an adversary could copy a long stack
// over and over.
func (u *unpickler) count(objects int) {
	if u.objects += objects; u.objects > maxObjects {
		u.fail(errTooMuch)
	}
}

// take returns the next bytes, nil where there are not so many.
func (u *unpickler) take(n int) []byte {
	if n < 0 || n > len(u.in) {
		u.fail(errPickle)
		return nil
	}
	out := u.in[:n]
	u.in = u.in[n:]
	return out
}

// unsigned is a number of the next bytes.
func (u *unpickler) unsigned(width int) (v uint64) {
	for i, b := range u.take(width) {
		v |= uint64(b) << (8 * i)
	}
	return v
}

func (u *unpickler) line() string {
	text, rest, ok := bytes.Cut(u.in, []byte("\n"))
	if !ok {
		u.fail(errPickle)
	}
	u.in = rest
	return string(text)
}

func (u *unpickler) push(v any) { u.stack = append(u.stack, v) }

// top is what the stack ends with, nil where it is empty.
func (u *unpickler) top() any {
	if len(u.stack) == 0 {
		u.fail(errPickle)
		return nil
	}
	return u.stack[len(u.stack)-1]
}

func (u *unpickler) pop() any { return u.popN(1)[0] }

// popMark returns what was pushed since the last mark.
func (u *unpickler) popMark() []any {
	for i := len(u.stack) - 1; i >= 0; i-- {
		if _, ok := u.stack[i].(mark); ok {
			items := slices.Clone(u.stack[i+1:])
			u.stack = u.stack[:i]
			u.count(len(items))
			return items
		}
	}
	u.fail(errPickle)
	return nil
}

// popN returns the last n values, all nil where there are not so many.
func (u *unpickler) popN(n int) []any {
	if len(u.stack) < n {
		u.fail(errPickle)
		return make([]any, n)
	}
	items := slices.Clone(u.stack[len(u.stack)-n:])
	u.stack = u.stack[:len(u.stack)-n]
	return items
}

// do executes one instruction.
func (u *unpickler) do(op byte) {
	if u.constant(op) || u.remember(op) {
		return
	}
	switch op {
	case '(':
		u.push(mark{})
	case ')':
		u.push([]any(nil))
	case ']', 0x8f: // a set is a list here
		u.push(&list{})
	case '}':
		u.push(&dict{})
	case 0x85, 0x86, 0x87:
		u.push(u.popN(int(op-0x85) + 1))
	case 't', 0x91:
		u.push(u.popMark())
	case '0':
		u.pop()
	case '1':
		u.popMark()
	case 'a':
		u.extend(u.popN(1))
	case 'e', 0x90:
		u.extend(u.popMark())
	case 's':
		u.set(u.popN(2))
	case 'u':
		u.set(u.popMark())
	case 'c':
		u.push(class{u.line(), u.line()})
	case 0x93:
		items := u.popN(2)
		module, _ := items[0].(string)
		name, _ := items[1].(string)
		u.push(class{module, name})
	case 'Q':
		u.push(persistent{u.pop()})
	case 'R', 0x81:
		u.call(u.popN(2))
	case 0x92: // with keyword arguments
		u.call(u.popN(3))
	case 'b':
		state := u.pop()
		if o, ok := u.top().(*object); ok {
			o.state = state
		}
	default:
		u.fail(errPickle)
	}
}

// remember stores and fetches values, and skips framing; false for other
// instructions.
func (u *unpickler) remember(op byte) bool {
	switch op {
	case 0x80:
		u.take(1)
	case 0x95:
		u.take(8)
	case 'h':
		u.fetch(u.unsigned(1))
	case 'j':
		u.fetch(u.unsigned(4))
	case 'q':
		u.memo[int(u.unsigned(1))] = u.top()
	case 'r':
		u.memo[int(u.unsigned(4))] = u.top()
	case 0x94:
		u.memo[len(u.memo)] = u.top()
	default:
		return false
	}
	return true
}

func (u *unpickler) fetch(at uint64) {
	v, known := u.memo[int(at)]
	if !known {
		u.fail(errPickle)
	}
	u.push(v)
}

func (u *unpickler) extend(items []any) {
	if to, ok := u.top().(*list); ok {
		to.items = append(to.items, items...)
	}
}

// set puts pairs into a dict, or into an object that is like one.
func (u *unpickler) set(items []any) {
	var to *dict
	switch v := u.top().(type) {
	case *dict:
		to = v
	case *object:
		if v.pairs == nil {
			v.pairs = &dict{}
		}
		to = v.pairs
	}
	if to == nil || len(items)%2 != 0 {
		u.fail(errPickle)
		return
	}
	for i := 0; i < len(items); i += 2 {
		key, ok := items[i].(string)
		if n, whole := items[i].(int64); whole {
			key, ok = strconv.FormatInt(n, 10), true
		}
		if ok {
			to.items = append(to.items, item{key, items[i+1]})
		}
	}
}

// call records a class, or an unknown callable, with its arguments.
func (u *unpickler) call(items []any) {
	c, _ := items[0].(class)
	args, _ := items[1].([]any)
	u.push(&object{class: c, args: args})
}

// entries are the pairs of a dict, of an OrderedDict, or of anything like one.
func entries(v any) []item {
	switch v := v.(type) {
	case *dict:
		return v.items
	case *object:
		if v.pairs != nil {
			return v.pairs.items
		}
	}
	return nil
}

func (d *dict) get(key string) any {
	for i := len(d.items) - 1; i >= 0; i-- {
		if d.items[i].key == key {
			return d.items[i].value
		}
	}
	return nil
}

// attributes is the state of an object; nil if it has none.
func (o *object) attributes() *dict {
	switch s := o.state.(type) {
	case *dict:
		return s
	case []any: // (dict, slots)
		if len(s) > 0 {
			d, _ := s[0].(*dict)
			return d
		}
	}
	return nil
}

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
