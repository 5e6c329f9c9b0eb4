package bundle

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"sweetspot/engine/plaintext"
)

// Reader reads the lines of a bundle.
type Reader struct {
	Header Header
	lines  *bufio.Reader
	left   int64 // bytes that may follow
	run    bool  // rows may follow
	line   int
}

// NewReader begins to read a bundle. Its layout may be at most the given one: a newer program
// may have written what this one would lose.
func NewReader(content []byte, layout int) (*Reader, error) {
	unzipped, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil, errDamaged(1, "it is not gzipped")
	}
	r := &Reader{lines: bufio.NewReaderSize(unzipped, 64<<10), left: MaxUnpacked}
	if err := r.next(&r.Header, false); err != nil {
		if errors.Is(err, io.EOF) {
			err = errDamaged(1, "it is empty")
		}
		return nil, err
	}
	switch h := r.Header; {
	case h.Sweetspot != "bundle":
		return nil, errDamaged(1, "it has no header")
	case h.Format > Format || h.Layout > layout:
		return nil, &Error{What: fmt.Sprintf("it was written by a newer sweetspot (layout %d, this one knows %d)", h.Layout,
			layout), Mend: "update sweetspot and sync again"}
	case h.Format < 1 || h.Layout < 1 || !databaseForm.MatchString(h.Database):
		return nil, errDamaged(1, "its format is unknown")
	}
	return r, nil
}

// errDamaged says what is wrong with a line.
func errDamaged(line int, what string) error {
	return Damaged(fmt.Sprintf("it is damaged (line %d: %s)", line, plaintext.Line(what, 120)))
}

// Damaged is an error about a bundle that its database has to write again.
func Damaged(what string) error {
	return &Error{What: what, Mend: "delete that file, and whoever has its runs writes them again at the next sync"}
}

// Next returns the next line, or [io.EOF] after the last one.
func (r *Reader) Next() (line Line, err error) {
	var both struct {
		Kind      Kind                `json:"kind"`
		Mark      string              `json:"mark"`
		Registers map[string]Register `json:"registers"`
		Content   *Content            `json:"content"`
		Rows
	}
	if err := r.next(&both, true); err != nil {
		return line, err
	}
	if both.Table != "" {
		if !r.run {
			return line, r.wrong("rows without a run")
		}
		return Line{Rows: &both.Rows}, r.checkRows(both.Rows)
	}
	item := &Item{Kind: both.Kind, Mark: both.Mark, Registers: both.Registers, Content: both.Content}
	r.run = item.Kind == Run && item.Content != nil
	if what := item.wrong(); what != "" {
		return line, r.wrong(what)
	}
	return Line{Item: item}, nil
}

func (r *Reader) wrong(what string) error { return errDamaged(r.line, what) }

// next reads a line into a value. Numbers stay as they are written.
func (r *Reader) next(to any, numbers bool) error {
	var text []byte
	for {
		part, err := r.lines.ReadSlice('\n')
		r.left -= int64(len(part))
		if len(text)+len(part) > maxLine || r.left < 0 {
			return &Error{What: "it is too large", Mend: "delete that file if you do not know who wrote it"}
		}
		text = append(text, part...)
		if err == nil {
			break
		}
		if errors.Is(err, io.EOF) && len(text) == 0 {
			return io.EOF
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return errDamaged(r.line+1, "it ends within the line")
		}
	}
	r.line++
	if !utf8.Valid(text) {
		return r.wrong("it is not UTF-8")
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	if numbers {
		decoder.UseNumber()
	}
	if err := decoder.Decode(to); err != nil {
		return r.wrong("it is not the JSON that belongs there")
	}
	return nil
}

// wrong says what is wrong with an item; "" if nothing is.
func (i *Item) wrong() string {
	allowed, known := registers[i.Kind]
	switch {
	case !known:
		return "an unknown kind of item"
	case i.Mark == "" && i.Kind != Model || len(i.Mark) > maxText || plaintext.Clean(i.Mark) != i.Mark:
		return "a mark that no database gives"
	case i.Content != nil && !i.Content.valid():
		return "a version that no database gives"
	}
	for name, r := range i.Registers {
		if !slices.Contains(allowed, name) {
			return "something of an item that cannot be changed"
		}
		if !stampForm.MatchString(r.Stamp) {
			return "a stamp that no database gives"
		}
		if what := wrongValue(name, r.Value); what != "" {
			return what
		}
	}
	return ""
}

func wrongValue(name string, value json.RawMessage) string {
	texts := []string{}
	var err error
	switch name {
	case Name:
		if err = json.Unmarshal(value, &texts); err == nil && len(texts) != 2 {
			return "a run without a name"
		}
	case Note:
		texts = append(texts, "")
		err = json.Unmarshal(value, &texts[0])
	case Kept:
		var kept bool
		err = json.Unmarshal(value, &kept)
	case Value:
		if len(value) == 0 || value[0] != '{' {
			return "a value that is none"
		}
	}
	if err != nil || string(value) == "null" {
		return "a " + name + " that is none"
	}
	for _, text := range texts {
		if len(text) > maxText || plaintext.Clean(text) != text {
			return "a " + name + " that cannot be shown"
		}
	}
	var again any
	if json.Unmarshal(value, &again) == nil && name != Value {
		if canonical, err := json.Marshal(again); err != nil || !bytes.Equal(canonical, value) {
			return "a " + name + " that was written by another program"
		}
	}
	return ""
}

func (r *Reader) checkRows(rows Rows) error {
	for _, row := range rows.Rows {
		if len(row) != len(rows.Columns) {
			return r.wrong("a row that is too short or too long")
		}
	}
	return nil
}
