package picker

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sweetspot/engine/plaintext"
)

// Entry is a file or a folder of a listing.
type Entry struct {
	Name string
	Dir  bool
	Size int64 // bytes
}

// Listing is the result of reading a path.
type Listing struct {
	Dir     string // the folder listed, absolute
	Entries []Entry
	File    string // set when the path is a file that can be chosen
	Err     error  // one sentence; Dir and Entries may be empty
}

// Any among the extensions lets a file of any name be typed; the list stays that
// of the others.
const Any = "*"

// List reads a folder, or finds that the path is a file. It touches the disk:
// call it from a command. Folders come first; of files only those with one of
// the extensions; names with a leading dot are left out. An empty path is the
// working folder, ~ the home folder.
func List(path string, extensions []string) Listing {
	full, err := absolute(path)
	if err != nil {
		return Listing{Err: err}
	}
	info, err := os.Stat(full)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Listing{Err: fmt.Errorf("%s does not exist: check the path", plaintext.Clean(full))}
	case err != nil:
		return Listing{Err: sentence(full, err)}
	case !info.IsDir():
		if !wanted(full, extensions) && !slices.Contains(extensions, Any) {
			is := strings.Join(extensions, " or ")
			return Listing{Err: fmt.Errorf("%s is not a %s file: choose another one", plaintext.Clean(full), is)}
		}
		return Listing{File: full}
	}
	files, err := os.ReadDir(full)
	if err != nil {
		return Listing{Err: sentence(full, err)}
	}
	l := Listing{Dir: full}
	for _, f := range files {
		if e, ok := entry(full, f, extensions); ok {
			l.Entries = append(l.Entries, e)
		}
	}
	slices.SortStableFunc(l.Entries, func(a, b Entry) int {
		if a.Dir != b.Dir {
			return map[bool]int{true: -1, false: 1}[a.Dir]
		}
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return l
}

func absolute(path string) (string, error) {
	if path == "~" || strings.HasPrefix(path, "~/") {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("the home folder isn't known: write the path in full")
		}
		path = filepath.Join(home, path[1:])
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return "", sentence(path, err)
	}
	return full, nil
}

// entry turns a directory entry into one of ours; links are followed.
func entry(dir string, f fs.DirEntry, extensions []string) (Entry, bool) {
	if strings.HasPrefix(f.Name(), ".") {
		return Entry{}, false
	}
	info, err := os.Stat(filepath.Join(dir, f.Name()))
	if err != nil || !info.IsDir() && (!info.Mode().IsRegular() || !wanted(f.Name(), extensions)) {
		return Entry{}, false
	}
	return Entry{f.Name(), info.IsDir(), info.Size()}, true
}

// wanted reports whether a name has one of the extensions, if any are given.
func wanted(name string, extensions []string) bool {
	is := func(e string) bool { return strings.EqualFold(filepath.Ext(name), e) }
	return len(extensions) == 0 || slices.ContainsFunc(extensions, is)
}

// sentence says what went wrong with a path.
func sentence(path string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%s can't be read: you have no permission for it", plaintext.Clean(path))
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("%s can't be read (%s): choose another path", plaintext.Clean(path), plaintext.Clean(err.Error()))
}
