package imports

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"sweetspot/data/contract"
	"sweetspot/data/imports/source"
	"sweetspot/data/store"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// The JSON of a run has its command and the work of its network, and gives them back.
func TestWorkThroughJSON(t *testing.T) {
	timed := profile.Run{Model: "net", Mode: profile.Infer, Count: 1, Status: profile.Done, Basis: estimate.Measured,
		Steady: estimate.Exact(1, estimate.Measured)}
	for _, want := range []profile.Work{{}, {FLOPs: new(8e9), Activations: new(1e7), Params: new(2e7),
		Network: "ResNet", Input: "3x224x224"}} {
		if timed.Work = want; want.Network != "" {
			timed.Command, timed.Folder = []string{"python3", "train.py", "-a", "a b"}, "/home/me/net"
		}
		var out strings.Builder
		err := contract.WriteRuns(&out, &profile.Set{Runs: []profile.Run{timed}},
			func(int64) ([]store.Iteration, error) { return nil, nil })
		if err != nil {
			t.Fatal(err)
		}
		if r := one(t, "/a/runs.json", out.String(), source.Given{}); r.Err != nil ||
			!reflect.DeepEqual(r.Set.Runs[0].Work, want) || !slices.Equal(r.Set.Runs[0].Command, timed.Command) ||
			r.Set.Runs[0].Folder != timed.Folder {
			t.Errorf("%+v read from %s: %v", r.Set, out.String(), r.Err)
		}
	}
}
