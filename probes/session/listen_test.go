package session

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"sweetspot/data/store"
	"sweetspot/engine/profile"
	"sweetspot/engine/steady"
	"sweetspot/probes/adapter"
	"sweetspot/probes/identity"
	"sweetspot/probes/protocol"
	"sweetspot/probes/runner"
)

// A script that says how long each step waited gets the share of the steady
// ones, and it is kept.
func TestInputWait(t *testing.T) {
	s := openStore(t)
	script := `i=0; while [ $i -lt 60 ]; do echo ` +
		`"{\"sweetspot\":1,\"event\":\"iteration\",\"t\":$i,\"seconds\":0.5,\"units\":8,\"wait\":0.2}"; i=$((i+1)); done >&3`
	p := start(t, shell(s, script))
	u := p.Wait()
	if u.Err != nil || u.InputWait == nil || *u.InputWait < 0.399 || *u.InputWait > 0.401 {
		t.Fatalf("wait %v, %v", u.InputWait, u.Err)
	}
}

// Output is read for iterations only as long as no event tells of them.
func TestOutputIsReadWhereNoEventSpeaks(t *testing.T) {
	for name, c := range map[string]struct {
		before string
		want   int
	}{
		"silent":                        {"", 29}, // the first line only starts the clock
		"another framework":             {`echo '{"sweetspot":1,"event":"hello","hook":true}' >&3; sleep 0.2`, 29},
		"a framework that reportsSteps": {`echo '{"sweetspot":1,"event":"hello","framework":"torch 2.9"}' >&3; sleep 0.2`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			o := shell(openStore(t), c.before+"\ni=0; while [ $i -lt 30 ]; do echo step $i; sleep 0.01; i=$((i+1)); done")
			read, err := adapter.New(adapter.Pattern, `^step (?P<step>\d+)`)
			if err != nil {
				t.Fatal(err)
			}
			o.Adapter = read
			if u := start(t, o).Wait(); len(u.Seconds) != c.want {
				t.Errorf("%d iterations, want %d; %v", len(u.Seconds), c.want, u.Err)
			}
		})
	}
}

// computed is a script's hello by the hook.
func computed(yet bool) string {
	return fmt.Sprintf(`echo '{"sweetspot":1,"event":"hello","computes":%t}' >&3; sleep 0.2;`, yet)
}

// bar draws one of so many rounds on standard error.
func bar(rounds int) string {
	return fmt.Sprintf(`i=1; while [ $i -le %d ]; do printf '\r%%3d%%%%|####| %%d/%d [00:01<00:09, 38.21it/s]' $i $i >&2
sleep 0.01; i=$((i+1)); done; echo >&2; sleep 0.2;`, rounds, rounds)
}

// A bar over data, before anything was computed, does not end a probe, though its rounds
// be as many as are asked for: the steps of the training are still to come. Where the
// script computes from then on, or never told that it did, they are its steps.
func TestABarOverDataEndsNoProbe(t *testing.T) {
	steps := fmt.Sprintf(steps, 12, ">&3")
	for name, c := range map[string]struct {
		script string
		want   int
		stops  bool
	}{
		"data first":          {computed(false) + bar(60) + `echo '{"sweetspot":1,"event":"hello","framework":"torch 2.9"}' >&3; sleep 0.2;` + steps, 12, false},
		"data, then steps":    {computed(false) + bar(60) + computed(true) + bar(12), 11, false},
		"steps":               {computed(true) + bar(60), 20, true},
		"never told":          {bar(60), 20, true},
		"steps unknown of it": {computed(false) + bar(60), 59, false},
	} {
		t.Run(name, func(t *testing.T) {
			o := shell(openStore(t), c.script)
			read, err := adapter.New(adapter.Auto, "")
			if err != nil {
				t.Fatal(err)
			}
			o.Adapter, o.Rule = read, steady.Rule{Target: 1e-9, MaxN: 20}
			u := start(t, o).Wait()
			n := len(u.Seconds)
			if u.Err != nil || (u.StoppedBecause == steady.Cap) != c.stops || n < c.want || !c.stops && n > c.want {
				t.Errorf("%d steps, want %d; ended by %q, %v", n, c.want, u.StoppedBecause, u.Err)
			}
		})
	}
}

