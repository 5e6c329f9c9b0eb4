package request

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"sweetspot/data/store"
	"sweetspot/engine/profile"
	"sweetspot/engine/steady"
	"sweetspot/probes/metric"
	"sweetspot/probes/remote"
	"sweetspot/probes/runner"
	"sweetspot/probes/session"
)

// memo is stored with a detached probe for its collection: when to stop,
// whether the model's name is the user's, and how accuracies are read.
type memo struct {
	steady.Rule
	Named           bool
	AccuracyPattern string
}

// read reads a memo; of one from another version nothing is used.
func read(text json.RawMessage) (m memo) {
	m.Rule = steady.DefaultRule()
	if json.Unmarshal(text, &m) != nil {
		m = memo{Rule: steady.DefaultRule()}
	}
	return m
}

// limit is how long a probe on another host may take according to its caps,
// which apply there even without a connection; 0 for none.
func limit(r steady.Rule, usdPerHour *float64) time.Duration {
	seconds := r.MaxSeconds
	if usdPerHour != nil && *usdPerHour > 0 && r.MaxUSD > 0 {
		if paid := r.MaxUSD / *usdPerHour * 3600; seconds == 0 || paid < seconds {
			seconds = paid
		}
	}
	const most = 365 * 24 * 3600
	return time.Duration(min(seconds, most) * float64(time.Second))
}

// Collection is a detached probe that is being collected from its host.
type Collection struct {
	*session.Session
	process *remote.Process
}

// forget removes the record of a detached probe from its host, once everything
// was saved. A probe that was left goes on there, and keeps it.
func forget(ctx context.Context, p *remote.Process, h remote.Host, spool string) error {
	if !p.Collected() {
		return nil
	}
	return remote.Forget(ctx, h, spool)
}

// IsDetached reports whether a run is still on another host, running or ended.
func IsDetached(r store.Record) bool {
	return r.Address != "" && r.Spool != "" && (r.Status == profile.Running || r.Status == profile.Interrupted)
}

// Collect resumes a detached run: everything its script wrote since the start
// is read again into the same run, followed by what it writes from now on. Once
// all of it is saved, the host forgets it. If the host can't be reached, nothing
// changes.
func Collect(ctx context.Context, db *store.Store, id int64, output io.Writer) (*Collection, error) {
	r, err := db.Record(ctx, id)
	if err != nil {
		return nil, err
	}
	if !IsDetached(r) {
		return nil, fmt.Errorf("run %d is not on another host; only probes started with --host and --detach can be collected",
			id)
	}
	h, err := remote.Parse(r.Address)
	if err != nil {
		return nil, err
	}
	p, err := remote.Attach(context.WithoutCancel(ctx), h, r.Spool)
	if err != nil {
		return nil, err
	}
	m := read(p.Memo())
	o := session.Options{
		Command: r.Command, Description: r.Description, Rule: m.Rule, Named: m.Named, Store: db, Output: output,
		Start:     func(context.Context, runner.Command) (session.Process, error) { return p, nil },
		AfterSave: func(ctx context.Context) error { return forget(ctx, p, h, r.Spool) },
	}
	if len(r.Command) > 0 {
		if o.Metrics, err = metric.NewReader(m.AccuracyPattern); err != nil {
			p.Leave()
			return nil, err
		}
	}
	if o.Recording, err = db.Restart(ctx, id); err != nil {
		p.Leave()
		return nil, err
	}
	s, err := session.Start(ctx, o)
	if err != nil {
		p.Leave()
		return nil, err
	}
	return &Collection{s, p}, nil
}

// Leave disconnects; the probe goes on and can be collected later.
func (c *Collection) Leave() { c.process.Leave() }
