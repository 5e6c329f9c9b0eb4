package pricelist

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strings"
)

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
