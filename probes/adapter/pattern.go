package adapter

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sweetspot/engine/plaintext"
	"sweetspot/probes/protocol"
)

// groups are the names allowed for a pattern's groups.
var groups = []string{"seconds", "ms", "step", "epoch", "units", "batch", "accuracy", "loss", "validation_seconds"}

const maxPattern = 2000

// pattern reads the lines that match the user's regular expression. A line is
// one step. Its time is the group seconds or ms, or without them the time since
// the previous line; if the group step then jumps, the steps in between share
// that time. A line with validation_seconds is a validation with accuracy or
// loss as its value; on other lines those belong to the training and are
// ignored.
type pattern struct {
	expression *regexp.Regexp
	timed      bool // has seconds or ms
	bar
	seen       bool
	firstEpoch float64
	epochKnown bool
	batch      int
	warned     bool
}

func newPattern(text string) (*pattern, error) {
	if text == "" || len(text) > maxPattern {
		return nil, errors.New(`give a pattern that matches the line of a step, such as --pattern 'step ` +
			`(?P<step>\d+).*?(?P<seconds>[\d.]+) s'`)
	}
	expression, err := regexp.Compile(text)
	if err != nil {
		return nil, fmt.Errorf("the pattern is not a valid regular expression: %s",
			plaintext.Line(strings.TrimPrefix(err.Error(), "error parsing regexp: "), 200))
	}
	p := &pattern{expression: expression}
	names := expression.SubexpNames()
	for i, name := range names {
		switch {
		case name == "":
		case !slices.Contains(groups, name):
			return nil, fmt.Errorf("the pattern has an unknown group %q; known groups are %s", plaintext.Line(name, 40),
				strings.Join(groups, ", "))
		case slices.Contains(names[:i], name):
			return nil, fmt.Errorf("the pattern has the group %s twice; name it once", name)
		}
	}
	hasSeconds, hasMS := slices.Contains(names, "seconds"), slices.Contains(names, "ms")
	if hasSeconds && hasMS {
		return nil, errors.New("the pattern has both seconds and ms; keep the one that is printed")
	}
	if expression.MatchString("") {
		return nil, errors.New("the pattern matches every line; make it match only the line of a step")
	}
	p.timed = hasSeconds || hasMS
	return p, nil
}

func (p *pattern) line(t float64, line string) []protocol.Event {
	match := p.expression.FindStringSubmatch(line)
	if match == nil {
		return nil
	}
	value := func(name string) (float64, bool) {
		i := p.expression.SubexpIndex(name)
		if i < 0 {
			return 0, false
		}
		v, err := strconv.ParseFloat(strings.ReplaceAll(match[i], ",", ""), 64)
		return v, err == nil && v >= 0 && !math.IsInf(v, 0)
	}
	if e, ok := value("epoch"); ok && e < 1e6 {
		if !p.epochKnown || e < p.firstEpoch {
			p.firstEpoch, p.epochKnown = e, true
		}
		p.epoch = int(e - p.firstEpoch)
	}
	if seconds, ok := value("validation_seconds"); ok {
		p.bar.t = t // the next step did not take that time
		return []protocol.Event{p.validation(t, seconds, value)}
	}
	events := p.describe(value)
	steps := p.steps(t, value)
	if units, ok := value("units"); ok || p.batch > 0 {
		if !ok {
			units = float64(p.batch)
		}
		for i, e := range steps {
			if it, isStep := e.(protocol.Iteration); isStep {
				it.Units = new(units)
				steps[i] = it
			}
		}
	}
	return append(events, steps...)
}

// validation takes an accuracy above 1 for a percentage.
func (p *pattern) validation(t, seconds float64, value func(string) (float64, bool)) protocol.Event {
	v := protocol.Validation{T: new(t), Epoch: p.epoch, Seconds: seconds}
	if a, ok := value("accuracy"); ok && a <= 100 {
		if a > 1 {
			a /= 100
		}
		v.Metric, v.Value, v.HigherIsBetter = "accuracy", &a, new(true)
	} else if l, ok := value("loss"); ok {
		v.Metric, v.Value, v.HigherIsBetter = "loss", &l, new(false)
	}
	return v
}

func (p *pattern) describe(value func(string) (float64, bool)) []protocol.Event {
	b, ok := value("batch")
	if !ok || b < 1 || b >= maxBatch || b != math.Trunc(b) || int(b) == p.batch {
		return nil
	}
	p.batch = int(b)
	return []protocol.Event{protocol.Model{BatchSize: new(p.batch)}}
}

// steps returns the steps that a line reports.
func (p *pattern) steps(t float64, value func(string) (float64, bool)) []protocol.Event {
	number := p.n + 1
	if s, ok := value("step"); ok && s < 1e12 {
		number = int(s)
	}
	if p.timed {
		seconds, ok := value("seconds")
		if ms, isMS := value("ms"); isMS {
			seconds, ok = ms/1000, true
		}
		if !ok {
			return nil
		}
		p.index++
		return []protocol.Event{protocol.Iteration{T: new(t), Epoch: p.epoch, Index: new(p.index - 1), Seconds: seconds}}
	}
	if !p.seen || number <= p.n { // the first line, or the counter started again
		again := p.seen
		p.seen = true
		if !again || number != 1 && number != 0 {
			p.bar.t, p.bar.n = t, number
			return nil
		}
		p.bar.n = number - 1 // its first step began with the line before
	}
	jump := number - p.n
	steps := p.advance(t, number)
	if jump > 1 && len(steps) > 0 && !p.warned {
		p.warned = true
		return append([]protocol.Event{redrawn}, steps...)
	}
	return steps
}
