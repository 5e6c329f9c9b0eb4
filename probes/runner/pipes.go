package runner

import (
	"errors"
	"io"
	"os"
	"time"
)

// pipes are the command's output streams, ours at the reading end.
type pipes struct{ read, write []*os.File }

func (p *pipes) open() error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	p.read, p.write = append(p.read, r), append(p.write, w)
	return nil
}

func (p *pipes) close() {
	for _, r := range p.read {
		_ = r.Close()
	}
	p.closeWriters()
}

func (p *pipes) closeWriters() {
	for _, w := range p.write {
		_ = w.Close()
	}
}

func (p *pipes) deadline(t time.Time) {
	for _, r := range p.read {
		_ = r.SetReadDeadline(t) // fails only on a stream that was read to its end and closed
	}
}

// stream is the reading end of a pipe. It closes itself at its end, which is
// also reached at the deadline set when the command has ended.
type stream struct{ *os.File }

func (s *stream) Read(p []byte) (int, error) {
	n, err := s.File.Read(p)
	if err != nil {
		_ = s.Close()
		if errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, os.ErrClosed) {
			err = io.EOF
		}
	}
	return n, err
}
