package slurm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sweetspot/data/store"
)

// cluster is a real Slurm of three nodes on this machine, started by scripts/cluster.
type cluster struct {
	t      *testing.T
	script string // that controls its daemons
	binary string
	home   string
	work   string
	dir    string // of the spools
	kept   string // of their links

	jobs map[string]map[string]bool // numbers of all jobs seen, by name

	mu    sync.Mutex
	spool map[string]string // hard links to the frames of all spools, by name
}

// training takes a step every 20 ms, so that a fault can come between two.
const training = `
import argparse, time, torch
p = argparse.ArgumentParser()
p.add_argument("--batch-size", type=int)
p.add_argument("--steps", type=int, default=150)
a = p.parse_args()
torch.set_num_threads(1)
net = torch.nn.Linear(8, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for _ in range(a.steps):
    opt.zero_grad()
    net(torch.randn(a.batch_size, 8)).sum().backward()
    opt.step()
    time.sleep(0.02)
`

// open starts what a test needs of the cluster, or skips it.
func open(t *testing.T) *cluster {
	t.Helper()
	script := os.Getenv("SWEETSPOT_CLUSTER")
	if script == "" {
		t.Skip("there is no Slurm cluster; make test-cluster sets one up and runs this test")
	}
	dir := t.TempDir()
	c := &cluster{t: t, script: script, binary: binary(t), home: filepath.Join(dir, "home"),
		work: filepath.Join(dir, "work"), spool: map[string]string{}, jobs: map[string]map[string]bool{}}
	c.dir = filepath.Join(c.home, ".local", "state", "sweetspot", "queue")
	for _, d := range []string{c.work, filepath.Join(c.home, ".config", "sweetspot"), filepath.Join(dir, "kept")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	c.write(filepath.Join(c.work, "train.py"), training)
	c.write(filepath.Join(c.home, ".config", "sweetspot", "config.json"),
		`{"slurm": {"quiet_seconds": 4, "gpus": {"a100": {"usd_per_hour": 2.5}}}}`)
	ctx, cancel := context.WithCancel(t.Context())
	c.kept = filepath.Join(dir, "kept")
	go c.keepSpools(ctx)
	go c.keepJobs(ctx)
	t.Cleanup(cancel)
	return c
}

// openLong is open for what a short run leaves out.
func openLong(t *testing.T) *cluster {
	t.Helper()
	if testing.Short() {
		t.Skip("left out of the short form")
	}
	return open(t)
}

var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "sweetspot-cluster-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "sweetspot")
	out, err := exec.Command("go", "build", "-trimpath", "-o", path, "sweetspot/cmd/sweetspot").CombinedOutput()
	if err != nil {
		return string(out), err
	}
	return path, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if os.Getenv("SWEETSPOT_CLUSTER") != "" {
		if path, err := built(); err == nil {
			_ = os.RemoveAll(filepath.Dir(path))
		}
	}
	os.Exit(code)
}

func binary(t *testing.T) string {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(path, err)
	}
	return path
}

