package imports

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"sweetspot/data/imports/source"
	"sweetspot/engine/profile"
)

// What testdata/trackers.py logged with the real packages is found again: three epochs
// of twelve steps of at least 50 ms, at batch 64; a write to a database takes its time.
func TestTrackers(t *testing.T) {
	for _, format := range []string{"mlflow", "mlflow-db", "wandb"} {
		var runs []profile.Run
		for _, r := range readAll(t, fixture(t, format), Options{}) {
			if r.Err != nil || r.Format != format {
				t.Errorf("%s: %s, %v", r.File, r.Format, r.Err)
				continue
			}
			runs = append(runs, r.Set.Runs...)
		}
		if want := map[string]int{"mlflow-db": 2}[format]; len(runs) != max(want, 1) {
			t.Fatalf("%s: %d runs", format, len(runs))
		}
		r := runs[0]
		if r.Model != "resnet18" || r.Dataset != "CIFAR-10" || r.BatchSize != 64 || *r.Epochs != 3 ||
			*r.IterationsPerEpoch != 12 || r.Steady.Value < 0.05 || r.Steady.Value > 0.3 || r.Accuracy.Value != 0.7 ||
			r.Accuracy.Metric != "val/accuracy" || r.Status != profile.Done || len(r.Validations) != 3 ||
			r.Validations[2].Epoch != 2 {
			t.Errorf("%s: %+v", format, r)
		}
		if watts := r.AveragePowerW; format != "wandb" && (watts == nil || *watts != 71.5) {
			t.Errorf("power %v", watts)
		}
	}
}

// message is a protobuf message of fields that are bytes.
func message(n protowire.Number, parts ...[]byte) (out []byte) {
	for _, p := range parts {
		out = protowire.AppendBytes(protowire.AppendTag(out, n, protowire.BytesType), p)
	}
	return out
}

// entry is an item whose value is JSON.
func entry(key, json string) []byte {
	return append(message(1, []byte(key)), message(16, []byte(json))...)
}

// wandbLog writes records as Weights & Biases does, in blocks of 32 KiB.
func wandbLog(records ...[]byte) []byte {
	out := []byte(":W&B\xe1\xbe\x00")
	for _, r := range records {
		for first := true; first || len(r) > 0; first = false {
			room := 32<<10 - len(out)%(32<<10)
			if room < 7 {
				out = append(out, make([]byte, room)...)
				room = 32 << 10
			}
			part := r[:min(len(r), room-7)]
			r = r[len(part):]
			kind := byte(3)
			switch {
			case first && len(r) == 0:
				kind = 1
			case first:
				kind = 2
			case len(r) == 0:
				kind = 4
			}
			head := binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(append([]byte{kind}, part...)))
			head = append(binary.LittleEndian.AppendUint16(head, uint16(len(part))), kind)
			out = append(append(out, head...), part...)
		}
	}
	return out
}

// A log tells the GPU and its power, and records longer than a block are put together;
// one whose end is missing is read up to it.
func TestWandbLog(t *testing.T) {
	environment := message(26, append(message(18, []byte("NVIDIA A10G")),
		protowire.AppendVarint(protowire.AppendTag(nil, 19, protowire.VarintType), 2)...))
	records := [][]byte{message(2, message(1, entry("note", `"`+strings.Repeat("x", 100_000)+`"`))), environment,
		message(5, message(1, entry("batch_size", "32")))}
	for step := range 30 {
		at := 1.7e9 + 0.25*float64(step)
		records = append(records, message(2, message(1, entry("_step", fmt.Sprint(step)),
			entry("_timestamp", fmt.Sprint(at)), entry("loss", "1.5"))),
			message(7, message(3, entry("gpu.0.powerWatts", "200"), entry("gpu.1.powerWatts", "100"))))
	}
	text := wandbLog(records...)
	read := func(text []byte) source.Report {
		return readAll(t, []source.File{inMemory("/a/run-1.wandb", text)}, Options{})[0]
	}
	r := read(text)
	if r.Err != nil || len(r.Set.Runs) != 1 {
		t.Fatal(r.Err)
	}
	run := r.Set.Runs[0]
	if run.GPU != "A10G" && run.GPU != "NVIDIA A10G" || run.GPUCount != 2 || run.BatchSize != 32 ||
		math.Abs(run.Steady.Value-0.25) > 1e-6 || *run.AveragePowerW != 300 || run.Status != profile.Interrupted {
		t.Errorf("%+v", run)
	}
	if r = read(text[:len(text)-3]); r.Err != nil || !strings.Contains(strings.Join(r.Notes, " "), "cut off") {
		t.Errorf("a log that is cut off: %v, %q", r.Err, r.Notes)
	}
	damaged := bytes.Clone(text)
	damaged[len(damaged)/2]++
	if r = read(damaged); r.Err == nil || !strings.Contains(r.Err.Error(), "checksums") {
		t.Errorf("a damaged log: %v", r.Err)
	}
}

// A chart tells step times only where it has the time of its points, which may be a metric
// of it; means are left out. A run's own clock counts from its start.
func TestWandbCharts(t *testing.T) {
	table := func(header string, row func(i int) string) source.Report {
		text := header + "\n"
		for i := range 30 {
			text += row(i) + "\n"
		}
		return readAll(t, []source.File{inMemory("/a/wandb_export.csv", []byte(text))}, Options{})[0]
	}
	for header, row := range map[string]func(step int, at float64) string{
		"Step,a - loss,a - _runtime":   func(n int, at float64) string { return fmt.Sprintf("%d,1.5,%g", n, at) },
		"Wall Time,a - _step,a - loss": func(n int, at float64) string { return fmt.Sprintf("%f,%d,1.5", 1.7e9+at, n) },
		"_step,_runtime,loss":          func(n int, at float64) string { return fmt.Sprintf("%d,%g,1.5", n, at) },
		"Relative Time (Wall),a - _step,a - val/loss": func(n int, at float64) string {
			return fmt.Sprintf("%g,%d,1.5", at, n)
		},
	} {
		r := table(header, func(i int) string { return row(2*i, 0.5*float64(i)) })
		if r.Err != nil || len(r.Set.Runs) != 1 {
			t.Errorf("%s: %v", header, r.Err)
			continue
		}
		run, dated := r.Set.Runs[0], strings.HasPrefix(header, "Wall")
		if isTraining := !strings.Contains(header, "val"); isTraining != run.Steady.Known() ||
			(isTraining && math.Abs(run.Steady.Value-0.25) > 1e-6) || *run.TotalS != 14.5 || (run.AsOf != "") != dated {
			t.Errorf("%s: %+v", header, run)
		}
	}
	for header, row := range map[string]string{"Step,a - loss": "%d,1.5", "Relative Time (Process),a - loss": "%d,1.5",
		"Step,a - loss,a - _runtime,a - _runtime__MIN": "%d,1.5,3,2"} {
		r := table(header, func(i int) string { return fmt.Sprintf(row, i) })
		if r.Err == nil || !strings.Contains(r.Err.Error(), "let the X axis be Relative Time") {
			t.Errorf("%s: %v", header, r.Err)
		}
	}
}
