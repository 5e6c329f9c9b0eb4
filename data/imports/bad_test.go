package imports

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"sweetspot/data/imports/source"
	"sweetspot/data/textfile"
	"sweetspot/engine/profile"
)

// Of an empty file each format says in one sentence that it is empty.
func TestEmptyFiles(t *testing.T) {
	for _, f := range Formats {
		for _, file := range fixture(t, f.Name) {
			for _, text := range []string{"", " \r\n", "\ufeff"} {
				if f.Name == "tensorboard" && text != "" {
					continue
				}
				for _, format := range []string{f.Name, "auto"} {
					reports := readAll(t, []source.File{inMemory(file.Path, []byte(text))}, Options{Format: format})
					if len(reports) != 1 || reports[0].Err == nil {
						t.Errorf("%s as %s: %q is imported", file.Path, format, text)
					}
				}
			}
		}
	}
}

// rows are the formats whose rows are a run each, and documents those that are
// whole or nothing. Of all others the rows are parts of runs.
var (
	rows      = []string{"wandb-runs", "profile-csv", "timm", "mlperf-epochs", "perf-analyzer", "model-analyzer", "wide"}
	documents = []string{"profile-json", "trainer-state", "optimum-benchmark", "vllm-bench", "guidellm", "aiperf"}
)

// A file that is cut off is refused in one sentence, which [readAll] tests, or
// read as far as it goes: of rows that are runs these runs, of others no run and
// no validation that the whole does not hold. A document is refused. Of a row that
// is cut within its last cell nobody can tell.
func TestTruncatedFiles(t *testing.T) {
	for _, f := range Formats {
		t.Run(f.Name, func(t *testing.T) {
			whole := readAll(t, fixture(t, f.Name), Options{Format: f.Name})
			refused := 0
			for i, file := range fixture(t, f.Name) {
				text := content(t, file)
				// fewer of its rows are fewer GPUs
				isSide := f.Name == "model-analyzer" && !strings.Contains(file.Path, "inference")
				for _, at := range cuts(text, f.Name == "tensorboard" || f.Name == "mlflow-db") {
					files := fixture(t, f.Name)
					files[i] = inMemory(file.Path, text[:at])
					for k, r := range readAll(t, files, Options{Format: f.Name}) {
						switch {
						case r.Err != nil:
							refused++
						case k == i && slices.Contains(documents, f.Name) && len(bytes.TrimSpace(text[at:])) > 0:
							t.Errorf("%s cut at byte %d is read", file.Path, at)
						case isSide, slices.ContainsFunc(r.Notes, func(n string) bool {
							return strings.Contains(n, "cut off") || strings.Contains(n, "nothing says whether")
						}):
						case slices.Contains(rows, f.Name):
							sameRuns(t, r, whole, at)
						default:
							sameValues(t, r, whole, at)
						}
					}
				}
			}
			if refused == 0 {
				t.Error("no cut is ever refused")
			}
		})
	}
}

// cuts are the ends of all lines and every twentieth of the length.
func cuts(text []byte, binary bool) (at []int) {
	for i, c := range text {
		if c == '\n' && i+1 < len(text) && !binary {
			at = append(at, i+1)
		}
	}
	for k := 1; k < 20; k++ {
		at = append(at, len(text)*k/20)
	}
	return at
}

// sameRuns fails where a run is none of those of the whole, its accuracy aside,
// which may be joined from the file that is cut.
func sameRuns(t *testing.T, r source.Report, whole []source.Report, at int) {
	t.Helper()
	plain := func(run profile.Run) string {
		run.Accuracy, run.PeakMemoryBytes, run.Variant.Name = nil, nil, ""
		text, _ := json.Marshal(run) // readAll has tested that it can be
		return string(text)
	}
	known := map[string]bool{}
	for _, w := range whole {
		if w.Set == nil {
			continue
		}
		for _, run := range w.Set.Runs {
			known[plain(run)] = true
		}
	}
	for _, run := range r.Set.Runs {
		if !known[plain(run)] {
			t.Errorf("cut at byte %d: a run that the whole does not hold: %s", at, plain(run))
		}
	}
}

