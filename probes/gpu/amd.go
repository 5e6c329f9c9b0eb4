package gpu

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os/exec"
	"slices"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"sweetspot/engine/plaintext"
)

// amdEvery is how often AMD's GPUs are read at most: each look starts two programs.
const amdEvery = 2 * time.Second

// amdTimeout is how long amd-smi may take. Its first answer after a start of the
// machine takes seconds.
const amdTimeout = 15 * time.Second

// mostAMD is how much of an answer is read: about 25 KiB come from each GPU.
const mostAMD = 8 << 20

// amdSMI reads AMD's GPUs by the tool that ROCm has for it. A look is one for all GPUs.
type amdSMI struct {
	run   func(words ...string) ([]byte, error)
	at    time.Time
	gpus  map[int]amdGPU
	users map[int][]nvml.ProcessInfo
	err   error
}

// amdGPU is what `amd-smi metric` says of a GPU.
type amdGPU struct {
	Number *int `json:"gpu"`
	Usage  amdGroup[struct {
		Activity amdValue `json:"gfx_activity"` // %
	}] `json:"usage"`
	Power amdGroup[struct {
		Socket amdValue `json:"socket_power"` // W
	}] `json:"power"`
	Temperature amdGroup[struct {
		Hotspot amdValue `json:"hotspot"` // °C
		Edge    amdValue `json:"edge"`
	}] `json:"temperature"`
	Memory amdGroup[struct {
		Used  amdValue `json:"used_vram"` // MiB, which it calls MB
		Total amdValue `json:"total_vram"`
	}] `json:"mem_usage"`
	Energy amdGroup[struct {
		Total amdValue `json:"total_energy_consumption"` // J; 0 where there is no counter
	}] `json:"energy"`
	Throttle amdGroup[struct {
		Heat  amdState `json:"socket_thermal_violation_status"`
		Power amdState `json:"ppt_violation_status"` // package power tracking
	}] `json:"throttle"`
	Processes []struct {
		Info amdGroup[struct {
			PID uint32 `json:"pid"`
		}] `json:"process_info"`
	} `json:"process_list"`
}

// amdGroup is a group of values, for which a GPU without any has the word N/A.
type amdGroup[T any] struct{ values T }

func (g *amdGroup[T]) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '{' {
		return json.Unmarshal(text, &g.values)
	}
	return nil
}

// mostNumber bounds all numbers: as joules it is a kilowatt for thirty years.
const mostNumber = 1e12

// amdValue is a number, with its unit since ROCm 6; nil for the word N/A.
type amdValue struct{ number *float64 }

func (v *amdValue) UnmarshalJSON(text []byte) error {
	var with struct{ Value *float64 }
	if json.Unmarshal(text, &with) == nil {
		v.number = with.Value
	} else if json.Unmarshal(text, &v.number) != nil {
		v.number = nil
	}
	if v.number != nil && !(*v.number >= 0 && *v.number < mostNumber) {
		v.number = nil
	}
	return nil
}

// amdState is whether something limits the clocks.
type amdState bool

func (s *amdState) UnmarshalJSON(text []byte) error {
	*s = string(text) == `"ACTIVE"`
	return nil
}

// openAMD looks at AMD's GPUs, which are read until ctx ends. The error is ErrNone if there are none.
func openAMD(ctx context.Context) (*amdSMI, error) {
	path, err := exec.LookPath("amd-smi")
	if err != nil {
		return nil, ErrNone
	}
	s := &amdSMI{run: func(words ...string) ([]byte, error) {
		ctx, cancel := context.WithTimeout(ctx, amdTimeout)
		defer cancel()
		cmd := exec.CommandContext(ctx, path, words...)
		cmd.WaitDelay = time.Second
		return cmd.Output()
	}}
	if s.look(); s.err != nil {
		return nil, fmt.Errorf("the sensors of AMD's GPUs are not read: %w; try `amd-smi metric --json`", s.err)
	}
	if len(s.gpus) == 0 {
		return nil, ErrNone
	}
	return s, nil
}

// sensors are those of all its GPUs, in its order; nil for a number that it leaves out.
func (s *amdSMI) sensors() []sensor {
	all := make([]sensor, 1+slices.Max(slices.Collect(maps.Keys(s.gpus))))
	for n := range s.gpus {
		all[n] = amdSensor{s, n}
	}
	return all
}

// AMD returns AMD's GPUs, or ErrNone.
func AMD(ctx context.Context) ([]Device, error) {
	s, err := openAMD(ctx)
	if err != nil {
		return nil, err
	}
	var devices []Device
	for _, n := range slices.Sorted(maps.Keys(s.gpus)) {
		d := Device{Name: "AMD GPU"}
		if total := s.gpus[n].Memory.values.Total.number; total != nil {
			d.MemoryBytes = *total * (1 << 20)
		}
		devices = append(devices, d)
	}
	return devices, nil
}

// mostGPUs bounds the numbers of GPUs that are believed.
const mostGPUs = 256

