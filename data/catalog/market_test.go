package catalog

import (
	"slices"
	"testing"

	"sweetspot/engine/profile"
)

// Anchors typed from the price lists.
func TestMarket(t *testing.T) {
	for _, c := range []struct {
		cloud, region, vm, gpu string
		count                  int
		memory, vcpus, mem     float64
		prices                 map[profile.Purchase]float64
		asOf                   string // of the first price
	}{
		{"aws", "us-east-1", "p5.48xlarge", "H100-SXM5-80GB", 8, 80, 192, 2048,
			map[profile.Purchase]float64{profile.OnDemand: 55.04}, "2026-07-20"},
		{"aws", "us-east-1", "p4d.24xlarge", "A100-SXM4-40GB", 8, 40, 96, 1152,
			map[profile.Purchase]float64{profile.OnDemand: 21.957642}, "2026-07-20"},
		{"aws", "us-east-1", "g5.xlarge", "A10G", 1, 22.35, 4, 16, map[profile.Purchase]float64{profile.OnDemand: 1.006,
			profile.Spot: 0.3}, "2026-07-20"},
		{"aws", "us-east-1", "p3.2xlarge", "V100-SXM2-16GB", 1, 16, 8, 61,
			map[profile.Purchase]float64{profile.OnDemand: 3.06, profile.Reserved1Y: 2.088,
				profile.Reserved3Y: 1.332}, "2021-02"},
		{"gcp", "us-central1", "a2-ultragpu-1g", "A100-SXM4-80GB", 1, 80, 12, 170,
			map[profile.Purchase]float64{profile.OnDemand: 5.0688, profile.Spot: 2.75955}, "2026-07-30"},
		{"gcp", "us-central1", "a3-highgpu-8g", "H100-SXM5-80GB", 8, 80, 208, 1872,
			map[profile.Purchase]float64{profile.OnDemand: 88.49, profile.Spot: 50.60954, profile.Reserved1Y: 61.38367,
				profile.Reserved3Y: 38.86438}, "2026-07-30"},
		{"azure", "eastus", "Standard_NC24ads_A100_v4", "A100-PCIE-80GB", 1, 80, 24, 220,
			map[profile.Purchase]float64{profile.OnDemand: 3.673, profile.Spot: 1.47}, "2026-06-18"},
		{"lambda", "", "lambda-1xH10080GB", "H100-PCIE-80GB", 1, 80, 26, 200,
			map[profile.Purchase]float64{profile.OnDemand: 3.29}, "2026-09"},
		{"runpod", "", "1x_RTX3090_SECURE", "RTX-3090", 1, 24, 4, 25,
			map[profile.Purchase]float64{profile.OnDemand: 0.50}, "2026-08"},
		{"runpod", "", "1x_RTX4090_SECURE", "RTX-4090", 1, 24, 5, 29,
			map[profile.Purchase]float64{profile.OnDemand: 0.74}, "2026-08"},
		{"runpod", "", "2x_RTX4090_SECURE", "RTX-4090", 2, 24, 10, 58,
			map[profile.Purchase]float64{profile.OnDemand: 1.48}, "2026-08"},
	} {
		at := slices.IndexFunc(Market(), func(v profile.VMType) bool {
			return v.Key() == profile.VMKey{Cloud: c.cloud, Region: c.region, InstanceType: c.vm}
		})
		if at < 0 {
			t.Errorf("%s is missing", c.vm)
			continue
		}
		vm := Market()[at]
		if vm.GPU != c.gpu || vm.GPUCount != c.count || *vm.GPUMemGiB != c.memory || *vm.VCPUs != c.vcpus ||
			*vm.MemGiB != c.mem || vm.Prices[0].AsOf != c.asOf {
			t.Errorf("%s: %+v", c.vm, vm)
		}
		for _, p := range profile.Purchases {
			got, ok := vm.PriceOf(p)
			if want, known := c.prices[p]; got.USDPerHour != want || ok != known {
				t.Errorf("%s %s: %+v, want %g", c.vm, p, got, want)
			}
		}
	}
}

// The lists that came later change nothing about what the studies rented, and
// not what it costs; every price has a source, a date and a known purchase.
func TestMarketKeepsTheStudies(t *testing.T) {
	at := map[profile.VMKey]profile.VMType{}
	for _, vm := range Market() {
		if _, twice := at[vm.Key()]; twice {
			t.Errorf("%v is there twice", vm.Key())
		}
		at[vm.Key()] = vm
		for _, p := range vm.Prices {
			if p.Source == "" || !IsDate(p.AsOf) || !slices.Contains(profile.Purchases, p.Purchase) {
				t.Errorf("%s: %+v", vm.InstanceType, p)
			}
		}
		if own := GPUName(vm.GPU, vm.GPUMemGiB, vm.Cloud, vm.InstanceType); own != vm.GPU {
			t.Errorf("%s: %s, canonical is %s", vm.InstanceType, vm.GPU, own)
		}
	}
	for _, vm := range Builtin() {
		now := at[vm.Key()]
		if !sameMachine(vm, now) {
			t.Errorf("%s: %+v, was %+v", vm.InstanceType, now, vm)
		}
		for _, p := range profile.Purchases {
			was, priced := vm.PriceOf(p)
			is, ok := now.PriceOf(p)
			if priced && (!ok || was.USDPerHour != is.USDPerHour) {
				t.Errorf("%s %s: $%g became $%g", vm.InstanceType, p, was.USDPerHour, is.USDPerHour)
			}
		}
	}
	if len(Market()) < len(Builtin())+100 {
		t.Errorf("%d VM types", len(Market()))
	}
}

// The figures of a GPU say the memory that the clouds sell, but for what the
// driver holds back.
func TestMarketMemory(t *testing.T) {
	for _, vm := range Market() {
		spec := MemoryOf(vm.GPU)
		if spec == nil || vm.GPUMemGiB == nil {
			continue
		}
		if off := *vm.GPUMemGiB / *spec; off < 0.92 || off > 1.02 {
			t.Errorf("%s: %g GiB of %g GB", vm.InstanceType, *vm.GPUMemGiB, *spec)
		}
	}
}
