package store

import (
	"reflect"
	"testing"

	"sweetspot/engine/profile"
)

// A run is known again whatever is known of its work. Until layout 10 none was kept:
// importing again gives it, and takes none away.
func TestImportingAgainAddsWork(t *testing.T) {
	run := runOn("net", "64 px", "image", 1)
	const before = "d48bf8bab37d3b16cd2fa6a587a84aef49159a45fe4e2e91486b152617ccb36c" // by layout 9
	s := openTemp(t)
	for _, c := range []struct {
		told, want profile.Work
		fresh      int
	}{
		{fresh: 1},
		{told: profile.Work{Params: new(2e7)}, want: profile.Work{Params: new(2e7)}},
		{told: profile.Work{FLOPs: new(8e9), Activations: new(1e7)},
			want: profile.Work{FLOPs: new(8e9), Activations: new(1e7), Params: new(2e7)}},
		{want: profile.Work{FLOPs: new(8e9), Activations: new(1e7), Params: new(2e7)}},
	} {
		run.Work = c.told
		if mark, err := fingerprint(run); err != nil || mark != before {
			t.Errorf("the fingerprint is %s, %v", mark, err)
		}
		n, err := s.Import(t.Context(), &profile.Set{Runs: []profile.Run{run}})
		must(t, err)
		runs := loadSet(t, s).Runs
		if n != c.fresh || len(runs) != 1 || !reflect.DeepEqual(runs[0].Work, c.want) {
			t.Errorf("%d new; %+v, want %+v", n, runs[0].Work, c.want)
		}
	}
}
