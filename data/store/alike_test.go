package store

import (
	"path/filepath"
	"testing"

	"sweetspot/engine/profile"
)

// Runs of one name and of different networks, or on different input, are of models of their
// own; what is not known tells nothing apart.
func TestNetworksAreToldApart(t *testing.T) {
	s := openTemp(t)
	for _, c := range []struct {
		network, input string
		params         *float64
		pruned         bool
		want           string
	}{
		{"", "", nil, false, "train"},
		{"Net", "3x224x224", new(1.2e6), false, "train"},
		{"Net", "", nil, false, "train"},
		{"Net", "3x224x224", new(0.6e6), true, "train"},
		{"ResNet", "3x224x224", new(11689512.0), false, "train (ResNet 11.7M)"},
		{"Net", "3x128x128", new(1.2e6), false, "train (3x128x128)"},
		{"Net", "3x224x224", new(1.20001e6), false, "train (Net 1.2M)"},
		{"Net", "3x224x224", new(1.20002e6), false, "train (Net, 1,200,020 parameters, 3x224x224)"},
		{"ResNet", "3x224x224", new(11689512.0), false, "train (ResNet 11.7M)"},
		{"Net", "3x224x224", new(1.2e6), false, "train"},
	} {
		d := description()
		d.Model.Name, d.Work = "train", profile.Work{}
		if d.Variant.Pruning = nil; c.pruned {
			d.Variant.Pruning = &profile.Pruning{Ratio: new(0.5)}
		}
		rec, err := s.Start(t.Context(), d)
		must(t, err)
		if !c.pruned {
			d.Work.Params = c.params // the script tells later
		}
		must(t, rec.Describe(t.Context(), d))
		d.Work.Network, d.Work.Input = c.network, c.input
		must(t, rec.Describe(t.Context(), d))
		must(t, rec.Finish(t.Context(), Finish{Run: profile.Run{Status: profile.Done}}))
		record, err := s.Record(t.Context(), rec.ID())
		if must(t, err); rec.Model() != c.want || record.Model.Name != c.want {
			t.Errorf("%s %s: %q, kept as %q, want %q", c.network, c.input, rec.Model(), record.Model.Name, c.want)
		}
	}
}

// What comes from another database or a file is distinguished as well.
func TestNetworksThatComeAreToldApart(t *testing.T) {
	run := func(network string, params, seconds float64) profile.Run {
		r := runOn("train", "", "image", seconds)
		r.Work = profile.Work{Network: network, Params: &params}
		return r
	}
	s, other := openTemp(t), openQuick(t, filepath.Join(t.TempDir(), "other.db"))
	_, err := s.Import(t.Context(), &profile.Set{Runs: []profile.Run{run("Net", 1e6, 1)}})
	must(t, err)
	_, err = other.Import(t.Context(), &profile.Set{Runs: []profile.Run{run("Wide", 4e6, 2), run("Wide", 4e6, 3)}})
	must(t, err)
	must(t, other.Close())
	_, err = s.Merge(t.Context(), other.Path())
	must(t, err)
	_, err = s.Import(t.Context(), &profile.Set{Runs: []profile.Run{run("Wide", 4e6, 4), run("Net", 1e6, 5)}})
	must(t, err)
	for i, want := range []string{"train", "train (Wide 4M)", "train (Wide 4M)", "train (Wide 4M)", "train"} {
		if got := loadSet(t, s).Runs[i].Model; got != want {
			t.Errorf("run %d is of %q, want %q", i+1, got, want)
		}
	}
}
