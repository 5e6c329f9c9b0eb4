package protocol

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"sweetspot/engine/plaintext"
)

const (
	// MaxLine is the length of the longest accepted line in bytes.
	MaxLine = 1 << 20
	// maxLog is the number of runes of a log line that are kept.
	maxLog = 2000
)

// Item is the result of one line: an event, log text or a rejection. Other
// lines (an unknown event, an empty line) are skipped.
type Item struct {
	Line     int    // from 1
	Event    Event  // nil unless the line is an event
	Log      string // cleaned; "" unless the line is log text
	Rejected string // why the line was rejected; "" if it was not
}

// Reader splits a stream into items. It holds at most one line of [MaxLine].
type Reader struct {
	in   *bufio.Reader
	line int
	buf  []byte
}

// NewReader returns a Reader of r.
func NewReader(r io.Reader) *Reader { return &Reader{in: bufio.NewReaderSize(r, 64<<10)} }

// Next returns the next item. The error is that of the underlying reader,
// io.EOF at its end.
func (r *Reader) Next() (Item, error) {
	for {
		line, long, err := r.readLine()
		if len(line) == 0 && !long && err != nil {
			return Item{}, err
		}
		r.line++
		item := Item{Line: r.line}
		if long {
			item.Rejected = fmt.Sprintf("line %d is longer than 1 MiB", r.line)
		} else if item, err = r.classify(item, line); err != nil {
			item.Rejected = fmt.Sprintf("line %d: %v", r.line, err)
		}
		if item.Rejected != "" || item.Event != nil || item.Log != "" {
			return item, nil
		}
	}
}

// readLine returns the next line without its end, or long when it was over
// MaxLine and has been skipped. An error comes with the last, unended line.
func (r *Reader) readLine() (line []byte, long bool, err error) {
	r.buf = r.buf[:0]
	for {
		part, err := r.in.ReadSlice('\n')
		if !long && len(r.buf)+len(bytes.TrimRight(part, "\r\n")) > MaxLine {
			long = true
		}
		full := errors.Is(err, bufio.ErrBufferFull)
		if !long {
			if !full && len(r.buf) == 0 {
				return bytes.TrimRight(part, "\r\n"), false, err
			}
			r.buf = append(r.buf, part...)
		}
		if !full {
			line = bytes.TrimRight(r.buf, "\r\n")
			if cap(r.buf) > 256<<10 {
				r.buf = nil // a long line must not keep its memory for the rest of the run
			}
			return line, long, err
		}
	}
}

func (r *Reader) classify(item Item, line []byte) (Item, error) {
	if trimmed := bytes.TrimSpace(line); len(trimmed) > 0 && trimmed[0] == '{' {
		event, isEvent, err := parse(trimmed)
		if isEvent || err != nil {
			item.Event = event
			return item, err
		}
	}
	item.Log = plaintext.Line(string(line), maxLog)
	return item, nil
}
