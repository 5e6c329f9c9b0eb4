package tui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"sweetspot/data/contract"
	"sweetspot/data/document"
	"sweetspot/data/store"
	"sweetspot/engine/quantity"
	"sweetspot/tui/components/toast"
	"sweetspot/tui/keys"
)

// arrive takes messages of slow commands until something holds.
func (d *driver) arrive(holds func() bool) {
	d.t.Helper()
	deadline := time.After(30 * time.Second)
	for !holds() {
		select {
		case msg := <-d.late:
			d.send(msg)
		case <-deadline:
			d.t.Fatalf("it never comes:\n%s", d.screen())
		}
	}
}

// enter has the dialog write, and waits for what is said of it.
func (d *driver) enter() {
	d.t.Helper()
	d.app.shell.Toast = toast.Toast{}
	d.press("enter")
	d.arrive(d.app.shell.Toast.Visible)
}

// name writes to a file of that name from the dialog's list.
func (d *driver) name(file string) {
	d.press("tab", "tab")
	d.send(tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl})
	d.send(tea.PasteMsg{Content: file})
	d.enter()
}

// to moves the dialog's cursor to a form.
func (d *driver) to(group, title string) document.Document {
	d.t.Helper()
	d.press("g")
	for range 30 {
		if doc := d.app.shell.Documents.Document(); doc.Group == group && doc.Title == title {
			return doc
		}
		d.press("j")
	}
	d.t.Fatalf("no form %s %s:\n%s", group, title, d.screen())
	return document.Document{}
}

// dated replaces the time of day, which frames must not hold.
var dated = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)

func TestExportFrames(t *testing.T) {
	for _, size := range []struct{ w, h int }{{120, 40}, {80, 24}, {50, 15}} {
		for _, form := range []string{"Terraform", "gcloud"} { // the selected VM is of AWS
			for _, shown := range []string{"list", "preview"} {
				t.Run(fmt.Sprintf("%dx%d/%s-%s", size.w, size.h, form, shown), func(t *testing.T) {
					d := drive(t, size.w, size.h, &shelf{set: published(t)})
					d.press("e")
					if d.to(document.Launch, form); shown == "preview" {
						d.press("tab")
					}
					d.exact()
					golden.RequireEqual(t, dated.ReplaceAll([]byte(d.screen()), []byte("2026-11-22T00:00:00Z")))
				})
			}
		}
	}
}

func TestExportDialogAtEverySizeLeavesAnExactFrame(t *testing.T) {
	sizes := []struct{ w, h int }{{80, 24}, {20, 5}, {200, 50}, {120, 40}, {64, 18}, {63, 18}, {50, 15}, {40, 10}}
	if testing.Short() {
		sizes = sizes[:2] // a race depends on the key, not on the size
	}
	for _, size := range sizes {
		d := drive(t, size.w, size.h, &shelf{set: published(t)})
		d.press("e")
		for range d.app.shell.Documents.Document().Name {
			for _, key := range []string{"tab", "tab", "left", "tab", "j"} {
				d.press(key)
				d.exact()
			}
		}
	}
}

// What is written is what was shown, and what the writers of the command line
// write.
func TestWhatIsWrittenIsThePreview(t *testing.T) {
	t.Chdir(t.TempDir())
	d := drive(t, 200, 50, &shelf{set: published(t)})
	d.press("e")
	e := d.explore()
	i, _ := e.Selected()
	p := contract.NewPick(e.Answer().Result, i, time.Now(), "test", e.Answer().Tested)
	for i, doc := range document.Of(document.Subject{Pick: &p}) {
		if i > 0 {
			d.press("e")
		}
		d.to(doc.Group, doc.Title)
		if doc.Why != nil {
			d.enter()
			if s := d.screen(); !d.app.shell.Documents.Visible() || !strings.Contains(s, "write it as skypilot") {
				t.Errorf("%s: not refused:\n%s", doc.Title, s)
			}
			d.press("esc")
			continue
		}
		text, err := d.app.shell.Documents.Document().Text()
		if err != nil {
			t.Fatal(err)
		}
		shown := d.screen()
		for k, line := range slices.Collect(strings.Lines(text)) {
			if k == 8 {
				break
			}
			line = strings.TrimSuffix(line, "\n")
			if line = ansi.Truncate(line, 90, ""); !strings.Contains(shown, line) {
				t.Errorf("%s: line %d is not shown: %q\n%s", doc.Title, k+1, line, shown)
			}
		}
		d.enter()
		written, err := os.ReadFile(doc.Name)
		if err != nil || string(written) != text {
			t.Errorf("%s: %v: the file holds\n%s\nthe preview was of\n%s", doc.Title, err, written, text)
		}
		var verb bytes.Buffer
		if files, err := doc.Files(doc.Name); err != nil || files[0].Write(&verb) != nil ||
			!bytes.Equal(dated.ReplaceAll(written, nil), dated.ReplaceAll(verb.Bytes(), nil)) {
			t.Errorf("%s: %v: the command line writes\n%s\nnot\n%s", doc.Title, err, verb.Bytes(), written)
		}
		if d.app.shell.Documents.Visible() || !strings.Contains(d.screen(), "wrote "+doc.Name) {
			t.Errorf("%s: the dialog stays:\n%s", doc.Title, d.screen())
		}
	}
}

