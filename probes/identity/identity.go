// Package identity finds the VM type of a machine in the catalog: from its
// firmware (DMI), from the metadata service of its cloud, and from its GPUs.
package identity

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/probes/gpu"
)

// Facts are what a machine reports about itself, raw: the texts come from
// outside and are cleaned before they are shown. Empty and nil mean unknown.
// Another host sends them as the same JSON.
type Facts struct {
	// DMI: the files of the same names in /sys/class/dmi/id.
	SysVendor       string `json:"sys_vendor"`
	ProductName     string `json:"product_name"`
	ChassisAssetTag string `json:"chassis_asset_tag"`
	BIOSVendor      string `json:"bios_vendor"`
	BIOSVersion     string `json:"bios_version"`

	// Metadata holds the answers of the cloud's metadata service under the
	// names of the constants below.
	Metadata map[string]string `json:"metadata"`

	GPU         string   `json:"gpu"`           // the first GPU's name as the driver gives it; "" for none
	GPUCount    int      `json:"gpu_count"`     // GPUs of the machine, 0 for none
	GPUMemBytes *float64 `json:"gpu_mem_bytes"` // of the first

	Host string `json:"host"`
	OS   string `json:"os"` // linux/amd64
	CPU  string `json:"cpu"`
	CPUs int    `json:"cpus"`
}

// Names of the answers in [Facts].Metadata.
const (
	// AWSDocument is the JSON of AWS's instance identity document, read with a
	// token (IMDSv2): http://169.254.169.254/latest/dynamic/instance-identity/document.
	AWSDocument = "aws-document"
	// GCPMachineType is "projects/NUMBER/machineTypes/n1-standard-8":
	// http://169.254.169.254/computeMetadata/v1/instance/machine-type.
	GCPMachineType = "gcp-machine-type"
	// GCPZone is "projects/NUMBER/zones/us-central1-a":
	// http://169.254.169.254/computeMetadata/v1/instance/zone.
	GCPZone = "gcp-zone"
	// AzureInstance is the JSON of Azure's instance metadata:
	// http://169.254.169.254/metadata/instance?api-version=2021-02-01.
	AzureInstance = "azure-instance"
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
		"sys_vendor": &f.SysVendor, "product_name": &f.ProductName,
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

const (
	// linkLocal is the address of the metadata services of AWS, GCP
	// (metadata.google.internal) and Azure. It is not routed beyond the host.
	linkLocal = "http://169.254.169.254"
	// metadataTimeout bounds the time for all requests together.
	metadataTimeout = time.Second
	// maxAnswer is the largest accepted answer in bytes.
	maxAnswer = 64 << 10
)

// ask queries the metadata services of the clouds in parallel and returns their
// answers by the names of [Facts].Metadata; nil if there are none.
func ask(ctx context.Context, base string, clouds []cloud) map[string]string {
	if len(clouds) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, metadataTimeout)
	defer cancel()
	client := newClient(base)
	defer client.http.CloseIdleConnections()
	answers := make(chan map[string]string, len(clouds))
	for _, c := range clouds {
		go func() { answers <- client.ask(ctx, c) }()
	}
	var all map[string]string
	for range clouds {
		if answer := <-answers; len(answer) > 0 {
			if all == nil {
				all = map[string]string{}
			}
			maps.Copy(all, answer)
		}
	}
	return all
}

type client struct {
	base string
	http *http.Client
}

// newClient never uses a proxy, which would answer for another machine, and
// follows no redirect: metadata services send none.
func newClient(base string) client {
	return client{base, &http.Client{
		Transport: &http.Transport{Proxy: nil, DisableCompression: true, MaxResponseHeaderBytes: maxAnswer},
		CheckRedirect: func(*http.Request,
			[]*http.Request) error {
			return errors.New("a metadata service does not redirect")
		},
	}}
}

func (c client) ask(ctx context.Context, of cloud) map[string]string {
	answers := map[string]string{}
	keep := func(name, path string, header http.Header) {
		if text, err := c.get(ctx, http.MethodGet, path, header); err == nil {
			answers[name] = text
		}
	}
	switch of {
	case aws:
		token, err := c.get(ctx, http.MethodPut, "/latest/api/token",
			http.Header{"X-Aws-Ec2-Metadata-Token-Ttl-Seconds": {"60"}})
		if err != nil {
			return nil
		}
		keep(AWSDocument, "/latest/dynamic/instance-identity/document", http.Header{"X-Aws-Ec2-Metadata-Token": {token}})
	case gcp:
		google := http.Header{"Metadata-Flavor": {"Google"}}
		keep(GCPMachineType, "/computeMetadata/v1/instance/machine-type", google)
		keep(GCPZone, "/computeMetadata/v1/instance/zone", google)
	case azure:
		keep(AzureInstance, "/metadata/instance?api-version=2021-02-01", http.Header{"Metadata": {"true"}})
	}
	return answers
}

