package gpu

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"sweetspot/probes/protocol"
)

// fakeGPU answers as the driver's library does, in its units.
type fakeGPU struct {
	processes []uint32
	bits      uint64
	old       bool // neither counter nor utilisation
	lost      bool
}

func (f *fakeGPU) GetUtilizationRates() (nvml.Utilization, nvml.Return) {
	switch {
	case f.lost:
		return nvml.Utilization{}, nvml.ERROR_GPU_IS_LOST
	case f.old:
		return nvml.Utilization{}, nvml.ERROR_NOT_SUPPORTED
	}
	return nvml.Utilization{Gpu: 97}, nvml.SUCCESS
}

func (f *fakeGPU) GetMemoryInfo() (nvml.Memory, nvml.Return) {
	return nvml.Memory{Used: 3 << 30, Total: 80 << 30}, nvml.SUCCESS
}
func (f *fakeGPU) GetPowerUsage() (uint32, nvml.Return) { return 320500, nvml.SUCCESS }
func (f *fakeGPU) GetTemperature(nvml.TemperatureSensors) (uint32, nvml.Return) {
	return 61, nvml.SUCCESS
}
func (f *fakeGPU) GetCurrentClocksThrottleReasons() (uint64, nvml.Return) {
	return f.bits, nvml.SUCCESS
}

func (f *fakeGPU) GetTotalEnergyConsumption() (uint64, nvml.Return) {
	if f.old {
		return 0, nvml.ERROR_NOT_SUPPORTED
	}
	return 1234567, nvml.SUCCESS
}

func (f *fakeGPU) GetUUID() (string, nvml.Return) {
	return "GPU-12345678-9abc-def0-1234-56789abcdef0", nvml.SUCCESS
}

func (f *fakeGPU) GetComputeRunningProcesses() ([]nvml.ProcessInfo, nvml.Return) {
	var list []nvml.ProcessInfo
	for _, pid := range f.processes {
		list = append(list, nvml.ProcessInfo{Pid: pid})
	}
	return list, nvml.SUCCESS
}

// watch observes fake GPUs until it has had a number of events.
func watch(t *testing.T, own *ownership, want int, gpus ...sensor) []protocol.Event {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var closed atomic.Bool
	var events []protocol.Event
	o := observer{
		open:  func() ([]sensor, func(), error) { return gpus, func() { closed.Store(true) }, nil },
		every: time.Millisecond, own: own, began: time.Now(),
		emit: func(e protocol.Event) {
			if events = append(events, e); len(events) >= want {
				cancel()
			}
		},
	}
	o.run(ctx)
	if !closed.Load() {
		t.Error("the driver's library was not let go")
	}
	if len(events) < want {
		t.Fatalf("%d events", len(events))
	}
	return events
}

func owned() *ownership {
	o := newOwnership(os.Getpid)
	o.comparable = true // the fakes give numbers of this namespace
	return o
}

func TestReading(t *testing.T) {
	e := watch(t, owned(), 1, &fakeGPU{processes: []uint32{uint32(os.Getpid())},
		bits: nvml.ClocksEventReasonSwPowerCap})[0].(protocol.Telemetry)
	if *e.Utilisation != 0.97 || *e.MemoryBytes != 3<<30 || *e.Watts != 320.5 || *e.Celsius != 61 ||
		*e.EnergyJ != 1234.567 || e.UUID != "GPU-12345678-9abc-def0-1234-56789abcdef0" || e.Throttle != byPowerLimit {
		t.Errorf("%+v", e)
	}
	if e.Shared == nil || *e.Shared || e.T != nil {
		t.Errorf("%+v", e)
	}
	e = watch(t, owned(), 1, &fakeGPU{old: true})[0].(protocol.Telemetry)
	if e.Utilisation != nil || e.EnergyJ != nil || e.Watts == nil || e.Throttle != "" {
		t.Errorf("an old GPU: %+v", e)
	}
}

