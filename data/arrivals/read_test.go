package arrivals

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sweetspot/data/textfile"
	"sweetspot/engine/serving"
)

func zipped(text string) string {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return out.String()
}

func TestRead(t *testing.T) {
	azure := "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,4808,10\n" +
		"2023-11-16 18:17:04.0319600,3180,8\n2023-11-16 18:17:06,1,1\n"
	for name, c := range map[string]struct {
		text   string
		want   serving.Trace
		format Format
		notes  string // words of the notes, in order
	}{
		"times": {"time_s\n0.5\n0.9\n2\n", serving.Trace{2, 0, 1}, Times, ""},
		"times of any clock": {"user, Time_S \r\na,1700158623.98\r\nb,1.7001586255e9\r\n", serving.Trace{1, 0, 1}, Times,
			"second 0 is second 1700158623"},
		"unsorted times": {"time_s\n3.5\n1\n1.2\n\n2\n", serving.Trace{2, 1, 1}, Times,
			"second 0 is second 1 |1 row lies before the one above"},
		"a mark and a quote": {"\ufeff\"time_s\"\n\"7\"\n", serving.Trace{1}, Times, "second 0 is second 7"},
		"azure":              {azure, serving.Trace{1, 1, 0, 1}, Timestamps, "second 0 is 2023-11-16 18:17:03"},
		"azure, gzip":        {zipped(azure), serving.Trace{1, 1, 0, 1}, Timestamps, "second 0 is 2023-11-16 18:17:03"},
		"other timestamps": {"timestamp\n2024-05-10T00:00:00.009930Z\n2024-05-10 02:00:01.5+02:00\n2024-05-10T00:00:02\n",
			serving.Trace{1, 1, 1}, Timestamps, "2024-05-10 00:00:00"},
		"counts":           {"second,requests\n0,3\n1,0\n2,5\n", serving.Trace{3, 0, 5}, Seconds, ""},
		"counts as floats": {"requests,second\n3.0,10\n2e1,11\n", serving.Trace{3, 20}, Seconds, "second 10"},
		"counts with holes": {"second,requests\n5,1\n4,2\n4,3\n8,1\n", serving.Trace{5, 1, 0, 0, 1}, Seconds,
			"second 4|not sorted by time|1 row repeats another of the same second|2 seconds in between have no row"},
		"one request of zero": {"second,requests\n0,0\n1,1\n2,0\n", serving.Trace{0, 1, 0}, Seconds, ""},
		"minutes": {"minute,requests\n0,30\n2,61\n", minutes(30, 0, 61), Minutes,
			"spread evenly|1 minute in between has no row"},
	} {
		a, err := Read(strings.NewReader(c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !slices.Equal(a.Trace, c.want) || a.Format != c.format {
			t.Errorf("%s: %s %v, want %s %v", name, a.Format, a.Trace, c.format, c.want)
		}
		all := strings.Join(a.Notes, "\n")
		if c.notes == "" && all != "" {
			t.Errorf("%s: notes %q", name, all)
		}
		for words := range strings.SplitSeq(c.notes, "|") {
			at := strings.Index(all, words)
			if at < 0 {
				t.Errorf("%s: %q is not in notes %q", name, words, a.Notes)
				continue
			}
			all = all[at:]
		}
	}
}

func minutes(counts ...int) serving.Trace {
	var tr serving.Trace
	for _, n := range counts {
		for i := range 60 {
			tr = append(tr, n*(i+1)/60-n*i/60)
		}
	}
	return tr
}

func TestReadRefuses(t *testing.T) {
	cut := zipped("second,requests\n" + strings.Repeat("0,1\n1,17\n3,5\n", 500))
	for name, c := range map[string]struct {
		text  string
		row   int
		words string
	}{
		"empty":              {"", 1, "the file is empty"},
		"no names":           {"0.5\n0.9\n", 1, `there is no time column among "0.5"; name one time_s`},
		"no requests":        {"second,count\n1,1\n", 1, "requests is missing next to second"},
		"no requests either": {"minute\n1\n", 1, "requests is missing next to minute"},
		"two clocks":         {"time_s,second,requests\n1,1,1\n", 1, "both times"},
		"a column twice":     {"second,requests,requests\n1,1,1\n", 1, "the column is duplicated"},
		"header alone":       {"time_s\n", 2, "contains no request"},
		"zeros alone":        {"second,requests\n0,0\n1,0\n", 4, "contains no request"},
		"negative time":      {"time_s\n1\n-0.5\n", 3, "-0.5 is negative; give a number of at least 0"},
		"negative count":     {"second,requests\n1,-3\n", 2, "is negative"},
		"NaN":                {"time_s\nNaN\n", 2, "not a finite decimal number"},
		"infinity":           {"time_s\n\n+Inf\n", 2, "not a finite decimal number"},
		"overflow":           {"time_s\n1e999\n", 2, "too large"},
		"hexadecimal":        {"time_s\n0x1p4\n", 2, "not a finite decimal number"},
		"a word":             {"time_s\nnoon\x1b[2J\n", 2, `"noon\x1b[2J" is not`},
		"an empty cell":      {"time_s,user\n,7\n", 2, "is empty; give a number"},
		"half a second":      {"second,requests\n0.5,1\n", 2, "0.5 is not a whole number; if each row is a request"},
		"half a request":     {"second,requests\n0,1.5\n", 2, "1.5 is not a whole number"},
		"missing cells":      {"second,requests\n0,1\n1\n", 3, "has 1 cell and the header 2"},
		"an open quote":      {"time_s\n\"1\n", 2, "quote"},
		"no date":            {"TIMESTAMP\n18:17:03\n", 2, "write 2023-11-16 18:17:03"},
		"a huge gap":         {"time_s\n1\n2\n1700158623\n", 4, "split the file, correct the time"},
		"a huge gap before":  {"second,requests\n3000000,1\n1,1\n", 3, "above 31; split"},
		"milliseconds":       {"time_s\n1700158623000\n1700161323000\n", 3, "give it in seconds"},
		"a month of minutes": {"minute,requests\n0,1\n44640,1\n", 3, "31 days"},
		"far minutes":        {"minute,requests\n0,1\n1e18,1\n", 3, "above 31"},
		"a crowded second":   {"second,requests\n5,1000000\n5,1\n", 3, "more than 1000000 requests in one second"},
		"a crowded minute":   {"minute,requests\n5,60000001\n", 2, "in one minute"},
		"too many at once":   {"second,requests\n0,1e9\n", 2, "more than 1000000 requests in one second"},
		"too many in all":    {"minute,requests\n0,6e7\n1,6e7\n", 3, "more than 100000000 requests"},
		"a long row":         {"time_s\n" + strings.Repeat("1", 3*textfile.MaxRowBytes), 2, "is a quote left open"},
		"not gzip":           {"\x1f\x8bxxxxxxxxxxxxxxxx", 1, "cut off or damaged"},
		"gzip cut off":       {cut[:len(cut)/2], 0, "cut off or damaged"},
		"gzip changed":       {cut[:len(cut)-6] + "\xff\xff" + cut[len(cut)-4:], 0, "cut off or damaged"},
	} {
		_, err := Read(strings.NewReader(c.text))
		e, ok := errors.AsType[*textfile.Error](err)
		words := strings.ReplaceAll(c.words, "31 days", "above 31")
		if !ok || !strings.Contains(e.What, words) || c.row > 0 && e.Row != c.row {
			t.Errorf("%s: %v, want row %d and the words %q", name, err, c.row, words)
		} else if strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("%s: %q is not one plain sentence", name, err)
		}
	}
}

// What fails below is no error of the content.
func TestReadPassesOnFailures(t *testing.T) {
	broken := errors.New("broken disk")
	_, err := Read(io.MultiReader(strings.NewReader("time_s\n1\n"), failing{broken}))
	if e, ok := errors.AsType[*textfile.Error](err); ok || !errors.Is(err, broken) {
		t.Errorf("%v, %v", err, e)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"time_s\n0.5\n0.9\n2\n", "second,requests\n5,1\n4,2\n4,3\n", "minute,requests\n0,30\n2,61\n",
		"TIMESTAMP,ContextTokens\n2023-11-16 18:17:03.9799600,4808\n", zipped("time_s\n1\n"), "time_s\n\"1\n",
		"time_s\n1e999\n-1\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		a, err := Read(bytes.NewReader(text))
		if err != nil {
			if e, ok := errors.AsType[*textfile.Error](err); !ok || e.Row < 1 || e.What == "" {
				t.Fatalf("%v is no error with a row", err)
			}
			return
		}
		if err := a.Trace.Check(); err != nil {
			t.Fatal(err)
		}
		if n := a.Trace.Requests(); n < 1 || n > MaxRequests {
			t.Fatalf("%d requests", n)
		}
		var again strings.Builder
		again.WriteString("second,requests\n")
		for second, n := range a.Trace {
			if n > 0 || second == 0 || second == len(a.Trace)-1 {
				fmt.Fprintf(&again, "%d,%d\n", second, n)
			}
		}
		b, err := Read(strings.NewReader(again.String()))
		if err != nil || !slices.Equal(a.Trace, b.Trace) {
			t.Fatalf("read again: %v", err)
		}
	})
}

