package jobtrace

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"sweetspot/engine/plaintext"
)

// Read returns the jobs of a trace in any of the formats. Errors about the
// content are of type [*Error].
func Read(r io.Reader) (*Trace, error) { return read(r, MaxJobs) }

// sniffed is how many bytes tell the formats apart. Pictures, databases and
// archives have a zero among their first bytes.
const sniffed = 1024

func read(r io.Reader, most int) (*Trace, error) {
	text, err := unzip(r)
	if err != nil {
		return nil, err
	}
	head, err := text.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) && len(head) == 0 {
		return nil, readError(1, err)
	}
	start := bytes.TrimSpace(head)
	switch {
	case bytes.IndexByte(head, 0) >= 0:
		return nil, &Error{Row: 1, What: "the file is no text; a job trace is CSV or JSON in UTF-8, plain or compressed with gzip"}
	case bytes.HasPrefix(start, []byte("{")):
		return nil, &Error{Row: 1, What: "the file is a JSON object; a Philly log is an array of jobs, in brackets"}
	case bytes.HasPrefix(start, []byte("[")):
		return readLog(text, most)
	}
	return readTable(text, most)
}

// unzip returns the text of a file without compression and byte order mark.
func unzip(r io.Reader) (*bufio.Reader, error) {
	file := bufio.NewReader(r)
	if magic, _ := file.Peek(2); string(magic) != "\x1f\x8b" {
		return bufio.NewReader(plaintext.Unmarked(file)), nil
	}
	zip, err := gzip.NewReader(file)
	if err != nil {
		return nil, readError(1, damage(err))
	}
	return bufio.NewReader(plaintext.Unmarked(unzipped{zip})), nil
}

type unzipped struct{ zip *gzip.Reader }

func (u unzipped) Read(p []byte) (int, error) {
	n, err := u.zip.Read(p)
	return n, damage(err)
}

const damaged = "the compressed file is cut off or damaged here; fetch it again"

var errDamaged = errors.New(damaged)

// damage tells a damaged file from one that can't be read, and its early end
// from that of the text within.
func damage(err error) error {
	var corrupt flate.CorruptInputError
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.As(err, &corrupt) {
		return errDamaged
	}
	return err
}

// readError turns an error of the file into a sentence with its row.
func readError(row int, err error) error {
	if errors.Is(err, errDamaged) {
		return &Error{Row: row, What: damaged}
	}
	return fmt.Errorf("reading row %d: %w", row, err)
}
