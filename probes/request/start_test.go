package request

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sweetspot/data/store"
	"sweetspot/engine/profile"
	"sweetspot/engine/steady"
	"sweetspot/probes/harness"
	"sweetspot/probes/identity"
	"sweetspot/probes/matrix"
	"sweetspot/probes/session"
)

func openStore(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "p.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// options are those of a cell's session.
func options(t *testing.T, r Request, c matrix.Cell) session.Options {
	t.Helper()
	e := Environment{Store: openStore(t), Output: &bytes.Buffer{}, RequiredPrecision: func(profile.Run) (float64, string) {
		return 0.5, ""
	}}
	o, err := r.session(t.Context(), c, e)
	if err != nil {
		t.Fatal(err)
	}
	if o.Store != e.Store || o.Output != e.Output || o.RequiredPrecision == nil {
		t.Errorf("the caller's things are lost: %+v", o)
	}
	return o
}

func TestSessionOfACommand(t *testing.T) {
	t.Setenv("PYTHONPATH", "/mine")
	r := Request{Command: []string{"python3", "lab/train.py"}, KeepRunning: true,
		Rule: steady.Rule{Target: 0.05}, Machine: store.Machine{USDPerHour: new(2.0)}}
	o := options(t, r, matrix.Cell{})
	d := o.Description
	if !o.Hooked || o.Named || o.RunsHarness || o.Start != nil || o.AfterSave != nil || len(o.Observe) != 3 ||
		o.Files == nil || o.Adapter == nil || !o.KeepRunning || o.Rule != r.Rule || !slices.Equal(o.Command, r.Command) {
		t.Errorf("%+v", o)
	}
	if d.Model.Name != "train" || d.Model.SourceFile != "lab/train.py" || d.Mode != profile.Train || d.Epochs != nil ||
		d.Address != "" || *d.Machine.USDPerHour != 2 || !slices.Equal(d.Command, r.Command) {
		t.Errorf("%+v", d)
	}
	if env := strings.Join(o.Env, " "); !strings.Contains(env, ":/mine") {
		t.Errorf("this machine's own path is lost: %s", env)
	}
	r.Name, r.Spec = "mine", harness.Spec{Mode: profile.Infer, Epochs: 3}
	if o = options(t, r, matrix.Cell{}); !o.Named || o.Description.Model.Name != "mine" ||
		*o.Description.Epochs != 3 || o.Description.Mode != profile.Infer || o.Rule.MaxSeconds != 0 {
		t.Errorf("as the user says: %+v", o)
	}
}

func TestSessionElsewhere(t *testing.T) {
	t.Setenv("PYTHONPATH", "/mine")
	r := Request{Command: []string{"python3", "train.py"}}
	o := options(t, r, matrix.Cell{Host: "ssh://me@vm:22"})
	d := o.Description
	if o.Start == nil || o.Place == nil || o.AfterSave != nil || o.Observe != nil || d.Address != "me@vm:22" ||
		d.Machine.Host != "me@vm:22" || d.Spool != "" {
		t.Errorf("%+v", o)
	}
	if env := strings.Join(o.Env, " "); strings.Contains(env, "/mine") {
		t.Errorf("that host has its own path: %s", env)
	}
	r.Detach = true
	if o = options(t, r, matrix.Cell{Host: "me@vm"}); o.Start == nil || o.Here {
		t.Errorf("detached: %+v", o)
	}
	work, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if o = options(t, r, matrix.Cell{}); o.Start == nil || !o.Here || o.Dir != work || o.Observe != nil {
		t.Errorf("detached here: %+v", o)
	}
	if env := strings.Join(o.Env, " "); strings.Contains(env, "/mine") {
		t.Errorf("the agent has its own path: %s", env)
	}
	r.Detach = false
	if _, err := r.session(t.Context(), matrix.Cell{Host: "-x"}, Environment{Store: openStore(t)}); err == nil {
		t.Error("no host at all")
	}
}

// The model of another host needs no Python here.
func TestSessionOfAModel(t *testing.T) {
	r := Request{Spec: harness.Spec{Model: "example:fashion-cnn", Mode: profile.Infer, Precision: "bf16"},
		Python: "/opt/python"}
	c := matrix.Cell{Host: "me@vm", Batch: 64, Prune: "0.25", Mode: profile.Infer}
	o := options(t, r, c)
	d := o.Description
	if !o.RunsHarness || !o.Named || o.Hooked || o.Command[0] != interpreterThere || d.BatchSize != 64 ||
		d.Variant.Precision != "bf16" || *d.Variant.Pruning.Ratio != 0.25 || d.Model.Name != "fashion-cnn" ||
		d.Model.SourceFile != "example:fashion-cnn" || d.Mode != profile.Infer {
		t.Errorf("%+v", o)
	}
	c.Precision = "fp32"
	if o = options(t, r, c); o.Description.Variant.Precision != "fp32" {
		t.Errorf("the cell's precision: %+v", o.Description)
	}
	if got := strings.Join(o.Description.Command, " "); got != "sweetspot probe --model=example:fashion-cnn "+
		"--mode=infer --batch=64 --precision=fp32 --prune=0.25" {
		t.Errorf("run again by %s", got)
	}
}

// An inference that would run until it is stopped has a cap, unless the user named
// one or how often to go over the data; on another host, too, without a connection.
func TestUntilStoppedIsCapped(t *testing.T) {
	for name, c := range map[string]struct {
		spec harness.Spec
		rule steady.Rule
		want float64
	}{
		"no cap":        {harness.Spec{Mode: profile.Infer}, steady.Rule{}, 600},
		"seconds":       {harness.Spec{Mode: profile.Infer}, steady.Rule{MaxSeconds: 7}, 7},
		"steps":         {harness.Spec{Mode: profile.Infer}, steady.Rule{MaxN: 7}, 0},
		"dollars":       {harness.Spec{Mode: profile.Infer}, steady.Rule{MaxUSD: 7}, 0},
		"passes":        {harness.Spec{Mode: profile.Infer, Epochs: 3}, steady.Rule{}, 0},
		"training":      {harness.Spec{Mode: profile.Train}, steady.Rule{}, 0},
		"training, too": {harness.Spec{}, steady.Rule{}, 0},
	} {
		c.spec.Model = "example:fashion-cnn"
		o := options(t, Request{Spec: c.spec, Rule: c.rule}, matrix.Cell{Host: "me@vm", Batch: 8})
		if o.Rule.MaxSeconds != c.want {
			t.Errorf("%s: capped at %g s, want %g", name, o.Rule.MaxSeconds, c.want)
		}
	}
}

// What is kept for who follows the probes later.
func TestMemo(t *testing.T) {
	r := Request{Name: "net", Rule: steady.Rule{Target: 0.05, MaxSeconds: 90, MaxUSD: 1, USDPerHour: new(9.0)}}
	text, err := json.Marshal(r.memo())
	if err != nil {
		t.Fatal(err)
	}
	m := read(text)
	if want := (memo{steady.Rule{Target: 0.05, MaxSeconds: 90, MaxUSD: 1}, true, ""}); !reflect.DeepEqual(m, want) {
		t.Errorf("%+v, want %+v", m, want)
	}
	r.KeepRunning, r.Name, r.Command = true, "", []string{"true"}
	if m := r.memo(); !m.CapsOnly || m.Named {
		t.Errorf("%+v", m)
	}
	if r.Rule.CapsOnly || r.Rule.USDPerHour == nil {
		t.Errorf("the request has changed: %+v", r.Rule)
	}
	for _, strange := range []string{"", "null", "[]", `{"Target":"x"}`} {
		if m := read([]byte(strange)); !reflect.DeepEqual(m, memo{Rule: steady.DefaultRule()}) {
			t.Errorf("%q: %+v", strange, m)
		}
	}
}

// A cap in dollars needs a price, of this machine: others may tell theirs.
func TestCheckCap(t *testing.T) {
	for name, c := range map[string]struct {
		r  Request
		ok bool
	}{
		"no cap":       {Request{}, true},
		"no price":     {Request{Rule: steady.Rule{MaxUSD: 1}}, false},
		"a price":      {Request{Rule: steady.Rule{MaxUSD: 1}, Machine: store.Machine{USDPerHour: new(0.5)}}, true},
		"elsewhere":    {Request{Rule: steady.Rule{MaxUSD: 1}, Hosts: []string{"me@vm"}}, true},
		"here as well": {Request{Rule: steady.Rule{MaxUSD: 1}, Hosts: []string{"me@vm", ""}}, false},
	} {
		if err := c.r.CheckCap(); (err == nil) != c.ok || err != nil && !strings.Contains(err.Error(), "add --price") {
			t.Errorf("%s: %v", name, err)
		}
		c.r.Command, c.r.NoMetadata = []string{"true"}, true
		if c.ok {
			continue
		}
		if _, err := c.r.Start(t.Context(), Environment{}); err == nil || !strings.Contains(err.Error(), "add --price") {
			t.Errorf("%s is started: %v", name, err)
		}
	}
}

// Nothing is looked up that the user has said, or of another machine.
func TestPlaceIsLeftAlone(t *testing.T) {
	for name, r := range map[string]Request{
		"a price":   {Machine: store.Machine{USDPerHour: new(0.5)}},
		"a VM type": {Machine: store.Machine{VM: profile.VMKey{InstanceType: "g5.xlarge"}}},
		"elsewhere": {Hosts: []string{"me@vm"}},
	} {
		before := r.Machine
		if words := r.Place(t.Context(), nil); words != "" || !reflect.DeepEqual(r.Machine, before) {
			t.Errorf("%s: %q, %+v", name, words, r.Machine)
		}
	}
	if here := (Request{}).isHere(); !here {
		t.Error("without hosts it is here")
	}
}

// What was hidden when it was kept comes from the environment, or nothing runs.
func TestHiddenSecrets(t *testing.T) {
	r := Request{Command: []string{"python3", "x.py", "--token", "${SECRET_OF_MINE}"}}
	if _, err := r.Cells(); err == nil || !strings.Contains(err.Error(), "set SECRET_OF_MINE in the environment") {
		t.Errorf("%v", err)
	}
	if _, err := r.session(t.Context(), matrix.Cell{}, Environment{Store: openStore(t)}); err == nil {
		t.Error("it is started")
	}
	t.Setenv("SECRET_OF_MINE", "abc")
	if _, err := r.Cells(); err != nil {
		t.Error(err)
	}
	if o := options(t, r, matrix.Cell{}); o.Command[3] != "abc" || o.Description.Model.SourceFile != "request/x.py" {
		t.Errorf("%q of %q", o.Command, o.Description.Model.SourceFile)
	}
	r.Command = []string{"serve", "--api-key", "abc"}
	if o := options(t, r, matrix.Cell{}); o.Description.Model.SourceFile != "serve --api-key ${API_KEY}" ||
		o.Command[2] != "abc" || o.Description.Command[2] != "${API_KEY}" {
		t.Errorf("%q, kept as %q, of %q", o.Command, o.Description.Command, o.Description.Model.SourceFile)
	}
	r.Command[2] = "***"
	if _, err := r.Cells(); err == nil || !strings.Contains(err.Error(), "set API_KEY in") {
		t.Errorf("%v", err)
	}
}

func TestArgv(t *testing.T) {
	r := Request{
		Name: "0", Batches: []int{32, 64}, Precisions: []string{"fp32", "bf16"}, Prune: "0,0.3", Repeats: 2,
		Hosts: []string{"", "me@vm:22"}, Detach: true, Python: "/opt/python", NoMetadata: true, KeepRunning: true,
		Spec: harness.Spec{Model: "n.py:net", Mode: profile.Infer, Input: "3x4x4", Epochs: 3, Data: harness.Synthetic,
			TrainSize: 100, Optimizer: "adam", Eval: "s.py:set", FineTune: 2, Layers: true, FitBatch: 512},
		Machine: store.Machine{VM: profile.VMKey{Cloud: "aws", Region: "us-east-1", InstanceType: "p3.2xlarge"},
			USDPerHour: new(0.0)},
		Rule: steady.Rule{Target: 0.02, MaxSeconds: 90.5, MaxUSD: 1e6, MaxN: 7}, Adapter: "pattern", Pattern: "true",
	}
	want := []string{"--model=n.py:net", "--name=0", "--mode=infer", "--input=3x4x4", "--batch=32,64",
		"--precision=fp32,bf16",
		"--prune=0,0.3", "--epochs=3", "--data=synthetic", "--train-size=100", "--optimizer=adam", "--eval=s.py:set",
		"--fine-tune=2", "--layers", "--largest-batch=512", "--repeat=2", "--host=here", "--host=me@vm:22",
		"--precision-target=0.02", "--max-seconds=90.5", "--max-cost=1e+06", "--max-steps=7", "--python=/opt/python",
		"--vm=aws/us-east-1/p3.2xlarge", "--price=0", "--adapter=pattern", "--pattern=true", "--no-metadata",
		"--keep-running",
		"--detach"}
	if got := r.Argv(); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := (Request{Command: []string{"sh", "-c", "--x"}}).Argv(); !slices.Equal(got,
		[]string{"--", "sh", "-c", "--x"}) {
		t.Errorf("%q", got)
	}
}

func TestCells(t *testing.T) {
	model := harness.Spec{Model: "example:fashion-cnn", Mode: profile.Infer}
	cells, err := Request{Spec: model, Hosts: []string{"", "me@vm"}}.Cells()
	if err != nil || len(cells) != 2 || cells[0].Batch != defaultBatch || cells[1].Host != "me@vm" ||
		cells[0].Mode != profile.Infer {
		t.Errorf("%+v, %v", cells, err)
	}
	for says, r := range map[string]Request{
		"only apply to a command":  {Spec: model, Adapter: "keras"},
		"only apply to a command ": {Spec: model, Pattern: "x"},
		`no adapter is called "x"`: {Command: []string{"true"}, Adapter: "x"},
		"unknown group":            {Command: []string{"true"}, Pattern: "(?P<x>.)"},
		"needs the adapter":        {Command: []string{"true"}, Adapter: "keras", Pattern: "x"},
		"there is no example":      {Spec: harness.Spec{Model: "example:x"}},
	} {
		if _, err := r.Cells(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("want %q, got %v", says, err)
		}
	}
}

func TestSpendInWords(t *testing.T) {
	for want, s := range map[string]Spend{
		"1 probe, about 10.0 s":                      {Probes: 1, Low: 10, High: 10},
		"2 probes, 10.0 s to 20.0 s, about $1.00":    {Probes: 2, Low: 10, High: 20, USDLow: new(1.0), USDHigh: new(1.0)},
		"3 probes, 10.0 s to 20.0 s, $1.00 to $2.00": {Probes: 3, Low: 10, High: 20, USDLow: new(1.0), USDHigh: new(2.0)},
		"3 probes, 10.0 s to 20.0 s":                 {Probes: 3, Low: 10, High: 20, USDLow: new(1.0)},
	} {
		if got := s.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Where probes run is kept with their runs, and read from there.
func TestPlaces(t *testing.T) {
	for address, c := range map[string]struct {
		r    Request
		cell string
		want place
	}{
		"here:/":           {Request{Detach: true}, "", place{"here", ""}},
		"ssh:me@vm:22/":    {Request{Detach: true}, "me@vm:22", place{"ssh:me@vm:22", ""}},
		"slurm:/a100:2":    {Request{On: "slurm"}, "a100:2", place{"slurm", "a100:2"}},
		"slurm:me@in/a100": {Request{On: "slurm:me@in"}, "a100", place{"slurm:me@in", "a100"}},
		"sky:/A100":        {Request{On: "sky"}, "A100", place{"sky", "A100"}},
	} {
		p := c.r.placeOf(matrix.Cell{Host: c.cell})
		if p != c.want || p.address() != address || placed(address) != p || p.cell() != c.cell || !c.r.isOfJobs() {
			t.Errorf("%s: %+v, %s, %+v, cell %q", address, p, p.address(), placed(address), p.cell())
		}
		if _, err := EngineOn(p.on, Engines{}); err != nil {
			t.Error(err)
		}
		if got := Host(address); got != c.cell {
			t.Errorf("%s is on %q, want %q", address, got, c.cell)
		}
	}
	for _, address := range []string{"", "me@vm", "me@vm:22", "me@[fe80::1]:22"} {
		if got := Host(address); got != address {
			t.Errorf("%q is on %q", address, got)
		}
	}
	if p := (Request{}).placeOf(matrix.Cell{Host: "ssh://me@vm:22"}); p.on != "ssh:me@vm:22" {
		t.Errorf("%+v", p)
	}
	for _, on := range []string{"", "here:x", "ssh", "ssh:", "ssh:-x", "sky:x", "slurm:", "pbs"} {
		if _, err := EngineOn(on, Engines{}); err == nil {
			t.Errorf("%q is an engine", on)
		}
	}
	for _, on := range []string{"here", "ssh:me@vm"} {
		_, err := Request{Command: []string{"true"}, On: on}.Cells()
		if err == nil || !strings.Contains(err.Error(), "--host") {
			t.Errorf("--on %s: %v", on, err)
		}
	}
}

// The machine is looked at once, with metadata and without.
func TestTheMachineIsAskedOnce(t *testing.T) {
	defer func(by map[bool]identity.Facts) { asked.by = by }(asked.by)
	asked.by = map[bool]identity.Facts{true: {Host: "with metadata"}}
	if f := factsHere(t.Context(), false); f.OS == "" || f.Host == "with metadata" {
		t.Errorf("this machine is %+v", f)
	}
	asked.by[false] = identity.Facts{Host: "as before"}
	if f := factsHere(t.Context(), false); f.Host != "as before" {
		t.Errorf("asked again: %+v", f)
	}
}
