package sky

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"sweetspot/engine/plaintext"
	"sweetspot/probes/queue"
)

// record is what sky status tells of a cluster.
type record struct {
	Name      string `json:"name"`
	Status    string `json:"status"`
	InitKind  string `json:"init_kind"` // of an INIT: launching or unhealthy
	Reason    string `json:"init_status_reason"`
	Autostop  int    `json:"autostop"` // minutes; below 0 for none
	Down      bool   `json:"to_down"`
	Cloud     string `json:"cloud"`
	Region    string `json:"region"`
	Resources string `json:"resources_str"`
}

// jsonIn is the JSON in the output of a command, which may say something before it.
func jsonIn(out, opening string) (string, bool) {
	for at := 0; ; {
		i := strings.Index(out[at:], opening)
		if i < 0 {
			return "", false
		}
		if at += i; (at == 0 || out[at-1] == '\n') && json.Valid([]byte(out[at:])) {
			return out[at:], true
		}
		at++
	}
}

// status asks for clusters; of those that SkyPilot does not know, there is none.
func (e *Engine) status(ctx context.Context, refresh bool, clusters []string) (map[string]record, error) {
	words := []string{"status", "--output", "json", "--no-show-managed-jobs", "--no-show-services", "--no-show-pools"}
	if refresh {
		words = append(words, "--refresh")
	}
	out, err := e.command(ctx, append(words, clusters...)...)
	if err != nil {
		return nil, err
	}
	text, ok := jsonIn(out, "[")
	var list []record
	if !ok || json.Unmarshal([]byte(text), &list) != nil {
		return nil, fmt.Errorf("sky status answered something else than a list in JSON (%s); --on sky needs SkyPilot 0.11 "+
			"or newer", plaintext.Quote(lastLine(out)))
	}
	found := map[string]record{}
	for _, r := range list {
		if slices.Contains(clusters, r.Name) {
			found[r.Name] = r
		}
	}
	return found, nil
}

// jobs are the states of the newest job of each cluster, as sky queue calls them: "" of one
// without jobs. A cluster that sky queue could not ask is not among them.
func (e *Engine) jobs(ctx context.Context, clusters []string) (map[string]string, error) {
	out, err := e.command(ctx, append([]string{"queue", "--output", "json"}, clusters...)...)
	if err != nil {
		return nil, err
	}
	var lists map[string][]struct {
		ID     int    `json:"job_id"`
		Status string `json:"status"`
	}
	if text, ok := jsonIn(out, "{"); !ok || json.Unmarshal([]byte(text), &lists) != nil {
		return nil, errors.New("sky queue answered something else than JSON")
	}
	states := map[string]string{}
	for name, list := range lists {
		newest := -1
		states[name] = ""
		for _, j := range list {
			if j.ID > newest {
				newest, states[name] = j.ID, j.Status
			}
		}
	}
	return states, nil
}

// requests are the states of requests to launch, by their numbers.
func (e *Engine) requests(ctx context.Context, ids []string) (map[string]string, error) {
	out, err := e.command(ctx, append([]string{"api", "status", "--all-status", "--output", "json"}, ids...)...)
	if err != nil {
		return nil, err
	}
	var list []struct {
		ID     string `json:"request_id"`
		Status string `json:"status"`
	}
	if text, ok := jsonIn(out, "["); !ok || json.Unmarshal([]byte(text), &list) != nil {
		return nil, errors.New("sky api status answered something else than JSON")
	}
	states := map[string]string{}
	for _, r := range list {
		states[r.ID] = r.Status
	}
	return states, nil
}

// Look asks for the clusters, for the jobs of those that are up, and for the requests to
// launch those without: three commands at most, however many there are.
func (e *Engine) Look(ctx context.Context, names []string) (map[string]queue.State, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.look(ctx, names, true)
}

