package remote

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"
)

// The kinds of frames, as in python/frames.py.
const (
	kindEvents = 'e'
	kindStdout = 'o'
	kindStderr = 'r'
	kindNote   = 'n'
	kindExit   = 'x'
	kindStop   = 's'
	kindAlive  = 'a'
)

const (
	headBytes = 13
	maxFrame  = 4 << 20  // the agent's are shorter
	maxBanner = 1 << 20  // bytes that a login shell may print before the agent speaks
	shownLine = 200      // runes of such a line in a message
	keptText  = 16 << 10 // bytes of it that are kept
)

// frame is one piece of a stream. at is the time since the command began.
type frame struct {
	kind    byte
	at      time.Duration
	payload []byte
}

func (f frame) bytes() []byte {
	out := make([]byte, headBytes, headBytes+len(f.payload))
	out[0] = f.kind
	binary.BigEndian.PutUint32(out[1:], uint32(len(f.payload))) //nolint:gosec // below maxFrame
	binary.BigEndian.PutUint64(out[5:], uint64(f.at.Microseconds()))
	return append(out, f.payload...)
}

// readFrame reads the next frame. The error is io.EOF only between frames.
func readFrame(r io.Reader) (frame, error) {
	var head [headBytes]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return frame{}, err
	}
	size, micros := binary.BigEndian.Uint32(head[1:]), binary.BigEndian.Uint64(head[5:])
	const longest = uint64(1<<63-1) / uint64(time.Microsecond)
	if size > maxFrame || micros > longest {
		return frame{}, errors.New("the data received is not a frame of the agent")
	}
	f := frame{kind: head[0], at: time.Duration(micros) * time.Microsecond,
		payload: make([]byte, size)} //nolint:gosec // checked
	_, err := io.ReadFull(r, f.payload)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return f, err
}

// skipBanner reads up to the mark's line. What a login shell prints before it
// is ignored, except that its last line may say why no mark came.
func skipBanner(r *bufio.Reader, mark string) (last string, err error) {
	for read := 0; read < maxBanner; {
		line, err := r.ReadSlice('\n')
		read += len(line)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if string(bytes.TrimRight(line, "\r\n")) == mark {
			return "", nil
		}
		if text := bytes.TrimSpace(line); len(text) > 0 {
			last = string(text)
		}
		if err != nil {
			return last, err
		}
	}
	return last, fmt.Errorf("it prints more than 1 MiB at login")
}
