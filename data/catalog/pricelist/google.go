package pricelist

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sweetspot/data/catalog"
	"sweetspot/engine/quantity"
)

// attachments combines hosts and the GPUs attached to them, which Google sells
// separately. The price of a VM is the sum of both, zone by zone.
type attachments struct {
	c        *collector
	hosts    []skyRow
	gpus     map[gpuKey]skyRow
	order    []gpuKey // keys of gpus in the order of the file
	unpriced int      // hosts whose GPUs have no price in their zone
}

// gpuKey identifies a row of GPUs.
type gpuKey struct {
	gpu   string
	count float64
	zone  string
}

// withGPUs lists the machine series with built-in GPUs and the catalog's names for
// these GPUs.
var withGPUs = []struct{ prefix, gpu string }{
	{"a2-highgpu-", "A100"}, {"a2-megagpu-", "A100"}, {"a2-ultragpu-", "A100-80GB"}, {"a3-highgpu-", "H100"},
	{"a3-megagpu-", "H100-MEGA"}, {"a3-ultragpu-", "H200"}, {"a4-highgpu-", "B200"}, {"g2-standard-", "L4"},
}

// l4Count maps the vCPUs of a g2 host to its number of GPUs.
var l4Count = map[string]float64{"4": 1, "8": 1, "12": 1, "16": 1, "32": 1, "24": 2, "48": 4, "96": 8}

// vcpusPerGPU is how many vCPUs of an n1-highmem host go with one attached GPU.
// SkyPilot and the price calculators choose hosts the same way.
var vcpusPerGPU = map[string]float64{"K80": 8, "P100": 8, "T4": 8, "V100": 8, "P4": 4}

// attachableHost begins the names of the hosts that GPUs are attached to.
const attachableHost = "n1-highmem-"

// collect keeps a row that is a part of a VM type, a host or its GPUs. It reports
// whether the row is not a VM type by itself.
func (a *attachments) collect(r skyRow) bool {
	if a.c.options.Cloud != "gcp" || (r.instance != "" && r.gpu != "") {
		return false
	}
	if r.instance == "" {
		if a.c.wanted(&r.offer) {
			key := gpuKey{strings.ToUpper(r.gpu), r.count, r.zone}
			if a.gpus == nil {
				a.gpus = map[gpuKey]skyRow{}
			}
			if _, seen := a.gpus[key]; !seen {
				a.order = append(a.order, key)
			}
			a.gpus[key] = r
		}
		return true
	}
	if gpu, _ := builtInGPUs(r.instance); gpu != "" {
		if len(a.c.options.Regions) > 0 && !slices.Contains(a.c.options.Regions, r.region) {
			a.c.otherRegion++
			return true
		}
		a.hosts = append(a.hosts, r)
		return true
	}
	if strings.HasPrefix(r.instance, attachableHost) {
		a.hosts = append(a.hosts, r)
	}
	return false
}

// builtInGPUs returns the built-in GPUs of a host; "" if it has none.
func builtInGPUs(instance string) (gpu string, count float64) {
	for _, f := range withGPUs {
		size, ok := strings.CutPrefix(instance, f.prefix)
		if !ok {
			continue
		}
		if f.gpu == "L4" {
			return f.gpu, l4Count[size]
		}
		n, err := strconv.Atoi(strings.TrimSuffix(size, "g"))
		if err != nil {
			return "", 0
		}
		return f.gpu, float64(n)
	}
	return "", 0
}

// finish combines the hosts and GPUs into VM types.
func (a *attachments) finish() error {
	type hostKey struct{ name, zone string }
	highmem := map[hostKey]skyRow{}
	for _, host := range a.hosts {
		gpu, count := builtInGPUs(host.instance)
		if gpu == "" {
			highmem[hostKey{host.instance, host.zone}] = host
			continue
		}
		if err := a.join(host, host.instance, gpuKey{gpu, count, host.zone}); err != nil {
			return err
		}
	}
	for _, key := range a.order {
		vcpus, ok := vcpusPerGPU[key.gpu]
		if !ok {
			continue
		}
		host, ok := highmem[hostKey{attachableHost + strconv.Itoa(int(vcpus*key.count)), key.zone}]
		if !ok {
			continue
		}
		if err := a.join(host, fmt.Sprintf("%s+%dx%s", host.instance, int(key.count), key.gpu), key); err != nil {
			return err
		}
	}
	if a.unpriced > 0 {
		a.c.extra = append(a.c.extra, quantity.Several(a.unpriced, "host")+
			" left out because their GPUs have no price in their zone")
	}
	return nil
}

// join adds the VM type of a host with its GPUs.
func (a *attachments) join(host skyRow, name string, key gpuKey) error {
	gpu, ok := a.gpus[key]
	if !ok || gpu.price == nil || host.price == nil {
		a.unpriced++
		return nil
	}
	r := host
	r.instance, r.gpu, r.count, r.gpuMemGiB = name, gpu.gpu, key.count, catalog.MemoryOf(gpu.gpu)
	r.price, r.spot = new(*host.price+*gpu.price), nil
	if host.spot != nil && gpu.spot != nil {
		r.spot = new(*host.spot + *gpu.spot)
	}
	return r.keep(a.c)
}
