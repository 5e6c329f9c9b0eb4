package adapter

import (
	"math"
	"strings"

	mlperf "sweetspot/data/imports/mllog"
	"sweetspot/engine/plaintext"
	"sweetspot/probes/protocol"
)

// mllog reads the log of MLPerf training: `:::MLLOG {json}` and the older
// `:::MLPv0.5.0 resnet 1541635749.6 (file.py:10) key: json`, anywhere on a
// line. It reports epochs (or blocks of epochs) but no steps, so an iteration
// here is an epoch, its units are the samples of the epoch, and
// iterations_per_epoch is 1, or 1/k for blocks of k epochs. Times are those in
// the log.
type mllog struct {
	open     map[string]float64 // an interval: when it began
	samples  float64            // of an epoch; 0 unknown
	perBlock float64            // epochs of the block that is open
	told     float64            // iterations_per_epoch as last reported
	epochs   bool               // there are epochs, so blocks are ignored
	evals    float64            // seconds of evaluations since the open epoch or block began
	pending  *protocol.Validation
	index    int
	epoch    int
	warned   bool
	last     string
}

func (m *mllog) line(_ float64, line string) []protocol.Event {
	if line == m.last {
		return nil // some loggers print twice
	}
	e, ok := mlperf.Parse([]byte(line))
	if !ok || math.IsNaN(e.AtS) {
		return nil
	}
	m.last = line
	if m.open == nil {
		m.open = map[string]float64{}
	}
	now := e.AtS
	interval, isStart := strings.CutSuffix(e.Key, "_start")
	if isStart {
		return m.begin(interval, now, e)
	}
	if interval, isStop := strings.CutSuffix(e.Key, "_stop"); isStop {
		return m.end(interval, now)
	}
	return m.fact(e)
}

// fact is a point in time: a setting or a result.
func (m *mllog) fact(e mlperf.Event) []protocol.Event {
	if e.Key == "submission_benchmark" {
		if name := e.Text(); name != "" {
			return []protocol.Event{protocol.Model{Name: plaintext.Line(name, 200)}}
		}
		return nil
	}
	number := e.Number()
	if number == nil {
		return nil
	}
	v := *number
	switch e.Key {
	case "global_batch_size":
		if v >= 1 && v < maxBatch && v == math.Trunc(v) {
			return []protocol.Event{protocol.Model{BatchSize: new(int(v))}}
		}
	case "train_samples":
		if v >= 1 {
			m.samples = v
			return []protocol.Event{protocol.Model{TrainSize: new(v)}}
		}
	case "eval_accuracy", "eval_loss", "eval_error":
		return m.result(e.Key, v)
	}
	return nil
}

const maxBatch = 1 << 40

// result gives an evaluation its value. Some benchmarks call a loss accuracy,
// so the direction stays open.
func (m *mllog) result(name string, v float64) []protocol.Event {
	if m.pending == nil {
		m.pending = &protocol.Validation{Seconds: -1}
	}
	m.pending.Metric, m.pending.Value = name, &v
	if _, running := m.open["eval"]; running || m.pending.Seconds < 0 {
		return nil
	}
	return m.flush()
}

// flush reports the evaluation that has ended.
func (m *mllog) flush() []protocol.Event {
	v := m.pending
	m.pending = nil
	if v == nil || v.Seconds < 0 {
		return nil
	}
	return []protocol.Event{*v}
}

func (m *mllog) begin(interval string, now float64, e mlperf.Event) []protocol.Event {
	var events []protocol.Event
	switch interval {
	case "run":
		if since, ok := m.open["init"]; ok && now >= since {
			events = append(events, protocol.Init{Seconds: now - since})
		}
	case "epoch", "block":
		events = m.flush()
		if interval == "epoch" {
			m.epochs = true
		} else {
			m.perBlock = 0
			if n := e.Metadata.Count.Positive(); n != nil {
				m.perBlock = *n
			}
		}
		m.evals = 0
	case "eval":
		events = m.flush()
		m.pending = nil
	case "init":
	default:
		return nil
	}
	m.open[interval] = now
	return events
}

func (m *mllog) end(interval string, now float64) []protocol.Event {
	if interval == "run" {
		return m.flush()
	}
	since, ok := m.open[interval]
	if interval == "init" || !ok {
		return nil // init lasts until run begins
	}
	delete(m.open, interval)
	seconds := now - since
	if seconds < 0 {
		return nil
	}
	switch interval {
	case "eval":
		m.evals += seconds
		if m.pending == nil {
			m.pending = &protocol.Validation{}
		}
		m.pending.Seconds, m.pending.Epoch = seconds, m.epoch
		if m.pending.Value != nil {
			return m.flush()
		}
	case "epoch":
		return m.step(seconds-m.evals, 1)
	case "block":
		if !m.epochs && m.perBlock > 0 {
			return m.step(seconds-m.evals, m.perBlock)
		}
	}
	return nil
}

// step is an epoch or a block of several.
func (m *mllog) step(seconds, epochs float64) []protocol.Event {
	var events []protocol.Event
	if !m.warned {
		m.warned = true
		events = append(events, protocol.Warning{Message: "MLPerf logs have no single steps, so a step here is an " +
			"epoch or a block of epochs"})
	}
	if per := 1 / epochs; per != m.told && !math.IsInf(per, 0) {
		m.told = per
		events = append(events, protocol.Model{IterationsPerEpoch: new(per)})
	}
	it := protocol.Iteration{Epoch: m.epoch, Index: new(m.index), Seconds: seconds}
	if m.samples > 0 {
		it.Units = new(m.samples * epochs)
	}
	m.index++
	m.epoch += int(min(max(epochs, 1), 1e6))
	return append(events, it)
}
