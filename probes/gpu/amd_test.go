package gpu

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sweetspot/probes/protocol"
)

// standIn puts a program named amd-smi first on the PATH that writes these texts.
func standIn(t *testing.T, metric, process string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"metric": metric, "process": process} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	script := fmt.Sprintf("#!/bin/sh\nexec cat %q/$1\n", dir)
	if err := os.WriteFile(filepath.Join(dir, "amd-smi"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

// observe is what comes first where NVIDIA's driver is not there.
func observe(t *testing.T, own *ownership) protocol.Event {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var first protocol.Event
	o := observer{
		open:  func() ([]sensor, func(), error) { return nil, nil, ErrNone },
		every: time.Millisecond, own: own, began: time.Now(),
		emit: func(e protocol.Event) {
			if first == nil {
				first = e
			}
			cancel()
		},
	}
	o.run(ctx)
	return first
}

// What ROCm 7 and 6 write, cut to what is read: a GPU of which all is known, and one
// without a counter of energy, of which others are not told.
const (
	newMetric = `{"gpu_data":[{"gpu":1,"usage":{"gfx_activity":{"value":97,"unit":"%"},"vcn_activity":["N/A"]},
		"power":{"socket_power":{"value":612,"unit":"W"},"gfx_voltage":"N/A"},
		"temperature":{"edge":"N/A","hotspot":{"value":71,"unit":"C"}},
		"mem_usage":{"total_vram":{"value":196592,"unit":"MB"},"used_vram":{"value":1024,"unit":"MB"}},
		"energy":{"total_energy_consumption":{"value":12345.5,"unit":"J"}},
		"throttle":{"ppt_violation_status":"ACTIVE","socket_thermal_violation_status":"NOT ACTIVE"}}]}`
	oldMetric = `[{"gpu":0,"usage":"N/A","power":{"socket_power":22},"temperature":{"edge":{"value":44,"unit":"C"}},
		"mem_usage":{"used_vram":{"value":26,"unit":"MB"}},"energy":{"total_energy_consumption":{"value":0.0,"unit":"J"}}}]`
)

func TestAMD(t *testing.T) {
	standIn(t, newMetric, fmt.Sprintf(`[{"gpu":1,"process_list":[{"process_info":{"name":"python3","pid":%d}}]}]`,
		os.Getpid()))
	e, ok := observe(t, owned()).(protocol.Telemetry)
	if !ok || e.GPU != 1 || *e.Utilisation != 0.97 || *e.Watts != 612 || *e.Celsius != 71 || *e.MemoryBytes != 1<<30 ||
		*e.EnergyJ != 12345.5 || e.Throttle != byPowerLimit || e.UUID != "" || e.Shared == nil || *e.Shared {
		t.Errorf("%+v", e)
	}
	if d, err := AMD(t.Context()); err != nil || len(d) != 1 || d[0] != (Device{"AMD GPU", 196592 << 20}) {
		t.Errorf("%v, %v", d, err)
	}
	standIn(t, oldMetric, `[{"gpu":0,"process_list":[{"process_info":"N/A"}]}]`)
	e, ok = observe(t, owned()).(protocol.Telemetry)
	if !ok || e.GPU != 0 || e.Utilisation != nil || *e.Watts != 22 || *e.Celsius != 44 || *e.MemoryBytes != 26<<20 ||
		e.EnergyJ != nil || e.Throttle != "" {
		t.Errorf("%+v", e)
	}
}

// An answer that is none is a warning that says how to see it; numbers that are none are unknown.
func TestAMDThatFails(t *testing.T) {
	for _, metric := range []string{"", "{}", "ERROR", `{"gpu_data":7}`, `[{"gpu":"x"}]`} {
		standIn(t, metric, "")
		w, ok := observe(t, owned()).(protocol.Warning)
		if !ok || !strings.Contains(w.Message, "try `amd-smi metric --json`") {
			t.Errorf("%q: %+v", metric, w)
		}
	}
	for _, metric := range []string{"[]", `[{"gpu":-1}]`, `[{"gpu":100000}]`, `[{}]`} {
		standIn(t, metric, "")
		if e := observe(t, owned()); e != nil {
			t.Errorf("%s: %+v", metric, e)
		}
	}
	standIn(t, `[{"gpu":0,"power":{"socket_power":{"value":-3}},"usage":{"gfx_activity":{"value":1e300}},
		"temperature":{"hotspot":{"value":"hot"}}}]`, "")
	e, ok := observe(t, owned()).(protocol.Telemetry)
	if !ok || e.Watts != nil || e.Utilisation != nil || e.Celsius != nil || e.Shared != nil {
		t.Errorf("%+v", e)
	}
}

func FuzzAMD(f *testing.F) {
	for _, seed := range []string{newMetric, oldMetric, `[{"gpu":0,"process_list":[{"process_info":{"pid":7}}]}]`, "{}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := &amdSMI{run: func(...string) ([]byte, error) { return []byte(text), nil }}
		s.look()
		for n := range s.gpus {
			if e, alive := read(n, amdSensor{s, n}); alive && e.Watts != nil && !(*e.Watts >= 0) {
				t.Errorf("%v W", *e.Watts)
			}
		}
	})
}
