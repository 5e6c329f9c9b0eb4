// Package picker chooses a file: from a list of its folder, or by a typed
// path. The disk is read by [List], in a command of the caller's.
package picker

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sweetspot/data/textfile"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
	"sweetspot/tui/components/panel"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// Picker is the dialog.
type Picker struct {
	title      string
	extensions []string
	several    bool // a whole folder or a pattern can be chosen too
	open       bool
	loading    bool
	dir        string
	entries    []Entry // as listed
	shown      []int   // entries that match what is typed
	typed      string
	at         int
	top        int
	lines      int // entries visible as last drawn
	err        string
}

// Event is what a key led to. At most one field is set.
type Event struct {
	Load   string // list this path with [Picker.List] and give it to SetListing
	Chosen string // a folder or a pattern, of a picker for several files; it is closed
}

// Open shows the picker for files with one of the extensions and returns the
// path to list first.
func (p *Picker) Open(title, dir string, extensions []string) (load string) {
	*p = Picker{title: title, extensions: extensions, open: true, loading: true}
	dir = cmp.Or(dir, ".")
	return dir
}

// OpenSeveral shows the picker for any files: one, all of a folder, or those that
// match a pattern such as *.csv.
func (p *Picker) OpenSeveral(title, dir string) (load string) {
	load = p.Open(title, dir, nil)
	p.several = true
	return load
}

// Visible reports whether the picker is shown. While it is, keys are text.
func (p *Picker) Visible() bool { return p.open }

// Lister returns the function that lists a path as this picker wants it; it
// touches the disk and nothing of the picker.
func (p *Picker) Lister(path string) func() Listing {
	extensions := p.extensions
	return func() Listing { return List(path, extensions) }
}

// SetListing takes over what was listed. When it is a file, the picker closes
// and returns it.
func (p *Picker) SetListing(l Listing) (chosen string, ok bool) {
	if !p.open {
		return "", false
	}
	p.loading = false
	switch {
	case l.Err != nil:
		p.err = plaintext.Clean(l.Err.Error())
		return "", false
	case l.File != "":
		p.open = false
		return l.File, true
	}
	p.dir, p.entries, p.typed, p.err = l.Dir, l.Entries, "", ""
	if p.several {
		p.entries = slices.Insert(p.entries, 0, Entry{Name: whole, Dir: true})
	}
	p.match()
	return "", false
}

// Key handles a key press by name, with the text it typed, if any.
func (p *Picker) Key(key, typed string) Event {
	switch key {
	case "esc", "ctrl+c":
		p.open = false
	case "enter":
		return p.enter()
	case "left":
		return p.load(filepath.Dir(p.dir))
	case "right", "tab":
		p.complete()
	case "up", "down", "pgup", "pgdown", "home", "end":
		page, all := max(p.lines, 1), len(p.entries)
		p.move(map[string]int{"up": -1, "down": 1, "pgup": -page, "pgdown": page, "home": -all, "end": all}[key])
	case "backspace":
		r := []rune(p.typed)
		if len(r) == 0 {
			return p.load(filepath.Dir(p.dir))
		}
		p.typed = string(r[:len(r)-1])
		p.match()
	default:
		p.Type(typed)
	}
	return Event{}
}

// whole is the entry for everything in the folder shown.
const whole = "."

// maxPath bounds what is typed or pasted, in bytes.
const maxPath = 4096

// Type adds typed or pasted text to the path.
func (p *Picker) Type(s string) {
	if s = plaintext.Clean(s); s != "" && len(p.typed)+len(s) <= maxPath {
		p.typed += s
		p.err = ""
		p.match()
	}
}

func (p *Picker) load(path string) Event {
	if p.loading {
		return Event{}
	}
	p.loading = true
	return Event{Load: path}
}

// enter takes the typed path, or what is under the cursor. A typed name that
// matches one entry alone means that entry.
func (p *Picker) enter() Event {
	switch {
	case !p.several:
	case strings.ContainsAny(p.typed, "*?["):
		return p.choose(p.resolve(p.typed))
	case len(p.shown) > 0 && p.here().Name == whole && !p.isPath():
		return p.choose(p.dir)
	}
	if p.typed != "" && (p.isPath() || len(p.shown) == 0 || p.here().Name == p.typed) {
		return p.load(p.resolve(p.typed))
	}
	if len(p.shown) == 0 {
		return Event{}
	}
	return p.load(filepath.Join(p.dir, p.here().Name))
}

