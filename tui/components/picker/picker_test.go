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
