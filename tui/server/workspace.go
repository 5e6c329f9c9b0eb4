package server

import (
	"context"
	"sync"

	"sweetspot/engine/profile"
	"sweetspot/tui/screen"
)

// shared is a workspace that is read once for all sessions, and again where it has changed.
// What it read is immutable.
type shared struct {
	screen.Workspace

	mu      sync.Mutex // held while it is read
	set     *profile.Set
	version int64
}

func share(ws screen.Workspace) *shared { return &shared{Workspace: ws} }

// Load is what the workspace holds.
func (s *shared) Load(ctx context.Context) (*profile.Set, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	version, err := s.Version(ctx) // before reading: a write in between is seen later
	if err != nil {
		return nil, err
	}
	if s.set != nil && s.version == version {
		return s.set, nil
	}
	set, err := s.Workspace.Load(ctx)
	if err != nil {
		return nil, err
	}
	s.set, s.version = set, version
	return set, nil
}

// Close leaves it open: the other sessions use it.
func (s *shared) Close() error { return nil }
