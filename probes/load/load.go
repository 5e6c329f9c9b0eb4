// Package load reads how busy the CPUs of this machine are with other work than a
// probe: what runs beside it makes its times longer. Only Linux tells. Of another host its
// agent reads the same, see probes/remote/python/load.py.
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

// Other work counts as interference from this share of all CPUs on, where no more than
// mostIdle of them is idle: as long as CPUs are free it need not slow a probe down. What it
// may cost a step is said from leastLost on, which is as precise as a probe aims to be.
const (
	leastOthers = 0.1
	mostIdle    = 0.1
	leastLost   = 0.02
)

// Sum is how the CPUs were used during all readings.
type Sum struct {
	readings              int
	others, idle, seconds float64 // the first two weighted with the third
	active                float64 // seconds
}

// Add adds a reading. Where the kernel does not tell for how long the probe ran or waited for
// a CPU, it may have been all the time.
func (s *Sum) Add(r protocol.Load) {
	active := 1.0
	if r.Active != nil {
		active = *r.Active
	}
	s.readings++
	s.seconds += r.Seconds
	s.others += r.Others * r.Seconds
	s.idle += r.Idle * r.Seconds
	s.active += active * r.Seconds
}

// Interference is what other programs took from a probe, as shares.
type Interference struct {
	Others, Idle float64 // of the time of all CPUs
	Lost         float64 // of a step's time, at most
}

// Interference is that of a probe that spent this share of its time in steps; nil for none.
// One reading may be of a moment, so it takes two.
//
// A step loses no more than what the others took: if it could use all CPUs, it would have these
// as well. And it loses no time in which nothing of the probe ran or waited for a CPU: sleep, or
// waiting for a disk or a GPU, is as long on an idle machine. All that ran may have run in steps.
func (s *Sum) Interference(stepping float64) *Interference {
	if s.readings < 2 {
		return nil
	}
	i := Interference{Others: s.others / s.seconds, Idle: s.idle / s.seconds}
	i.Lost = i.Others
	if stepping > 0 {
		i.Lost = min(i.Others, s.active/s.seconds/stepping)
	}
	if i.Others < leastOthers || i.Idle > mostIdle || i.Lost < leastLost {
		return nil
	}
	return &i
}

// Least is the shortest time that a step may take without the other work.
func (i *Interference) Least(seconds float64) float64 { return seconds * max(0, 1-i.Lost) }

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
			// Thousands of processes take a while to read, which must not slow the probe down; on a busy
			// machine a few do as well.
			last, wait = now, max(every, min(200*time.Since(begin), 5*every))
		}
	}
}

// A tick is the unit of /proc/stat to programs, whatever the kernel's own is.
const ticksPerSecond = 100

// usage is CPU time since the machine started, in ticks.
type usage struct {
	at              time.Time
	busy, idle, own float64
	// Of the processes below the root: the root is sweetspot, on which no step waits.
	below  float64
	delays map[int]float64 // seconds that their threads waited for a CPU; nil where the kernel does not tell
}

// since is the use since an earlier time.
func (u usage) since(before usage) (r protocol.Load, ok bool) {
	busy, idle, own := u.busy-before.busy, u.idle-before.idle, max(u.own-before.own, 0)
	all := busy + idle
	r.Seconds = u.at.Sub(before.at).Seconds()
	if !(all > 0) || busy < 0 || idle < 0 || r.Seconds <= 0 {
		return protocol.Load{}, false
	}
	r.Others, r.Idle = max(busy-own, 0)/all, idle/all
	if u.delays != nil && before.delays != nil {
		active := max(u.below-before.below, 0) / ticksPerSecond
		for thread, seconds := range u.delays { // threads that have ended are unknown
			active += max(seconds-before.delays[thread], 0)
		}
		r.Active = new(min(active/r.Seconds, 1))
	}
	return r, true
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
	u.at = time.Now()
	if ran, _, ok := delay(filepath.Join(proc, strconv.Itoa(root))); ok && ran > 0 { // it says 0 where it does not count
		u.delays = map[int]float64{}
	}
	all := processes(proc)
	for pid, p := range all {
		if !isBelow(all, pid, root) {
			continue
		}
		if u.own += p.ticks; pid != root {
			u.below += p.ticks
			u.addDelays(filepath.Join(proc, strconv.Itoa(pid), "task"))
		}
	}
	return u, true
}

type process struct {
	parent int
	ticks  float64 // with those of its children that have ended and were waited for
}

func processes(proc string) map[int]process {
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
	return all
}

// isBelow reports whether a process is the root or descends from it.
func isBelow(all map[int]process, pid, root int) bool {
	for at, depth := pid, 0; at > 0 && depth < 100; at, depth = all[at].parent, depth+1 {
		if at == root {
			return true
		}
	}
	return false
}

// addDelays adds the seconds that each thread of a process was ready to run and had no CPU.
func (u *usage) addDelays(tasks string) {
	entries, _ := os.ReadDir(tasks) // it may have ended
	for _, e := range entries {
		thread, err := strconv.Atoi(e.Name())
		if _, waited, ok := delay(filepath.Join(tasks, e.Name())); ok && err == nil && u.delays != nil {
			u.delays[thread] = waited
		}
	}
}

// delay is for how many seconds a thread ran, and waited for a CPU.
func delay(task string) (ran, waited float64, ok bool) {
	text, err := os.ReadFile(filepath.Join(task, "schedstat"))
	if err != nil {
		return 0, 0, false
	}
	_, err = fmt.Sscan(string(text), &ran, &waited)
	return ran / 1e9, waited / 1e9, err == nil
}
