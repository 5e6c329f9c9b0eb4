package sky

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sweetspot/data/contract"
	"sweetspot/data/launch"
	"sweetspot/engine/profile"
	"sweetspot/probes/queue"
)

// odd are lines and names that are read wrongly where something is not quoted.
var odd = rapid.OneOf(rapid.SampledFrom([]string{
	"pip install 'a b' \"c\"", "export A=$HOME B=`id` C=\\", "echo '{{ name }}' ${X:-'y'} # no: comment", "- a: [b, {c}]",
	"  leading and trailing  ", "printf '%s\\n' \"$(cat <<'END'\n: |\n  x\nEND\n)\"", "true && false || :", "---", "...",
	"null", "~", "!!str x", "&a *a", "%YAML 1.1", "\tx", "naïve 漢字 🙂", "1e3", "yes", "'", "\"", "{", "@x", "?", "|",
	">-"}),
	rapid.StringMatching("[ -~é漢🙂]{1,40}"))

// drawBatch is a job as the matrix submits it: one that was read from flags and files, with
// control characters long gone.
func drawBatch(t *rapid.T, gpu string, count int) queue.Batch {
	launched := rapid.SliceOfN(odd, 1, 4).Draw(t, "lines")
	return queue.Batch{Name: rapid.StringMatching(`[0-9a-f]{18}`).Draw(t, "name"), GPU: gpu, Count: count,
		Limit: time.Duration(rapid.IntRange(60, 86400).Draw(t, "limit")) * time.Second,
		Grace: time.Duration(rapid.IntRange(0, 300).Draw(t, "grace")) * time.Second,
		Script: func(launch string) ([]byte, error) {
			return []byte(launch + strings.Join(launched, "\n") + "\n"), nil
		}}
}

// SkyPilot's own code and commands on what is written for them here.
func TestReal(t *testing.T) {
	r := newReal(t)
	j := r.judge(t)
	t.Run("tasks", func(t *testing.T) { r.tasks(t, j) })
	t.Run("refusals", func(t *testing.T) { refusals(t, j) })
	t.Run("exports", func(t *testing.T) { r.exports(t, j) })
	t.Run("words", func(t *testing.T) { words(t, j) })
	t.Run("commands", func(t *testing.T) { r.commands(t, j) })
}

// tasks checks that SkyPilot takes every task for a matrix as it is meant, and its optimizer
// the cheapest VM type that was asked for.
func (r real) tasks(t *testing.T, j *judge) {
	folder := filepath.Join(r.home, "it's a \"folder\" $X: #1")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	rapid.Check(t, func(rt *rapid.T) {
		o := Options{Setup: rapid.SliceOfN(odd, 0, 3).Draw(rt, "setup"),
			Folder: rapid.SampledFrom([]string{"", folder}).Draw(rt, "folder"),
			Infra: rapid.SampledFrom([][]string{nil, {"aws"}, {"gcp", "aws/us-east-1"}, {"lambda", "runpod", "azure"},
				{"AWS/us-west-2"}, {"slurm/lab"}, {"gcp", "ssh/pool"}, {"k8s/a_b"}}).Draw(rt, "infra")}
		gpu := rapid.SampledFrom([]string{"L4", "l4", "A100", "A100-80GB", "T4"}).Draw(rt, "gpu")
		if len(o.own()) > 0 {
			o.GPUs = map[string]GPU{gpu: {}}
		}
		if rapid.IntRange(0, 3).Draw(rt, "only") == 0 {
			for _, v := range rapid.SliceOfN(rapid.SampledFrom(planted), 1, 4).Draw(rt, "vms") {
				o.Only = append(o.Only, v.Key())
			}
		}
		if err := o.Check(); err != nil {
			rt.Fatal(err)
		}
		e := New(o, planted)
		count := rapid.SampledFrom([]int{1, 1, 1, 2, 4, 8}).Draw(rt, "count")
		l, err := e.Shortlist(gpu, count)
		if err != nil {
			rt.Skip(err)
		}
		b := drawBatch(rt, gpu, count)
		task, err := e.task(b, l)
		if err != nil {
			rt.Fatal(err)
		}
		own := len(l.Own) > 0
		v := j.of(rt, task, !own)
		if v.Error != "" || v.Name != Cluster(b.Name) || v.Setup != "" || v.Workdir != o.Folder ||
			v.Resources != len(l.VMs)+len(l.Own) {
			rt.Fatalf("%+v of %+v:\n%s", v, l, task)
		}
		for _, line := range o.Setup { // quoted once more within
			if !strings.Contains(v.Run, strings.ReplaceAll(line, "'", `'\''`)) && !strings.Contains(v.Run, line) {
				rt.Fatalf("%q is not in %q", line, v.Run)
			}
		}
		if kinds[fmt.Sprint(own, len(l.VMs) > 1)] = true; own {
			return
		}
		at := slices.IndexFunc(l.VMs, func(vm profile.VMType) bool {
			return vm.Cloud == v.Cloud && vm.Region == v.Region && vm.InstanceType == v.InstanceType
		})
		if at < 0 || v.Accelerators[l.GPU] != float64(count) || v.Spot || v.USDPerHour > *l.USDPerHour+1e-9 {
			rt.Fatalf("%+v is not of %+v", v, l)
		}
		if least, _ := l.VMs[0].PriceOf(profile.OnDemand); v.USDPerHour > least.USDPerHour+1e-9 {
			rt.Fatalf("%+v is not the cheapest of %+v", v, l.VMs)
		}
	})
	if len(kinds) < 3 {
		t.Errorf("only %v were tried", kinds)
	}
}

