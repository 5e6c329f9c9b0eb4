package session

import (
	"context"

	"sweetspot/data/store"
)

// saver writes to the database concurrently with the loop, one write at a time:
// a database locked by another process must not delay the script's output.
type saver struct {
	recording *store.Recording
	jobs      chan func(context.Context) error
	results   chan error
	busy      bool
}

func startSaver(ctx context.Context, r *store.Recording) *saver {
	s := &saver{recording: r, jobs: make(chan func(context.Context) error), results: make(chan error, 1)}
	go func() {
		defer close(s.results)
		for job := range s.jobs {
			s.results <- job(ctx)
		}
	}()
	return s
}

// save writes the description, when not nil, and the batch. It must not be
// busy.
func (s *saver) save(d *store.Description, b store.Batch) {
	s.busy = true
	s.jobs <- func(ctx context.Context) error {
		if d != nil {
			if err := s.recording.Describe(ctx, *d); err != nil {
				return err
			}
		}
		return s.recording.Append(ctx, b)
	}
}

// saved takes the result of a write.
func (s *saver) saved(err error) error {
	s.busy = false
	return err
}

// wait waits for the write under way.
func (s *saver) wait() error {
	if !s.busy {
		return nil
	}
	return s.saved(<-s.results)
}

// close ends the saver; it must be idle.
func (s *saver) close() { close(s.jobs) }
