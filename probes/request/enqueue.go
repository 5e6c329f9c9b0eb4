package request

import (
	"cmp"
	"context"
	"errors"
	"time"

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

// job is one that is to be submitted.
type job struct {
	remote.Job
	place   place
	site    *site
	refused error
}

// Enqueue begins the probes on the engines of the request, one job for each GPU type or host, and follows them until
// they are left.
func (r Request) Enqueue(ctx context.Context, s Environment) (*Followed, error) {
	cells, err := r.Cells()
	if err != nil {
		return nil, err
	}
	r.Place(ctx, s.VMTypes)
	if err := r.CheckCap(); err != nil {
		return nil, err
	}
	rented, err := r.Rent(cells, s.VMTypes)
	if err != nil {
		return nil, err
	}
	switch {
	case rented != nil:
		r.Rule.MaxSeconds = rented.MaxSeconds
	case r.isQueued() && r.Rule.MaxSeconds == 0:
		r.Rule.MaxSeconds = QueuedCap.Seconds()
	}
	q := &inQueue{engines: Engines{r.Slurm, r.Sky, s.VMTypes}, store: s.Store, key: queue.NewKey(),
		cells: map[matrix.Cell]*queuedCell{}, processes: map[matrix.Cell]*queue.Process{}}
	prices, err := r.prices(ctx, q, rented)
	if err != nil {
		return nil, err
	}
	undo := context.WithoutCancel(ctx) // leaves nothing behind, also of one that was given up
	var jobs []*job
	byPlace := map[string]*job{} // by the host of the cells
	for _, c := range cells {
		j := byPlace[c.Host]
		if j == nil {
			if j, err = r.job(ctx, q, c, len(jobs)); err != nil {
				return nil, errors.Join(err, q.discard(undo, ""))
			}
			jobs, byPlace[c.Host] = append(jobs, j), j
		}
		one := r
		one.Machine.USDPerHour = prices[c.Host]
		if err := one.enqueue(ctx, q, c, j, s); err != nil {
			return nil, errors.Join(err, q.discard(undo, ""))
		}
	}
	// Remembered first: whoever is killed while it submits left jobs that are to be collected.
	if err := remember(q.key, r.memo()); err != nil {
		return nil, errors.Join(err, q.discard(undo, ""))
	}
	if err := q.submit(ctx, jobs); err != nil {
		forgetMemo(q.key)
		return nil, errors.Join(err, q.discard(undo, ""))
	}
	if ctx.Err() != nil {
		forgetMemo(q.key)
		return nil, errors.Join(errors.New("given up while the jobs were submitted; those that were are cancelled"),
			q.cancel(undo), q.discard(undo, ""))
	}
	return q.start(ctx, cells, r.Rule.MaxUSD)
}

// job is the job of a cell's place, without probes yet. Of several hosts, one that cannot be reached holds up only its
// own probes.
func (r Request) job(ctx context.Context, q *inQueue, c matrix.Cell, number int) (*job, error) {
	j := &job{place: r.placeOf(c)}
	var err error
	if j.site, err = q.at(j.place.on); err != nil {
		return nil, err
	}
	if j.site.root == "" {
		if j.site.root, err = j.site.engine.Root(ctx); err != nil && (r.isQueued() || ctx.Err() != nil) {
			return nil, err
		}
		j.refused = err
	}
	j.Job = remote.Job{Name: queue.JobName(q.key, number), Root: j.site.root, Python: r.Python, Grace: 10 * time.Second,
		Load: telemetryEvery, Metadata: j.place.isHost() && !r.NoMetadata}
	return j, nil
}

// enqueue adds a cell to its job, and its run to the database, where it is found
// again whatever becomes of this process.
func (r Request) enqueue(ctx context.Context, q *inQueue, c matrix.Cell, j *job, s Environment) error {
	cell := &queuedCell{site: j.site, here: j.place.isHere(), refused: j.refused}
	cell.spool = queue.Spool{Root: j.Root, Name: queue.SpoolName(j.Name, len(j.Probes))}
	if q.cells[c] = cell; j.refused != nil {
		return nil
	}
	o, err := r.session(ctx, c, s)
	if err != nil {
		return err
	}
	d := &o.Description
	d.Address, d.Spool, d.Repeat = j.place.address(), cell.spool.Path(), c.Repeat
	if cell.here {
		session.ThisMachine(&d.Machine)
	}
	d.Machine.Host = cmp.Or(d.Machine.Host, c.Host)
	if len(q.runs) > 0 {
		d.Series = q.runs[0]
	}
	if o.Recording, err = q.store.Start(ctx, *d); err != nil {
		return err
	}
	q.runs = append(q.runs, o.Recording.ID())
	o.Place = j.place.places(s.VMTypes)
	cell.options = o
	j.Probes = append(j.Probes, remote.Queued{
		Command: runner.Command{Argv: o.Command, Dir: o.Dir, Env: o.Env, Files: o.Files},
		Spool:   cell.spool.Name, Limit: limit(o.Rule, r.Machine.USDPerHour)})
	return nil
}

// submit begins the jobs. The cells of one that is refused have failed; the error is
// that of the first if all are.
func (q *inQueue) submit(ctx context.Context, jobs []*job) (first error) {
	begun := 0
	for _, j := range jobs {
		if j.refused == nil {
			j.refused = j.submit(ctx)
		}
		if j.refused == nil || errors.Is(j.refused, queue.ErrUnsure) { // it is followed if it is there
			j.site.jobs, j.refused = append(j.site.jobs, j.Name), nil
			begun++
			continue
		}
		first = cmp.Or(first, j.refused)
		for _, c := range q.cells {
			if c.spool.Job() == j.Name {
				c.refused = j.refused
			}
		}
	}
	if begun == 0 {
		return first
	}
	for _, j := range jobs {
		if j.refused != nil {
			if err := q.discard(context.WithoutCancel(ctx), j.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

func (j *job) submit(ctx context.Context) error {
	b := queue.Batch{Name: j.Name, Job: j.Job, Script: j.Script, Grace: jobGrace}
	if !j.place.isHost() {
		var err error
		if b.GPU, b.Count, err = parseGPU(j.place.gpu); err != nil {
			return err
		}
	}
	for _, p := range j.Probes {
		b.Limit += p.Limit + preparing
	}
	if _, own := j.site.engine.Host(j.Name); own {
		b.Limit += sky.SettingUp
	}
	return queue.Submit(ctx, j.site.engine, b)
}
