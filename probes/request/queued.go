package request

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"

	"sweetspot/data/store"
	"sweetspot/probes/matrix"
	"sweetspot/probes/queue"
	"sweetspot/probes/remote"
	"sweetspot/probes/runner"
	"sweetspot/probes/session"
)

// isQueued reports whether the probes are queued by an engine.
func (r Request) isQueued() bool { return r.On != "" }

// isOfJobs reports whether the probes are those of an engine's jobs, which go on without us; others end with their
// terminal or connection.
func (r Request) isOfJobs() bool { return r.isQueued() || r.Detach }

// inQueue is a matrix whose cells are the probes of jobs.
type inQueue struct {
	engines Engines
	store   *store.Store
	key     string
	sites   []*site

	mu        sync.Mutex
	cells     map[matrix.Cell]*queuedCell // with their attempts
	processes map[matrix.Cell]*queue.Process
	runs      []int64
	left      bool
	ending    sync.WaitGroup // of hosts that are no longer needed
}

// site is an engine with jobs of a matrix.
type site struct {
	on     string
	engine queue.Engine
	root   string   // of the spools; "" until it is known
	jobs   []string // names of those that were submitted
	watch  *queue.Watch
}

// at is the site of an engine, as --on names it.
func (q *inQueue) at(on string) (*site, error) {
	if i := slices.IndexFunc(q.sites, func(s *site) bool { return s.on == on }); i >= 0 {
		return q.sites[i], nil
	}
	e, err := EngineOn(on, q.engines)
	if err != nil {
		return nil, err
	}
	s := &site{on: on, engine: e}
	q.sites = append(q.sites, s)
	return s, nil
}

// queuedCell is a probe of a job.
type queuedCell struct {
	options session.Options
	site    *site
	spool   queue.Spool
	here    bool  // on this machine
	cut     bool  // its run has iterations that must not be lost if the spool is
	restart int64 // the run to record again; 0 for one that is new
	refused error // its job was
	over    bool
}

// cancel ends all jobs that still run.
func (q *inQueue) cancel(ctx context.Context) (err error) {
	for _, s := range q.sites {
		if len(s.jobs) > 0 {
			err = errors.Join(err, s.engine.Cancel(ctx, s.jobs))
		}
	}
	return err
}

// discard removes the runs of a job that never was; "" for all.
func (q *inQueue) discard(ctx context.Context, job string) (err error) {
	for _, c := range q.cells {
		if c.options.Recording != nil && (job == "" || c.spool.Job() == job) {
			err = errors.Join(err, q.store.Discard(ctx, c.options.Recording.ID()))
			c.options.Recording = nil
		}
	}
	return err
}

// start follows the jobs as a matrix.
func (q *inQueue) start(ctx context.Context, cells []matrix.Cell, maxUSD float64) (*Followed, error) {
	for _, s := range q.sites {
		if len(s.jobs) > 0 {
			s.watch = queue.NewWatch(context.WithoutCancel(ctx), s.engine, s.jobs)
		}
	}
	m, err := matrix.Start(ctx, matrix.Options{Cells: cells, MaxUSD: maxUSD, Probe: q.probe, Again: q.again, End: q.end})
	if err != nil {
		q.close()
		return nil, err
	}
	return &Followed{m, q}, nil
}

// close ends the looks.
func (q *inQueue) close() {
	for _, s := range q.sites {
		if s.watch != nil {
			s.watch.Close()
		}
	}
}

// probe returns the options of a cell's session, which follows its spool.
func (q *inQueue) probe(ctx context.Context, c matrix.Cell) (session.Options, error) {
	cell, known := q.cells[c]
	if !known {
		cell = q.another(c)
	}
	if cell.refused != nil {
		return session.Options{}, cell.refused
	}
	o := cell.options
	q.mu.Lock()
	p := queue.Follow(cell.site.watch, cell.spool)
	q.processes[c] = p
	if q.left {
		p.Leave()
	}
	q.mu.Unlock()
	if cell.restart > 0 {
		if err := q.resume(ctx, cell, p, &o); err != nil {
			return o, err
		}
	}
	if cell.here && cell.restart == 0 { // of one that has run for a while, less than all would be read
		o.Observe = observersHere(func() int { return cell.site.process(cell.spool.Job()) })
	}
	o.Start = func(context.Context, runner.Command) (session.Process, error) { return p, nil }
	return o, nil
}

