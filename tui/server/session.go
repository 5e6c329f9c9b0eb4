package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/ssh"
	"github.com/charmbracelet/colorprofile"
	gossh "golang.org/x/crypto/ssh"

	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
	"sweetspot/tui"
	"sweetspot/tui/state"
)

// Why a session ends that its user did not end.
var (
	errStopping = errors.New("the server is being stopped")
	errGone     = errors.New("the client is gone")
)

// errPanic is the end of a session by a fault of the program; the log has more.
var errPanic = errors.New("a fault of sweetspot ended this session; what was saved is safe")

// session is one person's screens.
type session struct {
	server  *Server
	ssh     ssh.Session
	program *tea.Program
	name    string // in the log

	once  sync.Once
	why   error         // set by the first who ends it, before going is closed
	going chan struct{} // closed once it is to end
}

// refuse says in a sentence why there are no screens.
func refuse(c ssh.Session, why string) {
	drain(c)
	_, _ = fmt.Fprintf(c.Stderr(), "sweetspot: %s\r\n", why)
	_ = c.Exit(1)
}

// drain reads a window's sizes that nobody waits for; the library would wait for ever.
func drain(c ssh.Session) {
	if _, sizes, ok := c.Pty(); ok {
		go func() {
			for range sizes {
			}
		}()
	}
}

// refuse lets through who wants screens and has a terminal.
func (s *Server) refuse(next ssh.Handler) ssh.Handler {
	return func(c ssh.Session) {
		pty, _, has := c.Pty()
		switch name := terminal(pty.Term); {
		case c.RawCommand() != "":
			refuse(c, "this server shows screens and runs no commands: log in without "+
				plaintext.Quote(plaintext.Clean(c.RawCommand())))
		case !has:
			refuse(c, "the screens need a terminal: log in with ssh -t")
		case name == "" || name == "dumb":
			refuse(c, "this terminal cannot show screens: set TERM to its name, such as xterm-256color")
		default:
			next(c)
		}
	}
}

// show shows the screens until the session ends.
func (s *Server) show(ssh.Handler) ssh.Handler {
	return func(c ssh.Session) {
		me := &session{server: s, ssh: c, going: make(chan struct{}), name: fmt.Sprintf("%s from %s with the key %s",
			user(c.User()), c.RemoteAddr(), gossh.FingerprintSHA256(c.PublicKey()))}
		if err := s.enter(me); err != nil {
			s.log.Printf("turned away %s: %v", me.name, err)
			refuse(c, err.Error())
			return
		}
		defer s.left(me)
		s.log.Printf("%s is in", me.name)
		began := time.Now()
		why := me.run()
		said := "is out"
		if why != nil {
			said = "is out, since " + why.Error()
			_, _ = fmt.Fprintf(c.Stderr(), "sweetspot: %v\r\n", why)
		}
		s.log.Printf("%s %s, after %s", me.name, said, quantity.Duration(time.Since(began).Seconds()))
		code := 0
		if why != nil {
			code = 1
		}
		_ = c.Exit(code)
	}
}

// run runs the program; why is nil where its user ended it.
func (me *session) run() (why error) {
	c := me.ssh
	ctx, kill := context.WithCancel(context.WithoutCancel(c.Context()))
	defer kill()
	defer context.AfterFunc(c.Context(), func() { me.leave(errGone) })()
	o, path := me.options()
	ctx, turns := me.server.turns.Join(ctx)
	app := tui.New(ctx, o)
	var model tea.Model = app
	if around := me.server.around; around != nil {
		model = around(me, model)
	}
	input := newInput(&bounded{r: c}, func() { me.leave(errGone) })
	defer input.close()
	watched := &watched{model: model, fault: me.fault, input: input, turns: turns}
	pty, sizes, _ := c.Pty()
	env := append(slices.DeleteFunc(c.Environ(), func(v string) bool { return strings.HasPrefix(v, "TERM=") }),
		"TERM="+terminal(pty.Term), "SSH_TTY=sweetspot")
	w, h := size(pty.Window)
	more := []tea.ProgramOption{tea.WithContext(ctx), tea.WithoutSignalHandler(), tea.WithInput(input),
		tea.WithOutput(c), tea.WithEnvironment(env), tea.WithColorProfile(colorprofile.Env(env)), tea.WithWindowSize(w, h)}
	if o.FPS > 0 {
		more = append(more, tea.WithFPS(o.FPS))
	}
	me.program = tea.NewProgram(watched, more...)
	over := make(chan struct{})
	var beside sync.WaitGroup
	beside.Go(func() { me.watch(over, input.seen, kill) })
	go me.resize(sizes)
	_, err := me.program.Run()
	close(over)
	beside.Wait()
	lost := errors.Is(me.reason(), errGone)
	app.End(lost)
	if path != "" {
		if err := state.Save(path, app.State()); err != nil {
			me.server.log.Printf("what %s looked at was not saved: %v", me.name, err)
		}
	}
	if why := me.reason(); why != nil {
		return why
	}
	return err
}