// look asks for the state of all GPUs, unless it was just asked.
func (s *amdSMI) look() {
	if !s.at.IsZero() && time.Since(s.at) < amdEvery/2 {
		return
	}
	s.at = time.Now()
	var gpus []amdGPU
	gpus, s.err = s.ask("metric", "--usage", "--power", "--temperature", "--mem-usage", "--energy", "--throttle")
	if s.err != nil {
		// What an older version does not know is left out.
		gpus, s.err = s.ask("metric")
	}
	s.gpus, s.users = map[int]amdGPU{}, nil
	for _, g := range gpus {
		if g.Number != nil && *g.Number >= 0 && *g.Number < mostGPUs {
			s.gpus[*g.Number] = g
		}
	}
	users, err := s.ask("process")
	if err != nil {
		return
	}
	s.users = map[int][]nvml.ProcessInfo{}
	for _, g := range users {
		for _, p := range g.Processes {
			if g.Number != nil && p.Info.values.PID > 0 {
				s.users[*g.Number] = append(s.users[*g.Number], nvml.ProcessInfo{Pid: p.Info.values.PID})
			}
		}
	}
}

// ask runs amd-smi. It lists its GPUs, since ROCm 7 within an object.
func (s *amdSMI) ask(words ...string) ([]amdGPU, error) {
	out, err := s.run(append(words, "--json")...)
	if err != nil {
		return nil, fmt.Errorf("amd-smi failed (%s)", plaintext.Clean(err.Error()))
	}
	if len(out) > mostAMD {
		return nil, errors.New("the answer of amd-smi is too long")
	}
	var list []amdGPU
	var within struct {
		GPUs []amdGPU `json:"gpu_data"`
	}
	if json.Unmarshal(out, &list) == nil {
		return list, nil
	}
	if err := json.Unmarshal(out, &within); err != nil || within.GPUs == nil {
		return nil, errors.New("the answer of amd-smi is not what ROCm 6 and 7 write")
	}
	return within.GPUs, nil
}

// amdSensor reads one of these GPUs, in the units of NVIDIA's library.
type amdSensor struct {
	of     *amdSMI
	number int
}

// value is one that the GPU reports, times a factor.
func (a amdSensor) value(of func(amdGPU) amdValue, factor float64) (float64, nvml.Return) {
	a.of.look()
	if v := of(a.of.gpus[a.number]).number; v != nil {
		return *v * factor, nvml.SUCCESS
	}
	return 0, nvml.ERROR_NOT_SUPPORTED
}

func (a amdSensor) GetUtilizationRates() (nvml.Utilization, nvml.Return) {
	v, ret := a.value(func(g amdGPU) amdValue { return g.Usage.values.Activity }, 1)
	return nvml.Utilization{Gpu: uint32(min(v, math.MaxUint32))}, ret
}

func (a amdSensor) GetMemoryInfo() (nvml.Memory, nvml.Return) {
	v, ret := a.value(func(g amdGPU) amdValue { return g.Memory.values.Used }, 1<<20)
	return nvml.Memory{Used: uint64(v)}, ret
}

func (a amdSensor) GetPowerUsage() (uint32, nvml.Return) {
	v, ret := a.value(func(g amdGPU) amdValue { return g.Power.values.Socket }, 1000)
	return uint32(min(v, math.MaxUint32)), ret
}

func (a amdSensor) GetTemperature(nvml.TemperatureSensors) (uint32, nvml.Return) {
	v, ret := a.value(func(g amdGPU) amdValue {
		if g.Temperature.values.Hotspot.number != nil {
			return g.Temperature.values.Hotspot
		}
		return g.Temperature.values.Edge
	}, 1)
	return uint32(min(v, math.MaxUint32)), ret
}

func (a amdSensor) GetTotalEnergyConsumption() (uint64, nvml.Return) {
	v, ret := a.value(func(g amdGPU) amdValue { return g.Energy.values.Total }, 1000)
	if v == 0 {
		return 0, nvml.ERROR_NOT_SUPPORTED
	}
	return uint64(v), ret
}

func (a amdSensor) GetCurrentClocksThrottleReasons() (bits uint64, ret nvml.Return) {
	a.of.look()
	t := a.of.gpus[a.number].Throttle.values
	if t.Heat {
		bits |= nvml.ClocksEventReasonSwThermalSlowdown
	}
	if t.Power {
		bits |= nvml.ClocksEventReasonSwPowerCap
	}
	return bits, nvml.SUCCESS
}

func (a amdSensor) GetComputeRunningProcesses() ([]nvml.ProcessInfo, nvml.Return) {
	a.of.look()
	if a.of.users == nil {
		return nil, nvml.ERROR_NOT_SUPPORTED
	}
	return a.of.users[a.number], nvml.SUCCESS
}

// GetUUID is unknown: PyTorch writes that of an AMD GPU in another form.
func (a amdSensor) GetUUID() (string, nvml.Return) { return "", nvml.ERROR_NOT_SUPPORTED }
