package modelfile

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// PyTorch writes zip archives, whose folders identify the format.

const (
	maxPickle = 64 << 20
	maxJSON   = 128 << 20
	maxCode   = 16 << 20
	maxRead   = 512 << 20 // of the file altogether, the archive's directory included
)

func isZip(head []byte) bool { return bytes.HasPrefix(head, []byte("PK\x03\x04")) }

// isOldSave recognises torch.save's first format, which begins with a pickled
// number.
func isOldSave(head []byte) bool {
	return bytes.HasPrefix(head, []byte("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"))
}

// sparing reads no more of a file than any model's description needs.
type sparing struct {
	r    io.ReaderAt
	left int64
}

func (s *sparing) ReadAt(p []byte, off int64) (int, error) {
	if s.left -= int64(len(p)); s.left < 0 {
		return 0, errTooMuch
	}
	return s.r.ReadAt(p, off)
}

// archive is a zip archive; names is without the top folder that most have.
type archive struct {
	names map[string]*zip.File
}

func readArchive(r io.ReaderAt, size int64) (Facts, error) {
	z, err := zip.NewReader(&sparing{r, maxRead}, size)
	if err != nil {
		if errors.Is(err, errTooMuch) {
			return Facts{}, errTooMuch
		}
		return Facts{}, errors.New("is a damaged zip archive or was cut off; copy or save it again")
	}
	if len(z.File) > maxParts {
		return Facts{}, errTooMuch
	}
	a := archive{names: map[string]*zip.File{}}
	for _, file := range z.File {
		name := file.Name
		a.names[name] = file
		if _, rest, ok := strings.Cut(name, "/"); ok && a.names[rest] == nil {
			a.names[rest] = file
		}
	}
	switch {
	case a.names["serialized_exported_program.json"] != nil:
		return readExported(a, "serialized_exported_program.json")
	case a.models() != "":
		return readExported(a, a.models())
	case a.names["data.pkl"] != nil:
		return readTorch(a)
	case a.names["data/aotinductor"] != nil || a.has("data/aotinductor/"):
		return Facts{}, errors.New("holds compiled code without its graph (AOTInductor); save the model with " +
			"torch.export.save as well")
	}
	return Facts{}, errNotModel
}

// models returns the graph of torch.export since PyTorch 2.8, models/NAME.json:
// the one called model, or the first; "" if there is none.
func (a archive) models() string {
	if a.names["models/model.json"] != nil {
		return "models/model.json"
	}
	first := ""
	for name := range a.names {
		if strings.HasPrefix(name, "models/") && strings.HasSuffix(name, ".json") && (first == "" || name < first) {
			first = name
		}
	}
	return first
}

func (a archive) has(folder string) bool {
	for name := range a.names {
		if strings.HasPrefix(name, folder) {
			return true
		}
	}
	return false
}

// read returns a file of the archive. It does not trust the size that the
// archive states.
func (a archive) read(name string, limit int64) ([]byte, error) {
	in, err := a.names[name].Open()
	if err == nil {
		defer in.Close()
		var data []byte
		if data, err = io.ReadAll(io.LimitReader(in, limit+1)); err == nil && int64(len(data)) > limit {
			return nil, errTooMuch
		}
		if err == nil {
			return data, nil
		}
	}
	if errors.Is(err, errTooMuch) {
		return nil, errTooMuch
	}
	return nil, fmt.Errorf("has a damaged %s inside; copy or save it again", clean(name))
}
