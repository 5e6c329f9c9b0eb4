package imports

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"sweetspot/data/imports/source"
	"sweetspot/data/textfile"
	"sweetspot/engine/plaintext"
)

// maxFiles bounds what is found in folders.
const maxFiles = 100_000

// Found lists the files that paths name, those in folders sorted by name.
type Found struct {
	Files []source.File
	Named map[string]Named // by the path of a file
}

// Named is how a file was named.
type Named struct {
	Path     string // as the user wrote it
	InFolder bool   // the user only named the folder
}

// Files finds files at paths and in folders, at any depth. Hidden ones and links in
// folders are left out.
func Files(paths []string) (Found, error) {
	found := Found{Named: map[string]Named{}}
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil {
			return found, fmt.Errorf("%s cannot be read: %w", plaintext.Line(p, 200), textfile.Unreadable(err))
		}
		if !info.IsDir() {
			found.add(p, false)
			continue
		}
		err = filepath.WalkDir(p, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case path != p && strings.HasPrefix(d.Name(), "."):
				if d.IsDir() {
					return fs.SkipDir
				}
				return nil
			case !d.Type().IsRegular():
				return nil
			case len(found.Files) >= maxFiles:
				return fmt.Errorf("more than %d files; import folders one by one", maxFiles)
			}
			found.add(path, true)
			return nil
		})
		if err != nil {
			return found, fmt.Errorf("%s: %w", plaintext.Line(p, 200), textfile.Cause(err))
		}
	}
	return found, nil
}

// Matching returns what a path names: itself, or if it does not exist, the
// files that match it as a pattern such as logs/*.csv, sorted by name.
func Matching(path string) ([]string, error) {
	if _, err := os.Stat(path); err == nil || !strings.ContainsAny(path, "*?[") {
		return []string{path}, nil
	}
	found, err := filepath.Glob(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s is not a valid pattern: a [ is not closed", plaintext.Line(path, 200))
	case len(found) == 0:
		return nil, fmt.Errorf("no file matches %s", plaintext.Line(path, 200))
	}
	return found, nil
}

// add adds a file once, even if it is named several times.
func (f *Found) add(p string, inFolder bool) {
	file := File(p)
	if _, twice := f.Named[file.Path]; !twice {
		f.Named[file.Path] = Named{p, inFolder}
		f.Files = append(f.Files, file)
	}
}

// File is the file at a path; one compressed with gzip is decompressed.
func File(p string) source.File {
	whole := p
	if abs, err := filepath.Abs(p); err == nil {
		whole = abs
	}
	local := whole
	// A compressed table is named and told by what it holds, unless that lies
	// beside it.
	if plain, zipped := strings.CutSuffix(whole, ".gz"); zipped {
		if _, err := os.Lstat(plain); errors.Is(err, fs.ErrNotExist) {
			whole = plain
		}
	}
	var size int64
	if info, err := os.Stat(p); err == nil {
		size = info.Size() // of a compressed one, less than its content
	}
	return source.File{Path: filepath.ToSlash(whole), Size: size, Local: local, Open: func() (io.ReadCloser, error) {
		f, err := textfile.OpenFile(p)
		if err != nil {
			return nil, textfile.Cause(err)
		}
		return closing{textfile.Open(f), f}, nil
	}}
}

type closing struct {
	io.Reader
	io.Closer
}

// until is the file, whose reading ends with the context.
func until(ctx context.Context, f source.File) source.File {
	open := f.Open
	f.Until = ctx
	f.Open = func() (io.ReadCloser, error) {
		file, err := open()
		if err != nil {
			return nil, err
		}
		return closing{stopped{ctx, file}, file}, nil
	}
	return f
}

type stopped struct {
	ctx context.Context
	io.Reader
}

func (s stopped) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.Reader.Read(p)
}

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