// choose closes the picker with a folder or a pattern.
func (p *Picker) choose(path string) Event {
	full, err := absolute(path)
	if err != nil {
		p.err = plaintext.Clean(err.Error())
		return Event{}
	}
	p.open = false
	return Event{Chosen: full}
}

// isPath reports whether the typed text is a path rather than part of a name.
func (p *Picker) isPath() bool { return strings.ContainsRune(p.typed, '/') || p.typed == "~" }

// resolve makes a typed path relative to the folder shown.
func (p *Picker) resolve(path string) string {
	if filepath.IsAbs(path) || strings.HasPrefix(path, "~") {
		return path
	}
	return filepath.Join(p.dir, path)
}

// complete takes the name under the cursor over into the path.
func (p *Picker) complete() {
	if len(p.shown) > 0 && !p.isPath() {
		p.typed = p.here().Name
		if p.here().Dir {
			p.typed += "/"
		}
		p.match()
	}
}

// here is the entry under the cursor; there must be one.
func (p *Picker) here() Entry { return p.entries[p.shown[p.at]] }

func (p *Picker) move(n int) { p.at = min(max(p.at+n, 0), max(len(p.shown)-1, 0)) }

// match keeps the entries that contain what is typed.
func (p *Picker) match() {
	p.shown = p.shown[:0]
	needle := strings.ToLower(p.typed)
	for i, e := range p.entries {
		if p.isPath() || strings.Contains(strings.ToLower(e.Name), needle) {
			p.shown = append(p.shown, i)
		}
	}
	p.at, p.top = 0, 0
}

// View draws the picker in a box that fits into width × height cells.
func (p *Picker) View(th *theme.Theme, width, height int) string {
	width, height = min(width, 84), min(height, 24)
	w, h := panel.Inner(width, height)
	lines := []string{
		" " + th.Dim.Render("path ") + th.Key.Render(text.Clean(p.typed)) + th.Cursor.Render(" "),
		p.status(th),
	}
	p.lines = max(h-len(lines), 0)
	p.top = max(min(p.top, p.at), p.at-p.lines+1, 0)
	for i := p.top; i < min(p.top+p.lines, len(p.shown)); i++ {
		lines = append(lines, p.line(th, p.entries[p.shown[i]], i == p.at, w))
	}
	box := panel.Panel{Title: p.title, Note: text.Clean(p.dir), Focused: true}
	return box.Render(th, strings.Join(lines, "\n"), width, height)
}

// status is the line below the path.
func (p *Picker) status(th *theme.Theme) string {
	switch {
	case p.err != "":
		return " " + th.Bad.Render(p.err)
	case p.loading:
		return " " + th.Dim.Render("reading"+th.Symbols.Ellipsis)
	case p.several:
		return " " + th.Dim.Render("enter imports it, *.csv all matching files, left goes up a folder, esc cancels")
	case len(p.shown) == 0 && p.typed == "":
		ends := slices.DeleteFunc(slices.Clone(p.extensions), func(e string) bool { return e == Any })
		return " " + th.Dim.Render("nothing here ends in "+strings.Join(ends, ", "))
	}
	return " " + th.Dim.Render("enter opens, tab completes, left goes up a folder, esc cancels")
}

func (p *Picker) line(th *theme.Theme, e Entry, here bool, w int) string {
	mark, name, size := " ", text.Clean(e.Name), ""
	if here {
		mark = th.Symbols.Here
	}
	switch {
	case e.Name == whole:
		name = th.Key.Render("./") + th.Dim.Render(" all files in this folder")
	case e.Dir:
		name = th.Key.Render(name + "/")
	default:
		size = th.Dim.Render(quantity.Bytes(e.Size) + " ")
	}
	line := text.Ends(mark+" "+name, size, w)
	if here {
		return th.Selected.Over(line)
	}
	return line
}

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
	return fmt.Errorf("%s can't be read (%s): choose another path", plaintext.Clean(path),
		plaintext.Clean(textfile.Cause(err).Error()))
}
