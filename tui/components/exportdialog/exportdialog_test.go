package exportdialog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"sweetspot/data/contract"
	"sweetspot/data/document"
	"sweetspot/tui/keys"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// written is a dialog on a text, its preview made.
func written(body string, err error) *Dialog {
	docs := document.Of(document.Subject{Fleet: func() (contract.Fleet, error) { return contract.Fleet{}, err }})
	docs[0].Outline = func() (string, error) { return body, err }
	docs[1].Why = errors.New("no\x1b[2J reason")
	d := &Dialog{}
	d.Open("subject\x1b[31m\n", docs)
	d.makePreview()
	return d
}

// makePreview makes the preview that is asked for.
func (d *Dialog) makePreview() { d.Receive(context.Background(), d.Preview(context.Background())()) }

func TestViewIsExactAndPlain(t *testing.T) {
	th := theme.New("", true, false)
	body := "a\ttab\n\x1b[31mred\x1b[0m\x07\n" + strings.Repeat("数", 500) + "\r\n" + strings.Repeat("line\n", 50)
	for _, d := range []*Dialog{written(body, nil), written("", nil), written("", errors.New("bad\x1b[2J")),
		written("\n\n\n", nil)} {
		for range 2 * int(parts) {
			for w := 4; w < 140; w += 3 {
				for h := 4; h < 50; h += 5 {
					lines := text.Lines(d.View(th, w, h))
					if len(lines) != min(h, tallest) {
						t.Fatalf("%d×%d: %d lines", w, h, len(lines))
					}
					for _, l := range lines {
						if text.Width(l) != min(w, widest) {
							t.Fatalf("%d×%d: %d cells: %q", w, h, text.Width(l), l)
						}
						if strings.ContainsAny(ansi.Strip(l), "\x1b\x07\t\r") {
							t.Fatalf("%d×%d: %q drives the terminal", w, h, l)
						}
					}
				}
			}
			if d.Key(keys.FocusNext); d.focus == forms {
				d.Key(keys.Down)
			}
		}
	}
}

func TestThePreviewScrollsToItsEnds(t *testing.T) {
	th := theme.New("", true, false)
	var body strings.Builder
	for i := range 100 {
		fmt.Fprintf(&body, "line %d.\n", i+1)
	}
	d := written(body.String(), nil)
	d.Key(keys.FocusNext)
	shows := func(what string) bool { return strings.Contains(ansi.Strip(d.View(th, 100, 23)), what) }
	shows("")
	for _, step := range []struct {
		key  keys.Action
		want string
	}{{keys.Top, "lines 1 to 18 of 100"}, {keys.Down, "lines 2 to 19 of 100"}, {keys.PageDown, "lines 20 to 37"},
		{keys.Bottom, "lines 83 to 100"}, {keys.PageDown, "lines 83 to 100"}, {keys.PageUp, "lines 65 to 82"}} {
		if d.Key(step.key); !shows(step.want) {
			t.Errorf("after %s not %q:\n%s", step.key, step.want, ansi.Strip(d.View(th, 100, 23)))
		}
	}
}

// A narrow dialog shows the forms or, where the keys are on it, the preview.
func TestANarrowDialogShowsOneOfTwo(t *testing.T) {
	th := theme.New("", true, false)
	d := written("the preview\n", nil)
	view := func() string { return ansi.Strip(d.View(th, sideBySide-1, 20)) }
	if got := view(); strings.Contains(got, "the preview") {
		t.Errorf("beside the forms:\n%s", got)
	}
	if d.Key(keys.FocusNext); !strings.Contains(view(), "the preview") {
		t.Errorf("instead of the preview:\n%s", view())
	}
	d.file.Set(strings.Repeat("long", 40))
	if got := view(); !strings.Contains(got, th.Symbols.Ellipsis+" ") {
		t.Errorf("a long name ends without a word:\n%s", got)
	}
}

func TestWhatCannotBeWrittenNeedsNoName(t *testing.T) {
	d := written("x\n", nil)
	d.Key(keys.Down) // to the form that does not suit
	for _, step := range []keys.Action{keys.FocusNext, keys.FocusNext, keys.FocusPrev, keys.FocusPrev} {
		if d.Key(step); d.Typing() {
			t.Errorf("after %s a name is typed", step)
		}
	}
	d.Key(keys.Up)
	if d.Key(keys.FocusPrev); !d.Typing() {
		t.Error("no name can be typed for one that does")
	}
}

// A preview that comes late, of an earlier opening, is dropped.
func TestLatePreviewsAreDropped(t *testing.T) {
	d := &Dialog{}
	docs := document.Of(document.Subject{Fleet: func() (contract.Fleet, error) { return contract.Fleet{}, nil }})
	d.Open("one", docs)
	late := d.Preview(t.Context())
	d.Open("another", docs)
	if d.Receive(t.Context(), late()); d.shown[0].ready {
		t.Error("an older preview is shown")
	}
}

