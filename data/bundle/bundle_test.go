package bundle

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"
)

const stamp = "018bcfe568000001-a1"

func sample() []any {
	return []any{
		Item{Kind: Model, Mark: "net", Registers: map[string]Register{Value: {Value: json.RawMessage(`{"unit":"image"}`)}}},
		Item{Kind: Run, Mark: "recorded X", Registers: map[string]Register{Name: {stamp, json.RawMessage(`["net",""]`)},
			Note: {"", json.RawMessage(`"é"`)}, Kept: {stamp + "+", json.RawMessage(`true`)}},
			Content: &Content{Version: ContentVersion(stamp, 77, strings.Repeat("0", 64)),
				Columns: map[string]any{"mode": "train"}}},
		Rows{Table: "iterations", Columns: []string{"seq", "seconds"}, Rows: [][]any{{0, 0.25}, {1, 1e-9}}},
		Item{Kind: Pick, Mark: "abc", Registers: map[string]Register{Kept: {stamp, json.RawMessage(`false`)}}},
	}
}

func written(t testing.TB, lines ...any) []byte {
	w := NewWriter("a1", 16)
	for _, line := range lines {
		if err := w.Write(line); err != nil {
			t.Fatal(err)
		}
	}
	content, err := w.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// read returns the lines of a bundle as they are written again.
func read(content []byte) (lines []string, err error) {
	r, err := NewReader(content, 16)
	if err != nil {
		return nil, err
	}
	for {
		line, err := r.Next()
		if errors.Is(err, io.EOF) {
			return lines, nil
		}
		if err != nil {
			return lines, err
		}
		var what any = line.Item
		if line.Rows != nil {
			what = line.Rows
		}
		text, err := Encoded(what)
		if err != nil {
			return lines, err
		}
		lines = append(lines, string(text))
	}
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	got, err := read(written(t, sample()...))
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, line := range sample() {
		text, _ := Encoded(line)
		want = append(want, string(text))
	}
	if !slices.Equal(got, want) {
		t.Errorf("read\n%s\nwritten\n%s", got, want)
	}
}

// zipped is a bundle of any lines.
func zipped(lines ...string) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write([]byte(strings.Join(lines, "\n") + "\n"))
	_ = w.Close()
	return out.Bytes()
}

func TestRefusals(t *testing.T) {
	defer func(was int) { maxLine = was }(maxLine)
	maxLine = 1 << 20
	const head = `{"sweetspot":"bundle","format":1,"layout":16,"database":"a1"}`
	whole := written(t, sample()...)
	for name, c := range map[string]struct {
		content []byte
		says    string
	}{
		"nothing":   {nil, "not gzipped"},
		"text":      {[]byte("hello"), "not gzipped"},
		"empty":     {written(t), "not gzipped"},
		"no header": {zipped(`{}`), "no header"},
		"newer layout": {zipped(strings.Replace(head, "16", "17", 1)),
			"newer sweetspot (layout 17, this one knows 16); update sweetspot"},
		"newer format": {zipped(strings.Replace(head, `t":1`, `t":2`, 1)), "newer sweetspot"},
		"cut off":      {whole[:len(whole)-20], "ends within the line"},
		"no JSON":      {zipped(head, `{"kind":`), "line 2: it is not the JSON"},
		"no UTF-8":     {zipped(head, "\xff"), "not UTF-8"},
		"unknown kind": {zipped(head, `{"kind":"job","mark":"a"}`), "unknown kind"},
		"no mark":      {zipped(head, `{"kind":"run"}`), "a mark"},
		"control mark": {zipped(head, `{"kind":"run","mark":"a\u001b[2J"}`), "a mark"},
		"wrong register": {zipped(head,
			`{"kind":"pick","mark":"a","registers":{"name":{"stamp":"","value":["a","b"]}}}`),
			"cannot be changed"},
		"wrong stamp": {zipped(head,
			`{"kind":"run","mark":"a","registers":{"kept":{"stamp":"zzz","value":true}}}`),
			"a stamp"},
		"endless stamp": {zipped(head,
			`{"kind":"run","mark":"a","registers":{"kept":{"stamp":"ffffffffffffffff-a","value":true}}}`),
			"a stamp"},
		"wrong name": {zipped(head,
			`{"kind":"run","mark":"a","registers":{"name":{"stamp":"","value":["a"]}}}`),
			"without a name"},
		"control name": {zipped(head,
			`{"kind":"run","mark":"a","registers":{"name":{"stamp":"","value":["a","\u001b[2J"]}}}`),
			"cannot be shown"},
		"null": {zipped(head,
			`{"kind":"run","mark":"a","registers":{"kept":{"stamp":"","value":null}}}`),
			"a kept"},
		"other spelling": {zipped(head,
			`{"kind":"run","mark":"a","registers":{"note":{"stamp":"","value":"\u0061"}}}`),
			"another program"},
		"wrong version": {zipped(head, `{"kind":"run","mark":"a","content":{"version":"9"}}`), "a version"},
		"rows alone":    {zipped(head, `{"table":"iterations","columns":[],"rows":[]}`), "rows without a run"},
		"a short row": {zipped(head,
			`{"kind":"run","mark":"a","content":{"version":" 00000001/0000000000000000"}}`,
			`{"table":"iterations","columns":["seq"],"rows":[[]]}`),
			"too short"},
		"an endless line": {zipped(head, `"`+strings.Repeat("a", maxLine)), "too large"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := read(c.content)
			var refused *Error
			if !errors.As(err, &refused) || !strings.Contains(refused.Error(), c.says) ||
				strings.ContainsAny(err.Error(), "\n\x1b") {
				t.Errorf("%v does not say %q", err, c.says)
			}
		})
	}
}

