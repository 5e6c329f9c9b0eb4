// Package load reads how busy the CPUs of this machine are with other work than a
// probe: what runs beside it makes its times longer. Only Linux tells.
package load

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"sweetspot/engine/quantity"
	"sweetspot/probes/protocol"
)

// Reading is how the CPUs were used for a while, as shares of the time of all of them.
type Reading struct {
	Others float64 // by other programs than the probe
	Idle   float64
}

// Other work counts as interference from this share of all CPUs on, where no more than
// mostIdle of them is idle: as long as CPUs are free it need not slow a probe down.
const (
	leastOthers = 0.1
	mostIdle    = 0.1
)

// Interference is what other programs took from a probe.
type Interference struct{ Others, Idle float64 }

// Of summarises readings; nil where they show no interference. One reading may be of a
// moment, so it takes two.
func Of(readings []Reading) *Interference {
	if len(readings) < 2 {
		return nil
	}
	var sum Interference
	for _, r := range readings {
		sum.Others += r.Others / float64(len(readings))
		sum.Idle += r.Idle / float64(len(readings))
	}
	if sum.Others < leastOthers || sum.Idle > mostIdle {
		return nil
	}
	return &sum
}

// Least is the shortest time that a step may take without the other work, if it used all
// that this took.
func (i *Interference) Least(seconds float64) float64 { return seconds * max(0, 1-i.Others) }

// Words say what ran beside a probe and what that means for its steps, in seconds.
func (i *Interference) Words(step float64) string {
	text := fmt.Sprintf("other programs used %s of the CPUs during the probe and %s was idle, so its times are too long",
		quantity.Percent(i.Others), quantity.Percent(i.Idle))
	if step > 0 {
		text += ": alone, a step may take as little as " + quantity.Duration(i.Least(step))
	}
	return text + "; probe again when nothing else runs"
}

// Observer reads the load at intervals until ctx ends. The process and all that
// descends from it are the probe's.
func Observer(pid int, every time.Duration) func(ctx context.Context, emit func(protocol.Event)) {
	return func(ctx context.Context, emit func(protocol.Event)) {
		last, ok := read("/proc", pid)
		for wait := every; ok; {
			select {
			case <-ctx.Done():
				return
			case <-time.After(wait):
			}
			var now usage
			begin := time.Now()
			now, ok = read("/proc", pid)
			if r, sound := now.since(last); ok && sound {
				emit(r)
			}
			// Thousands of processes take a while to read, which must not slow the probe down.
			last, wait = now, max(every, 200*time.Since(begin))
		}
	}
}

// usage is CPU time since the machine started, in ticks.
type usage struct{ busy, idle, own float64 }

// since is the use since an earlier time.
func (u usage) since(before usage) (r Reading, ok bool) {
	busy, idle, own := u.busy-before.busy, u.idle-before.idle, max(u.own-before.own, 0)
	all := busy + idle
	if !(all > 0) || busy < 0 || idle < 0 {
		return Reading{}, false
	}
	return Reading{Others: max(busy-own, 0) / all, Idle: idle / all}, true
}

// read reads the use by the machine and by a process with all below it.
func read(proc string, root int) (u usage, ok bool) {
	stat, err := os.ReadFile(filepath.Join(proc, "stat"))
	if err != nil {
		return u, false
	}
	first, _, _ := strings.Cut(string(stat), "\n")
	fields := strings.Fields(first)
	if len(fields) < 9 || fields[0] != "cpu" {
		return u, false
	}
	for i, text := range fields[1:9] { // user nice system idle iowait irq softirq steal
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return u, false
		}
		if i == 3 || i == 4 {
			u.idle += v
		} else {
			u.busy += v
		}
	}
	u.own = tree(proc, root)
	return u, true
}

// tree is the CPU time of a process and its descendants, those included that have ended
// and were waited for.
func tree(proc string, root int) (ticks float64) {
	type process struct {
		parent int
		ticks  float64
	}
	all := map[int]process{}
	entries, _ := os.ReadDir(proc) // nothing found is no time
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile(filepath.Join(proc, e.Name(), "stat"))
		if err != nil {
			continue // it has ended
		}
		// The name, in brackets, may hold anything.
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if len(fields) < 15 {
			continue
		}
		p := process{}
		p.parent, _ = strconv.Atoi(fields[1])
		for _, text := range fields[11:15] { // utime stime cutime cstime
			v, _ := strconv.ParseFloat(text, 64)
			p.ticks += v
		}
		all[pid] = p
	}
	for pid := range all {
		for at, depth := pid, 0; at > 0 && depth < 100; at, depth = all[at].parent, depth+1 {
			if at == root {
				ticks += all[pid].ticks
				break
			}
		}
	}
	return ticks
}
