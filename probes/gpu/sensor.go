package gpu

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"sweetspot/engine/plaintext"
	"sweetspot/probes/protocol"
)

// sensor is the part of the driver's library that reads one GPU.
type sensor interface {
	GetUtilizationRates() (nvml.Utilization, nvml.Return)         // percent
	GetMemoryInfo() (nvml.Memory, nvml.Return)                    // bytes
	GetPowerUsage() (uint32, nvml.Return)                         // milliwatts
	GetTemperature(nvml.TemperatureSensors) (uint32, nvml.Return) // °C
	GetCurrentClocksThrottleReasons() (uint64, nvml.Return)       // bits
	GetTotalEnergyConsumption() (uint64, nvml.Return)             // millijoules
	GetComputeRunningProcesses() (list []nvml.ProcessInfo, r nvml.Return)
	GetUUID() (string, nvml.Return)
}

// openDriver loads the driver's library and returns the sensors of all GPUs, in
// the driver's order. The error is ErrNone if there are none.
func openDriver() (sensors []sensor, done func(), err error) {
	count, err := open()
	if err != nil {
		return nil, nil, err
	}
	missing := missingSymbols()
	for i := range count {
		if d, ret := nvml.DeviceGetHandleByIndex(i); ret == nvml.SUCCESS {
			sensors = append(sensors, guarded{d, missing})
		} else {
			sensors = append(sensors, nil) // the other GPUs keep their index
		}
	}
	return sensors, closeDriver, nil
}

// Symbols that the libraries of some drivers lack. Calling a missing one would
// crash the process.
const (
	symbolEnergy      = "nvmlDeviceGetTotalEnergyConsumption"
	symbolReasons     = "nvmlDeviceGetCurrentClocksThrottleReasons"
	symbolTemperature = "nvmlDeviceGetTemperature"
)

func missingSymbols() map[string]bool {
	missing := map[string]bool{}
	for _, name := range []string{symbolEnergy, symbolReasons, symbolTemperature} {
		missing[name] = nvml.Extensions().LookupSymbol(name) != nil
	}
	return missing
}

// guarded is a sensor that never calls a function that the library lacks.
type guarded struct {
	nvml.Device
	missing map[string]bool
}

func (g guarded) GetTotalEnergyConsumption() (uint64, nvml.Return) {
	if g.missing[symbolEnergy] {
		return 0, nvml.ERROR_FUNCTION_NOT_FOUND
	}
	return g.Device.GetTotalEnergyConsumption()
}

func (g guarded) GetCurrentClocksThrottleReasons() (uint64, nvml.Return) {
	if g.missing[symbolReasons] {
		return 0, nvml.ERROR_FUNCTION_NOT_FOUND
	}
	return g.Device.GetCurrentClocksThrottleReasons()
}

func (g guarded) GetTemperature(of nvml.TemperatureSensors) (uint32, nvml.Return) {
	if g.missing[symbolTemperature] {
		return 0, nvml.ERROR_FUNCTION_NOT_FOUND
	}
	return g.Device.GetTemperature(of)
}

// read takes one reading. Values that a GPU does not report stay unknown; false
// means that the GPU is lost.
func read(number int, s sensor) (protocol.Telemetry, bool) {
	e := protocol.Telemetry{GPU: number}
	if uuid, ret := s.GetUUID(); ret == nvml.SUCCESS {
		e.UUID = plaintext.Clean(uuid)
	}
	rates, lost := s.GetUtilizationRates()
	if lost == nvml.ERROR_GPU_IS_LOST {
		return e, false
	}
	if lost == nvml.SUCCESS && rates.Gpu <= 100 {
		e.Utilisation = new(float64(rates.Gpu) / 100)
	}
	if memory, ret := s.GetMemoryInfo(); ret == nvml.SUCCESS {
		e.MemoryBytes = new(float64(memory.Used))
	}
	if milliwatts, ret := s.GetPowerUsage(); ret == nvml.SUCCESS {
		e.Watts = new(float64(milliwatts) / 1000)
	}
	if celsius, ret := s.GetTemperature(nvml.TEMPERATURE_GPU); ret == nvml.SUCCESS {
		e.Celsius = new(float64(celsius))
	}
	if millijoules, ret := s.GetTotalEnergyConsumption(); ret == nvml.SUCCESS {
		e.EnergyJ = new(float64(millijoules) / 1000)
	}
	if bits, ret := s.GetCurrentClocksThrottleReasons(); ret == nvml.SUCCESS {
		e.Throttle = strings.Join(reasons(bits), ", ")
	}
	return e, true
}

// The reasons for lower clocks, as people know them.
const (
	byHeat       = "heat"
	byPowerLimit = "power limit"
	byPowerBrake = "power brake"
	byHardware   = "hardware slowdown"
	bySetting    = "set clocks"
	bySyncBoost  = "synchronised boost"
	byDisplay    = "display clocks"
)

