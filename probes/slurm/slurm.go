// Package slurm is the engine of a Slurm cluster: its own commands, run here or on a
// login host over SSH.
package slurm

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"sweetspot/data/shellwords"
	"sweetspot/engine/plaintext"
	"sweetspot/probes/queue"
	"sweetspot/probes/remote"
	"sweetspot/probes/runner"
)

// Options are what jobs ask for beside GPUs. All are passed on to Slurm, quoted.
type Options struct {
	Account    string         `json:"account"`
	QoS        string         `json:"qos"`
	Partition  string         `json:"partition"`
	Constraint string         `json:"constraint"`
	Container  string         `json:"container"` // image for Pyxis, or a .sif file for Apptainer
	Modules    []string       `json:"modules"`   // to load before the probes
	Options    []string       `json:"sbatch"`    // more options of sbatch
	Spool      string         `json:"spool"`     // folder that all nodes share; "" for one in the home
	GPUs       map[string]GPU `json:"gpus"`      // by type
	// QuietSeconds is how late that file system may show what another node wrote; 0 is 70,
	// since NFS keeps what it read for up to a minute.
	QuietSeconds float64 `json:"quiet_seconds"`
}

// GPU is what a user says about a GPU type of the cluster.
type GPU struct {
	Partition  string   `json:"partition"`    // whose GPUs are of this type
	Constraint string   `json:"constraint"`   // that nodes with it have
	USDPerHour *float64 `json:"usd_per_hour"` // of one GPU
}

// Engine is a cluster.
type Engine struct {
	login   remote.Host // [remote.Here] for this machine
	options Options
	root    string
	offers  []offer
	noSacct bool // accounting is off
}

// offer is a GPU type and how it is asked for.
type offer struct {
	queue.Offer
	gres       string // type in its name; "" for none
	partition  string
	constraint string
}

// New is the cluster that the login host belongs to.
func New(login remote.Host, o Options) *Engine { return &Engine{login: login, options: o} }

// Host is where the spools of its jobs can be read.
func (e *Engine) Host(string) (h remote.Host, own bool) { return e.login, false }

// Quiet is how late the file system of the spools may show what another node wrote.
func (e *Engine) Quiet() time.Duration {
	return time.Duration(cmp.Or(max(e.options.QuietSeconds, 0), 70) * float64(time.Second))
}

// commandTimeout is how long a command may take: with its controller gone, squeue
// tries for 18 s.
const commandTimeout = 40 * time.Second

// command runs a command of Slurm's.
func (e *Engine) command(ctx context.Context, input []byte, words ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	name := words[0]
	words = append([]string{"env", "SLURM_TIME_FORMAT=%s"}, words...)
	if e.login != remote.Here {
		words = remote.Words(e.login, shellwords.Join(words))
	}
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.WaitDelay = time.Second
	cmd.Stdin = bytes.NewReader(input)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	if err == nil {
		return out.String(), nil
	}
	if errors.Is(err, exec.ErrNotFound) || cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == 127 {
		return "", fmt.Errorf("there is no Slurm on %s: its command %s was not found; name a login host, --on "+
			"slurm:user@host",
			plaintext.Clean(e.login.String()), name)
	}
	if strings.Contains(said.String(), "Could not establish a configuration source") {
		return "", fmt.Errorf("there is no configuration of Slurm on %s: set SLURM_CONF to the cluster's slurm.conf, or "+
			"name a login host, --on slurm:user@host", plaintext.Clean(e.login.String()))
	}
	if ctx.Err() != nil {
		return "", &failure{fmt.Sprintf("the commands of Slurm on %s did not answer within %s",
			plaintext.Clean(e.login.String()), commandTimeout), err}
	}
	return "", &failure{said.String(), err}
}

// failure is what a command of Slurm's said.
type failure struct {
	said string
	err  error
}

// unanswered is said by commands that did not reach the controller, or did not hear from it.
var unanswered = regexp.MustCompile(`did not answer|Unable to contact|Socket timed out|` +
	`Connection (refused|reset|timed out)|Zero Bytes|[Cc]ommunication`)

// isUnanswered reports whether a command may or may not have done what it should: nobody
// answered, or the connection to the login host was lost.
func isUnanswered(err error) bool {
	var f *failure
	if !errors.As(err, &f) {
		return false
	}
	var exit *exec.ExitError
	return errors.As(f.err, &exit) && exit.ExitCode() == runner.ConnectionLost || unanswered.MatchString(f.said)
}

func (f *failure) Error() string {
	if last := lastLine(f.said); last != "" {
		return last
	}
	return f.err.Error()
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	line := plaintext.Line(lines[len(lines)-1], 300)
	for _, prefix := range []string{"sbatch: ", "squeue: ", "sacct: ", "slurm_load_jobs ", "scancel: ", "sinfo: ",
		"error: "} {
		line = strings.TrimPrefix(line, prefix)
	}
	return line
}

// Root is the folder of the spools.
func (e *Engine) Root(ctx context.Context) (string, error) {
	if e.root == "" {
		e.root = e.options.Spool
	}
	if e.root == "" {
		out, err := e.command(ctx, nil, "sh", "-c", `printf %s "${XDG_STATE_HOME:-$HOME/.local/state}"`)
		if err != nil {
			return "", err
		}
		e.root = path.Join(strings.TrimSpace(out), "sweetspot", "queue")
	}
	if !path.IsAbs(e.root) || plaintext.Clean(e.root) != e.root {
		return "", fmt.Errorf("%q cannot be the folder of the spools; give an absolute one on a file system that all nodes "+
			"share with --spool", plaintext.Clean(e.root))
	}
	return e.root, nil
}

