// Package session runs one probe from start to end: it starts the command,
// reads its events, checks the stop rule after every iteration, stops the
// command once it is met, and saves every event as it arrives.
package session

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"sweetspot/data/store"
	"sweetspot/engine/profile"
	"sweetspot/engine/secret"
	"sweetspot/engine/steady"
	"sweetspot/probes/adapter"
	"sweetspot/probes/identity"
	"sweetspot/probes/metric"
	"sweetspot/probes/protocol"
	"sweetspot/probes/runner"
)

// Options say what to run and when to stop.
type Options struct {
	Command     []string
	Dir         string
	Env         []string          // added to the environment, KEY=value
	Input       *os.File          // what the command reads, as in [runner.Command]; nil for nothing
	Description store.Description // what is known beforehand; the machine's facts are filled in
	Named       bool              // the description has the model's name, whatever the script calls it
	Rule        steady.Rule
	KeepRunning bool // past the stop rule, not past a cap
	Store       *store.Store
	Output      io.Writer      // gets what the script writes, as it is and at once; may be nil
	Warnings    []string       // known before the script starts
	Claimed     profile.VMType // that the user says the machine is; zero for none
	Files       fs.FS          // the command's own files, as in [runner.Command]; may be nil
	Start       Starter        // nil starts the command on this machine
	Here        bool           // it is this machine that Start starts it on
	Observe     []Observer
	RunsHarness bool // the command is the harness with a model
	WorkOnly    bool // what a unit takes is all that is to be known
	Hooked      bool // the script sends no events itself; they come from the hook in it
	// Adapter turns output into events for a script that neither writes events
	// nor can be hooked into. May be nil.
	Adapter *adapter.Adapter
	// Metrics reads the results of validations from the output. May be nil.
	Metrics *metric.Reader
	// RequiredPrecision returns how precise the steady mean of the run must be
	// for its purpose, and why; 0 means the rule's target. May be nil.
	RequiredPrecision func(r profile.Run) (precision float64, why string)
	// Place fills in the VM type and price of another host from what the host
	// reports about itself. May be nil.
	Place func(f identity.Facts, m *store.Machine)
	// Recording is that of an existing run to record again; nil begins a new run.
	Recording *store.Recording
	// NameAfter is the model of a script that turns out to train, where it is named after
	// that: further says that another one trained before. May be nil.
	NameAfter func(ctx context.Context, script string, further bool) (m profile.Model, ok bool)
	// AfterSave is called once everything is saved; its error becomes a warning.
	// May be nil.
	AfterSave func(ctx context.Context) error
	// FirstOfSeries numbers a series of runs after this one.
	FirstOfSeries bool
}

// isHere reports whether the command runs on this machine.
func (o Options) isHere() bool { return o.Start == nil || o.Here }

// Process is a probe's command under way, here or on another host. Its three
// streams must be read to the end.
type Process interface {
	Events() io.Reader
	Stdout() io.Reader
	Stderr() io.Reader
	Started() time.Time
	Wait() runner.Exit
	StopWithin(grace time.Duration)
}

// Starter starts a command.
type Starter func(ctx context.Context, c runner.Command) (Process, error)

func startHere(ctx context.Context, c runner.Command) (Process, error) {
	return runner.Start(ctx, c)
}

// Observer takes readings while the script runs, such as of the GPU's sensors,
// until ctx ends. Its events count like those of the script.
type Observer func(ctx context.Context, emit func(protocol.Event))

// Update is a snapshot of a probe. It is never changed once sent.
type Update struct {
	Seq         int
	Run         profile.Run // summary so far; usable as a run of a set
	Machine     store.Machine
	Seconds     []float64 // all iteration times so far
	Summary     steady.Summary
	Verdict     steady.Verdict
	SpentS      float64
	SpentUSD    *float64 // nil without a price
	Telemetry   []store.Telemetry
	Layers      []store.Layer   // shares of a forward pass, if measured
	Limit       *protocol.Limit // the largest batch that fits in memory, if requested
	InputWait   *float64        // share of the steady time spent waiting for input
	MemoryBytes *float64        // peak so far
	// MemoryReservedBytes is the peak of what the framework took from the device.
	MemoryReservedBytes *float64
	MemoryTotalBytes    *float64
	AccuracyRead        string   // what was read from the output as the accuracy, and whether it is; "" for nothing
	AccuracyFrom        string   // the name that was printed with it
	Waiting             string   // why the script does not run yet: its job waits in a queue
	Log                 []string // the last lines
	Warnings            []string
	Rejected            int // malformed events of the script
	Stopping            bool
	Done                bool
	StoppedBecause      string // precise, cap, end, oom or interrupted; "" while it runs and when it failed
	StoppedWords        string // the same as text: "±1.4 % after 212 steady steps"
	ScriptExit          *int
	Err                 error
	Earlier             []Update // last ones of the trainings before, of a command with several
}

// Reasons why a probe ended, besides [steady.Precise] and [steady.Cap].
const (
	End         = "end"
	OutOfMemory = "oom"
	Interrupted = "interrupted"
)

// Words for the end of a probe on another host: its connection was lost, or its job was cut off, which
// more words may follow.
const (
	ConnectionLost = "connection lost"
	CutOff         = "its job was cut off"
)

// Session is a probe under way.
type Session struct {
	id       int64
	updates  chan Update
	requests chan request
	ended    chan struct{}
	last     Update // once ended
}

type request int

const (
	stop request = iota
	keepRunning
	cancel
	spend
)

