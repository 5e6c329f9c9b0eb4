package jobtrace

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"sweetspot/data/textfile"
	"sweetspot/engine/fleet"
)

var nan = math.NaN()

// same compares jobs as == does, but unknown deadlines are alike.
func same(a, b fleet.Job) bool {
	if !a.HasDeadline() && !b.HasDeadline() {
		a.DeadlineS, b.DeadlineS = 0, 0
	}
	return a == b
}

func zipped(text string) string {
	var file bytes.Buffer
	zip := gzip.NewWriter(&file)
	_, _ = io.WriteString(zip, text)
	_ = zip.Close()
	return file.String()
}

func TestRead(t *testing.T) {
	for name, c := range map[string]struct {
		in     string
		format string
		jobs   []fleet.Job
		notes  []string
	}{
		"every column": {
			"submit_s,runtime_s,gpus,deadline_s,model\n0,10.5,2,30,VGG\n1e2,.5,4.0,200,\"a, b\"\n", plainCSV,
			[]fleet.Job{{SubmitS: 0, RuntimeS: 10.5, DeadlineS: 30, GPUs: 2, Model: "VGG"},
				{SubmitS: 100, RuntimeS: 0.5, DeadlineS: 200, GPUs: 4, Model: "a, b"}}, nil,
		},
		"any order, case and blanks": {
			"\ufeff\"Colour\", Model ,GPUS,RUNTIME_S,colour, Submit_S\r\nred,VGG,8, 3 ,,7\r\n", plainCSV,
			[]fleet.Job{{SubmitS: 7, RuntimeS: 3, DeadlineS: nan, GPUs: 8, Model: "VGG"}}, nil,
		},
		"only what must be": {
			"submit_s,runtime_s\n0,1\n\n5,1", plainCSV,
			[]fleet.Job{{SubmitS: 0, RuntimeS: 1, DeadlineS: nan, GPUs: 1}, {SubmitS: 5, RuntimeS: 1, DeadlineS: nan, GPUs: 1}},
			[]string{"1 GPU assumed for 2 jobs with no number of GPUs"},
		},
		"unsorted, ties in the order of the file": {
			"submit_s,runtime_s,gpus\n5,1,1\n2,2,1\n5,3,1\n2,4,1\n", plainCSV,
			[]fleet.Job{{SubmitS: 2, RuntimeS: 2, DeadlineS: nan, GPUs: 1}, {SubmitS: 2, RuntimeS: 4, DeadlineS: nan, GPUs: 1},
				{SubmitS: 5, RuntimeS: 1, DeadlineS: nan, GPUs: 1}, {SubmitS: 5, RuntimeS: 3, DeadlineS: nan, GPUs: 1}},
			[]string{"the jobs were not sorted by submission time; they were sorted"},
		},
		"left out": {
			"submit_s,runtime_s,gpus,deadline_s\n0,0,1,\n1,,1,\n2,1e-400,1,\n3,1,0,\n4,1,1,\n", plainCSV,
			[]fleet.Job{{SubmitS: 4, RuntimeS: 1, DeadlineS: nan, GPUs: 1}},
			[]string{"3 jobs without runtime left out", "1 job without GPUs left out"},
		},
		"some unknown, some hopeless": {
			"submit_s,runtime_s,gpus,deadline_s,model\n0,10,,10,m\n0,10,1,9.5,\n0,10,1,,m\n0,10,1,0,m\n", plainCSV,
			[]fleet.Job{
				{RuntimeS: 10, DeadlineS: 10, GPUs: 1, Model: "m"}, {RuntimeS: 10, DeadlineS: 9.5, GPUs: 1},
				{RuntimeS: 10, DeadlineS: nan, GPUs: 1, Model: "m"}, {RuntimeS: 10, DeadlineS: 0, GPUs: 1, Model: "m"},
			},
			[]string{"1 GPU assumed for 1 job with no number of GPUs", "2 deadlines that even an immediate start cannot meet",
				"1 job without a deadline", "1 job without a model"},
		},
		"Philly's columns": {
			"submit_s,duration_s,num_gpus,vc\n0,108,1,11cb48\n600,74,8,11cb48\n", phillyCSV,
			[]fleet.Job{{SubmitS: 0, RuntimeS: 108, DeadlineS: nan, GPUs: 1},
				{SubmitS: 600, RuntimeS: 74, DeadlineS: nan, GPUs: 8}}, nil,
		},
		"a row of almost 1 MiB": {
			"note,submit_s,runtime_s,gpus\n\"" + strings.Repeat("long\n", 1<<20/5-1000) + "\",0,1,1\n", plainCSV,
			[]fleet.Job{{RuntimeS: 1, DeadlineS: nan, GPUs: 1}}, nil,
		},
		"names are cleaned": {
			"submit_s,runtime_s,gpus,model\n0,1,1,\x1b]0;title\x07m\u202ev\n0,1,1,\"two\nlines\"\n0,1,1, caf\xe9 \n0,1,1," +
				strings.Repeat("ä", 300) + "\n", plainCSV,
			[]fleet.Job{
				{RuntimeS: 1, DeadlineS: nan, GPUs: 1, Model: "mv"},
				{RuntimeS: 1, DeadlineS: nan, GPUs: 1, Model: "two lines"},
				{RuntimeS: 1, DeadlineS: nan, GPUs: 1, Model: "caf\ufffd"}, {RuntimeS: 1, DeadlineS: nan, GPUs: 1,
					Model: strings.Repeat("ä", 199) + "…"},
			}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, in := range []string{c.in, zipped(c.in)} {
				trace, err := Read(strings.NewReader(in))
				if err != nil {
					t.Fatal(err)
				}
				if trace.Format != c.format || !slices.Equal(trace.Notes, c.notes) ||
					!slices.EqualFunc(trace.Jobs, c.jobs, same) {
					t.Errorf("read %q %+v\nnotes %q\nwant %q %+v\nnotes %q", trace.Format, trace.Jobs, trace.Notes, c.format, c.jobs,
						c.notes)
				}
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	row := func(cells string) string { return "submit_s,runtime_s,gpus,deadline_s,model\n0,1,1,,\n" + cells + "\n" }
	long := zipped(row(strings.Repeat("1,1,1,,m\n", 1000)))
	for name, c := range map[string]struct {
		in    string
		row   int
		words string
	}{
		"empty file":  {"", 1, "the file is empty"},
		"blank lines": {"\n\r\n\n", 1, "the file is empty"},
		"header only": {"submit_s,runtime_s\n", 1, "there are no jobs"},
		"none to keep": {"submit_s,runtime_s,gpus\n0,0,1\n0,1,0\n", 3, "no jobs to keep: 1 job without " +
			"runtime left out, 1 job without GPUs left out"},
		"another CSV": {"a,b\n1,2\n", 1, `submit_s is missing among "a", "b"`},
		"no runtime": {"submit_s;runtime_s\n1;2\n", 1, `missing among "submit_s;runtime_s"; a job trace has ` +
			`submit_s and runtime_s, separated by commas`},
		"no duration":         {"submit_s,gpus\n1,2\n", 1, "the column runtime_s or duration_s is missing"},
		"many other columns":  {strings.Repeat("\x1bcolumn,", 1000) + "\n", 1, "missing"},
		"a column twice":      {"submit_s,runtime_s,Submit_S\n", 1, "column submit_s: the column is duplicated"},
		"two spellings":       {"submit_s,num_gpus,runtime_s,gpus\n", 1, "the columns num_gpus and gpus mean the same"},
		"two runtimes":        {"submit_s,runtime_s,duration_s\n", 1, "the columns duration_s and runtime_s mean the same"},
		"submission empty":    {row(",1,1,,"), 3, "column submit_s: is empty"},
		"submission negative": {row("-1,1,1,,"), 3, "column submit_s: -1 is negative"},
		"runtime negative":    {row("1,-1,1,,"), 3, "column runtime_s: -1 is negative"},
		"NaN":                 {row("NaN,1,1,,"), 3, "not a finite decimal number"},
		"Inf":                 {row("0,+Inf,1,,"), 3, "not a finite decimal number"},
		"infinity":            {row("0,infinity,1,,"), 3, "not a finite decimal number"},
		"overflow":            {row("0,1e999,1,,"), 3, "too large"},
		"hexadecimal":         {row("0,0x1p-2,1,,"), 3, "not a finite decimal number"},
		"underscores":         {row("0,1_000,1,,"), 3, "not a finite decimal number"},
		"no number":           {row("0,1-e,1,,"), 3, "not a finite decimal number"},
		"unit in the cell":    {row("0,\"5\x1b ms\",1,,"), 3, `column runtime_s: "5\x1b ms" is not`},
		"milliseconds": {row("1700000000000,1,1,,"), 3, `column submit_s: 1.7e+12 is above 1e+12 seconds; ` +
			`are these milliseconds?`},
		"milliseconds, Philly": {"submit_s,duration_s\n0,1e13\n", 2, "column duration_s: 1e+13 is above"},
		"deadline too early": {row("100,1,1,99.5,"), 3, `column deadline_s: is "99.5", before the submission at "100"; it ` +
			`must be on the clock of submit_s`},
		"deadline NaN":          {row("100,1,1,nan,"), 3, "deadline_s"},
		"half a GPU":            {row("0,1,0.5,,"), 3, "not a whole number"},
		"negative GPUs":         {row("0,1,-1,,"), 3, "column gpus: -1 is negative"},
		"too many GPUs":         {row("0,1,100001,,"), 3, "100001 is above 100,000"},
		"GPUs in words":         {row("0,1,two,,"), 3, `column gpus: "two" is not`},
		"wrong though left out": {row("0,0,1,-5,"), 3, "negative"},
		"too few cells":         {row("0,1"), 3, "has 2 cells and the header 5"},
		"too many cells":        {row("0,1,1,,a,b"), 3, "has 6 cells and the header 5"},
		"open quote":            {row(`0,1,1,,"m`), 3, "quote"},
		"stray quote":           {row(`0,1,1,,m"`), 3, "quote"},
		"2 MiB line":            {row("0,1,1,," + strings.Repeat("m", 2<<20)), 3, "longer than 1048576 bytes"},
		"2 MiB open quote":      {row(`0,1,1,,"` + strings.Repeat("m\n", 1<<20)), 3, "longer than"},
		"2 MiB blank lines":     {row(strings.Repeat("\n", 2<<20)), 3, "longer than"},
		"2 MiB header":          {strings.Repeat("m", 2<<20), 1, "longer than"},
		"SQLite":                {"SQLite format 3\x00\x10\x00", 1, "the file is not text"},
		"a picture":             {"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", 1, "the file is not text"},
		"UTF-16":                {"\xff\xfes\x00u\x00b\x00m\x00", 1, "in UTF-8"},
		"a page":                {"<!DOCTYPE html>\n<p>404", 1, `"<!DOCTYPE html>"`},
		"zipped twice":          {zipped(zipped("submit_s,runtime_s\n0,1\n")), 1, "not text"},
		"zipped nothing":        {zipped(""), 1, "the file is empty"},
		"zip begun":             {"\x1f\x8b", 1, "cut off or damaged"},
		"no zip after all":      {"\x1f\x8b,runtime_s\n0,1\n", 1, "cut off or damaged"},
		"zip header only":       {long[:10], 1, "cut off or damaged"},
		"zip cut off":           {long[:len(long)-10], 0, "cut off or damaged"},
		"zip without checksum":  {long[:len(long)-8], 0, "cut off or damaged"},
		"zip damaged":           {long[:len(long)-8] + "12345678", 0, "cut off or damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read(strings.NewReader(c.in))
			refuses(t, err, c.row, c.words)
		})
	}
}

// refuses checks that an error is a plain sentence that says what it should; row
// 0 is any.
func refuses(t *testing.T, err error, row int, words string) {
	t.Helper()
	var e *textfile.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want an *textfile.Error", err)
	}
	if (row != 0 && e.Row != row) || e.Row < 1 || !strings.Contains(e.Error(), words) {
		t.Errorf("got %q, want row %d and the words %q", e, row, words)
	}
	if why := unplain(e.Error()); why != "" {
		t.Errorf("%q %s", e, why)
	}
}

// What can't be read is no fault of the content.
func TestReadKeepsErrorsOfTheFile(t *testing.T) {
	lost := errors.New("the disk is gone")
	for _, start := range []string{"", "submit_s,runtime_s\n", "submit_s,runtime_s\n0,1\n", "[",
		zipped("submit_s,runtime_s\n0,1\n")[:12]} {
		_, err := Read(io.MultiReader(strings.NewReader(start), failing{lost}))
		var e *textfile.Error
		if !errors.Is(err, lost) || errors.As(err, &e) {
			t.Errorf("after %q: %v", start, err)
		}
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// rows is a CSV of so many rows that is nowhere whole.
type rows struct {
	left int
	text []byte
}

func (r *rows) Read(p []byte) (int, error) {
	for len(r.text) < len(p) && r.left > 0 {
		r.text = append(r.text, "0,0\n"...)
		r.left--
	}
	n := copy(p, r.text)
	r.text = append(r.text[:0], r.text[n:]...)
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// Rows count whether or not their jobs are kept. These aren't, which is fast.
func TestReadIsBounded(t *testing.T) {
	_, err := Read(&rows{left: MaxJobs + 1, text: []byte("submit_s,runtime_s\n")})
	refuses(t, err, MaxJobs+2, "more than 2,000,000 rows; split the file")
	three := "submit_s,runtime_s\n0,1\n0,0\n0,1\n"
	if trace, err := read(strings.NewReader(three), 3); err != nil || len(trace.Jobs) != 2 {
		t.Errorf("as many rows as there may be: %v", err)
	}
	_, err = read(strings.NewReader(three), 2)
	refuses(t, err, 4, "more than 2 rows; split the file")
}

// set is where the real trace lies beside the project. It is no part of it.
const set = "../../../shared/data/jobs/philly_jobs_10k.csv.gz"

// Counted with another program: sums over the file's columns, its largest job
// and its last row.
func TestReadPhilly(t *testing.T) {
	trace := philly(t)
	var gpus, most int
	var seconds, gpuSeconds float64
	for _, job := range trace.Jobs {
		gpus, most = gpus+job.GPUs, max(most, job.GPUs)
		seconds, gpuSeconds = seconds+job.RuntimeS, gpuSeconds+job.RuntimeS*float64(job.GPUs)
	}
	got := fmt.Sprintf("%s %d %q, %d %d %.0f %.0f", trace.Format, len(trace.Jobs), trace.Notes, gpus, most,
		seconds, gpuSeconds)
	if want := "Philly CSV 10000 [], 12163 32 71245882 252116431"; got != want {
		t.Errorf("read %s, want %s", got, want)
	}
	if last := trace.Jobs[len(trace.Jobs)-1]; !same(last, fleet.Job{SubmitS: 421685, RuntimeS: 175750,
		DeadlineS: nan, GPUs: 8}) {
		t.Errorf("last %+v", last)
	}
}
