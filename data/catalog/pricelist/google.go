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
	c     *collector
	hosts []skyRow
	gpus  map[attached]skyRow
	order []attached // of gpus, as in the file
	lone  int        // hosts without a price of their GPUs
}

type attached struct {
	gpu   string
	count float64
	zone  string
}

// families are the hosts that always have GPUs, with the catalog's names for these.
var families = []struct{ prefix, gpu string }{
	{"a2-highgpu-", "A100"}, {"a2-megagpu-", "A100"}, {"a2-ultragpu-", "A100-80GB"}, {"a3-highgpu-", "H100"},
	{"a3-megagpu-", "H100-MEGA"}, {"a3-ultragpu-", "H200"}, {"a4-highgpu-", "B200"}, {"g2-standard-", "L4"},
}

// withL4 is the number of GPUs of the g2 hosts, by their vCPUs.
var withL4 = map[string]float64{"4": 1, "8": 1, "12": 1, "16": 1, "32": 1, "24": 2, "48": 4, "96": 8}

// perHost is the number of vCPUs of an n1-highmem host per attached GPU, as
// SkyPilot and the price calculators choose hosts.
var perHost = map[string]float64{"K80": 8, "P100": 8, "T4": 8, "V100": 8, "P4": 4}

const attachable = "n1-highmem-"

// takes keeps a row for later if it is a part of a VM type, and reports whether
// it is only that.
func (a *attachments) takes(r skyRow) bool {
	if a.c.options.Cloud != "gcp" || (r.instance != "" && r.gpu != "") {
		return false
	}
	if r.instance == "" {
		if a.c.wanted(&r.offer) {
			key := attached{strings.ToUpper(r.gpu), r.count, r.zone}
			if a.gpus == nil {
				a.gpus = map[attached]skyRow{}
			}
			if _, twice := a.gpus[key]; !twice {
				a.order = append(a.order, key)
			}
			a.gpus[key] = r
		}
		return true
	}
	if gpu, _ := comesWith(r.instance); gpu != "" {
		if len(a.c.options.Regions) > 0 && !slices.Contains(a.c.options.Regions, r.region) {
			a.c.otherRegion++
			return true
		}
		a.hosts = append(a.hosts, r)
		return true
	}
	if strings.HasPrefix(r.instance, attachable) {
		a.hosts = append(a.hosts, r)
	}
	return false
}

// comesWith are the GPUs of a host that has them built in.
func comesWith(instance string) (gpu string, count float64) {
	for _, f := range families {
		size, ok := strings.CutPrefix(instance, f.prefix)
		if !ok {
			continue
		}
		if f.gpu == "L4" {
			return f.gpu, withL4[size]
		}
		n, err := strconv.Atoi(strings.TrimSuffix(size, "g"))
		if err != nil {
			return "", 0
		}
		return f.gpu, float64(n)
	}
	return "", 0
}

// finish adds the VM types that combine the rows.
func (a *attachments) finish() error {
	type place struct{ host, zone string }
	highmem := map[place]skyRow{}
	for _, host := range a.hosts {
		gpu, count := comesWith(host.instance)
		if gpu == "" {
			highmem[place{host.instance, host.zone}] = host
			continue
		}
		if err := a.join(host, host.instance, attached{gpu, count, host.zone}); err != nil {
			return err
		}
	}
	for _, key := range a.order {
		each, ok := perHost[key.gpu]
		if !ok {
			continue
		}
		host, there := highmem[place{attachable + strconv.Itoa(int(each*key.count)), key.zone}]
		if !there {
			continue
		}
		if err := a.join(host, fmt.Sprintf("%s+%dx%s", host.instance, int(key.count), key.gpu), key); err != nil {
			return err
		}
	}
	if a.lone > 0 {
		a.c.extra = append(a.c.extra, quantity.Several(a.lone, "host")+
			" left out because their GPUs have no price in their zone")
	}
	return nil
}

// join adds a host with its GPUs.
func (a *attachments) join(host skyRow, name string, key attached) error {
	gpu, ok := a.gpus[key]
	if !ok || gpu.price == nil || host.price == nil {
		a.lone++
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
