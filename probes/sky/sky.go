// Package sky is the engine of the user's own SkyPilot: its documented commands, which rent
// a cluster of one VM for each job and end it. A record of every cluster that was begun is
// kept on this machine until it is known to be gone.
package sky

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"sweetspot/data/launch"
	"sweetspot/data/shellwords"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/probes/queue"
	"sweetspot/probes/remote"
)

// Options are what clusters are made of.
type Options struct {
	// Infra is where clusters may be, as SkyPilot names it: aws, gcp/us-central1, or one's own:
	// ssh/pool, slurm/cluster, k8s/context. None is every cloud of the catalog.
	Infra []string `json:"infra"`
	// GPUs are those of one's own infrastructure, by type.
	GPUs map[string]GPU `json:"gpus"`

	Only   []profile.VMKey `json:"-"` // the VM types that may be rented; none is the cheapest
	Folder string          `json:"-"` // that is copied to each cluster, an absolute path; "" for none
	Setup  []string        `json:"-"` // lines of Bash that set up the environment in it
}

// GPU is what a user says about a GPU type of their own.
type GPU struct {
	USDPerHour *float64 `json:"usd_per_hour"` // of one GPU
}

// Engine is SkyPilot. Its methods may be called at the same time.
type Engine struct {
	options Options
	vms     []profile.VMType

	mu     sync.Mutex     // held while commands run
	absent map[string]int // looks in a row that did not find a cluster that was up
}

// New is SkyPilot with the VM types that it may rent.
func New(o Options, vms []profile.VMType) *Engine {
	return &Engine{options: o, vms: vms, absent: map[string]int{}}
}

// Cluster is the name of the cluster of a job.
func Cluster(job string) string { return "sweetspot-" + job }

// Host is the cluster itself: SkyPilot writes its name into the configuration of ssh, on one's
// own infrastructure with a program of its own as the way there.
func (e *Engine) Host(job string) (h remote.Host, own bool) {
	return remote.Host{Destination: Cluster(job), Slow: true}, true
}

// root is the folder of the spools, in the home of a cluster's user.
const root = "~/.local/state/sweetspot/queue"

// Root is the folder of the spools on every cluster.
func (e *Engine) Root(context.Context) (string, error) { return root, nil }

// Quiet is how long a job that has ended is listened to: its cluster has one clock and
// one file system.
func (e *Engine) Quiet() time.Duration { return 10 * time.Second }

const (
	// SettingUp is how long the environment may take to be set up.
	SettingUp = 10 * time.Minute
	// launchTimeout is how long a command may take. One that finds no API server starts it,
	// and one that launches copies the folder to it.
	launchTimeout = 10 * time.Minute
	mostOutput    = 8 << 20 // bytes of a command that are read
)

// errMissing is of a machine without SkyPilot.
var errMissing = errors.New("there is no program \"sky\" on the PATH, which --on sky needs: install SkyPilot, " +
	"such as with pip install 'skypilot[aws]', and let sky check find your clouds")

// command runs SkyPilot. The output is there also if it failed.
func (e *Engine) command(ctx context.Context, words ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, launchTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sky", words...)
	cmd.WaitDelay = time.Second // an API server that it starts may keep the pipe
	cmd.Env = append(os.Environ(), "NO_COLOR=1", "COLUMNS=500")
	out, said := &bounded{}, &bounded{}
	cmd.Stdout, cmd.Stderr = out, said
	err := cmd.Run()
	switch {
	case err == nil || errors.Is(err, exec.ErrWaitDelay):
		return out.text.String(), nil
	case errors.Is(err, exec.ErrNotFound):
		return "", errMissing
	case ctx.Err() != nil:
		return "", fmt.Errorf("sky %s did not answer within %s; see sky api info", words[0], launchTimeout)
	}
	last := cmp.Or(raisedLine(said.text.String()), lastLine(said.text.String()), lastLine(out.text.String()), err.Error())
	if strings.Contains(last, "API server") || strings.Contains(last, "Connection refused") {
		last += "; sky api info says whether its API server runs, and ~/.sky/api_server/server.log why it does not"
	}
	return out.text.String(), fmt.Errorf("sky %s: %s", words[0], last)
}

// bounded keeps the beginning of what is written to it.
type bounded struct{ text bytes.Buffer }

func (b *bounded) Write(p []byte) (int, error) {
	b.text.Write(p[:min(len(p), mostOutput-b.text.Len())])
	return len(p), nil
}

// styled matches what terminals read as colours.
var styled = regexp.MustCompile(`\x1b\[[0-9;]*[A-Za-z]`)

// raised is how Python names an error that ended a program.
var raised = regexp.MustCompile(`^(?:[a-z_]\w*\.)*([A-Z]\w*: \S.*)`)

// raisedLine is the last such line: what follows is its details.
func raisedLine(text string) (line string) {
	for l := range strings.Lines(styled.ReplaceAllString(text, "")) {
		if m := raised.FindStringSubmatch(plaintext.Line(l, 300)); m != nil {
			line = strings.TrimSpace(m[1])
		}
	}
	return line
}

// lastLine is the last line with text.
func lastLine(text string) string {
	lines := strings.Split(styled.ReplaceAllString(text, ""), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if line := strings.TrimSpace(plaintext.Line(lines[i], 300)); line != "" {
			return strings.TrimPrefix(line, "sky.exceptions.")
		}
	}
	return ""
}