func TestReasons(t *testing.T) {
	for bits, want := range map[uint64]string{
		nvml.ClocksEventReasonNone:    "",
		nvml.ClocksEventReasonGpuIdle: "",
		nvml.ClocksEventReasonSwThermalSlowdown | nvml.ClocksThrottleReasonHwThermalSlowdown |
			nvml.ClocksThrottleReasonHwSlowdown: byHeat,
		nvml.ClocksThrottleReasonHwSlowdown:                                                 byHardware,
		nvml.ClocksThrottleReasonHwSlowdown | nvml.ClocksThrottleReasonHwPowerBrakeSlowdown: byPowerBrake,
		nvml.ClocksEventReasonSwPowerCap | nvml.ClocksEventReasonSyncBoost: byPowerLimit + ", " +
			bySyncBoost,
		nvml.ClocksEventReasonApplicationsClocksSetting | nvml.ClocksEventReasonDisplayClockSetting: bySetting +
			", " + byDisplay,
		1 << 40: "",
	} {
		if got := strings.Join(reasons(bits), ", "); got != want {
			t.Errorf("%#x: %q, want %q", bits, got, want)
		}
	}
	for bit := uint64(2); bit <= 256; bit <<= 1 {
		for _, reason := range reasons(bit) {
			if !strings.Contains(fmt.Sprint(consequences), reason) {
				t.Errorf("nothing is said of %s", reason)
			}
		}
	}
}

// Only the GPUs that we compute on are reported, and it is seen when somebody
// else computes on them.
func TestWhoseGPU(t *testing.T) {
	us, init := uint32(os.Getpid()), uint32(1)
	mine, both, free := &fakeGPU{processes: []uint32{us}}, &fakeGPU{processes: []uint32{us, init}}, &fakeGPU{}
	shared := map[int]bool{}
	for _, e := range watch(t, owned(), 6, free, mine, both, nil) {
		r := e.(protocol.Telemetry)
		if r.Shared == nil {
			t.Fatalf("%+v", r)
		}
		shared[r.GPU] = *r.Shared
	}
	if len(shared) != 2 || shared[1] || !shared[2] {
		t.Errorf("%v", shared)
	}
	seen := map[int]bool{}
	for _, e := range watch(t, owned(), 4, free, &fakeGPU{processes: []uint32{init}}) {
		seen[e.(protocol.Telemetry).GPU] = true
	}
	if len(seen) != 2 {
		t.Errorf("while nobody knows which are ours: %v", seen)
	}
}

// Descendants are ours, in a process group of their own and as orphans too.
func TestDescendants(t *testing.T) {
	dir := t.TempDir()
	script := fmt.Sprintf("sleep 60 & echo $! > %[1]s/part && mv %[1]s/part %[1]s/child; wait", dir)
	parent := exec.CommandContext(t.Context(), "sh", "-c", script)
	parent.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	group := parent.Process.Pid
	defer func() { _ = syscall.Kill(-group, syscall.SIGKILL) }()
	child := uint32(0)
	for deadline := time.Now().Add(20 * time.Second); child == 0 &&
		time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if text, err := os.ReadFile(filepath.Join(dir, "child")); err == nil {
			_, _ = fmt.Sscan(string(text), &child) // 0 fails below
		}
	}
	o := owned()
	if o.of(child) != ours || o.of(uint32(group)) != ours || o.of(1) != foreign || o.of(1<<30) != foreign {
		t.Fatalf("child %d: %v, parent %v, init %v, none %v", child, o.of(child), o.of(uint32(group)), o.of(1), o.of(1<<30))
	}
	o.last, o.now = nil, map[uint32]owner{} // remembered is the group alone
	_ = parent.Process.Kill()
	_ = parent.Wait() // killed
	if o.of(child) != ours {
		t.Error("an orphan is a stranger")
	}
	o.endReading(time.Now())
	_ = syscall.Kill(-group, syscall.SIGKILL)
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if _, _, err := stat("/proc", int(child)); err != nil {
			break
		}
	}
	if o.of(child) != ours {
		t.Error("ours became a stranger by ending")
	}
}

