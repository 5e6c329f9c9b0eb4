package request

import (
	"context"
	"slices"
	"sync"

	"sweetspot/data/store"
	"sweetspot/engine/profile"
	"sweetspot/probes/identity"
)

type facts = identity.Facts

// Asking the clouds takes up to a second where none answers, so it is done once.
var asked struct {
	sync.Mutex
	by map[bool]facts // with metadata or without
}

func factsHere(ctx context.Context, metadata bool) facts {
	asked.Lock()
	defer asked.Unlock()
	f, ok := asked.by[metadata]
	if !ok {
		f = identity.Local(ctx, metadata)
		if asked.by == nil {
			asked.by = map[bool]facts{}
		}
		asked.by[metadata] = f
	}
	return f
}

// Place fills in this machine's VM type and price, unless the user gave them or
// the probes run elsewhere. The text says what was found and how; "" for
// nothing.
func (r *Request) Place(ctx context.Context, vms []profile.VMType) (words string) {
	if !r.isHere() || known(r.Machine) {
		return ""
	}
	return place(factsHere(ctx, !r.NoMetadata), &r.Machine, vms)
}

// isHere reports whether some of the probes run on this machine.
func (r Request) isHere() bool { return len(r.Hosts) == 0 || slices.Contains(r.Hosts, "") }

// known reports whether the user gave the machine's VM type or price.
func known(m store.Machine) bool { return m.VM.InstanceType != "" || m.USDPerHour != nil }

// place fills in the VM type if it is certain. A guess is only reported.
func place(f facts, m *store.Machine, vms []profile.VMType) (words string) {
	if known(*m) {
		return ""
	}
	found, ok := identity.Resolve(f, vms)
	if !ok {
		return ""
	}
	if found.Certain {
		m.VM = found.VM.Key()
		if price, ok := found.VM.PriceOf(profile.OnDemand); ok {
			m.USDPerHour = &price.USDPerHour
		}
	}
	return found.Words
}
