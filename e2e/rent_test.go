package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// A training script of its own that knows nothing of sweetspot. Most of its time is
// spent computing, so that it is slower on a VM with less of a CPU.
const ownScript = `import argparse
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--batch-size", type=int, default=64)
parser.add_argument("--epochs", type=int, default=4)
parser.add_argument("--note", default="")
args = parser.parse_args()
torch.set_num_threads(1)
torch.manual_seed(0)
data = TensorDataset(torch.randn(6400, 256), torch.randint(0, 10, (6400,)))
net = nn.Sequential(nn.Linear(256, 768), nn.ReLU(), nn.Linear(768, 768), nn.ReLU(), nn.Linear(768, 10))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(args.epochs):
    for inputs, labels in DataLoader(data, batch_size=args.batch_size, shuffle=True):
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(inputs), labels).backward()
        optimizer.step()
`

// ownCatalog are VM types of the stand-in cloud.
const ownCatalog = `cloud,region,instance_type,gpu,gpu_count,gpu_mem_gib,vcpus,mem_gib,purchase,usd_per_hour,source,as_of
aws,stand-in,cpu.small,,0,,1,4,on-demand,0.06,stand-in cloud,2026-11-01
aws,stand-in,cpu.large,,0,,1,4,on-demand,0.12,stand-in cloud,2026-11-01
`

// cloud is a stand-in for one: its VMs are network namespaces with a real sshd.
type cloud struct {
	t      testing.TB
	dir    string
	user   home
	folder string // of the user's script
	python string
	minute float64 // seconds that the cloud's minute takes
	net    int     // of its first VM: no other cloud has one of the next four
}

// clouds are those of this process.
var clouds atomic.Int32

func newCloud(t testing.TB) *cloud {
	t.Helper()
	c := &cloud{t: t, dir: t.TempDir(), user: newHome(t), python: needTorch(t), minute: 20,
		net: os.Getpid()%10*24 + int(clouds.Add(1)-1)%6*4}
	if os.Getuid() != 0 {
		t.Skip("only root makes network namespaces")
	}
	for _, program := range []string{"ip", "/usr/sbin/sshd", "ssh", "ssh-keygen", "tar"} {
		if _, err := exec.LookPath(program); err != nil {
			lack(t, program)
		}
	}
	try := "try-" + strconv.FormatInt(time.Now().UnixNano(), 36) // one that was killed may have left its own
	if out, err := exec.Command("ip", "netns", "add", try).CombinedOutput(); err != nil {
		t.Skipf("this machine makes no network namespaces: %s", out)
	}
	c.must(exec.Command("ip", "netns", "del", try))
	c.must(exec.Command("mkdir", "-p", "/run/sshd", filepath.Join(c.dir, "vms"), filepath.Join(c.dir, "bin")))
	c.write(filepath.Join(c.dir, "networks"), "")
	for _, key := range []string{"host", "client"} {
		c.must(exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(c.dir, key)))
	}
	text, err := os.ReadFile("testdata/sky")
	if err != nil {
		t.Fatal(err)
	}
	sky := filepath.Join(c.dir, "bin", "sky")
	c.write(sky, string(text))
	if err := os.Chmod(sky, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, name := range c.vms() {
			_ = exec.Command("env", append(c.env(), sky, "down", "-y", name)...).Run()
		}
		if t.Failed() {
			out, _ := exec.Command("sh", "-c", "tail -n 20 "+c.dir+"/log "+c.user.dir+"/state/sweetspot/rentals/*/log").
				CombinedOutput()
			t.Logf("the cloud: %s", out)
		}
	})
	// A folder whose name a shell would take apart, with what git ignores.
	c.folder = filepath.Join(c.user.dir, `my "project"; $(touch canary) it's`)
	c.must(exec.Command("git", "init", "-q", c.folder))
	c.write(filepath.Join(c.folder, "train.py"), ownScript)
	c.write(filepath.Join(c.folder, "-rf; touch canary"), "odd")
	c.write(filepath.Join(c.folder, ".gitignore"), "secret.txt\n")
	c.write(filepath.Join(c.folder, "secret.txt"), "stays here")
	list := filepath.Join(c.user.dir, "cpu.csv")
	c.write(list, ownCatalog)
	c.ok("catalog", "import", "--all", list)
	return c
}