func TestReportsAndRankings(t *testing.T) {
	t.Chdir(t.TempDir())
	d := drive(t, 120, 40, &shelf{set: published(t)})
	for _, c := range []struct{ group, title, shown, file, holds string }{
		{document.Report, "HTML", "One page with all its pictures", "sweetspot-caffenet-report.html", "<!DOCTYPE html>"},
		{document.Report, "Markdown", "# CaffeNet · infer 1,000,000 images", "sweetspot-caffenet-report.md",
			"## The candidates"},
		{document.Ranking, "CSV", "rank,id,model", "sweetspot-caffenet-ranking.csv", "frontier_time"},
		{document.Ranking, "JSON", `"command": "rank"`, "sweetspot-caffenet-ranking.json", `"time_accuracy"`},
	} {
		d.press("e")
		d.to(c.group, c.title)
		d.arrive(func() bool { return strings.Contains(d.screen(), c.shown) })
		d.enter()
		if text, err := os.ReadFile(c.file); err != nil || !strings.Contains(string(text), c.holds) {
			t.Errorf("%s: %v in %.300s", c.file, err, text)
		}
	}
	if files, err := filepath.Glob("*.png"); err != nil || len(files) != 3 {
		t.Errorf("pictures beside the Markdown: %v, %v", files, err)
	}
}

// clipboard is what a command puts on the clipboard.
func clipboard(t *testing.T, cmd tea.Cmd) (text string) {
	t.Helper()
	if cmd == nil {
		return ""
	}
	msg := cmd()
	if batch, ok := msg.(tea.BatchMsg); ok {
		for _, c := range batch {
			text += clipboard(t, c)
		}
	} else if fmt.Sprintf("%T", msg) == "tea.setClipboardMsg" {
		return fmt.Sprint(msg)
	}
	return text
}

func TestTheClipboardGetsTheExactText(t *testing.T) {
	d := drive(t, 120, 40, &shelf{set: published(t)})
	d.press("e")
	for _, title := range []string{"Terraform", "Slurm"} {
		doc := d.to(document.Launch, title)
		want, err := doc.Text()
		if err != nil {
			t.Fatal(err)
		}
		_, cmd := d.app.Update(press("y"))
		_, cmd = d.app.Update(cmd())
		if got := clipboard(t, cmd); got != want {
			t.Errorf("%s: %q is copied, not %q", title, got, want)
		}
		if s := d.screen(); !strings.Contains(s, fmt.Sprintf("copied %s,", quantity.Several(len(want), "byte"))) ||
			!strings.Contains(s, "set-clipboard on") || !d.app.shell.Documents.Visible() {
			t.Errorf("nothing is said of it:\n%s", s)
		}
	}
	d.to(document.Launch, "gcloud")
	if _, cmd := d.app.Update(press("y")); clipboard(t, cmd) != "" {
		t.Error("a form that does not suit is copied")
	}
	for n, copied := range map[int]bool{74_994: true, 74_994 + 1: false} {
		cmd := d.app.shell.Copy(strings.Repeat("x", n))
		if got := clipboard(t, cmd); (len(got) == n) != copied {
			t.Errorf("of %d bytes %d are copied", n, len(got))
		}
		if refused := strings.Contains(d.screen(), "74,994 that terminals take"); refused == copied {
			t.Errorf("of %d bytes it says\n%s", n, d.screen())
		}
	}
}

