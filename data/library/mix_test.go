package library

import (
	"math"
	"testing"

	"sweetspot/engine/fleet"
)

func TestStudyMix(t *testing.T) {
	mix, err := StudyMix()
	if err != nil {
		t.Fatal(err)
	}
	if len(mix) != 9 {
		t.Fatalf("%d networks, the study has nine", len(mix))
	}
	for _, k := range mix {
		if k.Weight != 1 || k.Ratio < 0.75 || k.Ratio > 1 || !(k.Accuracy > 0.6) || !(k.ReducedAccuracy > 0.6) {
			t.Errorf("%+v is outside what the study says", k)
		}
	}
	if last := mix[8]; last.Model != "ResNet-V2-152" || last.Ratio != 0.75 || last.Accuracy != 0.8989 ||
		last.ReducedAccuracy != 0.8940 {
		t.Errorf("ResNet-V2-152: %+v", last)
	}
}

// Of the library's own measurements the example network has both precisions.
func TestMixOfTheLibrary(t *testing.T) {
	set, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	mix := fleet.MixOf(set)
	measured := 0
	for _, k := range mix {
		if !math.IsNaN(k.Ratio) {
			measured++
			if k.Model != "fashion-cnn" || !(k.Ratio > 0.1 && k.Ratio < 10) || !(k.Accuracy > 0.8 && k.ReducedAccuracy > 0.8) {
				t.Errorf("%+v", k)
			}
		}
	}
	if measured != 1 || len(mix) != 10 {
		t.Errorf("%d models in the mix, %d with a ratio; want 10 and 1", len(mix), measured)
	}
}