// reasons translates the driver's bits. An idle GPU's low clocks are not
// throttling, and the general hardware slowdown is left out if its cause is
// among the bits.
func reasons(bits uint64) []string {
	const causes = nvml.ClocksThrottleReasonHwThermalSlowdown | nvml.ClocksThrottleReasonHwPowerBrakeSlowdown
	if bits&causes != 0 {
		bits &^= nvml.ClocksThrottleReasonHwSlowdown
	}
	var words []string
	for _, r := range []struct {
		bits uint64
		word string
	}{
		{nvml.ClocksEventReasonSwThermalSlowdown | nvml.ClocksThrottleReasonHwThermalSlowdown, byHeat},
		{nvml.ClocksEventReasonSwPowerCap, byPowerLimit},
		{nvml.ClocksThrottleReasonHwPowerBrakeSlowdown, byPowerBrake},
		{nvml.ClocksThrottleReasonHwSlowdown, byHardware},
		{nvml.ClocksEventReasonApplicationsClocksSetting, bySetting},
		{nvml.ClocksEventReasonSyncBoost, bySyncBoost},
		{nvml.ClocksEventReasonDisplayClockSetting, byDisplay},
	} {
		if bits&r.bits != 0 {
			words = append(words, r.word)
		}
	}
	return words
}

type owner uint8

const (
	unknown owner = iota
	ours
	foreign
)

// ownership decides who owns a process that uses a GPU: a process and its
// descendants, or somebody else.
type ownership struct {
	proc  string // where the kernel lists processes: /proc
	root  func() int
	group int // the process group of this process
	// comparable means that the driver's process IDs are those of /proc. Inside
	// a container they are the host's or the container's, depending on the
	// driver.
	comparable bool
	last, now  map[uint32]owner // owners found in the last reading and in this one
	groups     map[int]bool     // process groups of descendants; orphans keep their group
	pastFirst  bool             // the first reading is over
}

// hostNamespace is the kernel's fixed name for the first PID namespace.
const hostNamespace = "pid:[4026531836]"

// early is the time after the probe's start in which a process on a GPU cannot
// be the probe's own: it would still be loading the driver.
const early = 500 * time.Millisecond

func newOwnership(root func() int) *ownership {
	namespace, err := os.Readlink("/proc/self/ns/pid")
	return &ownership{
		proc: "/proc", root: root, group: syscall.Getpgrp(), comparable: err == nil && namespace == hostNamespace,
		now: map[uint32]owner{}, groups: map[int]bool{},
	}
}

// of returns the owner of the process.
func (o *ownership) of(pid uint32) owner {
	who := o.now[pid]
	if who == unknown {
		who = o.last[pid]
	}
	// A process that was ours stays ours when it has just ended.
	if who != ours && o.comparable && o.root() > 0 {
		who = foreign // or invisible: our own are visible
		if o.descends(int(pid)) {
			who = ours
		}
	}
	o.now[pid] = who
	return who
}

// endReading ends a reading. If process IDs say nothing, a process that used
// the GPU before the probe could have is somebody else's.
func (o *ownership) endReading(began time.Time) {
	if !o.pastFirst && !o.comparable && time.Since(began) < early {
		for pid := range o.now {
			o.now[pid] = foreign
		}
	}
	o.pastFirst = true
	o.last, o.now = o.now, map[uint32]owner{}
}

// descends walks up from a process to this one, or to a process group that
// was found to be ours.
func (o *ownership) descends(pid int) bool {
	var groups []int
	root := o.root()
	for at, depth := pid, 0; at > 1 && depth < 64; depth++ {
		parent, group, err := stat(o.proc, at)
		if err != nil {
			return false
		}
		if at == root || o.groups[group] {
			for _, g := range groups {
				o.groups[g] = true
			}
			return true
		}
		if group != o.group { // shared with others if a script started us
			groups = append(groups, group)
		}
		at = parent
	}
	return false
}

// stat returns a process's parent and process group.
func stat(proc string, pid int) (parent, group int, err error) {
	text, err := os.ReadFile(fmt.Sprintf("%s/%d/stat", proc, pid))
	if err != nil {
		return 0, 0, err
	}
	// The name, in parentheses, may contain anything; state, parent and group
	// follow it.
	_, rest, _ := strings.Cut(string(text[max(0, strings.LastIndexByte(string(text), ')')):]), " ")
	fields := strings.Fields(rest)
	if len(fields) < 3 {
		return 0, 0, fmt.Errorf("the parent of process %d is unknown", pid)
	}
	if parent, err = strconv.Atoi(fields[1]); err != nil {
		return 0, 0, err
	}
	group, err = strconv.Atoi(fields[2])
	return parent, group, err
}
