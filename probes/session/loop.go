package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sweetspot/data/store"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/steady"
	"sweetspot/probes/metric"
	"sweetspot/probes/protocol"
	"sweetspot/probes/runner"
)

const (
	updateEvery = 50 * time.Millisecond
	saveEvery   = 200 * time.Millisecond
	saveRows    = 5000
	// heartbeat is the longest time between two writes to the database; readers
	// consider a probe that is silent for longer killed.
	heartbeat = 2 * time.Second
	// leastGrace is how long a script may take to reach a step boundary and to
	// end. If steps are long, it may take several steps, up to mostGrace.
	leastGrace = 10 * time.Second
	mostGrace  = 5 * time.Minute
)

// loop owns a running probe: all of its state is touched by one goroutine.
type loop struct {
	session *Session
	options Options
	here    bool // the script runs on this machine
	process Process
	before  metric.Existing // files of results
	ctx     context.Context // for saving
	saver   *saver
	state   *state

	rule     steady.Rule
	verdict  steady.Verdict
	awaited  awaited
	judgedAt int     // iterations at the last judgement
	stopped  string  // why we stopped the script; "" while it runs on its own
	words    string  // the rule's for that
	stoppedS float64 // seconds after the start at which it was
	eventS   float64 // at which the latest event came
	said     bool    // that it was stopped, in the log
	midLine  bool    // the script's output stands in the middle of a line
	discard  bool
	asked    bool  // to stop
	hurry    bool  // asked so again
	failure  error // of saving

	number  int      // of the training that is recorded, of a command with several
	began   float64  // seconds after the start at which it did
	over    bool     // what trains now is not recorded
	earlier []Update // the last ones of those before

	runs    bool   // the command has begun
	waiting string // why it has not

	seq      int
	changed  bool
	silent   bool      // the warning that no events arrive was given
	unread   []message // output that need not be of a training
	decideAt time.Time // not before
	savedAt  time.Time
	showAt   time.Time // not before
	scriptEx *runner.Exit
}

func (l *loop) elapsed() float64 { return time.Since(l.process.Started()).Seconds() }

func (l *loop) run(cancelled <-chan struct{}, messages <-chan message, observed <-chan protocol.Event) {
	tick := time.NewTicker(updateEvery)
	defer tick.Stop()
	l.changed = true
	for messages != nil {
		select {
		case m, open := <-messages:
			if !open {
				messages = nil
				break
			}
			l.receive(m)
		case e := <-observed:
			l.state.event(e, l.elapsed())
			l.changed = true
		case r := <-l.session.requests:
			l.handle(r)
		case <-cancelled:
			cancelled = nil
			l.stop(Interrupted)
		case err := <-l.saver.results:
			l.saver.busy = false
			l.note(err)
			l.state.rename(l.saver.recording.Model())
		case <-tick.C:
			if !l.runs {
				l.begin()
			}
			l.decide()
			l.judge(l.state.series.BriefSummary())
			l.warnIfSilent()
		}
		l.save()
		l.show()
	}
	exit := l.process.Wait()
	l.scriptEx = &exit
	if !l.runs {
		l.begin()
	}
	if !l.runs && !l.goesOn() { // of a probe that never began nothing is kept
		l.discard = true
	}
	l.finish()
}

// goesOn reports whether the command, which ended here, goes on where it runs.
func (l *loop) goesOn() bool {
	p, ok := l.process.(interface{ Collected() bool })
	return ok && !p.Collected()
}

func (l *loop) receive(m message) {
	l.changed = true
	now := l.elapsed()
	before := l.state.series.Len()
	l.explainStop(m, now)
	if m.item.Event != nil {
		l.eventS = now
	}
	if e, ok := m.item.Event.(protocol.Training); ok && l.options.Hooked {
		if l.training(e, now); l.number > 0 {
			before = 0
		}
	}
	switch {
	case m.raw != nil:
		l.midLine = m.raw[len(m.raw)-1] != '\n'
		_, _ = l.options.Output.Write(m.raw) // a closed terminal must not end the probe
		return
	case m.drawn != "":
		l.read(m)
	case !l.over || m.item.Event == nil:
		l.state.add(m, now)
	}
	switch n := l.state.series.Len(); {
	case n > before:
		l.judgeStep()
	case n < before: // it has begun again
		l.judgedAt, l.verdict, l.awaited = 0, steady.Verdict{}, awaited{}
	}
	l.rule.VMs = l.state.described.Count
	l.look()
}

// mostLooks is the number of steps after which the work of a script is known, or is not
// to be counted. That of the first step comes with the second at the latest.
const mostLooks = 3

