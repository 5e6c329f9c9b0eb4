// Package queue is the seam between probes and the engines that queue jobs, such as
// Slurm: what they offer, a batch of probes as a job, the state of many jobs in one
// look, and their end. Whatever engine it is, its jobs write spools, which are the
// truth; what the engine says only explains their silence.
package queue

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
	"sweetspot/probes/remote"
)

// Offer is what an engine has of one GPU type.
type Offer struct {
	GPU        string
	Nodes      int      // that have it and can be used; VM types of what is rented
	Count      int      // GPUs of the one with the most; 0 where that is not known
	Rented     bool     // or one's own, found only once it is asked for: how many there are is not known
	Partitions []string // where they are
	USDPerHour *float64 // of one GPU; nil where it is not known
	// Starts is when a job of one GPU and a few minutes, submitted now, is expected to
	// start; zero where the engine cannot tell. Why it cannot, if it says so, is NoStart.
	Starts  time.Time
	NoStart string
}

// There is what there is of it, in words: "2 × up to 4 GPUs", "3 VM types".
func (o Offer) There() string {
	switch {
	case o.Rented && o.Nodes == 0:
		return "your own"
	case o.Rented:
		return quantity.Several(o.Nodes, "VM type")
	case o.Nodes == 0:
		return "none that can be used"
	case o.Nodes == 1:
		return "1 × " + quantity.Several(o.Count, "GPU")
	}
	return quantity.Count(float64(o.Nodes)) + " × up to " + quantity.Several(o.Count, "GPU")
}

// Wait is how long a job may have to wait, in words: "none", "about 12 m", "unknown: its
// nodes are drained".
func (o Offer) Wait(now time.Time) string {
	wait := o.Starts.Sub(now)
	switch {
	case o.Starts.IsZero() && o.NoStart != "":
		return "unknown: " + plaintext.Line(o.NoStart, 200)
	case o.Starts.IsZero():
		return "unknown"
	case wait < sameMoment:
		return "none"
	}
	return "about " + quantity.Duration(wait.Seconds())
}

// sameMoment is within what clocks of two machines, and two looks, may differ.
const sameMoment = 10 * time.Second

// Batch is a job: all probes of one GPU type, so that the queue is paid once.
type Batch struct {
	Name   string // the idempotent key: no second job of that name is begun
	GPU    string
	Count  int                                 // GPUs
	Limit  time.Duration                       // that the job may take
	Grace  time.Duration                       // before that limit, in which it ends by itself
	Job    remote.Job                          // what it does
	Script func(launch string) ([]byte, error) // the same, for engines that take a script of a shell
}

// Phase is where a job stands.
type Phase uint8

// The phases of a job. Unknown is one that the engine does not tell. A job is stopped if
// its own host is, with its spools, until somebody starts it. It is gone if it ended and its
// host with it: what was not read of its spools until then is lost.
const (
	Unknown Phase = iota
	Waiting
	Running
	Stopped
	Ended
	Gone
)

// String is the phase in a word: a stopped job waits until somebody starts it, a gone one has ended.
func (p Phase) String() string {
	switch p {
	case Waiting, Stopped:
		return "waiting"
	case Running:
		return "running"
	case Ended, Gone:
		return "ended"
	}
	return "unknown"
}

// Over reports whether the job has ended.
func (p Phase) Over() bool { return p >= Ended }

// State is what an engine says of a job.
type State struct {
	ID       string // the engine's own
	Phase    Phase
	Why      string    // it waits, or how it ended; part of a sentence
	Starts   time.Time // when a waiting one is expected to; zero if unknown
	Node     string
	Restarts int  // times that it was begun again
	Unbegun  bool // it ended before it could begin, and left no spool
	Cut      bool // the engine ended it, as for a job of higher priority
}

