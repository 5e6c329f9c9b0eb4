package request

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"sweetspot/engine/steady"
)

// memo is kept of probes that go on without us, for who follows them later: when to stop,
// whether the model's name is the user's, and how accuracies are read.
type memo struct {
	steady.Rule
	Named           bool
	AccuracyPattern string
}

// memo is what who follows the probes later must know of them.
func (r Request) memo() memo {
	m := memo{r.Rule, r.Name != "" || !r.IsCommand(), r.AccuracyPattern}
	m.CapsOnly = m.CapsOnly || r.KeepRunning
	m.USDPerHour = nil // the runs have it
	return m
}

// read reads a memo; of one from another version nothing is used.
func read(text json.RawMessage) (m memo) {
	m.Rule = steady.DefaultRule()
	if json.Unmarshal(text, &m) != nil {
		m = memo{Rule: steady.DefaultRule()}
	}
	return m
}

// limit is how long a probe on another host may take according to its caps,
// which apply there even without a connection; 0 for none.
func limit(r steady.Rule, usdPerHour *float64) time.Duration {
	seconds := r.MaxSeconds
	if usdPerHour != nil && *usdPerHour > 0 && r.MaxUSD > 0 {
		if paid := r.MaxUSD / *usdPerHour * 3600; seconds == 0 || paid < seconds {
			seconds = paid
		}
	}
	const most = 365 * 24 * 3600
	return time.Duration(min(seconds, most) * float64(time.Second))
}

// memoPath is the file that keeps how a matrix in a queue is judged; "" without a home.
func memoPath(key string) string {
	dir := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(dir) {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "sweetspot", "queued", key+".json")
}

// remember keeps the memo of a matrix in a queue for who follows it later.
func remember(key string, m memo) error {
	path := memoPath(key)
	if path == "" {
		return errors.New("a queued probe has no place for its notes, because HOME is not set; set it, or XDG_STATE_HOME")
	}
	text, err := json.Marshal(m)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	return err
}

// recall reads it; what cannot be read is the usual.
func recall(key string) memo {
	text, err := os.ReadFile(memoPath(key))
	if err != nil {
		return memo{Rule: steady.DefaultRule()}
	}
	return read(text)
}

func forgetMemo(key string) { _ = os.Remove(memoPath(key)) }
