package session

import (
	"strings"
	"testing"

	"sweetspot/data/store"
	"sweetspot/engine/profile"
	"sweetspot/probes/adapter"
	"sweetspot/probes/harness"
	"sweetspot/probes/protocol"
	"sweetspot/probes/prune"
)

// Each way of pruning is a variant of its own.
func TestVariantOfAModel(t *testing.T) {
	for _, c := range []struct {
		prune      prune.Degree
		fineTune   int
		name, kind string
	}{
		{"", 3, "", ""}, // nothing was pruned: nothing to tune
		{"0.3", 0, "pruned 30 %", "filters by L1 norm"},
		{"0.3", 1, "pruned 30 %, tuned 1", "filters by L1 norm, fine-tuned for 1 epoch"},
		{"0.125", 2, "pruned 12.5 %, tuned 2", "filters by L1 norm, fine-tuned for 2 epochs"},
		{"conv1=0.3,conv2=0.5", 1, "conv1 0.3, conv2 0.5, tuned 1", "filters by L1 norm, fine-tuned for 1 epoch"},
	} {
		spec := harness.Spec{Model: "example:fashion-cnn", Mode: profile.Infer, Batch: 8, Prune: c.prune,
			FineTune: c.fineTune}
		spec, err := spec.Resolve()
		if err != nil {
			t.Fatal(err)
		}
		var d store.Description
		describeSpec(&d, spec)
		v, kind := d.Variant, ""
		if v.Pruning != nil {
			kind = v.Pruning.Kind
		}
		if v.Name != c.name || kind != c.kind {
			t.Errorf("%q tuned %d: %q, %q", c.prune, c.fineTune, v.Name, kind)
		}
	}
}

// What is said where no iteration was seen names the way out that fits.
func TestRemedy(t *testing.T) {
	pattern, err := adapter.New(adapter.Pattern, `step (?P<step>\d+)`)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		set  func(o *Options)
		says string
	}{
		"own events": {func(*Options) {}, "must write events"},
		"hooked":     {func(o *Options) { o.Hooked = true }, "--adapter or --pattern"},
		"a pattern":  {func(o *Options) { o.Hooked, o.Adapter = true, pattern }, "--pattern found no step in the 3 lines"},
		"python alone": {func(o *Options) { o.Hooked, o.Command = true, append([]string{"python3", "-I"}, o.Command[1:]...) },
			"-I disables sweetspot's hook"},
	} {
		o := shell(openStore(t), "echo a; echo b; echo c")
		c.set(&o)
		if name == "python alone" {
			o.Command = []string{"python3", "-I", "-c", "print(1)"}
		}
		if u := start(t, o).Wait(); u.Err == nil || !strings.Contains(u.Err.Error(), c.says) {
			t.Errorf("%s: %v", name, u.Err)
		}
	}
	for argv, want := range map[string]string{
		"python3 -I train.py": "-I", "/usr/bin/python3.11 -uE train.py": "-uE", "python3 train.py -I": "", "bash x.sh -E": "",
		"bash -E x.sh": "", "python3 -m pkg -I": "",
	} {
		if got := hookDisablingFlag(strings.Fields(argv)); got != want {
			t.Errorf("%s: %q", argv, got)
		}
	}
}

// A script may take back how many steps it makes in all.
func TestStepsAreTakenBack(t *testing.T) {
	var d store.Description
	for _, c := range []struct{ said, want float64 }{{6, 6}, {0, 0}, {8, 8}} {
		describe(&d, protocol.Model{Steps: &c.said})
		describe(&d, protocol.Model{}) // says nothing of it
		if got := d.Steps; (got != nil) != (c.want > 0) || got != nil && *got != c.want {
			t.Errorf("after %g: %v", c.said, got)
		}
	}
}