// A file that differs in one bit from what was written does not fit its name.
func TestNamesFit(t *testing.T) {
	content := written(t, sample()...)
	name := FileName("a1", 12, content)
	if !IsName(name) || !Fits(name, content) {
		t.Fatalf("%s does not fit", name)
	}
	for i := range content {
		content[i] ^= 1
		if Fits(name, content) {
			t.Fatalf("byte %d may be any", i)
		}
		content[i] ^= 1
	}
	for _, other := range []string{"", "a", ".part-1", "../" + name, name + "x", strings.ToUpper(name), "a1-1-zz.bundle"} {
		if IsName(other) || Fits(other, content) {
			t.Errorf("%q is taken for a bundle", other)
		}
	}
}

// Versions are in the order of stamps, then of values; what the program changes by itself is
// later than what it changes, and earlier than what anybody does afterwards.
func TestVersionsAreOrdered(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		ms := rapid.Int64Range(0, 1<<43).Draw(rt, "ms")
		count := rapid.Uint16().Draw(rt, "count")
		s := Stamp(ms, count, rapid.StringMatching(`[0-9a-z]{1,8}`).Draw(rt, "db"))
		if m, c := ParseStamp(s); m != ms || c != count || !stampForm.MatchString(s) {
			rt.Fatalf("%s was read as %d %d", s, m, c)
		}
		value := json.RawMessage(`"x"`)
		chain := []Register{{"", value}, {"+", value}, {s, value}, {s + "+", value}, {s + "++", value},
			{Stamp(ms+rapid.Int64Range(1, 1<<40).Draw(rt, "later"), 0, "0"), value}}
		for i := 1; i < len(chain); i++ {
			if chain[i-1].Version() >= chain[i].Version() {
				rt.Fatalf("%q is not before %q", chain[i-1].Version(), chain[i].Version())
			}
		}
		if (Register{s, json.RawMessage("false")}).Version() >= (Register{s, json.RawMessage("true")}).Version() {
			rt.Fatal("at the same moment it would rather be deleted than kept")
		}
	})
}

