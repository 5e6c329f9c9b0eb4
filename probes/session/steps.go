package session

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"sweetspot/data/store"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/steady"
	"sweetspot/probes/load"
	"sweetspot/probes/metric"
	"sweetspot/probes/protocol"
)

// begin sets out to count steps.
func (p *state) begin() {
	p.series, p.decided, p.counts, p.work = steady.Series{}, 0, map[int]int{}, work{}
	p.epoch, p.turned = 0, false
	p.initS, p.checks, p.pauses, p.pausedS = nil, nil, nil, map[int]float64{}
	p.accuracy, p.read = nil, nil
	p.piped, p.copies, p.drawn = map[reflect.Type]bool{}, 0, 0
	p.loads, p.steppedS = load.Sum{}, 0
	if p.metrics != nil {
		p.results, p.unresolved = metric.NewLog(p.metrics), true
	}
}

// restart forgets the steps that were read from output: a bar moved before the
// training began, as over its data.
func (p *state) restart(now float64) {
	words := fmt.Sprintf("the %d steps that its output showed before the training began are left out", p.drawn)
	p.begin()
	p.withdraw(p.ofOutput)
	d, given := &p.described, &p.given
	d.BatchSize, d.Epochs, d.Steps, d.IterationsPerEpoch, d.TrainSize = given.BatchSize, given.Epochs, given.Steps,
		given.IterationsPerEpoch, given.TrainSize
	p.redescribed = true
	b := &p.batch
	b.Restart, b.Iterations, b.Validations, b.Pauses, b.InitS = true, nil, nil, nil, nil
	p.warn(words, now)
}

// iteration counts by rank: the n-th iterations of all ranks are one step,
// which takes as long as the slowest of them.
func (p *state) iteration(e protocol.Iteration, now float64) {
	i := p.counts[e.Rank]
	p.counts[e.Rank]++
	e.Seconds = p.withoutPause(e, i)
	if i < p.series.Len() {
		p.series.Raise(i, e.Seconds)
	} else {
		p.series.Add(e.Seconds)
	}
	if e.Rank == 0 && i > 0 {
		p.steppedS += e.Seconds
	}
	p.turned = p.turned || i > 0 && e.Epoch > p.epoch
	p.epoch = e.Epoch
	p.work.add(i, e, at(e.T, now))
	if p.results != nil && e.Rank == 0 {
		p.results.Step(at(e.T, now), e.Epoch)
	}
	row := store.Iteration{Epoch: e.Epoch, Index: i, Rank: e.Rank, Seconds: e.Seconds, T: at(e.T, now)}
	if e.Index != nil {
		row.Index = *e.Index
	}
	if e.Units != nil {
		row.Units = *e.Units
		if p.described.BatchSize == 0 && row.Units >= 1 {
			p.described.BatchSize, p.redescribed = int(row.Units), true
		}
	}
	p.batch.Iterations = append(p.batch.Iterations, row)
}

func (p *state) validation(e protocol.Validation, now float64) {
	v := profile.Validation{
		Epoch: e.Epoch, Seconds: e.Seconds, Metric: e.Metric, Value: e.Value, Units: e.Units,
		HigherIsBetter: isHigherBetter(e.Metric, e.HigherIsBetter), AtS: new(at(e.T, now)),
	}
	if n := cmp.Or(p.counts[0], p.series.Len()); n > 0 {
		v.Iterations = &n
	}
	if e.Untrained { // its time is in the initialisation, and its result is not what the training comes to
		v.Iterations = new(0)
		p.batch.Validations = append(p.batch.Validations, v)
		return
	}
	if p.results == nil {
		p.checks = append(p.checks, v)
	} else {
		p.results.Validate(v)
		p.resolve()
		if n := len(p.checks); n > 0 {
			v = p.checks[n-1]
		}
	}
	p.batch.Validations = append(p.batch.Validations, v)
	p.judge()
}

// resolve joins the validations with what was printed of them.
func (p *state) resolve() {
	p.unresolved = false
	p.checks, p.read = p.results.Resolve()
	p.judge()
}

// judge takes the last result for the accuracy, except a loss.
func (p *state) judge() {
	for _, v := range slices.Backward(p.checks) {
		if v.Value != nil && v.Metric != "" && !profile.IsLoss(v.Metric) {
			p.accuracy = &profile.Accuracy{Metric: v.Metric, Value: *v.Value, HigherIsBetter: v.HigherIsBetter,
				Basis: estimate.Measured}
			return
		}
	}
}

// isHigherBetter returns the direction that the script states; without one it
// follows from the metric's name.
func isHigherBetter(metric string, said *bool) bool {
	if said != nil {
		return *said
	}
	name := strings.ToLower(metric)
	for _, lower := range []string{"loss", "err", "wer", "perplexity", "mse", "mae", "entropy"} {
		if strings.Contains(name, lower) {
			return false
		}
	}
	return true
}

// pause is placed after the number of steps that the first rank had done: in
// data-parallel training it writes the checkpoints. Other ranks may be ahead by
// steps still queued on their devices.
func (p *state) pause(e protocol.Pause, now float64) {
	done := cmp.Or(p.counts[0], p.series.Len())
	pause := profile.Pause{AtS: at(e.T, now), Seconds: e.Seconds, Kind: e.Kind, Iterations: &done}
	p.pauses = append(p.pauses, pause)
	p.batch.Pauses = append(p.batch.Pauses, pause)
	p.pausedS[done] += e.Seconds
}

// withoutPause is the time of a rank's step without its wait for the first
// rank, which paused before that step and does not count the pause as its own
// step time. Otherwise a checkpoint would count both as a pause and as a slow
// step.
func (p *state) withoutPause(e protocol.Iteration, step int) float64 {
	if paused := p.pausedS[step]; e.Rank != 0 && e.Seconds >= paused {
		return e.Seconds - paused
	}
	return e.Seconds
}
