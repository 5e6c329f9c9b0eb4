package background

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/data/store"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/probes/matrix"
	"sweetspot/probes/session"
)

// Whatever a client missed and however the times changed, what it holds is
// what the probe has, and what it handed out before stays as it was.
func TestUpdatesTravelWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		times := rapid.SliceOfN(rapid.Float64Range(0, 9), 0, 20)
		rows := rapid.IntRange(1, 3).Draw(t, "rows")
		now := make([][]float64, rows)
		var sent, have [][]float64
		type handed struct{ got, want []float64 }
		var before []handed
		for seq := range rapid.IntRange(1, 12).Draw(t, "updates") {
			for i := range now {
				switch rapid.IntRange(0, 3).Draw(t, "change") {
				case 0, 1:
					now[i] = append(now[i], times.Draw(t, "new")...)
				case 2: // a slower rank raised one
					if len(now[i]) > 0 {
						now[i] = slices.Clone(now[i])
						now[i][rapid.IntRange(0, len(now[i])-1).Draw(t, "at")] += 1
					}
				}
			}
			u := update(seq, now)
			text, err := json.Marshal(pack(u, &sent))
			if err != nil {
				t.Fatal(err)
			}
			var s state
			if err := json.Unmarshal(text, &s); err != nil {
				t.Fatal(err)
			}
			got, err := unpack(s, &have)
			if err != nil {
				t.Fatal(err)
			}
			for i := range now {
				if !slices.Equal(got.Rows[i].Update.Seconds, now[i]) {
					t.Fatalf("row %d has %v, want %v", i, got.Rows[i].Update.Seconds, now[i])
				}
				before = append(before, handed{got.Rows[i].Update.Seconds, slices.Clone(now[i])})
			}
		}
		for _, h := range before {
			if !slices.Equal(h.got, h.want) {
				t.Fatalf("handed out as %v, now %v", h.want, h.got)
			}
		}
	})
}

func update(seq int, seconds [][]float64) matrix.Update {
	u := matrix.Update{Seq: seq + 1, SpentS: 3, SpentUSD: new(0.0)}
	for _, s := range seconds {
		u.Rows = append(u.Rows, matrix.Row{State: matrix.Running, Update: session.Update{Seq: 1, Seconds: slices.Clip(s)}})
	}
	return u
}

// Every field survives: zero is not unknown, an error keeps its sentence.
func TestFieldsTravel(t *testing.T) {
	u := matrix.Update{Seq: 5, Current: 1, SpentUSD: new(0.0), Stopping: true, Rows: []matrix.Row{{}, {
		Cell:  matrix.Cell{Mode: profile.Infer, Batch: 64, Precision: "int8", Prune: "conv1=0.3", Host: "me@vm", Repeat: 2},
		State: matrix.OutOfMemory, Why: "does not fit",
		Update: session.Update{
			Seq: 3, Seconds: []float64{0, 0.5}, ScriptExit: new(0), MemoryBytes: new(0.0), Err: errors.New("a sentence"),
			Log: []string{"a", "b"},
			Run: profile.Run{
				ID: 7, Model: "m", Variant: profile.Variant{Pruning: &profile.Pruning{Kind: "k", Ratio: new(0.3),
					Layers: map[string]float64{"c": 0.1}}},
				Steady: estimate.Spread(0.5, 0.1, estimate.Measured), InitS: new(0.0), Status: profile.OutOfMemory,
				Accuracy: &profile.Accuracy{Metric: "top1", Value: 0.5, HigherIsBetter: true, Basis: estimate.Measured},
			},
			Machine:   store.Machine{Host: "h", USDPerHour: new(0.0), VM: profile.VMKey{Cloud: "aws"}},
			Telemetry: []store.Telemetry{{T: 1, Watts: new(0.0)}},
			Layers:    []store.Layer{{Name: "c", Kind: "Conv2d", Share: 0.5}},
		},
	}}}
	want := u
	var sent, have [][]float64
	text, err := json.Marshal(pack(u, &sent))
	if err != nil {
		t.Fatal(err)
	}
	var s state
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	got, err := unpack(s, &have)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	for _, wrong := range []state{{Update: u}, {Update: u, Times: []times{{From: -1}, {}}, Errs: []string{"", ""}},
		{Update: u, Times: []times{{}, {From: 3}}, Errs: []string{"", ""}}} {
		if _, err := unpack(wrong, new([][]float64)); err == nil {
			t.Errorf("%+v was taken", wrong.Times)
		}
	}
}

// A long run costs a client what is new of it, not what there is.
func BenchmarkPack(b *testing.B) {
	long := make([]float64, 1_000_000, 2_000_000)
	var sent [][]float64
	pack(update(0, [][]float64{long}), &sent)
	size := 0
	for i := 0; b.Loop(); i++ {
		long = append(long, 0.5)
		text, err := json.Marshal(pack(update(i, [][]float64{long}), &sent))
		if err != nil {
			b.Fatal(err)
		}
		size = len(text)
	}
	b.ReportMetric(float64(size), "bytes/update")
}
