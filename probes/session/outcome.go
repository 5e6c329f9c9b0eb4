package session

import (
	"errors"
	"fmt"
	"syscall"

	"sweetspot/engine/profile"
	"sweetspot/engine/steady"
	"sweetspot/probes/protocol"
)

// outcome says how the probe ended.
func (l *loop) outcome() (profile.Status, string, error) {
	p, code := l.state, l.scriptEx.Code
	switch {
	case l.failure != nil:
		return profile.Failed, "", l.failure
	case l.scriptEx.Lost != nil:
		return profile.Interrupted, Interrupted, l.scriptEx.Lost
	case p.done == OutOfMemory:
		return profile.OutOfMemory, OutOfMemory, nil // which answers the question whether it fits
	case l.stopped == Interrupted:
		return profile.Interrupted, Interrupted, nil
	case l.stopped == End && p.described.Work.FLOPs != nil:
		return profile.Done, End, nil
	case l.stopped == End:
		return profile.Failed, "", errors.New("its operations cannot be counted; measure it, without --work-only")
	case l.stopped != "" && p.series.Len() == 0 && p.limit == nil:
		return profile.Failed, l.stopped, fmt.Errorf("the cap was reached after %.3g s, before the end of the first "+
			"iteration%s", l.elapsed(), l.remedy("; raise it"))
	case l.stopped != "":
		return profile.Done, l.stopped, nil // whatever the exit code
	case code == 128+int(syscall.SIGINT): // by ctrl-c, which the script gets once it has read the terminal
		return profile.Interrupted, Interrupted, nil
	case code != 0:
		return profile.Failed, "", p.scriptError(code)
	case p.done == Interrupted:
		return profile.Interrupted, Interrupted, nil
	case l.options.WorkOnly && p.described.Work.FLOPs == nil:
		return profile.Failed, "", errors.New("its operations cannot be counted; measure it, without --work-only")
	case l.options.WorkOnly:
		return profile.Done, End, nil
	case p.series.Len() == 0 && p.limit == nil:
		return profile.Failed, "", errors.New("the script ended and no iteration was seen" + l.remedy(""))
	case p.done == steady.Precise || p.done == steady.Cap:
		return profile.Done, p.done, nil
	}
	return profile.Done, End, nil
}

// describeLimit is the result of a search for the largest batch.
func describeLimit(l protocol.Limit) string {
	words := fmt.Sprintf("a batch of %d fits in memory", l.BatchSize)
	if l.FailsAt != nil {
		words += fmt.Sprintf(", %d does not", *l.FailsAt)
	}
	return words
}
