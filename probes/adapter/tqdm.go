package adapter

import (
	"regexp"
	"strconv"
	"strings"

	"sweetspot/probes/protocol"
)

// tqdm reads the bars of tqdm: ` 26%|██▌ | 120/469 [00:03<00:09, 38.21it/s]`
// and, where the total is unknown, `120it [00:03, 38.21it/s]`, with a
// description before a colon. Several bars may be drawn in turn. The training
// bar is the first that moves, which is the inner one of nested bars; each time
// it starts again, a new epoch starts. A bar whose description names a
// validation, or that runs completely between two rounds of the training bar,
// is a validation, timed from its first update to its last. If the only bar
// counts epochs, a step is an epoch.
type tqdm struct {
	bars     map[string]*drawn
	training *drawn
	between  *protocol.Validation // possible validations
	perEpoch int
	epochs   int
	warned   bool
}

// drawn is a bar at its last update.
type drawn struct {
	bar
	total  int // 0 unknown
	began  float64
	rounds int
	other  bool // its description names a validation
}

// maxBars is more than any script draws. It bounds the memory if descriptions
// never repeat.
const maxBars = 200

var (
	tqdmBar     = regexp.MustCompile(`^(.*?)\s*\d{1,3}%\|[^|]*\|\s*(\d{1,9})/(\d{1,9}) \[\d+:\d\d`)
	tqdmOpen    = regexp.MustCompile(`^(?:(.*?):\s+)?(\d{1,9})[A-Za-z]+ \[\d+:\d\d`)
	tqdmEpoch   = regexp.MustCompile(`(?i)epoch\D{0,3}\d+\s*(?:/|of)\s*(\d{1,6})`)
	tqdmEpochs  = regexp.MustCompile(`(?i)^epochs?:?$`)
	tqdmDigits  = regexp.MustCompile(`[\d.,=]+`)
	tqdmIgnored = regexp.MustCompile(
		`(?i)download|load|map|tokeni|extract|filter|preprocess|sanity|cach|unpack|fetch|index|generat`)
	tqdmOther = regexp.MustCompile(
		`(?i)\b(val|valid|validation|validating|validate|eval|evaluation|evaluating|evaluate|test|testing|dev)\b`)
)

func newTQDM() *tqdm { return &tqdm{bars: map[string]*drawn{}} }

func (q *tqdm) line(t float64, line string) []protocol.Event {
	description, n, total, ok := tqdmLine(line)
	if !ok || tqdmIgnored.MatchString(description) {
		return nil
	}
	b := q.find(description, total)
	if b == nil {
		return nil
	}
	if b.rounds == 0 || n < b.n {
		b.begin(t, n)
		q.takeOver(b)
		return nil
	}
	if n == b.n {
		return nil
	}
	if q.training == nil && !b.other {
		q.training = b
	}
	if b != q.training {
		return q.beside(b, t, n)
	}
	events := append(q.settled(), q.describe(b, description)...)
	steps := b.advance(t, n)
	if len(steps) > 0 && !q.warned {
		q.warned = true
		events = append(events, redrawn)
	}
	return append(events, steps...)
}

func tqdmLine(line string) (description string, n, total int, ok bool) {
	if m := tqdmBar.FindStringSubmatch(line); m != nil {
		n, _ = strconv.Atoi(m[2])
		total, _ = strconv.Atoi(m[3])
		return m[1], n, total, true
	}
	if m := tqdmOpen.FindStringSubmatch(line); m != nil {
		n, _ = strconv.Atoi(m[2])
		return m[1], n, 0, true
	}
	return "", 0, 0, false
}

// find returns the bar with a description, ignoring numbers in it, and a total.
func (q *tqdm) find(description string, total int) *drawn {
	key := tqdmDigits.ReplaceAllString(description, "") + "/" + strconv.Itoa(total)
	b := q.bars[key]
	if b == nil {
		if len(q.bars) >= maxBars {
			return nil
		}
		b = &drawn{total: total, other: tqdmOther.MatchString(strings.ReplaceAll(description, "_", " "))}
		q.bars[key] = b
	}
	return b
}

// begin starts a round of the bar at its first update. Steps done before that
// have no time.
func (b *drawn) begin(t float64, n int) {
	b.rounds++
	b.bar.t, b.bar.n, b.began = t, n, t
	b.epoch = b.rounds - 1
}

// takeOver makes a bar the training bar if it begins again while the current
// training bar is complete and does not: that one showed something before the
// training.
func (q *tqdm) takeOver(b *drawn) {
	old := q.training
	if old == nil || b == old || b.other || b.rounds <= old.rounds || old.bar.n < old.total {
		return
	}
	b.index, b.epoch, b.rounds = old.index, old.epoch, old.rounds
	q.training, q.between = b, nil
}

