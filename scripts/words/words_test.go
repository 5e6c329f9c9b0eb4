// Package words tests that phrases which are not English and words that only
// this project understood do not come back, and that the embedded Python keeps
// to the width of the code.
package words

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// TestNothingComesBack looks at all code, documents and golden frames.
func TestNothingComesBack(t *testing.T) {
	root := filepath.Join("..", "..")
	read := 0
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		name = filepath.ToSlash(name)
		if d.IsDir() {
			if name == "bin" || name == "scripts/words" || name == ".git" {
				return filepath.SkipDir
			}
			return nil
		}
		if !isRead(name) {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		read++
		for _, f := range find(name, content, entries) {
			t.Error(f)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if read < 500 {
		t.Errorf("only %d files were read", read)
	}
}

// isRead reports whether a file holds code, a document or golden output.
func isRead(name string) bool {
	switch filepath.Ext(name) {
	case ".go", ".py", ".sql", ".md", ".golden":
		return true
	case ".txt", ".html":
		return strings.Contains(name, "testdata/")
	}
	return false
}

// find returns what a file holds of the entries, as "file:line: found; use this".
func find(name string, content []byte, entries []entry) []string {
	var found []string
	report := func(at int, e entry) {
		line := 1 + bytes.Count(content[:at], []byte("\n"))
		found = append(found, fmt.Sprintf("%s:%d: %q; write: %s", name, line, e.phrase+e.word, e.use))
	}
	lower := bytes.ToLower(content)
	words := map[string][]entry{}
	for _, e := range entries {
		switch {
		case !e.applies(name):
		case e.word != "":
			words[e.word] = append(words[e.word], e)
		default:
			if !holdsWords(lower, e.phrase) {
				continue
			}
			for _, at := range phrase(e.phrase).FindAllIndex(content, -1) {
				if e.after == "" || !strings.HasSuffix(strings.TrimRight(string(lower[:at[0]]), " \t\n/#"), e.after) {
					report(at[0], e)
				}
			}
		}
	}
	eachWord(content, func(at int, word string) {
		for _, e := range words[word] {
			report(at, e)
		}
	})
	return found
}

func (e entry) applies(name string) bool {
	isBelow := func(path string) bool { return name == path || strings.HasPrefix(name, path+"/") }
	return (len(e.in) == 0 || slices.ContainsFunc(e.in, isBelow)) && !slices.ContainsFunc(e.except, isBelow)
}

var phrases = map[string]*regexp.Regexp{}

// holdsWords reports whether a file may hold a phrase; it is much faster than
// the expression.
func holdsWords(lower []byte, phrase string) bool {
	return !slices.ContainsFunc(strings.Fields(strings.ToLower(phrase)), func(word string) bool {
		return !bytes.Contains(lower, []byte(word))
	})
}

// phrase matches whole words, also where a comment or a document breaks the
// line between them.
func phrase(text string) *regexp.Regexp {
	if phrases[text] == nil {
		const between = `(?:[ \t]+|[ \t]*\n[ \t]*(?:(?://|#|--|>)[ \t]*)?)`
		parts := strings.Fields(text)
		for i, p := range parts {
			parts[i] = regexp.QuoteMeta(p)
		}
		phrases[text] = regexp.MustCompile(`(?i)\b` + strings.Join(parts, between) + `\b`)
	}
	return phrases[text]
}

// eachWord calls do with every word in lower case, and with every part of an
// identifier: last, Seen and At of lastSeenAt.
func eachWord(content []byte, do func(at int, word string)) {
	for i := 0; i < len(content); {
		if !isLetter(content[i]) {
			i++
			continue
		}
		begin := i
		i++
		for i < len(content) && isLetter(content[i]) {
			isUpper, wasUpper := unicode.IsUpper(rune(content[i])), unicode.IsUpper(rune(content[i-1]))
			startsWord := isUpper && i+1 < len(content) && isLetter(content[i+1]) && !unicode.IsUpper(rune(content[i+1]))
			if isUpper && !wasUpper || wasUpper && startsWord {
				break
			}
			i++
		}
		do(begin, strings.ToLower(string(content[begin:i])))
	}
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

func TestFind(t *testing.T) {
	list := []entry{
		{phrase: "most worth to probe", use: "whose probe saves the most"},
		{word: "hearken", use: "warn"},
		{phrase: "is no price", after: "there", use: "is not a price"},
		{word: "room", use: "directory", in: []string{"probes"}, except: []string{"probes/matrix"}},
	}
	for _, c := range []struct {
		name, text string
		lines      []int
	}{
		{"a.go", "// It is most\n// worth to probe this.\n", []int{1}},
		{"a.md", "Most worth\nto probe.", []int{1}},
		{"a.go", "x\nfunc hearkenTo() {}\nvar lastHearken, HEARKEN_NOW = 1, 2\n", []int{2, 3, 3}},
		{"a.go", "func unhearkened() {}", nil},
		{"probes/a.go", "type roomOf int", []int{1}},
		{"probes/matrix/a.go", "type room int", nil},
		{"probesother/a.go", "type room int // bedroom", nil},
		{"a.go", "nil if there\n\t// is no price", nil},
		{"a.go", "cheap is no price", []int{1}},
		{"probes/a.go", "bedroom roommate", nil},
	} {
		got := find(c.name, []byte(c.text), list)
		if len(got) != len(c.lines) {
			t.Errorf("%q: %q", c.text, got)
			continue
		}
		for i, line := range c.lines {
			if !strings.HasPrefix(got[i], fmt.Sprintf("%s:%d: ", c.name, line)) {
				t.Errorf("%q: %q, want line %d", c.text, got[i], line)
			}
		}
	}
}