// Engine runs jobs. Implementations are used by one goroutine at a time.
type Engine interface {
	// Host is where the spools of a job can be read: on one that all its jobs share, or on
	// the job's own, which is there only while it runs.
	Host(job string) (h remote.Host, own bool)
	// Root is the folder of those spools there, on a file system shared by all its hosts.
	Root(ctx context.Context) (string, error)
	// Quiet is how long a job that does not run any more must have sent no heartbeat to
	// be over: as late as that file system may show what another host wrote.
	Quiet() time.Duration
	// Offers is what there is now.
	Offers(ctx context.Context) ([]Offer, error)
	// Submit begins the job, unless one of that name is there already. An error that is
	// ErrUnsure leaves open whether the job was accepted.
	Submit(ctx context.Context, b Batch) (id string, err error)
	// Look returns the states of the jobs by their names; of those that it does not
	// know, none.
	Look(ctx context.Context, names []string) (map[string]State, error)
	// Cancel ends jobs, those that do not run any more excepted.
	Cancel(ctx context.Context, names []string) error
}

// ErrUnsure is of a submission that may have been accepted: the connection was lost before
// the answer came, or the engine did not answer.
var ErrUnsure = errors.New("it may have been accepted")

// How long an engine that does not answer is asked again to accept a job.
var (
	askAgain     = 2 * time.Second
	askAgainLast = 30 * time.Second
	askUntil     = 2 * time.Minute
)

// Submit begins a job, and asks again as long as it is not sure whether it was accepted.
func Submit(ctx context.Context, e Engine, b Batch) error {
	for wait, since := askAgain, time.Now(); ; wait = min(2*wait, askAgainLast) {
		_, err := e.Submit(ctx, b)
		if !errors.Is(err, ErrUnsure) || time.Since(since) > askUntil {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(wait):
		}
	}
}

// keyDigits is the length of the name of a matrix; a job's has two digits more, a
// probe's spool four, and one of its attempts six.
const keyDigits = 16

// NewKey names a matrix.
func NewKey() string {
	var key [keyDigits / 2]byte
	_, _ = rand.Read(key[:]) // never fails
	return hex.EncodeToString(key[:])
}

// JobName is the name of a job of a matrix.
func JobName(key string, job int) string { return fmt.Sprintf("%s%02x", key, job) }

// SpoolName is the name of the spool of a probe of a job, without the attempt.
func SpoolName(job string, probe int) string { return fmt.Sprintf("%s%02x", job, probe) }

// Spool is a spool of a job: its folder and its name.
type Spool struct {
	Root, Name string
	Attempt    int // 0 is the first
}

// Path is the spool as it is stored with a run.
func (s Spool) Path() string {
	return fmt.Sprintf("%s/%s%02x", strings.TrimSuffix(s.Root, "/"), s.Name, s.Attempt)
}

// Job is the name of its job.
func (s Spool) Job() string { return s.Name[:keyDigits+2] }

// Key is the name of its matrix.
func (s Spool) Key() string { return s.Name[:keyDigits] }

// ParseSpool reads what [Spool.Path] wrote.
func ParseSpool(path string) (Spool, bool) {
	root, name, ok := cutLast(path, "/")
	if !ok || len(name) != keyDigits+6 {
		return Spool{}, false
	}
	digits, err := hex.DecodeString(name)
	if err != nil {
		return Spool{}, false
	}
	return Spool{root, name[:keyDigits+4], int(digits[len(digits)-1])}, true
}

func cutLast(s, mark string) (before, after string, ok bool) {
	i := strings.LastIndex(s, mark)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(mark):], true
}

// Words is the state as part of a sentence: "waits for resources, expected to start
// at 15:04".
func (s State) Words() string {
	why := plaintext.Cut(plaintext.Clean(s.Why), 300)
	switch s.Phase {
	case Waiting:
		if why == "" {
			why = "waits in the queue"
		}
		if !s.Starts.IsZero() {
			why += ", expected to start at " + s.Starts.Local().Format("15:04")
		}
	case Running:
		if why == "" {
			why = "runs on " + plaintext.Clean(s.Node)
		}
	}
	return why
}
