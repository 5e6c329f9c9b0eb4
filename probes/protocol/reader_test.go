package protocol

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

func all(t testing.TB, r io.Reader) []Item {
	t.Helper()
	in := NewReader(r)
	var items []Item
	for {
		item, err := in.Next()
		if errors.Is(err, io.EOF) {
			return items
		}
		if err != nil {
			t.Fatal(err)
		}
		items = append(items, item)
	}
}

func one(t *testing.T, line string) Item {
	t.Helper()
	items := all(t, strings.NewReader(line))
	if len(items) != 1 {
		t.Fatalf("%q gives %d items", line, len(items))
	}
	return items[0]
}

// The lines are those of the contract.
func TestEvents(t *testing.T) {
	for line, want := range map[string]Event{
		`{"sweetspot":1,"event":"hello","t":0.01,"host":"h","python":"3.11","framework":"torch ` +
			`2.9","cuda":"13.0","driver":"580.1","gpus":[{"name":"NVIDIA H100 80GB ` +
			`HBM3","memory_bytes":85520809984,"uuid":"u"}],"cpu":"c","cpus":16}`: Hello{
			T: new(0.01), Host: "h", Python: "3.11", Framework: "torch 2.9", CUDA: "13.0", Driver: "580.1",
			GPUs: []GPU{{"NVIDIA H100 80GB HBM3", new(85520809984.0), "u"}}, CPU: "c", CPUs: new(16)},
		`{"sweetspot":1,"event":"model","t":3.2,"name":"resnet18","params":11689512,"flops_per_unit":1.8e9,"unit":"image","batch_size":128,"train_size":50000,"iterations_per_epoch":158.25,"precision":"bf16","pruning":0.3,"epochs":20}`: Model{
			T: new(3.2), Name: "resnet18", Params: new(11689512.0), FLOPsPerUnit: new(1.8e9), Unit: "image", BatchSize: new(128),
			TrainSize: new(50000.0), IterationsPerEpoch: new(158.25), Precision: "bf16", Pruning: new(0.3), Epochs: new(20.0)},
		`{"sweetspot":1,"event":"init","t":4.0,"seconds":4.0}`: Init{new(4.0), 4},
		`{"sweetspot":1,"event":"iteration","t":4.9,"rank":0,"epoch":0,"index":0,"seconds":0.91,"units":128}`: Iteration{
			T: new(4.9), Index: new(0), Seconds: 0.91, Units: new(128.0)},
		`{"sweetspot":1,"event":"iteration","seconds":0.5,"wait":0.25}`: Iteration{Seconds: 0.5,
			Wait: new(0.25)},
		`{"sweetspot":1,"event":"hello","pid":42,"hook":true}`: Hello{PID: new(42),
			Hook: true},
		`{"sweetspot":1,"event":"model","world_size":4}`: Model{WorldSize: new(4)},
		`{"sweetspot":1,"event":"layers","layers":[{"name":"conv1","kind":"Conv2d","share":0.51}]}`: Layers{nil,
			[]Layer{{"conv1", "Conv2d", 0.51}}},
		`{"sweetspot":1,"event":"limit","batch_size":96,"fails_at":97}`:              Limit{nil, 96, new(97)},
		`{"sweetspot":1,"event":"limit","batch_size":4096,"fails_at":null}`:          Limit{BatchSize: 4096},
		`{"sweetspot":1,"event":"pause","seconds":1e24}`:                             Pause{Seconds: 1e24},
		`{"sweetspot":1,"event":"pause","seconds":1e-24}`:                            Pause{Seconds: 1e-24},
		`{"sweetspot":1,"event":"validation","seconds":0,"value":1e-300}`:            Validation{Value: new(1e-300)},
		`{"event":"iteration","seconds":0,"sweetspot":1,"units":null,"future":[{}]}`: Iteration{},
		`{"sweetspot":1,"event":"validation","t":61.0,"epoch":0,"seconds":2.1,"metric":"top1","value":0.87,"higher_is_better":true,"units":10000}`: Validation{
			T: new(61.0), Seconds: 2.1, Metric: "top1", Value: new(0.87), HigherIsBetter: new(true), Units: new(10000.0)},
		`{"sweetspot":1,"event":"validation","seconds":2,"untrained":true}`: Validation{Seconds: 2, Untrained: true},
		`{"sweetspot":1,"event":"validation","seconds":1,"metric":"loss","value":-2.5}`: Validation{Seconds: 1,
			Metric: "loss", Value: new(-2.5)},
		`{"sweetspot":1,"event":"pause","t":63.0,"seconds":1.4,"kind":"checkpoint"}`: Pause{new(63.0), 1.4,
			"checkpoint"},
		`{"sweetspot":1,"event":"overhead","t":5.0,"rank":0,"seconds":0.4}`: Overhead{new(5.0), 0.4},
		`{"sweetspot":1,"event":"memory","t":5.0,"peak_bytes":3221225472,"total_bytes":null}`: Memory{T: new(5.0),
			PeakBytes: new(3221225472.0)},
		`{"sweetspot":1,"event":"memory","reserved_bytes":7}`: Memory{ReservedBytes: new(7.0)},
		`{"sweetspot":1,"event":"telemetry","t":6.0,"gpu":0,"utilisation":0.97,"watts":320,"celsius":-1,"throttle":"","shared":false,"energy_j":12.5}`: Telemetry{
			T: new(6.0), Utilisation: new(0.97), Watts: new(320.0), Celsius: new(-1.0), Shared: new(false), EnergyJ: new(12.5)},
		`{"sweetspot":1,"event":"model","batch_size":64,"steps":20000}`: Model{BatchSize: new(64), Steps: new(20000.0)},
		`{"sweetspot":1,"event":"load","t":6.5,"seconds":1,"others":0.6,"idle":0.01}`: Load{T: new(6.5), Seconds: 1,
			Others: 0.6, Idle: 0.01},
		`{"sweetspot":1,"event":"load","seconds":1,"others":0.6,"idle":0,"active":0.05}`: Load{Seconds: 1, Others: 0.6,
			Active: new(0.05)},
		` {"sweetspot":1,"event":"warning","message":"red \u001b[31mtext"} `:  Warning{Message: "red text"},
		`{"sweetspot":1,"event":"warning","message":"lost","unwatched":true}`: Warning{Message: "lost", Unwatched: true},
		`{"sweetspot":1,"event":"error","message":"out of memory"}`:           Failure{"out of memory"},
		`{"sweetspot":1,"event":"done","reason":"oom"}`:                       Done{nil, "oom"},
	} {
		if item := one(t, line+"\n"); !reflect.DeepEqual(item.Event, want) || item.Rejected != "" || item.Log != "" {
			t.Errorf("%s\n got %#v\nwant %#v", line, item, want)
		}
	}
}