func (c *cluster) write(path, text string) {
	c.t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

// keepJobs collects the numbers of all jobs.
func (c *cluster) keepJobs(ctx context.Context) {
	for ctx.Err() == nil {
		out, _ := exec.CommandContext(ctx, "squeue", "-h", "--states=all", "-o", "%i %j").Output() // it may be killed
		c.mu.Lock()
		for line := range strings.Lines(string(out)) {
			id, name, _ := strings.Cut(strings.TrimSpace(line), " ")
			if c.jobs[name] == nil {
				c.jobs[name] = map[string]bool{}
			}
			c.jobs[name][id] = true
		}
		c.mu.Unlock()
		time.Sleep(time.Second)
	}
}

// keepSpools links the frames of every spool, which outlive it so.
func (c *cluster) keepSpools(ctx context.Context) {
	for ctx.Err() == nil {
		c.mu.Lock()
		from, to := c.dir, c.kept
		c.mu.Unlock()
		paths, _ := filepath.Glob(filepath.Join(from, "*", "frames"))
		for _, p := range paths {
			name := filepath.Base(filepath.Dir(p))
			c.mu.Lock()
			if _, ok := c.spool[name]; !ok {
				if kept := filepath.Join(to, name); os.Link(p, kept) == nil {
					c.spool[name] = kept
				}
			}
			c.mu.Unlock()
			time.Sleep(time.Millisecond)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// client is a sweetspot under way.
type client struct {
	cmd      *exec.Cmd
	out, err bytes.Buffer
}

func (c *cluster) command(args ...string) *client {
	p := &client{cmd: exec.Command(c.binary, args...)}
	p.cmd.Dir = c.work
	p.cmd.Env = append(os.Environ(), "HOME="+c.home, "XDG_CONFIG_HOME=", "XDG_STATE_HOME=", "XDG_DATA_HOME=")
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.err
	return p
}

// timeout is how long something is waited for that happens at once on a machine that does
// nothing else; on a busy one PyTorch takes a minute to import.
const timeout = 5 * time.Minute

// start begins a probe of the script.
func (c *cluster) start(args ...string) *client {
	c.t.Helper()
	all := append([]string{"probe", "--on", "slurm", "--max-seconds", "300", "--json", "--no-metadata", "--yes"}, args...)
	p := c.command(append(all, "--", "/usr/bin/python3", "train.py")...)
	if err := p.cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	return p
}

// end waits for the client, and is its exit code.
func (c *cluster) end(p *client) int {
	c.t.Helper()
	over := make(chan struct{})
	go func() {
		_ = p.cmd.Wait() // the exit code says it
		close(over)
	}()
	select {
	case <-over:
	case <-time.After(10 * time.Minute):
		_ = p.cmd.Process.Kill()
		<-over
		c.t.Fatalf("the client did not end:\n%s\n%s\n%s", p.out.String(), p.err.String(), c.slurm("squeue", "--states=all"))
	}
	return p.cmd.ProcessState.ExitCode()
}

// slurm runs a command of Slurm's.
func (c *cluster) slurm(words ...string) string {
	c.t.Helper()
	out, err := exec.Command(words[0], words[1:]...).CombinedOutput()
	if err != nil {
		c.t.Logf("%v: %v: %s", words, err, out)
	}
	return strings.TrimSpace(string(out))
}

// daemon starts or stops one of the cluster's: start gpu2, stop slurmctld KILL.
func (c *cluster) daemon(words ...string) {
	c.t.Helper()
	if out, err := exec.Command(c.script, words...).CombinedOutput(); err != nil {
		c.t.Fatalf("%v: %v\n%s", words, err, out)
	}
}

// steps waits until the probes of that many spools have written some iterations, and
// returns the number of the job that writes.
func (c *cluster) steps(least int) string {
	c.t.Helper()
	for until := time.Now().Add(timeout); time.Now().Before(until); time.Sleep(200 * time.Millisecond) {
		n := 0
		for _, s := range c.spools() {
			if len(s) >= 20 {
				n++
			}
		}
		if n >= least {
			return c.slurm("squeue", "-h", "-t", "running", "-o", "%i")
		}
	}
	c.t.Fatalf("no iterations came:\n%s", c.slurm("squeue", "--states=all"))
	return ""
}

// idle waits until all nodes are, and no job is left.
func (c *cluster) idle() {
	c.t.Helper()
	for until := time.Now().Add(timeout); time.Now().Before(until); time.Sleep(200 * time.Millisecond) {
		for node := range strings.FieldsSeq(c.slurm("sinfo", "-h", "-N", "-p", "urgent", "-t", "drain", "-o", "%N")) {
			c.slurm("scontrol", "update", "NodeName="+node, "State=RESUME") // Slurm itself may have drained it
		}
		nodes := c.slurm("sinfo", "-h", "-N", "-p", "urgent", "-t", "idle", "-o", "%N")
		if c.slurm("squeue", "-h") == "" && len(strings.Fields(nodes)) == 3 {
			return
		}
	}
	c.t.Errorf("the cluster is not idle:\n%s\n%s", c.slurm("squeue"), c.slurm("sinfo", "-N"))
}

// spools are the iteration times that each spool had.
func (c *cluster) spools() map[string][]float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := map[string][]float64{}
	for name, path := range c.spool {
		data, err := os.ReadFile(path)
		if err != nil {
			c.t.Error(err)
		}
		var events []byte
		for len(data) >= 13 {
			size := int(data[1])<<24 | int(data[2])<<16 | int(data[3])<<8 | int(data[4])
			if len(data) < 13+size {
				break
			}
			if data[0] == 'e' {
				events = append(events, data[13:13+size]...)
			}
			data = data[13+size:]
		}
		seconds := []float64{}
		for line := range bytes.Lines(events) {
			var e struct {
				Event   string
				Seconds float64
			}
			if json.Unmarshal(line, &e) == nil && e.Event == "iteration" {
				seconds = append(seconds, e.Seconds)
			}
		}
		all[name] = seconds
	}
	return all
}

// saved are the iteration times of each run of the database.
func (c *cluster) saved() map[int64][]float64 {
	c.t.Helper()
	db, err := store.OpenExisting(c.t.Context(), filepath.Join(c.home, ".local", "share", "sweetspot", "profiles.db"))
	if err != nil {
		c.t.Fatal(err)
	}
	defer db.Close()
	set, err := db.Load(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	all := map[int64][]float64{}
	for _, r := range set.Runs {
		its, err := db.Iterations(c.t.Context(), r.ID)
		if err != nil {
			c.t.Fatal(err)
		}
		all[r.ID] = []float64{}
		for _, it := range its {
			all[r.ID] = append(all[r.ID], it.Seconds)
		}
	}
	return all
}

// check expects that every spool with iterations is exactly one run with the same
// ones, that as many jobs were submitted, and that nothing is left.
func (c *cluster) check(jobs int) {
	c.t.Helper()
	saved := c.saved()
	for name, steps := range c.spools() {
		found := false
		for id, its := range saved {
			if found = slices.Equal(steps, its); found {
				delete(saved, id)
				break
			}
		}
		if !found && len(steps) > 0 {
			c.t.Errorf("spool %s had %d iterations that are of no run", name, len(steps))
		}
	}
	for id, its := range saved {
		c.t.Errorf("run %d has %d iterations that are of no spool of its own", id, len(its))
	}
	if left, _ := os.ReadDir(c.dir); len(left) > 0 {
		c.t.Errorf("%d files are left in %s", len(left), c.dir)
	}
	names := map[string]bool{}
	for spool := range c.spools() {
		names[spool[:18]] = true
	}
	out := c.slurm("squeue", "-h", "--states=all", "-o", "%i %j")
	n := 0
	for line := range strings.Lines(out) {
		if _, name, _ := strings.Cut(strings.TrimSpace(line), " "); names[name] {
			n++
		}
	}
	if jobs > 0 && n != jobs {
		c.t.Errorf("%d jobs were submitted, want %d:\n%s", n, jobs, out)
	}
	c.idle()
}
