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
	"sweetspot/probes/remote"
	"sweetspot/probes/runner"
	"sweetspot/probes/session"
)

// memo is what a detached probe keeps for whoever collects it: when to stop.
func memo(r steady.Rule, keepRunning bool) (json.RawMessage, error) {
	r.CapsOnly = r.CapsOnly || keepRunning
	r.USDPerHour = nil // the run has it
	return json.Marshal(r)
}

// limit is how long a probe on another host may take by its caps, which hold
// there when nobody is connected; 0 for none.
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

// Collection is a detached probe that is collected from its host.
type Collection struct {
	*session.Session
	host    remote.Host
	spool   string
	process *remote.Process
}

// IsDetached reports whether a run goes on, or was left, on another host.
func IsDetached(r store.Record) bool {
	return r.Address != "" && r.Spool != "" && (r.Status == profile.Running || r.Status == profile.Interrupted)
}

// Collect takes a detached run up again: what its script wrote since it began
// comes anew, into the same run, and then what it goes on to write. Nothing is
// touched where its host can't be reached.
func Collect(ctx context.Context, db *store.Store, id int64, output io.Writer) (*Collection, error) {
	r, err := db.Record(ctx, id)
	if err != nil {
		return nil, err
	}
	if !IsDetached(r) {
		return nil, fmt.Errorf("run %d is not left on another host; only what was probed with --host and --detach is collected", id)
	}
	h, err := remote.Parse(r.Address)
	if err != nil {
		return nil, err
	}
	p, err := remote.Attach(context.WithoutCancel(ctx), h, r.Spool)
	if err != nil {
		return nil, err
	}
	o := session.Options{
		Command: r.Command, Description: r.Description, Rule: steady.DefaultRule(), Store: db, Output: output,
		Start: func(context.Context, runner.Command) (session.Process, error) { return p, nil },
	}
	if p.Memo() != nil && json.Unmarshal(p.Memo(), &o.Rule) != nil {
		o.Rule = steady.DefaultRule() // of another version
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
	return &Collection{s, h, r.Spool, p}, nil
}

// Leave goes away; the probe goes on, to be collected another time.
func (c *Collection) Leave() { c.process.Leave() }

// Forget removes the record on the host, once the collection has ended and
// everything of it was saved.
func (c *Collection) Forget(ctx context.Context) error {
	if u := c.Wait(); !c.process.Collected() || u.Run.Status == profile.Failed && u.Err != nil && u.ScriptExit != nil && *u.ScriptExit == 0 {
		return nil
	}
	return remote.Forget(ctx, c.host, c.spool)
}