func TestRejected(t *testing.T) {
	for line, why := range map[string]string{
		`{"sweetspot":1,"event":"iteration","seconds":NaN}`:                     "not valid JSON",
		`{"sweetspot":1,"event":"iteration","seconds":-Infinity}`:               "not valid JSON",
		`{"sweetspot":1,"event":"iteration","seconds":0.1`:                      "not valid JSON",
		`{"sweetspot":1,"event":"iteration","seconds":-0.1}`:                    "seconds is negative",
		`{"sweetspot":1,"event":"iteration"}`:                                   "seconds is missing",
		`{"sweetspot":1,"event":"limit","fails_at":8}`:                          "batch_size is missing",
		`{"sweetspot":1,"event":"limit","batch_size":0}`:                        "batch_size is 0",
		`{"sweetspot":1,"event":"iteration","seconds":null}`:                    "seconds is missing",
		`{"sweetspot":1,"event":"iteration","seconds":"0.1"}`:                   "seconds is not a number",
		`{"sweetspot":1,"event":"iteration","seconds":1e999}`:                   "seconds is not a finite number",
		`{"sweetspot":1,"event":"iteration","Seconds":1}`:                       "seconds is missing",
		`{"sweetspot":1,"event":"iteration","seconds":1,"index":1.5}`:           "index is not a whole number",
		`{"sweetspot":1,"event":"iteration","seconds":1,"rank":-1}`:             "rank is negative",
		`{"sweetspot":1,"event":"iteration","seconds":1,"epoch":1e20}`:          "epoch is not a whole number",
		`{"sweetspot":1,"event":"iteration","seconds":1e160}`:                   "seconds is beyond 1e24",
		`{"sweetspot":1,"event":"iteration","seconds":1.01e24}`:                 "seconds is beyond 1e24",
		`{"sweetspot":1,"event":"iteration","seconds":1e-162}`:                  "seconds is below 1e-24",
		`{"sweetspot":1,"event":"pause","seconds":0.99e-24}`:                    "seconds is below 1e-24",
		`{"sweetspot":1,"event":"iteration","seconds":1,"t":1e25}`:              "t is beyond 1e24",
		`{"sweetspot":1,"event":"iteration","seconds":1,"units":1e25}`:          "units is beyond 1e24",
		`{"sweetspot":1,"event":"validation","seconds":1,"value":-1e25}`:        "value is beyond 1e24",
		`{"sweetspot":2,"event":"iteration","seconds":1}`:                       "version 2",
		`{"sweetspot":1,"event":7}`:                                             "event is not text",
		`{"sweetspot":1,"event":"init","seconds":[]}`:                           "seconds is not a number",
		`{"sweetspot":1,"event":"telemetry","utilisation":97}`:                  "utilisation is above 1",
		`{"sweetspot":1,"event":"load","seconds":1,"idle":0.5}`:                 "others is missing",
		`{"sweetspot":1,"event":"load","seconds":1,"others":1.5,"idle":0}`:      "others is above 1",
		`{"sweetspot":1,"event":"hello","gpus":[{"memory_bytes":-1}]}`:          "gpus memory_bytes is negative",
		`{"sweetspot":1,"event":"hello","gpus":"H100"}`:                         "gpus is not a list",
		`{"sweetspot":1,"event":"validation","seconds":1,"higher_is_better":1}`: "neither true nor false",
		`{"sweetspot":1,"event":"validation","value":0.5}`:                      "seconds is missing",
	} {
		item := one(t, "log\n"[:0]+line)
		if item.Event != nil || !strings.Contains(item.Rejected, why) || !strings.HasPrefix(item.Rejected, "line 1: ") {
			t.Errorf("%s: %#v, want a rejection with %q", line, item, why)
		}
	}
}

