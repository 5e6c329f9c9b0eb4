package matrix

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/probes/runner"
	"sweetspot/probes/session"
)

// updateEvery is the least time between two updates.
const updateEvery = 50 * time.Millisecond

// Options say what to run and how much it may cost.
type Options struct {
	Cells []Cell // in the order they run on each host
	// Probe returns the options of one cell's session; ctx ends when no more cells
	// are to be started.
	Probe  func(ctx context.Context, c Cell) (session.Options, error)
	MaxUSD float64 // of all cells together; 0 for no cap
	// Again reports, once a cell has ended, whether it follows in another attempt: its
	// job was cut off and begins again. May be nil.
	Again func(c Cell) bool
	// End is called before the last update; its error is that update's warning. May be
	// nil.
	End func(ctx context.Context, u Update) error
}

// Matrix is a matrix under way.
type Matrix struct {
	updates  chan Update
	requests chan request
	ended    chan struct{}
	last     Update // once ended
	noMore   func() // ends the start of a cell that is under way
}

type request int

const (
	stop request = iota
	keepRunning
	cancel
)

// Start starts the first cell of every host, and returns the first error if
// none can be started. If a host's first cell cannot be started, all cells of
// that host have failed. When ctx ends, running cells are stopped and saved.
// [Matrix.Updates] need not be read.
func Start(ctx context.Context, o Options) (*Matrix, error) {
	if len(o.Cells) == 0 || o.Probe == nil {
		return nil, errors.New("a matrix needs at least one cell")
	}
	m := &Matrix{updates: make(chan Update, 1), requests: make(chan request, 8), ended: make(chan struct{})}
	l := &loop{matrix: m, options: o, sessions: map[int]*session.Session{}, messages: make(chan message, 16),
		changed: true}
	l.starting, m.noMore = context.WithCancel(ctx)
	for _, c := range o.Cells {
		l.rows = append(l.rows, Row{Cell: c})
	}
	if err := l.startHosts(ctx); err != nil {
		m.noMore()
		return nil, err
	}
	go l.run(ctx)
	return m, nil
}

// Updates delivers the newest state, at most 20 times a second; states the
// reader was too slow for are dropped. The last one has Done and is always
// delivered; then the channel is closed.
func (m *Matrix) Updates() <-chan Update { return m.updates }

// Stop ends the running cells at a step boundary, saves them and skips the
// rest. Asked again, it no longer waits for a boundary.
func (m *Matrix) Stop() { m.ask(stop) }

// KeepRunning lets the running cells go on when their stop rule is met.
func (m *Matrix) KeepRunning() { m.ask(keepRunning) }

// Cancel ends the running cells, deletes them and skips the rest.
func (m *Matrix) Cancel() { m.ask(cancel) }

func (m *Matrix) ask(r request) {
	if r != keepRunning {
		m.noMore()
	}
	select {
	case m.requests <- r:
	case <-m.ended:
	}
}

// Wait returns the last update.
func (m *Matrix) Wait() Update {
	<-m.ended
	return m.last
}

// message is an update from a session.
type message struct {
	row    int
	update session.Update
	closed bool // it has ended; update is empty
}

// loop owns the rows: all of its state is touched by one goroutine.
type loop struct {
	matrix   *Matrix
	options  Options
	starting context.Context // of the start of a cell
	rows     []Row
	sessions map[int]*session.Session // the running ones by row
	messages chan message
	seq      int
	current  int
	series   int64
	stopping bool // no further cell is started
	capped   bool // the budget is spent
	changed  bool
}

func (l *loop) run(ctx context.Context) {
	tick := time.NewTicker(updateEvery)
	defer tick.Stop()
	cancelled := ctx.Done()
	for {
		l.startNext(ctx)
		if len(l.sessions) == 0 {
			break
		}
		select {
		case m := <-l.messages:
			l.receive(m)
		case r := <-l.matrix.requests:
			l.handle(r)
		case <-cancelled:
			cancelled = nil // ctx ends the sessions
			l.startNoMore()
		case <-tick.C:
			l.show()
		}
	}
	l.finish(context.WithoutCancel(ctx))
}

// startHosts starts the first cell of every host. The run of the first that
// starts numbers the series.
func (l *loop) startHosts(ctx context.Context) error {
	var first error
	begun := map[string]error{}
	for i := range l.rows {
		r := &l.rows[i]
		err, tried := begun[r.Host]
		if !tried {
			err = l.start(ctx, i)
			begun[r.Host] = err
		}
		if err != nil {
			r.State, r.Why, r.Update.Err = Failed, err.Error(), err
			first = cmp.Or(first, err)
		}
	}
	if len(l.sessions) == 0 {
		return first
	}
	return nil
}

// startNext starts the next cell of every host that has none running.
func (l *loop) startNext(ctx context.Context) {
	if l.stopping {
		return
	}
	busy := map[string]bool{}
	for i := range l.sessions {
		busy[l.rows[i].Host] = true
	}
	for i := range l.rows {
		r := &l.rows[i]
		if r.State != Waiting || busy[r.Host] {
			continue
		}
		if why := l.skipReason(r.Cell); why != "" {
			r.State, r.Why, l.changed = Skipped, why, true
			continue
		}
		err := l.start(ctx, i)
		if err != nil && l.starting.Err() != nil {
			l.startNoMore()
			return
		}
		if err != nil {
			r.State, r.Why, r.Update.Err, l.changed = Failed, err.Error(), err, true
			continue
		}
		busy[r.Host] = true
	}
}

