package textfile

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
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
		if got, err := io.ReadAll(Open(strings.NewReader(file))); string(got) != "a,b" || err != nil {
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
		if _, err := io.ReadAll(Open(c.file)); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// table is a table whose header is read.
func table(t testing.TB, text string) *Table {
	t.Helper()
	rows := NewTable(strings.NewReader(text))
	if err := rows.Header("a table", ""); err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestRowsAreCountedWithoutBlankLines(t *testing.T) {
	rows := table(t, "\ufeff\"a\",B\n\n1,\"2\n3\"\na,B\n4,5\n")
	var got []string
	err := rows.Each(func() error {
		got = append(got, fmt.Sprint(rows.Row(), " ", rows.Raw("a"), "|", rows.Raw("b"), "|", rows.Raw("c")))
		return nil
	})
	if want := []string{"2 1|2\n3|", "4 4|5|"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, want %q, %v", got, want, err)
	}
	if !slices.Equal(rows.Columns(), []string{"a", "B"}) || rows.Need("A", "b") != nil || rows.Need("a", "c") == nil {
		t.Errorf("columns %q", rows.Columns())
	}
}

// Of a row the first wrong cell is reported, and reading ends there.
func TestCells(t *testing.T) {
	for text, want := range map[string]string{
		"a,b\n,unknown\n":      "0 0",
		"a,b\n 2 ,-1.5\n":      "2 -1.5",
		"a,b\nx,y\n":           `t.csv, row 2, column a: "x" is not a finite decimal number`,
		"a,b\n-1,1\n":          "t.csv, row 2, column a: -1 is negative",
		"a,b\n1.5,1\n":         "t.csv, row 2, column a: 1.5 is not a whole number",
		"a,b\n3e9,1\n":         "t.csv, row 2, column a: 3e+09 is not a whole number",
		"a,b\n1,1e25\n":        `t.csv, row 2, column b: "1e25" is too large`,
		"a,b\n1,NaN\n":         `t.csv, row 2, column b: "NaN" is not a finite decimal number`,
		"a,b,b\n1,2,2\n":       "t.csv, row 2, column b: the column is duplicated",
		"a,b\n1,1\n1,1\n1,1\n": "t.csv, row 4: more than 2 rows",
	} {
		rows := table(t, text)
		rows.File, rows.MaxRows = "t.csv", 2
		rows.Unknown = func(cell string) bool { return cell == "unknown" }
		got := ""
		err := rows.Each(func() error {
			n, v := rows.Count("a"), rows.Number("b")
			if v == nil {
				v = new(0.0)
			}
			got = fmt.Sprint(n, " ", *v)
			return nil
		})
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
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
		err := table(t, "a,b\n"+c.text).Each(func() error { return nil })
		var row *Error
		if !errors.As(err, &row) || !strings.HasPrefix(err.Error(), c.words) {
			t.Errorf("%s: %v, want %q", name, err, c.words)
		}
	}
}

// The bound is of a row, not of the file.
func TestRowsGoOnBehindTheBound(t *testing.T) {
	row := strings.Repeat("x", MaxRowBytes/3) + "\n"
	n := 0
	err := table(t, "a\n"+strings.Repeat(row, 10)).Each(func() error {
		n++
		return nil
	})
	if n != 10 || err != nil {
		t.Errorf("%d rows, %v", n, err)
	}
}

func FuzzRows(f *testing.F) {
	f.Add("a,b\n1,2\n")
	f.Add("\ufeff\"a\",b\r\n\"1\n\",2")
	f.Add(zipped(f, "a,b\n1,2\n"))
	f.Fuzz(func(t *testing.T, file string) {
		rows := NewTable(Open(strings.NewReader(file)))
		err := rows.Header("a table", "")
		if err == nil {
			err = rows.Each(func() error {
				if len(rows.cells) != rows.CSV.FieldsPerRecord {
					t.Errorf("row %d has %d cells of %d", rows.Row(), len(rows.cells), rows.CSV.FieldsPerRecord)
				}
				return nil
			})
		}
		if err != nil && strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("%q is not one plain sentence", err)
		}
	})
}

// A pipe that nobody writes to does not make anybody wait.
func TestOnlyRegularFilesAreOpened(t *testing.T) {
	dir := t.TempDir()
	pipe, file := filepath.Join(dir, "pipe"), filepath.Join(dir, "file")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.WriteFile(file, []byte("text"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{pipe: ErrNotRegular, os.DevNull: ErrNotRegular, dir: errFolder,
		filepath.Join(dir, "none"): fs.ErrNotExist} {
		var at *fs.PathError
		if _, err := ReadFile(path); !errors.Is(err, want) || !errors.As(err, &at) || at.Path != path {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
	}
	if text, err := ReadFile(file); string(text) != "text" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}
