package profile

import (
	"reflect"
	"testing"
)

// Sizes come back as they were written, and what no script can have is refused.
func TestSizes(t *testing.T) {
	sizes := []Size{{Of: Side, Per: "epoch", From: []float64{0, 8}, Sizes: []float64{16, 32}, Iterations: new(20.0)}}
	if got, err := ParseSizes(FormatSizes(sizes)); err != nil || !reflect.DeepEqual(got, sizes) {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := ParseSizes(""); got != nil || err != nil || FormatSizes(nil) != "" {
		t.Errorf("of none %+v, %v", got, err)
	}
	for _, text := range []string{
		`{}`, `[{}]`, `[{"of":"side","per":"epoch","from":[],"sizes":[]}]`,
		`[{"of":"depth","per":"epoch","from":[0],"sizes":[1]}]`,
		`[{"of":"side","per":"day","from":[0],"sizes":[1]}]`,
		`[{"of":"side","per":"epoch","from":[1],"sizes":[1]}]`,
		`[{"of":"side","per":"epoch","from":[0,2,2],"sizes":[1,2,3]}]`,
		`[{"of":"side","per":"epoch","from":[0,2],"sizes":[1]}]`,
		`[{"of":"side","per":"epoch","from":[0],"sizes":[0]}]`,
		`[{"of":"side","per":"epoch","from":[0],"sizes":[1e300]}]`,
		`[{"of":"side","per":"epoch","from":[0],"sizes":[1],"iterations":-1}]`,
	} {
		if got, err := ParseSizes(text); err == nil {
			t.Errorf("%s: %+v", text, got)
		}
	}
}