func (c *cloud) must(cmd *exec.Cmd) {
	c.t.Helper()
	if out, err := cmd.CombinedOutput(); err != nil {
		c.t.Fatalf("%v: %v: %s", cmd.Args, err, out)
	}
}

func (c *cloud) write(path, text string) {
	c.t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

func (c *cloud) env() []string {
	system := filepath.Dir(c.python) + ":/usr/sbin:/usr/bin:/sbin:/bin"
	return c.user.env("PATH="+filepath.Join(c.dir, "bin")+":"+system, "STANDIN_CLOUD="+c.dir, "STANDIN_PATH="+system,
		fmt.Sprintf("STANDIN_MINUTE=%g", c.minute), fmt.Sprintf("STANDIN_NET=%d", c.net),
		"STANDIN_HIDDEN="+c.user.dir, "SWEETSPOT_SSH=ssh -F '"+filepath.Join(c.user.dir, ".ssh", "config")+"'")
}

func (c *cloud) command(args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = c.folder, c.env()
	return cmd
}

// ok runs the program, which must succeed, and returns what it prints.
func (c *cloud) ok(args ...string) string {
	c.t.Helper()
	cmd := c.command(args...)
	s := finish(c.t, cmd, cmd.Env)
	if s.code != 0 {
		c.t.Fatalf("%v: %+v", args, s)
	}
	return s.out
}

// vms are the VMs that exist.
func (c *cloud) vms() (names []string) {
	all, _ := os.ReadDir(filepath.Join(c.dir, "vms"))
	for _, e := range all {
		names = append(names, e.Name())
	}
	return names
}

func (c *cloud) log() string {
	text, _ := os.ReadFile(filepath.Join(c.dir, "log"))
	return string(text)
}

// wait waits for what needs a VM to start, Python to load or a limit to pass.
func (c *cloud) wait(what string, is func() bool) {
	c.t.Helper()
	for until := time.Now().Add(3 * time.Minute); time.Now().Before(until); time.Sleep(100 * time.Millisecond) {
		if is() {
			return
		}
	}
	c.t.Fatalf("waited three minutes for %s; the cloud's log: %s", what, c.log())
}

type ranked struct {
	Candidates []struct {
		Configuration []struct {
			InstanceType *string `json:"instance_type"`
			USDPerHour   float64 `json:"usd_per_hour"`
		}
		Time struct {
			S     *float64
			Basis *string
		}
	}
}

// measured are the times of 10 epochs by VM type that rest on runs there.
func (c *cloud) measured() map[string]float64 {
	c.t.Helper()
	var r ranked
	text := c.ok("rank", "--json", "--model", "train", "--mode", "train", "--epochs", "10", "--batch", "64")
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		c.t.Fatal(err)
	}
	times := map[string]float64{}
	for _, x := range r.Candidates {
		if vm := x.Configuration[0].InstanceType; vm != nil && x.Time.S != nil && *x.Time.Basis == "measured" {
			times[*vm] = *x.Time.S
		}
	}
	return times
}

// From a script on a machine without a GPU to VM types that are measured: the VMs are
// rented, probed and ended by one command.
func TestRentProbeReturn(t *testing.T) {
	t.Parallel()
	c := newCloud(t)
	script := []string{"--", "python3", "train.py", "--note", `it's "$(touch canary)"`}
	c.ok(append([]string{"probe", "--precision-target", "20%", "--max-seconds", "60s"}, script...)...)
	if times := c.measured(); len(times) != 0 {
		t.Fatalf("%v are measured before they were rented", times)
	}
	rent := append([]string{"probe", "--rent", "sky", "--vm", "cpu.small,cpu.large", "--time-limit", "20m", "--max-cost",
		"$1", "--precision-target", "20%"}, script...)
	var plan struct {
		USDMost float64 `json:"usd_most"`
		Rentals []struct{ Script string }
	}
	dry := c.ok(append([]string{"probe", "--json", "--dry-run"}, rent[1:]...)...)
	if err := json.Unmarshal([]byte(dry), &plan); err != nil {
		t.Fatal(err)
	}
	if want := (0.06 + 0.12) * 33 / 60; len(plan.Rentals) != 2 || plan.USDMost < want*0.999 || plan.USDMost > want*1.001 {
		t.Errorf("the plan is %s", dry)
	}
	refused := c.command(rent...)
	if s := finish(t, refused, refused.Env); s.code != 2 || !strings.Contains(s.stderr, "--yes") || c.log() != "" {
		t.Fatalf("rented without a yes: %+v; %s", s, c.log())
	}
	c.ok(append([]string{"probe", "--yes"}, rent[1:]...)...)
	if log := c.log(); strings.Count(log, "launched") != 2 || strings.Count(log, " down\n") != 2 || len(c.vms()) != 0 {
		t.Errorf("not each VM was ended: %s", log)
	}
	times := c.measured()
	// The tests that run beside this one leave cpu.large less than its share.
	if small, large := times["cpu.small"], times["cpu.large"]; !(large > 0 && small > 1.1*large) {
		t.Errorf("cpu.small has a seventh of the CPU of cpu.large; measured: %v", times)
	}
	db := sound(t, c.user.profiles())
	if n := single[int](t, db, "SELECT count(DISTINCT model) FROM v_runs"); n != 1 {
		t.Errorf("%d models, of one script", n)
	}
	for _, place := range []string{c.folder, c.user.dir, "."} {
		if _, err := os.Stat(filepath.Join(place, "canary")); err == nil {
			t.Errorf("a name was run as a command in %s", place)
		}
	}
}