// A progress bar draws over itself: its drawings count when they come, not
// when its line ends.
func TestProgressBarIsReadWhileItDraws(t *testing.T) {
	o := shell(openStore(t), `i=1; while [ $i -le 40 ]; do printf '\r%3d%%|####| %d/40 [00:01<00:09, 38.21it/s]' $i `+
		`$i >&2; sleep 0.02; i=$((i+1)); done; exec sleep 60`)
	read, err := adapter.New(adapter.Auto, "")
	if err != nil {
		t.Fatal(err)
	}
	o.Adapter, o.Rule = read, steady.Rule{Target: 1e-6, MaxN: 30}
	u := start(t, o).Wait()
	if u.StoppedBecause != steady.Cap || len(u.Seconds) < 30 {
		t.Fatalf("because %q after %d iterations, %v", u.StoppedBecause, len(u.Seconds), u.Err)
	}
	// A busy machine may read two at once, but not all at the end of the line.
	sum := 0.0
	for _, s := range u.Seconds {
		sum += s
	}
	if sum < 0.02*float64(len(u.Seconds)-5) {
		t.Errorf("%d iterations took %g s, not about 0.02 s each", len(u.Seconds), sum)
	}
}

// A bar that moves before the training, as over its data, is none of its steps: once a
// framework says that it will report them, what was shown and saved of the bar goes.
func TestABarBeforeTheTrainingIsForgotten(t *testing.T) {
	s := openStore(t)
	o := shell(s, `i=1; while [ $i -le 40 ]; do printf '\r%3d%%|####| %d/40 [00:01<00:09, 38.21it/s]' $i $i >&2
sleep 0.02; i=$((i+1)); done; echo >&2; sleep 0.5
echo '{"sweetspot":1,"event":"hello","framework":"torch 2.9"}' >&3
echo '{"sweetspot":1,"event":"init","seconds":0.25}' >&3
i=0; while [ $i -lt 12 ]; do echo "{\"sweetspot\":1,\"event\":\"iteration\",\"t\":$i,\"seconds\":0.5,\"units\":8}" >&3
i=$((i+1)); done`)
	read, err := adapter.New(adapter.Auto, "")
	if err != nil {
		t.Fatal(err)
	}
	o.Adapter, o.Rule = read, steady.Rule{Target: 1e-6, MaxN: 1000}
	u := start(t, o).Wait()
	if u.Err != nil || len(u.Seconds) != 12 || u.Run.BatchSize != 8 || u.Run.Steps == nil || *u.Run.Steps != 12 {
		t.Fatalf("%d steps at batch %d, %v in all, %v", len(u.Seconds), u.Run.BatchSize, u.Run.Steps, u.Err)
	}
	if !slices.ContainsFunc(u.Warnings, func(w string) bool {
		return strings.Contains(w, "before the training began are "+
			"left out")
	}) || slices.ContainsFunc(u.Warnings, func(w string) bool { return strings.Contains(w, "come from a progress bar") }) {
		t.Errorf("warnings %q", u.Warnings)
	}
	set, err := s.Load(t.Context())
	if err != nil || len(set.Runs) != 1 {
		t.Fatalf("%d runs, %v", len(set.Runs), err)
	}
	r := set.Runs[0]
	if *r.FirstIterationS != 0.5 || *r.InitS != 0.25 || r.Steps == nil || *r.Steps != 12 {
		t.Errorf("saved %+v", r)
	}
	its, err := s.Iterations(t.Context(), r.ID)
	if err != nil || len(its) != 12 || slices.ContainsFunc(its,
		func(it store.Iteration) bool { return it.Seconds != 0.5 }) {
		t.Errorf("saved %v, %v", its, err)
	}
}

func TestSilenceIsExplained(t *testing.T) {
	for _, c := range []struct {
		argv []string
		want string
	}{
		{[]string{"python3", "-I", "train.py"}, "-I ignores the environment"},
		{[]string{"python3", "-BE", "train.py"}, "-BE ignores the environment"},
		{[]string{"julia", "train.jl", "--INPUT"}, "another interpreter"},
	} {
		if got := silenceWarning(c.argv); !strings.Contains(got, c.want) || !strings.Contains(got, "--pattern") {
			t.Errorf("%q: %s", c.argv, got)
		}
	}
	o := shell(openStore(t), "sleep 0.3; exit 0")
	o.Hooked = true
	u := start(t, o).Wait()
	if len(u.Warnings) != 0 {
		t.Errorf("warned before %s: %q", silence, u.Warnings)
	}
}