func TestLogText(t *testing.T) {
	for line, want := range map[string]string{
		"Epoch 1 \x1b[32mloss\x1b[0m 0.5\r\n":   "Epoch 1 loss 0.5",
		" 10%|#  \r 20%|## \r\n":                " 20%|##",
		`{"loss": 0.5}`:                         `{"loss": 0.5}`,
		`{"event":"iteration","seconds":1}`:     `{"event":"iteration","seconds":1}`,
		`{broken`:                               `{broken`,
		`[{"sweetspot":1,"event":"done"}]`:      `[{"sweetspot":1,"event":"done"}]`,
		`{"message":"\"sweetspot\" \"event\""}`: `{"message":"\"sweetspot\" \"event\""}`,
	} {
		if item := one(t, line); item.Log != want || item.Event != nil || item.Rejected != "" {
			t.Errorf("%q: %#v, want log %q", line, item, want)
		}
	}
	if items := all(t,
		strings.NewReader("\n\r\n{\"sweetspot\":1,\"event\":\"from-the-future\",\"seconds\":\"x\"}\n")); items != nil {
		t.Errorf("empty lines and unknown events give %#v", items)
	}
}

// A line over the limit is skipped whole, counted, and the next one is read.
func TestLongLines(t *testing.T) {
	long := `{"sweetspot":1,"event":"warning","message":"` + strings.Repeat("x", 2<<20) + `"}`
	exact := strings.Repeat("y", MaxLine)
	in := "a\n" + long + "\n" + exact + "\r\n" + exact + "z\nlast"
	r := NewReader(iotest.HalfReader(strings.NewReader(in)))
	var got []string
	for {
		item, err := r.Next()
		if err != nil {
			break
		}
		got = append(got, fmt.Sprintf("%d %.3s %s", item.Line, item.Log, item.Rejected))
	}
	want := []string{"1 a ", "2  line 2 is longer than 1 MiB", "3 yyy ", "4  line 4 is longer than 1 MiB", "5 las "}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestReadErrorComesAfterWhatWasRead(t *testing.T) {
	broken := errors.New("broken pipe")
	r := NewReader(io.MultiReader(strings.NewReader("one\ntwo"), iotest.ErrReader(broken)))
	for _, want := range []string{"one", "two"} {
		if item, err := r.Next(); err != nil || item.Log != want {
			t.Fatalf("%#v, %v", item, err)
		}
	}
	if _, err := r.Next(); !errors.Is(err, broken) {
		t.Fatalf("error %v", err)
	}
}

// However the stream is cut into reads, the items are the same.
func TestChunksDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOf(rapid.SampledFrom([]string{
			`{"sweetspot":1,"event":"iteration","seconds":0.5}`, `{"sweetspot":1,"event":"iteration"}`, "log", "", "\r",
			strings.Repeat("z", 70<<10),
		})).Draw(t, "lines")
		in := strings.Join(lines, "\n")
		whole := NewReader(strings.NewReader(in))
		bytes := NewReader(iotest.OneByteReader(strings.NewReader(in)))
		for {
			a, errA := whole.Next()
			b, errB := bytes.Next()
			if !reflect.DeepEqual(a, b) || !errors.Is(errA, errB) {
				t.Fatalf("%#v %v\n%#v %v", a, errA, b, errB)
			}
			if errA != nil {
				return
			}
		}
	})
}

func BenchmarkIteration(b *testing.B) {
	line := `{"sweetspot":1,"event":"iteration","t":4.9,"rank":0,"epoch":0,"index":0,"seconds":0.91,"units":128}` + "\n"
	r := NewReader(&endless{line: line})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Next(); err != nil {
			b.Fatal(err)
		}
	}
}

type endless struct {
	line string
	at   int
}

func (e *endless) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		k := copy(p[n:], e.line[e.at:])
		n += k
		e.at = (e.at + k) % len(e.line)
	}
	return n, nil
}
