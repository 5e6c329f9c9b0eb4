package background

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"sync"
	"time"

	"sweetspot/engine/plaintext"
	"sweetspot/probes/matrix"
)

// clientTimeout is how long a client may take to read one update.
const clientTimeout = 10 * time.Second

// Matrix is what runs in the background; [matrix.Matrix] implements it.
type Matrix interface {
	Updates() <-chan matrix.Update
	Stop()
	KeepRunning()
	Cancel()
	Wait() matrix.Update
}

// Serve shows the matrix to the clients that attach under the name. It returns
// when the matrix has ended and all clients got the last update. No client
// needs to attach.
func Serve(m Matrix, name, database string) error {
	if err := makeDirectory(); err != nil {
		return err
	}
	path := socketPath(name)
	if len(path) > longestSocket {
		return fmt.Errorf("the path %s is too long for a socket; set XDG_STATE_HOME to a shorter one", plaintext.Clean(path))
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return fmt.Errorf("the background probe can't be reached: %w; set XDG_STATE_HOME to a directory on a local disk", err)
	}
	h := &hub{matrix: m, entry: Entry{Name: name, PID: os.Getpid(), Database: database, Started: time.Now().UTC()},
		changed: make(chan struct{})}
	if err := os.Chmod(path, 0o600); err != nil {
		return errors.Join(err, listener.Close())
	}
	go h.accept(listener)
	for u := range m.Updates() {
		h.set(u)
	}
	h.set(m.Wait())
	err = listener.Close() // which removes the socket
	h.clients.Wait()
	removeLog(name)
	return err
}

// hub holds the newest update for its clients.
type hub struct {
	matrix  Matrix
	entry   Entry
	clients sync.WaitGroup

	mu      sync.Mutex
	update  matrix.Update
	changed chan struct{} // closed when there is a newer one
}

func (h *hub) set(u matrix.Update) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.update = u
	close(h.changed)
	h.changed = make(chan struct{})
}

func (h *hub) get() (matrix.Update, <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.update, h.changed
}

// greeting is the entry as it is now.
func (h *hub) greeting() Entry {
	e := h.entry
	e.Runs = []int64{}
	u, _ := h.get()
	for _, r := range u.Rows {
		if id := r.Update.Run.ID; id != 0 {
			e.Runs = append(e.Runs, id)
		}
	}
	return e
}

func (h *hub) accept(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return // closed: the probe has ended
		}
		h.clients.Go(func() { h.show(conn) })
		go h.handle(conn)
	}
}

// show sends a client the updates, skipping those it is too slow for, but never the last.
func (h *hub) show(conn net.Conn) {
	defer func() { _ = conn.Close() }() // the client may be gone
	out := json.NewEncoder(conn)
	send := func(v any) error {
		return errors.Join(conn.SetWriteDeadline(time.Now().Add(clientTimeout)), out.Encode(v))
	}
	if send(h.greeting()) != nil {
		return
	}
	var sent [][]float64
	for last := 0; ; {
		u, changed := h.get()
		if u.Seq != last || u.Done {
			if send(pack(u, &sent)) != nil || u.Done {
				return // gone, or has the last update
			}
			last = u.Seq
		}
		<-changed
	}
}

// handle carries out a client's requests. A client that leaves changes nothing.
func (h *hub) handle(conn net.Conn) {
	for in := json.NewDecoder(conn); ; {
		var a request
		if in.Decode(&a) != nil {
			_ = conn.Close()
			return
		}
		switch a.Do {
		case doStop:
			h.matrix.Stop()
		case doKeepRunning:
			h.matrix.KeepRunning()
		case doCancel:
			h.matrix.Cancel()
		}
	}
}

// Entry is a background probe.
type Entry struct {
	Name     string    `json:"name"`
	PID      int       `json:"pid"`
	Database string    `json:"database"` // path
	Started  time.Time `json:"started"`  // in UTC
	Runs     []int64   `json:"runs"`     // IDs in the database of the runs started so far
}

// request is what a client wants.
type request struct{ Do string }

const (
	doStop        = "stop"
	doKeepRunning = "keep"
	doCancel      = "cancel"
)

// state is an update on the wire. Each row sends only the iteration times that
// are new or changed; errors are sent as text.
type state struct {
	matrix.Update
	Times []times
	Errs  []string // of the rows; "" for none
}

// times replaces a row's iteration times from From on.
type times struct {
	From    int
	Seconds []float64
}

// pack turns an update into a state for a client that already has the iteration
// times in sent, and updates sent.
func pack(u matrix.Update, sent *[][]float64) state {
	for len(*sent) < len(u.Rows) {
		*sent = append(*sent, nil)
	}
	s := state{Update: u, Times: make([]times, len(u.Rows)), Errs: make([]string, len(u.Rows))}
	s.Rows = slices.Clone(u.Rows)
	for i := range s.Rows {
		r := &s.Rows[i].Update
		from := common((*sent)[i], r.Seconds)
		s.Times[i] = times{from, r.Seconds[from:]}
		(*sent)[i] = r.Seconds
		if r.Err != nil {
			s.Errs[i] = r.Err.Error()
		}
		r.Seconds, r.Err = nil, nil
	}
	return s
}

// common returns the number of leading values that two series share. A series
// that only grew keeps its address, so the usual case costs nothing.
func common(old, now []float64) int {
	if len(old) == 0 || len(now) >= len(old) && &old[0] == &now[0] {
		return len(old)
	}
	n := min(len(old), len(now))
	for i := range n {
		if old[i] != now[i] {
			return i
		}
	}
	return n
}

var errOtherVersion = errors.New("the background probe runs another version of sweetspot; attach with that one")

// unpack turns a state back into an update for a client that has the iteration
// times in have, and updates have. Slices returned earlier do not change.
func unpack(s state, have *[][]float64) (matrix.Update, error) {
	if len(s.Times) != len(s.Rows) || len(s.Errs) != len(s.Rows) {
		return matrix.Update{}, errOtherVersion
	}
	for len(*have) < len(s.Rows) {
		*have = append(*have, nil)
	}
	for i := range s.Rows {
		r, t, old := &s.Rows[i].Update, s.Times[i], (*have)[i]
		if t.From < 0 || t.From > len(old) {
			return matrix.Update{}, errOtherVersion
		}
		if t.From < len(old) {
			old = slices.Clone(old[:t.From])
		}
		(*have)[i] = append(old, t.Seconds...)
		r.Seconds = slices.Clip((*have)[i])
		if s.Errs[i] != "" {
			r.Err = errors.New(s.Errs[i])
		}
	}
	return s.Update, nil
}
