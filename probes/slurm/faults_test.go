package slurm_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"
)

var (
	runs = flag.Int("runs", 0, "matrices that TestFaults probes, as many with each fault; 0 for 60, or 3 in the short form")
	seed = flag.Uint64("seed", 1, "of the times and victims of TestFaults")
	only = flag.String("fault", "", "the only fault of TestFaults")
)

// fault is something that happens to a matrix at a random time.
type fault struct {
	name    string
	before  func(m *faulty) // before the matrix begins
	happens func(m *faulty)
	after   func(m *faulty) // once the matrix has ended
	says    string          // pattern of what a probe that it ends is explained by; "" if it ends none
	login   bool            // it needs the login node
	steps   int             // of each cell; 0 for few
}

// faulty is a matrix to which a fault happens.
type faulty struct {
	*cluster
	random *rand.Rand
	client *client
	login  bool
	args   []string
}

const (
	cellSteps  = 60
	stepMillis = 20
)

var faults = []fault{
	{name: "client killed", happens: func(m *faulty) { _ = m.client.cmd.Process.Kill() },
		says: "it was never accepted"}, // if it was killed before that

	{name: "SSH cut", login: true, happens: func(m *faulty) {
		for range 1 + m.random.IntN(3) {
			m.daemon("cut")
			m.pause(2 * time.Second)
		}
	}},
	{name: "slurmctld killed", happens: func(m *faulty) { m.restart("slurmctld", 6*time.Second) },
		// One that had not yet written its state forgets a job, and has the node end it.
		// One that takes it for a pending one ends it, and drains the node for a second copy.
		says: "no longer knows the job|does not know the job|it was cancelled"},
	{name: "slurmd killed", happens: func(m *faulty) { m.restart(m.node(), 20*time.Second) },
		says: "its node failed|it was cancelled"},
	{name: "slurmdbd killed", happens: func(m *faulty) { m.restart("slurmdbd", 6*time.Second) }},
	{name: "requeue", says: "it was begun again", happens: func(m *faulty) {
		job := m.running()
		m.slurm("scontrol", "update", "JobId="+job, "Requeue=1")
		m.slurm("scontrol", "requeue", job)
	}},
	{name: "preemption", says: "a job of higher priority took its place", happens: func(m *faulty) {
		m.running()
		m.slurm("sbatch", "--parsable", "-p", "urgent", "-w", m.node(), "--exclusive", "--output=/dev/null",
			"--wrap", "sleep 2")
	}},
	{name: "time limit", says: "the time limit of the job is near|its time limit was reached", steps: 60000 / stepMillis,
		happens: func(m *faulty) {
			m.slurm("scontrol", "update", "JobId="+m.running(), "TimeLimit=1") // of which a minute is the grace
		}, before: func(m *faulty) { m.args = append(m.args, "--max-seconds", "12", "--keep-running") }},
	{name: "node drained", happens: func(m *faulty) {
		node := m.node()
		m.slurm("scontrol", "update", "NodeName="+node, "State=DRAIN", "Reason=test")
		m.pause(8 * time.Second)
		m.slurm("scontrol", "update", "NodeName="+node, "State=RESUME")
	}},
	{name: "accounting off", happens: func(m *faulty) { m.daemon("accounting", "off") },
		says:  "no longer knows the job|does not know the job|it was cancelled",
		after: func(m *faulty) { m.daemon("accounting", "on") }},
	{name: "untyped GRES", before: func(m *faulty) {
		m.daemon("types", "off")
		m.write(filepath.Join(m.home, ".config", "sweetspot", "config.json"),
			`{"slurm": {"quiet_seconds": 4, "gpus": {"a100": {"constraint": "ampere"}, "v100": {"constraint": "volta"}}}}`)
	}, happens: func(*faulty) {}, after: func(m *faulty) { m.daemon("types", "on") }},
	{name: "spool full", says: "free space there", before: func(m *faulty) {
		mount := filepath.Join(m.work, "full")
		if err := os.Mkdir(mount, 0o700); err != nil {
			m.t.Fatal(err)
		}
		if err := syscall.Mount("sweetspot-test", mount, "tmpfs", 0, "size=2m"); err != nil {
			lack(m.t, "a small file system cannot be mounted here: ", err)
		}
		m.t.Cleanup(func() { _ = syscall.Unmount(mount, syscall.MNT_DETACH) })
		m.move(filepath.Join(mount, "spool"), filepath.Join(mount, "kept"))
	}, happens: func(m *faulty) {
		_ = os.WriteFile(filepath.Join(m.work, "full", "filler"), make([]byte, 4<<20), 0o600) // until there is no room
	}},
}

// lack skips a test for what is missing here; with CI=true that is a failure.
func lack(t *testing.T, why ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(why...)
	}
	t.Skip(why...)
}

// pause is at random at most so long.
func (m *faulty) pause(most time.Duration) { time.Sleep(time.Duration(m.random.Int64N(int64(most)))) }

func (m *faulty) node() string { return fmt.Sprint("gpu", 1+m.random.IntN(3)) }

