package metric

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

// Log joins what a run printed with the validations that were seen in it: which
// value is of which validation, and which metric is the run's accuracy.
//
// Of the metrics that at least half as many validations gave as the most frequent,
// the first in the order of [measures] is the one: accuracy and top-1 before errors,
// those before scores such as mAP and F1, and top-5 after them. A loss is taken only if
// nothing else was printed. The others are dropped. Within one validation a result of
// all data comes before one of a part, the validation set before the test set, and
// the later before the earlier.
type Log struct {
	reader *Reader

	records []record           // that may be results, by time
	sifted  int                // how many of them came before the last step
	checks  []check            // validations as seen
	strays  map[string]int     // lines of each shape without a split that came elsewhere than after a validation
	ended   bool               // the script did, by itself
	largest map[string]float64 // bare number of each metric, whatever it was measured on

	offset  float64 // of the clock of lines before that of events, in seconds
	clocked bool
	step    float64 // when the last step ended, by the clock of events
	first   *float64
	now     int      // epoch of the last step
	printed *float64 // epoch that was printed last
	fine    bool     // some were printed with a fraction
	zero    bool     // one of them was 0
	head    record   // the line that announced what comes
	own     bool     // the script reports values itself
}

// record is a line with results and when it came.
type record struct {
	line
	at      float64  // by the clock of lines
	after   float64  // end of the last step before it
	epoch   *float64 // printed last
	inEpoch int      // of the steps
	file    bool     // of a file: no time
	headAt  float64  // when the line came that announced it, by the clock of lines
	alone   []Value  // what it says without that; nil where no line did
}

// check is a validation and the end of the step after it.
type check struct {
	profile.Validation
	begin, end, until float64
	after             float64 // end of the last step before it
}

// mostRecords bounds what is kept of a script that prints without end.
const mostRecords = 20_000

// NewLog returns the log of one run.
func NewLog(r *Reader) *Log {
	return &Log{reader: r, strays: map[string]int{}, largest: map[string]float64{}}
}

// Heard compares the clocks: an event of time t was received at a time. What is
// received first is the least late.
func (l *Log) Heard(received, t float64) {
	if d := received - t; !l.clocked || d < l.offset {
		l.offset, l.clocked = d, true
	}
}

// Step takes in the end of a step, t seconds after the start, in an epoch.
func (l *Log) Step(t float64, epoch int) {
	if l.first == nil {
		l.first = &t
	}
	l.step, l.now = math.Max(l.step, t), epoch
	for i := len(l.checks) - 1; i >= 0 && math.IsInf(l.checks[i].until, 1); i-- {
		if t > l.checks[i].end {
			l.checks[i].until = t
		}
	}
	l.sift(t)
}

// sift forgets the lines without a split that did not follow a validation: a training
// may print one a step. What was right after a validation is known once a step has
// ended.
func (l *Log) sift(t float64) {
	kept, since := l.records[:l.sifted], l.records[l.sifted:]
	for i, r := range since {
		if l.at(r) >= t {
			for _, later := range since[i:] {
				if later = l.unannounced(later, t); len(later.values) > 0 {
					kept = append(kept, later)
				}
			}
			break
		}
		if isUnsaid := func(v Value) bool { return v.Split == Unsaid }; slices.ContainsFunc(r.values, isUnsaid) &&
			!r.file && !l.follows(r) {
			l.strays[r.shape]++
			r.values = slices.DeleteFunc(r.values, isUnsaid)
		}
		if len(r.values) > 0 {
			kept = append(kept, r)
		}
		l.sifted = len(kept)
	}
	l.records = kept
}

// unannounced is a record without what a line announced before the step that ended at
// t: the step was heard of late.
func (l *Log) unannounced(r record, t float64) record {
	if r.alone != nil && r.headAt-l.offset < t {
		r.values, r.alone = results(r.alone), nil
	}
	return r
}

// follows reports whether a line came right after a validation, or after the last step
// of all.
func (l *Log) follows(r record) bool {
	at := l.at(r)
	i := l.checkAt(at)
	return i >= 0 && at >= l.checks[i].begin+l.checks[i].Seconds/2 && at <= l.checks[i].until || at > l.step && l.ended
}

// End takes in that the script has ended by itself: no step follows.
func (l *Log) End() { l.ended = true }

// Validate takes in a validation as seen.
func (l *Log) Validate(v profile.Validation) {
	c := check{Validation: v, until: math.Inf(1), after: l.step}
	if v.AtS != nil {
		c.begin, c.end = *v.AtS-v.Seconds, *v.AtS
	}
	l.own = l.own || v.Value != nil
	l.checks = append(l.checks, c)
}

// Print takes in a line that came t seconds after the start. It reports whether
// the line may change the result.
func (l *Log) Print(t float64, text string) bool {
	if l.own {
		return false
	}
	x := l.reader.read(text)
	if x.epoch != nil {
		l.printed, l.fine, l.zero = x.epoch, l.fine || x.fine, l.zero || *x.epoch == 0
	}
	r := record{line: x, at: t, after: l.step, epoch: l.printed, inEpoch: l.now}
	l.announce(&r)
	return l.keep(r)
}

