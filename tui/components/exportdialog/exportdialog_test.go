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
