package textfile

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

func zipped(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestOpenReadsTheTextWithin(t *testing.T) {
	for name, file := range map[string]string{"plain": "a,b", "marked": "\ufeffa,b", "zipped": zipped(t, "a,b"),
		"marked and zipped": zipped(t, "\ufeffa,b")} {
		text, err := Open(strings.NewReader(file))
		if err != nil {
			t.Fatal(name, err)
		}
		if got, err := io.ReadAll(text); string(got) != "a,b" || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestOpenTellsDamageFromLoss(t *testing.T) {
	whole := zipped(t, strings.Repeat("0123456789", 1000))
	lost := errors.New("the disk is gone")
	for name, c := range map[string]struct {
		file io.Reader
		want error
	}{
		"begun":      {strings.NewReader(whole[:2]), ErrDamaged},
		"no gzip":    {strings.NewReader("\x1f\x8bxxxxxxxxxxxxxx"), ErrDamaged},
		"cut off":    {strings.NewReader(whole[:len(whole)-9]), ErrDamaged},
		"changed":    {strings.NewReader(whole[:len(whole)-8] + "12345678"), ErrDamaged},
		"lost":       {io.MultiReader(strings.NewReader(whole[:20]), failing{lost}), lost},
		"lost plain": {failing{lost}, lost},
	} {
		text, err := Open(c.file)
		if err == nil {
			_, err = io.ReadAll(text)
		}
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestRowsAreCountedWithoutBlankLines(t *testing.T) {
	rows := NewRows(strings.NewReader("\ufeff\"a\",b\n\n1,\"2\n3\"\n"))
	var got [][]string
	for {
		cells, err := rows.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if got = append(got, slices.Clone(cells)); rows.Number() != len(got) {
			t.Errorf("row %d is number %d", len(got), rows.Number())
		}
	}
	if want := [][]string{{"a", "b"}, {"1", "2\n3"}}; !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRowsRefuse(t *testing.T) {
	for name, c := range map[string]struct{ text, words string }{
		"a cell short":     {"1\n", "row 2: has 1 cell and the header 2; quote"},
		"a cell more":      {"1,2,3\n", "row 2: has 3 cells and the header 2"},
		"an open quote":    {"1,\"2\n", "row 2: a quote is left open"},
		"a stray quote":    {"1,2\"\n", "row 2: a quote is left open or out of place"},
		"a long row":       {"1," + strings.Repeat("2", MaxRowBytes+1<<13), "row 2: longer than 1048576 bytes"},
		"a long quote":     {"1,\"" + strings.Repeat("2\n", MaxRowBytes), "row 2: longer than"},
		"many blank lines": {strings.Repeat("\n", 2*MaxRowBytes), "row 2: longer than"},
	} {
		rows := NewRows(strings.NewReader("a,b\n" + c.text))
		if _, err := rows.Next(); err != nil {
			t.Fatal(err)
		}
		_, err := rows.Next()
		var row *Error
		if !errors.As(err, &row) || !strings.HasPrefix(err.Error(), c.words) {
			t.Errorf("%s: %v, want %q", name, err, c.words)
		}
	}
}

// The bound is of a row, not of the file.
func TestRowsGoOnBehindTheBound(t *testing.T) {
	row := strings.Repeat("x", MaxRowBytes/3) + "\n"
	rows := NewRows(strings.NewReader(strings.Repeat(row, 10)))
	for range 10 {
		if _, err := rows.Next(); err != nil {
			t.Fatal(err)
		}
	}
}

func FuzzRows(f *testing.F) {
	f.Add("a,b\n1,2\n")
	f.Add("\ufeff\"a\",b\r\n\"1\n\",2")
	f.Add(zipped(f, "a,b\n1,2\n"))
	f.Fuzz(func(t *testing.T, file string) {
		text, err := Open(strings.NewReader(file))
		if err != nil {
			return
		}
		rows := NewRows(text)
		for {
			cells, err := rows.Next()
			if err != nil {
				if strings.ContainsAny(err.Error(), "\n\x1b") {
					t.Errorf("%q is not one plain sentence", err)
				}
				return
			}
			if len(cells) != rows.CSV.FieldsPerRecord {
				t.Errorf("row %d has %d cells of %d", rows.Number(), len(cells), rows.CSV.FieldsPerRecord)
			}
		}
	})
}
