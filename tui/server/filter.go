package server

import (
	"context"
	"slices"
	"strings"
	"sync"

	"charm.land/ssh"
	gossh "golang.org/x/crypto/ssh"

	"sweetspot/engine/plaintext"
)

// mostChannels is how many sessions one connection may ask for at a time.
const mostChannels = 8

// openSession opens a session of a connection, and passes on little of what a client may
// ask for in it. It is an [ssh.ChannelHandler].
func openSession(srv *ssh.Server, conn *gossh.ServerConn, ch gossh.NewChannel, ctx ssh.Context) {
	c := ctx.Value(connectionKey{}).(*connection)
	c.begun()
	defer c.open.Add(-1)
	if c.open.Add(1) > mostChannels {
		_ = ch.Reject(gossh.ResourceShortage, "too many sessions on one connection")
		return
	}
	begun := make(chan struct{})
	ssh.DefaultSessionHandler(srv, conn, narrow{ch, ctx, begun}, beginning{ctx, sync.OnceFunc(func() { close(begun) })})
}

// beginning is the context of a session that is about to begin.
type beginning struct {
	ssh.Context
	begun func()
}

// begunKey is under which a session has what to call once it has begun, a func().
type begunKey struct{}

func (b beginning) Value(key any) any {
	if key == (begunKey{}) {
		return b.begun
	}
	return b.Context.Value(key)
}

// sized is a session whose terminal was asked for once, before its window's size could
// change: the library writes later sizes to where it reads the first one.
type sized struct {
	ssh.Session
	pty   ssh.Pty
	sizes <-chan ssh.Window
	has   bool
}

func (s sized) Pty() (ssh.Pty, <-chan ssh.Window, bool) { return s.pty, s.sizes, s.has }

// begin handles a session as [sized].
func begin(next ssh.Handler) ssh.Handler {
	return func(c ssh.Session) {
		s := sized{Session: c}
		s.pty, s.sizes, s.has = c.Pty()
		c.Context().Value(begunKey{}).(func())()
		next(s)
	}
}

// narrow is a channel that passes on few kinds of requests, and new sizes of the window only
// once the session has begun.
type narrow struct {
	gossh.NewChannel
	ctx   context.Context
	begun <-chan struct{}
}

func (n narrow) Accept() (gossh.Channel, <-chan *gossh.Request, error) {
	ch, requests, err := n.NewChannel.Accept()
	if err != nil {
		return nil, nil, err
	}
	passed := make(chan *gossh.Request)
	go func() {
		defer close(passed)
		var f filter
		for r := range requests {
			if f.passes(r) {
				n.await(r)
				passed <- r
			} else if r.WantReply {
				_ = r.Reply(false, nil)
			}
		}
	}()
	return ch, passed, nil
}

func (n narrow) await(r *gossh.Request) {
	if r.Type == "window-change" {
		select {
		case <-n.begun:
		case <-n.ctx.Done():
		}
	}
}

// filter decides on the requests of one session.
type filter struct {
	vars    int
	started bool
}

// mostVars is how many environment variables a session may set.
const mostVars = 32

func (f *filter) passes(r *gossh.Request) bool {
	switch r.Type {
	case "pty-req":
		return !f.started
	case "shell", "exec", "subsystem":
		first := !f.started
		f.started = true
		return first
	case "window-change":
		return f.started // before, nobody listens
	case "env":
		var kv struct{ Key, Value string }
		if f.started || f.vars == mostVars || gossh.Unmarshal(r.Payload, &kv) != nil || !allowed(kv.Key, kv.Value) {
			return false
		}
		f.vars++
		return true
	}
	return false
}

// variables are those that say what a terminal can show. Others would reach libraries that
// read files or run commands because of them.
var variables = []string{"COLORTERM", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "LANG", "LC_ALL", "LC_CTYPE",
	"TERM_PROGRAM", "TERM_PROGRAM_VERSION", "WT_SESSION"}

// longestVar is the most bytes of a variable's value.
const longestVar = 64

func allowed(name, value string) bool {
	return slices.Contains(variables, name) && len(value) <= longestVar && plaintext.IsASCII(value)
}

// terminal is the name of a client's terminal: as it says, where that is a name, since it
// becomes a part of a file's name. Without one it cannot show anything.
func terminal(name string) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-._"
	if len(name) > longestVar || strings.Trim(name, letters) != "" {
		return "xterm"
	}
	return strings.TrimLeft(name, ".")
}

// size is a window's size in cells, within what is worth drawing: where a client says
// nothing, as most terminals are.
func size(w ssh.Window) (width, height int) {
	const widest, highest = 500, 200
	if w.Width <= 0 || w.Height <= 0 {
		return 80, 24
	}
	return min(w.Width, widest), min(w.Height, highest)
}
