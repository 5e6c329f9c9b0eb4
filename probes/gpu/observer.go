package gpu

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"sweetspot/probes/protocol"
)

// Observer returns a function that reads the GPUs' sensors at the given
// interval until its context ends. It emits one [protocol.Telemetry] for each
// GPU that this process or its descendants use, or for all while that is
// unknown. Without an NVIDIA GPU it returns at once.
func Observer(every time.Duration) func(ctx context.Context, emit func(protocol.Event)) {
	return func(ctx context.Context, emit func(protocol.Event)) {
		o := observer{open: openDriver, every: every, own: newOwnership(), began: time.Now(), emit: emit}
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
