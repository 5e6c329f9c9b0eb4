// Package host is the engine of a machine without a queue: this one, or one that ssh reaches. Its jobs begin at once,
// each in a process of its own, and go on whatever becomes of who began them.
package host

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/probes/gpu"
	"sweetspot/probes/identity"
	"sweetspot/probes/queue"
	"sweetspot/probes/remote"
)

// Engine is a machine.
type Engine struct {
	host remote.Host
	vms  []profile.VMType
	root string
}

// New is the machine of that name, [remote.Here] for this one. Its price is that of the VM type that it turns out to
// be.
func New(h remote.Host, vms []profile.VMType) *Engine { return &Engine{host: h, vms: vms} }

// Host is the machine itself.
func (e *Engine) Host(string) (h remote.Host, own bool) { return e.host, false }

// Quiet is short: a machine knows at once which of its processes run.
func (e *Engine) Quiet() time.Duration { return 2 * time.Second }

// Root is the folder of the spools.
func (e *Engine) Root(ctx context.Context) (string, error) {
	if e.root != "" {
		return e.root, nil
	}
	lodging, err := remote.Lodge(ctx, e.host, false)
	if err != nil {
		return "", err
	}
	e.root = lodging.Root
	return e.root, nil
}

// Offers is the machine's GPU type, on which a job begins at once; none where it has no GPU.
func (e *Engine) Offers(ctx context.Context) ([]queue.Offer, error) {
	f, err := e.facts(ctx)
	if err != nil || f.GPUCount == 0 {
		return nil, err
	}
	o := queue.Offer{GPU: gpu.Canonical(plaintext.Line(f.GPU, 100)), Nodes: 1, Count: f.GPUCount,
		Partitions: []string{e.host.String()}, Starts: time.Now()}
	if found, ok := identity.Resolve(f, e.vms); ok && found.Certain && found.VM.GPUCount > 0 {
		if price, ok := found.VM.PriceOf(profile.OnDemand); ok {
			o.USDPerHour = new(price.USDPerHour / float64(found.VM.GPUCount))
		}
	}
	return []queue.Offer{o}, nil
}

func (e *Engine) facts(ctx context.Context) (identity.Facts, error) {
	if e.host == remote.Here {
		return identity.Local(ctx, true), nil
	}
	lodging, err := remote.Lodge(ctx, e.host, true)
	return lodging.Facts, err
}

// Submit begins the job, unless one of that name was begun.
func (e *Engine) Submit(ctx context.Context, b queue.Batch) (id string, err error) {
	id, err = remote.Submit(ctx, e.host, b.Job)
	if err != nil && !errors.Is(err, remote.ErrRefused) {
		err = fmt.Errorf("%w (%w)", err, queue.ErrUnsure)
	}
	return id, err
}

// Look asks the machine once, however many jobs there are.
func (e *Engine) Look(ctx context.Context, names []string) (map[string]queue.State, error) {
	known, err := remote.Look(ctx, e.host, e.root, names)
	if err != nil {
		return nil, err
	}
	states := map[string]queue.State{}
	for name, s := range known {
		states[name] = e.state(s)
	}
	return states, nil
}

func (e *Engine) state(s remote.JobState) queue.State {
	out := queue.State{ID: plaintext.Line(s.ID, 20), Phase: queue.Ended, Node: e.host.String()}
	switch {
	case s.Runs:
		out.Phase = queue.Running
	case !s.Over:
		out.Why = "its process was killed, or the machine was restarted; probe again"
	case s.Said != "":
		out.Why = plaintext.Line(s.Said, 300)
	default:
		out.Why = "it ended by itself"
	}
	return out
}

// Cancel ends the jobs that run, and returns when they have ended.
func (e *Engine) Cancel(ctx context.Context, names []string) error {
	if err := remote.Cancel(ctx, e.host, e.root, names); err != nil {
		return fmt.Errorf("the probes on %s could not be ended: %w; later, sweetspot queue cancel does it",
			plaintext.Clean(e.host.String()), err)
	}
	return nil
}