// submission is the shell's part of a submission: $1 is the folder of the spools, $2 the name of the job, $3 the
// length of its script, and then come the words of sbatch.
//
// sbatch takes any part of a script for a whole one, and a connection may be cut in the middle. So it begins once all
// of it is there: in a file that has no name by then, of which nothing is left even if the shell is killed.
//
// The folder must be there before the job, which writes its output to it, and room for the job's last words where its
// file system is full by then.
const submission = `mkdir -p -m 700 -- "$1" && file=$(mktemp -- "$1/$2.XXXXXX") || exit
exec 3>"$file" 4<"$file" 5<"$file" && rm -f -- "$file" && cat >&3 || exit
[ "$(wc -c <&4)" -eq "$3" ] || { echo "the script of the job did not arrive whole" >&2; exit 1; }
spare=$1/$2.spare && shift 3
head -c 16384 /dev/zero >"$spare" && "$@" <&5 || { code=$?; rm -f -- "$spare"; exit "$code"; }`

// Submit begins the job, unless one of that name is there already.
func (e *Engine) Submit(ctx context.Context, b queue.Batch) (string, error) {
	if e.offers == nil {
		if err := e.list(ctx); err != nil {
			return "", err
		}
	}
	i := slices.IndexFunc(e.offers, func(o offer) bool { return o.GPU == b.GPU })
	if i < 0 {
		return "", fmt.Errorf("the cluster has no GPU of type %s", plaintext.Quote(b.GPU))
	}
	root, err := e.Root(ctx)
	if err != nil {
		return "", err
	}
	known, err := e.Look(ctx, []string{b.Name})
	if err != nil {
		return "", unsure(err)
	}
	if s, ok := known[b.Name]; ok {
		return s.ID, nil
	}
	script, err := e.script(b)
	if err != nil {
		return "", err
	}
	words := append([]string{"sh", "-c", submission, "sh", root, b.Name, strconv.Itoa(len(script)), "sbatch"},
		e.asked(b, e.offers[i], root)...)
	out, err := e.command(ctx, script, words...)
	switch {
	case isUnanswered(err):
		return "", unsure(err)
	case err != nil && strings.Contains(err.Error(), "No space left on device"):
		return "", fmt.Errorf("the file system of the spools, at %s, is full; free space there, or name another folder with "+
			"--spool", plaintext.Clean(root))
	}
	if err != nil {
		return "", fmt.Errorf("the job for %s was refused by Slurm: %w", plaintext.Quote(b.GPU), err)
	}
	id, _, _ := strings.Cut(strings.TrimSpace(out), ";") // with several clusters, its name follows
	return id, nil
}

func unsure(err error) error {
	if !isUnanswered(err) {
		return err
	}
	return fmt.Errorf("%w (%w)", err, queue.ErrUnsure)
}

// asked are the options of sbatch.
func (e *Engine) asked(b queue.Batch, o offer, root string) []string {
	gres := "gpu:" + strconv.Itoa(b.Count)
	if o.gres != "" {
		gres = "gpu:" + o.gres + ":" + strconv.Itoa(b.Count)
	}
	minutes := int(math.Ceil((b.Limit + b.Grace).Minutes()))
	words := []string{"--parsable", "--job-name=" + b.Name, "--comment=sweetspot", "--nodes=1", "--ntasks=1",
		"--gres=" + gres, "--time=" + strconv.Itoa(minutes), "--no-requeue", "--open-mode=append",
		"--output=" + path.Join(root, b.Name+".log"), fmt.Sprintf("--signal=B:USR1@%d", int(b.Grace.Seconds()))}
	for _, a := range [][2]string{{"account", e.options.Account}, {"qos", e.options.QoS},
		{"partition", cmp.Or(o.partition, e.options.Partition)}, {"constraint", cmp.Or(o.constraint, e.options.Constraint)}} {
		if a[1] != "" {
			words = append(words, "--"+a[0]+"="+a[1])
		}
	}
	return append(words, e.options.Options...)
}

// script is the batch script: modules, then the agent, in a container if asked for.
func (e *Engine) script(b queue.Batch) ([]byte, error) {
	var out bytes.Buffer
	out.WriteString("#!/bin/bash -l\n") // a login shell, which knows module
	for _, m := range e.options.Modules {
		out.WriteString(shellwords.Join([]string{"module", "load", m}) + " || exit\n")
	}
	launch := ""
	switch c := e.options.Container; {
	case strings.HasSuffix(c, ".sif"):
		launch = shellwords.Join([]string{"apptainer", "exec", "--nv", c}) + " "
	case c != "":
		launch = shellwords.Join([]string{"srun", "--container-image=" + c, "--container-mount-home"}) + " "
	}
	agent, err := b.Script(launch)
	out.Write(agent)
	return out.Bytes(), err
}

// Cancel ends the jobs that wait or run, by their numbers. scancel gets no signal to
// send, for which it would wait where a job has not begun.
func (e *Engine) Cancel(ctx context.Context, names []string) error {
	if len(names) == 0 {
		return nil
	}
	states, err := e.Look(ctx, names)
	if err != nil {
		return fmt.Errorf("the jobs could not be cancelled: %w; later, sweetspot queue cancel does it", err)
	}
	words := []string{"scancel", "--quiet"}
	for _, s := range states {
		if s.Phase == queue.Waiting || s.Phase == queue.Running {
			words = append(words, s.ID)
		}
	}
	if len(words) == 2 {
		return nil
	}
	if _, err := e.command(ctx, nil, words...); err != nil {
		return fmt.Errorf("the jobs could not be cancelled: %w; later, sweetspot queue cancel does it", err)
	}
	return nil
}