// beside handles an update of another bar than the training's. Once complete,
// it is a validation if the training did not move meanwhile.
func (q *tqdm) beside(b *drawn, t float64, n int) []protocol.Event {
	b.bar.t, b.bar.n = t, n
	if q.training == nil || b.total == 0 || n < b.total || b.began < q.training.bar.t {
		return nil
	}
	v := protocol.Validation{T: new(t), Epoch: q.training.epoch, Seconds: t - b.began}
	if !b.other {
		q.between = &v
		return nil
	}
	return []protocol.Event{v}
}

// settled returns the validations that ran in between, now that the training goes on.
func (q *tqdm) settled() []protocol.Event {
	v := q.between
	q.between = nil
	if v == nil {
		return nil
	}
	return []protocol.Event{*v}
}

func (q *tqdm) describe(b *drawn, description string) []protocol.Event {
	epochs := q.epochs
	if m := tqdmEpoch.FindStringSubmatch(description); m != nil {
		epochs, _ = strconv.Atoi(m[1])
	}
	if b.total == q.perEpoch && epochs == q.epochs {
		return nil
	}
	q.perEpoch, q.epochs = b.total, epochs
	var m protocol.Model
	if tqdmEpochs.MatchString(description) && b.total > 0 {
		m.IterationsPerEpoch, m.Epochs = new(1.0), new(float64(b.total))
		return []protocol.Event{m}
	}
	if b.total > 0 {
		m.IterationsPerEpoch = new(float64(b.total))
	}
	if epochs > 0 {
		m.Epochs = new(float64(epochs))
	}
	return []protocol.Event{m}
}

// keras reads the progress bar of fit: `Epoch 3/20`, then drawings of
// `120/469 [====>....] - ETA: 5s - loss: 0.4` or, in Keras 3,
// `120/469 ━━━━━━━━━━━━━━━━━━━━ 2s 5ms/step - loss: 0.4`.
//
// The last update of an epoch comes after the validation and carries its
// values, which package metric reads. The validation took the time since the update before it, less the
// remaining steps at the epoch's mean time. Keras updates every 0.05 s, so the
// error is at most that or one step.
type keras struct {
	bar
	begun    bool // an epoch
	beganAt  float64
	epochs   int
	perEpoch int
	warned   bool
}

var (
	kerasEpoch = regexp.MustCompile(`^Epoch (\d{1,9})/(\d{1,9})$`)
	kerasBar   = regexp.MustCompile(`^(\d{1,9})/(\d{1,9}|Unknown|None) (?:\[[=>.]*\]|[━╸╺ ]{5,})(?: |$)(.*)`)
	kerasValid = regexp.MustCompile(`\bval_\w+: `)
)

func (k *keras) line(t float64, line string) []protocol.Event {
	if m := kerasEpoch.FindStringSubmatch(line); m != nil {
		number, _ := strconv.Atoi(m[1])
		k.epochs, _ = strconv.Atoi(m[2])
		k.bar.t, k.bar.n, k.epoch = t, 0, max(number-1, 0)
		k.begun, k.beganAt = true, t
		return nil
	}
	m := kerasBar.FindStringSubmatch(line)
	if m == nil || !k.begun {
		return nil // evaluate and predict draw bars too, outside any epoch
	}
	n, _ := strconv.Atoi(m[1])
	total, _ := strconv.Atoi(m[2])
	if n < k.n || k.n > 0 && total != k.perEpoch {
		k.begun = false
		return nil
	}
	events := k.describe(total)
	if kerasValid.MatchString(m[3]) {
		k.begun = false
		return append(events, protocol.Validation{T: new(t), Epoch: k.epoch,
			Seconds: max(t-k.t-k.mean()*float64(n-k.n), 0)})
	}
	steps := k.advance(t, n)
	if len(steps) > 0 && !k.warned {
		k.warned = true
		events = append(events, redrawn)
	}
	return append(events, steps...)
}

// mean is the time of the epoch's steps so far.
func (k *keras) mean() float64 {
	if k.n == 0 {
		return 0
	}
	return (k.t - k.beganAt) / float64(k.n)
}

func (k *keras) describe(total int) []protocol.Event {
	if total == 0 || total == k.perEpoch {
		return nil
	}
	k.perEpoch = total
	m := protocol.Model{IterationsPerEpoch: new(float64(total))}
	if k.epochs > 0 {
		m.Epochs = new(float64(k.epochs))
	}
	return []protocol.Event{m}
}
