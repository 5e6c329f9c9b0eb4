// Package gpu lists the NVIDIA GPUs of this machine and reads their sensors.
// The driver's library is loaded on first use, so the program also starts on a
// machine without it.
package gpu

import (
	"errors"
	"fmt"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"sweetspot/engine/plaintext"
)

// Device is one GPU.
type Device struct {
	Name        string
	MemoryBytes float64
	UUID        string
}

// ErrNone means that this machine has no NVIDIA driver, or no GPU. That is not
// a fault.
var ErrNone = errors.New("no NVIDIA GPU")

// Devices returns the GPUs and the driver's version.
func Devices() (devices []Device, driver string, err error) {
	if ret := nvml.Init(); ret != nvml.SUCCESS {
		if ret == nvml.ERROR_LIBRARY_NOT_FOUND || ret == nvml.ERROR_DRIVER_NOT_LOADED {
			return nil, "", ErrNone
		}
		return nil, "", fmt.Errorf("the NVIDIA driver does not answer (%s); reboot or reinstall it",
			plaintext.Clean(nvml.ErrorString(ret)))
	}
	defer func() { _ = nvml.Shutdown() }()
	driver, _ = nvml.SystemGetDriverVersion()
	count, ret := nvml.DeviceGetCount()
	if ret != nvml.SUCCESS {
		return nil, driver, fmt.Errorf("the NVIDIA driver does not list its GPUs (%s)",
			plaintext.Clean(nvml.ErrorString(ret)))
	}
	for i := range count {
		d, ret := nvml.DeviceGetHandleByIndex(i)
		if ret != nvml.SUCCESS {
			return devices, driver, fmt.Errorf("GPU %d does not answer (%s); see dmesg", i,
				plaintext.Clean(nvml.ErrorString(ret)))
		}
		name, _ := d.GetName()
		uuid, _ := d.GetUUID()
		memory, _ := d.GetMemoryInfo()
		devices = append(devices, Device{plaintext.Clean(name), float64(memory.Total), plaintext.Clean(uuid)})
	}
	if len(devices) == 0 {
		return nil, driver, ErrNone
	}
	return devices, plaintext.Clean(driver), nil
}