// look can leave out the jobs of the clusters. To end a cluster it is enough to know that it
// is there, and an overloaded one takes minutes to tell its jobs.
func (e *Engine) look(ctx context.Context, names []string, jobsToo bool) (map[string]queue.State, error) {
	var clusters []string
	for _, name := range names {
		clusters = append(clusters, Cluster(name))
	}
	found, err := e.status(ctx, true, clusters)
	if err != nil {
		return nil, fmt.Errorf("SkyPilot does not say how the clusters are (%w); those that are up go on", err)
	}
	var up, ids []string
	for _, name := range names {
		if r, there := found[Cluster(name)]; there && r.Status == "UP" {
			up = append(up, r.Name)
		}
	}
	var jobs, launches map[string]string
	if len(up) > 0 && jobsToo {
		if jobs, err = e.jobs(ctx, up); err != nil {
			jobs = nil // that they are up is known
		}
	}
	notes := map[string]note{}
	for _, name := range names {
		if slices.Contains(up, Cluster(name)) && (!jobsToo || jobs[Cluster(name)] != "") {
			continue // it is of no more interest how the launch went
		}
		if n, ok := readNote(name); ok {
			if notes[name] = n; n.Request != "" {
				ids = append(ids, n.Request)
			}
		}
	}
	if len(ids) > 0 {
		if launches, err = e.requests(ctx, ids); err != nil {
			return nil, fmt.Errorf("SkyPilot does not say what became of the launches (%w); those that are up go on", err)
		}
	}
	states := map[string]queue.State{}
	for _, name := range names {
		r, there := found[Cluster(name)]
		n, noted := notes[name]
		launch := launches[n.Request]
		if there {
			e.absent[name] = 0
			states[name] = r.state(jobs, launch)
			if s := states[name]; s.Phase == queue.Ended && launch == failed {
				s.Why = e.whyFailed(ctx, n)
				states[name] = s
			}
			continue
		}
		if s, ok := e.missing(ctx, name, n, noted, launch); ok {
			states[name] = s
		}
	}
	return states, nil
}

// The states of a request that has ended.
const (
	failed    = "FAILED"
	succeeded = "SUCCEEDED"
	cancelled = "CANCELLED"
)

// underWay are the states of one that has not.
var underWay = []string{"PENDING", "WAITING", "RUNNING"}

// state is that of a job whose cluster is there.
func (r record) state(jobs map[string]string, launch string) queue.State {
	where := strings.Join(strings.Fields(r.Cloud+" "+r.Region+" "+r.Resources), " ")
	s := queue.State{ID: r.Name, Node: plaintext.Line(where, 120)}
	switch r.Status {
	case "STOPPED":
		s.Phase = queue.Stopped
		s.Why = "its cluster was stopped with what it measured on its disk, which costs money: sky start " + r.Name +
			" brings it back for sweetspot attach, sweetspot queue cancel ends it"
		return s
	case "AUTOSTOPPING":
		s.Phase, s.Why = queue.Running, "its time is up, and SkyPilot is ending its cluster"
		return s
	case "INIT", "PENDING":
		reason := plaintext.Line(r.Reason, 200)
		switch {
		case launch == failed || launch == cancelled:
			s.Phase, s.Why, s.Unbegun = queue.Ended, "its launch failed", true
		case r.InitKind == "unhealthy":
			s.Phase, s.Why = queue.Running, "SkyPilot calls its cluster unhealthy"
		default:
			s.Phase, s.Why = queue.Waiting, "its VM is being started"
		}
		if reason != "" && s.Phase != queue.Ended {
			s.Why += ": " + reason
		}
		return s
	}
	s.Phase = queue.Running
	switch job, told := jobs[r.Name]; job {
	case "": // it is not known, or not submitted yet
		switch {
		// While it was set up: it has no job. Where sky queue is silent, only its spool tells.
		case launch == failed || launch == cancelled:
			s.Phase, s.Why, s.Unbegun = queue.Ended, "its launch failed", told
		case told && launch != succeeded:
			s.Phase, s.Why = queue.Waiting, "its cluster is being set up"
		}
	case "INIT", "PENDING", "SETTING_UP":
		s.Phase, s.Why = queue.Waiting, "its cluster is up, and its job about to begin"
	case succeeded:
		s.Phase, s.Why = queue.Ended, "its job ended by itself"
	case failed, "FAILED_SETUP", "FAILED_DRIVER":
		s.Phase, s.Why = queue.Ended, "its job failed; sky logs "+r.Name+" shows why"
	case cancelled:
		s.Phase, s.Why = queue.Ended, "its job was cancelled"
	}
	return s
}