// sameValues fails where a validation has a value that the whole does not hold.
func sameValues(t *testing.T, r source.Report, whole []source.Report, at int) {
	t.Helper()
	known := map[float64]bool{}
	for _, w := range whole {
		if w.Set == nil {
			continue
		}
		for _, run := range w.Set.Runs {
			for _, v := range run.Validations {
				if v.Value != nil {
					known[*v.Value] = true
				}
			}
		}
	}
	for _, run := range r.Set.Runs {
		for _, v := range run.Validations {
			if v.Value != nil && !known[*v.Value] {
				t.Errorf("cut at byte %d: a value that the whole does not hold: %s %g", at, v.Metric, *v.Value)
			}
		}
	}
}

// A file of another format is refused, and its sentence names the file.
func TestWrongFormats(t *testing.T) {
	for _, f := range Formats {
		for _, other := range Formats {
			// These are tables of epochs, too; they have a column more.
			if f.Name == other.Name || f.Name == "keras" &&
				slices.Contains([]string{"lightning", "wandb-history", "wandb-runs"}, other.Name) {
				continue
			}
			for _, file := range fixture(t, other.Name) {
				if strings.HasSuffix(file.Path, ".yaml") {
					continue
				}
				for _, r := range readAll(t, []source.File{file}, Options{Format: f.Name}) {
					if r.Err == nil || !strings.HasPrefix(r.Err.Error(), file.Base()) {
						t.Errorf("%s as %s: %v", file.Path, f.Name, r.Err)
					}
				}
			}
		}
	}
}

// What is far too large is refused before it fills the memory.
func TestHugeFiles(t *testing.T) {
	const mib = 1 << 20
	junk := bytes.Repeat([]byte("x"), 2*mib)
	record := binary.LittleEndian.AppendUint64(nil, 1<<40)
	record = binary.LittleEndian.AppendUint32(record, checksum(record))
	claimed := binary.LittleEndian.AppendUint64(nil, 200*mib)
	claimed = binary.LittleEndian.AppendUint32(claimed, checksum(claimed))
	long := append([]byte(`{"schema":1,"command":"export","x":"`),
		bytes.Repeat([]byte("x"), source.MaxDocumentBytes+mib)...)
	for _, f := range Formats {
		for _, file := range fixture(t, f.Name) {
			if strings.HasSuffix(file.Path, "server-only.csv") {
				continue // its header says that it is of no use
			}
			if strings.Contains(file.Path, "/tags/") {
				continue // which are not read
			}
			var text []byte
			var size int64
			want := "longer than"
			switch {
			case f.Name == "tensorboard":
				text, want = append(board(), record...), "longer than 256 MiB"
			case f.Name == "wandb":
				text, want = append([]byte(":W&B\xe1\xbe\x00"), junk...), "is the file damaged?"
			case f.Name == "mlflow-db":
				text, want, size = content(t, file), "larger than 256 MiB", 1<<40
			case strings.Contains(file.Path, "/params/"):
				text, want = junk, "larger than"
			case f.Name == "profile-json":
				text, want = long, "longer than 32 MiB"
			case strings.HasSuffix(file.Path, ".json"):
				text, want = content(t, file), "larger than 32 MiB"
				size = 1 << 40
			case strings.HasSuffix(file.Path, ".yaml"):
				text, want = junk, "larger than 1 MiB"
			case f.Name == "mllog":
				text, want = junk, "contains no run"
			default:
				head, _, _ := bytes.Cut(content(t, file), []byte("\n"))
				text = slices.Concat(head, []byte("\n\""), junk)
			}
			huge := inMemory(file.Path, text)
			huge.Size = size
			r := readAll(t, []source.File{huge}, Options{Format: f.Name})[0]
			if r.Err == nil || !strings.Contains(r.Err.Error(), want) {
				t.Errorf("%s: %v, want the words %q", file.Path, r.Err, want)
			}
		}
	}
	r := readAll(t, []source.File{inMemory("/a/trainer_state.json", long)}, Options{})[0]
	if r.Err == nil || !strings.Contains(r.Err.Error(), "longer than 32 MiB") {
		t.Errorf("of a size that is not known: %v", r.Err)
	}
	r = readAll(t, []source.File{inMemory("/a/x.tfevents.1", append(board(), claimed...))}, Options{})[0]
	if r.Err == nil || !strings.Contains(r.Err.Error(), "cut off") {
		t.Errorf("a length without the data: %v", r.Err)
	}
}