// keep notes the sizes of a record's values and keeps those that may be results.
func (l *Log) keep(r record) bool {
	for _, v := range r.values {
		if !v.share && !v.percent {
			l.largest[v.name] = math.Max(l.largest[v.name], v.number)
		}
	}
	r.values = results(r.values)
	if len(r.values) == 0 {
		return false
	}
	if n := len(l.records); n > 0 && r.isPartial() && l.records[n-1].isPartial() && l.records[n-1].shape == r.shape &&
		l.records[n-1].after == r.after {
		l.records[n-1] = r // the same bar has moved
		return true
	}
	if len(l.records) >= mostRecords {
		return false
	}
	l.records = append(l.records, r)
	return true
}

// results are the values that may be of a validation.
func results(values []Value) []Value {
	return slices.DeleteFunc(slices.Clone(values), func(v Value) bool {
		return v.Split == Train || v.Split == Unsaid && v.rank == lossRank
	})
}

func (r record) isPartial() bool {
	return !slices.ContainsFunc(r.values, func(v Value) bool { return !v.partial })
}

// announce gives a line without a split that of the line which announced it, such as
// "Test results:", as long as no step comes between and each line says something.
func (l *Log) announce(r *record) {
	switch {
	case r.head != Unsaid:
		l.head = *r
	case len(r.values) == 0 && r.shape != "" || l.head.after != r.after:
		l.head = record{}
	}
	if l.head.head == Unsaid {
		return
	}
	r.headAt, r.alone = l.head.at, slices.Clone(r.values)
	for i, v := range r.values {
		if v.Split == Unsaid {
			r.values[i].Split, r.values[i].weak = l.head.head, true
		}
	}
}

// Table takes in a file that a run wrote, line by line, a table with a header.
func (l *Log) Table(lines []string) {
	r := Reader{}
	for _, text := range lines {
		x := r.read(text)
		if x.epoch == nil || len(x.values) == 0 {
			continue
		}
		l.fine, l.zero = l.fine || x.fine, l.zero || *x.epoch == 0
		l.keep(record{line: x, epoch: x.epoch, file: true})
	}
}

// Read is what was read as the accuracy of a run.
type Read struct {
	Label  string // its name as printed: val_acc
	Metric string
	Value  float64 // the last
	Lower  bool    // is better
	Unsaid bool    // the line does not say what it was measured on
	Loss   bool    // it is a loss, which is no accuracy
	Share  bool    // it is a fraction
}

// Words say what was read as the accuracy, as a question: is it?
func (r *Read) Words() string {
	value := fmt.Sprintf("%.4g", r.Value)
	if r.Share {
		value = quantity.Percent(r.Value)
	}
	text := "reads " + r.Label + ": " + value
	switch {
	case r.Loss:
		return text + ", which is a loss; " + Flag + " reads an accuracy"
	case r.Unsaid:
		text += ", printed after a validation"
	}
	return text + "; is that your accuracy? " + Flag + " reads another"
}

// Flag is the option that takes the pattern of [NewReader].
const Flag = "--accuracy-pattern"

// Unread says that validations were seen whose accuracy is not known.
func Unread(validations int) string {
	of := "the validation"
	if validations > 1 {
		of = fmt.Sprintf("the %d validations", validations)
	}
	return "reads no accuracy of " + of + " in the output; " + Flag + " says how"
}

// Resolve returns the validations with the values that were printed, and what
// was read; nil for nothing.
func (l *Log) Resolve() ([]profile.Validation, *Read) {
	slots := make([]slot, len(l.checks))
	for i, c := range l.checks {
		slots[i] = slot{Validation: c.Validation, check: true}
	}
	if !l.own {
		slots = l.fill(slots)
	}
	name := chosen(slots)
	var read *Read
	out := make([]profile.Validation, 0, len(slots))
	epochs := l.epochsOf(slots)
	for i, s := range slots {
		v, ok := s.best[name]
		switch {
		case ok:
			s.Metric, s.HigherIsBetter = v.name, !v.lower
			s.Value = new(l.scaled(v))
			s.Units = cmp.Or(s.Units, positive(v.units))
			read = &Read{Label: plaintext.Name(v.Label), Metric: v.name, Value: *s.Value, Lower: v.lower,
				Unsaid: v.Split == Unsaid, Loss: v.rank == lossRank, Share: v.unit == fraction}
		case !s.check:
			continue // of another metric
		}
		s.Epoch = epochs[i]
		out = append(out, s.Validation)
	}
	return out, read
}

func positive(v float64) *float64 {
	if v > 0 {
		return &v
	}
	return nil
}

// scaled is the value as a fraction, or in its own unit.
func (l *Log) scaled(v Value) float64 {
	isPercent := v.percent || v.unit == fraction && !v.share && (l.largest[v.name] > 1 || v.isConvention())
	if isPercent {
		return v.number / 100
	}
	return v.number
}