// Submit launches the cluster of a job, unless it was already. It does not wait for it.
func (e *Engine) Submit(ctx context.Context, b queue.Batch) (string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	name := Cluster(b.Name)
	known, err := e.wasLaunched(ctx, b.Name)
	if err != nil || known {
		return name, err
	}
	l, err := e.Shortlist(b.GPU, b.Count)
	if err != nil {
		return "", err
	}
	n := note{Job: b.Name, GPU: b.GPU, Count: b.Count, USDPerHour: l.USDPerHour, Launched: time.Now().UTC(),
		LifetimeS: Lifetime(b.Limit + b.Grace).Seconds()}
	if err := n.write(); err != nil { // before anything costs money
		return "", err
	}
	out, err := e.launch(ctx, b, l)
	if err == nil {
		n.Request = requestForm.FindString(out)
		return name, n.write()
	}
	if !errors.As(err, &refusal{}) {
		return "", errors.Join(err, n.remove())
	}
	err = fmt.Errorf("the cluster for %s was refused by SkyPilot: %w", plaintext.Quote(b.GPU), err)
	if found, unknown := e.status(ctx, false, []string{name}); unknown == nil && len(found) == 0 {
		return "", errors.Join(err, n.remove())
	}
	return "", fmt.Errorf("%w (%w)", err, queue.ErrUnsure) // the note stays
}

// refusal is the error of SkyPilot that was asked for a cluster. One may be there in spite of it.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

// launch asks SkyPilot for the cluster. For one VM type or region that its own catalog lacks,
// it refuses all of them, so that such are left out until it takes the rest.
func (e *Engine) launch(ctx context.Context, b queue.Batch, l Shortlist) (out string, err error) {
	for {
		task, err := e.task(b, l)
		if err != nil {
			return "", err
		}
		path, err := writeTask(Cluster(b.Name), task)
		if err != nil {
			return "", err
		}
		out, err := e.command(ctx, launchWords(Cluster(b.Name), path, b.Limit+b.Grace)...)
		_ = os.Remove(path)
		if err == nil || errors.Is(err, errMissing) {
			return out, err
		}
		rest, fewer := l.without(err.Error())
		if !fewer {
			return "", refusal{err}
		}
		l = rest
	}
}

// launchWords are the options of sky launch. The cluster ends so many minutes after it is
// up, whatever becomes of this machine and of the job.
func launchWords(cluster, task string, limit time.Duration) []string {
	return []string{"launch", "--yes", "--async", "--detach-run", "--cluster", cluster,
		"--idle-minutes-to-autostop", strconv.Itoa(minutes(limit)), "--wait-for", "none", "--down", task}
}

func minutes(d time.Duration) int { return int(math.Ceil(d.Minutes())) }

// requestForm is the number of a request to SkyPilot's API server.
var requestForm = regexp.MustCompile(`\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`)

// Lifetime is how long a cluster exists at most whose job may take so long.
func Lifetime(limit time.Duration) time.Duration {
	return launch.MostStart + time.Duration(minutes(limit))*time.Minute + launch.MostEnd
}

// wasLaunched reports whether a cluster was, by the record of it and by SkyPilot's word.
func (e *Engine) wasLaunched(ctx context.Context, job string) (bool, error) {
	n, ok := readNote(job)
	if !ok || n.Request != "" {
		return ok, nil
	}
	found, err := e.status(ctx, false, []string{Cluster(job)})
	return len(found) > 0, err
}

// sameHome has the spools where a shell over ssh looks for them, too. On Slurm, SkyPilot gives a
// job another home, and shells over ssh only where their .bashrc comes to its lines.
const sameHome = `own=$(getent passwd "$(id -u)" | cut -d: -f6) || own=
if [ -n "$own" ] && [ "$own" != "$HOME" ]; then
  mkdir -p -m 700 "$own/.local/state/sweetspot/queue" ~/.local/state/sweetspot
  [ -e ~/.local/state/sweetspot/queue ] || ln -sn "$own/.local/state/sweetspot/queue" ~/.local/state/sweetspot/queue
fi
`

// task is the cluster's task: the environment and then the agent, within the time limit.
func (e *Engine) task(b queue.Batch, l Shortlist) (string, error) {
	limit := int(b.Limit.Seconds()) // it then ends at a step boundary
	left := fmt.Sprintf("$((SECONDS < %d ? %d - SECONDS : 1))", limit, limit)
	agent, err := b.Script(fmt.Sprintf("timeout --foreground --signal=USR1 --kill-after=%d %s ",
		int(b.Grace.Seconds()), left))
	if err != nil {
		return "", err
	}
	var run strings.Builder
	run.WriteString(sameHome)
	fmt.Fprintf(&run, "mkdir -p -m 700 %s\nexec > >(tee -a %s/%s.log) 2>&1\n", root, root, b.Name)
	if len(e.options.Setup) > 0 {
		setup := "env=~/sweetspot-env\nexport DEBIAN_FRONTEND=noninteractive\n" + strings.Join(e.options.Setup, "\n")
		fmt.Fprintf(&run, "if ! timeout %d bash -euo pipefail -c %s </dev/null; then\n"+
			"  echo 'the environment could not be set up; sky logs %s shows why'\n  exit 1\nfi\n",
			int(SettingUp.Seconds()), shellwords.Quoted(setup), Cluster(b.Name))
	}
	run.WriteString("export PATH=~/sweetspot-env/bin:\"$PATH\"\n")
	run.Write(agent)
	return launch.SkyTask{Name: Cluster(b.Name), Folder: e.options.Folder, Run: run.String(), VMs: l.VMs, Own: l.Own,
		GPU: l.GPU, Count: b.Count}.YAML()
}

// writeTask writes the task where only the user can read it.
func writeTask(cluster, text string) (path string, err error) {
	dir, err := directory()
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, taskName(cluster))
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return "", unwritten(err)
	}
	return path, nil
}

func taskName(cluster string) string { return cluster + ".yaml" }
