package imports

import (
	"io"
	"path"

	"sweetspot/data/imports/source"
)

// lineEnd reports whether a text lacks the final line end: programs that write
// tables row by row end every line.
type lineEnd struct{ lacks bool }

// watch wraps the file. Documents are not checked.
func (e *lineEnd) watch(f source.File) source.File {
	switch open := f.Open; path.Ext(f.Path) {
	case ".json", ".yaml", ".yml":
	default:
		f.Open = func() (io.ReadCloser, error) {
			file, err := open()
			if err != nil {
				return nil, err
			}
			return &watched{ReadCloser: file, end: e}, nil
		}
	}
	return f
}

type watched struct {
	io.ReadCloser
	end  *lineEnd
	last byte
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	if n > 0 {
		w.last = p[n-1]
	}
	if err == io.EOF {
		w.end.lacks = w.last != '\n' && w.last != '\r'
	}
	return n, err
}