func (c client) get(ctx context.Context, method, path string, header http.Header) (string, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, http.NoBody)
	if err != nil {
		return "", err
	}
	request.Header = header
	response, err := c.http.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the metadata service answers %d", response.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return "", err
	}
	if len(body) > maxAnswer {
		return "", fmt.Errorf("the metadata service answers more than %d bytes", maxAnswer)
	}
	return string(body), nil
}

// Resolution is the VM type that a machine appears to be.
type Resolution struct {
	// VM is the catalog's entry. For a type that the catalog does not have, it
	// holds what is known and no price.
	VM profile.VMType
	// Certain means that type and region are known, so that VM's price is this
	// machine's. A guess is shown with a question mark, and its price is never
	// used.
	Certain bool
	// Words say how it is known and, if something is missing, what to do.
	Words string
}

// Resolve finds the machine's VM type; false if the facts match none of them.
func Resolve(f Facts, vms []profile.VMType) (Resolution, bool) {
	if c, ok := claimed(f); ok {
		return c.find(vms), true
	}
	return guess(f, vms)
}

// find looks the claim up in the catalog.
func (c claim) find(vms []profile.VMType) Resolution {
	var elsewhere []profile.VMType
	for _, vm := range vms {
		if !c.names(vm) {
			continue
		}
		if vm.Region == "any" || (c.region != "" && strings.EqualFold(vm.Region, c.region)) {
			return priced(vm, c.words)
		}
		elsewhere = append(elsewhere, vm)
	}
	slices.SortStableFunc(elsewhere, cheaper)
	if len(elsewhere) == 0 {
		return c.unpriced(c.words + ", which the catalog does not have; give its price with --price")
	}
	vm := elsewhere[0]
	price, ok := vm.PriceOf(profile.OnDemand)
	if !ok {
		return c.unpriced(c.words + "; the catalog has no on-demand price for it, give --price")
	}
	where := "without a region"
	if vm.Region != "" {
		where = "in " + vm.Region
	}
	return Resolution{VM: vm, Words: fmt.Sprintf("%s; the catalog has it only %s at %s an hour: if that price is "+
		"right, give --vm %s, else give --price",
		c.words, where, quantity.Money(price.USDPerHour), path(vm))}
}

// unpriced is a VM type that the catalog cannot price.
func (c claim) unpriced(words string) Resolution {
	vm := profile.VMType{
		Cloud: string(c.cloud), Region: c.region, InstanceType: c.instance,
		GPU: gpu.Canonical(c.gpuName), GPUCount: c.gpuCount, GPUMemGiB: c.gpuMemGiB,
	}
	return Resolution{VM: vm, Certain: c.region != "", Words: words}
}

// priced is a VM type known with certainty.
func priced(vm profile.VMType, words string) Resolution {
	if _, ok := vm.PriceOf(profile.OnDemand); !ok {
		words += "; the catalog has no on-demand price for it, give --price"
	}
	return Resolution{VM: vm, Certain: true, Words: words}
}

// guess uses the GPUs, and the cloud if the firmware names it: among VM types
// with the same number of the same GPU, the nearest in CPUs, then the cheapest.
func guess(f Facts, vms []profile.VMType) (Resolution, bool) {
	if f.GPUCount == 0 {
		return Resolution{}, false
	}
	known := firmwareCloud(f)
	m := claim{gpuName: word(f.GPU)}
	if f.GPUMemBytes != nil {
		m.gpuMemGiB = new(*f.GPUMemBytes / (1 << 30))
	}
	alike := slices.DeleteFunc(slices.Clone(vms), func(vm profile.VMType) bool {
		return vm.GPUCount != f.GPUCount || !sameGPU(m.gpuName, m.gpuMemGiB, vm) ||
			known != "" && !strings.EqualFold(vm.Cloud, string(known))
	})
	if len(alike) == 0 {
		return Resolution{}, false
	}
	slices.SortStableFunc(alike, func(a, b profile.VMType) int {
		return cmp.Or(cmp.Compare(cpuDistance(f, a), cpuDistance(f, b)), cheaper(a, b))
	})
	vm := alike[0]
	return Resolution{VM: vm, Words: fmt.Sprintf("%d × %s as in %s, but the VM type is not certain; give --vm or --price",
		f.GPUCount, gpu.Canonical(m.gpuName), path(vm))}, true
}

// cpuDistance is the difference in the number of CPUs as a ratio; an unknown
// number is farthest.
func cpuDistance(f Facts, vm profile.VMType) float64 {
	if f.CPUs == 0 || vm.VCPUs == nil {
		return math.Inf(1)
	}
	return math.Abs(math.Log(float64(f.CPUs) / *vm.VCPUs))
}

// cheaper orders by the on-demand price, VM types without one last.
func cheaper(a, b profile.VMType) int {
	of := func(vm profile.VMType) float64 {
		if p, ok := vm.PriceOf(profile.OnDemand); ok {
			return p.USDPerHour
		}
		return math.Inf(1)
	}
	return cmp.Compare(of(a), of(b))
}

// path is a VM type as --vm accepts it.
func path(vm profile.VMType) string {
	if vm.Region == "" {
		return vm.InstanceType
	}
	return vm.Cloud + "/" + vm.Region + "/" + vm.InstanceType
}
