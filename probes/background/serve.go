package background

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
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
	h := &hub{matrix: m, entry: Entry{Name: name, PID: os.Getpid(), Database: database, Started: time.Now()},
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
