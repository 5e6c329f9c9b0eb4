package probe

import (
	"fmt"
	"math"
	"strings"

	"sweetspot/engine/quantity"
	"sweetspot/probes/matrix"
)

// Axes are the lists of the form, whose combinations are the probes. What a
// command sets itself has the zero value.
func (f Form) Axes() matrix.Axes {
	a := matrix.Axes{Mode: f.Mode, Hosts: f.Hosts, Repeats: f.Repeat}
	if !f.OfCommand() {
		a.Batches, a.Precisions, a.Prunes = f.Batches, f.Precisions, f.Prunes
	}
	return a
}

// size is how many of each thing a form asks for.
type size struct{ batches, precisions, prunes, repeats, hosts int }

func (f Form) size() size {
	a := f.Axes()
	return size{max(len(a.Batches), 1), max(len(a.Precisions), 1), max(len(a.Prunes), 1), max(a.Repeats, 1),
		max(len(a.Hosts), 1)}
}

// probes is the number of probes.
func (s size) probes() int { return s.perHost() * s.hosts }

// perHost is how many of them run one after the other.
func (s size) perHost() int { return s.batches * s.precisions * s.prunes * s.repeats }

// String writes the factors that aren't one: 3 batch sizes × 2 precisions.
func (s size) String() string {
	var parts []string
	for _, x := range []struct {
		n    int
		word string
	}{{s.batches, "batch sizes"}, {s.precisions, "precisions"}, {s.prunes, "prunings"}, {s.repeats, "repeats"},
		{s.hosts, "hosts"}} {
		if x.n > 1 {
			parts = append(parts, fmt.Sprintf("%d %s", x.n, x.word))
		}
	}
	return strings.Join(parts, " × ")
}

// Sizing says what the form comes to: how many probes, and about how long and
// how dear they are.
func (f Form) Sizing() string {
	s := f.size()
	if s.probes() == 1 {
		return "one probe, " + f.spend()
	}
	return fmt.Sprintf("%s = %d probes, %s", s, s.probes(), f.spend())
}

// startup is what a probe takes at least before its first steady step, in
// seconds: Python, the framework and the model have to be loaded.
const startup = 5

// spend is what all probes take, from the shortest each can be to the caps.
// Hosts work side by side, and each of them costs.
func (f Form) spend() string {
	s := f.size()
	low, high := f.Rule().MinSeconds+startup, math.Inf(1)
	if f.MaxSeconds > 0 {
		high = f.MaxSeconds
		low = min(low, high)
	}
	wall := [2]float64{low * float64(s.perHost()), high * float64(s.perHost())}
	if f.USDPerHour == nil {
		return "about " + between(wall[0], wall[1], quantity.Duration)
	}
	second := *f.USDPerHour / 3600 * float64(s.hosts) // dollars while all hosts work
	if f.MaxUSD > 0 && second > 0 {
		for i := range wall {
			wall[i] = min(wall[i], f.MaxUSD/second)
		}
	}
	return "about " + between(wall[0], wall[1], quantity.Duration) + ", " + between(wall[0]*second, wall[1]*second,
		quantity.Money)
}

// between writes a range; without a cap it has no end.
func between(low, high float64, format func(float64) string) string {
	switch {
	case math.IsInf(high, 1):
		return format(low) + " or more"
	case math.IsNaN(high) || format(low) == format(high):
		return format(low)
	}
	return format(low) + " to " + format(high)
}
