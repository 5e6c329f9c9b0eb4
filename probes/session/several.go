package session

import (
	"fmt"
	"time"

	"sweetspot/engine/profile"
	"sweetspot/probes/protocol"
)

// training takes in that a process trains from now on. A command may train several times,
// one after the other, as a shell script with two calls of Python: each is a run.
func (l *loop) training(e protocol.Training, now float64) {
	switch {
	case e.Number == 0:
		l.nameAfter(e)
	case e.Number <= l.number: // another rank of it
	case l.stopped != "":
		l.over = true // it was to end before
	default:
		l.number = e.Number
		l.note(l.further(e, now))
	}
}

// nameAfter names the model after the script that trains, where that is to be.
func (l *loop) nameAfter(e protocol.Training) {
	if l.options.NameAfter == nil || l.state.named {
		return
	}
	if m, ok := l.options.NameAfter(l.ctx, e.Script, e.Number > 0); ok {
		d := &l.state.described
		d.Model.Name, d.Model.SourceFile = m.Name, m.SourceFile
		l.state.redescribed = true
	}
}

// further ends the run of the training before and begins another one.
func (l *loop) further(e protocol.Training, now float64) error {
	began := now
	if e.T != nil && now-*e.T > l.began {
		began = now - *e.T // with the process
	}
	if err := l.endBefore(began); err != nil {
		return err
	}
	o := l.options
	o.Description.Machine = l.state.described.Machine
	o.Description.StartedAt = l.process.Started().Add(time.Duration(began * float64(time.Second)))
	recording, err := o.Store.Start(l.ctx, o.Description)
	if err != nil {
		l.saver = startSaver(l.ctx, l.saver.recording)
		return err
	}
	l.began, l.judgedAt, l.awaited = began, 0, awaited{}
	l.verdict.Stop, l.verdict.Words = false, ""
	l.saver, l.state = startSaver(l.ctx, recording), newState(o, recording.ID())
	l.nameAfter(e)
	return nil
}

// endBefore saves the run of a training that ended by itself when the next one began.
func (l *loop) endBefore(at float64) error {
	if err := l.saver.wait(); err != nil {
		return err
	}
	l.resolveResults()
	l.state.ended(at)
	u := l.update()
	u.Done, u.StoppedBecause, u.Run.Status = true, End, profile.Done
	u.SpentS = at - l.began
	u.SpentUSD = l.rule.SpentUSD(u.SpentS)
	u.Run.TotalS = new(l.state.alone(u.SpentS))
	if l.state.series.Len() == 0 {
		u.Run.Status, u.Run.TotalS = profile.Failed, nil
	}
	err := l.saveEnd(u)
	l.saver.close()
	u.Run.Model = l.saver.recording.Model()
	u.Seconds, u.Telemetry, u.Log, u.Earlier = nil, nil, nil, nil // it stays in every later update
	l.earlier = append(l.earlier[:len(l.earlier):len(l.earlier)], u)
	return err
}

// aboutEarlier says that the command trained before.
func (l *loop) aboutEarlier() []string {
	var out []string
	for _, u := range l.earlier {
		out = append(out, fmt.Sprintf("the command trained before: that is run %d, %s", u.Run.ID, u.Run.Model))
	}
	return out
}

// discardEarlier deletes the runs of the trainings before.
func (l *loop) discardEarlier() (err error) {
	for _, u := range l.earlier {
		if e := l.options.Store.Discard(l.ctx, u.Run.ID); e != nil {
			err = e
		}
	}
	return err
}
