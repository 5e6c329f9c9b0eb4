package source

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"sweetspot/engine/plaintext"
)

// headBytes is how much of a file is used to recognise its format.
const headBytes = 64 << 10

// Beginning is the head of the file, used to recognise its format.
func (f File) Beginning() ([]byte, error) {
	file, err := f.Open()
	if err != nil {
		return nil, Opening(f, err)
	}
	defer file.Close()
	head := make([]byte, headBytes)
	n, err := io.ReadFull(file, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, Opening(f, err)
	}
	return head[:n], nil
}

// Whole reads a file that must be small enough to fit in memory.
func (f File) Whole(most int64) ([]byte, error) {
	if f.Size > most {
		return nil, f.tooLarge(most)
	}
	file, err := f.Open()
	if err != nil {
		return nil, Opening(f, err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(plaintext.Unmarked(file), most+1))
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, f.Wrong("the file is cut off; fetch it again")
	case err != nil:
		return nil, Opening(f, err)
	case int64(len(text)) > most:
		return nil, f.tooLarge(most)
	case len(bytes.TrimSpace(text)) == 0:
		return nil, f.Wrong("the file is empty")
	}
	return text, nil
}

func (f File) tooLarge(most int64) error {
	return f.Wrong("larger than %d MiB, more than any such file", most>>20)
}

// JSON decodes a document. Python's NaN and Infinity, which are not valid JSON,
// become null.
func (f File) JSON(to any) error {
	text, err := f.Whole(MaxDocumentBytes)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(Strict(text), to); err != nil {
		return f.Unreadable(err)
	}
	return nil
}

// Unreadable describes an error of the JSON decoder.
func (f File) Unreadable(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &syntax) &&
		strings.HasPrefix(syntax.Error(), "unexpected end"):
		return f.Wrong("the document ends early; is the file cut off?")
	case errors.As(err, &syntax):
		return f.Wrong("is not a JSON document: byte %d is unexpected", syntax.Offset)
	case errors.As(err, &kind) && kind.Field != "":
		return f.Wrong("%s is a %s, which is unexpected there", Text(kind.Field), Text(kind.Value))
	}
	return f.Wrong("is not the expected document")
}

// Strict returns the text with null for Python's NaN, Infinity and -Infinity.
func Strict(text []byte) []byte {
	if !bytes.Contains(text, []byte("NaN")) && !bytes.Contains(text, []byte("Infinity")) {
		return text
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		switch text[i] {
		case '"':
			n := quoted(text[i:])
			out = append(out, text[i:i+n]...)
			i += n
			continue
		case 'N', 'I', '-':
			if n := special(text[i:]); n > 0 {
				out = append(out, "null"...)
				i += n
				continue
			}
		}
		out = append(out, text[i])
		i++
	}
	return out
}

func special(s []byte) int {
	for _, word := range []string{"NaN", "Infinity", "-Infinity"} {
		if bytes.HasPrefix(s, []byte(word)) {
			return len(word)
		}
	}
	return 0
}

// quoted is the length of the JSON string at the beginning of s.
func quoted(s []byte) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}
