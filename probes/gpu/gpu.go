// Package gpu lists the NVIDIA GPUs of this machine and reads their sensors.
// The driver's library is loaded on first use, so the program also starts on a
// machine without it. Where there are none, AMD's are read by the tool of ROCm.
package gpu

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"sweetspot/engine/plaintext"
	"sweetspot/probes/protocol"
)

// Device is one GPU.
type Device struct {
	Name        string
	MemoryBytes float64
}

// ErrNone means that this machine has no NVIDIA driver, or no GPU. That is not
// a fault.
var ErrNone = errors.New("no NVIDIA GPU")

// open loads the driver's library and counts the GPUs. Without an error, the
// library must be closed.
func open() (count int, err error) {
	switch ret := nvml.Init(); ret {
	case nvml.SUCCESS:
	case nvml.ERROR_LIBRARY_NOT_FOUND, nvml.ERROR_DRIVER_NOT_LOADED:
		return 0, ErrNone
	default:
		return 0, fmt.Errorf("the NVIDIA driver does not answer (%s); reboot or reinstall it", words(ret))
	}
	count, ret := nvml.DeviceGetCount()
	if ret != nvml.SUCCESS {
		closeDriver()
		return 0, fmt.Errorf("the NVIDIA driver does not list its GPUs (%s)", words(ret))
	}
	return count, nil
}

func closeDriver() { _ = nvml.Shutdown() }

func words(ret nvml.Return) string { return plaintext.Clean(nvml.ErrorString(ret)) }

// Devices returns the GPUs and the driver's version.
func Devices() (devices []Device, driver string, err error) {
	count, err := open()
	if err != nil {
		return nil, "", err
	}
	defer closeDriver()
	driver, _ = nvml.SystemGetDriverVersion()
	for i := range count {
		d, ret := nvml.DeviceGetHandleByIndex(i)
		if ret != nvml.SUCCESS {
			return devices, driver, fmt.Errorf("GPU %d does not answer (%s); see dmesg", i, words(ret))
		}
		name, _ := d.GetName()
		memory, _ := d.GetMemoryInfo()
		devices = append(devices, Device{plaintext.Clean(name), float64(memory.Total)})
	}
	if len(devices) == 0 {
		return nil, driver, ErrNone
	}
	return devices, plaintext.Clean(driver), nil
}

// Observer returns a function that reads the GPUs' sensors at the given
// interval until its context ends. It emits one [protocol.Telemetry] for each
// GPU that a process of this machine or its descendants use, or for all while that is
// unknown. The number of that process may be 0 while it is not known. Without a GPU it returns at once.
func Observer(process func() int, every time.Duration) func(ctx context.Context, emit func(protocol.Event)) {
	return func(ctx context.Context, emit func(protocol.Event)) {
		o := observer{open: openDriver, every: every, own: newOwnership(process), began: time.Now(), emit: emit}
		o.run(ctx)
	}
}

type observer struct {
	open  func() ([]sensor, func(), error)
	every time.Duration
	own   *ownership
	began time.Time
	emit  func(protocol.Event)

	sensors []sensor // nil for a GPU that does not answer
	used    []bool   // by us, at some time
}

func (o *observer) run(ctx context.Context) {
	sensors, closeDriver, err := o.open()
	if errors.Is(err, ErrNone) {
		closeDriver, o.every = func() {}, max(o.every, amdEvery)
		var amd *amdSMI
		if amd, err = openAMD(ctx); err == nil {
			sensors = amd.sensors()
		}
	}
	if err != nil {
		if !errors.Is(err, ErrNone) {
			o.emit(protocol.Warning{Message: err.Error()})
		}
		return
	}
	defer closeDriver()
	o.sensors, o.used = sensors, make([]bool, len(sensors))
	tick := time.NewTicker(o.every)
	defer tick.Stop()
	for ctx.Err() == nil {
		o.readAll()
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// readAll takes one reading of every GPU in use.
func (o *observer) readAll() {
	shared := make([]*bool, len(o.sensors))
	for i, s := range o.sensors {
		if s != nil {
			shared[i] = o.whose(i, s)
		}
	}
	o.own.endReading(o.began)
	known := slices.Contains(o.used, true)
	for i, s := range o.sensors {
		if s == nil || (known && !o.used[i]) {
			continue
		}
		e, alive := read(i, s)
		if !alive {
			o.sensors[i] = nil
			o.emit(protocol.Warning{Message: fmt.Sprintf("GPU %d has fallen off the bus; see dmesg and restart the machine", i)})
			continue
		}
		e.Shared = shared[i]
		o.emit(e)
	}
}

// whose records whether we use the GPU and returns whether another program
// does; nil if that is unknown.
func (o *observer) whose(i int, s sensor) *bool {
	processes, ret := s.GetComputeRunningProcesses()
	if ret != nvml.SUCCESS {
		return nil
	}
	var another, unclear bool
	for _, p := range processes {
		switch o.own.of(p.Pid) {
		case ours:
			o.used[i] = true
		case foreign:
			another = true
		case unknown:
			unclear = true
		}
	}
	if !another && (unclear || !o.own.comparable) {
		return nil
	}
	return &another
}
