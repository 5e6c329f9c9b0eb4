package protocol

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"unicode"
)

// FuzzReader feeds any bytes: no panic, no endless loop, nothing unsound
// accepted, no control character let through.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{
		`{"sweetspot":1,"event":"hello","t":0.01,"host":"h","gpus":[{"name":"NVIDIA H100 80GB ` +
			`HBM3","memory_bytes":85520809984}],"cpus":16}`,
		`{"sweetspot":1,"event":"model","name":"resnet18","iterations_per_epoch":158.25,"pruning":0.3}`,
		`{"sweetspot":1,"event":"iteration","t":4.9,"rank":0,"epoch":0,"index":0,"seconds":0.91,"units":128}` + "\n",
		`{"sweetspot":1,"event":"iteration","seconds":NaN}` + "\n" + `{"sweetspot":1,"event":"done","reason":"end"}`,
		`{"sweetspot":1,"event":"validation","seconds":2,"value":-0.5,"higher_is_better":false}`,
		`{"sweetspot":1,"event":"telemetry","utilisation":0.97,"celsius":61}`,
		"\x1b[31mlog\x1b[0m\r50%\r\n\x00\xff\n{\"a\":",
		`{"sweetspot":1,"event":"warning","message":"` + strings.Repeat(`\u001b`, 50) + `"}`,
		strings.Repeat("[", 20000),
		strings.Repeat("x", MaxLine+1) + "\nafter",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		r := NewReader(bytes.NewReader(in))
		last := 0
		for {
			item, err := r.Next()
			if err != nil {
				break
			}
			if item.Line <= last {
				t.Fatalf("line %d after line %d", item.Line, last)
			}
			last = item.Line
			check(t, item)
		}
		if lines := bytes.Count(in, []byte("\n")) + 1; last > lines {
			t.Fatalf("line %d of %d", last, lines)
		}
	})
}

func check(t *testing.T, item Item) {
	kinds := 0
	for _, is := range []bool{item.Event != nil, item.Log != "", item.Rejected != ""} {
		if is {
			kinds++
		}
	}
	if kinds != 1 {
		t.Fatalf("an item is of one kind: %#v", item)
	}
	sound := func(v *float64) {
		if v != nil && (math.IsNaN(*v) || math.IsInf(*v, 0) || *v < 0) {
			t.Fatalf("unsound number in %#v", item.Event)
		}
	}
	texts := []string{item.Log, item.Rejected}
	switch e := item.Event.(type) {
	case Iteration:
		sound(&e.Seconds)
		sound(e.Units)
		sound(e.T)
		if e.Rank < 0 || e.Epoch < 0 || (e.Index != nil && *e.Index < 0) {
			t.Fatalf("negative index in %#v", e)
		}
	case Init:
		sound(&e.Seconds)
	case Validation:
		sound(&e.Seconds)
		texts = append(texts, e.Metric)
	case Pause:
		sound(&e.Seconds)
		texts = append(texts, e.Kind)
	case Warning:
		texts = append(texts, e.Message)
	case Failure:
		texts = append(texts, e.Message)
	case Hello:
		texts = append(texts, e.Host, e.CPU, e.Framework)
	case Model:
		texts = append(texts, e.Name, e.Unit)
	}
	for _, s := range texts {
		if strings.IndexFunc(s, unicode.IsControl) >= 0 {
			t.Fatalf("control character in %q", s)
		}
	}
}
