package picker

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// folder is a tree with databases, other files and a hidden one.
func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, body := range map[string]string{"b.db": "12", "a.DB": "1", "notes.txt": "x", ".hidden.db": "x",
		"sub/inner.db": "123"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// drive runs keys and does what the picker asks for; it returns what was
// chosen.
func drive(p *Picker, pressed ...string) string {
	for _, k := range pressed {
		typed := ""
		if len([]rune(k)) == 1 {
			typed = k
		}
		if e := p.Key(k, typed); e.Load != "" {
			if chosen, ok := p.SetListing(p.Lister(e.Load)()); ok {
				return chosen
			}
		}
	}
	return ""
}

func opened(t *testing.T, dir string) *Picker {
	t.Helper()
	p := &Picker{}
	load := p.Open("Open a database", dir, []string{".db"})
	if _, ok := p.SetListing(p.Lister(load)()); ok {
		t.Fatal("a folder was chosen")
	}
	return p
}

func TestListShowsFoldersAndWantedFiles(t *testing.T) {
	l := List(folder(t), []string{".db"})
	var names []string
	for _, e := range l.Entries {
		names = append(names, e.Name)
	}
	if got := strings.Join(names, " "); got != "sub a.DB b.db" || l.Err != nil {
		t.Errorf("listed %q, %v", got, l.Err)
	}
}

func TestChoosing(t *testing.T) {
	dir := folder(t)
	for _, c := range []struct {
		name string
		keys []string
		want string
	}{
		{"by arrows", []string{"down", "enter"}, "a.DB"},
		{"by the end key", []string{"end", "enter"}, "b.db"},
		{"into a folder", []string{"enter", "enter"}, "sub/inner.db"},
		{"by typing a part", []string{"b", ".", "enter"}, "b.db"},
		{"there and back", []string{"enter", "left", "down", "enter"}, "a.DB"},
		{"backspace on nothing goes up", []string{"enter", "backspace", "end", "enter"}, "b.db"},
		{"by a typed path", strings.Split("sub/inner.db", ""), ""},
	} {
		got := drive(opened(t, dir), c.keys...)
		if c.want == "" {
			got = drive(opened(t, dir), append(c.keys, "enter")...)
			c.want = "sub/inner.db"
		}
		if got != filepath.Join(dir, c.want) {
			t.Errorf("%s: chose %q, want %q", c.name, got, c.want)
		}
	}
}

func TestSentencesForWhatCannotBeOpened(t *testing.T) {
	dir := folder(t)
	for _, c := range []struct {
		path, want string
	}{
		{"nowhere.db", "does not exist"},
		{"nowhere/x.db", "does not exist"},
		{"notes.txt", "is not a .db file"},
		{"evil\x1b[31m\n.db", "does not exist"},
	} {
		l := List(filepath.Join(dir, c.path), []string{".db"})
		if l.Err == nil || !strings.Contains(l.Err.Error(), c.want) || strings.ContainsAny(l.Err.Error(), "\n\x1b") {
			t.Errorf("%q: %v, want %q", c.path, l.Err, c.want)
		}
		p := opened(t, dir)
		p.SetListing(l)
		if got := ansi.Strip(p.View(theme.New("", true, false), 200, 20)); !p.Visible() || c.path == "notes.txt" &&
			len(dir) < 40 && !strings.Contains(got, c.want) {
			t.Errorf("%q: the picker closed or doesn't say why:\n%s", c.path, got)
		}
	}
}

func TestWhatTheDiskSaysBecomesASentence(t *testing.T) {
	dir := folder(t)
	if l := List(filepath.Join(dir, "b.db", "inner.db"), []string{".db"}); l.Err == nil ||
		!strings.Contains(l.Err.Error(), "choose another path") {
		t.Errorf("a file used as a folder: %v", l.Err)
	}
	denied := sentence("/root/x.db", &fs.PathError{Op: "stat", Path: "/root/x.db", Err: fs.ErrPermission})
	if denied.Error() != "/root/x.db can't be read: you have no permission for it" {
		t.Errorf("permission: %q", denied)
	}
}

func TestViewFits(t *testing.T) {
	th := theme.New("", true, false)
	p := opened(t, folder(t))
	for w := 1; w < 100; w += 3 {
		for h := 1; h < 30; h += 3 {
			lines := text.Lines(p.View(th, w, h))
			if len(lines) > h {
				t.Fatalf("%d×%d: %d lines", w, h, len(lines))
			}
			for _, l := range lines {
				if text.Width(l) > w {
					t.Fatalf("%d×%d: %d cells", w, h, text.Width(l))
				}
			}
		}
	}
	if p.Key("esc", ""); p.Visible() {
		t.Error("escape doesn't leave")
	}
}

func TestTypingCompletesAndErases(t *testing.T) {
	dir := folder(t)
	p := opened(t, dir)
	drive(p, "tab")
	if p.typed != "sub/" || len(p.shown) != 3 {
		t.Errorf("completed to %q with %d entries", p.typed, len(p.shown))
	}
	drive(p, "tab") // a path is not completed
	if drive(p, "backspace", "backspace"); p.typed != "su" || len(p.shown) != 1 {
		t.Errorf("erased to %q with %d entries", p.typed, len(p.shown))
	}
	drive(p, "backspace", "backspace", "down", "down", "right")
	if p.typed != "b.db" || p.here().Name != "b.db" {
		t.Errorf("completed to %q", p.typed)
	}
	drive(p, "z")
	if len(p.shown) != 0 || drive(p, "right") != "" || p.typed != "b.dbz" {
		t.Errorf("%d entries match %q", len(p.shown), p.typed)
	}
	p.Type(strings.Repeat("x", maxPath))
	if p.typed != "b.dbz" {
		t.Errorf("%d characters are typed", len(p.typed))
	}
	if drive(p, "enter"); !p.Visible() || p.err == "" {
		t.Errorf("a name that is not there: %q", p.err)
	}
	if drive(p, "backspace"); p.err == "" {
		t.Error("erasing hides what is wrong")
	}
	if drive(p, "q"); p.err != "" {
		t.Error("typing on leaves what was wrong")
	}
}

func TestMovesStayAmongTheEntries(t *testing.T) {
	p := opened(t, folder(t))
	p.View(theme.New("", true, false), 80, 6) // two entries in view
	for _, c := range []struct {
		key     string
		at, top int
	}{{"up", 0, 0}, {"pgdown", 2, 1}, {"pgup", 0, 0}, {"end", 2, 1}, {"down", 2, 1}, {"home", 0, 0}, {"down", 1, 0}} {
		drive(p, c.key)
		p.View(theme.New("", true, false), 80, 6)
		if p.at != c.at || p.top != c.top {
			t.Errorf("%s leads to entry %d, the first in view is %d", c.key, p.at, p.top)
		}
	}
	load := p.Key("left", "")
	if load.Load == "" || p.Key("left", "").Load != "" {
		t.Error("a folder is listed twice at once")
	}
	p.open = false
	if _, ok := p.SetListing(Listing{File: "late.db"}); ok {
		t.Error("a closed picker chooses")
	}
}

func TestSeveralFilesAreAFolderOrAPattern(t *testing.T) {
	dir := folder(t)
	several := func(keys ...string) (string, *Picker) {
		p := &Picker{}
		if _, ok := p.SetListing(p.Lister(p.OpenSeveral("Import", dir))()); ok || p.entries[0].Name != whole {
			t.Fatal("everything in the folder can't be chosen")
		}
		for _, k := range keys {
			typed := ""
			if len(k) == 1 {
				typed = k
			}
			switch e := p.Key(k, typed); {
			case e.Chosen != "":
				return e.Chosen, p
			case e.Load != "":
				if chosen, ok := p.SetListing(p.Lister(e.Load)()); ok {
					return chosen, p
				}
			}
		}
		return "", p
	}
	for want, keys := range map[string][]string{"": {"enter"}, "*.db": {"*", ".", "d", "b", "enter"},
		"sub": {"down", "enter", "enter"}, "notes.txt": {"n", "o", "t", "e", "s", ".", "t", "x", "t", "enter"}} {
		if got, p := several(keys...); got != filepath.Join(dir, want) || p.Visible() {
			t.Errorf("%v chooses %q, open %v", keys, got, p.Visible())
		}
	}
	if got, _ := several("."); got != "" {
		t.Errorf("a letter chooses %q", got)
	}
	if got, p := several(); got != "" || !strings.Contains(ansi.Strip(p.View(theme.New("", true, false), 90, 20)),
		"all files in this folder") {
		t.Error("nothing says what enter imports")
	}
}

func TestHomeAndNothingHere(t *testing.T) {
	dir := folder(t)
	t.Setenv("HOME", dir)
	for path, want := range map[string]string{"~": dir, "~/sub": filepath.Join(dir, "sub"), "": ""} {
		l := List(path, []string{".db"})
		if want == "" {
			want, _ = os.Getwd()
		}
		if l.Dir != want || l.Err != nil {
			t.Errorf("%q is %q, %v", path, l.Dir, l.Err)
		}
	}
	t.Setenv("HOME", "")
	if l := List("~/x", nil); l.Err == nil || !strings.Contains(l.Err.Error(), "write the path in full") {
		t.Errorf("without a home: %+v", l)
	}
	p := &Picker{}
	p.Open("Open", dir, []string{".none", Any, ".nix"})
	p.SetListing(p.Lister(filepath.Join(dir, "sub"))())
	p.entries, p.shown = nil, nil
	got := ansi.Strip(p.View(theme.New("", true, false), 90, 20))
	if !strings.Contains(got, "nothing here ends in .none, .nix") {
		t.Errorf("an empty folder:\n%s", got)
	}
	// A file of another name is chosen only where any may be.
	notes := filepath.Join(dir, "notes.txt")
	if l := List(notes, []string{".db", Any}); l.File != notes {
		t.Errorf("any file: %+v", l)
	}
	if l := List(notes, nil); l.File != notes {
		t.Errorf("no extension: %+v", l)
	}
}