// missing is the state of a job whose cluster SkyPilot does not know: it is yet to be, or is
// gone. Of one that was just launched, only a second look tells.
func (e *Engine) missing(ctx context.Context, name string, n note, noted bool, launch string) (queue.State, bool) {
	s := queue.State{ID: Cluster(name)}
	if noted && n.Request != "" && slices.Contains(underWay, launch) {
		e.absent[name] = 0
		s.Phase, s.Why = queue.Waiting, "SkyPilot looks for a VM"
		return s, true
	}
	if launch != failed {
		if e.absent[name]++; e.absent[name] < missedLooks {
			return s, false
		}
	}
	s.Phase = queue.Gone
	switch {
	case launch == failed:
		s.Why = e.whyFailed(ctx, n)
	case launch == cancelled:
		s.Why = "its launch was cancelled"
	case noted && n.LifetimeS > 0 && time.Since(n.Launched).Seconds() > n.LifetimeS-mostEarly.Seconds():
		s.Why = "its cluster was ended by its autostop before all was collected"
	default:
		s.Why = "its cluster was ended, by sky down or by its cloud"
	}
	return s, true
}

const (
	// missedLooks is how often in a row a cluster must be missing to be gone.
	missedLooks = 2
	// mostEarly is how long before its lifetime is over the autostop may end a cluster: it may
	// have started at once.
	mostEarly = 15 * time.Minute
)

// unavailable is how SkyPilot begins to say that no VM was to be had.
var unavailable = regexp.MustCompile(`(?i)failed to (provision|acquire)|ResourcesUnavailableError`)

// whyFailed is why a launch failed, in SkyPilot's words.
func (e *Engine) whyFailed(ctx context.Context, n note) string {
	hint := "sky api logs " + n.Request + " shows why"
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	out, err := e.command(ctx, "api", "logs", n.Request) // with --no-follow it would not tell the error
	said := ""
	if err != nil {
		said = strings.TrimPrefix(err.Error(), "sky api: ")
	}
	switch {
	case unavailable.MatchString(said + out):
		return "none of its VM types was to be had; " + hint + ", and another --gpu, --vm or --infra may be"
	case said != "" && ctx.Err() == nil:
		return "its launch failed: " + plaintext.Cut(said, 200) + "; " + hint
	}
	return "its launch failed; " + hint
}

// Cancel ends clusters, whether they are up or about to be, and forgets those that are gone.
func (e *Engine) Cancel(ctx context.Context, names []string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(names) == 0 {
		return nil
	}
	states, err := e.look(ctx, names, false)
	if err != nil {
		return fmt.Errorf("the clusters could not be ended: %w; later, sweetspot queue cancel does it", err)
	}
	var first error
	for _, name := range names {
		s, told := states[name]
		n, noted := readNote(name)
		if s.Phase == queue.Gone || !told && (!noted || n.Request == "") {
			first = cmp.Or(first, n.removeAs(name))
			continue
		}
		first = cmp.Or(first, e.end(ctx, name, n))
	}
	return first
}

// end ends a cluster, and its launch if that is under way.
func (e *Engine) end(ctx context.Context, name string, n note) error {
	if n.Request != "" {
		_, _ = e.command(ctx, "api", "cancel", "--yes", n.Request) // it may have ended
	}
	cluster := Cluster(name)
	_, err := e.command(ctx, "down", "--yes", cluster)
	found, unknown := e.status(ctx, false, []string{cluster})
	if _, there := found[cluster]; unknown == nil && !there {
		return n.removeAs(name)
	}
	price := ""
	if n.USDPerHour != nil {
		price = fmt.Sprintf(", and costs up to $%.2f an hour", *n.USDPerHour)
	}
	err = cmp.Or(err, unknown, errors.New("sky status still lists it"))
	return fmt.Errorf("%s could not be ended%s (%w); try sky down %s", cluster, price, err, cluster)
}

// removeAs removes the note of a job, also one that could not be read.
func (n note) removeAs(job string) error {
	n.Job = job
	return n.remove()
}
