package imports

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	"sweetspot/data/imports/source"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// inMemory is a file whose content the test has at hand.
func inMemory(path string, content []byte) source.File {
	return source.File{Path: path,
		Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }}
}

// fixture are the files of a format's folder, by their path in it, under a path
// that is the same on every machine.
func fixture(t testing.TB, format string) []source.File {
	t.Helper()
	if format == "tensorboard" {
		return boards()
	}
	dir := filepath.Join("testdata", format)
	found, err := Files([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	for i := range found.Files {
		named := filepath.ToSlash(found.Named[found.Files[i].Path].Path)
		found.Files[i].Path = "/logs/" + strings.TrimPrefix(named, "testdata/")
	}
	return found.Files
}

func readAll(t testing.TB, files []source.File, o Options) []source.Report {
	t.Helper()
	var reports []source.Report
	err := Read(t.Context(), files, o, func(r source.Report) error {
		reports = append(reports, r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range reports {
		sound(t, r)
	}
	return reports
}

func content(t testing.TB, f source.File) []byte {
	t.Helper()
	file, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	text, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// sound fails where a report is no plain sentence or a run is one that could not
// be.
func sound(t testing.TB, r source.Report) {
	t.Helper()
	if (r.Err == nil) != (r.Set != nil) {
		t.Fatalf("%s: set %v beside error %v", r.File, r.Set != nil, r.Err)
	}
	sentences := slices.Clone(r.Notes)
	if r.Err != nil {
		sentences = append(sentences, r.Err.Error())
	}
	for _, s := range sentences {
		if s == "" || !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) || len(s) > 700 {
			t.Fatalf("%s: %q is no plain sentence", r.File, s)
		}
	}
	if r.Set == nil {
		return
	}
	for _, run := range r.Set.Runs {
		soundRun(t, run)
	}
}

func soundRun(t testing.TB, r profile.Run) {
	t.Helper()
	if _, err := json.Marshal(r); err != nil {
		t.Fatalf("%s: a number is not finite: %v", r.Source, err)
	}
	for _, s := range []string{r.Model, r.Dataset, r.Unit, r.Variant.Name, r.Variant.Precision, r.Cloud, r.Region,
		r.InstanceType, r.GPU, r.Source, r.AsOf} {
		if !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
			t.Fatalf("%q is not plain", s)
		}
	}
	if r.Model == "" || r.Basis == estimate.Unknown || r.Status == "" ||
		(r.Mode != profile.Train && r.Mode != profile.Infer) {
		t.Fatalf("a run without model, basis, status or mode: %+v", r)
	}
	if r.BatchSize < 0 || r.GPUCount < 0 || r.Count < 0 {
		t.Fatalf("a negative count: %+v", r)
	}
	times := []*float64{r.TotalS, r.Epochs, r.InitS, r.FirstIterationS, r.StartupS, r.IterationsPerEpoch, r.TrainSize,
		r.PeakMemoryBytes, r.GPUMemGiB, r.USDPerHour, r.ValidationS, r.FirstValidationS}
	for _, v := range r.Validations {
		times = append(times, &v.Seconds, v.AtS, v.Units)
		if v.Epoch < 0 {
			t.Fatalf("a validation before the first epoch: %+v", v)
		}
	}
	for _, v := range times {
		if v != nil && !(*v >= 0) {
			t.Fatalf("a negative quantity %g in %+v", *v, r)
		}
	}
	if e := r.Steady; e.Known() && !(e.Low <= e.Value && e.Value <= e.High && e.Value > 0) {
		t.Fatalf("an iteration of %+v", e)
	}
	for i, at := range r.EpochStartsS {
		if at < 0 || (i > 0 && at <= r.EpochStartsS[i-1]) {
			t.Fatalf("epochs begin at %v", r.EpochStartsS)
		}
	}
}

// frame writes a TFRecord.
func frame(out *bytes.Buffer, data []byte) {
	var head [8]byte
	binary.LittleEndian.PutUint64(head[:], uint64(len(data)))
	out.Write(head[:])
	_ = binary.Write(out, binary.LittleEndian, checksum(head[:]))
	out.Write(data)
	_ = binary.Write(out, binary.LittleEndian, checksum(data))
}

// checksum is the masked CRC-32C of TFRecord, bit by bit: the slow definition.
func checksum(data []byte) uint32 {
	crc := ^uint32(0)
	for _, b := range data {
		crc ^= uint32(b)
		for range 8 {
			crc = crc>>1 ^ 0x82f63b78*(crc&1)
		}
	}
	crc = ^crc
	return (crc>>15 | crc<<17) + 0xa282ead8
}

// logged is a scalar to write into an event file.
type logged struct {
	wall   float64
	step   int64
	tag    string
	value  float64
	tensor bool
}

func board(events ...logged) []byte {
	var out bytes.Buffer
	first := protowire.AppendTag(nil, 1, protowire.Fixed64Type)
	first = protowire.AppendFixed64(first, math.Float64bits(1719249164))
	first = protowire.AppendTag(first, 3, protowire.BytesType)
	frame(&out, protowire.AppendString(first, "brain.Event:2"))
	for _, e := range events {
		value := protowire.AppendTag(nil, 1, protowire.BytesType)
		value = protowire.AppendString(value, e.tag)
		if e.tensor {
			var four [4]byte
			binary.LittleEndian.PutUint32(four[:], math.Float32bits(float32(e.value)))
			tensor := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 1)
			tensor = protowire.AppendBytes(protowire.AppendTag(tensor, 4, protowire.BytesType), four[:])
			value = protowire.AppendBytes(protowire.AppendTag(value, 8, protowire.BytesType), tensor)
		} else {
			value = protowire.AppendFixed32(protowire.AppendTag(value, 2, protowire.Fixed32Type),
				math.Float32bits(float32(e.value)))
		}
		summary := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), value)
		event := protowire.AppendFixed64(protowire.AppendTag(nil, 1, protowire.Fixed64Type), math.Float64bits(e.wall))
		event = protowire.AppendVarint(protowire.AppendTag(event, 2, protowire.VarintType), uint64(e.step))
		frame(&out, protowire.AppendBytes(protowire.AppendTag(event, 5, protowire.BytesType), summary))
	}
	return out.Bytes()
}

// boards are event files as Keras and as PyTorch write them.
func boards() []source.File {
	const t0 = 1719249164
	var steps []logged
	for i := range 40 {
		at := t0 + 20 + float64(i)*5
		steps = append(steps, logged{at, int64(i * 50), "train/loss", 2 - float64(i)/40, false},
			logged{at, int64(i * 50), "train/epoch", float64(i) / 8, false})
		if i%8 == 7 {
			steps = append(steps, logged{at + 1, int64(i * 50), "eval/accuracy", 50 + float64(i), false},
				logged{at + 1, int64(i * 50), "eval/runtime", 3, false})
		}
	}
	keras := func(tag string, values ...float64) (out []logged) {
		for i, v := range values {
			out = append(out, logged{t0 + 30*float64(i+1), int64(i), tag, v, true})
		}
		return out
	}
	return []source.File{
		inMemory("/logs/tensorboard/gpt/events.out.tfevents.1719249164.host.1.0", board(steps...)),
		inMemory("/logs/tensorboard/mnist/train/events.out.tfevents.1719249164.host.2.0.v2",
			board(keras("epoch_loss", 1.5, 0.8, 0.5)...)),
		inMemory("/logs/tensorboard/mnist/validation/events.out.tfevents.1719249164.host.2.1.v2",
			board(keras("epoch_accuracy", 0.7, 0.8, 0.85)...)),
	}
}
