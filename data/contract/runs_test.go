package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"sweetspot/data/store"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

func TestRunsSayWhenEpochsBegan(t *testing.T) {
	run := profile.Run{
		Model: "net", Mode: profile.Train, Basis: estimate.Measured, EpochStartsS: []float64{0.5, 10.5},
		Validations: []profile.Validation{{Epoch: 1, Value: new(0.5), AtS: new(20.0)}, {Epoch: 2, Seconds: 3}},
		Pauses:      []profile.Pause{{AtS: 20.5, Seconds: 0.4, Kind: "check\x1b[2Jpoint", Iterations: new(200)}, {AtS: 21}},
	}
	var out bytes.Buffer
	err := WriteRuns(&out, &profile.Set{Runs: []profile.Run{run, {Model: "net", Mode: profile.Infer}}},
		func(int64) ([]store.Iteration, error) { return nil, nil })
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Runs []struct {
			EpochStartsS []float64 `json:"epoch_starts_s"`
			Validations  []struct {
				Seconds *float64 `json:"seconds"`
				AtS     *float64 `json:"at_s"`
			} `json:"validations"`
			Pauses []struct {
				AtS        float64 `json:"at_s"`
				Seconds    float64 `json:"seconds"`
				Kind       *string `json:"kind"`
				Iterations *int    `json:"iterations"`
			} `json:"pauses"`
		} `json:"runs"`
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	r, v := got.Runs[0], got.Runs[0].Validations
	if len(r.EpochStartsS) != 2 || r.EpochStartsS[1] != 10.5 || got.Runs[1].EpochStartsS != nil {
		t.Errorf("epochs %v, without any %v", r.EpochStartsS, got.Runs[1].EpochStartsS)
	}
	if *v[0].AtS != 20 || v[0].Seconds != nil || v[1].AtS != nil || *v[1].Seconds != 3 {
		t.Errorf("validations %s", out.String())
	}
	p := r.Pauses
	if len(p) != 2 || p[0].AtS != 20.5 || p[0].Seconds != 0.4 || *p[0].Kind != "checkpoint" || *p[0].Iterations != 200 ||
		p[1].Kind != nil || p[1].Iterations != nil {
		t.Errorf("pauses %s", out.String())
	}
	if got.Runs[1].Pauses == nil {
		t.Error("no list of pauses where there were none")
	}
}

// Unknown is null, and a known 0 is 0.
func TestUnknownWarmupIsNull(t *testing.T) {
	for want, r := range map[string]profile.Run{
		`null null null`: {},
		`30 null null`:   {SteadyN: 30},
		`30 0 0`:         {SteadyN: 30, WarmupIterations: new(0), WarmupExtraS: new(0.0)},
		`30 4 -0.5`:      {SteadyN: 30, WarmupIterations: new(4), WarmupExtraS: new(-0.5)},
	} {
		text, err := json.Marshal(NewRun(r))
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]json.RawMessage
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		if s := fmt.Sprintf("%s %s %s", got["steady_n"], got["warmup_iterations"], got["warmup_extra_s"]); s != want {
			t.Errorf("%s, want %s", s, want)
		}
	}
}
