package request

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"sweetspot/data/store"
	"sweetspot/engine/profile"
	"sweetspot/probes/identity"
	"sweetspot/probes/matrix"
	"sweetspot/probes/queue"
	"sweetspot/probes/remote"
	"sweetspot/probes/runner"
	"sweetspot/probes/session"
	"sweetspot/probes/sky"
)

const (
	// QueuedCap caps each probe of a job, if the user gave no cap: with nobody there to
	// stop it, the job must come to the next one.
	QueuedCap = 5 * time.Minute
	// preparing is what a probe of a job may take beyond its cap: to find an
	// interpreter, and to end.
	preparing = 45 * time.Second
	// jobGrace is the time before a job's limit in which it ends at a step boundary.
	jobGrace = time.Minute
)

// inJob stands for the start of a probe that its job starts.
func inJob(context.Context, runner.Command) (session.Process, error) {
	return nil, errors.New("a probe in a queue is started by its job")
}

// isQueued reports whether the probes are queued by an engine.
func (r Request) isQueued() bool { return r.On != "" }

// inQueue is a matrix whose cells are the probes of jobs.
type inQueue struct {
	engine queue.Engine
	store  *store.Store
	root   string
	key    string
	jobs   []string // names of those that were submitted
	watch  *queue.Watch

	mu        sync.Mutex
	cells     map[matrix.Cell]*queuedCell // with their attempts
	processes map[matrix.Cell]*queue.Process
	runs      []int64
	left      bool
	ending    sync.WaitGroup // of hosts that are no longer needed
}

// queuedCell is a probe of a job.
type queuedCell struct {
	options session.Options
	spool   queue.Spool
	cut     bool  // its run has iterations that must not be lost if the spool is
	restart int64 // the run to record again; 0 for one that is new
	refused error // its job was
	over    bool
}

// Enqueue begins the probes in the queue of the request, one job for each GPU type, and follows
// them until they are left.
func (r Request) Enqueue(ctx context.Context, s Environment) (*Followed, error) {
	cells, err := r.Cells()
	if err != nil {
		return nil, err
	}
	engine, err := EngineOn(r.On, Engines{r.Slurm, r.Sky, s.VMTypes})
	if err != nil {
		return nil, err
	}
	rented, err := r.Rent(cells, s.VMTypes)
	if err != nil {
		return nil, err
	}
	switch {
	case rented != nil:
		r.Rule.MaxSeconds = rented.MaxSeconds
	case r.Rule.MaxSeconds == 0:
		r.Rule.MaxSeconds = QueuedCap.Seconds()
	}
	q := &inQueue{engine: engine, store: s.Store, key: queue.NewKey(),
		cells: map[matrix.Cell]*queuedCell{}, processes: map[matrix.Cell]*queue.Process{}}
	prices, err := r.prices(ctx, q.engine, rented)
	if err != nil {
		return nil, err
	}
	if q.root, err = q.engine.Root(ctx); err != nil {
		return nil, err
	}
	undo := context.WithoutCancel(ctx) // leaves nothing behind, also of one that was given up
	jobs := map[string]*remote.Job{}   // by GPU type
	var order []string
	for _, c := range cells {
		if jobs[c.Host] == nil {
			jobs[c.Host] = &remote.Job{Name: queue.JobName(q.key, len(jobs)), Root: q.root, Python: r.Python,
				Grace: 10 * time.Second, Load: telemetryEvery}
			order = append(order, c.Host)
		}
		one := r
		one.Machine.USDPerHour = prices[c.Host]
		if err := one.enqueue(ctx, q, c, jobs[c.Host], s); err != nil {
			return nil, errors.Join(err, q.discard(undo, ""))
		}
	}
	// Remembered first: whoever is killed while it submits left jobs that are to be collected.
	if err := remember(q.key, memo{r.Rule, r.Name != "" || !r.IsCommand(), r.AccuracyPattern}); err != nil {
		return nil, errors.Join(err, q.discard(undo, ""))
	}
	if err := q.submit(ctx, jobs, order); err != nil {
		forgetMemo(q.key)
		return nil, errors.Join(err, q.discard(undo, ""))
	}
	if ctx.Err() != nil {
		forgetMemo(q.key)
		return nil, errors.Join(errors.New("given up while the jobs were submitted; those that were are cancelled"),
			q.engine.Cancel(undo, q.jobs), q.discard(undo, ""))
	}
	return q.start(ctx, cells, r.Rule.MaxUSD)
}