// A text is asked for once, a file written once however often enter is pressed.
func TestEventsComeOnce(t *testing.T) {
	d := written("x\n", nil)
	for _, key := range []keys.Action{keys.Down, keys.Up} {
		if d.Key(key) != None || d.Preview(t.Context()) != nil {
			t.Error("a preview is made twice")
		}
	}
	if first, second := d.Key(keys.Enter), d.Key(keys.Enter); first != Write || second != None {
		t.Errorf("%d, %d", first, second)
	}
	d.Rename()
	if d.Key(keys.Enter) != Write {
		t.Error("not written after another name was given")
	}
	if d.Wrote(); d.Visible() {
		t.Error("the dialog stays")
	}
	d.Open("again",
		document.Of(document.Subject{Fleet: func() (contract.Fleet, error) { return contract.Fleet{}, io.EOF }}))
	if d.makePreview(); d.shown[d.at].why != "EOF" {
		t.Errorf("%+v", d.shown[d.at])
	}
}

// Without a name nothing is written, and while a file is the form stays.
func TestAFormIsWrittenUnderAName(t *testing.T) {
	d := written("x\n", nil)
	d.Key(keys.FocusPrev)
	d.file.Set("")
	d.Key(keys.FocusNext)
	if e := d.Key(keys.Enter); e != None || !d.Typing() {
		t.Errorf("event %d, the name is typed %v", e, d.Typing())
	}
	d.Type(" mine.x ")
	if d.File() != "mine.x" {
		t.Errorf("named %q", d.File())
	}
	if d.Key(keys.Enter) != Write {
		t.Error("a name is not enough")
	}
	at := d.at
	if d.move(at + 1); d.at != at {
		t.Error("the form changes while it is written")
	}
	d.Rename()
	d.move(at + 1)
	if d.at != at+1 {
		t.Error("the form stays")
	}
}

// A typed name goes along to another form, with its extension.
func TestNamesFollowTheForm(t *testing.T) {
	d := written("x\n", nil)
	other := 0
	for i, doc := range d.docs {
		if doc.Extension != d.docs[0].Extension && doc.Name != d.docs[0].Name {
			other = i
		}
	}
	if d.move(other); d.file.Value() != d.docs[other].Name {
		t.Errorf("the name that nobody typed becomes %q", d.file.Value())
	}
	d.move(0)
	d.file.Set("own" + d.docs[0].Extension)
	if d.move(other); d.file.Value() != "own"+d.docs[other].Extension {
		t.Errorf("the stem of a typed name becomes %q", d.file.Value())
	}
	for _, kept := range []string{"another.name", d.docs[other].Extension} {
		d.file.Set(kept)
		if d.move(0); d.file.Value() != kept {
			t.Errorf("%q becomes %q", kept, d.file.Value())
		}
		d.move(other)
	}
	for _, key := range []keys.Action{keys.Bottom, keys.Down} {
		if d.Key(key); d.at != len(d.docs)-1 {
			t.Errorf("%s leads to form %d of %d", key, d.at, len(d.docs))
		}
	}
	for _, key := range []keys.Action{keys.Top, keys.Up} {
		if d.Key(key); d.at != 0 {
			t.Errorf("%s leads to form %d", key, d.at)
		}
	}
	if d.Type("x"); strings.Contains(d.file.Value(), "x"+"x") || d.Typing() {
		t.Error("text goes to a name that is not typed")
	}
}

// The list keeps the form under the cursor in view, below its heading at the top.
func TestTheListScrollsToTheForm(t *testing.T) {
	th := theme.New("", true, false)
	d := written("x\n", nil)
	for _, key := range []keys.Action{keys.Down, keys.Up} {
		for range 2 * len(d.docs) {
			d.Key(key)
			view := ansi.Strip(d.View(th, 100, 12))
			if !strings.Contains(view, "▸ "+d.Document().Title[:3]) {
				t.Fatalf("form %d, %s, is out of sight:\n%s", d.at, d.Document().Title, view)
			}
		}
	}
	if got := ansi.Strip(d.View(th, 100, 12)); !strings.Contains(got, d.docs[0].Group) {
		t.Errorf("the first heading is out of sight:\n%s", got)
	}
	if got := plainLines(strings.Repeat("x\n", longest+5)); len(got) != longest+1 || got[longest] != "… and 5 more lines" {
		t.Errorf("%d lines, the last is %q", len(got), got[len(got)-1])
	}
	if got := plainLines(strings.Repeat("x\n", longest)); len(got) != longest {
		t.Errorf("%d lines of %d", len(got), longest)
	}
	for width, want := range map[int]string{sideBySide - 1: "tab shows the text", sideBySide: "─ file ──"} {
		if got := ansi.Strip(d.View(th, width, 20)); !strings.Contains(got, strings.Trim(want, "─ ")) ||
			strings.Contains(got, "tab shows") != (width < sideBySide) {
			t.Errorf("%d cells:\n%s", width, got)
		}
	}
}
