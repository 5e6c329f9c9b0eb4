// Package rapl reads the energy counters of CPU packages, which Linux shows for
// processors of Intel and AMD as the powercap zones of RAPL (running average
// power limit; Documentation/power/powercap in the kernel's sources). By default
// only root may read them.
//
// A package is a processor with its cores and caches, whatever program runs on
// them. Memory modules, where they have a zone of their own, are not in it.
package rapl

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"sweetspot/probes/protocol"
)

// Zones is where Linux lists them.
const Zones = "/sys/class/powercap"

// Observer returns what reads the counters below a folder, as [Zones], once every
// so often until its context ends: one [protocol.Telemetry] a package. Where none
// can be read it returns at once, having emitted nothing.
func Observer(zones string, every time.Duration) func(ctx context.Context, emit func(protocol.Event)) {
	return func(ctx context.Context, emit func(protocol.Event)) {
		packages := find(zones)
		if len(packages) == 0 {
			return
		}
		tick := time.NewTicker(every)
		defer tick.Stop()
		for ctx.Err() == nil {
			for i := range packages {
				if joules, ok := packages[i].read(); ok {
					emit(protocol.Telemetry{CPU: true, GPU: i, EnergyJ: &joules})
				}
			}
			select {
			case <-ctx.Done():
			case <-tick.C:
			}
		}
	}
}

// zone is the counter of one package, in microjoules.
type zone struct {
	dir         string
	last, total uint64
	most        uint64 // after which the counter begins at 0
}

// find lists the packages whose counters can be read. Zones within a package,
// of its cores or memory, have two numbers in their name; that of a whole laptop
// is no package.
func find(zones string) (packages []zone) {
	dirs, _ := filepath.Glob(filepath.Join(zones, "intel-rapl:*")) // only a bad pattern fails
	for _, dir := range dirs {
		name, err := os.ReadFile(filepath.Join(dir, "name"))
		if err != nil || strings.Count(filepath.Base(dir), ":") > 1 || !strings.HasPrefix(string(name), "package") {
			continue
		}
		z := zone{dir: dir}
		last, err1 := z.number("energy_uj")
		most, err2 := z.number("max_energy_range_uj")
		if err1 == nil && err2 == nil && most > 0 {
			z.last, z.most = last, most
			packages = append(packages, z)
		}
	}
	return packages
}

func (z *zone) number(file string) (uint64, error) {
	text, err := os.ReadFile(filepath.Join(z.dir, file))
	if err != nil {
		return 0, fmt.Errorf("reading a CPU's energy: %w", err)
	}
	return strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
}

// read is what the package took since it was found, in joules. The counter begins
// again some time after ten minutes of full load, much less often than it is read.
func (z *zone) read() (joules float64, ok bool) {
	now, err := z.number("energy_uj")
	if err != nil || now > z.most {
		return 0, false
	}
	if now < z.last {
		z.total += z.most + 1
	}
	z.total += now - z.last
	z.last = now
	return float64(z.total) / 1e6, true
}
