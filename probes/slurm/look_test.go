package slurm

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"sweetspot/probes/queue"
	"sweetspot/probes/remote"
)

// What squeue of Slurm 22.05 printed. The same name on two jobs is that of one that was
// refused and one that came after, or of an old and a new one.
func TestParseQueue(t *testing.T) {
	const out = "k1        27                      RUNNING             1         1795468720              gpu2    \n" +
		"k2        28                      PENDING             0         1795471200              (ReqNodeNotAvail, UnavailableNodes:gpu2)\n" +
		"k3        4                       FAILED              0         1795466110              (BadConstraints)\n" +
		"k4        5                       FAILED              0         1795466110              gpu1\n" +
		"k5        6                       PENDING             0         N/A                     (Priority)\n" +
		"k5        7                       COMPLETED           0         1795466110              gpu1\n" +
		"slurm_load_jobs error\n"
	got := parseQueue(out)
	at := time.Unix(1795471200, 0)
	want := map[string]queue.State{
		"k1": {ID: "27", Phase: queue.Running, Node: "gpu2", Restarts: 1},
		"k2": {ID: "28", Phase: queue.Waiting, Starts: at,
			Why: "waits for nodes that are drained, down or reserved (ReqNodeNotAvail, UnavailableNodes:gpu2)"},
		"k4": {ID: "5", Phase: queue.Ended, Node: "gpu1", Why: "it failed"},
		"k5": {ID: "6", Phase: queue.Waiting, Why: "waits behind jobs of higher priority"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

// sacct's word counts only for an end: of a job that runs it may say anything.
func TestParseAccounting(t *testing.T) {
	got := parseAccounting("k1|12|CANCELLED by 1000|gpu1\nk2|13|FAILED|None assigned\nk3|14|NODE_FAIL|gpu2\n" +
		"k4|15|PENDING|gpu2\n")
	if len(got) != 3 || got["k1"].Why != "it was cancelled" || got["k3"].Phase != queue.Ended ||
		got["k4"].Phase != queue.Waiting {
		t.Errorf("got %+v", got)
	}
}

// What sbatch --test-only of Slurm 22.05 printed.
func TestParseStart(t *testing.T) {
	for line, want := range map[string]struct {
		starts int64
		why    string
	}{
		"sbatch: Job 3 to start at 1795612664 using 1 processors on nodes gpu2 in partition main": {1795612664, ""},
		"sbatch: Job 3 to start at 2026-11-25T13:17:44 using 1 processors on nodes gpu2":          {0, ""},
		"allocation failure: Invalid partition name specified": {0,
			"Invalid partition name specified"},
		"allocation failure: Requested node configuration is not available": {0,
			"no node or partition takes a job of 10 m 00 s"},
		"":                                       {0, ""},
		"sbatch: error: \x1b[31mInvalid account": {0, "Invalid account"},
	} {
		starts, why := parseStart(line)
		if !starts.IsZero() != (want.starts > 0) || want.starts > 0 && starts.Unix() != want.starts || why != want.why {
			t.Errorf("%q: %v, %q", line, starts, why)
		}
	}
}

func TestIsUnanswered(t *testing.T) {
	for said, want := range map[string]bool{
		"sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)": true,
		"sbatch: error: Batch job submission failed: Socket timed out on send/recv operation":              true,
		"sbatch: error: Batch job submission failed: Invalid account or account/partition combination":     false,
	} {
		if got := isUnanswered(&failure{said, errors.New("exit status 1")}); got != want {
			t.Errorf("%q: %t", said, got)
		}
	}
	lost := exec.Command("sh", "-c", "exit 255").Run()
	if !isUnanswered(&failure{"client_loop: send disconnect: Broken pipe", lost}) {
		t.Error("a lost connection counts as an answer")
	}
}

func TestParseGRES(t *testing.T) {
	for text, want := range map[string][]gres{
		"gpu:a100:4(S:0-1)":                      {{"a100", 4}},
		"gpu:2":                                  {{"", 2}},
		"gpu":                                    {{"", 1}},
		"(null)":                                 nil,
		"gpu:0":                                  nil,
		"shard:8,gpu:v100:2(S:0,2),gpu:h100:1":   {{"v100", 2}, {"h100", 1}},
		"gpu:nvidia_a100_1g.5gb:7(S:0),nic:ib:1": {{"nvidia_a100_1g.5gb", 7}},
	} {
		if got := parseGRES(text); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

// GPUs without a type go by the config file, else by their smallest partition.
func TestTypes(t *testing.T) {
	nodes := parseNodes("n1|idle|all|volta|gpu:v100:2\nn1|idle|old|volta|gpu:v100:2\nn2|drained*|all|x|gpu:v100:8\n" +
		"n3|mixed|all|ada|gpu:4\nn3|mixed|hopper|ada|gpu:4\ncpu|idle|all|x|(null)\n")
	price := 2.5
	for name, c := range map[string]struct {
		given map[string]GPU
		want  string
	}{
		"by itself": {nil, "hopper 1x4 -p hopper|v100 1x8"},
		"by partition": {map[string]GPU{"h100": {Partition: "hopper", USDPerHour: &price}},
			"h100 1x4 $2.5 -p hopper|v100 1x8"},
		"by feature": {map[string]GPU{"l40s": {Constraint: "ada"}}, "l40s 1x4 -C ada|v100 1x8"},
	} {
		e := New(remote.Here, Options{GPUs: c.given})
		var got []string
		for _, o := range e.types(nodes) {
			text := o.GPU + " " + string(rune('0'+o.Nodes)) + "x" + string(rune('0'+o.Count))
			if o.USDPerHour != nil {
				text += " $2.5"
			}
			if o.partition != "" {
				text += " -p " + o.partition
			}
			if o.constraint != "" {
				text += " -C " + o.constraint
			}
			got = append(got, text)
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%s: %q, want %s", name, got, c.want)
		}
	}
}

// What a user gives reaches sbatch as one word each, and a shell as it is.
func TestAsked(t *testing.T) {
	const evil = "a'b;$(touch x)\n`id`"
	e := New(remote.Here, Options{Account: evil, Modules: []string{evil}, Container: evil + ".sif"})
	words := e.asked(queue.Batch{Name: "k", Count: 2, Limit: 90 * time.Second, Grace: time.Minute},
		offer{gres: "a100", partition: "p"}, "/shared")
	all := "\x00" + strings.Join(words, "\x00") + "\x00"
	for _, w := range []string{"--account=" + evil, "--gres=gpu:a100:2", "--time=3", "--signal=B:USR1@60", "--no-requeue",
		"--open-mode=append", "--partition=p", "--output=/shared/k.log"} {
		if !strings.Contains(all, "\x00"+w+"\x00") {
			t.Errorf("%q lacks %q", words, w)
		}
	}
	script, err := e.script(queue.Batch{Script: func(launch string) ([]byte, error) {
		return []byte("exec " + launch + "python3\n"), nil
	}})
	if quoted := `'a'\''b;$(touch x)` + "\n" + "`id`"; err != nil || strings.Count(string(script), quoted) != 2 {
		t.Errorf("%v: %s", err, script)
	}
}

// The script is run as it is, with programs that say how they were called: modules come first,
// and the agent runs in the container.
func TestScript(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"module", "srun", "apptainer", "agent"} {
		stub := "#!/bin/sh\necho " + name + " \"$@\"\nwhile [ $# -gt 0 ]; do [ \"$1\" = agent ] && exec \"$@\"; shift; done\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(stub), 0o700); err != nil { //nolint:gosec // it is run
			t.Fatal(err)
		}
	}
	for container, want := range map[string]string{
		"": "module load cuda/12.4\nmodule load my lib\nagent 1\n",
		"nvcr.io#nvidia/pytorch:25.01": "module load cuda/12.4\nmodule load my lib\n" +
			"srun --container-image=nvcr.io#nvidia/pytorch:25.01 --container-mount-home agent 1\nagent 1\n",
		"/images/my torch.sif": "module load cuda/12.4\nmodule load my lib\n" +
			"apptainer exec --nv /images/my torch.sif agent 1\nagent 1\n",
	} {
		e := New(remote.Here, Options{Modules: []string{"cuda/12.4", "my lib"}, Container: container})
		script, err := e.script(queue.Batch{Script: func(launch string) ([]byte, error) {
			return []byte("exec " + launch + "agent 1\n"), nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("bash")
		cmd.Stdin, cmd.Env = bytes.NewReader(script), []string{"PATH=" + dir + ":/usr/bin:/bin"}
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != want {
			t.Errorf("%s: %v: %q, want %q", container, err, out, want)
		}
	}
}

// A machine that has Slurm's commands, but no cluster.
func TestNotConfigured(t *testing.T) {
	dir := t.TempDir()
	const sinfo = "#!/bin/sh\necho 'sinfo: error: resolve_ctls_from_dns_srv: res_nsearch error: Unknown host' >&2\n" +
		"echo 'sinfo: fatal: Could not establish a configuration source' >&2\nexit 1\n"
	if err := os.WriteFile(filepath.Join(dir, "sinfo"), []byte(sinfo), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	_, err := New(remote.Here, Options{}).Offers(t.Context())
	if err == nil || !strings.Contains(err.Error(), "set SLURM_CONF to the cluster's slurm.conf, or name a login host") {
		t.Errorf("%v", err)
	}
}