func TestNothingIsOverwritten(t *testing.T) {
	t.Chdir(t.TempDir())
	const name = "sweetspot-caffenet.yaml"
	if err := os.WriteFile(name, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	d := drive(t, 120, 40, &shelf{set: published(t)})
	d.press("e", "enter")
	if s := d.screen(); !d.app.shell.Documents.Typing() ||
		!strings.Contains(s, name+" exists already: give another name") {
		t.Fatalf("not asked for another name:\n%s", s)
	}
	for range "yaml" {
		d.press("backspace")
	}
	d.press("q", ".", "y", "m", "l", "enter")
	if text, _ := os.ReadFile(name); string(text) != "mine" {
		t.Errorf("overwritten with %s", text)
	}
	if text, err := os.ReadFile("sweetspot-caffenet.q.yml"); err != nil || !strings.Contains(string(text), "CaffeNet") ||
		d.app.shell.Documents.Visible() {
		t.Errorf("%v in %s\n%s", err, text, d.screen())
	}
	d.press("e")
	d.name("no/such/folder.yaml")
	if s := d.screen(); !strings.Contains(s, "cannot write no/such/folder.yaml: no such file or directory") ||
		!d.app.shell.Documents.Visible() {
		t.Errorf("a folder that is not there:\n%s", s)
	}
}

// A name that was typed stays as the form changes, but for its extension.
func TestTheTypedNameStays(t *testing.T) {
	d := drive(t, 120, 40, &shelf{set: published(t)})
	d.press("e", "tab", "tab")
	d.send(tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl})
	d.send(tea.PasteMsg{Content: "out/mine.yaml"})
	d.press("tab", "j")
	if got := d.app.shell.Documents.File(); got != "out/mine.json" {
		t.Errorf("of JSON it is %s", got)
	}
	d.press("k")
	if got := d.app.shell.Documents.File(); got != "out/mine.yaml" {
		t.Errorf("of YAML it is %s", got)
	}
}

// Whatever a database calls a model, the proposed name has no folder, quotes or
// control characters, and the frame holds none.
func TestHostileNamesOfFiles(t *testing.T) {
	safe := regexp.MustCompile(`^sweetspot[a-z0-9-]*\.[a-z]+$`)
	for _, model := range []string{"../../etc/passwd", "a'b\"c", "two\nlines", "\x1b[31mred\x1b]0;t\x07", "-rf", "", "..",
		"/", "größe 数", "$(id)", strings.Repeat("x", 500)} {
		candidate, err := json.Marshal(contract.Candidate{Model: model,
			Configuration: []contract.Part{{Count: 1, InstanceType: &model, Cloud: new("aws")}}})
		if err != nil {
			t.Fatal(err)
		}
		ws := &shelf{set: published(t), picks: []store.Pick{{ID: 1, Name: model, CreatedAt: time.Unix(0, 0),
			Query: []byte(`{}`), Candidate: candidate}}}
		d := drive(t, 120, 40, ws)
		d.press("5", "tab", "tab", "tab", "e")
		if !d.app.shell.Documents.Visible() {
			t.Fatalf("%q is not exported:\n%s", model, d.screen())
		}
		var seen []string
		for range 15 {
			name := d.app.shell.Documents.File()
			if seen = append(seen, name); !safe.MatchString(name) || filepath.Base(name) != name || len(name) > 100 {
				t.Errorf("%q makes the file %q", model, name)
			}
			d.exact()
			if strings.ContainsAny(d.screen(), "\x1b\x07") {
				t.Errorf("%q: the frame holds control characters", model)
			}
			d.press("j")
		}
		if slices.Sort(seen); len(slices.Compact(seen)) < 9 {
			t.Errorf("%q: %d names", model, len(seen))
		}
	}
}

// Keys of the table do what they say, and others nothing, while letters of a
// name are letters.
func TestKeysOfTheExportDialog(t *testing.T) {
	d := drive(t, 80, 24, &shelf{set: published(t)})
	d.press("e")
	d.to(document.Launch, "Terraform")
	before := d.screen()
	d.press("tab", "j", "j")
	if s := d.screen(); s == before || !strings.Contains(s, "lines 3 to ") {
		t.Errorf("the preview does not scroll:\n%s", s)
	}
	d.press("tab", "q", "?", "1")
	if got := d.app.shell.Documents.File(); got != "sweetspot-caffenet.tfq?1" {
		t.Errorf("the name is %q", got)
	}
	d.press("tab", "?")
	if !d.app.shell.Help.Visible() {
		t.Error("no help")
	}
	d.press("esc")
	for _, b := range keys.Default().Bindings() { // what is no key here changes nothing behind the dialog
		if b.Action != keys.Quit && b.Action != keys.Interrupt && b.Action != keys.Back && len(b.Only) > 0 &&
			!slices.Contains(b.Only, keys.InExport) {
			d.press(b.Keys[0])
		}
	}
	if d.app.shell.Line.Visible() || d.app.shell.Files.Visible() || d.explore().Disabled(keys.Undo) == "" ||
		!d.app.shell.Documents.Visible() {
		t.Errorf("a key went through:\n%s", d.screen())
	}
	d.press("3")
	if d.app.shell.Documents.Visible() || d.app.Shown() != keys.Fleet {
		t.Error("a screen's digit does not lead to it")
	}
	d.press("e", "esc")
	if d.app.shell.Documents.Visible() {
		t.Error("escape does not leave")
	}
}
