package identity

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"sweetspot/probes/gpu"
)

// machine is where facts come from; tests replace it.
type machine struct {
	dmi     string // directory of the firmware's texts
	service string // base URL of the metadata services, all at one address
	devices func() ([]gpu.Device, string, error)
}

// Local returns the facts about this machine. With metadata it also asks the
// metadata service of the cloud that the firmware names, or of all clouds if
// the firmware cannot be read; that takes at most a second. Without an answer a
// fact stays unknown.
func Local(ctx context.Context, metadata bool) Facts {
	m := machine{dmi: "/sys/class/dmi/id", service: linkLocal, devices: gpu.Devices}
	return m.facts(ctx, metadata)
}

func (m machine) facts(ctx context.Context, metadata bool) Facts {
	f := Facts{OS: runtime.GOOS + "/" + runtime.GOARCH, CPU: CPUModel(), CPUs: runtime.NumCPU()}
	f.Host, _ = os.Hostname() // unknown is ""
	for file, to := range map[string]*string{
		"sys_vendor": &f.SysVendor, "product_name": &f.ProductName, "board_asset_tag": &f.BoardAssetTag,
		"chassis_asset_tag": &f.ChassisAssetTag, "bios_vendor": &f.BIOSVendor, "bios_version": &f.BIOSVersion,
	} {
		*to = firstLine(filepath.Join(m.dmi, file))
	}
	if metadata {
		f.Metadata = ask(ctx, m.service, cloudsToAsk(f))
	}
	if devices, _, err := m.devices(); err == nil && len(devices) > 0 {
		f.GPU, f.GPUCount = devices[0].Name, len(devices)
		if bytes := devices[0].MemoryBytes; bytes > 0 {
			f.GPUMemBytes = &bytes
		}
	}
	return f
}

// firstLine is the first line of a small file; "" if it cannot be read.
func firstLine(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	line, _ := bufio.NewReader(io.LimitReader(f, 4096)).ReadString('\n') // what was read before an error is enough
	return strings.TrimSpace(line)
}

// CPUModel is the processor's name, raw; "" if the system does not say.
func CPUModel() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if key, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