// enqueue adds a cell to its job, and its run to the database, where it is found
// again whatever becomes of this process.
func (r Request) enqueue(ctx context.Context, q *inQueue, c matrix.Cell, job *remote.Job, s Environment) error {
	o, err := r.session(ctx, c, s)
	if err != nil {
		return err
	}
	spool := queue.Spool{Root: q.root, Name: queue.SpoolName(job.Name, len(job.Probes))}
	d := &o.Description
	d.Address, d.Spool, d.Repeat = queueAddress(r.On, c.Host), spool.Path(), c.Repeat
	d.Machine.Host = cmp.Or(d.Machine.Host, c.Host)
	if len(q.runs) > 0 {
		d.Series = q.runs[0]
	}
	if o.Recording, err = q.store.Start(ctx, *d); err != nil {
		return err
	}
	q.runs = append(q.runs, o.Recording.ID())
	o.Place = ofType(c.Host, s.VMTypes)
	q.cells[c] = &queuedCell{options: o, spool: spool}
	job.Probes = append(job.Probes, remote.Queued{
		Command: runner.Command{Argv: o.Command, Dir: o.Dir, Env: o.Env, Files: o.Files},
		Spool:   spool.Name, Limit: limit(o.Rule, r.Machine.USDPerHour)})
	return nil
}

// ofType places a probe on a GPU type of a cluster, which is chosen, and not on the node
// that it got.
func ofType(gpu string, vms []profile.VMType) func(identity.Facts, *store.Machine) {
	return func(f identity.Facts, m *store.Machine) {
		place(f, m, vms)
		m.Host = gpu
	}
}

// submit begins the jobs. The cells of one that is refused have failed; the error is
// that of the first if all are.
func (q *inQueue) submit(ctx context.Context, jobs map[string]*remote.Job, order []string) (first error) {
	for _, gpu := range order {
		job := jobs[gpu]
		kind, count, err := parseGPU(gpu)
		if err == nil {
			b := queue.Batch{Name: job.Name, GPU: kind, Count: count, Script: job.Script, Grace: jobGrace}
			for _, p := range job.Probes {
				b.Limit += p.Limit + preparing
			}
			if _, own := q.engine.Host(job.Name); own {
				b.Limit += sky.SettingUp
			}
			err = queue.Submit(ctx, q.engine, b)
		}
		if err == nil || errors.Is(err, queue.ErrUnsure) { // it is followed if it is there
			q.jobs = append(q.jobs, job.Name)
			continue
		}
		first = cmp.Or(first, err)
		for _, c := range q.cells {
			if c.spool.Job() == job.Name {
				c.refused = err
			}
		}
	}
	if len(q.jobs) > 0 {
		for _, gpu := range order {
			if name := jobs[gpu].Name; !slices.Contains(q.jobs, name) {
				if err := q.discard(context.WithoutCancel(ctx), name); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return first
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
	q.watch = queue.NewWatch(context.WithoutCancel(ctx), q.engine, q.jobs)
	m, err := matrix.Start(ctx, matrix.Options{Cells: cells, MaxUSD: maxUSD, Probe: q.probe, Again: q.again, End: q.end})
	if err != nil {
		q.watch.Close()
		return nil, err
	}
	return &Followed{m, q}, nil
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
	p := queue.Follow(q.watch, cell.spool)
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
	o.Start = func(context.Context, runner.Command) (session.Process, error) { return p, nil }
	return o, nil
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
	job := cell.spool.Job()
	if _, own := q.engine.Host(job); !own || q.left {
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
	q.ending.Go(func() { _ = q.engine.Cancel(context.Background(), []string{job}) }) // end says what fails
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
	q.watch.Close()
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
	if err := q.engine.Cancel(ctx, q.jobs); err != nil {
		return err
	}
	if h, own := q.engine.Host(q.jobs[0]); !own {
		if err := remote.Clear(ctx, h, q.root, q.key); err != nil {
			return err
		}
	}
	forgetMemo(q.key)
	return q.store.Unqueue(ctx, runs...)
}
