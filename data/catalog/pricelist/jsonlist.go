package pricelist

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"sweetspot/data/textfile"
)

// entries reads a JSON file entry by entry, each of bounded size, so that a
// file of gigabytes needs little memory.
type entries struct {
	json *json.Decoder
	left *io.LimitedReader
	at   int // entry that was read last, from 1
}

func newEntries(text io.Reader) *entries {
	left := &io.LimitedReader{R: text, N: maxItemBytes}
	return &entries{json: json.NewDecoder(left), left: left}
}

// token reads the next token of the file's frame.
func (e *entries) token() (json.Token, error) {
	e.left.N = maxItemBytes
	t, err := e.json.Token()
	if err != nil {
		return nil, e.refuse(err)
	}
	return t, nil
}

// enter reads the opening delimiter of a list or an object.
func (e *entries) enter(d json.Delim) error {
	t, err := e.token()
	if err != nil {
		return err
	}
	if t != d {
		return e.wrong(fmt.Sprintf("found %.40q instead of %q; is this the right file?", fmt.Sprint(t), d.String()))
	}
	return nil
}

// next reads the next entry.
func (e *entries) next(to any) error {
	e.left.N = maxItemBytes
	e.at++
	if err := e.json.Decode(to); err != nil {
		return e.refuse(err)
	}
	return nil
}

func (e *entries) wrong(what string) error {
	return &textfile.Error{Unit: "entry", Row: max(e.at, 1), What: what}
}

// refuse describes the decoder's errors.
func (e *entries) refuse(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, textfile.ErrDamaged):
		return err
	case e.left.N <= 0:
		return e.wrong(fmt.Sprintf("is longer than %d MiB; is this the right file?", maxItemBytes>>20))
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return e.wrong("the file is cut off here; fetch it again")
	case errors.As(err, &syntax):
		return e.wrong("the file is not valid JSON from here on; fetch it again")
	case errors.As(err, &kind):
		return e.wrong(fmt.Sprintf("%.60q contains a %s, which is not expected there", kind.Field, kind.Value))
	}
	return fmt.Errorf("reading entry %d: %w", e.at, err)
}

// loose is a number that a file writes as a number, a string or null. Anything
// else, and N/A, is empty.
type loose string

func (l *loose) UnmarshalJSON(b []byte) error {
	b = bytes.TrimSpace(b)
	switch {
	case len(b) == 0 || bytes.Equal(b, []byte("null")) || b[0] == '{' || b[0] == '[' || b[0] == 't' || b[0] == 'f':
		*l = ""
	case b[0] == '"':
		var s string
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
		*l = loose(s)
	default:
		*l = loose(b)
	}
	return nil
}
