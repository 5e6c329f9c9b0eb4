package e2e

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"sweetspot/data/workspace"
	"sweetspot/engine/question"
	"sweetspot/probes/matrix"
	"sweetspot/probes/session"
	"sweetspot/tui"
	"sweetspot/tui/screen"
	"sweetspot/tui/screens/probe"
	"sweetspot/tui/state"
	"sweetspot/tui/theme"
)

// roleVar makes the test binary play another program: "emitter:FILE", or
// "panic:WHERE".
const roleVar = "SWEETSPOT_E2E_ROLE"

func play(role, argument string) error {
	switch role {
	case "emitter":
		return emit(argument)
	case "panic":
		return panicIn(argument)
	}
	return fmt.Errorf("there is no role %q", role)
}

// emit speaks the event protocol as a training script would, an iteration
// every few milliseconds, and notes in a file when it had sent each.
func emit(diary string) error {
	note, err := os.Create(diary)
	if err != nil {
		return err
	}
	fd, err := strconv.Atoi(strings.TrimPrefix(os.Getenv("SWEETSPOT_EVENTS"), "fd:"))
	if err != nil {
		return fmt.Errorf("no place for events: %w", err)
	}
	events := os.NewFile(uintptr(fd), "events")
	began := time.Now()
	fmt.Fprintf(note, "pid %d\n", os.Getpid())
	fmt.Fprintf(events,
		`{"sweetspot":1,"event":"model","t":0,"name":"emitted","unit":"image","batch_size":32,"iterations_per_epoch":1000,"epochs":5}`+"\n")
	for n := 0; ; n++ {
		line := fmt.Sprintf(`{"sweetspot":1,"event":"iteration","t":%.6f,"epoch":%d,"index":%d,"seconds":0.003,"units":32}`+
			"\n", time.Since(began).Seconds(), n/1000, n)
		if _, err := events.WriteString(line); err != nil {
			return err
		}
		fmt.Fprintf(note, "sent %d %d\n", n+1, time.Now().UnixNano())
		time.Sleep(3 * time.Millisecond)
	}
}

// panicking is a real workspace with a defect: what is asked of it panics
// once it is armed.
type panicking struct {
	*workspace.Workspace
	where string
	armed atomic.Bool
}

func (p *panicking) Version(ctx context.Context) (int64, error) {
	p.trip("command")
	return p.Workspace.Version(ctx)
}

// Label is asked for in every frame.
func (p *panicking) Label() string {
	p.trip("view")
	return p.Workspace.Label()
}

func (p *panicking) trip(where string) {
	if p.where == where && p.armed.Load() {
		panic("a defect on purpose")
	}
}

// panicIn shows the real screens over a workspace that panics in a command or
// in the drawing of a frame once a probe has been running for a while.
func panicIn(where string) error {
	ctx := context.Background()
	w, err := workspace.Open(ctx, "")
	if err != nil {
		return err
	}
	defective := &panicking{Workspace: w, where: where}
	symbols, err := theme.SymbolSet("braille")
	if err != nil {
		return err
	}
	path, err := state.Path()
	if err != nil {
		return err
	}
	asked, err := state.Load(path)
	if err != nil {
		return err
	}
	_, err = tui.Run(ctx, tui.Options{
		Workspace: defective, Symbols: symbols, State: asked,
		Probe: func(ctx context.Context, _ screen.Workspace, f probe.Form, _ question.Query) (probe.Probe, error) {
			db, err := w.Writable(ctx)
			if err != nil {
				return nil, err
			}
			self, err := os.Executable()
			if err != nil {
				return nil, err
			}
			time.AfterFunc(2*time.Second, func() { defective.armed.Store(true) })
			return matrix.Start(ctx, matrix.Options{
				Cells: make([]matrix.Cell, 1),
				Probe: func(context.Context, matrix.Cell) (session.Options, error) {
					return session.Options{
						Store: db, Rule: f.Rule(), KeepRunning: true, Command: []string{self},
						Env: []string{roleVar + "=emitter:" + os.Getenv("HOME") + "/diary"},
					}, nil
				},
			})
		},
	})
	return err
}