// refusals checks that what SkyPilot refuses is understood.
func refusals(t *testing.T, j *judge) {
	known := planted[0]
	for name, unknown := range map[string]profile.VMType{
		"VM type": vm("aws", "us-east-1", "g99.xlarge", "L4", 1, 0.5),
		"region":  vm("aws", "eu-nowhere-1", "g6.xlarge", "L4", 1, 0.5),
		"size":    vm("azure", "eastus", "NC99", "L4", 1, 0.5),
	} {
		l := Shortlist{VMs: []profile.VMType{unknown, known}, GPU: "L4"}
		task, err := New(Options{}, nil).task(batch(), l)
		if err != nil {
			t.Fatal(err)
		}
		v := j.of(t, task, true)
		rest, fewer := l.without(v.Error)
		if v.Error == "" || !fewer || len(rest.VMs) != 1 || rest.VMs[0].Key() != known.Key() {
			t.Errorf("%s: %q leaves %+v", name, v.Error, rest.VMs)
		}
	}
}

// exports checks that it takes the exported files and the task of --rent, too.
func (r real) exports(t *testing.T, j *judge) {
	rapid.Check(t, func(rt *rapid.T) {
		v := rapid.SampledFrom(planted).Draw(rt, "vm")
		spot, count := v.Cloud != "lambda" && rapid.Bool().Draw(rt, "spot"), rapid.IntRange(1, 4).Draw(rt, "count")
		c := contract.Candidate{Model: odd.Draw(rt, "model"), Variant: odd.Draw(rt, "variant"), Mode: "train",
			Purchase: string(profile.OnDemand), BatchSize: new(64), Epochs: new(3.0),
			Configuration: []contract.Part{{Cloud: &v.Cloud, Region: &v.Region, InstanceType: &v.InstanceType, GPU: &v.GPU,
				GPUCount: &v.GPUCount, Count: count, USDPerHour: new(0.5)}}}
		if spot {
			c.Purchase = string(profile.Spot)
		}
		p := contract.Pick{PickedAt: "2026-01-02T02:04:05Z", EstimatedBy: "sweetspot", Candidate: c}
		if rapid.Bool().Draw(rt, "command") {
			p.RunWords = rapid.SliceOfN(odd, 1, 4).Draw(rt, "words")
			p.RunFolder = &r.home
		}
		text, err := launch.SkyPilot.Text(p)
		if v.Cloud == "runpod" && count > 1 { // which SkyPilot launches one by one
			if err == nil {
				rt.Fatal("several VMs of RunPod are exported")
			}
			rt.Skip()
		}
		if err != nil {
			rt.Fatal(err)
		}
		if got := j.of(rt, text, true); got.Error != "" || got.InstanceType != v.InstanceType || got.Spot != spot {
			rt.Fatalf("%+v of:\n%s", got, text)
		}
		limit := time.Duration(rapid.IntRange(1, 600).Draw(rt, "limit")) * time.Minute
		files, err := launch.SkyRenter.Files(launch.Rental{Name: "sweetspot-0123abcd", VM: v, Limit: limit, Folder: r.home,
			Files: []string{"./train.py"}, Probe: []string{"sweetspot", "probe"}})
		if err != nil {
			rt.Fatal(err)
		}
		got := j.of(rt, files["task.yaml"], true)
		if want := fmt.Sprint([]any{limit.Minutes(), true, "none"}); got.Error != "" || fmt.Sprint(got.Autostop) != want ||
			got.InstanceType != v.InstanceType {
			rt.Fatalf("%+v of:\n%s", got, files["task.yaml"])
		}
	})
}

