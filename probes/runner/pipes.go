package runner

import (
	"errors"
	"io"
	"os"
	"syscall"
	"time"
)

// pipes are the command's output streams; we hold the reading ends.
type pipes struct {
	read, write []*os.File
	kept        *os.File // the FIFO's writing end, held open so that the stream does not end between two writers
}

func (p *pipes) open() error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	p.read, p.write = append(p.read, r), append(p.write, w)
	return nil
}

// openFIFO opens both ends of a FIFO. The reading end comes first and does not
// wait for a writer.
func (p *pipes) openFIFO(path string) error {
	r, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	p.read = append(p.read, r)
	for range 2 {
		w, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return err
		}
		if p.kept == nil {
			p.kept = w
		} else {
			p.write = append(p.write, w)
		}
	}
	return nil
}

// started closes our copies of the writing ends, which the command now has.
func (p *pipes) started() {
	for _, w := range p.write {
		_ = w.Close()
	}
	p.write = nil
}

func (p *pipes) close() {
	for _, r := range p.read {
		_ = r.Close()
	}
	p.closeWriters()
}

func (p *pipes) closeWriters() {
	p.started()
	if p.kept != nil {
		_ = p.kept.Close()
	}
}

func (p *pipes) deadline(t time.Time) {
	for _, r := range p.read {
		_ = r.SetReadDeadline(t) // fails only if the stream was read to its end and closed
	}
}

// stream is the reading end of a pipe. It closes itself at the end of the
// stream or at the deadline that is set when the command has ended.
type stream struct {
	*os.File
	late int // bytes read after the deadline
}

// mostLate is more than a pipe holds.
const mostLate = 4 << 20

func (s *stream) Read(p []byte) (int, error) {
	n, err := s.File.Read(p)
	if errors.Is(err, os.ErrDeadlineExceeded) && s.late < mostLate {
		// What the command wrote is here, however late it is read.
		if raw, failed := s.SyscallConn(); failed == nil && raw.Control(func(fd uintptr) {
			n, _ = syscall.Read(int(fd), p) // does not wait
		}) == nil && n > 0 {
			s.late += n
			return n, nil
		}
		n = 0
	}
	if err != nil {
		_ = s.Close()
		if errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, os.ErrClosed) {
			err = io.EOF
		}
	}
	return n, err
}