func (m *faulty) restart(daemon string, most time.Duration) {
	m.daemon("stop", daemon, "KILL")
	m.pause(most)
	m.daemon("start", daemon)
}

// running waits for a job of the matrix that runs, and returns its number.
func (m *faulty) running() string {
	for until := time.Now().Add(timeout); time.Now().Before(until); time.Sleep(100 * time.Millisecond) {
		if jobs := strings.Fields(m.slurm("squeue", "-h", "-t", "running", "-o", "%i")); len(jobs) > 0 {
			return jobs[m.random.IntN(len(jobs))]
		}
	}
	m.t.Fatalf("no job runs:\n%s", m.slurm("squeue", "--states=all"))
	return ""
}

// stepping is a script that reports its own steps.
const stepping = `
import json, os, sys, time
steps = int(os.environ.get("STEPS", "%d"))
try:
    with os.fdopen(int(os.environ["SWEETSPOT_EVENTS"][3:]), "w", buffering=1) as events:
        for i in range(steps):
            begin = time.perf_counter()
            time.sleep(%g)
            seconds = time.perf_counter() - begin
            events.write(json.dumps({"sweetspot": 1, "event": "iteration", "index": i, "seconds": seconds}) + "\n")
except KeyboardInterrupt:
    sys.exit(0)
`

// outcome is what became of a matrix.
type outcome struct {
	attempts             int // to probe
	done                 int // probes that ended by themselves
	explained            int // probes that were cut short, and why is said
	lost, twice          int // iterations
	submittedTwice, left int // jobs, processes and files
	sentences            []string
}

// Whatever happens to a matrix, and whenever: what its spools had is in the database
// once, its jobs were submitted once, nothing is left, and what failed is explained.
func TestFaults(t *testing.T) {
	if os.Getenv("SWEETSPOT_CLUSTER") == "" {
		t.Skip("there is no Slurm cluster; make test-cluster sets one up and runs this test")
	}
	chosen := slices.DeleteFunc(slices.Clone(faults), func(f fault) bool { return *only != "" && f.name != *only })
	order := rand.New(rand.NewPCG(*seed, 0)).Perm(len(chosen)) //nolint:gosec // a seed repeats it
	n := *runs
	switch {
	case n > 0:
	case testing.Short():
		n = 3
	default:
		n = 60
	}
	all := map[string][]outcome{}
	for i := range n {
		f := chosen[order[i%len(order)]]
		t.Run(fmt.Sprint(i+1, " ", f.name), func(t *testing.T) {
			m := &faulty{cluster: open(t), random: rand.New(rand.NewPCG(*seed, uint64(i+1)))} //nolint:gosec // the same
			m.login = f.login || m.random.IntN(2) == 0
			o := m.probe(f)
			all[f.name] = append(all[f.name], o)
			t.Logf("%+v", o)
		})
	}
	t.Log("\n" + table(all))
}

// probe runs a matrix of three GPU types and four batch sizes to its end.
func (m *faulty) probe(f fault) outcome {
	m.t.Helper()
	steps := cellSteps
	if f.steps > 0 {
		steps = f.steps
	}
	script := filepath.Join(m.work, "steps.py")
	m.write(script, fmt.Sprintf(stepping, steps, float64(stepMillis)/1000))
	on := "slurm"
	if m.login {
		on += ":" + os.Getenv("SWEETSPOT_LOGIN")
	}
	m.args = []string{"probe", "--on", on, "--gpu", "a100,v100,h100", "--batch", "8,16,32,64", "--json", "--no-metadata",
		"--yes"}
	if f.before != nil {
		f.before(m)
	}
	if f.after != nil {
		defer f.after(m)
	}
	m.args = append(m.args, "--spool", m.dir)
	if f.steps == 0 {
		m.args = append(m.args, "--max-seconds", "30")
	}
	m.client = m.command(append(m.args, "--", "/usr/bin/python3", script, "--batch", "{batch}")...)
	if err := m.client.cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	defer func() { _ = m.client.cmd.Process.Kill() }()
	m.begun()
	m.pause(6 * time.Second)
	f.happens(m)
	clients := []*client{m.client}
	code := m.end(m.client)
	for range 5 {
		if !m.queued() {
			break
		}
		a := m.command("attach", "--json")
		if err := a.cmd.Start(); err != nil {
			m.t.Fatal(err)
		}
		code = m.end(a)
		clients = append(clients, a)
	}
	o := m.outcome(clients, steps)
	m.judge(f, o, clients, code)
	return o
}

// begun waits until the client has submitted something, before which there is nothing to
// happen to, and mostly until probes have taken steps.
func (m *faulty) begun() {
	if m.random.IntN(4) > 0 {
		m.steps(1)
		return
	}
	for until := time.Now().Add(timeout); time.Now().Before(until); time.Sleep(300 * time.Millisecond) {
		if slices.ContainsFunc(strings.Fields(m.slurm("squeue", "-h", "-o", "%j")), func(name string) bool {
			return len(name) == len("00112233445566aa00")
		}) {
			return
		}
	}
	m.t.Fatalf("nothing was submitted: %s", m.client.err.String())
}

