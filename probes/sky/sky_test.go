package sky

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"sweetspot/engine/profile"
	"sweetspot/probes/queue"
)

// answers are what a stand-in for sky says, by the first words of its arguments: it notes
// how it was called, keeps the task that it is given, and prints the answer's file.
const standIn = `#!/bin/sh
printf '%s\n' "$*" >>"$STANDIN/calls"
name=$1
[ "$1" = api ] && name=api-$2
for last; do :; done
[ "$1" = launch ] && cp "$last" "$STANDIN/task"
[ -e "$STANDIN/$name.err" ] && cat "$STANDIN/$name.err" >&2
cat "$STANDIN/$name" 2>/dev/null
[ -e "$STANDIN/$name.err" ] && exit 1
exit 0
`

type fake struct {
	t   testing.TB
	dir string
}

func newFake(t testing.TB) *fake {
	f := &fake{t, t.TempDir()}
	f.write("sky", standIn)
	if err := os.Chmod(filepath.Join(f.dir, "sky"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", f.dir+":"+os.Getenv("PATH"))
	t.Setenv("STANDIN", f.dir)
	t.Setenv("XDG_STATE_HOME", filepath.Join(f.dir, "state"))
	f.write("status", "[]\n")
	f.write("launch", "YAML to run: task\nSubmitted sky.launch request: "+request+"\n")
	return f
}

func (f *fake) write(name, text string) {
	f.t.Helper()
	if err := os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fake) read(name string) string {
	text, _ := os.ReadFile(filepath.Join(f.dir, name))
	return string(text)
}

const (
	job     = "00112233445566aa00"
	request = "ab5ac770-57bb-46de-91f3-f720758cfceb"
)

// up is what sky status tells of the cluster.
func up(status, more string) string {
	return fmt.Sprintf(`Cluster(s) not found: another.
[{"name": "sweetspot-%s", "status": %q, "autostop": 20, "to_down": true, "cloud": "AWS", "region": "us-east-1",
"resources_str": "1x(gpus=L4:1, g6.xlarge, ...)"%s}]`, job, status, more)
}

func vm(cloud, region, name, gpu string, count int, usd float64) profile.VMType {
	return profile.VMType{Cloud: cloud, Region: region, InstanceType: name, GPU: gpu, GPUCount: count,
		Prices: []profile.Price{{Purchase: profile.OnDemand, USDPerHour: usd}}}
}

var rentable = []profile.VMType{
	vm("aws", "us-east-1", "g6.xlarge", "L4", 1, 0.80), vm("aws", "us-west-2", "g6.xlarge", "L4", 1, 0.81),
	vm("aws", "us-east-1", "g6.2xlarge", "L4", 1, 0.98), vm("aws", "us-east-1", "g6.4xlarge", "L4", 1, 1.32),
	vm("gcp", "us-central1", "g2-standard-4", "L4", 1, 0.71), vm("aws", "us-east-1", "g6.12xlarge", "L4", 4, 4.60),
	vm("vultr", "ewr", "vcg-l4", "L4", 1, 0.10), vm("aws", "us-east-1", "odd", "L4", 1, 0.01),
	vm("lambda", "us-west-1", "gpu_1x_a100", "A100-SXM4-40GB", 1, 1.29),
}

func batch() queue.Batch {
	return queue.Batch{Name: job, GPU: "l4", Count: 1, Limit: 20 * time.Minute, Grace: time.Minute,
		Script: func(launch string) ([]byte, error) {
			return []byte("exec " + launch + "python3 <<'END'\nx\nEND\n"), nil
		}}
}

// submitted is an engine with a cluster under way.
func submitted(t testing.TB) (*fake, *Engine) {
	f := newFake(t)
	e := New(Options{Folder: "/home/me/it's a \"folder\"", Setup: []string{"pip install 'a b'"}}, rentable)
	if id, err := e.Submit(t.Context(), batch()); err != nil || id != Cluster(job) {
		t.Fatalf("%q, %v", id, err)
	}
	return f, e
}

func TestSubmit(t *testing.T) {
	f, _ := submitted(t)
	want := "launch --yes --async --detach-run --cluster sweetspot-" + job +
		" --idle-minutes-to-autostop 21 --wait-for none --down "
	if calls := f.read("calls"); !strings.HasPrefix(calls, want) || strings.Count(calls, "\n") != 1 {
		t.Errorf("it was called as %q", calls)
	}
	var task struct {
		Name      string
		Workdir   string
		Resources struct {
			AnyOf []struct {
				Infra        string
				InstanceType string `yaml:"instance_type"`
				Accelerators map[string]int
				UseSpot      bool `yaml:"use_spot"`
			} `yaml:"any_of"`
		}
		Setup, Run string
	}
	if err := yaml.Unmarshal([]byte(f.read("task")), &task); err != nil {
		t.Fatal(err)
	}
	var chosen []string
	for _, r := range task.Resources.AnyOf {
		if r.UseSpot || r.Accelerators["L4"] != 1 {
			t.Errorf("%+v", r)
		}
		chosen = append(chosen, r.Infra+" "+r.InstanceType)
	}
	// Of each cloud that SkyPilot knows the three cheapest, the cheapest first.
	if want := []string{"aws/us-east-1 odd", "gcp/us-central1 g2-standard-4", "aws/us-east-1 g6.xlarge",
		"aws/us-west-2 g6.xlarge"}; !slices.Equal(chosen, want) {
		t.Errorf("the shortlist is %q", chosen)
	}
	// Setting up comes after the autostop is set, which a task's own setup would not.
	if task.Setup != "" || task.Workdir != "/home/me/it's a \"folder\"" || !strings.Contains(task.Run, "pip install") ||
		!strings.Contains(task.Run, "SECONDS < 1200") {
		t.Errorf("the task is %+v", task)
	}
	// No second cluster of that name is begun, also by another process.
	if _, err := New(Options{}, rentable).Submit(t.Context(), batch()); err != nil {
		t.Error(err)
	}
	if n := strings.Count(f.read("calls"), "launch"); n != 1 {
		t.Errorf("it was launched %d times", n)
	}
	left, err := Leftovers()
	if err != nil || len(left) != 1 || *left[0].USDPerHour != 0.81 || left[0].GPU != "l4:1" ||
		!strings.Contains(left[0].String(), "sweetspot-"+job+" (l4:1) may still run, at up to $0.81 an hour, by its limit") {
		t.Errorf("left: %+v, %v", left, err)
	}
	if files, _ := os.ReadDir(filepath.Join(f.dir, "state", "sweetspot", "sky")); len(files) != 1 {
		t.Errorf("the task is still there: %v", files)
	}
}

// A launch that SkyPilot refuses leaves nothing behind.
func TestRefused(t *testing.T) {
	f := newFake(t)
	f.write("launch.err", "Traceback\n\x1b[31msky.exceptions.InvalidSkyPilotConfigError: Invalid resources\x1b[0m\n")
	_, err := New(Options{}, rentable).Submit(t.Context(), batch())
	if err == nil || !strings.Contains(err.Error(), "refused by SkyPilot: sky launch: InvalidSkyPilotConfigError") {
		t.Errorf("%v", err)
	}
	if left, err := Leftovers(); err != nil || len(left) != 0 {
		t.Errorf("left: %+v, %v", left, err)
	}
	// What may be there in spite of it stays noted.
	f.write("status", up("INIT", ""))
	if _, err := New(Options{}, rentable).Submit(t.Context(), batch()); err == nil {
		t.Error("a launch that failed is none")
	}
	if left, err := Leftovers(); err != nil || len(left) != 1 {
		t.Errorf("left: %+v, %v", left, err)
	}
	t.Setenv("PATH", "/nowhere")
	if _, err := New(Options{}, rentable).Submit(t.Context(), queue.Batch{Name: "aa", GPU: "L4", Count: 1,
		Script: batch().Script}); err == nil || !strings.Contains(err.Error(), "install SkyPilot") ||
		errors.Is(err, queue.ErrUnsure) {
		t.Errorf("%v", err)
	}
	if left, err := Leftovers(); err != nil || len(left) != 1 || left[0].Job != job {
		t.Errorf("left without SkyPilot: %+v, %v", left, err)
	}
}

// What SkyPilot's own catalog lacks is left out, and of its words those that say why are told.
func TestLeftOut(t *testing.T) {
	f := newFake(t)
	const refuses = "for last; do :; done\nif [ \"$1\" = launch ]; then\n" +
		"  grep -q odd \"$last\" && echo 'ValueError: No instance type odd found.' >&2 && exit 1\n" +
		"  grep -q us-west-2 \"$last\" && printf 'sky.exceptions.X: no\\nValueError: Invalid region %s\\nThere are: a, b\\n' " +
		"\"'us-west-2'\" >&2 && exit 1\nfi\n"
	f.write("sky", strings.Replace(standIn, "name=$1\n", refuses+"name=$1\n", 1))
	if _, err := New(Options{}, rentable).Submit(t.Context(), batch()); err != nil {
		t.Fatal(err)
	}
	task := f.read("task")
	if strings.Contains(task, "odd") || strings.Contains(task, "us-west-2") || !strings.Contains(task, "g2-standard-4") {
		t.Errorf("the task is %s", task)
	}
	// Where that is all there is, nothing is begun.
	_, err := New(Options{}, rentable[7:8]).Submit(t.Context(), queue.Batch{Name: "ab", GPU: "L4", Count: 1,
		Script: batch().Script})
	const why = "refused by SkyPilot: sky launch: ValueError: No instance type odd found."
	if err == nil || !strings.HasSuffix(err.Error(), why) {
		t.Errorf("%v", err)
	}
	if left, err := Leftovers(); err != nil || len(left) != 1 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// The line that tells what went wrong is not always the last.
func TestRaisedLine(t *testing.T) {
	for text, want := range map[string]string{
		"RuntimeError: Failed to start\nView logs at: ~/.sky/server.log\n":                 "RuntimeError: Failed to start",
		"\x1b[31msky.exceptions.ClusterDoesNotExist: no\x1b[0m\nTraceback (most recent)":   "ClusterDoesNotExist: no",
		"ConnectionRefusedError: [Errno 111]\n\nrequests.exceptions.ConnectionError: HTTP": "ConnectionError: HTTP",
		"List of supported aws regions: 'a'":                                               "", "": "",
	} {
		if got := raisedLine(text); got != want {
			t.Errorf("%q is raised by %q, not %q", got, text, want)
		}
	}
}

func requests(status string) string {
	return `[{"request_id": "` + request + `", "status": "` + status + `"}]`
}

// What becomes of a cluster, in a sentence.
func TestLook(t *testing.T) {
	const lacking = "sky.exceptions.ResourcesUnavailableError: Failed to acquire resources in all zones in us-east-1"
	const ill = `, "init_kind": "unhealthy", "init_status_reason": "ray \u001b[31mis down"`
	const none, silent = `{"sweetspot-` + job + `": []}`, "Failed to get the job queue for cluster 'x'.\n{}"
	unbegun := []string{"half-way", "ill, half-way", "cut short", "not set up"}
	is := up("UP", "")
	for name, c := range map[string]struct {
		status, queue, launch, logs string
		phase                       queue.Phase
		why                         string
	}{
		"looked for":     {"", "", "RUNNING", "", queue.Waiting, "SkyPilot looks for a VM"},
		"will be":        {"", "", "WAITING", "", queue.Waiting, "SkyPilot looks for a VM"},
		"ending":         {up("AUTOSTOPPING", ""), "", "", "", queue.Running, "its time is up"},
		"being started":  {up("INIT", `, "init_kind": "launching"`), "", "RUNNING", "", queue.Waiting, "its VM is being"},
		"none to be had": {"", "", "FAILED", lacking, queue.Gone, "none of its VM types was to be had"},
		"failed":         {"", "", "FAILED", "nothing", queue.Gone, "its launch failed; sky api logs"},
		"half-way":       {up("INIT", ""), "", "FAILED", "", queue.Ended, "its launch failed"},
		"cut short":      {up("INIT", ""), "", "CANCELLED", "", queue.Ended, "its launch failed"},
		"ill, half-way":  {up("INIT", ill), "", "FAILED", "", queue.Ended, "its launch failed"},
		"not set up":     {is, none, "FAILED", "RuntimeError: Failed to run setup", queue.Ended, "its launch failed; sky"},
		"may run":        {is, silent, "FAILED", "RuntimeError: Failed to submit", queue.Ended, "its launch failed; sky"},
		"runs after all": {is, jobOf("RUNNING"), "FAILED", "", queue.Running, "runs on AWS us-east-1"},
		"set up":         {is, none, "", "", queue.Waiting, "its cluster is being set up"},
		"job waits":      {is, jobOf("PENDING"), "", "", queue.Waiting, "its cluster is up"},
		"running":        {is, jobOf("RUNNING"), "", "", queue.Running, "runs on AWS us-east-1"},
		"job failed":     {is, jobOf("FAILED"), "", "", queue.Ended, "its job failed; sky logs"},
		"job ended":      {is, jobOf("SUCCEEDED"), "", "", queue.Ended, "its job ended by itself"},
		"queue silent":   {is, silent, "", "", queue.Running, "runs on"},
		"stopped":        {up("STOPPED", ""), "", "SUCCEEDED", "", queue.Stopped, "its cluster was stopped with what it"},
		"ill":            {up("INIT", ill), "", "SUCCEEDED", "", queue.Running, "SkyPilot calls its cluster unhealthy: ray"},
		"cancelled":      {"", "", "CANCELLED", "", queue.Gone, "its launch was cancelled"},
		"gone":           {"", "", "SUCCEEDED", "", queue.Gone, "its cluster was ended, by sky down or by its cloud"},
	} {
		t.Run(name, func(t *testing.T) {
			f, e := submitted(t)
			if c.status != "" {
				f.write("status", c.status)
			}
			f.write("queue", c.queue)
			f.write("api-status", requests(c.launch))
			f.write("api-logs", c.logs)
			s, err := e.Look(t.Context(), []string{job})
			if c.phase == queue.Gone && c.launch != "FAILED" {
				if _, told := s[job]; told {
					t.Error("one look is taken for the truth")
				}
				s, err = e.Look(t.Context(), []string{job})
			}
			if s[job].Unbegun != slices.Contains(unbegun, name) {
				t.Errorf("%+v", s[job])
			}
			if err != nil || s[job].Phase != c.phase || !strings.HasPrefix(s[job].Words(), c.why) {
				t.Errorf("%+v %q, %v", s[job], s[job].Words(), err)
			}
		})
	}
}

func jobOf(status string) string {
	return fmt.Sprintf(`{"sweetspot-%s": [{"job_id": 1, "status": %q}, {"job_id": 0, "status": "SUCCEEDED"}]}`, job, status)
}

// A cluster that its autostop ended is distinguished from one that somebody ended.
func TestAutostop(t *testing.T) {
	f, e := submitted(t)
	n, _ := readNote(job)
	n.Launched = n.Launched.Add(-time.Hour)
	if err := n.write(); err != nil {
		t.Fatal(err)
	}
	f.write("api-status", requests("SUCCEEDED"))
	for range 2 {
		s, err := e.Look(t.Context(), []string{job})
		if err != nil {
			t.Fatal(err)
		}
		if s, ok := s[job]; ok && !strings.Contains(s.Why, "by its autostop") {
			t.Errorf("%+v", s)
		}
	}
	// After a restart of this machine it is known by its note, until it is known to be gone.
	left, err := Leftovers()
	if err != nil || len(left) != 1 || !strings.Contains(left[0].String(), "was never seen to end") ||
		!strings.Contains(left[0].String(), "at up to $0.81 an hour") {
		t.Errorf("left: %v, %v", left, err)
	}
	if err := e.Cancel(t.Context(), []string{job}); err != nil {
		t.Error(err)
	}
	if left, _ := Leftovers(); len(left) != 0 || strings.Contains(f.read("calls"), "\ndown ") {
		t.Errorf("left: %v; calls: %s", left, f.read("calls"))
	}
}

func TestCancel(t *testing.T) {
	f, e := submitted(t)
	f.write("status", up("UP", ""))
	f.write("queue", jobOf("RUNNING"))
	err := e.Cancel(t.Context(), []string{job})
	if err == nil || !strings.Contains(err.Error(), "costs up to $0.81 an hour (sky status still lists it)") {
		t.Errorf("%v", err)
	}
	if left, _ := Leftovers(); len(left) != 1 {
		t.Error("a cluster that still runs was forgotten")
	}
	// The next time it goes, with what was left where sweetspot was killed while it launched.
	if _, err := writeTask(Cluster(job), "half a ta"); err != nil {
		t.Fatal(err)
	}
	f.write("sky", strings.Replace(standIn, `name=$1`, "name=$1\n[ $1 = down ] && echo '[]' >\"$STANDIN/status\"", 1))
	if err := e.Cancel(t.Context(), []string{job}); err != nil {
		t.Error(err)
	}
	calls := f.read("calls")
	if left, _ := Leftovers(); len(left) != 0 || !strings.Contains(calls, "api cancel --yes "+request) ||
		!strings.Contains(calls, "down --yes sweetspot-"+job) || strings.Contains(calls, "\nqueue ") { // which may not answer
		t.Errorf("left: %v; calls: %s", left, calls)
	}
	if files, _ := os.ReadDir(filepath.Join(f.dir, "state", "sweetspot", "sky")); len(files) != 0 {
		t.Errorf("left: %v", files)
	}
	f.write("status.err", "Cannot connect to the API server")
	if err := e.Cancel(t.Context(), []string{job}); err == nil || !strings.Contains(err.Error(), "could not be ended") {
		t.Errorf("%v", err)
	}
}

// Whatever sky prints, it is read as nothing but states of the clusters that were asked for.
func TestHostileOutput(t *testing.T) {
	f, e := submitted(t)
	for _, out := range []string{"", "[", "null", "{}", "[1]", `[{"name": 7}]`, strings.Repeat("[", 1<<16),
		"\x1b]0;title\x07", `[{"name": "../../etc", "status": "UP"}]`} {
		f.write("status", out)
		f.write("api-status", requests("RUNNING"))
		s, err := e.Look(t.Context(), []string{job})
		if err != nil && strings.ContainsAny(err.Error(), "\x1b\x07\n") || err == nil && s[job].Phase != queue.Waiting {
			t.Errorf("%.40q: %+v, %v", out, s, err)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		text, err := json.Marshal([]map[string]any{{"name": Cluster(job), "status": rapid.String().Draw(rt, "status"),
			"cloud": rapid.String().Draw(rt, "cloud"), "region": rapid.String().Draw(rt, "region"),
			"init_status_reason": rapid.String().Draw(rt, "reason"), "init_kind": rapid.String().Draw(rt, "kind")}})
		if err != nil {
			rt.Fatal(err)
		}
		var list []record
		if json.Unmarshal(text, &list) != nil {
			return
		}
		words := list[0].state(nil, rapid.String().Draw(rt, "launch")).Words()
		if strings.ContainsAny(words, "\x1b\n\r") || len([]rune(words)) > 400 {
			rt.Fatalf("%q", words)
		}
	})
	f.write("state/sweetspot/sky/zz.json", "{}")
	f.write("state/sweetspot/sky/ab.json", `{"usd_per_hour": -1, "request": "--help", "lifetime_s": 1e300, "gpu": "\u001b[31m"}`)
	left, err := Leftovers()
	if err != nil || len(left) != 2 {
		t.Fatalf("left: %v, %v", left, err)
	}
	for _, l := range left {
		if strings.ContainsAny(l.String(), "\x1b") || l.USDPerHour != nil && *l.USDPerHour < 0 {
			t.Errorf("%q", l)
		}
	}
}

func TestOffers(t *testing.T) {
	e := New(Options{Infra: []string{"gcp", "ssh/lab"}, GPUs: map[string]GPU{"h100": {new(2.0)}, "mi300x": {}}}, rentable)
	offers, err := e.Offers(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range offers {
		price := "unknown"
		if o.USDPerHour != nil {
			price = fmt.Sprintf("%g", *o.USDPerHour)
		}
		got = append(got, fmt.Sprintf("%s %s %v, %s of %d", o.GPU, price, o.Partitions, o.There(), o.Count))
	}
	// How many GPUs a machine of one's own has is not known.
	if want := []string{"L4 0.71 [gcp], 1 VM type of 1", "h100 2 [ssh/lab], your own of 0",
		"mi300x unknown [ssh/lab], your own of 0"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	l, err := e.Shortlist("H100", 2)
	if err != nil || len(l.VMs) != 0 || !slices.Equal(l.Own, []string{"ssh/lab"}) || *l.USDPerHour != 4 {
		t.Errorf("%+v, %v", l, err)
	}
	if l, err := e.Shortlist("L4", 2); err == nil {
		t.Errorf("two L4: %+v", l)
	}
	only := New(Options{Only: []profile.VMKey{rentable[4].Key()}}, rentable)
	if l, err := only.Shortlist("L4", 1); err != nil || len(l.VMs) != 1 || *l.USDPerHour != 0.71 {
		t.Errorf("%+v, %v", l, err)
	}
	for _, infra := range []string{"", "nowhere", "aws/", "aws/us east", "ssh/\x1b"} {
		if err := (Options{Infra: []string{infra}}).Check(); err == nil {
			t.Errorf("%q is taken", infra)
		}
	}
}

// A job whose home is not that of the user's account has its spools in both.
func TestSameHome(t *testing.T) {
	dir := t.TempDir()
	own, home := filepath.Join(dir, "own home"), filepath.Join(dir, "job's")
	getent := "#!/bin/sh\necho \"me:x:1:1:Me:" + own + ":/bin/sh\"\n"
	if err := os.WriteFile(filepath.Join(dir, "getent"), []byte(getent), 0o700); err != nil {
		t.Fatal(err)
	}
	for range 2 { // also where it is the second job of a cluster
		cmd := exec.Command("bash", "-euc", sameHome+"mkdir -p "+root+"\necho x >>"+root+"/spool")
		cmd.Env = []string{"PATH=" + dir + ":/usr/bin:/bin", "HOME=" + home}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	for _, h := range []string{own, home} {
		if text, err := os.ReadFile(filepath.Join(h, strings.TrimPrefix(root, "~/"), "spool")); err != nil ||
			string(text) != "x\nx\n" {
			t.Errorf("%q, %v", text, err)
		}
	}
}
