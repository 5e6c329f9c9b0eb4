// Package adapter turns the output of a script into events, for scripts that
// write no events and cannot be hooked into: the progress bars of Keras and
// tqdm, the log of MLPerf, or lines that match a regular expression. What the
// output does not show stays unknown, and a warning says what the times are
// based on.
package adapter

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"sweetspot/engine/estimate"
	"sweetspot/engine/plaintext"
	"sweetspot/probes/protocol"
)

// Kind is a form of output.
type Kind string

// The kinds. Auto tries all but Pattern and keeps the first that yields an
// iteration.
const (
	Auto    Kind = "auto"
	Keras   Kind = "keras"
	TQDM    Kind = "tqdm"
	MLLOG   Kind = "mllog"
	Pattern Kind = "pattern"
)

const (
	maxLine = 64 << 10 // bytes of a line; MLPerf's carry JSON
	// maxJump is the most steps between two lines; a faster counter counts
	// samples or bytes.
	maxJump = 10_000
)

// reader holds the state of one output format.
type reader interface {
	line(t float64, line string) []protocol.Event
}

// Adapter reads the output of one script, line by line. It is not safe for
// use by several goroutines.
type Adapter struct {
	kind    Kind
	readers []reader
	settled bool
	last    float64 // the latest time seen
}

// New returns an adapter. The pattern is for the kind Pattern alone.
func New(kind Kind, pattern string) (*Adapter, error) {
	if kind != Pattern && pattern != "" {
		return nil, fmt.Errorf("a pattern needs the adapter %s; leave out %s", Pattern, plaintext.Line(string(kind), 40))
	}
	switch kind {
	case Auto:
		return &Adapter{kind: kind, readers: []reader{&keras{}, newTQDM(), &mllog{}}}, nil
	case Keras:
		return &Adapter{kind: kind, readers: []reader{&keras{}}}, nil
	case TQDM:
		return &Adapter{kind: kind, readers: []reader{newTQDM()}}, nil
	case MLLOG:
		return &Adapter{kind: kind, readers: []reader{&mllog{}}}, nil
	case Pattern:
		r, err := newPattern(pattern)
		if err != nil {
			return nil, err
		}
		return &Adapter{kind: kind, readers: []reader{r}}, nil
	}
	return nil, fmt.Errorf("no adapter is called %q; there are auto, keras, tqdm, mllog and pattern",
		plaintext.Line(string(kind), 40))
}

// Kind is the kind of output that the adapter was made for.
func (a *Adapter) Kind() Kind { return a.kind }

// Line reads one line, or one drawing of a progress bar, that came t seconds
// after the start; lines come in the order of time. What cannot be true becomes a
// [protocol.Rejection].
func (a *Adapter) Line(t float64, line string) []protocol.Event {
	if math.IsNaN(t) || math.IsInf(t, 0) || t < a.last {
		t = a.last // a clock that went back cannot measure
	}
	a.last = t
	if len(line) > maxLine {
		return nil
	}
	line = strings.TrimSpace(plaintext.Clean(line))
	if line == "" {
		return nil
	}
	var events []protocol.Event
	for i, r := range a.readers {
		found := r.line(t, line)
		events = append(events, found...)
		if !a.settled && slices.ContainsFunc(found, isIteration) {
			a.settled = true
			a.readers = a.readers[i : i+1]
			break
		}
	}
	for i, e := range events {
		if unsound(e) {
			events[i] = protocol.Rejection{Why: fmt.Sprintf("%q: nothing takes that time or has that value",
				plaintext.Cut(line, 80))}
		}
	}
	return events
}

func isIteration(e protocol.Event) bool {
	_, ok := e.(protocol.Iteration)
	return ok
}

// unsound reports an event that must not pass: its time or its value cannot be.
func unsound(e protocol.Event) bool {
	switch e := e.(type) {
	case protocol.Iteration:
		return !estimate.Plausible(e.Seconds) || e.Units != nil && !estimate.Plausible(*e.Units)
	case protocol.Validation:
		return !estimate.Plausible(e.Seconds) || e.Value != nil && !(math.Abs(*e.Value) <= estimate.Largest)
	case protocol.Init:
		return !estimate.Plausible(e.Seconds)
	}
	return false
}

// bar is a step counter that is printed from time to time.
type bar struct {
	t     float64 // when it was last seen
	n     int     // what it said
	epoch int
	index int // steps reported so far, over all epochs
}

// advance reports the steps since the bar was last seen. Only their mean time
// is known, so each gets that.
func (b *bar) advance(t float64, n int) []protocol.Event {
	steps, seconds := n-b.n, t-b.t
	b.t, b.n = t, n
	if steps < 1 || steps > maxJump {
		return nil
	}
	events := make([]protocol.Event, 0, steps)
	for range steps {
		events = append(events, protocol.Iteration{T: new(t), Epoch: b.epoch, Index: new(b.index),
			Seconds: seconds / float64(steps)})
		b.index++
	}
	return events
}

// redrawn is the warning, given once, about times from a progress bar.
var redrawn = protocol.Warning{Message: "the times come from a progress bar: all steps between two updates get " +
	"their mean time, so single steps may vary more than shown"}

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
