package pricelist

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sweetspot/data/catalog"
	"sweetspot/data/textfile"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

// readSkyPilot reads SkyPilot's catalog of one cloud: one row per zone, with
// columns in any order. In Google's, hosts and GPUs have separate rows.
func readSkyPilot(t *textfile.Table, c *collector) error {
	google := attachments{c: c}
	memory := memories{}
	err := t.Each(func() error {
		r := skyRow{
			offer: offer{
				cloud: c.options.Cloud, region: t.Text("region"), instance: t.Text("instancetype"),
				gpu:   t.Text("acceleratorname"),
				count: number(t, "acceleratorcount"), vcpus: t.Positive("vcpus"), memGiB: t.Positive("memorygib"),
			},
			zone: t.Text("availabilityzone"), price: catalog.PriceIn(t, "price"), spot: catalog.PriceIn(t, "spotprice"),
		}
		switch {
		case google.collect(r):
			return nil
		case r.instance == "":
			return t.Fail("instancetype", "is empty in a row other than Google's GPUs")
		case !c.wanted(&r.offer):
			return nil
		}
		r.gpuMemGiB, r.gpu = memory.of(t.Raw("gpuinfo"), r.gpu, r.count)
		if err := r.keep(c); err != nil {
			return t.Wrong("%s", err.Error())
		}
		return nil
	})
	if err != nil {
		return err
	}
	return google.finish()
}

// skyRow is a row of the catalog.
type skyRow struct {
	offer
	zone        string
	price, spot *float64
}

// keep adds the row's prices. If there is no spot market, the catalog repeats
// the on-demand price as the spot price.
func (r *skyRow) keep(c *collector) error {
	vm, err := c.vm(&r.offer)
	if err != nil {
		return err
	}
	c.quote(vm, profile.OnDemand, r.price, "")
	if r.spot != nil && r.price != nil && *r.spot >= *r.price {
		c.copied++
		return nil
	}
	c.quote(vm, profile.Spot, r.spot, "")
	return nil
}

// memories caches the GPU memories of GpuInfo cells, which repeat.
type memories map[memoryKey]memoryOf

type memoryKey struct {
	info, gpu string
	count     float64
}

type memoryOf struct {
	gib  *float64
	name string
}

// of returns the memory of one GPU in GiB, and the name of the GPU with what the
// cell adds to it: that it is a PCIe card, say.
func (m memories) of(info, gpu string, count float64) (gib *float64, name string) {
	if strings.TrimSpace(info) == "" || count == 0 {
		return nil, gpu
	}
	key := memoryKey{info, gpu, count}
	if found, seen := m[key]; seen {
		return found.gib, found.name
	}
	found := memoryOf{name: gpu}
	first, total, inner := gpuInfo(info)
	if form := formWords(inner); form != "" && formWords(gpu) == "" {
		found.name = gpu + " " + form
	}
	usual := catalog.MemoryOf(gpu)
	switch {
	case first > 0:
		found.gib = perGPU(first, count, usual)
	case total > 0:
		found.gib = perGPU(total, count, usual)
	}
	if len(m) < 10_000 { // bounds the memory for a file with many different cells
		m[memoryKey{strings.Clone(info), strings.Clone(gpu), count}] = found
	}
	return found.gib, found.name
}

// formWords are the words of a GPU's name for its form factor.
func formWords(name string) string {
	var out []string
	for w := range strings.FieldsSeq(strings.NewReplacer("-", " ", "_", " ").Replace(name)) {
		if u := strings.ToUpper(w); strings.HasPrefix(u, "SXM") || u == "PCIE" || u == "NVL" {
			out = append(out, w)
		}
	}
	return strings.Join(out, " ")
}

// perGPU converts what the catalog calls MiB to GiB per GPU: some clouds write
// GiB there, some the total of all GPUs, and some count the GPUs twice. If the
// GPU's memory is known, the interpretation that agrees with it is used.
func perGPU(v, count float64, usual *float64) *float64 {
	if v >= 1024 {
		v /= 1024
	}
	if usual != nil {
		for _, reading := range []float64{v, v / count, v / count / count, v / 1024 / count} {
			if math.Abs(reading-*usual) <= 0.15**usual {
				return &reading
			}
		}
	}
	for v > 400 && count > 1 { // no GPU has that much
		v /= count
	}
	if v > 400 {
		return usual
	}
	return &v
}

// gpuInfo reads SkyPilot's GpuInfo cell, a Python literal:
//
//	{'Gpus': [{'Name': 'V100', 'Count': 1, 'MemoryInfo': {'SizeInMiB': 16384}}], 'TotalGpuMemoryInMiB': 16384}
//
// It returns the memory of the first GPU and the total, 0 if missing, and the
// first GPU's name. Other cells yield nothing; the rest of the row is still
// useful.
func gpuInfo(cell string) (first, total float64, name string) {
	var info struct {
		GPUs []struct {
			Name       string
			MemoryInfo struct{ SizeInMiB float64 }
			Total      float64 `json:"TotalGpuMemoryInMiB"` // some write the total among the GPUs
		}
		Total float64 `json:"TotalGpuMemoryInMiB"`
	}
	if json.Unmarshal([]byte(jsonOf(cell)), &info) != nil {
		return 0, 0, ""
	}
	total = info.Total
	if len(info.GPUs) > 0 {
		gpu := info.GPUs[0]
		first, total, name = gpu.MemoryInfo.SizeInMiB, cmp.Or(total, gpu.Total), gpu.Name
	}
	if min(first, total) < 0 || max(first, total) > mostMiB {
		return 0, 0, ""
	}
	return first, total, name
}

const mostMiB = 1e12

// What JSON writes differently: strings, constants, tuples, and the comma after
// the last element.
var (
	pythonOnly = regexp.MustCompile(
		`(?s)'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|None|True|False|[()]|,\s*[}\])]`)
	escape = regexp.MustCompile(`(?s)\\(.)`)
)

// jsonOf is a Python literal of dictionaries, lists, tuples, strings and numbers
// as JSON.
func jsonOf(literal string) string {
	return pythonOnly.ReplaceAllStringFunc(literal, func(s string) string {
		switch s[0] {
		case '\'', '"':
			text, _ := json.Marshal(escape.ReplaceAllString(s[1:len(s)-1], "$1")) // strings always can be
			return string(text)
		case ',':
			s = strings.TrimSpace(s[1:])
		}
		return strings.NewReplacer("None", "null", "True", "true", "False", "false", "(", "[", ")", "]").Replace(s)
	})
}

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
