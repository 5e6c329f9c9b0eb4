package gpu

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"sweetspot/data/store"
	"sweetspot/engine/estimate"
	"sweetspot/engine/plaintext"
)

const (
	// minShare is the smallest share of readings, and of an iteration's time,
	// that a warning reports.
	minShare = 0.1
	// busy is the median utilisation above which a GPU has enough to do,
	// whatever its program waits for.
	busy = 0.8
	// minReadings is how many readings it takes before a warning is given.
	minReadings = 3
)

// Warnings lists, in one sentence each, what made a run slower than its GPUs
// could be: throttling, another program, waiting for input. waitShare is the
// share of the iterations' time between two moments, in seconds since the run's
// start, that was spent waiting for input, in [0,1]; nil is unknown. Without
// readings, on a CPU, it is the only source.
func Warnings(readings []store.Telemetry, waitShare *float64, from, to float64) []string {
	gpus := map[int][]store.Telemetry{}
	for number, of := range byGPU(readings) {
		if working := whileWorking(of); len(working) > 0 {
			gpus[number] = working
		}
	}
	return slices.Concat(throttled(gpus), shared(gpus), waitsForInput(gpus, waitShare, from, to), withoutCounter(gpus))
}

// whileWorking drops the readings before a GPU's first work and after its last;
// if it never works, all of them.
func whileWorking(of []store.Telemetry) []store.Telemetry {
	works := func(r store.Telemetry) bool { return r.Utilisation == nil || *r.Utilisation > 0 }
	begin := slices.IndexFunc(of, works)
	if begin < 0 {
		return nil
	}
	end := len(of)
	for !works(of[end-1]) {
		end--
	}
	return of[begin:end]
}

// consequences say what each reason for lower clocks means for the user.
var consequences = []struct{ reason, means string }{
	{byHeat, "a longer run may be even slower; check its cooling"},
	{byPowerLimit, "a higher limit would make it faster; see nvidia-smi -q -d POWER"},
	{byPowerBrake, "the machine's power supply requests it"},
	{byHardware, "see nvidia-smi -q -d PERFORMANCE"},
	{bySetting, "nvidia-smi -rac resets the clocks"},
	{bySyncBoost, "the slowest GPU of its group sets the pace"},
	{byDisplay, "its display limits it"},
}

func throttled(gpus map[int][]store.Telemetry) []string {
	var all []string
	for _, c := range consequences {
		which, most := affected(gpus, minShare, func(r store.Telemetry) bool {
			return slices.Contains(strings.Split(r.Throttle, ", "), c.reason)
		})
		which = slices.DeleteFunc(which, func(number int) bool { return len(gpus[number]) < minReadings })
		if len(which) > 0 {
			all = append(all, fmt.Sprintf("%s throttled by %s in %s of the readings: %s", names(which), c.reason,
				percent(most, len(which)), c.means))
		}
	}
	return all
}

func shared(gpus map[int][]store.Telemetry) []string {
	which, most := affected(gpus, 0, func(r store.Telemetry) bool { return r.Shared != nil && *r.Shared })
	if len(which) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("another program used %s in %s of the readings, so the times are longer than they "+
		"should be; probe again without it",
		names(which), percent(most, len(which)))}
}

func waitsForInput(gpus map[int][]store.Telemetry, waitShare *float64, from, to float64) []string {
	if waitShare == nil || !(*waitShare >= minShare) || *waitShare > 1 {
		return nil
	}
	var utilisation []float64
	for _, of := range gpus {
		for _, r := range of {
			if r.Utilisation != nil && from <= r.T && r.T <= to {
				utilisation = append(utilisation, *r.Utilisation)
			}
		}
	}
	waiting := fmt.Sprintf("%.0f %% of each step is spent waiting for input", *waitShare*100)
	if len(utilisation) >= minReadings {
		median := estimate.Median(utilisation)
		if median >= busy {
			return nil
		}
		waiting += fmt.Sprintf(" and the GPU is busy %.0f %% of the time", median*100)
	}
	return []string{waiting + ": more DataLoader workers (num_workers), faster storage or lighter preprocessing " +
		"would speed it up"}
}

// withoutCounter says how energy was computed without a counter.
func withoutCounter(gpus map[int][]store.Telemetry) []string {
	which, _ := affected(gpus, 0, func(r store.Telemetry) bool { return r.Watts != nil })
	which = slices.DeleteFunc(which, func(number int) bool {
		return slices.ContainsFunc(gpus[number], func(r store.Telemetry) bool { return r.EnergyJ != nil })
	})
	if len(which) == 0 {
		return nil
	}
	return []string{names(which) + " without an energy counter: energy per unit is integrated from power readings"}
}

// affected lists the GPUs of which some readings, and at least this share of them,
// are so, and the largest share.
func affected(gpus map[int][]store.Telemetry, share float64, is func(store.Telemetry) bool) (which []int,
	most float64) {
	for _, number := range slices.Sorted(maps.Keys(gpus)) {
		n := 0.0
		for _, r := range gpus[number] {
			if is(r) {
				n++
			}
		}
		if s := n / float64(len(gpus[number])); s > 0 && s >= share {
			which, most = append(which, number), max(most, s)
		}
	}
	return which, most
}

// names returns "GPU 0" or "GPUs 0, 1".
func names(which []int) string {
	if len(which) == 1 {
		return fmt.Sprintf("GPU %d", which[0])
	}
	return "GPUs " + plaintext.Join(which, ", ", strconv.Itoa)
}

// percent is the share as text; of several GPUs, the largest.
func percent(share float64, gpus int) string {
	if gpus > 1 {
		return fmt.Sprintf("up to %.0f %%", share*100)
	}
	return fmt.Sprintf("%.0f %%", share*100)
}
