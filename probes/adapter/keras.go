package adapter

import (
	"regexp"
	"strconv"
	"strings"

	"sweetspot/probes/protocol"
)

// keras reads the progress bar of fit: `Epoch 3/20`, then drawings of
// `120/469 [====>....] - ETA: 5s - loss: 0.4` or, in Keras 3,
// `120/469 ━━━━━━━━━━━━━━━━━━━━ 2s 5ms/step - loss: 0.4`.
//
// The last update of an epoch comes after the validation and carries its
// values. The validation took the time since the update before it, less the
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
	kerasValue = regexp.MustCompile(`(\w+): (-?[\d.]+(?:e[-+]?\d+)?)`)
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
	if v := validationOf(m[3]); v != nil {
		v.Seconds = max(t-k.t-k.mean()*float64(n-k.n), 0)
		v.T, v.Epoch = new(t), k.epoch
		k.begun = false
		return append(events, *v)
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

// validationOf finds the metric of a validation: an accuracy if there is one,
// else the loss; nil if there is neither.
func validationOf(text string) *protocol.Validation {
	var found *protocol.Validation
	for _, m := range kerasValue.FindAllStringSubmatch(text, -1) {
		name, ok := strings.CutPrefix(m[1], "val_")
		value, err := strconv.ParseFloat(m[2], 64)
		if !ok || err != nil {
			continue
		}
		accuracy := strings.Contains(name, "acc")
		switch {
		case accuracy:
			return &protocol.Validation{Metric: name, Value: &value, HigherIsBetter: new(true)}
		case name == "loss":
			found = &protocol.Validation{Metric: name, Value: &value, HigherIsBetter: new(false)}
		case found == nil:
			found = &protocol.Validation{Metric: name, Value: &value}
		}
	}
	return found
}