// Start begins a probe. When ctx ends, the probe is stopped and what it
// measured is saved. Its [Session.Updates] need not be read.
func Start(ctx context.Context, o Options) (*Session, error) {
	if o.Store == nil {
		return nil, errors.New("a probe needs a database to save to")
	}
	if o.Description.Command == nil {
		o.Description.Command = secret.Words(o.Command)
	}
	if o.Description.Folder == "" {
		o.Description.Folder = folder(o.Dir)
	}
	if o.Description.StartedAt.IsZero() {
		o.Description.StartedAt = time.Now()
	}
	here := o.isHere()
	if here {
		ThisMachine(&o.Description.Machine)
	}
	var before metric.Existing
	if o.Start == nil {
		o.Start = startHere
		if o.Metrics != nil {
			before = metric.Before(o.Dir)
		}
	}
	o.Rule.USDPerHour = cmp.Or(o.Rule.USDPerHour, o.Description.Machine.USDPerHour)
	o.Rule.CapsOnly = o.Rule.CapsOnly || o.KeepRunning
	// The loop stops the script when ctx ends, and saves what was measured.
	saving := context.WithoutCancel(ctx)
	recording, err := o.Recording, error(nil)
	if recording == nil {
		if recording, err = o.Store.Start(saving, o.Description); err != nil {
			return nil, err
		}
	}
	if o.FirstOfSeries {
		o.Description.Series = recording.ID()
	}
	process, err := o.Start(saving, runner.Command{Argv: o.Command, Dir: o.Dir, Env: o.Env, Files: o.Files,
		Input: o.Input})
	if err != nil {
		if o.Recording == nil {
			err = errors.Join(err, o.Store.Discard(saving, recording.ID()))
		}
		return nil, err
	}
	s := &Session{
		id:       recording.ID(),
		updates:  make(chan Update, 1),
		requests: make(chan request),
		ended:    make(chan struct{}),
	}
	l := &loop{
		session: s, options: o, here: here, process: process, before: before, ctx: saving,
		saver: startSaver(saving, recording),
		state: newState(o, recording.ID()),
		rule:  o.Rule,
	}
	l.state.redescribed = o.FirstOfSeries
	l.begin()
	for _, w := range o.Warnings {
		l.state.warn(w, 0)
	}
	messages := listen(process, o.Adapter != nil || o.Metrics != nil, o.Output != nil)
	go l.run(ctx.Done(), messages, observe(saving, o.Observe, s.ended))
	return s, nil
}

// folder is where a command runs that is started in dir; "" where that is not known.
func folder(dir string) string {
	full, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	return full
}

// ID is the number of the run in the database.
func (s *Session) ID() int64 { return s.id }

// Updates delivers the newest state, at most 20 times a second; states the
// reader was too slow for are dropped. The last one has Done and is always
// delivered; then the channel is closed.
func (s *Session) Updates() <-chan Update { return s.updates }

// Stop ends the probe at a step boundary and saves it. Asked again, the probe no
// longer waits for one: its process has ended in less than a second.
func (s *Session) Stop() { s.ask(stop) }

// KeepRunning lets the script go on when the stop rule is met, up to its own
// end or a cap.
func (s *Session) KeepRunning() { s.ask(keepRunning) }

// Spend ends the probe because the cap on the cost of all probes together is
// reached.
func (s *Session) Spend() { s.ask(spend) }

// Cancel ends the probe and deletes it.
func (s *Session) Cancel() { s.ask(cancel) }

func (s *Session) ask(r request) {
	select {
	case s.requests <- r:
	case <-s.ended:
	}
}

// Wait returns the last update.
func (s *Session) Wait() Update {
	<-s.ended
	return s.last
}

// observe runs the observers until the session has ended.
func observe(ctx context.Context, observers []Observer, ended <-chan struct{}) <-chan protocol.Event {
	out := make(chan protocol.Event, 64)
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		<-ended
		cancel()
	}()
	for _, o := range observers {
		go o(ctx, func(e protocol.Event) {
			select {
			case out <- e:
			case <-ctx.Done():
			}
		})
	}
	return out
}

// origin is the stream that a line came from.
type origin int

const (
	fromEvents origin = iota
	fromStdout
	fromStderr
)

type message struct {
	from  origin
	item  protocol.Item
	drawn string  // a line, or an update of a progress bar, as soon as it arrived; item is empty then
	raw   []byte  // what was written, as it arrived; all else is empty then
	at    float64 // when it was read, in seconds since the command began
}

// listen reads the process's three streams to their ends and then closes the
// channel. With drawings, output is delivered a second time, without delay, and with raw
// a third time, as it is.
func listen(p Process, drawings, raw bool) <-chan message {
	out := make(chan message, 1024)
	streams := map[origin]io.Reader{fromEvents: p.Events(), fromStdout: p.Stdout(), fromStderr: p.Stderr()}
	left := make(chan struct{}, len(streams))
	for from, stream := range streams {
		if raw && from != fromEvents {
			stream = &pass{in: stream, give: func(b []byte) { out <- message{from: from, raw: b} }}
		}
		if drawings && from != fromEvents {
			stream = adapter.Watch(stream, func(line string) {
				out <- message{from: from, drawn: line, at: time.Since(p.Started()).Seconds()}
			})
		}
		go func() {
			r := protocol.NewReader(stream)
			for {
				item, err := r.Next()
				if err != nil {
					left <- struct{}{}
					return
				}
				out <- message{from: from, item: item, at: time.Since(p.Started()).Seconds()}
			}
		}()
	}
	go func() {
		for range streams {
			<-left
		}
		close(out)
	}()
	return out
}

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

// wait waits for the write under way.
func (s *saver) wait() (err error) {
	if s.busy {
		err = <-s.results
		s.busy = false
	}
	return err
}

// close ends the saver; it must be idle.
func (s *saver) close() { close(s.jobs) }