// BenchmarkRead is half a million requests, one row each.
func BenchmarkRead(b *testing.B) {
	var text strings.Builder
	text.WriteString("time_s\n")
	for i := range 500_000 {
		fmt.Fprintf(&text, "%d.%03d\n", i/140, i%1000)
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if _, err := Read(strings.NewReader(text.String())); err != nil {
			b.Fatal(err)
		}
	}
}

// Rows that name models are told apart; together they are the whole trace.
func TestKindsOfATrace(t *testing.T) {
	a, err := Read(strings.NewReader("time_s,model\n3,b\n1,a\n3.5,a\n1,\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []Kind{{"", serving.Trace{1, 0, 0}}, {"a", serving.Trace{1, 0, 1}}, {"b", serving.Trace{0, 0, 1}}}
	if !reflect.DeepEqual(a.Kinds, want) {
		t.Errorf("%v", a.Kinds)
	}
	if a, err = Read(strings.NewReader("time_s\n1\n")); err != nil || a.Kinds != nil {
		t.Errorf("without the column: %v, %v", a.Kinds, err)
	}
	var b strings.Builder
	b.WriteString("minute,requests,model\n")
	for k := range mostKinds + 1 {
		fmt.Fprintf(&b, "1,7,m%d\n", k)
	}
	if a, err = Read(strings.NewReader(b.String())); err != nil || a.Kinds != nil ||
		!strings.Contains(strings.Join(a.Notes, "; "), "too many models") {
		t.Errorf("too many: %d kinds, %v, %v", len(a.Kinds), a.Notes, err)
	}
}