// process is the number of the process of a job of this machine; 0 while it is not known.
func (s *site) process(job string) int {
	state, _, _ := s.watch.State(job)
	pid, _ := strconv.Atoi(state.ID)
	return pid
}

// another is a further attempt of a cell, with a run of its own.
func (q *inQueue) another(c matrix.Cell) *queuedCell {
	before := c
	before.Attempt--
	next := *q.cells[before]
	next.spool.Attempt = c.Attempt
	next.restart, next.options.Recording, next.over = 0, nil, false
	next.options.Description.Spool, next.options.Description.StartedAt = next.spool.Path(), time.Time{}
	q.cells[c] = &next
	return &next
}

// resume records a run again. One that has iterations is only emptied once they are
// about to come again.
func (q *inQueue) resume(ctx context.Context, cell *queuedCell, p *queue.Process, o *session.Options) (err error) {
	if cell.cut {
		select {
		case <-p.Begun():
		case <-ctx.Done():
			p.Leave()
			return ctx.Err()
		}
		if _, waits := p.Waiting(); waits {
			return p.Wait().Lost
		}
	}
	if o.Recording, err = q.store.Restart(context.WithoutCancel(ctx), cell.restart); err != nil {
		p.Leave()
	}
	return err
}

func (q *inQueue) again(c matrix.Cell) bool {
	q.mu.Lock()
	p := q.processes[c]
	q.mu.Unlock()
	next := c
	next.Attempt++
	if p != nil && q.cells[next] == nil && p.Again() {
		return true
	}
	q.finish(c)
	return false
}

// clearing is how long the spools of a host may take to be removed, which costs as long as it is there.
const clearing = time.Minute

// finish notes that a cell is over. A host that was only for the cells of a job, and costs
// money, is ended once all of them are.
func (q *inQueue) finish(c matrix.Cell) {
	cell := q.cells[c]
	if cell == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	cell.over = true
	job, engine := cell.spool.Job(), cell.site.engine
	host, own := engine.Host(job)
	if !own || q.left {
		return
	}
	for key, other := range q.cells {
		if other.spool.Job() != job {
			continue
		}
		p := q.processes[key]
		if !other.over || p == nil || !p.Collected() {
			return
		}
	}
	q.ending.Go(func() {
		// Where it is no VM but, as on Slurm, somebody's job, the spools would outlive it.
		ctx, end := context.WithTimeout(context.Background(), clearing)
		_ = remote.Clear(ctx, host, cell.spool.Root, job)
		end()
		_ = engine.Cancel(context.Background(), []string{job}) // end says what fails
	})
}

// leave lets go of all probes; those that are asked for later are left at once.
func (q *inQueue) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.left = true
	for _, p := range q.processes {
		p.Leave()
	}
}

// end leaves nothing behind once everything was followed to its end: the jobs are
// cancelled if they still run, as for probes that were skipped, and the spools removed.
func (q *inQueue) end(ctx context.Context, u matrix.Update) error {
	q.close()
	q.ending.Wait()
	q.mu.Lock()
	left := q.left
	q.mu.Unlock()
	if left {
		return nil
	}
	runs := slices.Clone(q.runs)
	for _, r := range u.Rows {
		p := q.processes[r.Cell]
		switch cell := q.cells[r.Cell]; {
		case p != nil && !p.Collected():
			return nil // it goes on, and is found again
		case p == nil && cell != nil && cell.options.Recording != nil:
			if err := q.store.Discard(ctx, cell.options.Recording.ID()); err != nil {
				return err
			}
		}
		if id := r.Update.Run.ID; id != 0 {
			runs = append(runs, id)
		}
	}
	if err := q.cancel(ctx); err != nil {
		return err
	}
	for _, s := range q.sites {
		if len(s.jobs) == 0 {
			continue
		}
		if h, own := s.engine.Host(s.jobs[0]); !own {
			if err := remote.Clear(ctx, h, s.root, q.key); err != nil {
				return err
			}
		}
	}
	forgetMemo(q.key)
	return q.store.Unqueue(ctx, runs...)
}
