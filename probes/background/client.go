package background

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"sweetspot/engine/plaintext"
	"sweetspot/probes/matrix"
)

// Client watches a background probe and may stop it.
type Client struct {
	entry   Entry
	conn    net.Conn
	updates chan matrix.Update
	ended   chan struct{}
	last    matrix.Update // once ended
	err     error         // once ended

	mu   sync.Mutex
	left bool
}

// Dial attaches to the background probe of that name.
func Dial(name string) (*Client, error) {
	if !nameForm.MatchString(name) {
		return nil, fmt.Errorf("there is no background probe called %q; sweetspot attach lists them", plaintext.Clean(name))
	}
	c, in, err := greet(name)
	if err != nil {
		return nil, fmt.Errorf("the background probe %s has ended; what it measured is in its database", name)
	}
	go c.receive(in)
	return c, nil
}

func greet(name string) (*Client, *json.Decoder, error) {
	if Directory() == "" {
		return nil, nil, os.ErrNotExist
	}
	conn, err := net.DialTimeout("unix", socketPath(name), time.Second)
	if err != nil {
		return nil, nil, err
	}
	c := &Client{conn: conn, updates: make(chan matrix.Update, 1), ended: make(chan struct{})}
	in := json.NewDecoder(conn)
	err = errors.Join(conn.SetReadDeadline(time.Now().Add(clientTimeout)), in.Decode(&c.entry),
		conn.SetReadDeadline(time.Time{}))
	if err != nil {
		return nil, nil, errors.Join(err, conn.Close())
	}
	return c, in, nil
}

func (c *Client) receive(in *json.Decoder) {
	defer close(c.updates)
	defer close(c.ended)
	defer func() { _ = c.conn.Close() }()
	var have [][]float64
	for !c.last.Done {
		var s state
		err := in.Decode(&s)
		if err == nil {
			c.last, err = unpack(s, &have)
		}
		if err != nil {
			c.err = c.why(err)
			return
		}
		select {
		case <-c.updates: // not read yet
		default:
		}
		c.updates <- c.last
	}
}

func (c *Client) why(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.left:
		return nil
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed),
		errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("the background probe %s ended unexpectedly; what it measured until then is in %s", c.entry.Name,
			plaintext.Clean(c.entry.Database))
	case errors.Is(err, errOtherVersion):
		return err
	}
	return fmt.Errorf("%w (%s)", errOtherVersion, plaintext.Line(err.Error(), 200))
}

// Entry describes the probe.
func (c *Client) Entry() Entry { return c.entry }

// Updates delivers the newest state; states the reader was too slow for are
// dropped. It is closed after the last one, or when the probe is gone.
func (c *Client) Updates() <-chan matrix.Update { return c.updates }

// Stop ends the probe and saves it.
func (c *Client) Stop() { c.ask(doStop) }

// KeepRunning lets the running probes keep running after the stop rule is met.
func (c *Client) KeepRunning() { c.ask(doKeepRunning) }

// Cancel ends the probe and forgets it.
func (c *Client) Cancel() { c.ask(doCancel) }

func (c *Client) ask(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.conn.SetWriteDeadline(time.Now().Add(clientTimeout))
	_ = json.NewEncoder(c.conn).Encode(request{what}) // a probe that has ended needs no request
}

// Leave disconnects; the probe goes on.
func (c *Client) Leave() {
	c.mu.Lock()
	c.left = true
	c.mu.Unlock()
	_ = c.conn.Close()
}

// Wait returns the last update that came.
func (c *Client) Wait() matrix.Update {
	<-c.ended
	return c.last
}

// Err says, once the updates have ended, why the last one did not come; nil
// where it did, and after [Client.Leave].
func (c *Client) Err() error {
	<-c.ended
	return c.err
}

// List returns the background probes that run, the oldest first. What a killed
// one left behind is removed.
func List() ([]Entry, error) {
	if Directory() == "" {
		return nil, nil // none can have been started
	}
	paths, err := filepath.Glob(filepath.Join(Directory(), "*.sock"))
	if err != nil {
		return nil, err
	}
	var all []Entry
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".sock")
		c, _, err := greet(name)
		if err != nil {
			if isStale(path, err) {
				_ = os.Remove(path)
			}
			continue
		}
		_ = c.conn.Close()
		all = append(all, c.entry)
	}
	slices.SortFunc(all, func(a, b Entry) int { return a.Started.Compare(b.Started) })
	return all, nil
}
