package session

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"sweetspot/data/store"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/steady"
)

func openStore(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "profiles.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// shell is a probe of a shell script.
func shell(s *store.Store, script string) Options {
	return Options{
		Command:     []string{"/bin/sh", "-c", script},
		Description: store.Description{Model: profile.Model{Name: "shell"}, Mode: profile.Train},
		Rule:        steady.DefaultRule(),
		Store:       s,
	}
}

func start(t *testing.T, o Options) *Session {
	t.Helper()
	p, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// saved is the run as the database holds it.
func saved(t *testing.T, s *store.Store, id int64) profile.Run {
	t.Helper()
	set, err := s.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range set.Runs {
		if r.ID == id {
			return r
		}
	}
	t.Fatalf("run %d is not in the database", id)
	return profile.Run{}
}

// steps prints n iteration events of 50 ms each without taking that long.
const steps = `i=0; while [ $i -lt %d ]; do echo ` +
	`"{\"sweetspot\":1,\"event\":\"iteration\",\"epoch\":0,\"index\":$i,\"seconds\":0.05$((i%%3)),\"units\":32}" ` +
	`%s; i=$((i+1)); done`

const model = `echo '{"sweetspot":1,"event":"model","name":"net","dataset":"d","params":7,"batch_size":32,"train_size":3200,"epochs":4,"precision":"bf16","pruning":0.3}' >&3;
echo '{"sweetspot":1,"event":"hello","framework":"torch 9","gpus":[{"name":"NVIDIA H100 80GB HBM3","memory_bytes":85899345920}],"driver":"580"}' >&3;
echo '{"sweetspot":1,"event":"init","seconds":1.5}' >&3;`

// The user's name for a model is the one that is kept, whatever the script calls it.
func TestTheUsersNameIsKept(t *testing.T) {
	s := openStore(t)
	o := shell(s, model+fmt.Sprintf(steps, 60, ">&3"))
	o.Named, o.Description.Model.Name = true, "mine"
	last := start(t, o).Wait()
	r := saved(t, s, last.Run.ID)
	if r.Model != "mine" || r.Dataset != "d" || r.BatchSize != 32 || last.Run.Model != "mine" {
		t.Errorf("saved as %s, live %s, of %s at batch %d", r.Model, last.Run.Model, r.Dataset, r.BatchSize)
	}
}

func TestScriptThatEnds(t *testing.T) {
	s := openStore(t)
	script := model + fmt.Sprintf(steps, 60, ">&3") + `
		echo '{"sweetspot":1,"event":"validation","epoch":0,"seconds":2,"metric":"top1","value":0.5,"higher_is_better":true}' >&3
		echo '{"sweetspot":1,"event":"pause","seconds":9,"kind":"checkpoint"}' >&3
		echo '{"sweetspot":1,"event":"validation","epoch":1,"seconds":1,"metric":"top1","value":0.75,"higher_is_better":true}' >&3
		echo '{"sweetspot":1,"event":"memory","peak_bytes":1024,"total_bytes":4096}' >&3
		echo '{"sweetspot":1,"event":"overhead","rank":1,"seconds":0.0003}' >&3
		echo '{"sweetspot":1,"event":"overhead","rank":0,"seconds":0.0002}' >&3
		echo '{"sweetspot":1,"event":"warning","message":"it trains again","ahead":true}' >&3
		echo hello log; echo '{"sweetspot":1,"event":"done","reason":"end"}' >&3`
	o := shell(s, script)
	o.Description.Machine.USDPerHour = new(3.6)
	var output strings.Builder
	o.Output = &output
	p := start(t, o)
	var last Update
	seq := 0
	for u := range p.Updates() {
		if u.Seq <= seq {
			t.Errorf("update %d after %d", u.Seq, seq)
		}
		last, seq = u, u.Seq
	}
	if !last.Done || last.Err != nil || last.StoppedBecause != End || *last.ScriptExit != 0 ||
		last.Run.Status != profile.Done {
		t.Fatalf("%+v", last)
	}
	if got := p.Wait(); got.Seq != last.Seq {
		t.Errorf("Wait gives update %d, the channel %d", got.Seq, last.Seq)
	}
	r := saved(t, s, last.Run.ID)
	if r.Model != "net" || r.Dataset != "d" || r.Variant.Precision != "bf16" || *r.Variant.Pruning.Ratio != 0.3 ||
		r.BatchSize != 32 || *r.IterationsPerEpoch != 100 || *r.Epochs != 0.6 {
		t.Errorf("description %+v", r)
	}
	if !slices.Contains(last.Warnings, "it ended after 0.6 of its 4 epochs; the estimate is of these") ||
		slices.Contains(last.Warnings, "it trains again") { // it did not, or has done
		t.Errorf("warnings %q", last.Warnings)
	}
	if r.GPU != "H100 80GB HBM3" || r.GPUCount != 1 || *r.GPUMemGiB != 80 || *r.USDPerHour != 3.6 {
		t.Errorf("machine %+v", r)
	}
	if *r.InitS != 1.5 || *r.FirstIterationS != 0.05 || math.Abs(r.Steady.Value-0.051) > 0.0003 || r.SteadyN < 40 ||
		r.Steady.Basis != estimate.Measured {
		t.Errorf("times %+v", r)
	}
	if *r.FirstValidationS != 2 || *r.ValidationS != 1 || r.Accuracy.Value != 0.75 || *r.PeakMemoryBytes != 1024 ||
		len(r.Validations) != 2 {
		t.Errorf("validations %+v, accuracy %+v", r.Validations, r.Accuracy)
	}
	if r.Status != profile.Done || r.TotalS == nil || *last.SpentUSD < *r.TotalS/1000*0.99 ||
		math.Abs(last.SpentS-*r.TotalS-0.0003) > 1e-9 {
		t.Errorf("status %s, total %v, spent %v", r.Status, r.TotalS, last.SpentUSD)
	}
	if p := r.Pauses; len(p) != 1 || p[0].Seconds != 9 || p[0].Kind != "checkpoint" || p[0].AtS <= 0 ||
		*p[0].Iterations != 60 {
		t.Errorf("pauses %+v", p)
	}
	// The live run and the saved one say the same.
	if live := last.Run; !reflect.DeepEqual(live.Pauses, r.Pauses) || live.Steady != r.Steady ||
		live.SteadyN != r.SteadyN || live.Model != r.Model || live.GPU != r.GPU || live.Status != r.Status ||
		live.InstanceType != r.InstanceType {
		t.Errorf("live  %+v\nsaved %+v", live, r)
	}
	its, err := s.Iterations(t.Context(), r.ID)
	if err != nil || len(its) != 60 || its[59].Index != 59 || its[59].Units != 32 {
		t.Errorf("%d iterations saved, %v", len(its), err)
	}
	if output.String() != "hello log\n" {
		t.Errorf("output %q", output.String())
	}
}

// A training of unknown length that ended by itself had as many steps as it took; a made-up
// one, of a model on synthetic input, has no length, and says so.
func TestEpochsOfUnknownLength(t *testing.T) {
	for _, ofModel := range []bool{false, true} {
		o := shell(openStore(t), fmt.Sprintf(steps, 40, ">&3"))
		o.RunsHarness = ofModel
		u := start(t, o).Wait()
		said := strings.Contains(strings.Join(u.Warnings, "\n"), "no estimate of a whole training")
		if u.Err != nil || said != ofModel || said != strings.Contains(strings.Join(u.Warnings, ""), "--train-size") {
			t.Errorf("of a model %v: warnings %q, %v", ofModel, u.Warnings, u.Err)
		}
		if r := u.Run; (r.TotalS != nil) == ofModel || (r.Steps != nil) == ofModel || r.Steps != nil && *r.Steps != 40 {
			t.Errorf("of a model %v: total %v, %v steps", ofModel, r.TotalS, r.Steps)
		}
	}
}

func TestFailures(t *testing.T) {
	s := openStore(t)
	for _, c := range []struct {
		name, script, says string
		exit               int
		status             profile.Status
	}{
		{"traceback", fmt.Sprintf(steps, 30, "") + `; echo progress; echo Traceback >&2; echo "KeyError: 'x'" >&2; exit 3`,
			"KeyError: 'x'", 3, profile.Failed},
		{"error event", `echo '{"sweetspot":1,"event":"error","message":"no such factory"}' >&3; echo noise >&2; exit 1`,
			"no such factory", 1, profile.Failed},
		{"killed", `kill -KILL $$`, "SIGKILL (exit code 137)", 137, profile.Failed},
		{"no events", `echo done`, "and no iteration was seen", 0, profile.Failed},
	} {
		t.Run(c.name, func(t *testing.T) {
			u := start(t, shell(s, c.script)).Wait()
			if u.Err == nil || !strings.Contains(u.Err.Error(), c.says) || *u.ScriptExit != c.exit {
				t.Fatalf("error %v, exit %d", u.Err, *u.ScriptExit)
			}
			if r := saved(t, s, u.Run.ID); r.Status != c.status {
				t.Errorf("status %s", r.Status)
			}
			if c.name == "traceback" && saved(t, s, u.Run.ID).SteadyN < 20 {
				t.Error("what was measured is lost")
			}
		})
	}
	before, _ := s.Load(t.Context())
	if _, err := Start(t.Context(), Options{Command: []string{"no-such-program-here"}, Store: s,
		Rule: steady.DefaultRule(), Description: shell(s, "").Description}); err == nil {
		t.Error("started what does not exist")
	}
	if after, err := s.Load(t.Context()); err != nil || len(after.Runs) != len(before.Runs) {
		t.Errorf("a run that never began is kept: %v", err)
	}
}

// A probe that runs out of memory has told what it was asked, whether it fits: that
// is no failure of the script.
func TestOutOfMemoryIsAnAnswer(t *testing.T) {
	s := openStore(t)
	u := start(t, shell(s, `echo '{"sweetspot":1,"event":"error","message":"out of memory: 20 MiB too few"}'; echo `+
		`'{"sweetspot":1,"event":"done","reason":"oom"}'; exit 1`)).Wait()
	r, err := s.Record(t.Context(), u.Run.ID)
	if u.Err != nil || *u.ScriptExit != 1 || u.StoppedBecause != OutOfMemory || err != nil ||
		u.StoppedWords != "out of memory: 20 MiB too few" || r.StoppedWords != u.StoppedWords ||
		r.Status != profile.OutOfMemory {
		t.Errorf("error %v, exit %d, %q: %q, saved as %s: %q, %v", u.Err, *u.ScriptExit, u.StoppedBecause, u.StoppedWords,
			r.Status, r.StoppedWords, err)
	}
}

// No secret of a command, or that a script prints, is in the database's files.
func TestNoSecretIsKept(t *testing.T) {
	s := openStore(t)
	o := shell(s, `echo "token='s3cret-1'"; echo "password: s3cret-2" >&2
		echo '{"sweetspot":1,"event":"warning","message":"https://me:s3cret-3@host is slow"}' >&3
		echo '{"sweetspot":1,"event":"error","message":"API_KEY=s3cret-4 is wrong"}' >&3
		[ ${#2} = 8 ] && exit 3`)
	o.Command = append(o.Command, "x", "--token", "s3cret-5", "KEY=s3cret-6", "https://me:s3cret-7@host")
	u := start(t, o).Wait()
	if u.Err == nil || *u.ScriptExit != 3 || strings.Contains(fmt.Sprintf("%+v", u), "s3cret") {
		t.Errorf("the script was given its token: exit %d; %+v", *u.ScriptExit, u)
	}
	r, err := s.Record(t.Context(), u.Run.ID)
	if err != nil || !slices.Contains(r.Command, "${TOKEN}") || !slices.Contains(r.Command, "KEY=${KEY}") {
		t.Errorf("%q, %v", r.Command, err)
	}
	files, err := filepath.Glob(s.Path() + "*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if content, err := os.ReadFile(file); err != nil || strings.Contains(string(content), "s3cret") {
			t.Errorf("a secret is in %s, %v", file, err)
		}
	}
}

// Garbage is counted, not fatal.
func TestGarbage(t *testing.T) {
	u := start(t, shell(openStore(t), `
		echo '{"sweetspot":1,"event":"iteration","seconds":NaN}'
		echo '{"sweetspot":1,"event":"iteration","seconds":-1}' >&3
		head -c 2097152 /dev/zero | tr '\0' x; echo
		head -c 4096 /dev/urandom; echo
		printf '\033[31mred\033[0m\n'
		`+fmt.Sprintf(steps, 25, ">&3")+`
		sleep 1 # the pipe is read before; then what comes by standard output is a second copy
		echo '{"sweetspot":1,"event":"iteration","seconds":99}'`)).Wait()
	if u.Err != nil || u.Rejected != 3 || len(u.Seconds) != 25 {
		t.Errorf("error %v, %d rejected, %d iterations", u.Err, u.Rejected, len(u.Seconds))
	}
	if u.Log[len(u.Log)-1] != "red" && !strings.Contains(strings.Join(u.Log, "\n"), "\nred") {
		t.Errorf("log %q", u.Log)
	}
	if len(u.Warnings) < 3 || !strings.Contains(strings.Join(u.Warnings, "\n"), "longer than 1 MiB") {
		t.Errorf("warnings %q", u.Warnings)
	}
}

// Of two ranks the slower one sets each step's time; both are saved.
func TestSlowestRank(t *testing.T) {
	s := openStore(t)
	u := start(t, shell(s, `for i in 0 1 2 3; do
		echo "{\"sweetspot\":1,\"event\":\"iteration\",\"rank\":0,\"index\":$i,\"seconds\":0.1}" >&3
		echo "{\"sweetspot\":1,\"event\":\"iteration\",\"rank\":1,\"index\":$i,\"seconds\":0.$((i+1))}" >&3; done`)).Wait()
	if fmt.Sprint(u.Seconds) != "[0.1 0.2 0.3 0.4]" {
		t.Errorf("times %v", u.Seconds)
	}
	if its, err := s.Iterations(t.Context(), u.Run.ID); err != nil || len(its) != 8 {
		t.Errorf("%d rows, %v", len(its), err)
	}
}

// A database that cannot be written ends the probe with its sentence.
func TestSaveFails(t *testing.T) {
	s := openStore(t)
	p := start(t, shell(s, `while :; do echo '{"sweetspot":1,"event":"iteration","seconds":0.5}'; sleep 0.05; done`))
	for u := range p.Updates() {
		if len(u.Seconds) > 0 {
			if err := s.Discard(t.Context(), u.Run.ID); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	u := p.Wait()
	if u.Err == nil || !strings.Contains(u.Err.Error(), "deleted while it went on") || !u.Done {
		t.Errorf("%+v", u)
	}
}

func TestNothingLeaks(t *testing.T) {
	s := openStore(t)
	once := func() { start(t, shell(s, fmt.Sprintf(steps, 5, ""))).Wait() }
	once()
	before := runtime.NumGoroutine()
	for range 10 {
		once()
	}
	for range 500 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, before %d", runtime.NumGoroutine(), before)
}

func TestNoStore(t *testing.T) {
	if _, err := Start(t.Context(), Options{Command: []string{"true"}}); err == nil {
		t.Error("started without a database")
	}
	s := openStore(t)
	if _, err := Start(t.Context(), Options{Store: s}); err == nil || errors.Is(err, os.ErrNotExist) {
		t.Errorf("no command: %v", err)
	}
}
