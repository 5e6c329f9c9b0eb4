package bundle

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
)

// Writer writes a bundle to memory.
type Writer struct {
	header Header
	out    bytes.Buffer
	zip    *gzip.Writer // nil before the first line
}

// NewWriter begins a bundle of a database of a layout.
func NewWriter(database string, layout int) *Writer {
	return &Writer{header: Header{"bundle", Format, layout, database}}
}

// Write adds an item, or rows.
func (w *Writer) Write(line any) error {
	if w.zip == nil {
		w.zip, _ = gzip.NewWriterLevel(&w.out, gzip.BestSpeed) // fails for unknown levels only
		if err := w.Write(w.header); err != nil {
			return err
		}
	}
	text, err := Encoded(line)
	if err == nil {
		_, err = w.zip.Write(text)
	}
	return err
}

// Len is about how many bytes the bundle has so far.
func (w *Writer) Len() int { return w.out.Len() }

// Bytes ends the bundle and returns it.
func (w *Writer) Bytes() ([]byte, error) {
	if w.zip == nil {
		return nil, nil
	}
	err := w.zip.Close()
	return w.out.Bytes(), err
}

// Encoded is a line of a bundle. The same values are the same bytes.
func Encoded(line any) ([]byte, error) {
	text, err := json.Marshal(line)
	return append(text, '\n'), err
}