// skipReason says why a cell should not be started; "" if it should.
func (l *loop) skipReason(c Cell) string {
	for _, r := range l.rows {
		if r.State == OutOfMemory && !c.fits(r.Cell) {
			return r.Label() + " ran out of memory"
		}
	}
	if _, usd := l.spent(); usd != nil && l.options.MaxUSD > 0 && *usd >= l.options.MaxUSD {
		return "the cap of " + quantity.Money(l.options.MaxUSD) + " is spent"
	}
	return ""
}

func (l *loop) start(ctx context.Context, i int) error {
	r := &l.rows[i]
	o, err := l.options.Probe(l.starting, r.Cell)
	if err != nil {
		return err
	}
	if begin := o.Start; begin != nil {
		// Connecting ends when no more is to be started; what has begun does not.
		o.Start = func(ctx context.Context, c runner.Command) (session.Process, error) {
			ctx, cancel := context.WithCancel(ctx)
			defer context.AfterFunc(l.starting, cancel)()
			return begin(ctx, c)
		}
	}
	o.Description.Repeat = r.Repeat
	o.Description.Series = l.series
	o.FirstOfSeries = len(l.rows) > 1 && l.series == 0
	if l.options.MaxUSD > 0 {
		_, usd := l.spent()
		o.Rule.MaxUSD = l.options.MaxUSD
		if usd != nil {
			o.Rule.MaxUSD -= *usd
		}
	}
	s, err := session.Start(ctx, o)
	if err != nil {
		return err
	}
	if o.FirstOfSeries {
		l.series = s.ID()
	}
	l.sessions[i], l.current, r.State, l.changed = s, i, Running, true
	go func() {
		for u := range s.Updates() {
			l.messages <- message{row: i, update: u}
		}
		l.messages <- message{row: i, closed: true}
	}()
	return nil
}

func (l *loop) receive(m message) {
	l.changed = true
	r := &l.rows[m.row]
	if !m.closed {
		r.Update = m.update
		l.checkCap()
		return
	}
	delete(l.sessions, m.row)
	u := r.Update
	if l.options.Again != nil && l.options.Again(r.Cell) && !l.stopping {
		next := r.Cell
		next.Attempt++
		l.rows = append(l.rows, Row{Cell: next})
		r = &l.rows[m.row]
	}
	switch {
	case l.stopping && u.Waiting != "" && u.Done:
		r.State, r.Why = Skipped, "stopped before its turn"
	case u.Run.Status == profile.OutOfMemory:
		r.State, r.Why = OutOfMemory, "does not fit in memory"
	case u.Err != nil:
		r.State, r.Why = Failed, u.Err.Error()
	default:
		r.State, r.Why = Done, u.StoppedWords
	}
}

// checkCap ends the running cells once the budget for all cells is spent: cells
// on several hosts spend it at the same time.
func (l *loop) checkCap() {
	_, usd := l.spent()
	if l.capped || l.options.MaxUSD <= 0 || usd == nil || *usd < l.options.MaxUSD {
		return
	}
	l.capped = true
	for _, s := range l.sessions {
		s.Spend()
	}
}

func (l *loop) handle(r request) {
	l.changed = true
	for _, s := range l.sessions {
		switch r {
		case stop:
			s.Stop()
		case keepRunning:
			s.KeepRunning()
		case cancel:
			s.Cancel()
		}
	}
	if r != keepRunning {
		l.startNoMore()
	}
}

// startNoMore starts no more cells.
func (l *loop) startNoMore() {
	if l.stopping {
		return
	}
	l.stopping, l.changed = true, true
	for i := range l.rows {
		if l.rows[i].State == Waiting {
			l.rows[i].State, l.rows[i].Why = Skipped, "stopped before its turn"
		}
	}
}

// spent adds up all cells; usd is nil if none has a price.
func (l *loop) spent() (seconds float64, usd *float64) {
	for _, r := range l.rows {
		for _, u := range append(slices.Clip(r.Update.Earlier), r.Update) {
			seconds += u.SpentS
			if part := u.SpentUSD; part != nil {
				usd = cmp.Or(usd, new(0.0))
				*usd += *part
			}
		}
	}
	return seconds, usd
}

func (l *loop) update() Update {
	l.seq++
	u := Update{Seq: l.seq, Rows: slices.Clone(l.rows), Current: l.current, Stopping: l.stopping}
	u.SpentS, u.SpentUSD = l.spent()
	return u
}

func (l *loop) show() {
	if l.changed {
		l.changed = false
		l.send(l.update())
	}
}

// send replaces an update that was not read yet.
func (l *loop) send(u Update) {
	select {
	case <-l.matrix.updates:
	default:
	}
	l.matrix.updates <- u
}

func (l *loop) finish(ctx context.Context) {
	l.matrix.noMore()
	l.stopping = false
	warning := ""
	if l.options.End != nil {
		over := l.update()
		l.send(over) // the end may take minutes
		if err := l.options.End(ctx, over); err != nil {
			warning = err.Error()
		}
	}
	u := l.update()
	u.Done, u.Warning = true, warning
	l.matrix.last = u
	close(l.matrix.ended)
	l.send(u)
	close(l.matrix.updates)
}
