package pricelist

import (
	"cmp"
	"encoding/json"
	"math"
	"regexp"
	"strings"

	"sweetspot/data/catalog"
	"sweetspot/data/textfile"
	"sweetspot/engine/profile"
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