func TestTooManyRows(t *testing.T) {
	text := "epoch,loss,val_loss\n" + strings.Repeat(",,\n", textfile.MaxRows+1)
	r := readAll(t, []source.File{inMemory("/a/x.csv", []byte(text))}, Options{})[0]
	if r.Err == nil || !strings.Contains(r.Err.Error(), "more than 1,000,000 rows") {
		t.Errorf("%v", r.Err)
	}
}

// Of every format whose rows are runs too many are refused.
func TestTooManyRuns(t *testing.T) {
	for _, format := range rows {
		files := fixture(t, format)
		file := files[0]
		if i := slices.IndexFunc(files, func(f source.File) bool { return strings.Contains(f.Path, "inference") }); i >= 0 {
			file = files[i]
		}
		lines := bytes.SplitAfter(content(t, file), []byte("\n"))
		text := slices.Concat(lines[0], bytes.Repeat(lines[1], source.MaxRuns+1))
		r := readAll(t, []source.File{inMemory(file.Path, text)}, Options{Format: format})[0]
		if r.Err == nil || !strings.Contains(r.Err.Error(), "more than 200000 r") {
			t.Errorf("%s: %v", format, r.Err)
		}
	}
}

// Of many files the bad ones are reported and the good ones kept.
func TestAThousandFiles(t *testing.T) {
	good := content(t, fixture(t, "keras")[0])
	var files []source.File
	for i := range 1000 {
		text, name := good, "/a/run"+strings.Repeat("i", i%7)+string(rune('a'+i%26))+strings.Repeat("x", i/26)+".csv"
		if i%10 == 3 {
			text = []byte("a shopping list")
		}
		files = append(files, inMemory(name, text))
	}
	var told []int
	bad := 0
	for _, r := range readAll(t, files, Options{Progress: func(done, _ int) { told = append(told, done) }}) {
		if r.Err != nil {
			bad++
		}
	}
	if bad != 100 {
		t.Errorf("%d bad files of 100", bad)
	}
	if !slices.IsSorted(told) || told[len(told)-1] != 1000 {
		t.Errorf("progress ends at %d", told[len(told)-1])
	}
}

// A wide row may hold many runs, so they are counted while it is read.
func TestTooManyRunsOfAWideTable(t *testing.T) {
	times := map[string]source.TimeColumn{}
	head, row := "m,b", "net,1"
	for i := range 100 {
		name := fmt.Sprint("t", i)
		times[name] = source.TimeColumn{In: "s"}
		head, row = head+","+name, row+",1"
	}
	text := head + "\n" + strings.Repeat(row+"\n", source.MaxRuns/100+1)
	r := readAll(t, []source.File{inMemory("/a/x.csv", []byte(text))},
		Options{Given: source.Given{Mapping: &source.Mapping{Model: "m", BatchSize: "b", Times: times}}})[0]
	if r.Err == nil || !strings.Contains(r.Err.Error(), "row 2002: more than 200000 runs") {
		t.Errorf("%v", r.Err)
	}
}

// endless is a file that goes on until somebody stops it.
type endless struct{ stop func() }

func (e endless) Read(p []byte) (int, error) {
	e.stop()
	return copy(p, "epoch,loss,val_loss\n"), nil
}

func (endless) Close() error { return nil }

// What keeps reading from going on ends it, and is reported.
func TestReadEndsEarly(t *testing.T) {
	good, bad := fixture(t, "keras")[0], inMemory("/a/x.md", []byte("# nothing"))
	full := errors.New("the disk is full")
	for _, files := range [][]source.File{{good, good}, {bad, bad}, {bad, good}} {
		taken := 0
		err := Read(t.Context(), files, Options{}, func(source.Report) error {
			taken++
			return full
		})
		if !errors.Is(err, full) || taken != 1 {
			t.Errorf("%v after %d reports", err, taken)
		}
	}
	none := func(r source.Report) error {
		t.Errorf("%s was taken: %v", r.File, r.Err)
		return nil
	}
	if err := Read(t.Context(), []source.File{good}, Options{Format: "nosuch"}, none); err == nil {
		t.Error("no such format is taken")
	}
	ctx, stop := context.WithCancel(t.Context())
	file := source.File{Path: "/a/log.csv", Open: func() (io.ReadCloser, error) { return endless{stop}, nil }}
	for _, format := range []string{"", "keras", "mllog", "tensorboard", "profile-csv"} {
		if err := Read(ctx, []source.File{file, good}, Options{Format: format}, none); !errors.Is(err, context.Canceled) {
			t.Errorf("%q: %v", format, err)
		}
	}
}
