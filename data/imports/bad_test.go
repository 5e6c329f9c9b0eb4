package imports

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"sweetspot/data/imports/source"
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

// A file that is cut off is refused in one sentence, or read as far as it goes
// with a sentence that says so; what stands before the cut is as it was.
func TestTruncatedFiles(t *testing.T) {
	for _, f := range Formats {
		refused := 0
		for i, file := range fixture(t, f.Name) {
			whole := content(t, file)
			for _, share := range []float64{0.2, 0.5, 0.8, 0.95} {
				files := fixture(t, f.Name)
				files[i] = inMemory(file.Path, whole[:int(share*float64(len(whole)))])
				for _, r := range readAll(t, files, Options{Format: f.Name}) {
					if r.Err != nil {
						refused++
					}
				}
			}
		}
		if refused == 0 {
			t.Errorf("%s: no cut is ever refused", f.Name)
		}
	}
}

// A file of another format is refused, and its sentence names the file.
func TestWrongFormats(t *testing.T) {
	for _, f := range Formats {
		for _, other := range Formats {
			// Both are tables of epochs; Lightning's has a column more.
			if f.Name == other.Name || (f.Name == "keras" && other.Name == "lightning") {
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
	long := append([]byte(`{"schema":1,"command":"export","x":"`), bytes.Repeat([]byte("x"), source.MaxDocumentBytes)...)
	for _, f := range Formats {
		for _, file := range fixture(t, f.Name) {
			if strings.HasSuffix(file.Path, "server-only.csv") {
				continue // its header says that it is of no use
			}
			var text []byte
			var size int64
			want := "longer than"
			switch {
			case f.Name == "tensorboard":
				text, want = append(board(), record...), "longer than 256 MiB"
			case f.Name == "profile-json":
				text, want = long, "larger than 32 MiB"
			case strings.HasSuffix(file.Path, ".json"):
				text, want = content(t, file), "larger than 32 MiB"
				size = 1 << 40
			case strings.HasSuffix(file.Path, ".yaml"):
				text, want = junk, "larger than 1 MiB"
			case f.Name == "mllog":
				text, want = junk, "holds no run"
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
	if r.Err == nil || !strings.Contains(r.Err.Error(), "larger than 32 MiB") {
		t.Errorf("of a size that is not known: %v", r.Err)
	}
	r = readAll(t, []source.File{inMemory("/a/x.tfevents.1", append(board(), claimed...))}, Options{})[0]
	if r.Err == nil || !strings.Contains(r.Err.Error(), "cut off") {
		t.Errorf("a length without the data: %v", r.Err)
	}
}

func TestTooManyRows(t *testing.T) {
	text := "epoch,loss,val_loss\n" + strings.Repeat(",,\n", source.MaxRows+1)
	r := readAll(t, []source.File{inMemory("/a/x.csv", []byte(text))}, Options{})[0]
	if r.Err == nil || !strings.Contains(r.Err.Error(), "more than 1000000 rows") {
		t.Errorf("%v", r.Err)
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