// look ends a script that is run for the sake of its work alone once that is known.
func (l *loop) look() {
	p := l.state
	if !p.workOnly || l.stopped != "" || p.looked == 0 || (p.described.Work.FLOPs == nil && p.looked < mostLooks) {
		return
	}
	l.words = "its first steps were looked at"
	l.stop(End)
}

// judgeStep checks the stop rule after an iteration: after each of the first
// 2,000, then after every half percent more, so that the cost stays small.
func (l *loop) judgeStep() {
	n := l.state.series.Len()
	if n > 2000 && n-l.judgedAt < n/200 && n != l.rule.MaxN {
		return
	}
	l.judgedAt = n
	l.judge(l.state.series.BriefSummary())
}

// judge checks the stop rule. Once it is met, iterations that the script still
// sends before it ends do not change that.
func (l *loop) judge(s steady.Summary) {
	if l.stopped != "" {
		return
	}
	l.verdict = l.rule.Judge(s, l.elapsed())
	if l.verdict.Reason == steady.Precise && l.awaits(s) {
		l.verdict = l.goOn(s)
	}
	if !l.verdict.Stop {
		return
	}
	if l.verdict.Reason == steady.Precise {
		l.state.decided = l.state.series.Len()
	}
	l.words = l.verdict.Words
	l.stop(l.verdict.Reason)
}

func (l *loop) handle(r request) {
	switch r {
	case keepRunning:
		l.rule.CapsOnly = true
	case cancel:
		l.discard = true
		l.stop(Interrupted)
	case stop:
		l.asked, l.hurry = true, l.asked
		l.stop(Interrupted)
	case spend:
		if l.stopped == "" {
			l.words = "the cap on all probes together is spent"
		}
		l.stop(steady.Cap)
	}
	l.changed = true
}

func (l *loop) stop(why string) {
	if l.stopped == "" {
		l.stopped, l.stoppedS = why, l.elapsed()
	}
	grace := leastGrace
	if n := l.state.series.Len(); n > 0 {
		step := l.state.series.Seconds()[n-1]
		grace = max(grace, time.Duration(min(4*step, mostGrace.Seconds())*float64(time.Second)))
	}
	switch {
	case l.hurry:
		grace = leastGrace / 50
	case l.discard || l.failure != nil:
		grace = time.Second // there is nothing to wait for
	}
	l.process.StopWithin(grace)
}

// note keeps the first failure to save, which ends the probe: measuring is
// useless if nothing can be saved.
func (l *loop) note(err error) {
	if err == nil || l.failure != nil {
		return
	}
	l.failure = err
	l.stop(Interrupted)
}

func (l *loop) save() {
	since := time.Since(l.savedAt)
	batch := &l.state.batch
	due := len(batch.Iterations) >= saveRows || (since >= saveEvery && !l.state.isSaved()) || since >= heartbeat
	if l.saver.busy || l.failure != nil || l.discard || !due {
		return
	}
	l.savedAt = time.Now()
	l.saver.save(l.state.takeUnsaved())
}

func (l *loop) show() {
	begin := time.Now()
	if !l.changed || begin.Before(l.showAt) {
		return
	}
	l.changed = false
	l.send(l.update())
	// Summing up a million iterations takes a while; the script must not wait
	// for it.
	l.showAt = begin.Add(max(updateEvery, 20*time.Since(begin)))
}

// send replaces an update that has not been read.
func (l *loop) send(u Update) {
	select {
	case <-l.session.updates:
	default:
	}
	l.session.updates <- u
}

func (l *loop) update() Update {
	l.seq++
	spent := l.elapsed() - l.began
	u := l.state.update()
	u.Seq, u.Earlier, u.Waiting = l.seq, l.earlier, l.waiting
	u.Warnings = append(u.Warnings, l.aboutEarlier()...)
	u.Verdict = l.verdict
	u.SpentS, u.SpentUSD = spent, l.rule.SpentUSD(spent)
	u.Stopping = l.stopped != ""
	return u
}

