package request

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sweetspot/data/store"
	"sweetspot/engine/profile"
	"sweetspot/engine/steady"
	"sweetspot/probes/harness"
	"sweetspot/probes/matrix"
	"sweetspot/probes/metric"
	"sweetspot/probes/queue"
	"sweetspot/probes/session"
)

// Queued is a matrix of the database in a queue.
type Queued struct {
	Key     string
	Address string
	Runs    []store.QueuedRun
}

// Jobs are the names of its jobs.
func (q Queued) Jobs() (names []string) {
	for _, r := range q.Runs {
		if s, ok := queue.ParseSpool(r.Spool); ok && !slices.Contains(names, s.Job()) {
			names = append(names, s.Job())
		}
	}
	return names
}

// On is the queue as in --on.
func (q Queued) On() string {
	on, _, _ := strings.Cut(q.Address, "/")
	return strings.TrimSuffix(on, ":")
}

// Rule is how its probes are judged.
func (q Queued) Rule() steady.Rule { return recall(q.Key).Rule }

// GPU is the GPU type of a run's job.
func GPU(r store.QueuedRun) string {
	_, gpu, _ := strings.Cut(r.Address, "/")
	return gpu
}

// ListQueued returns the matrices in queues, the oldest first.
func ListQueued(ctx context.Context, db *store.Store) ([]Queued, error) {
	var runs []store.QueuedRun
	for _, engine := range []string{onSlurm, onSky} {
		of, err := db.Queued(ctx, engine+":")
		if err != nil {
			return nil, err
		}
		runs = append(runs, of...)
	}
	byKey := map[string]*Queued{}
	for _, r := range runs {
		s, ok := queue.ParseSpool(r.Spool)
		if !ok {
			continue
		}
		if byKey[s.Key()] == nil {
			byKey[s.Key()] = &Queued{Key: s.Key(), Address: r.Address}
		}
		q := byKey[s.Key()]
		q.Runs = append(q.Runs, r)
	}
	list := make([]Queued, 0, len(byKey))
	for _, q := range byKey {
		list = append(list, *q)
	}
	slices.SortFunc(list, func(a, b Queued) int { return cmp.Compare(a.Runs[0].ID, b.Runs[0].ID) })
	return list, nil
}

// Rejoin follows a matrix in a queue again: everything that its probes wrote is read
// again into the same runs.
func Rejoin(ctx context.Context, db *store.Store, of Queued, o Engines, output io.Writer) (*Followed, error) {
	e, err := Engine(of.Address, o)
	if err != nil {
		return nil, err
	}
	q := &inQueue{engine: e, store: db, key: of.Key, jobs: of.Jobs(), cells: map[matrix.Cell]*queuedCell{},
		processes: map[matrix.Cell]*queue.Process{}}
	m := recall(of.Key)
	var cells []matrix.Cell
	for _, run := range slices.SortedFunc(slices.Values(of.Runs), byID) { // the order in which they were asked for
		s, _ := queue.ParseSpool(run.Spool)
		q.root = s.Root
		q.runs = append(q.runs, run.ID)
		r, err := unfollowed(ctx, db, run.ID)
		if err != nil {
			return nil, err
		}
		options := session.Options{Command: r.Command, Description: r.Description, Rule: m.Rule, Named: m.Named, Store: db,
			Output: output, Place: ofType(GPU(run), o.VMTypes)}
		options.Description.StartedAt = time.Time{}
		if options.Metrics, err = metric.NewReader(m.AccuracyPattern); err != nil {
			return nil, err
		}
		c := matrix.Cell{Mode: r.Mode, Batch: r.BatchSize, Precision: r.Variant.Precision, Host: GPU(run), Repeat: r.Repeat,
			Attempt: s.Attempt}
		if !harness.IsArgv(r.Command) { // the script's own, of those that have run
			c.Precision = ""
		}
		for q.cells[c] != nil {
			c.Repeat++ // cells that the script alone tells apart
		}
		q.cells[c] = &queuedCell{options: options, spool: s, restart: run.ID, cut: run.Iterations > 0}
		cells = append(cells, c)
	}
	return q.start(ctx, cells, m.MaxUSD)
}

func byID(a, b store.QueuedRun) int { return cmp.Compare(a.ID, b.ID) }

// settling is how long a run may count as followed after its follower was killed.
const settling = 15 * time.Second

// unfollowed is a run that nobody follows; of one who was killed a moment ago, that is
// known a little later.
func unfollowed(ctx context.Context, db *store.Store, id int64) (store.Record, error) {
	for until := time.Now().Add(settling); ; {
		r, err := db.Record(ctx, id)
		if err != nil || r.Status != profile.Running {
			return r, err
		}
		if time.Now().After(until) {
			return r, fmt.Errorf("run %d is being followed by another sweetspot; stop that one first", id)
		}
		select {
		case <-ctx.Done():
			return r, ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// Followed is a matrix in a queue that is followed.
type Followed struct {
	*matrix.Matrix
	queued *inQueue
}

// Jobs is the number of its jobs.
func (f *Followed) Jobs() int { return len(f.queued.jobs) }

// Key names it.
func (f *Followed) Key() string { return f.queued.key }

// Leave ends the following; the jobs go on.
func (f *Followed) Leave() {
	f.queued.leave()
	f.Stop()
}

// memoPath is the file that keeps how a matrix in a queue is judged; "" without a home.
func memoPath(key string) string {
	dir := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(dir) {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "sweetspot", "queued", key+".json")
}

// remember keeps the memo of a matrix in a queue for who follows it later.
func remember(key string, m memo) error {
	path := memoPath(key)
	if path == "" {
		return errors.New("a queued probe has no place for its notes, because HOME is not set; set it, or XDG_STATE_HOME")
	}
	text, err := json.Marshal(m)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	return err
}

// recall reads it; what cannot be read is the usual.
func recall(key string) memo {
	text, err := os.ReadFile(memoPath(key))
	if err != nil {
		return memo{Rule: steady.DefaultRule()}
	}
	return read(text)
}

func forgetMemo(key string) { _ = os.Remove(memoPath(key)) }
