package metric

import (
	"bufio"
	"cmp"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Limits of the search for files of results, in folders deep, entries seen, files
// and bytes of one.
const (
	mostDepth   = 6
	mostEntries = 5000
	mostFiles   = 8
	mostBytes   = 4 << 20
)

// Existing is what CSV files had in them before a run, by their paths.
type Existing map[string]begun

// begun is how long a file was, in bytes, and how it ended: a run that appends leaves that as it is.
type begun struct {
	size int64
	end  string
}

// endLength is how much of a file's end tells it from another one that took its place.
const endLength = 256

// Before notes the CSV files in a folder, "" for the current one, that a run may append to.
func Before(dir string) Existing {
	out := Existing{}
	walk(dir, func(path string, info fs.FileInfo) {
		if f, err := os.Open(path); err == nil {
			out[path] = begun{info.Size(), endOf(f, info.Size())}
			_ = f.Close()
		}
	})
	return out
}

// endOf is what a file has before this many bytes.
func endOf(f *os.File, size int64) string {
	end := make([]byte, min(size, endLength))
	if _, err := f.ReadAt(end, size-int64(len(end))); err != nil {
		return ""
	}
	return string(end)
}

// Tables returns the lines of the CSV files in a folder, "" for the current one, that
// were written since a time, the newest last: Lightning's metrics.csv, timm's
// summary.csv, the log of Keras. Of one that the run appended to they are its first line, with
// the names, and those that were not there before. One that is no longer than before was
// written again, as by a script that is seeded.
func Tables(dir string, since time.Time, before Existing) [][]string {
	type file struct {
		path string
		at   time.Time
	}
	var found []file
	walk(dir, func(path string, info fs.FileInfo) {
		if !info.ModTime().Before(since.Truncate(time.Second)) {
			found = append(found, file{path, info.ModTime()})
		}
	})
	slices.SortFunc(found, func(a, b file) int { return a.at.Compare(b.at) })
	var out [][]string
	for _, f := range found[max(0, len(found)-mostFiles):] {
		if lines := linesOf(f.path, before[f.path]); len(lines) > 1 {
			out = append(out, lines)
		}
	}
	return out
}

// walk visits the CSV files in a folder.
func walk(dir string, visit func(path string, info fs.FileInfo)) {
	seen := 0
	root := cmp.Or(dir, ".")
	_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if seen++; seen > mostEntries {
			return fs.SkipAll
		}
		if err != nil {
			return nil // what can't be read is left out
		}
		below, _ := filepath.Rel(root, path)
		if e.IsDir() {
			if below != "." && (strings.HasPrefix(e.Name(), ".") || strings.Count(below,
				string(filepath.Separator)) >= mostDepth) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.EqualFold(filepath.Ext(path), ".csv") || !e.Type().IsRegular() {
			return nil
		}
		if info, err := e.Info(); err == nil {
			visit(path, info)
		}
		return nil
	})
}

func linesOf(path string, before begun) (out []string) {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	s := bufio.NewScanner(io.LimitReader(f, mostBytes))
	info, err := f.Stat()
	if err == nil && before.end != "" && info.Size() > before.size && endOf(f, before.size) == before.end {
		if s.Scan() {
			out = append(out, s.Text())
		}
		if _, err := f.Seek(before.size, io.SeekStart); err != nil {
			return nil
		}
		s = bufio.NewScanner(io.LimitReader(f, mostBytes))
	}
	for s.Scan() {
		out = append(out, s.Text())
	}
	return out
}
