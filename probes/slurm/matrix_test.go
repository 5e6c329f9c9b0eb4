package slurm_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A matrix of three GPU types and two batch sizes is three jobs, and each probe a run.
func TestMatrixOnACluster(t *testing.T) {
	c := open(t)
	p := c.start("--gpu", "a100,v100:2,h100", "--batch", "16,32")
	if code := c.end(p); code != 0 {
		t.Fatalf("exit code %d: %s", code, p.err.String())
	}
	if n := len(c.saved()); n != 6 {
		t.Errorf("%d runs, want 6", n)
	}
	c.check(3)
	if n := strings.Count(p.out.String(), `"spent_usd":0.`); n != 2 { // of a100, whose price is in the config file
		t.Errorf("%d runs have a price, want 2:\n%s", n, p.out.String())
	}
}

// What goes wrong is said before anything is submitted, in a sentence.
func TestRefusalsOfACluster(t *testing.T) {
	c := open(t)
	for says, args := range map[string][]string{
		"it has a100, h100, v100":    {"--gpu", "b200"},
		"the largest has 2":          {"--gpu", "v100:3"},
		"was refused by Slurm":       {"--gpu", "a100", "--partition", "h100"},
		"Invalid partition":          {"--gpu", "a100", "--partition", "no'such;$(x)"},
		"--max-cost needs the price": {"--gpu", "v100", "--max-cost", "1"},
	} {
		p := c.start(args...)
		if code := c.end(p); code == 0 || !strings.Contains(p.err.String(), says) ||
			strings.Count(strings.TrimSpace(p.err.String()), "\n") > 0 {
			t.Errorf("%q: exit code %d, %q, want %q", args, code, p.err.String(), says)
		}
	}
	if n := len(c.saved()); n > 0 {
		t.Errorf("%d runs of refused jobs are left", n)
	}
	c.idle()
}

// What is free, taken or drained can be told before anything is submitted.
func TestOffersOfACluster(t *testing.T) {
	c := open(t)
	taken := c.slurm("sbatch", "--parsable", "-w", "gpu2", "--gres=gpu:a100:1", "--time=30", "--output=/dev/null",
		"--wrap", "sleep 600")
	defer c.idle()
	defer c.slurm("scancel", taken)
	c.slurm("scontrol", "update", "NodeName=gpu1", "State=DRAIN", "Reason=test")
	defer c.slurm("scontrol", "update", "NodeName=gpu1", "State=RESUME")
	for until := time.Now().Add(timeout); time.Now().Before(until); time.Sleep(100 * time.Millisecond) {
		if c.slurm("squeue", "-h", "-j", taken, "-o", "%T") == "RUNNING" {
			break
		}
	}
	list := c.command("queue", "offers", "--on", "slurm")
	c.must(list)
	waits := map[string]string{}
	for line := range strings.Lines(list.out.String()) {
		for gpu, want := range map[string]string{"a100": "$2.50/h       about ", "h100": " none ",
			"v100": "drained, down or reserved"} {
			if strings.HasPrefix(line, gpu) && strings.Contains(line, want) {
				waits[gpu] = line
			}
		}
	}
	if len(waits) != 3 {
		t.Errorf("the wait of %d GPU types is as expected:\n%s", len(waits), list.out.String())
	}
}

// An interrupt stops at a step boundary, and cancels what waits.
func TestInterrupted(t *testing.T) {
	c := openLong(t)
	p := c.start("--gpu", "a100", "--batch", "16,32,64")
	c.steps(1)
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	c.end(p)
	if n := len(c.saved()); n != 1 {
		t.Errorf("%d runs, want that one which had begun", n)
	}
	c.check(1)
}

func (c *cluster) must(p *client) {
	c.t.Helper()
	if err := p.cmd.Run(); err != nil {
		c.t.Fatalf("%v: %v: %s", p.cmd.Args[1:], err, p.err.String())
	}
}

func TestCancelled(t *testing.T) {
	c := openLong(t)
	p := c.start("--gpu", "a100", "--batch", "16,32")
	c.steps(1)
	list := c.command("queue", "list")
	c.must(list)
	fields := strings.Fields(list.out.String())
	key := fields[7] // after the headings
	c.must(c.command("queue", "cancel", key))
	if code := c.end(p); code == 0 || !strings.Contains(p.err.String(), "it was cancelled") {
		t.Errorf("exit code %d: %s", code, p.err.String())
	}
	c.check(1)
}

// A node dies with all that runs on it.
func TestNodeFails(t *testing.T) {
	c := openLong(t)
	c.long()
	p := c.start("--gpu", "a100", "--batch", "16,32", "--keep-running")
	job := c.steps(1)
	c.daemon("stop", "gpu2", "KILL")
	c.killJob(job)
	c.end(p)
	c.daemon("start", "gpu2")
	if said := p.err.String() + p.out.String(); !strings.Contains(said, "its node failed") {
		t.Errorf("it said %s", said)
	}
	c.check(1)
}

// long makes each probe take a minute and more.
func (c *cluster) long() {
	c.write(filepath.Join(c.work, "train.py"), strings.Replace(training, "default=150", "default=6000", 1))
}

// killJob kills all processes of a job, Slurm's own first.
func (c *cluster) killJob(job string) {
	c.t.Helper()
	var found [2][]int
	paths, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range paths {
		pid, _ := strconv.Atoi(filepath.Base(dir))
		line, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		environment, _ := os.ReadFile(filepath.Join(dir, "environ"))
		switch {
		case strings.HasPrefix(string(line), "slurmstepd: ["+job+"."):
			found[0] = append(found[0], pid)
		case strings.Contains("\x00"+string(environment), "\x00SLURM_JOB_ID="+job+"\x00"):
			found[1] = append(found[1], pid)
		}
	}
	if len(found[0]) == 0 || len(found[1]) == 0 {
		c.t.Errorf("job %s has the processes %v", job, found)
	}
	for _, pid := range append(found[0], found[1]...) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// A drained node makes a job wait, and that is said.
func TestNodeDrained(t *testing.T) {
	c := openLong(t)
	c.slurm("scontrol", "update", "NodeName=gpu2", "State=DRAIN", "Reason=test")
	p := c.start("--gpu", "a100", "--batch", "16")
	said := ""
	for until := time.Now().Add(timeout); time.Now().Before(until); time.Sleep(200 * time.Millisecond) {
		list := c.command("queue", "list")
		if _ = list.cmd.Run(); strings.Contains(list.out.String(), "drained") {
			said = list.out.String()
			break
		}
	}
	if said == "" {
		t.Error("that the node is drained was not said")
	}
	c.slurm("scontrol", "update", "NodeName=gpu2", "State=RESUME")
	if code := c.end(p); code != 0 {
		t.Errorf("exit code %d: %s", code, p.err.String())
	}
	c.check(1)
}
