package server

import (
	"crypto/rand"
	"io"
	"slices"
	"sync"
	"sync/atomic"
)

// input is what a client types, for the reader of a program. That reader must not be left
// with keys that nobody takes any more: it would wait, and hold the screens, for ever. So
// at the end of a session a mark follows the last keys; once the screens have it, there
// are no others.
type input struct {
	from   io.Reader
	gone   func()        // is called when the client has closed its side
	chunks chan []byte   // what was typed
	seen   chan struct{} // holds one where something was typed
	ending chan struct{} // closed once no more is wanted
	over   chan struct{} // closed once nobody reads any more
	mark   string

	waiting atomic.Bool // something was typed that nobody has taken yet

	end   func() // closes ending
	close func() // closes over
	rest  []byte // of the chunk that is being read
	ended bool   // the mark was given
}

func newInput(from io.Reader, gone func()) *input {
	in := &input{from: from, gone: gone, chunks: make(chan []byte), seen: make(chan struct{}, 1),
		ending: make(chan struct{}), over: make(chan struct{}), mark: rand.Text()}
	in.end = sync.OnceFunc(func() { close(in.ending) })
	in.close = sync.OnceFunc(func() { close(in.over) })
	go in.pump()
	return in
}

// pump reads until the client has nothing more to say, or nobody listens.
func (in *input) pump() {
	var buffer [64]byte // so that little is taken before it is needed
	for {
		n, err := in.from.Read(buffer[:])
		if n > 0 {
			select {
			case in.seen <- struct{}{}:
			default:
			}
			in.waiting.Store(true)
			select {
			case in.chunks <- slices.Clone(buffer[:n]):
			case <-in.ending:
			case <-in.over:
				return
			}
			in.waiting.Store(false)
		}
		if err != nil {
			in.gone()
			return
		}
	}
}

// Read is what was typed, then the mark, pasted where no sequence is open, then the end.
func (in *input) Read(p []byte) (int, error) {
	if len(in.rest) == 0 {
		select {
		case <-in.ending:
			if in.ended {
				return 0, io.EOF
			}
			in.ended = true
			in.rest = []byte("\x1b\\\x1b[201~\x1b[200~" + in.mark + "\x1b[201~")
		default:
			select {
			case in.rest = <-in.chunks:
			case <-in.ending:
				return in.Read(p)
			case <-in.over:
				return 0, io.EOF
			}
		}
	}
	n := copy(p, in.rest)
	in.rest = in.rest[n:]
	return n, nil
}
