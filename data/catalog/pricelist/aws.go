package pricelist

import (
	"strings"

	"sweetspot/data/catalog"
)

// awsFamilies are the GPUs of Amazon's VM types, which its price lists leave
// out.
var awsFamilies = map[string]string{
	"g2": "K520", "g3": "M60", "g3s": "M60", "g4dn": "T4", "g4ad": "RADEON-PRO-V520", "g5": "A10G", "g5g": "T4G",
	"g6": "L4", "gr6": "L4",
	"g6f": "L4", "gr6f": "L4", "g6e": "L40S", "g7": "RTX-PRO-4500", "g7e": "RTX-PRO-6000",
	"p2": "K80", "p3": "V100-SXM2-16GB", "p3dn": "V100-SXM2-32GB", "p4d": "A100-SXM4-40GB", "p4de": "A100-SXM4-80GB",
	"p5": "H100-SXM5-80GB", "p5e": "H200-SXM5-141GB", "p5en": "H200-SXM5-141GB", "p6-b200": "B200", "p6-b300": "B300",
}

// awsGPU is the GPU of an instance type and its memory in GiB; "" and nil if
// unknown.
func awsGPU(instanceType string) (gpu string, memGiB *float64) {
	family, _, _ := strings.Cut(strings.TrimPrefix(instanceType, "ml."), ".")
	gpu = awsFamilies[family]
	return gpu, catalog.MemoryOf(gpu)
}
