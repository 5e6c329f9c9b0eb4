package server

import (
	"net"
	"sync"
	"sync/atomic"
	"time"

	"charm.land/ssh"
)

// connection is a client's connection. It is counted until it is closed, and it closes itself
// where its client opens no session in time, or goes silent. The SSH library has such limits,
// too, but it lifts the first of them while another goroutine reads it.
type connection struct {
	net.Conn
	silence time.Duration // either way, once there was a session, after which it ends; 0 is never
	opened  atomic.Bool   // a session has been opened, so the client has proved its key
	open    atomic.Int32  // sessions
	closing func()
}

// connectionKey is under which the context of a connection has its [connection].
type connectionKey struct{}

// connect takes a connection on, unless there are too many. It is an [ssh.ConnCallback].
func (s *Server) connect(ctx ssh.Context, conn net.Conn) net.Conn {
	most := perGuest*s.config.MaxSessions + perGuest
	if int(s.connections.Add(1)) > most {
		s.connections.Add(-1)
		return nil
	}
	var silence time.Duration
	if s.config.Idle > 0 {
		silence = s.config.Idle + time.Minute // a session that idles ends first, and says why
	}
	c := newConnection(conn, silence, func() { s.connections.Add(-1) })
	ctx.SetValue(connectionKey{}, c)
	return c
}

func newConnection(conn net.Conn, silence time.Duration, closing func()) *connection {
	_ = conn.SetDeadline(time.Now().Add(toOpen))
	return &connection{Conn: conn, silence: silence, closing: sync.OnceFunc(closing)}
}

// begun replaces the limit until the first session by that of silence.
func (c *connection) begun() {
	if !c.opened.Swap(true) {
		_ = c.SetDeadline(time.Time{})
		c.heard()
	}
}

// heard puts off the end by silence.
func (c *connection) heard() {
	if c.silence > 0 && c.opened.Load() {
		_ = c.SetDeadline(time.Now().Add(c.silence))
	}
}

func (c *connection) Read(p []byte) (int, error) {
	c.heard()
	return c.Conn.Read(p)
}

func (c *connection) Write(p []byte) (int, error) {
	c.heard()
	return c.Conn.Write(p)
}

func (c *connection) Close() error {
	defer c.closing()
	return c.Conn.Close()
}
