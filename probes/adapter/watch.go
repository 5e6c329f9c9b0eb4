package adapter

import (
	"bytes"
	"io"
	"strings"
)

// Watch passes a script's output on unchanged and reports every line and every
// update of a progress bar as soon as it comes. A bar overwrites itself with
// carriage returns and ends its line only when it is complete, so a line reader
// would get all updates at once, without their times. seen is called by the
// goroutine that reads.
func Watch(r io.Reader, seen func(line string)) io.Reader { return &watch{in: r, seen: seen} }

type watch struct {
	in     io.Reader
	seen   func(string)
	line   []byte // the current line so far
	redraw bool   // the line began after a carriage return
	shown  int    // bytes of it that were reported
}

func (w *watch) Read(p []byte) (int, error) {
	n, err := w.in.Read(p)
	rest := p[:n]
	for len(rest) > 0 {
		i := bytes.IndexAny(rest, "\r\n")
		if i < 0 {
			w.add(rest)
			break
		}
		w.add(rest[:i])
		w.show()
		w.line, w.shown, w.redraw = w.line[:0], 0, rest[i] == '\r'
		rest = rest[i+1:]
	}
	// An update is written in one piece; the next one ends it.
	if w.redraw || err != nil {
		w.show()
	}
	return n, err
}

// add keeps one byte more than a line may have, so that too long a line is recognised.
func (w *watch) add(part []byte) {
	w.line = append(w.line, part[:min(len(part), max(maxLine+1-len(w.line), 0))]...)
}

func (w *watch) show() {
	if len(w.line) <= w.shown || len(w.line) > maxLine {
		return
	}
	w.shown = len(w.line)
	if text := string(w.line); strings.TrimSpace(text) != "" {
		w.seen(text)
	}
}
