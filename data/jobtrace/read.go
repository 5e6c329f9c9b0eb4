package jobtrace

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"sweetspot/data/textfile"
)

// Read returns the jobs of a trace in any of the formats. Errors about the
// content are of type [*textfile.Error].
func Read(r io.Reader) (*Trace, error) { return read(r, MaxJobs) }

// sniffed is the number of bytes used to recognise the format. Images,
// databases and archives have a zero among their first bytes.
const sniffed = 1024

func read(r io.Reader, most int) (*Trace, error) {
	text, err := textfile.Open(r)
	if err != nil {
		return nil, readError(1, err)
	}
	head, err := text.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) && len(head) == 0 {
		return nil, readError(1, err)
	}
	start := bytes.TrimSpace(head)
	switch {
	case bytes.IndexByte(head, 0) >= 0:
		return nil, textfile.Wrong(1,
			"the file is not text; a job trace is CSV or JSON in UTF-8, plain or compressed with gzip")
	case bytes.HasPrefix(start, []byte("{")):
		return nil, textfile.Wrong(1, "the file is a JSON object; a Philly log is an array of jobs, in brackets")
	case bytes.HasPrefix(start, []byte("[")):
		return readLog(text, most)
	}
	return readTable(text, most)
}

// readError adds the row to an error of the file.
func readError(row int, err error) error {
	if errors.Is(err, textfile.ErrDamaged) {
		return &textfile.Error{Row: row, What: err.Error()}
	}
	return fmt.Errorf("reading row %d: %w", row, err)
}