// far is a process on another host, as far as the session can tell.
type far struct {
	*runner.Process
	lost error
}

func (far) Facts() (identity.Facts, bool) {
	return identity.Facts{Host: "gpu\x1b[31m-box", CPU: "Xeon", CPUs: 8, OS: "linux/amd64"}, true
}

func (f far) Wait() runner.Exit {
	exit := f.Process.Wait()
	exit.Lost = f.lost
	return exit
}

func elsewhere(lost error) Starter {
	return func(ctx context.Context, c runner.Command) (Process, error) {
		p, err := runner.Start(ctx, c)
		return far{p, lost}, err
	}
}

func TestAnotherHostSaysWhatItIs(t *testing.T) {
	s := openStore(t)
	o := shell(s, `cat "$PLACE/f" >&2; `+fmt.Sprintf(steps, 60, ">&3"))
	o.Start, o.Files, o.Env = elsewhere(nil), fstest.MapFS{"f": {Data: []byte("hello\n")}},
		[]string{"PLACE=" + runner.Directory}
	o.Place = func(f identity.Facts, m *store.Machine) {
		if f.CPUs == 8 {
			m.VM, m.USDPerHour = profile.VMKey{Cloud: "aws", Region: "us-east-1", InstanceType: "p3.2xlarge"}, new(3.6)
		}
	}
	u := start(t, o).Wait()
	if u.Err != nil || u.Machine.Host != "gpu-box" || u.Machine.CPUs != 8 || u.SpentUSD == nil {
		t.Errorf("machine %+v, spent %v, %v", u.Machine, u.SpentUSD, u.Err)
	}
	if r := saved(t, s, u.Run.ID); r.InstanceType != "p3.2xlarge" || r.USDPerHour == nil || *r.USDPerHour != 3.6 {
		t.Errorf("saved %+v", r)
	}
	if len(u.Log) == 0 || u.Log[0] != "hello" {
		t.Errorf("the files were not there: %q", u.Log)
	}
}

// What came before the connection was lost is kept, as interrupted.
func TestLostConnection(t *testing.T) {
	s := openStore(t)
	o := shell(s, fmt.Sprintf(steps, 40, ">&3"))
	o.Start = elsewhere(fmt.Errorf("the connection to gpu-box was lost"))
	u := start(t, o).Wait()
	if u.Err == nil || u.Run.Status != profile.Interrupted || len(u.Seconds) != 40 {
		t.Errorf("%s, %d iterations, %v", u.Run.Status, len(u.Seconds), u.Err)
	}
	if r := saved(t, s, u.Run.ID); r.Status != profile.Interrupted || !r.Steady.Known() {
		t.Errorf("saved as %s, steady %v", r.Status, r.Steady)
	}
}

// Readings taken beside the script are kept with its own, and the observer
// learns when the script has ended.
func TestObserver(t *testing.T) {
	o := shell(openStore(t), fmt.Sprintf(steps, 30, ">&3")+"; sleep 0.5")
	ended := make(chan struct{})
	o.Observe = []Observer{func(ctx context.Context, emit func(protocol.Event)) {
		emit(protocol.Telemetry{GPU: 1, Watts: new(300.0), EnergyJ: new(5.0), Shared: new(true)})
		<-ctx.Done()
		close(ended)
	}}
	u := start(t, o).Wait()
	if len(u.Telemetry) != 1 || u.Telemetry[0].GPU != 1 || u.Telemetry[0].Shared == nil || !*u.Telemetry[0].Shared {
		t.Errorf("telemetry %+v", u.Telemetry)
	}
	select {
	case <-ended:
	case <-time.After(5 * time.Second):
		t.Error("the observer goes on")
	}
}

// Each rank names the GPU it uses; two on one count once.
func TestGPUsOfAllRanks(t *testing.T) {
	hello := func(uuid string) string {
		return `echo '{"sweetspot":1,"event":"hello","framework":"torch 2","gpus":[{"name":"Tesla ` +
			`V100-SXM2-16GB","memory_bytes":17179869184,"uuid":"` + uuid + `"}]}' >&3;`
	}
	u := start(t, shell(openStore(t), hello("a")+hello("b")+hello("a")+fmt.Sprintf(steps, 30, ">&3"))).Wait()
	if u.Run.GPUCount != 2 || u.Run.GPU != "V100-SXM2-16GB" || u.Run.GPUMemGiB == nil || *u.Run.GPUMemGiB != 16 {
		t.Errorf("%d × %q with %v GiB", u.Run.GPUCount, u.Run.GPU, u.Run.GPUMemGiB)
	}
}