// Where the driver's numbers are not ours to compare, only who was there
// before the probe could be is known to be another.
func TestInAContainer(t *testing.T) {
	o := newOwnership(os.Getpid)
	o.comparable = false
	us := uint32(os.Getpid())
	card := &fakeGPU{processes: []uint32{us}}
	watched := observer{own: o, sensors: []sensor{card}, used: make([]bool, 1), began: time.Now()}
	var last protocol.Telemetry
	watched.emit = func(e protocol.Event) { last = e.(protocol.Telemetry) }
	watched.readAll()
	if last.Shared != nil {
		t.Errorf("known at once: %v", *last.Shared)
	}
	watched.readAll()
	if last.Shared == nil || !*last.Shared {
		t.Error("who was there before is not another")
	}
	card.processes = []uint32{us + 1}
	watched.readAll()
	if last.Shared != nil {
		t.Errorf("a newcomer: %v", *last.Shared)
	}

	late := newOwnership(os.Getpid)
	late.comparable = false
	watched.own, watched.began = late, time.Now().Add(-time.Minute)
	watched.readAll()
	watched.readAll()
	if last.Shared != nil {
		t.Errorf("read late: %v", *last.Shared)
	}
}

func TestLostGPU(t *testing.T) {
	warnings, readings := 0, 0
	for _, e := range watch(t, owned(), 5, &fakeGPU{lost: true}, &fakeGPU{}) {
		switch e := e.(type) {
		case protocol.Warning:
			warnings++
			if !strings.Contains(e.Message, "GPU 0 has fallen off the bus") {
				t.Error(e.Message)
			}
		case protocol.Telemetry:
			readings++
			if e.GPU != 1 {
				t.Errorf("%+v", e)
			}
		}
	}
	if warnings != 1 || readings != 4 {
		t.Errorf("%d warnings, %d readings", warnings, readings)
	}
}

func TestDriverThatFails(t *testing.T) {
	var said []protocol.Event
	emit := func(e protocol.Event) { said = append(said, e) }
	for _, c := range []struct {
		err  error
		want int
	}{{ErrNone, 0}, {errors.New("the NVIDIA driver does not answer"), 1}} {
		said = nil
		o := observer{open: func() ([]sensor, func(), error) { return nil, nil, c.err }, every: time.Hour,
			own: owned(), emit: emit}
		o.run(t.Context())
		if len(said) != c.want {
			t.Errorf("%v: %v", c.err, said)
		}
	}
}

// The real driver: readings where there is one, nothing and at once without.
func TestObserver(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var first protocol.Event
	Observer(os.Getpid, 50*time.Millisecond)(ctx, func(e protocol.Event) {
		if first == nil {
			first = e
			cancel()
		}
	})
	if _, missing := os.Stat("/proc/driver/nvidia/version"); missing != nil {
		if first != nil || ctx.Err() != nil {
			t.Errorf("no driver, yet %v (%v)", first, ctx.Err())
		}
		return
	}
	if e, ok := first.(protocol.Telemetry); !ok || e.MemoryBytes == nil {
		t.Errorf("%+v", first)
	}
}

// A process belongs to a probe that another process began by what descends from that one.
func TestOwnershipOfAnotherProcess(t *testing.T) {
	cmd := exec.Command("sh", "-c", "sleep 60 & echo $!; wait")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL), cmd.Wait() }()
	var below uint32
	if _, err := fmt.Fscan(out, &below); err != nil {
		t.Fatal(err)
	}
	root := 0 // not known yet
	o := newOwnership(func() int { return root })
	o.comparable = true
	if who := o.of(below); who != unknown {
		t.Errorf("it is not known yet: %v", who)
	}
	o.endReading(time.Now())
	root = cmd.Process.Pid
	if who := o.of(below); who != ours {
		t.Errorf("below it: %v", who)
	}
	if who := o.of(uint32(os.Getpid())); who != foreign { //nolint:gosec // a process number
		t.Errorf("above it: %v", who)
	}
}