// begun starts a probe on a rented VM that would go on, and waits until it measures.
func (c *cloud) begun() *exec.Cmd {
	c.t.Helper()
	cmd := c.command("probe", "--rent", "sky", "--vm", "cpu.large", "--yes", "--time-limit", "10m",
		"--precision-target", "0.01%", "--", "python3", "train.py", "--epochs", "10000")
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.wait("the probe to measure", func() bool {
		db, err := database(c.user.profiles())
		if err != nil {
			return false
		}
		defer db.Close()
		var n int
		return db.QueryRow("SELECT count(*) FROM iterations").Scan(&n) == nil && n > 20
	})
	return cmd
}

// An interrupt ends the VM, and what was measured is kept.
func TestInterruptedRental(t *testing.T) {
	t.Parallel()
	c := newCloud(t)
	c.minute = 60
	cmd := c.begun()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("an interrupted rental says that it succeeded")
	}
	if log := c.log(); !strings.HasSuffix(log, " down\n") || len(c.vms()) != 0 {
		t.Errorf("the VM is still there: %s", log)
	}
	if n := single[int](t, sound(t, c.user.profiles()), "SELECT count(*) FROM iterations"); n < 20 {
		t.Errorf("%d iterations are kept", n)
	}
}

// A client that is killed cannot end its VM: the VM's own limit does, and meanwhile
// doctor names it.
func TestKilledRental(t *testing.T) {
	t.Parallel()
	c := newCloud(t)
	c.minute = 6
	cmd := c.begun()
	for _, pid := range append(descendants(cmd.Process.Pid), cmd.Process.Pid) {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
	}
	_ = cmd.Wait() // killed, as asked
	names := c.vms()
	if len(names) != 1 {
		t.Fatalf("%v exist after the kill", names)
	}
	report := c.ok("doctor")
	if !strings.Contains(report, names[0]) || !strings.Contains(report, "rent.sh end") {
		t.Errorf("doctor does not name %s: %s", names[0], report)
	}
	c.wait("the limit to end the VM", func() bool { return len(c.vms()) == 0 })
	if log := c.log(); !strings.HasSuffix(log, " autostop\n") {
		t.Errorf("it did not end by its limit: %s", log)
	}
	if n := single[int](t, sound(t, c.user.profiles()), "SELECT count(*) FROM iterations"); n < 20 {
		t.Errorf("%d iterations are kept", n)
	}
	end := exec.Command("bash", filepath.Join(c.user.dir, "state", "sweetspot", "rentals", names[0], "rent.sh"), "end")
	end.Env = c.env()
	c.must(end)
	if report := c.ok("doctor"); strings.Contains(report, names[0]) {
		t.Errorf("doctor still names what has ended: %s", report)
	}
}

// descendants are the processes below one.
func descendants(pid int) []int {
	var all []int
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, path := range tasks {
		text, _ := os.ReadFile(path)
		for _, word := range strings.Fields(string(text)) {
			var child int
			if _, err := fmt.Sscan(word, &child); err == nil {
				all = append(append(all, child), descendants(child)...)
			}
		}
	}
	return all
}