// queued reports whether the database has probes in a queue.
func (m *faulty) queued() bool {
	m.t.Helper()
	list := m.command("queue", "list", "--json")
	m.must(list)
	var result struct{ Jobs []any }
	if err := json.Unmarshal(list.out.Bytes(), &result); err != nil {
		m.t.Fatal(err)
	}
	return len(result.Jobs) > 0
}

// outcome counts what became of the matrix.
func (m *faulty) outcome(clients []*client, steps int) (o outcome) {
	m.t.Helper()
	m.idle()
	spools, saved, complete := m.spools(), m.saved(), 0
	excess := map[float64]int{}
	for _, s := range spools {
		for _, seconds := range s {
			excess[seconds]--
		}
		if o.attempts++; len(s) == steps {
			complete++
		}
	}
	for id, its := range saved {
		for _, seconds := range its {
			excess[seconds]++
		}
		if !slices.ContainsFunc(slices.Collect(maps.Values(spools)), func(s []float64) bool { return slices.Equal(s, its) }) {
			m.t.Errorf("run %d has %d iterations, which is what no spool had", id, len(its))
		}
	}
	for _, n := range excess {
		o.twice, o.lost = o.twice+max(n, 0), o.lost+max(-n, 0)
	}
	m.mu.Lock()
	for name := range spools {
		if n := len(m.jobs[name[:18]]); n > 1 {
			o.submittedTwice += n - 1
		}
	}
	m.mu.Unlock()
	o.left = len(m.processes())
	files, _ := os.ReadDir(m.dir)
	o.left += len(files)
	probes := map[int64]string{} // what is said of their ends, by run
	for i, c := range clients {
		for d := json.NewDecoder(bytes.NewReader(c.out.Bytes())); ; {
			var p struct {
				Run *struct {
					ID    int64
					Error string
				}
				Warnings []string
			}
			if d.Decode(&p) != nil {
				break
			}
			switch {
			case p.Run != nil:
				probes[p.Run.ID] = p.Run.Error
			case i == len(clients)-1: // it never began
				o.sentences = append(o.sentences, p.Warnings...)
			}
		}
	}
	for _, said := range probes {
		if said == "" {
			o.done++
			continue
		}
		o.sentences = append(o.sentences, said)
	}
	if o.explained = len(o.sentences); o.done > complete && steps == cellSteps {
		m.t.Errorf("%d probes took all of their steps, and of %d nothing is said that cut them short", complete, o.done)
	}
	return o
}

// processes are those that still run in the folder of the script.
func (m *faulty) processes() (all []string) {
	paths, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, p := range paths {
		if line, _ := os.ReadFile(p); strings.Contains(string(line), filepath.Join(m.work, "steps.py")) {
			all = append(all, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return all
}

func (m *faulty) judge(f fault, o outcome, clients []*client, code int) {
	m.t.Helper()
	if o.lost+o.twice+o.submittedTwice+o.left > 0 {
		m.t.Errorf("%d iterations were lost, %d counted twice; %d jobs were submitted twice; %d processes and files are left",
			o.lost, o.twice, o.submittedTwice, o.left)
	}
	if o.done+o.explained < 12 {
		m.t.Errorf("%d probes are complete and %d explained, of 12", o.done, o.explained)
	}
	for _, s := range o.sentences {
		if strings.Contains(s, "\n") || len(s) > 500 || !regexp.MustCompile(f.says).MatchString(s) || f.says == "" {
			m.t.Errorf("it was explained by %q, want %q", s, f.says)
		}
	}
	for _, c := range clients {
		m.t.Logf("%v: exit code %d: %s", c.cmd.Args[1], c.cmd.ProcessState.ExitCode(), strings.TrimSpace(c.err.String()))
	}
}

// move has the spools in another folder.
func (m *faulty) move(to, kept string) {
	if err := os.Mkdir(kept, 0o700); err != nil {
		m.t.Fatal(err)
	}
	m.mu.Lock()
	m.dir, m.kept = to, kept
	m.mu.Unlock()
}

// table is the outcomes by fault.
func table(all map[string][]outcome) string {
	var out bytes.Buffer
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(w, "fault\truns\tattempts\tcomplete\texplained\titerations lost\ttwice\tjobs twice\tleft\t")
	var sum outcome
	n := 0
	row := func(name string, runs int, o outcome) {
		_, _ = fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t\n", name, runs, o.attempts, o.done, o.explained, o.lost, o.twice,
			o.submittedTwice, o.left)
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		var of outcome
		for _, o := range all[name] {
			of.add(o)
		}
		row(name, len(all[name]), of)
		sum.add(of)
		n += len(all[name])
	}
	row("all", n, sum)
	_ = w.Flush()
	return out.String()
}

func (o *outcome) add(p outcome) {
	o.attempts, o.done, o.explained = o.attempts+p.attempts, o.done+p.done, o.explained+p.explained
	o.lost, o.twice = o.lost+p.lost, o.twice+p.twice
	o.submittedTwice, o.left = o.submittedTwice+p.submittedTwice, o.left+p.left
}
