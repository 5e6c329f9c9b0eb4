package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"sweetspot/engine/estimate"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
)

const (
	maxText = 500     // runes of a name
	maxNote = 4000    // runes of a message
	maxInt  = 1 << 52 // larger integers are not exact as JSON numbers
	maxList = 4096
)

// IsEvent reports a line that is an event, sound or not.
func IsEvent(line []byte) bool {
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] != '{' {
		return false
	}
	_, is, _ := parse(line)
	return is
}

// parse reads one line that begins with a brace. isEvent is false for JSON that
// is not an event; an error means that it is a malformed event.
func parse(line []byte) (event Event, isEvent bool, err error) {
	if !bytes.Contains(line, []byte(`"sweetspot"`)) || !bytes.Contains(line, []byte(`"event"`)) {
		return nil, false, nil // a script's own JSON log is not worth parsing
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(line, &object); err != nil {
		return nil, true, notJSON(err)
	}
	if object["sweetspot"] == nil || object["event"] == nil {
		return nil, false, nil
	}
	f := &fields{object: object}
	if v := f.required("sweetspot"); f.err == nil && v != version {
		return nil, true, fmt.Errorf("event of protocol version %g, this program reads %d", v, version)
	}
	read, known := readers[f.text("event", maxText)]
	if f.err == nil && !known {
		return nil, true, nil
	}
	if f.err == nil {
		event = read(f)
	}
	if f.err != nil {
		return nil, true, f.err
	}
	return event, true, nil
}

// notJSON describes a syntax error, with a hint about NaN and Infinity, which
// Python writes.
func notJSON(err error) error {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("event is not valid JSON (%s at byte %d; NaN and Infinity are not numbers)",
			plaintext.Clean(syntax.Error()), syntax.Offset)
	}
	return errors.New("event is not valid JSON")
}

var readers = map[string]func(*fields) Event{
	"hello": func(f *fields) Event {
		return Hello{
			T: f.t(), Host: f.name("host"), Python: f.name("python"), Framework: f.name("framework"),
			CUDA: f.name("cuda"), Driver: f.name("driver"), GPUs: f.gpus(), CPU: f.name("cpu"), CPUs: f.whole("cpus"),
			PID: f.whole("pid"), Hook: f.is("hook"), Computes: f.truth("computes"), Rank: f.whole("rank"), Node: f.name("node"),
		}
	},
	"model": func(f *fields) Event {
		return Model{
			T: f.t(), Name: f.name("name"), Dataset: f.name("dataset"), Params: f.amount("params"),
			FLOPsPerUnit: f.amount("flops_per_unit"), ActivationsPerUnit: f.amount("activations_per_unit"),
			Layers: f.amount("layers"), Unit: f.name("unit"), BatchSize: f.whole("batch_size"),
			TrainSize: f.amount("train_size"), IterationsPerEpoch: f.amount("iterations_per_epoch"),
			Precision: f.name("precision"), Pruning: f.fraction("pruning"), Epochs: f.amount("epochs"), Steps: f.amount("steps"),
			WorldSize: f.whole("world_size"), VMs: f.whole("vms"), Network: f.name("network"), Input: f.name("input"),
			Schedule: f.name("schedule"), Sizes: f.sizes(), StateBytes: f.amount("state_bytes"),
		}
	},
	"tuning": func(f *fields) Event {
		return Tuning{T: f.t(), Tuning: f.tuning(), Config: f.object["config"]}
	},
	"training": func(f *fields) Event {
		return Training{T: f.t(), Number: f.index("number"), Script: f.name("script")}
	},
	"packages": func(f *fields) Event { return Packages{f.t(), f.packages()} },
	"init":     func(f *fields) Event { return Init{T: f.t(), Seconds: f.seconds()} },
	"iteration": func(f *fields) Event {
		return Iteration{
			T: f.t(), Rank: f.index("rank"), Epoch: f.index("epoch"), Index: f.whole("index"),
			Seconds: f.seconds(), Units: f.amount("units"), Wait: f.amount("wait"),
		}
	},
	"validation": func(f *fields) Event {
		return Validation{
			T: f.t(), Epoch: f.index("epoch"), Seconds: f.seconds(), Metric: f.name("metric"),
			Value: f.number("value"), HigherIsBetter: f.truth("higher_is_better"), Units: f.amount("units"),
			Untrained: f.is("untrained"),
		}
	},
	"pause": func(f *fields) Event {
		return Pause{T: f.t(), Seconds: f.seconds(), Kind: f.name("kind")}
	},
	"overhead": func(f *fields) Event { return Overhead{T: f.t(), Seconds: f.seconds()} },
	"memory": func(f *fields) Event {
		return Memory{T: f.t(), PeakBytes: f.amount("peak_bytes"), TotalBytes: f.amount("total_bytes"),
			ReservedBytes: f.amount("reserved_bytes")}
	},
	"telemetry": func(f *fields) Event {
		return Telemetry{
			T: f.t(), CPU: f.is("cpu"), GPU: f.index("gpu"), Utilisation: f.fraction("utilisation"),
			MemoryBytes: f.amount("memory_bytes"),
			Watts:       f.amount("watts"), Celsius: f.number("celsius"), Throttle: f.name("throttle"),
			Shared: f.truth("shared"), EnergyJ: f.amount("energy_j"), UUID: f.name("uuid"),
		}
	},
	"load": func(f *fields) Event {
		return Load{T: f.t(), Seconds: f.seconds(), Others: f.share("others"), Idle: f.share("idle"),
			Active: f.fraction("active")}
	},
	"layers": func(f *fields) Event { return Layers{f.t(), f.layers()} },
	"limit":  func(f *fields) Event { return Limit{f.t(), f.count("batch_size"), f.whole("fails_at")} },
	"warning": func(f *fields) Event {
		return Warning{f.text("message", maxNote), f.is("unwatched"), f.is("ahead")}
	},
	"error": func(f *fields) Event { return Failure{f.text("message", maxNote)} },
	"done":  func(f *fields) Event { return Done{f.t(), f.name("reason")} },
}