// Of the sensors on a machine those count whose GPU is used, by its UUID; which is all of
// them while it is not known.
func TestReadingsOfTheGPUsInUse(t *testing.T) {
	p := newState(Options{}, 1)
	read := func(uuid string) int {
		p.event(protocol.Telemetry{UUID: uuid, Watts: new(100.0)}, 1)
		return len(p.telemetry)
	}
	if n := read("GPU-bb"); n != 1 {
		t.Errorf("%d readings before any GPU is known to be in use", n)
	}
	p.event(protocol.Hello{GPUs: []protocol.GPU{{Name: "A100", UUID: "AA"}}}, 1)
	for _, c := range []struct {
		uuid string
		want int
	}{{"GPU-bb", 1}, {"GPU-aa", 2}} {
		uuid, want := c.uuid, c.want
		if n := read(uuid); n != want {
			t.Errorf("%d readings after one of %s, want %d", n, uuid, want)
		}
	}
	if n := read(""); n < 2 {
		t.Error("a sensor that does not say which it is does not count")
	}
}

// Ranks on several hosts are one run. Where not all are watched the launcher tells how many
// hosts there are; where all are, they do.
func TestRanksOnSeveralHosts(t *testing.T) {
	hello := func(rank int, node, uuid string) string {
		return fmt.Sprintf(`echo '{"sweetspot":1,"event":"hello","framework":"torch 2","rank":%d,"node":%q,"gpus":[{"name":`+
			`"Tesla V100-SXM2-16GB","memory_bytes":17179869184,"uuid":%q}]}' >&3;`, rank, node, uuid)
	}
	model := func(world, vms int) string {
		return fmt.Sprintf(`echo '{"sweetspot":1,"event":"model","world_size":%d,"vms":%d,"batch_size":64}' >&3;`, world, vms)
	}
	for _, c := range []struct {
		name, script     string
		vms, gpus, ranks int
	}{
		{name: "all ranks on two hosts", script: hello(0, "a", "1") + model(4, 2) + hello(1, "a", "2") + hello(2, "b", "1") +
			hello(3, "b", "2"), vms: 2, gpus: 2, ranks: 4},
		{name: "the first host is watched", script: hello(0, "a", "1") + model(4, 2) + hello(1, "a", "2"), vms: 2, gpus: 2,
			ranks: 4},
		{name: "two groups on one host", script: hello(0, "a", "1") + model(2, 2) + hello(1, "a", "2"), vms: 1, gpus: 2,
			ranks: 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			db := openStore(t)
			o := shell(db, c.script+fmt.Sprintf(steps, 30, ">&3"))
			o.Rule.USDPerHour = new(3600.0)
			u := start(t, o).Wait()
			for of, r := range map[string]profile.Run{"shown": u.Run, "saved": saved(t, db, u.Run.ID)} {
				if r.Count != c.vms || r.GPUCount != c.gpus || r.WorldSize == nil || *r.WorldSize != c.ranks ||
					r.Workers() != c.ranks {
					t.Errorf("%s: %d VMs, %d GPUs each, %v ranks", of, r.Count, r.GPUCount, r.WorldSize)
				}
			}
			if u.SpentUSD == nil || math.Abs(*u.SpentUSD/(u.SpentS*float64(c.vms))-1) > 1e-9 {
				t.Errorf("%v spent in %g s", u.SpentUSD, u.SpentS)
			}
		})
	}
}

// The rule's words are kept beside its reason.
func TestWordsOfTheStop(t *testing.T) {
	o := shell(openStore(t), fmt.Sprintf(steps, 40, ">&3")+"; exec sleep 60")
	o.Rule = steady.Rule{Target: 1e-6, MaxN: 30}
	u := start(t, o).Wait()
	if u.StoppedBecause != steady.Cap || !strings.Contains(u.StoppedWords, "the cap of 30 steps") {
		t.Errorf("%q: %q", u.StoppedBecause, u.StoppedWords)
	}
}
