package textfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"sweetspot/engine/plaintext"
)

// Items reads a JSON file item by item, each of bounded size, so that a file of
// gigabytes needs little memory.
type Items struct {
	File string // named in errors
	Unit string // what is counted
	At   int    // the item read last, from 1

	json *json.Decoder
	left *io.LimitedReader
	most int64 // bytes of an item
}

// NewItems returns a reader of a text, which is not yet read.
func NewItems(text io.Reader, unit string, most int64) *Items {
	left := &io.LimitedReader{R: plaintext.Unmarked(text), N: most}
	return &Items{Unit: unit, json: json.NewDecoder(left), left: left, most: most}
}

// More reports whether the list or object goes on.
func (e *Items) More() bool {
	e.left.N = e.most
	return e.json.More()
}

// token reads the next token of the file's frame.
func (e *Items) token() (json.Token, error) {
	e.left.N = e.most
	t, err := e.json.Token()
	return t, e.refuse(err)
}

// Enter reads the opening delimiter of a list or an object.
func (e *Items) Enter(d json.Delim) error {
	t, err := e.token()
	if err == nil && t != d {
		err = e.Wrong("found %s instead of %s; is this the right file?", plaintext.Quote(fmt.Sprint(t)), d)
	}
	return err
}

// Leave reads the closing delimiter, once there is no more.
func (e *Items) Leave() error {
	_, err := e.json.Token()
	if err != nil {
		e.At++ // the next item should have come here
	}
	return e.refuse(err)
}

// End refuses what follows after the whole document.
func (e *Items) End() error {
	e.At++
	switch _, err := e.json.Token(); {
	case err == nil:
		return e.Wrong("is followed by more; keep one document per file")
	case !errors.Is(err, io.EOF):
		return e.refuse(err)
	}
	e.At--
	return nil
}

// Next reads the next item.
func (e *Items) Next(to any) error {
	e.left.N = e.most
	e.At++
	return e.refuse(e.json.Decode(to))
}

// Skip passes over the next item.
func (e *Items) Skip() error { return e.Next(&skipped{}) }

type skipped struct{}

func (*skipped) UnmarshalJSON([]byte) error { return nil }

// Each reads an object key by key; read must consume the value.
func (e *Items) Each(read func(key string) error) error {
	if err := e.Enter('{'); err != nil {
		return err
	}
	for e.More() {
		key, err := e.token()
		if err != nil {
			return err
		}
		name, _ := key.(string) // the decoder takes nothing else for a key
		if err := read(name); err != nil {
			return err
		}
	}
	return e.Leave()
}

// Wrong returns an error about the item read last.
func (e *Items) Wrong(format string, args ...any) error {
	return &Error{File: e.File, Unit: e.Unit, Row: max(e.At, 1), What: fmt.Sprintf(format, args...)}
}

// refuse describes the decoder's errors. The decoder reads ahead, so a used-up
// limit matters only if it failed.
func (e *Items) refuse(err error) error {
	var ours *Error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrDamaged):
		return e.Wrong("%s", ErrDamaged.Error())
	case e.left.N <= 0:
		return e.Wrong("is longer than %d MiB; is a quote or a bracket left open?", e.most>>20)
	case errors.As(err, &ours):
		return e.Wrong("%s", ours.What)
	}
	if what := WrongJSON(err); what != "" {
		return e.Wrong("%s", what)
	}
	return fmt.Errorf("reading %s %d: %w", e.Unit, e.At, err)
}

// WrongJSON says what is wrong where JSON cannot be decoded; "" for an error that
// is not the content's.
func WrongJSON(err error) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.As(err, &syntax) && strings.HasPrefix(syntax.Error(), "unexpected end"):
		return "the file is cut off here; fetch it again"
	case errors.As(err, &syntax):
		return "is not valid JSON: " + plaintext.Line(syntax.Error(), 100)
	case errors.As(err, &kind) && kind.Field != "":
		return fmt.Sprintf("%s is a %s, which is unexpected there", Text(kind.Field), Text(kind.Value))
	case errors.As(err, &kind):
		return fmt.Sprintf("has a %s out of place; is this the right file?", Text(kind.Value))
	}
	return ""
}