// fields reads the values of one event and keeps the first error. A key that is
// absent or null is unknown.
type fields struct {
	object map[string]json.RawMessage
	err    error
}

func (f *fields) fail(key, what string) {
	if f.err == nil {
		f.err = fmt.Errorf("%s %s", key, what)
	}
}

func (f *fields) raw(key string) (json.RawMessage, bool) {
	v, ok := f.object[key]
	return v, ok && string(v) != "null"
}

func (f *fields) t() *float64 { return f.amount("t") }

// number is any finite number.
func (f *fields) number(key string) *float64 {
	raw, ok := f.raw(key)
	if !ok {
		return nil
	}
	if c := raw[0]; c != '-' && (c < '0' || c > '9') {
		f.fail(key, "is not a number")
		return nil
	}
	v, err := strconv.ParseFloat(string(raw), 64)
	switch {
	case err != nil:
		f.fail(key, "is not a finite number")
		return nil
	case math.Abs(v) > estimate.Largest:
		f.fail(key, "is beyond 1e24, which nothing measured is")
		return nil
	}
	return &v
}

// amount is a number that must not be negative.
func (f *fields) amount(key string) *float64 {
	v := f.number(key)
	if v != nil && *v < 0 {
		f.fail(key, "is negative")
		return nil
	}
	return v
}

func (f *fields) fraction(key string) *float64 {
	v := f.amount(key)
	if v != nil && *v > 1 {
		f.fail(key, "is above 1, but is a fraction")
		return nil
	}
	return v
}

// share is a fraction that must be present.
func (f *fields) share(key string) float64 {
	f.required(key)
	if v := f.fraction(key); v != nil {
		return *v
	}
	return 0
}

// required is an amount that must be present.
func (f *fields) required(key string) float64 {
	if _, ok := f.raw(key); !ok {
		f.fail(key, "is missing")
		return 0
	}
	if v := f.amount(key); v != nil {
		return *v
	}
	return 0
}