// options are those of this session's screens.
func (me *session) options() (o tui.Options, statePath string) {
	o = me.server.config.Screens
	o.Workspace, o.Shared, o.Denied = me.server.ws, me.server.shared, me.server.config.Denied
	o.State, statePath = me.server.remembered(me.ssh.PublicKey())
	o.Rent = nil // it would rent with the owner's account, on the server's terminal
	o.NoColor = o.NoColor || slices.ContainsFunc(me.ssh.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "NO_COLOR=") && v != "NO_COLOR="
	})
	return o, statePath
}

// stateFile is where something is remembered for a key.
func stateFile(folder string, key ssh.PublicKey) string {
	sum := sha256.Sum256(key.Marshal())
	return filepath.Join(folder, hex.EncodeToString(sum[:])+".json")
}

// leave ends the session; the first reason counts.
func (me *session) leave(why error) {
	me.once.Do(func() {
		me.why = why
		close(me.going)
	})
}

// reason is why the session was ended, nil where its user did.
func (me *session) reason() error {
	select {
	case <-me.going:
		return me.why
	default:
		return nil
	}
}

// fault notes a panic of the screens and ends the session.
func (me *session) fault(value any) {
	me.server.log.Printf("a fault in the session of %s: %s\n%s", me.name,
		plaintext.Cut(plaintext.Clean(fmt.Sprint(value)), 1000), debug.Stack())
	me.leave(errPanic)
}

// watch ends a session that is idle, or is to end. A program that does not end by itself,
// since nobody reads what it draws, loses its connection.
func (me *session) watch(over, seen <-chan struct{}, kill func()) {
	var idle <-chan time.Time
	limit := me.server.config.Idle
	var timer *time.Timer
	if limit > 0 {
		timer = time.NewTimer(limit)
		defer timer.Stop()
		idle = timer.C
	}
	for {
		select {
		case <-over:
			return
		case <-seen:
			if timer != nil {
				timer.Reset(limit)
			}
			continue
		case <-idle:
			if len(seen) > 0 { // a busy machine came to both late
				timer.Reset(limit)
				continue
			}
			me.leave(fmt.Errorf("no key was pressed for %s", quantity.Duration(limit.Seconds())))
		case <-me.going:
		}
		break
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		me.program.Send(leaveMsg{})
	}()
	grace := time.After(toLeave)
	for _, end := range []func(){me.hangUp, kill} {
		select {
		case <-over:
			<-ended
			return
		case <-grace:
			end()
			grace = time.After(2 * settle)
		}
	}
	<-over
	<-ended
}

// hangUp ends the connection, and so every wait for its client.
func (me *session) hangUp() {
	if conn, ok := me.ssh.Context().Value(ssh.ContextKeyConn).(io.Closer); ok {
		_ = conn.Close()
	}
}

// resize tells the program of the window's sizes for as long as there are any.
func (me *session) resize(sizes <-chan ssh.Window) {
	for window := range sizes {
		w, h := size(window)
		me.program.Send(tea.WindowSizeMsg{Width: w, Height: h})
	}
}
