// Package server shows the screens to several people at once, over SSH: each has screens of
// their own over one database. Who may log in is said by a file of public keys. There are no
// passwords, commands, files or forwarded ports.
package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"sync"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/ssh"
	"charm.land/wish/v2"
	gossh "golang.org/x/crypto/ssh"

	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
	"sweetspot/tui"
	"sweetspot/tui/components/ask"
	"sweetspot/tui/screen"
	"sweetspot/tui/screens/explore"
	"sweetspot/tui/state"
)

// Config is what a server is started with.
type Config struct {
	Address     string        // host:port to listen on
	Authorised  string        // the file of the public keys that may log in; read at every login
	HostKey     string        // the server's own key, made where there is none
	States      string        // the folder of what is remembered for each key; "" remembers nothing
	Idle        time.Duration // without a key pressed, after which a session ends; 0 is never
	MaxSessions int
	Denied      screen.Rights    // what nobody may do
	Workspace   screen.Workspace // of all sessions; the caller closes it
	Screens     tui.Options      // of every session, but for what it has of its own
	Log         io.Writer        // a line for everything that happens
}

// Server is a server that listens.
type Server struct {
	config   Config
	listener net.Listener
	ssh      *ssh.Server
	log      *log.Logger
	shared   *explore.Shared
	ws       screen.Workspace
	turns    *ask.Turns // shares processors among sessions
	hostKey  string     // its fingerprint
	keys     int        // that may log in, at the start

	connections atomic.Int32
	mu          sync.Mutex
	sessions    map[*session]bool
	stopping    bool

	around func(*session, tea.Model) tea.Model // of tests: puts a model around the screens
}

// Waits of the server.
const (
	toOpen   = time.Minute     // within which a client must have proved its key and opened a session
	toLeave  = 4 * time.Second // for a session to put its terminal back
	perGuest = 4               // connections for each session there may be
)

// New checks everything that can be wrong, and listens.
func New(c Config) (*Server, error) {
	keys, err := readAuthorised(c.Authorised)
	if err != nil {
		return nil, err
	}
	key, err := hostKey(c.HostKey)
	if err != nil {
		return nil, err
	}
	s := &Server{config: c, log: log.New(c.Log, "", log.LstdFlags), shared: &explore.Shared{},
		ws: share(c.Workspace), sessions: map[*session]bool{}, turns: ask.NewTurns(),
		hostKey: gossh.FingerprintSHA256(key.PublicKey()), keys: len(keys.keys)}
	for _, why := range keys.skipped {
		s.log.Printf("of %s %s", plaintext.Clean(c.Authorised), why)
	}
	s.ssh, err = wish.NewServer(
		wish.WithVersion("sweetspot"),
		wish.WithPublicKeyAuth(s.mayLogIn),
		wish.WithMiddleware(s.show, s.refuse, begin),
		func(srv *ssh.Server) error { srv.AddHostKey(key); return nil },
	)
	if err != nil {
		return nil, err
	}
	s.ssh.ConnCallback = s.connect
	s.ssh.ChannelHandlers = map[string]ssh.ChannelHandler{"session": openSession}
	s.ssh.RequestHandlers = map[string]ssh.RequestHandler{} // none: no ports are forwarded
	s.ssh.SubsystemHandlers = map[string]ssh.SubsystemHandler{"default": ssh.SubsystemHandler(begin(func(c ssh.Session) {
		refuse(c, "this server has no files to fetch or put: log in without sftp or scp")
	}))}
	if s.listener, err = net.Listen("tcp", c.Address); err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w", plaintext.Clean(c.Address), err)
	}
	s.log.Printf("serving %s on %s to %s, host key %s", plaintext.Clean(c.Workspace.Label()), s.Address(),
		quantity.Several(s.keys, "key"), s.hostKey)
	return s, nil
}

// Address is where it listens, as host:port.
func (s *Server) Address() string { return s.listener.Addr().String() }

// HostKey is the fingerprint of the server's own key.
func (s *Server) HostKey() string { return s.hostKey }

// Keys is how many could log in when it began to listen.
func (s *Server) Keys() int { return s.keys }

// Serve serves until its context ends; then every session ends with its terminal put back.
func (s *Server) Serve(ctx context.Context) error {
	failed := make(chan error, 1)
	go func() { failed <- s.ssh.Serve(s.listener) }()
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
		s.log.Print("stopping")
	}
	s.stop()
	_ = s.ssh.Close()
	if errors.Is(err, ssh.ErrServerClosed) {
		err = nil
	}
	return err
}

// stop ends all sessions and waits until they have ended.
func (s *Server) stop() {
	_ = s.listener.Close()
	s.mu.Lock()
	s.stopping = true
	for c := range s.sessions {
		c.leave(errStopping)
	}
	s.mu.Unlock()
	for deadline := time.Now().Add(2 * toLeave); s.Sessions() > 0 && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond)
	}
}

// Sessions is how many there are.
func (s *Server) Sessions() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sessions)
}

// enter counts a session, unless there are too many.
func (s *Server) enter(c *session) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.stopping:
		return errStopping
	case len(s.sessions) >= s.config.MaxSessions:
		return fmt.Errorf("all %d sessions of this server are taken: come back later", s.config.MaxSessions)
	}
	s.sessions[c] = true
	return nil
}

func (s *Server) left(c *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sessions, c)
}

// mayLogIn reads the file of keys again, so that taking a key away counts at once. Whoever
// holds no key learns nothing more than that.
func (s *Server) mayLogIn(ctx ssh.Context, key ssh.PublicKey) bool {
	keys, err := readAuthorised(s.config.Authorised)
	if err != nil {
		s.log.Printf("nobody can log in: %v", err)
		return false
	}
	if !keys.has(key) {
		s.log.Printf("refused %s from %s: the key %s may not log in", user(ctx.User()), ctx.RemoteAddr(),
			gossh.FingerprintSHA256(key))
		return false
	}
	return true
}

// user is a login name as a log may have it: anybody chooses theirs.
func user(name string) string { return plaintext.Quote(plaintext.Clean(name)) }

// remembered is what was remembered for a key; path is where to, "" for nowhere.
func (s *Server) remembered(key ssh.PublicKey) (last state.State, path string) {
	last = state.State{LogAxes: true}
	if s.config.States == "" {
		return last, ""
	}
	path = stateFile(s.config.States, key)
	last, err := state.Load(path)
	if err != nil {
		s.log.Print(err)
	}
	return last, path
}
