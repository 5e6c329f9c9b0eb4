package jobtrace

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"sweetspot/data/textfile"
	"sweetspot/engine/fleet"
)

func harmless(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) < 0
}

// unplain says why a text is not one plain sentence.
func unplain(s string) string {
	switch {
	case !harmless(s):
		return "has control characters"
	case len(s) > 600:
		return "is too long"
	case s == "" || strings.HasSuffix(s, "."):
		return "is not one sentence in the middle of a line"
	}
	return ""
}

func rewritten(t interface{ Fatal(...any) }, jobs []fleet.Job) *Trace {
	var file bytes.Buffer
	if err := Write(&file, jobs); err != nil {
		t.Fatal(err)
	}
	trace, err := Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

func drawJob(t *rapid.T) fleet.Job {
	times := rapid.OneOf(rapid.Float64Range(0, maxSeconds), rapid.Map(rapid.IntRange(0, 9),
		func(n int) float64 { return float64(n) }))
	job := fleet.Job{
		SubmitS: times.Draw(t, "submit"), RuntimeS: max(times.Draw(t, "runtime"), math.SmallestNonzeroFloat64),
		DeadlineS: nan, GPUs: rapid.IntRange(1, maxGPUs).Draw(t, "gpus"),
		Model: textfile.Text(rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-z ,"'\\.\n]{0,4}`)).Draw(t, "model")),
	}
	if rapid.Bool().Draw(t, "has a deadline") {
		job.DeadlineS = max(job.SubmitS, times.Draw(t, "deadline"))
	}
	return job
}

// What is written reads back the same, by submission.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		jobs := rapid.SliceOfN(rapid.Custom(drawJob), 1, 20).Draw(t, "jobs")
		got := rewritten(t, jobs).Jobs
		slices.SortStableFunc(jobs, func(a, b fleet.Job) int { return cmp.Compare(a.SubmitS, b.SubmitS) })
		if !slices.EqualFunc(got, jobs, same) {
			t.Fatalf("wrote %+v\nread  %+v", jobs, got)
		}
	})
}

func TestWrite(t *testing.T) {
	var file strings.Builder
	err := Write(&file, []fleet.Job{
		{SubmitS: 0, RuntimeS: 0.1, DeadlineS: nan, GPUs: 1},
		{SubmitS: 1e9, RuntimeS: 1234567.5, DeadlineS: 2e9, GPUs: 8, Model: "\x1b[31mVGG, \"16\"\n"},
	})
	want := "submit_s,runtime_s,gpus,deadline_s,model\n0,0.1,1,,\n1000000000,1234567.5,8,2000000000,\"VGG, \"\"16\"\"\"\n"
	if err != nil || file.String() != want {
		t.Errorf("wrote %q, %v, want %q", file.String(), err, want)
	}
}

func TestWriteRefuses(t *testing.T) {
	good := fleet.Job{RuntimeS: 1, DeadlineS: nan, GPUs: 1}
	late, long, endless, early, many, none := good, good, good, good, good, good
	late.SubmitS, long.RuntimeS, endless.RuntimeS = -1, 0, math.Inf(1)
	early.SubmitS, early.DeadlineS, many.GPUs, none.GPUs = 5, 4, maxGPUs+1, 0
	for words, job := range map[string]fleet.Job{
		"submitted at -1": late, "runs for 0": long, "runs for +Inf": endless, "deadline 4": early,
		"100,001 GPUs": many,
		"0 GPUs":       none,
	} {
		if err := Write(io.Discard, []fleet.Job{good, job}); err == nil || !strings.Contains(err.Error(), words) ||
			!strings.HasPrefix(err.Error(), "row 3: ") {
			t.Errorf("got %v, want words %q", err, words)
		}
	}
	if err := Write(io.Discard, make([]fleet.Job, MaxJobs+1)); err == nil ||
		!strings.Contains(err.Error(), "at most 2,000,000 jobs and not 2,000,001") {
		t.Errorf("too many jobs: %v", err)
	}
	full := errors.New("the disk is full")
	if err := Write(fullDisk{full}, []fleet.Job{good}); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
}

type fullDisk struct{ err error }

func (f fullDisk) Write([]byte) (int, error) { return 0, f.err }

// Whatever is read is sound and can be written, and then reads the same; what
// is refused is refused in a sentence.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"submit_s,runtime_s\n0,1\n",
		"submit_s,runtime_s,gpus,deadline_s,model\n5,.5e-3,2,9,\"a \"\"b\"\"\"\n1,1E9,,,\n",
		"\ufeffSubmit_S, duration_s ,num_gpus,vc\r\n0,108,1,11cb48\r\n\r\n7,0,1,\r\n",
		"submit_s,runtime_s,model\n0,1,\"m",
		"submit_s,runtime_s\n-0,1e-400\n0,5e-324\n",
		phillyLog, "[]", "[{},null]", `[{"submitted_time":"2017-10-09 ` +
			`07:01:11.5","attempts":[{"start_time":"0000-01-01 00:00:00","end_time":"9999-12-31 ` +
			`23:59:59","detail":[{"gpus":[0]}]}]}] 1`,
		"SQLite format 3\x00", zipped("submit_s,runtime_s\n0,1\n"), zipped(phillyLog)[:99], `{"a":1}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		trace, err := Read(bytes.NewReader(in))
		if err != nil {
			var e *textfile.Error
			if !errors.As(err, &e) || e.Row < 1 || unplain(e.Error()) != "" {
				t.Fatalf("%T %q %s", err, err, unplain(err.Error()))
			}
			return
		}
		for _, note := range trace.Notes {
			if why := unplain(note); why != "" {
				t.Errorf("the note %q %s", note, why)
			}
		}
		if len(trace.Jobs) == 0 ||
			!slices.IsSortedFunc(trace.Jobs, func(a, b fleet.Job) int { return cmp.Compare(a.SubmitS, b.SubmitS) }) {
			t.Fatalf("not in the order of submission: %+v", trace.Jobs)
		}
		for i, job := range trace.Jobs {
			if err := checkWritable(&job); err != nil || !harmless(job.Model) ||
				utf8.RuneCountInString(job.Model) > 200 {
				t.Fatalf("job %d, %+v: %v", i, job, err)
			}
		}
		if again := rewritten(t, trace.Jobs).Jobs; !slices.EqualFunc(again, trace.Jobs, same) {
			t.Fatalf("%+v became %+v", trace.Jobs, again)
		}
	})
}

// BenchmarkRead reads the longest trace there may be, with every column.
func BenchmarkRead(b *testing.B) {
	for order, step := range map[string]int{"sorted": 1, "shuffled": 1_234_567} {
		b.Run(order, func(b *testing.B) {
			var file bytes.Buffer
			file.WriteString("submit_s,runtime_s,gpus,deadline_s,model\n")
			for i := range MaxJobs {
				at := i * step % MaxJobs
				fmt.Fprintf(&file, "%d,%d.25,%d,%d,network-%d\n", at, 60+i%5000, 1+i%8, at+10_000, i%40)
			}
			for b.Loop() {
				if trace, err := Read(bytes.NewReader(file.Bytes())); err != nil || len(trace.Jobs) != MaxJobs {
					b.Fatal(err)
				}
			}
			b.ReportMetric(MaxJobs*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
