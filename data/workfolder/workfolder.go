// Package workfolder reads the folder of a script: which files a copy of it on another
// machine needs, and what sets up its environment there.
package workfolder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
)

// A copy of more is refused: on most connections it would take longer than a probe.
const (
	mostBytes = 512 << 20
	mostFiles = 50_000
)

// Files lists what a copy of the folder needs, as paths in it that begin with "./": what
// git tracks or would add, else everything but caches and environments.
func Files(ctx context.Context, folder string) ([]string, error) {
	home, err := os.UserHomeDir()
	if at, e := filepath.Abs(folder); e == nil && (err == nil && at == filepath.Clean(home) || at == "/") {
		return nil, fmt.Errorf("%s would be copied as a whole: start from the folder of the script, or name it with "+
			"--folder", plaintext.Clean(at))
	}
	l := list{root: folder, in: map[string]int64{}}
	if paths, ok := ofGit(ctx, folder); ok {
		for _, p := range paths {
			if err := l.add(p); err != nil {
				return nil, err
			}
		}
	} else if err := l.walk("."); err != nil {
		return nil, err
	}
	if len(l.paths) == 0 {
		return nil, fmt.Errorf("%s has no files to copy: start from the folder of the script, or name it with --folder",
			plaintext.Clean(folder))
	}
	return l.paths, nil
}

// ofGit are the paths that git tracks or would add; false where git does not know the
// folder.
func ofGit(ctx context.Context, folder string) (paths []string, ok bool) {
	cmd := exec.CommandContext(ctx, "git", "-C", folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	out, err := cmd.Output()
	if err != nil || len(out) == 0 { // it ignores the whole folder, or there is no git
		return nil, false
	}
	for p := range bytes.SplitSeq(out, []byte{0}) {
		if len(p) > 0 {
			paths = append(paths, string(p))
		}
	}
	slices.Sort(paths) // a file in conflict comes several times
	return slices.Compact(paths), true
}

// list gathers files until they are too many.
type list struct {
	root  string
	paths []string
	bytes int64
	in    map[string]int64 // bytes by first folder
}

// add adds a path that git names: a file, or the folder of a submodule.
func (l *list) add(path string) error {
	info, err := os.Lstat(filepath.Join(l.root, path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // deleted, and not yet committed
	case err != nil:
		return unreadable(err)
	case info.IsDir():
		return l.walk(path)
	case !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0:
		return nil // a socket or a device
	}
	path = filepath.ToSlash(path)
	l.paths = append(l.paths, "./"+path)
	if info.Mode().IsRegular() {
		first, _, _ := strings.Cut(path, "/")
		l.in[first] += info.Size()
		l.bytes += info.Size()
	}
	if l.bytes <= mostBytes && len(l.paths) <= mostFiles {
		return nil
	}
	largest := path
	for name, size := range l.in {
		if size > l.in[largest] {
			largest = name
		}
	}
	return fmt.Errorf("%s holds more than the %s MiB or %s files that are copied to a rented VM, most of them in %s: "+
		"name what the script does not need in .gitignore, and have it download its data",
		plaintext.Clean(l.root), quantity.Count(mostBytes>>20), quantity.Count(mostFiles), plaintext.Quote(largest))
}

// walk adds what is below a folder, but no caches and no environments.
func (l *list) walk(from string) error {
	return filepath.WalkDir(filepath.Join(l.root, from), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return unreadable(err)
		}
		if d.IsDir() {
			if isSpared(path, d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		inside, err := filepath.Rel(l.root, path)
		if err != nil {
			return err
		}
		return l.add(inside)
	})
}

func unreadable(err error) error {
	return fmt.Errorf("the folder of the script cannot be copied: %w; make it readable, or name it in .gitignore", err)
}

// spared are folders that a copy does without.
var spared = []string{".git", ".hg", ".svn", "__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".tox",
	".nox", ".ipynb_checkpoints", "node_modules", ".idea", ".vscode"}

// isSpared recognises environments by the file that makes them one.
func isSpared(path, name string) bool {
	if slices.Contains(spared, name) {
		return true
	}
	for _, mark := range []string{"pyvenv.cfg", "conda-meta"} {
		if _, err := os.Stat(filepath.Join(path, mark)); err == nil {
			return true
		}
	}
	return false
}
