package modelfile

import (
	"bytes"
	"errors"
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
}

func unpickle(in []byte) (value any, err error) {
	u := &unpickler{in: in, memo: map[int]any{}}
	for {
		op, ok := u.take(1)
		if !ok {
			return nil, errPickle
		}
		if op[0] == '.' {
			return u.pop()
		}
		if u.objects++; u.objects > maxObjects {
			return nil, errTooMuch
		}
		if err := u.do(op[0]); err != nil {
			return nil, err
		}
	}
}

func (u *unpickler) take(n int) ([]byte, bool) {
	if n < 0 || n > len(u.in) {
		return nil, false
	}
	out := u.in[:n]
	u.in = u.in[n:]
	return out, true
}

func (u *unpickler) line() (string, bool) {
	text, rest, ok := bytes.Cut(u.in, []byte("\n"))
	if ok {
		u.in = rest
	}
	return string(text), ok
}

func (u *unpickler) push(v any) { u.stack = append(u.stack, v) }

func (u *unpickler) pop() (any, error) {
	if len(u.stack) == 0 {
		return nil, errPickle
	}
	v := u.stack[len(u.stack)-1]
	u.stack = u.stack[:len(u.stack)-1]
	return v, nil
}

// popMark returns what was pushed since the last mark.
func (u *unpickler) popMark() ([]any, error) {
	for i := len(u.stack) - 1; i >= 0; i-- {
		if _, ok := u.stack[i].(mark); ok {
			items := append([]any(nil), u.stack[i+1:]...)
			u.stack = u.stack[:i]
			// Without this an adversary could copy a long stack over and over.
			if u.objects += len(items); u.objects > maxObjects {
				return nil, errTooMuch
			}
			return items, nil
		}
	}
	return nil, errPickle
}

func (u *unpickler) popN(n int) ([]any, error) {
	if len(u.stack) < n {
		return nil, errPickle
	}
	items := append([]any(nil), u.stack[len(u.stack)-n:]...)
	u.stack = u.stack[:len(u.stack)-n]
	return items, nil
}

// do executes one instruction.
func (u *unpickler) do(op byte) error {
	if done, err := u.constant(op); done {
		return err
	}
	if done, err := u.remember(op); done {
		return err
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
		items, err := u.popN(int(op-0x85) + 1)
		u.push(items)
		return err
	case 't', 0x91:
		items, err := u.popMark()
		u.push(items)
		return err
	case '0':
		_, err := u.pop()
		return err
	case '1':
		_, err := u.popMark()
		return err
	case 'a', 'e', 0x90:
		return u.extend(op)
	case 's', 'u':
		return u.set(op)
	case 'c', 0x93:
		return u.global(op)
	case 'Q':
		id, err := u.pop()
		u.push(persistent{id})
		return err
	case 'R', 0x81, 0x92:
		return u.call(op)
	case 'b':
		return u.build()
	default:
		return errPickle
	}
	return nil
}

// remember stores and fetches values, and skips framing.
func (u *unpickler) remember(op byte) (done bool, err error) {
	width, framing := map[byte]int{'q': 1, 'r': 4, 'h': 1, 'j': 4, 0x80: 1, 0x95: 8}[op]
	if op != 0x94 && !framing {
		return false, nil
	}
	raw, ok := u.take(width)
	if !ok {
		return true, errPickle
	}
	switch op {
	case 0x80, 0x95:
		return true, nil
	case 'h', 'j':
		v, known := u.memo[index(raw)]
		if !known {
			return true, errPickle
		}
		u.push(v)
		return true, nil
	}
	at := len(u.memo)
	if op != 0x94 {
		at = index(raw)
	}
	if len(u.stack) == 0 {
		return true, errPickle
	}
	u.memo[at] = u.stack[len(u.stack)-1]
	return true, nil
}

func index(raw []byte) int {
	v := 0
	for i, b := range raw {
		v |= int(b) << (8 * i)
	}
	return v
}

func (u *unpickler) extend(op byte) error {
	var items []any
	var err error
	if op == 'a' {
		items, err = u.popN(1)
	} else {
		items, err = u.popMark()
	}
	if err != nil {
		return err
	}
	if len(u.stack) == 0 {
		return errPickle
	}
	if to, ok := u.stack[len(u.stack)-1].(*list); ok {
		to.items = append(to.items, items...)
	}
	return nil
}

// set puts pairs into a dict, or into an object that is like one.
func (u *unpickler) set(op byte) error {
	var items []any
	var err error
	if op == 's' {
		items, err = u.popN(2)
	} else {
		items, err = u.popMark()
	}
	if err != nil {
		return err
	}
	if len(u.stack) == 0 || len(items)%2 != 0 {
		return errPickle
	}
	var to *dict
	switch v := u.stack[len(u.stack)-1].(type) {
	case *dict:
		to = v
	case *object:
		if v.pairs == nil {
			v.pairs = &dict{}
		}
		to = v.pairs
	default:
		return errPickle
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
	return nil
}

func (u *unpickler) global(op byte) error {
	var c class
	if op == 'c' {
		module, ok := u.line()
		name, named := u.line()
		if !ok || !named {
			return errPickle
		}
		c = class{module, name}
	} else {
		items, err := u.popN(2)
		if err != nil {
			return err
		}
		c.module, _ = items[0].(string)
		c.name, _ = items[1].(string)
	}
	u.push(c)
	return nil
}

// call records a class with its arguments. A few constructors of plain values
// are evaluated.
func (u *unpickler) call(op byte) error {
	n := 2
	if op == 0x92 { // with keyword arguments
		n = 3
	}
	items, err := u.popN(n)
	if err != nil {
		return err
	}
	c, ok := items[0].(class)
	if !ok {
		c = class{} // an unknown callable
	}
	args, _ := items[1].([]any)
	u.push(&object{class: c, args: args})
	return nil
}

func (u *unpickler) build() error {
	state, err := u.pop()
	if err != nil {
		return err
	}
	if len(u.stack) == 0 {
		return errPickle
	}
	if o, ok := u.stack[len(u.stack)-1].(*object); ok {
		o.state = state
	}
	return nil
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
