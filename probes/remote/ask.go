package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"sweetspot/probes/identity"
)

// Lodging is where the spools of a host's jobs are, and what the host reports about itself.
type Lodging struct {
	Root  string // a folder of the host
	Facts identity.Facts
}

// Lodge asks a host where the spools of its jobs are.
func Lodge(ctx context.Context, h Host, metadata bool) (l Lodging, err error) {
	err = ask(ctx, h, header{Task: "lodge", Metadata: metadata}, nil, &l)
	return l, err
}

// ErrRefused is of what the agent on a host says that it cannot do; with any other error, it may have done it.
var ErrRefused = errors.New("refused")

// refusal is the agent's word for why it cannot.
type refusal string

func (r refusal) Error() string        { return string(r) }
func (r refusal) Is(target error) bool { return target == ErrRefused }

// Submit has a host begin a job in a process that outlives the connection, unless one of that name was begun there
// before. It returns the number of that process.
func Submit(ctx context.Context, h Host, j Job) (id string, err error) {
	to, files, err := j.header("submit")
	if err != nil {
		return "", err
	}
	var begun struct{ ID string }
	err = ask(ctx, h, to, files, &begun)
	return begun.ID, err
}

// JobState is what a host knows of a job that was begun there.
type JobState struct {
	ID   string // number of its process
	Runs bool
	Over bool   // it ended, and was not killed
	Said string // its last words; "" where it had none
}

// Look returns the states of jobs by their names; of those that the host never began, none. Their folder is the one
// that [Lodge] tells where root is "".
func Look(ctx context.Context, h Host, root string, names []string) (states map[string]JobState, err error) {
	err = ask(ctx, h, header{Task: "look", Root: root, Names: names}, nil, &states)
	return states, err
}

// Cancel ends jobs of a host, as [Look] knows them, and returns when they have ended.
func Cancel(ctx context.Context, h Host, root string, names []string) error {
	return ask(ctx, h, header{Task: "cancel", Root: root, Names: names}, nil, &struct{}{})
}

// answerTimeout is how long an answer may take: a job that is cancelled may need half a minute to end.
const answerTimeout = 90 * time.Second

// ask has the agent on a host do a task, and reads its answer.
func ask(ctx context.Context, h Host, to header, files []byte, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	p, err := begin(ctx, h, to, files, time.Second)
	if err != nil {
		return err
	}
	if lost := p.Wait().Lost; lost != nil {
		return lost
	}
	if err := json.Unmarshal(p.answer, answer); err != nil {
		return fmt.Errorf("%s gave no answer that can be read: %w", p.name(), err)
	}
	return nil
}
