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

// Tables returns the lines of the CSV files in a folder, "" for the current one, that
// were written since a time, the newest last: Lightning's metrics.csv, timm's
// summary.csv, the log of Keras.
func Tables(dir string, since time.Time) [][]string {
	type file struct {
		path string
		at   time.Time
	}
	var found []file
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
		if info, err := e.Info(); err == nil && !info.ModTime().Before(since.Truncate(time.Second)) {
			found = append(found, file{path, info.ModTime()})
		}
		return nil
	})
	slices.SortFunc(found, func(a, b file) int { return a.at.Compare(b.at) })
	var out [][]string
	for _, f := range found[max(0, len(found)-mostFiles):] {
		if lines := linesOf(f.path); len(lines) > 1 {
			out = append(out, lines)
		}
	}
	return out
}

func linesOf(path string) (out []string) {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	s := bufio.NewScanner(io.LimitReader(f, mostBytes))
	for s.Scan() {
		out = append(out, s.Text())
	}
	return out
}
