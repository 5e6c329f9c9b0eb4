package request

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
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

// Queued is a matrix of the database whose jobs wait, run, or have not been followed to their ends.
type Queued struct {
	Key  string
	Runs []store.QueuedRun
}

// QueuedJob is one of its jobs.
type QueuedJob struct {
	Name string
	On   string // its engine, as in --on
	GPU  string // type, a100 or a100:2; "" on a host, whose GPUs are taken as they are
	Runs []int64
}

// Jobs are its jobs, in the order in which they were asked for.
func (q Queued) Jobs() (jobs []QueuedJob) {
	for _, r := range slices.SortedFunc(slices.Values(q.Runs), byID) {
		s, _ := queue.ParseSpool(r.Spool) // as ListQueued did
		i := slices.IndexFunc(jobs, func(j QueuedJob) bool { return j.Name == s.Job() })
		if i < 0 {
			p := placed(r.Address)
			i, jobs = len(jobs), append(jobs, QueuedJob{Name: s.Job(), On: p.on, GPU: p.gpu})
		}
		jobs[i].Runs = append(jobs[i].Runs, r.ID)
	}
	return jobs
}

// Has reports whether a job is one of its.
func (q Queued) Has(job string) bool {
	return slices.ContainsFunc(q.Jobs(), func(j QueuedJob) bool { return j.Name == job })
}

// On are its engines, as in --on.
func (q Queued) On() (engines []string) {
	for _, j := range q.Jobs() {
		if !slices.Contains(engines, j.On) {
			engines = append(engines, j.On)
		}
	}
	return engines
}

// Hosts are the machines that it is on, this one as "", if it is in no queue.
func (q Queued) Hosts() (hosts []string) {
	for _, on := range q.On() {
		if p := (place{on: on}); p.isHost() {
			hosts = append(hosts, p.cell())
		}
	}
	return hosts
}

// Rule is how its probes are judged.
func (q Queued) Rule() steady.Rule { return recall(q.Key).Rule }

// Look asks each engine once where the jobs stand; failed has the jobs of those that did not answer.
func (q Queued) Look(ctx context.Context, o Engines) (states map[string]queue.State, failed map[string]error) {
	states, failed = map[string]queue.State{}, map[string]error{}
	for on, jobs := range q.byEngine() {
		e, err := EngineOn(on, o)
		var found map[string]queue.State
		if err == nil {
			found, err = e.Look(ctx, jobs)
		}
		maps.Copy(states, found)
		if err != nil {
			for _, name := range jobs {
				failed[name] = err
			}
		}
	}
	return states, failed
}

// Cancel ends the jobs.
func (q Queued) Cancel(ctx context.Context, o Engines) (err error) {
	for on, jobs := range q.byEngine() {
		e, failed := EngineOn(on, o)
		if failed == nil {
			failed = e.Cancel(ctx, jobs)
		}
		err = errors.Join(err, failed)
	}
	return err
}

// byEngine are the names of the jobs of each engine.
func (q Queued) byEngine() map[string][]string {
	names := map[string][]string{}
	for _, j := range q.Jobs() {
		names[j.On] = append(names[j.On], j.Name)
	}
	return names
}

// ListQueued returns the matrices whose jobs wait, run, or have not been followed to their ends, the oldest first.
func ListQueued(ctx context.Context, db *store.Store) ([]Queued, error) {
	runs, err := db.Queued(ctx)
	if err != nil {
		return nil, err
	}
	byKey := map[string]*Queued{}
	for _, r := range runs {
		s, ok := queue.ParseSpool(r.Spool)
		if _, _, err := parseOn(placed(r.Address).on); !ok || err != nil {
			continue // of another version
		}
		if byKey[s.Key()] == nil {
			byKey[s.Key()] = &Queued{Key: s.Key()}
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
	q := &inQueue{engines: o, store: db, key: of.Key, cells: map[matrix.Cell]*queuedCell{},
		processes: map[matrix.Cell]*queue.Process{}}
	m := recall(of.Key)
	var cells []matrix.Cell
	for _, run := range slices.SortedFunc(slices.Values(of.Runs), byID) { // the order in which they were asked for
		s, _ := queue.ParseSpool(run.Spool)
		p := placed(run.Address)
		at, err := q.at(p.on)
		if err != nil {
			return nil, err
		}
		at.root = s.Root
		if !slices.Contains(at.jobs, s.Job()) {
			at.jobs = append(at.jobs, s.Job())
		}
		q.runs = append(q.runs, run.ID)
		r, err := unfollowed(ctx, db, run.ID)
		if err != nil {
			return nil, err
		}
		options := session.Options{Command: r.Command, Description: r.Description, Rule: m.Rule, Named: m.Named, Store: db,
			Output: output, Place: p.places(o.VMTypes), Here: p.isHere(), Dir: r.Folder}
		options.Description.StartedAt = time.Time{}
		if options.Metrics, err = metric.NewReader(m.AccuracyPattern); err != nil {
			return nil, err
		}
		c := matrix.Cell{Mode: r.Mode, Batch: r.BatchSize, Precision: r.Variant.Precision, Host: p.cell(), Repeat: r.Repeat,
			Attempt: s.Attempt}
		if !harness.IsArgv(r.Command) { // the script's own, of those that have run
			c.Precision = ""
		}
		for q.cells[c] != nil {
			c.Repeat++ // cells that the script alone tells apart
		}
		q.cells[c] = &queuedCell{options: options, site: at, spool: s, here: p.isHere(), restart: run.ID,
			cut: run.Iterations > 0}
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
func (f *Followed) Jobs() (n int) {
	for _, s := range f.queued.sites {
		n += len(s.jobs)
	}
	return n
}

// Key names it.
func (f *Followed) Key() string { return f.queued.key }

// Leave ends the following; the jobs go on.
func (f *Followed) Leave() {
	f.queued.leave()
	f.Stop()
}
