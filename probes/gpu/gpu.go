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
