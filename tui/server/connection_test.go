package server

import (
	"errors"
	"net"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestConnectionLimits(t *testing.T) {
	const silence = 5 * time.Minute
	for name, test := range map[string]struct {
		silence time.Duration
		begins  bool
		lasts   time.Duration // since the last byte; 0 is for ever
	}{
		"no session":                {silence, false, toOpen},
		"no session, no limit":      {0, false, toOpen},
		"a silent session":          {silence, true, silence},
		"a silent one, no limit":    {0, true, 0},
		"a limit below the login's": {toOpen / 2, true, toOpen / 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				near, far := net.Pipe()
				defer func() { _ = far.Close() }()
				closed := 0
				c := newConnection(near, test.silence, func() { closed++ })
				if test.begins {
					c.begun()
					go func() {
						time.Sleep(toOpen / 3)
						_, _ = far.Write([]byte("x"))
					}()
					if _, err := c.Read(make([]byte, 1)); err != nil {
						t.Fatal(err)
					}
				}
				if test.lasts == 0 {
					time.AfterFunc(24*time.Hour, func() { _ = far.Close() })
				}
				began := time.Now()
				_, err := c.Read(make([]byte, 1))
				if late := errors.Is(err, os.ErrDeadlineExceeded); late != (test.lasts > 0) ||
					late && time.Since(began) != test.lasts {
					t.Errorf("it ended after %s: %v", time.Since(began), err)
				}
				_, _ = c.Close(), c.Close()
				if closed != 1 {
					t.Errorf("it was counted off %d times", closed)
				}
			})
		})
	}
}

// Limits hold from many logins at once on; the race detector watches.
func TestManyLogins(t *testing.T) {
	s := serve(t, func(c *Config) { c.Idle, c.MaxSessions = time.Minute, 8 })
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				conn, err := s.dial("guest", s.signer)
				if err != nil {
					t.Error(err)
					return
				}
				_ = conn.Close()
			}
		})
	}
	all.Wait()
}

// Clients that connect and don't log in are turned away beyond a number, until some of them are gone.
func TestMostConnections(t *testing.T) {
	s := serve(t, func(c *Config) { c.MaxSessions = 1 })
	greeted := func() (net.Conn, bool) { // whether the server says its version
		conn, err := net.Dial("tcp", s.Address())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		_ = conn.SetReadDeadline(time.Now().Add(waits))
		_, err = conn.Read(make([]byte, 1))
		return conn, err == nil
	}
	var first net.Conn
	for i := range 2 * perGuest {
		conn, ok := greeted()
		if !ok {
			t.Fatalf("connection %d of %d is turned away", i+1, 2*perGuest)
		}
		if first == nil {
			first = conn
		}
	}
	if _, ok := greeted(); ok {
		t.Error("there is no limit")
	}
	_ = first.Close()
	for until := time.Now().Add(waits); ; time.Sleep(10 * time.Millisecond) {
		if _, ok := greeted(); ok {
			return
		}
		if time.Now().After(until) {
			t.Fatal("one that is gone is still counted")
		}
	}
}

// What is written to a client who says nothing puts the end off, too: it watches a screen.
func TestWritingIsNoSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const silence = time.Minute
		near, far := net.Pipe()
		defer func() { _ = far.Close() }()
		c := newConnection(near, silence, func() {})
		c.begun()
		go func() { _, _ = far.Read(make([]byte, 1)) }()
		time.AfterFunc(silence/2, func() { _, _ = c.Write([]byte("x")) })
		began := time.Now()
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) != silence*3/2 {
			t.Errorf("it ended after %s: %v", time.Since(began), err)
		}
		_ = c.Close()
	})
}