// seconds is how long something took.
func (f *fields) seconds() float64 {
	v := f.required("seconds")
	if f.err == nil && !estimate.Plausible(v) {
		f.fail("seconds", "is below 1e-24, which takes no time")
	}
	return v
}

func (f *fields) whole(key string) *int {
	v := f.amount(key)
	if v == nil {
		return nil
	}
	if *v != math.Trunc(*v) || *v > maxInt {
		f.fail(key, "is not a whole number")
		return nil
	}
	return new(int(*v))
}

// count is a whole number of at least 1 that must be present.
func (f *fields) count(key string) int {
	v := f.whole(key)
	switch {
	case f.err != nil:
		return 0
	case v == nil:
		f.fail(key, "is missing")
		return 0
	case *v == 0:
		f.fail(key, "is 0")
		return 0
	}
	return *v
}

// index is a whole number, 0 if absent.
func (f *fields) index(key string) int {
	if v := f.whole(key); v != nil {
		return *v
	}
	return 0
}

func (f *fields) text(key string, limit int) string {
	raw, ok := f.raw(key)
	if !ok {
		return ""
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		f.fail(key, "is not text")
		return ""
	}
	return plaintext.Cut(plaintext.Clean(s), limit)
}

func (f *fields) name(key string) string { return f.text(key, maxText) }

func (f *fields) truth(key string) *bool {
	raw, ok := f.raw(key)
	if !ok {
		return nil
	}
	switch string(raw) {
	case "true":
		return new(true)
	case "false":
		return new(false)
	}
	f.fail(key, "is neither true nor false")
	return nil
}

// is reports whether the key is present and true.
func (f *fields) is(key string) bool {
	v := f.truth(key)
	return v != nil && *v
}

func (f *fields) gpus() []GPU {
	return list(f, "gpus", "GPUs", func(g *fields) GPU {
		return GPU{g.name("name"), g.amount("memory_bytes"), g.name("uuid")}
	})
}

func (f *fields) layers() []Layer {
	return list(f, "layers", "layers", func(l *fields) Layer {
		l.required("share")
		share := l.fraction("share")
		if share == nil {
			return Layer{}
		}
		return Layer{l.name("name"), l.name("kind"), *share}
	})
}

// packages reads a list of names with versions; what is no such name is an error, for
// it may come to stand in a command.
func (f *fields) packages() []string {
	raw, ok := f.raw("names")
	if !ok {
		return nil
	}
	var names []string
	if err := json.Unmarshal(raw, &names); err != nil || len(names) > maxList ||
		slices.ContainsFunc(names, func(n string) bool { return !profile.IsPackage(n) }) {
		f.fail("names", "is not a list of packages such as numpy==1.26.4")
		return nil
	}
	return names
}

func (f *fields) sizes() []profile.Size {
	raw, ok := f.raw("sizes")
	if !ok {
		return nil
	}
	sizes, err := profile.ParseSizes(string(raw))
	if err != nil {
		f.fail("sizes", "is wrong: "+err.Error())
	}
	return sizes
}

// tuning reads how a language model is trained; the architecture is not told so.
func (f *fields) tuning() profile.Tuning {
	raw, err := json.Marshal(f.object)
	if err != nil {
		f.fail("tuning", "is not JSON")
		return profile.Tuning{}
	}
	t, err := profile.ParseTuning(string(raw))
	if err != nil {
		if f.err == nil {
			f.err = err
		}
		return profile.Tuning{}
	}
	return *t
}

// list reads a list of objects; nil is unknown.
func list[T any](f *fields, key, what string, read func(*fields) T) []T {
	raw, ok := f.raw(key)
	if !ok {
		return nil
	}
	var objects []map[string]json.RawMessage
	if err := json.Unmarshal(raw, &objects); err != nil || len(objects) > maxList {
		f.fail(key, "is not a list of "+what)
		return nil
	}
	out := make([]T, 0, len(objects))
	for _, object := range objects {
		one := fields{object: object}
		out = append(out, read(&one))
		if one.err != nil {
			f.fail(key, one.err.Error())
		}
	}
	return out
}
