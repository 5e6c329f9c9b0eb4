package profile_test

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/profile"
	"sweetspot/engine/transformer"
)

var someTuning = profile.Tuning{
	Architecture: &transformer.Architecture{Layers: 2, Hidden: 32, Heads: 4, KVHeads: 2, HeadSize: 8, Intermediate: 64,
		Vocabulary: 100, NormsOfLayer: 2, MaxPositions: 64},
	Method: "lora", Rank: new(4), Targets: []string{"q_proj", "v_proj"}, TrainableParams: new(512.0), Optimizer: "AdamW",
	OptimizerBytes: new(4096.0), WeightsIn: "bf16", LearningIn: "fp32", Checkpointing: new(false), Sequence: new(23.5),
	Longest: new(24), MaxSequence: new(64), TokensPerStep: new(141.0), MicroBatch: new(3), MicroBatches: new(2),
	Packing: new(true), Parallel: "ddp", Sharding: "none",
}

// What is written is read again, and whatever is unknown stays so.
func TestTuningIsReadAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tuning := someTuning
		fields := reflect.ValueOf(&tuning).Elem()
		for i := range fields.NumField() {
			if rapid.Bool().Draw(t, fields.Type().Field(i).Name) {
				fields.Field(i).SetZero()
			}
		}
		got, err := profile.ParseTuning(profile.FormatTuning(&tuning))
		if err != nil || !reflect.DeepEqual(got, &tuning) {
			t.Fatalf("%+v, %v, want %+v", got, err, tuning)
		}
	})
	if got, err := profile.ParseTuning(profile.FormatTuning(nil)); got != nil || err != nil {
		t.Errorf("none: %v, %v", got, err)
	}
}

func TestTuningThatCannotBe(t *testing.T) {
	for text, want := range map[string]string{
		`{`:                                  "is not JSON",
		`[1]`:                                "is not JSON",
		`{"method":"magic"}`:                 `method "magic" is not one of full, lora, qlora, partial`,
		`{"weights_in":"fp3"}`:               `weights_in "fp3" is not one of`,
		`{"parallel":"telepathy"}`:           "parallel",
		`{"sharding":"zero4"}`:               "sharding",
		`{"lora_rank":0}`:                    "lora_rank is 0",
		`{"micro_batch":-1}`:                 "micro_batch is -1",
		`{"sequence":-2}`:                    "sequence is -2",
		`{"tokens_per_step":1e300}`:          "tokens_per_step is 1e+300",
		`{"tokens_per_step":NaN}`:            "is not JSON",
		`{"architecture":{"layers":-1}}`:     "num_hidden_layers is -1",
		`{"architecture":{"layers":"many"}}`: "is not JSON",
		`{"lora_targets":["` + strings.Repeat(`a","`, 64) + `a"]}`: "more than 64",
	} {
		if got, err := profile.ParseTuning(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
}

// Whatever is read can be, and is written and read as the same.
func FuzzTuning(f *testing.F) {
	f.Add(profile.FormatTuning(&someTuning))
	f.Add(`{"optimizer":"\u001b[31mAdam","lora_targets":["\u0007q"]}`)
	f.Fuzz(func(t *testing.T, text string) {
		got, err := profile.ParseTuning(text)
		if err != nil || got == nil {
			return
		}
		if strings.ContainsAny(got.Optimizer+strings.Join(got.Targets, ""), "\x1b\x07\n") {
			t.Errorf("%+v", *got)
		}
		again, err := profile.ParseTuning(profile.FormatTuning(got))
		if err != nil || profile.FormatTuning(again) != profile.FormatTuning(got) {
			t.Errorf("%v, %v", again, err)
		}
	})
}
