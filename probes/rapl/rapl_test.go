package rapl

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"sweetspot/probes/protocol"
)

func zoneAt(t *testing.T, root, dir, name, energy, most string) {
	t.Helper()
	for file, text := range map[string]string{"name": name, "energy_uj": energy, "max_energy_range_uj": most} {
		path := filepath.Join(root, dir, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

const most = "262143328850"

// Counters go on when they begin again, and a reading that makes no sense is left
// out.
func TestRead(t *testing.T) {
	root := t.TempDir()
	zoneAt(t, root, "intel-rapl:0", "package-0", "262000000000", most)
	packages := find(root)
	if len(packages) != 1 {
		t.Fatalf("found %+v", packages)
	}
	for _, c := range []struct {
		counter string
		joules  float64
		ok      bool
	}{
		{"262000000000", 0, true}, {"262143328850", 143.32885, true}, {"0", 143.328851, true}, {"1000000", 144.328851, true},
		{"no number", 0, false}, {"999999999999", 0, false}, {"2000000", 145.328851, true},
	} {
		zoneAt(t, root, "intel-rapl:0", "package-0", c.counter, most)
		if joules, ok := packages[0].read(); ok != c.ok || math.Abs(joules-c.joules) > 1e-9 {
			t.Errorf("at %s: %g J, %t, want %g", c.counter, joules, ok, c.joules)
		}
	}
}

// Each package is read on every tick, and no other zone.
func TestObserver(t *testing.T) {
	root := t.TempDir()
	zoneAt(t, root, "intel-rapl:0", "package-0", "5000000", most)
	zoneAt(t, root, "intel-rapl:1", "package-1", "5000000", most)
	zoneAt(t, root, "intel-rapl:0:0", "core", "7000000", most)
	zoneAt(t, root, "intel-rapl:2", "psys", "9000000", most)
	zoneAt(t, root, "intel-rapl:3", "package-3", "no number", most)
	zoneAt(t, root, "intel-rapl-mmio:0", "package-0", "1", most)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var got []protocol.Event
	Observer(root, time.Millisecond)(ctx, func(e protocol.Event) {
		got = append(got, e)
		if len(got) == 2 {
			zoneAt(t, root, "intel-rapl:1", "package-1", "7500000", most)
		}
		if len(got) == 4 {
			cancel()
		}
	})
	reading := func(number int, joules float64) protocol.Event {
		return protocol.Telemetry{CPU: true, GPU: number, EnergyJ: &joules}
	}
	if want := []protocol.Event{reading(0, 0), reading(1, 0), reading(0, 0),
		reading(1, 2.5)}; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestNoCounters(t *testing.T) {
	Observer(t.TempDir(), time.Hour)(t.Context(), func(e protocol.Event) { t.Errorf("%+v", e) })
}