func (l *loop) finish() {
	l.readUnread()
	l.note(l.saver.wait())
	if w := l.state.aboutCopies(); w != "" {
		l.state.appendLog("warning", w, l.elapsed())
	}
	l.readResults()
	status, why, err := l.outcome()
	if why == End && status == profile.Done && !l.options.RunsHarness {
		l.state.ended(l.elapsed())
	}
	u := l.update()
	if i := l.state.loads.Interference(l.state.stepping()); i != nil {
		l.state.appendLog("warning", i.Words(u.Run.Steady.Value), l.elapsed())
	}
	u.Done, u.Stopping = true, false
	u.ScriptExit = new(l.scriptEx.Code)
	u.Run.Status, u.StoppedBecause, u.Err = status, why, err
	u.StoppedWords = l.words
	if l.scriptEx.Lost != nil {
		u.StoppedWords = ConnectionLost
		if p, ok := l.process.(interface{ Again() bool }); ok && !l.goesOn() {
			if u.StoppedWords = CutOff; p.Again() {
				u.StoppedWords += " and begun again"
			}
		}
	}
	switch {
	case u.StoppedBecause == OutOfMemory:
		u.StoppedWords = plaintext.Cut(l.state.failed, sentenceLength)
	case u.Limit != nil && l.words == "":
		u.StoppedWords = describeLimit(*u.Limit)
	}
	if r := u.Run; r.Mode == profile.Train && r.Steady.Known() && r.IterationsPerEpoch == nil {
		u.Warnings = append(u.Warnings, l.noEpochs())
	}
	if u.StoppedBecause == End && u.Run.Mode == profile.Train && !l.hasArbitraryLength(u.Run) && !l.options.WorkOnly {
		u.Run.TotalS = new(l.state.alone(u.SpentS))
	}
	u.Run.ExitS = l.exit()
	err = l.saveEnd(u)
	l.state.rename(l.saver.recording.Model())
	u.Run.Model = l.state.described.Model.Name
	if err != nil && u.Err == nil {
		u.Err = err
		u.Run.Status = profile.Failed
	}
	l.saver.close()
	if l.options.AfterSave != nil && l.failure == nil && err == nil {
		if err := l.options.AfterSave(l.ctx); err != nil {
			u.Warnings = append(u.Warnings, err.Error())
		}
	}
	l.session.last = u
	close(l.session.ended)
	l.send(u)
	close(l.session.updates)
}

// exit is how long a script took to end that left its training after a step as it was asked
// to, in seconds: from what was told last until its processes had ended. It is nil of others,
// and where the end is seen later than it came.
func (l *loop) exit() *float64 {
	if l.stopped == "" || !l.options.Hooked || l.options.RunsHarness || l.isQueued() || l.scriptEx.Code != 0 ||
		l.scriptEx.Lost != nil || l.state.described.Mode != profile.Train || l.state.series.Len() == 0 || l.over {
		return nil
	}
	return new(l.elapsed() - l.eventS)
}

// hasArbitraryLength reports whether the number of iterations means nothing: a
// model on synthetic input with a training set of unknown size. Its time is not
// a total.
func (l *loop) hasArbitraryLength(r profile.Run) bool {
	return !l.options.Hooked && l.options.RunsHarness && r.IterationsPerEpoch == nil
}

// noEpochs says why there is no estimate of a whole training.
func (l *loop) noEpochs() string {
	const why = "no estimate of a whole training: the number of iterations per epoch is unknown"
	if l.options.RunsHarness {
		return why + "; give --train-size"
	}
	return why + ", the script does not show it"
}

// saveEnd writes what is left, or deletes a cancelled probe.
func (l *loop) saveEnd(u Update) error {
	recording := l.saver.recording
	if l.discard {
		return errors.Join(l.discardEarlier(), l.options.Store.Discard(l.ctx, recording.ID()))
	}
	if l.failure == nil {
		l.saver.save(l.state.takeUnsaved())
		if err := l.saver.wait(); err != nil {
			return err
		}
	}
	err := recording.Finish(l.ctx, store.Finish{
		Run: u.Run, StoppedBecause: u.StoppedBecause, StoppedWords: u.StoppedWords, ScriptExit: u.ScriptExit,
		RejectedLines: u.Rejected, SpentS: u.SpentS, SpentUSD: u.SpentUSD, InputWait: u.InputWait,
	})
	if l.failure != nil {
		return nil // reported already; if the disk is full this fails, too
	}
	return err
}

// explainStop logs, once, that the script was stopped, before anything it still
// writes to standard error: a traceback of a KeyboardInterrupt, say, is then
// not a fault of the script.
func (l *loop) explainStop(m message, now float64) {
	if l.stopped == "" || l.said || m.from != fromStderr || m.raw == nil && m.item.Log == "" {
		return
	}
	l.said = true
	text := "sweetspot stopped the script at " + quantity.Duration(l.stoppedS)
	if l.words != "" {
		text += ": " + l.words
	}
	l.state.appendLog("out", text, now)
	if l.options.Output != nil {
		if l.midLine {
			text = "\n" + text
		}
		_, _ = fmt.Fprintln(l.options.Output, text) // like the script's own lines
	}
}
