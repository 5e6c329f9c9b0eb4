package server

import (
	"bytes"
	"io"
	"unicode/utf8"
)

// Bounds of what a terminal sends in one piece, in bytes. What it sends beyond them is
// dropped, for whoever reads it holds a piece until its end.
const (
	mostPasted   = 64 << 10 // of a paste
	mostSequence = 256      // of a control sequence: keys, the mouse
	mostString   = 8 << 10  // of a control string: answers of the terminal
)

// bounded passes on what a terminal sends, piece by piece within bounds. Controls by single
// bytes above 127 are dropped, as are control sequences that carry keys of Windows: they
// would hide the beginning of a paste. What it takes for a paste may be none, never the
// other way round.
type bounded struct {
	r     io.Reader
	chunk [4096]byte
	out   bytes.Buffer

	at      place
	rune_   []byte // of a character that is not whole yet
	params  []byte // of the control sequence
	size    int    // of the control string
	osc     bool   // the string also ends by a bell
	pasting bool
	pasted  int
}

// place is where in the terminal's language the input is.
type place uint8

const (
	inText place = iota
	afterEscape
	inSequence
	inString
	inStringAfterEscape
)

const (
	escape = 0x1b
	bell   = 0x07
	unused = 'z' // ends a control sequence that means nothing
)

// Read passes on at least a byte.
func (b *bounded) Read(p []byte) (int, error) {
	for b.out.Len() == 0 {
		n, err := b.r.Read(b.chunk[:])
		for _, c := range b.chunk[:n] {
			b.take(c)
		}
		if err != nil && b.out.Len() == 0 {
			return 0, err
		}
	}
	return b.out.Read(p)
}

func (b *bounded) take(c byte) {
	switch b.at {
	case inText:
		b.text(c)
	case afterEscape:
		b.escaped(c)
	case inSequence:
		b.sequence(c)
	case inString:
		b.string(c)
	case inStringAfterEscape:
		b.put(escape, '\\')
		if b.at = inText; c != '\\' { // another control cuts it off
			b.take(escape)
			b.take(c)
		}
	}
}

// put passes on bytes; of a paste as many as fit.
func (b *bounded) put(p ...byte) {
	if b.pasting {
		if b.pasted += len(p); b.pasted > mostPasted {
			return
		}
	}
	b.out.Write(p)
}

// text passes on whole characters.
func (b *bounded) text(c byte) {
	if len(b.rune_) == 0 && c < utf8.RuneSelf {
		if c != escape {
			b.put(c)
			return
		}
		if b.at = afterEscape; !b.pasting { // a key of its own, unless more follows
			b.out.WriteByte(c)
		}
		return
	}
	if b.rune_ = append(b.rune_, c); !utf8.FullRune(b.rune_) {
		return
	}
	r, n := utf8.DecodeRune(b.rune_)
	whole, rest := b.rune_[:n], bytes.Clone(b.rune_[n:])
	if r != utf8.RuneError && r > 0x9f {
		b.put(whole...)
	}
	b.rune_ = b.rune_[:0]
	for _, c := range rest {
		b.take(c)
	}
}

// escaped follows an escape, which has been passed on unless it is in a paste.
func (b *bounded) escaped(c byte) {
	if c == '[' {
		b.at, b.params = inSequence, b.params[:0]
		if !b.pasting {
			b.out.WriteByte(c)
		}
		return
	}
	b.at = inText
	switch {
	case b.pasting:
		b.take(c) // a paste has no other controls
	case c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_':
		b.at, b.size, b.osc = inString, 0, c == ']'
		b.out.WriteByte(c)
	default:
		b.take(c)
	}
}

// sequence is between "escape [" and a final byte.
func (b *bounded) sequence(c byte) {
	switch {
	case c >= 0x20 && c < 0x40:
		if len(b.params) < mostSequence {
			if b.params = append(b.params, c); !b.pasting {
				b.out.WriteByte(c)
			}
		}
		return
	case c < 0x40 || c > 0x7e: // cut off
		b.final(unused)
		b.take(c)
	case c == '_' || len(b.params) == mostSequence:
		b.final(unused)
	default:
		b.final(c)
	}
}

// final ends a control sequence.
func (b *bounded) final(c byte) {
	b.at = inText
	switch {
	case b.pasting && c == '~' && string(b.params) == "201":
		b.pasting = false
		b.out.WriteString("\x1b[201~")
	case b.pasting: // the clipboard may hold it; nobody needs it
	default:
		b.out.WriteByte(c)
		if c == '~' && beginsPaste(b.params) {
			b.pasting, b.pasted = true, 0
		}
	}
}

// beginsPaste reports whether a reader may take parameters for those of a paste's
// beginning: the first is 200, or so long that it may overflow to that.
func beginsPaste(params []byte) bool {
	first := bytes.TrimLeft(params, "<=>?0")
	n := bytes.IndexFunc(first, func(r rune) bool { return r < '0' || r > '9' })
	if n < 0 {
		n = len(first)
	}
	return n > 5 || string(first[:n]) == "200"
}

// string is in a control string, which "escape \" ends.
func (b *bounded) string(c byte) {
	switch {
	case c == escape:
		b.at = inStringAfterEscape
	case c == bell && b.osc:
		b.at = inText
		b.out.WriteByte(c)
	default:
		if b.size++; b.size <= mostString && c < utf8.RuneSelf {
			b.out.WriteByte(c)
		}
	}
}
