package session

import (
	"bytes"
	"io"

	"sweetspot/probes/protocol"
)

// pass hands on what a script writes, byte for byte and at once, to whoever reads it and
// to give. Of give it keeps back only lines that are events: a line that begins like one
// is held until its end.
type pass struct {
	in   io.Reader
	give func([]byte)

	line bool   // in the middle of a line
	held []byte // the line so far, if it may be an event
}

func (s *pass) Read(p []byte) (int, error) {
	n, err := s.in.Read(p)
	var ready []byte
	for rest := p[:n]; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n') + 1
		part := rest[:end]
		if end == 0 {
			part = rest
		}
		rest = rest[len(part):]
		ready = append(ready, s.take(part)...)
	}
	if err != nil && !protocol.IsEvent(s.held) {
		ready = append(ready, s.held...)
	}
	if err != nil {
		s.held = nil
	}
	if len(ready) > 0 {
		s.give(ready)
	}
	return n, err
}

// take returns what can be given now that a part of a line is there, which may be all of it.
func (s *pass) take(part []byte) []byte {
	ended := part[len(part)-1] == '\n'
	if s.held == nil && (s.line || part[0] != '{') {
		s.line = !ended
		return part
	}
	s.held = append(s.held, part...)
	if !ended && len(s.held) <= protocol.MaxLine {
		return nil
	}
	line := s.held
	s.held, s.line = nil, !ended
	if protocol.IsEvent(line) {
		return nil
	}
	return line
}