func TestDirectory(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	ctx := context.Background()
	d := Directory{filepath.Join(t.TempDir(), "a b", "it's")}
	if _, err := d.List(ctx); err == nil || !strings.Contains(err.Error(), "check the path") {
		t.Errorf("of a path that leads nowhere: %v", err)
	}
	if err := d.Add(ctx, FileName("a1", 1, nil), nil); err == nil || !strings.Contains(err.Error(), "check the path") {
		t.Errorf("to a path that leads nowhere: %v", err)
	}
	if err := os.Mkdir(filepath.Dir(d.Path), 0o700); err != nil {
		t.Fatal(err)
	}
	if names, err := d.List(ctx); err != nil || names != nil {
		t.Errorf("of no folder: %v %v", names, err)
	}
	content := written(t, sample()...)
	name := FileName("a1", 1, content)
	for range 2 { // it may be there already
		if err := d.Add(ctx, name, content); err != nil {
			t.Fatal(err)
		}
	}
	mode := func(path string) fs.FileMode {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode().Perm()
	}
	if a, b := mode(d.Path), mode(filepath.Join(d.Path, name)); a != 0o700 || b != 0o600 {
		t.Errorf("modes %o and %o", a, b)
	}
	old, fresh := filepath.Join(d.Path, partPrefix+"1"), filepath.Join(d.Path, partPrefix+"2")
	for _, path := range []string{old, fresh, filepath.Join(d.Path, "other")} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before := time.Now().Add(-2 * staleAfter)
	if err := os.Chtimes(old, before, before); err != nil {
		t.Fatal(err)
	}
	names, err := d.List(ctx)
	if err != nil || !slices.Equal(names, []string{name}) {
		t.Errorf("%v %v", names, err)
	}
	if _, err := os.Stat(old); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what a killed sync left is still there: %v", err)
	}
	if _, err := os.Stat(fresh); err != nil {
		t.Errorf("what is being written is gone: %v", err)
	}
	got := map[string]string{}
	missing := FileName("b2", 1, nil)
	err = d.Fetch(ctx, []string{name, missing}, func(name string, c []byte, err error) error {
		got[name] = string(c)
		if err != nil {
			got[name] = err.Error()
		}
		return nil
	})
	if want := map[string]string{name: string(content),
		missing: "bundle  was left out: it can't be read (no such file or directory); allow reading it and sync again"}; err != nil ||
		!reflect.DeepEqual(got, want) {
		t.Errorf("%v %v", got, err)
	}
	if err := os.Chmod(d.Path, 0o750); err != nil {
		t.Fatal(err)
	}
	second := FileName("a1", 2, content)
	if err := d.Add(ctx, second, content); err != nil || mode(filepath.Join(d.Path, second)) != 0o640 {
		t.Errorf("in a folder of a group: %v", err)
	}
	if _, err := (Directory{filepath.Join(d.Path, "other")}).List(ctx); err == nil ||
		!strings.Contains(err.Error(), "check that it is a folder") {
		t.Errorf("a file: %v", err)
	}
}

// Whatever a bundle holds, reading it ends in lines or in one sentence, and what it takes for
// whole is what this program would write.
func FuzzReader(f *testing.F) {
	unzipped := func(content []byte) []byte {
		r, err := gzip.NewReader(bytes.NewReader(content))
		if err != nil {
			f.Fatal(err)
		}
		all, _ := io.ReadAll(r)
		return all
	}
	f.Add(unzipped(written(f, sample()...)))
	f.Add([]byte(`{"sweetspot":"bundle","format":1,"layout":16,"database":"a1"}` + "\n" +
		`{"kind":"price","mark":"[]","registers":{"value":{"stamp":"","value":{"usd_per_hour":1}}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		lines, err := read(zipped(string(text)))
		if err != nil {
			var refused *Error
			if !errors.As(err, &refused) || strings.ContainsAny(err.Error(), "\n\x1b") {
				t.Fatalf("%v", err)
			}
			return
		}
		const head = `{"sweetspot":"bundle","format":1,"layout":16,"database":"a1"}`
		again, err := read(zipped(head + "\n" + strings.TrimSuffix(strings.Join(lines, ""), "\n")))
		if err != nil && len(lines) > 0 || !slices.Equal(again, lines) {
			t.Fatalf("%v: read again as\n%s\nnot\n%s", err, again, lines)
		}
	})
}
