package slurm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sweetspot/engine/plaintext"
	"sweetspot/probes/queue"
)

// columns are what squeue tells of a job; the last is a reason, or the nodes.
const columns = "Name:40,JobID:24,State:20,RestartCnt:10,StartTime:24,ReasonList:300"

// Look asks squeue, and sacct for jobs that squeue no longer knows: two commands,
// however many jobs there are.
func (e *Engine) Look(ctx context.Context, names []string) (map[string]queue.State, error) {
	list := "--name=" + strings.Join(names, ",")
	out, err := e.command(ctx, nil, "squeue", "--noheader", "--states=all", list, "--Format="+columns)
	if err != nil {
		return nil, fmt.Errorf("the controller of Slurm does not answer (%w); jobs that run go on", err)
	}
	found := parseQueue(out)
	if e.noSacct || !slices.ContainsFunc(names, func(n string) bool { return found[n].ID == "" }) {
		return found, nil
	}
	out, err = e.command(ctx, nil, "sacct", "--noheader", "--allocations", "--parsable2", "--starttime=now-7days", list,
		"--format=JobName,JobIDRaw,State,NodeList")
	var f *failure
	if errors.As(err, &f) { // accounting is off, or its daemon gone: squeue's word must do
		e.noSacct = strings.Contains(f.said, "disabled")
		return found, nil
	}
	if err != nil {
		return found, nil
	}
	for name, s := range parseAccounting(out) {
		if _, ok := found[name]; !ok && s.Phase == queue.Ended { // it may lag behind, or be of before a controller's end
			found[name] = s
		}
	}
	return found, nil
}

// parseQueue reads squeue's columns. Of several jobs of a name, one that goes on counts.
func parseQueue(out string) map[string]queue.State {
	found := map[string]queue.State{}
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		if len(f) < 5 {
			continue
		}
		list := strings.Join(f[5:], " ")
		s := queue.State{ID: f[1], Phase: phase(f[2])}
		s.Restarts, _ = strconv.Atoi(f[3])
		reason, isReason := strings.CutPrefix(strings.TrimSuffix(list, ")"), "(")
		switch {
		case refused(f[2], reason):
			continue // it was never accepted
		case s.Phase == queue.Waiting:
			s.Why = waits(reason)
			s.Starts = clock(f[4])
		case s.Phase == queue.Ended:
			s.Why, s.Cut = ends(f[2]), cut(f[2])
		}
		if !isReason {
			s.Node = list
		}
		if before, ok := found[f[0]]; !ok || before.Phase == queue.Ended {
			found[f[0]] = s
		}
	}
	return found
}

func parseAccounting(out string) map[string]queue.State {
	found := map[string]queue.State{}
	for line := range strings.Lines(out) {
		f := strings.Split(strings.TrimSpace(line), "|")
		if len(f) < 4 || f[3] == "None assigned" && strings.HasPrefix(f[2], "FAILED") {
			continue // it was never accepted
		}
		state, _, _ := strings.Cut(f[2], " ") // CANCELLED by 1000
		found[f[0]] = queue.State{ID: f[1], Phase: phase(state), Why: ends(state), Node: f[3], Cut: cut(state)}
	}
	return found
}

// refused reports whether a job is the trace of a submission that Slurm refused, which
// it lists as one that failed.
func refused(state, reason string) bool {
	return state == "FAILED" && (reason == "BadConstraints" || strings.HasPrefix(reason, "ReqNodeNotAvail"))
}

func phase(state string) queue.Phase {
	switch state {
	case "PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT", "RESV_DEL_HOLD":
		return queue.Waiting
	case "RUNNING", "COMPLETING", "SUSPENDED", "SIGNALING", "STAGE_OUT", "STOPPED", "RESIZING":
		return queue.Running
	}
	return queue.Ended
}

// cut reports whether it was Slurm that ended a job, which is over.
func cut(state string) bool {
	return slices.Contains([]string{"CANCELLED", "DEADLINE", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "TIMEOUT"}, state)
}

// ends says how a job ended.
func ends(state string) string {
	switch state {
	case "COMPLETED":
		return "it ended by itself"
	case "FAILED":
		return "it failed"
	case "CANCELLED":
		return "it was cancelled"
	case "TIMEOUT", "DEADLINE":
		return "its time limit was reached; ask for less, or cap the probes with --max-seconds"
	case "NODE_FAIL":
		return "its node failed; probe again"
	case "BOOT_FAIL":
		return "its node did not start; probe again"
	case "PREEMPTED":
		return "a job of higher priority took its place; probe again, or with another --qos"
	case "OUT_OF_MEMORY":
		return "it took more of the node's memory than it had asked for; give --mem among the options of sbatch"
	}
	return "it ended as " + plaintext.Cut(strings.ToLower(plaintext.Clean(state)), 40)
}

// waits says why a job waits, in words for the usual reasons.
func waits(reason string) string {
	word, _, _ := strings.Cut(reason, ",")
	switch word {
	case "", "None":
		return "waits in the queue"
	case "Resources":
		return "waits for GPUs in use by others"
	case "Priority":
		return "waits behind jobs of higher priority"
	case "BeginTime":
		return "waits to be begun again"
	case "ReqNodeNotAvail":
		return "waits for nodes that are drained, down or reserved (" + plaintext.Cut(reason, 120) + ")"
	case "PartitionDown", "PartitionInactive":
		return "waits for its partition, which is down"
	case "PartitionTimeLimit":
		return "asks for more time than its partition allows; cancel it, and cap the probes with --max-seconds"
	case "JobHeldUser", "JobHeldAdmin":
		return "is held"
	}
	if strings.HasPrefix(reason, "Nodes required for job are DOWN, DRAINED") {
		return "waits for nodes that are drained, down or reserved"
	}
	return "waits (" + plaintext.Cut(reason, 120) + ")"
}
