// Package shellwords splits a typed command line into words without a shell, and
// quotes words for one. A line that is taken means the same words in a shell; one
// for which a shell would do more than split it (a pipe, a variable, a pattern) is
// refused.
package shellwords

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// Split returns the words of a line, none for an empty one. Single and double
// quotes and backslashes are understood as in a shell. An error is one
// sentence that says how to write the line instead.
func Split(line string) ([]string, error) {
	s := splitter{rest: []rune(line)}
	for len(s.rest) > 0 {
		if err := s.step(); err != nil {
			return nil, err
		}
	}
	s.end()
	return s.words, nil
}

// splitter holds the words so far and what is still to be read.
type splitter struct {
	rest    []rune
	words   []string
	word    strings.Builder
	started bool // the word has begun, perhaps with empty quotes
	quoted  bool // a part of the word was quoted
}

// step reads one character or one quoted part.
func (s *splitter) step() error {
	r := s.rest[0]
	s.rest = s.rest[1:]
	switch {
	case r == ' ' || r == '\t':
		s.end()
		return nil
	case unicode.IsControl(r):
		return fmt.Errorf("the command holds the control character %q: write it on one line of plain text", r)
	case r == '\'':
		return s.single()
	case r == '"':
		return s.double()
	case r == '\\':
		return s.escaped()
	case r == '=' && len(s.words) == 0 && !s.quoted && isName(s.word.String()):
		return fmt.Errorf("%s= before the program sets a variable, which takes a shell: write env %[1]s=… and then the "+
			"program", s.word.String())
	}
	if err := s.check(r); err != nil {
		return err
	}
	s.add(r)
	return nil
}

func (s *splitter) add(r rune) {
	s.word.WriteRune(r)
	s.started = true
}

// end closes the word that has begun, if any.
func (s *splitter) end() {
	if s.started {
		s.words = append(s.words, s.word.String())
	}
	s.word.Reset()
	s.started, s.quoted = false, false
}

// check refuses what would make a shell do something.
func (s *splitter) check(r rune) error {
	switch {
	case strings.ContainsRune("|&;<>()", r):
		return fmt.Errorf("%q takes a shell, and none reads this command: write sh -c '…' around it, or quote it if it "+
			"is part of a word", r)
	case r == '$' || r == '`':
		return fmt.Errorf("%q takes a shell, and none reads this command: write the value out, or put the word into "+
			"single quotes", r)
	case strings.ContainsRune("*?[{", r):
		return fmt.Errorf("%q is a pattern for a shell, and none reads this command: put the word into single quotes, "+
			"or write the names out", r)
	case r == '~' && !s.started:
		return errors.New("~ takes a shell, and none reads this command: write the directory out")
	case r == '#' && !s.started:
		return errors.New("# begins a comment in a shell: put the word into single quotes if it belongs to the command")
	}
	return nil
}

func (s *splitter) single() error {
	s.started, s.quoted = true, true
	for i, r := range s.rest {
		if r == '\'' {
			s.word.WriteString(string(s.rest[:i]))
			s.rest = s.rest[i+1:]
			return nil
		}
	}
	return unclosed('\'')
}

func (s *splitter) double() error {
	s.started, s.quoted = true, true
	for len(s.rest) > 0 {
		r := s.rest[0]
		s.rest = s.rest[1:]
		switch {
		case r == '"':
			return nil
		case r == '$' || r == '`':
			return s.check(r)
		case r == '\\' && len(s.rest) > 0 && strings.ContainsRune("$`\"\\", s.rest[0]):
			r = s.rest[0]
			s.rest = s.rest[1:]
		}
		s.word.WriteRune(r)
	}
	return unclosed('"')
}

func (s *splitter) escaped() error {
	if len(s.rest) == 0 {
		return errors.New(`the command ends in \: write \\ for the character itself`)
	}
	s.quoted = true
	s.add(s.rest[0])
	s.rest = s.rest[1:]
	return nil
}

func unclosed(quote rune) error {
	return fmt.Errorf("the quote %c is never closed: close it, or write \\%[1]c for the character itself", quote)
}

// isName reports whether s can name an environment variable.
func isName(s string) bool {
	for i, r := range s {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

// Join writes words as a line that [Split] takes apart again.
func Join(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		if out[i] = Word(w); i == 0 && strings.Contains(w, "=") {
			out[i] = Quoted(w)
		}
	}
	return strings.Join(out, " ")
}

// Word writes a word for a shell, in quotes where it needs them. First in a line,
// one with = in it would set a variable.
func Word(w string) string {
	if plain(w) {
		return w
	}
	return Quoted(w)
}

// Quoted puts a word into single quotes, within which a shell expands nothing.
func Quoted(w string) string { return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'" }

// plain reports whether a word needs no quotes.
func plain(w string) bool {
	return w != "" && strings.IndexFunc(w, func(r rune) bool {
		ok := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		return !ok && !strings.ContainsRune("-+=:,./@%", r)
	}) < 0
}
