package source

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"sweetspot/data/textfile"
	"sweetspot/engine/plaintext"
)

const (
	headBytes = 64 << 10 // of a file, used to recognise its format
	maxSearch = 256 << 20
	overlap   = 64 // is longer than any word that is searched for
)

// Read opens the file for do. What it returns is an error about the content or
// one sentence that says why the file cannot be read.
func (f File) Read(do func(io.Reader) error) error {
	file, err := f.Open()
	if err == nil {
		defer file.Close()
		err = do(file)
	}
	var ours *textfile.Error
	switch {
	case err == nil, errors.Is(err, errEnough):
		return err
	case errors.As(err, &ours):
		named := *ours
		named.File = f.Base()
		return &named
	case errors.Is(err, textfile.ErrDamaged):
		return f.Wrong("%s", textfile.ErrDamaged.Error())
	}
	return f.Wrong("cannot be read: %s", plaintext.Line(strings.TrimPrefix(err.Error(), "open "), 200))
}

// Beginning is the head of the file, used to recognise its format.
func (f File) Beginning() (head []byte, err error) {
	err = f.Read(func(file io.Reader) error {
		head, err = io.ReadAll(io.LimitReader(file, headBytes))
		return err
	})
	return head, err
}

// Holds reports whether one of the words stands in the file, which is read in
// pieces up to a limit.
func (f File) Holds(words []string) (found bool, err error) {
	err = f.Read(func(file io.Reader) error {
		in := bufio.NewReaderSize(io.LimitReader(file, maxSearch), headBytes)
		for {
			piece, err := in.Peek(headBytes)
			if found = slices.ContainsFunc(words, func(w string) bool { return bytes.Contains(piece, []byte(w)) }); found {
				return nil
			}
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			_, _ = in.Discard(headBytes - overlap) // was peeked at
		}
	})
	return found, err
}

// Whole reads a file that must be small enough to fit in memory.
func (f File) Whole(most int64) (text []byte, err error) {
	if f.Size > most {
		return nil, f.tooLarge(most)
	}
	err = f.Read(func(file io.Reader) error {
		text, err = io.ReadAll(io.LimitReader(file, most+1))
		return err
	})
	switch {
	case err != nil:
		return nil, err
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
		return f.Wrong("%s", cmp.Or(textfile.WrongJSON(err), "is not the expected document"))
	}
	return nil
}

// IsObject reports whether a file that begins so is a JSON object, by its first character.
func IsObject(head []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(head, "\ufeff \t\r\n"), []byte("{"))
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

// Mapping says which columns of a table are what. What is no column is a word
// for all rows.
type Mapping struct {
	Source string `yaml:"source,omitempty"` // of the runs
	Basis  string `yaml:"basis,omitempty"`  // published (default) or measured
	AsOf   string `yaml:"as_of,omitempty"`  // a date
	Unit   string `yaml:"unit,omitempty"`   // of work
	Metric string `yaml:"metric,omitempty"` // that accuracy is
	Mode   string `yaml:"mode,omitempty"`   // train (default), infer, or a column that says which

	Model        string   `yaml:"model,omitempty"` // columns
	Dataset      string   `yaml:"dataset,omitempty"`
	Precision    string   `yaml:"precision,omitempty"`
	Variant      []string `yaml:"variant,omitempty,flow"` // joined by blanks
	BatchSize    string   `yaml:"batch_size,omitempty"`
	Repeat       string   `yaml:"repeat,omitempty"` // tells repeats apart
	GPU          string   `yaml:"gpu,omitempty"`
	GPUCount     string   `yaml:"gpu_count,omitempty"`
	Cloud        string   `yaml:"cloud,omitempty"`
	Region       string   `yaml:"region,omitempty"`
	InstanceType string   `yaml:"instance_type,omitempty"`
	USDPerHour   string   `yaml:"usd_per_hour,omitempty"`
	Accuracy     string   `yaml:"accuracy,omitempty"` // a fraction or percent

	Times map[string]TimeColumn `yaml:"times,omitempty,flow"`
}

// TimeColumn describes a column of times or rates and, if it is that of one VM
// type, which.
type TimeColumn struct {
	// s, ms, us or ns of an iteration, units/s or it/s, or s/epoch; required, since
	// a wrong guess is off by factors of thousands
	In           string  `yaml:"unit"`
	Cloud        string  `yaml:"cloud,omitempty"`
	Region       string  `yaml:"region,omitempty"`
	InstanceType string  `yaml:"instance_type,omitempty"`
	GPU          string  `yaml:"gpu,omitempty"`
	GPUCount     int     `yaml:"gpu_count,omitempty"`
	USDPerHour   float64 `yaml:"usd_per_hour,omitempty"` // 0 is unknown
}

// Row is a row of a table, or its header. Cells are found by column name.
type Row = textfile.Table

// Table calls do for every row below the header of a table with the separator.
// The header is given to header first, which may refuse it; nil takes any.
func Table(f File, separator rune, header func(*Row) error, do func(*Row) error) error {
	return f.Read(func(text io.Reader) error {
		t := textfile.NewTable(text)
		t.File, t.Unknown = f.Base(), Unknown
		t.CSV.Comma, t.CSV.LazyQuotes = separator, separator == '\t'
		err := t.Header("a table", "")
		if err == nil && header != nil {
			err = header(t)
		}
		if err != nil {
			return err
		}
		return t.Each(func() error { return do(t) })
	})
}

// errEnough ends the reading of a table after its header.
var errEnough = errors.New("enough")

// Head passes only the header of a table to is, which may reject it.
func Head(f File, separator rune, is func(*Row) error) error {
	err := Table(f, separator, func(r *Row) error { return cmp.Or(is(r), errEnough) }, nil)
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// HaveAll reports whether the names of a table's columns contain all of those.
func HaveAll(names []string, columns ...string) bool {
	return !slices.ContainsFunc(columns, func(c string) bool { return !slices.Contains(names, c) })
}

// Header is the first row of a table in head; nil if head is not a table.
func Header(head []byte, separator rune) []string {
	rows := csv.NewReader(plaintext.Unmarked(strings.NewReader(string(head))))
	rows.Comma, rows.LazyQuotes = separator, separator == '\t'
	names, err := rows.Read()
	if err != nil {
		return nil
	}
	for i, name := range names {
		names[i] = Text(name)
	}
	return names
}