// words checks that all words of this version for what there is are known here.
func words(t *testing.T, j *judge) {
	for _, cloud := range j.words.Clouds {
		if !slices.Contains(clouds, cloud) && !slices.Contains(ofOnesOwn, cloud) {
			t.Errorf("%s is a cloud of SkyPilot that is not known here", cloud)
		}
	}
	for _, cloud := range append(slices.Clone(clouds), "ssh", "slurm", "kubernetes") {
		if !slices.Contains(j.words.Clouds, cloud) {
			t.Errorf("%s is no cloud of this SkyPilot", cloud)
		}
	}
	phases := map[string]queue.Phase{"INIT": queue.Waiting, "PENDING": queue.Waiting, "UP": queue.Running,
		"AUTOSTOPPING": queue.Running, "STOPPED": queue.Stopped}
	for _, status := range j.words.Clusters {
		want, ok := phases[status]
		if got := (record{Status: status}).state(nil, "").Phase; !ok || got != want {
			t.Errorf("a cluster that is %s is %v", status, got)
		}
	}
	ofJobs := map[string]queue.Phase{"INIT": queue.Waiting, "PENDING": queue.Waiting, "SETTING_UP": queue.Waiting,
		"RUNNING": queue.Running, "SUCCEEDED": queue.Ended, "FAILED": queue.Ended, "FAILED_SETUP": queue.Ended,
		"FAILED_DRIVER": queue.Ended, "CANCELLED": queue.Ended}
	for _, status := range j.words.Jobs {
		want, ok := ofJobs[status]
		got := record{Name: "a", Status: "UP"}.state(map[string]string{"a": status}, succeeded).Phase
		if !ok || got != want {
			t.Errorf("a job that is %s is %v", status, got)
		}
	}
	for _, status := range j.words.Requests {
		if !slices.Contains(append([]string{failed, succeeded, cancelled}, underWay...), status) {
			t.Errorf("a request may be %s, which is not known here", status)
		}
	}
}

// commands checks a launch from its submission to its end by the real commands. No cloud can
// be asked for a VM here, so that it fails.
func (r real) commands(t *testing.T, j *judge) {
	r.serve(t)
	e := New(Options{Infra: []string{"lambda"}}, append([]profile.VMType{
		vm("lambda", "us-east-1", "gpu_1x_of_tomorrow", "A100", 1, 0.01)}, planted...))
	b := batch()
	b.GPU = "A100"
	_, _ = e.command(t.Context(), "api", "logs", "skypilot-server-on-boot-check") // until it has looked for clouds
	path, text := writtenTask(t, e, b)
	if v := j.of(t, text, true); v.Error != "" {
		t.Fatal(v.Error)
	}
	out, err := e.command(t.Context(), slices.Replace(launchWords(Cluster("01"), path, time.Hour), 2, 3, "--dryrun")...)
	if err != nil || !strings.Contains(out, "gpu_1x_a100") {
		t.Errorf("the dry run: %v\n%s", err, out)
	}
	states, err := e.jobs(t.Context(), []string{Cluster(job)})
	if _, told := states[Cluster(job)]; err != nil || told {
		t.Errorf("jobs of a cluster that never was: %v, %v", states, err)
	}
	if _, err := e.Submit(t.Context(), b); err != nil { // the cheapest VM type is not known, the second is
		t.Fatal(err)
	}
	if n, noted := readNote(job); !noted || n.Request == "" {
		t.Fatalf("the note is %+v", n)
	}
	var s queue.State
	for s.Phase != queue.Gone {
		states, err := e.Look(t.Context(), []string{job})
		if err != nil {
			t.Fatal(err)
		}
		if s = states[job]; s.Phase != queue.Gone && s.Phase != queue.Waiting {
			t.Fatalf("%+v", s)
		}
	}
	if t.Log(s.Why); !strings.Contains(s.Why, "its launch failed: ") && !strings.Contains(s.Why, "was to be had") {
		t.Errorf("why is not told: %s", s.Why)
	}
	if err := e.Cancel(t.Context(), []string{job}); err != nil {
		t.Error(err)
	}
	if left, err := Leftovers(); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// writtenTask is the file of a task with the one VM type that is known.
func writtenTask(t *testing.T, e *Engine, b queue.Batch) (path, text string) {
	t.Helper()
	l, err := e.Shortlist(b.GPU, b.Count)
	if err != nil {
		t.Fatal(err)
	}
	l.VMs = slices.DeleteFunc(l.VMs, func(v profile.VMType) bool { return v.InstanceType != "gpu_1x_a100" })
	text, err = e.task(b, l)
	if err != nil {
		t.Fatal(err)
	}
	if err := (note{Job: "01"}).write(); err != nil { // which makes the folder
		t.Fatal(err)
	}
	if path, err = writeTask("dry", text); err == nil {
		err = note{Job: "01"}.remove()
	}
	if err != nil {
		t.Fatal(err)
	}
	return path, text
}
