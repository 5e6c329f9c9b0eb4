package remote

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"path"
	"time"

	"sweetspot/probes/runner"
)

// Here is this machine, whose agent is started without ssh: to follow a job on a
// file system that this machine shares.
var Here = Host{}

// Job is what a scheduler's job does: probes one after the other.
type Job struct {
	Name   string // with which the names of its spools begin, in hexadecimal digits
	Root   string // folder of the spools, on a file system that the hosts share
	Python string // as in [Options]
	Grace  time.Duration
	Load   time.Duration // as in [Options]
	// Metadata has the host ask its cloud what VM it is.
	Metadata bool
	Probes   []Queued
}

// Queued is a probe of a job.
type Queued struct {
	runner.Command
	Spool string        // of [Spool], without the attempt
	Limit time.Duration // as in [Options]
}

// Script is a shell command that does the job with the agent, which it contains, as
// the standard input of a Python. launch comes before that Python, as words of a shell.
func (j Job) Script(launch string) ([]byte, error) {
	h, archives, err := j.header("job")
	if err != nil {
		return nil, err
	}
	all, err := preamble(h, archives)
	if err != nil {
		return nil, err
	}
	python := j.Python
	if !plainWord(python) {
		python = "python3"
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "exec %s%s -c 'import base64,io,sys;i=io.BytesIO(base64.b64decode(sys.stdin.read()));"+
		"sys.stdin=io.TextIOWrapper(i);exec(i.read(int(i.readline())))' <<'SWEETSPOT_END'\n", launch, python)
	text := base64.StdEncoding.EncodeToString(all)
	for len(text) > 0 {
		n := min(len(text), 76)
		out.WriteString(text[:n] + "\n")
		text = text[n:]
	}
	out.WriteString("SWEETSPOT_END\n")
	return out.Bytes(), nil
}

// header has the agent do the job as a task, with the archives of its files.
func (j Job) header(task string) (h header, files []byte, err error) {
	h = header{Task: task, Root: j.Root, Job: j.Name, Python: j.Python, Grace: j.Grace.Seconds(), Load: j.Load.Seconds(),
		Metadata: j.Metadata}
	var archives bytes.Buffer
	known := map[[sha256.Size]byte][2]int{}
	for _, p := range j.Probes {
		archive, err := zipped(p.Files)
		if err != nil {
			return h, nil, err
		}
		sum := sha256.Sum256(archive)
		at, ok := known[sum]
		if !ok {
			at = [2]int{archives.Len(), archives.Len() + len(archive)}
			known[sum] = at
			archives.Write(archive)
		}
		h.Probes = append(h.Probes, queued{Spool: p.Spool, Files: at, Argv: p.Argv, Env: append([]string{}, p.Env...),
			Dir: p.Dir, Limit: p.Limit.Seconds()})
	}
	return h, archives.Bytes(), nil
}

// Watch follows the spool of a probe of a job, from its beginning; the probe may not
// have begun yet. The caller waits for [Process.Ready] and says by [Process.Gone]
// what the scheduler thinks. After so much time without a heartbeat, quiet, a job
// that is gone is over.
func Watch(h Host, spool, job string, quiet time.Duration) (*Process, error) {
	p, _, err := open(h, header{Task: "watch", Spool: path.Base(spool), Root: path.Dir(spool), Job: job,
		Quiet: quiet.Seconds()}, nil, 5*time.Second)
	return p, err
}

// Clear removes what the jobs with that beginning of their names left in the folder.
func Clear(ctx context.Context, h Host, root, key string) error {
	p, err := begin(ctx, h, header{Task: "clear", Spool: key, Root: root}, nil, time.Second)
	if err != nil {
		return err
	}
	return p.Wait().Lost
}

// Ready receives once: nil when the command runs, else why it does not.
func (p *Process) Ready() <-chan error { return p.ready }

// Refused reports, after an error from [Process.Ready], whether it is the agent's
// word, not that of a connection.
func (p *Process) Refused() bool { return p.refused }

// Restarts is how often the scheduler had begun the job again when the probe began, once
// [Process.Wait] has returned.
func (p *Process) Restarts() int { return p.restarts }

// CutOff reports whether the probe did not say how it ended, once [Process.Wait] has returned.
func (p *Process) CutOff() bool { return p.cut }

// Next reports whether a probe that was cut off has begun again, once [Process.Wait] has
// returned.
func (p *Process) Next() bool { return p.next }

// Gone tells the agent whether the scheduler runs the job no more, and how often it has
// begun it again.
func (p *Process) Gone(gone bool, restarts int) {
	payload := fmt.Appendf(nil, `{"gone":%t,"restarts":%d}`, gone, restarts)
	select {
	case p.requests <- frame{kind: kindGone, payload: payload}:
	case <-p.ended:
	}
}

// Words is the command line that runs a command of a shell on the host.
func Words(h Host, command string) []string {
	return append(sshOptions(h), "--", h.Destination, command)
}
