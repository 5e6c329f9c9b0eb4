package sky

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
)

// note is the record of a cluster that was begun, and may cost money. It is a file of its own.
type note struct {
	Job        string    `json:"job"`
	GPU        string    `json:"gpu"`
	Count      int       `json:"count"`
	USDPerHour *float64  `json:"usd_per_hour"` // of the cluster, at most; null where it is not known
	Launched   time.Time `json:"launched"`
	LifetimeS  float64   `json:"lifetime_s"` // seconds that it exists at most
	Request    string    `json:"request"`    // to launch it, as SkyPilot's API server numbers it
}

// directory holds the notes: $XDG_STATE_HOME/sweetspot/sky.
func directory() (string, error) {
	dir := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(dir) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("there is no place to note which clusters were begun (%w): set HOME or XDG_STATE_HOME", err)
		}
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "sweetspot", "sky"), nil
}

func unwritten(err error) error {
	return fmt.Errorf("which clusters were begun cannot be noted: %w; free space, or set XDG_STATE_HOME to another folder",
		err)
}

// jobForm is the name of a job, which becomes part of a path.
var jobForm = regexp.MustCompile(`^[0-9a-f]{1,64}$`)

func notePath(job string) (string, error) {
	if !jobForm.MatchString(job) {
		return "", fmt.Errorf("%s cannot name a cluster", plaintext.Quote(job))
	}
	dir, err := directory()
	return filepath.Join(dir, job+".json"), err
}

// write replaces the note at once, or not at all.
func (n note) write() error {
	path, err := notePath(n.Job)
	if err != nil {
		return err
	}
	text, err := json.Marshal(n)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err == nil {
		err = os.WriteFile(path+".new", append(text, '\n'), 0o600)
	}
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		return unwritten(err)
	}
	return nil
}

// remove removes the note last, after what a process left that was killed while it launched.
func (n note) remove() error {
	path, err := notePath(n.Job)
	if err != nil {
		return err
	}
	for _, p := range []string{filepath.Join(filepath.Dir(path), taskName(Cluster(n.Job))), path + ".new", path} {
		if err := os.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return unwritten(err)
		}
	}
	return nil
}

// readNote is false where there is none. One that cannot be read knows nothing but its
// cluster.
func readNote(job string) (n note, ok bool) {
	path, err := notePath(job)
	if err != nil {
		return n, false
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return n, !errors.Is(err, fs.ErrNotExist)
	}
	_ = json.Unmarshal(text, &n)
	if p := n.USDPerHour; p != nil && !(*p > 0) {
		n.USDPerHour = nil
	}
	if !requestForm.MatchString(n.Request) {
		n.Request = ""
	}
	n.Job = job
	return n, true
}

// Leftover is a cluster that was begun here, and of which it is not known that it is gone.
type Leftover struct {
	Job, Cluster string
	GPU          string   // such as A100:2; "" where it is not known
	USDPerHour   *float64 // at most; nil where it is not known
	Until        time.Time
}

// Leftovers lists them by the notes alone, the oldest first. Those of matrices that are
// under way are among them.
func Leftovers() (all []Leftover, err error) {
	dir, err := directory()
	if err != nil {
		return nil, err
	}
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the clusters that were begun cannot be listed: %w; make the folder readable", err)
	}
	for _, f := range files {
		job, is := strings.CutSuffix(f.Name(), ".json")
		n, ok := readNote(job)
		if !is || !ok {
			continue
		}
		l := Leftover{Job: job, Cluster: Cluster(job), USDPerHour: n.USDPerHour}
		if n.GPU != "" {
			l.GPU = fmt.Sprintf("%s:%d", plaintext.Line(n.GPU, 40), n.Count)
		}
		if !n.Launched.IsZero() && n.LifetimeS > 0 {
			l.Until = n.Launched.Add(time.Duration(min(n.LifetimeS, 1e7) * float64(time.Second)))
		}
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b Leftover) int { return a.Until.Compare(b.Until) })
	return all, nil
}

// End is the command, for a shell, that ends it.
func (l Leftover) End() string { return "sweetspot queue cancel " + l.Job }

// String says what it costs, and until when at most.
func (l Leftover) String() string {
	what := l.Cluster
	if l.GPU != "" {
		what += " (" + l.GPU + ")"
	}
	costs := "may still run, at a price that is not known"
	if l.USDPerHour != nil {
		costs = "may still run, at up to " + quantity.Money(*l.USDPerHour) + " an hour"
	}
	switch {
	case l.Until.IsZero():
		return what + " " + costs
	case time.Now().After(l.Until):
		return what + " was never seen to end; its limit was " + l.Until.Local().Format("2006-01-02 15:04") + ", and if it " +
			strings.TrimPrefix(costs, "may still run, ") + " goes on, sky status shows it"
	}
	return what + " " + costs + ", by its limit until " + l.Until.Local().Format("15:04")
}
