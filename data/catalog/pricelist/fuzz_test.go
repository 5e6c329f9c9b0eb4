package pricelist

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode"

	"sweetspot/data/catalog"
	"sweetspot/engine/profile"
)

// sound fails the test where what was read could not have been meant, or could
// not be kept: a catalog that is written must read as the same.
func sound(t *testing.T, list *List, err error) {
	t.Helper()
	if err != nil {
		if strings.ContainsFunc(err.Error(), unicode.IsControl) {
			t.Fatalf("the error drives a terminal: %q", err)
		}
		return
	}
	seen := map[profile.VMKey]bool{}
	for _, vm := range list.VMTypes {
		if vm.InstanceType == "" || seen[vm.Key()] || (vm.GPU == "") != (vm.GPUCount == 0) || len(vm.Prices) == 0 {
			t.Fatalf("%+v", vm)
		}
		seen[vm.Key()] = true
		for _, p := range vm.Prices {
			if !(p.USDPerHour > 0 && p.USDPerHour <= catalog.MaxUSD) {
				t.Fatalf("%s costs %g", vm.InstanceType, p.USDPerHour)
			}
		}
	}
	var kept bytes.Buffer
	if err := catalog.Write(&kept, list.VMTypes); err != nil {
		t.Fatal(err)
	}
	again, err := catalog.Read(bytes.NewReader(kept.Bytes()))
	if err != nil || len(again) != len(list.VMTypes) {
		t.Fatalf("%d VM types of %d are kept: %v\n%s", len(again), len(list.VMTypes), err, kept.String())
	}
	if d := catalog.Diff(list.VMTypes, again); len(d.Added)+len(d.Removed)+len(d.Changed) > 0 {
		t.Fatalf("kept with a difference: %+v", d)
	}
}

func fuzz(f *testing.F, cloud string, files ...string) {
	for _, name := range files {
		f.Add(fixture(f, name))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		o := options(cloud)
		o.All = true
		list, err := Read(bytes.NewReader(text), o)
		sound(t, list, err)
	})
}

func FuzzSkyPilot(f *testing.F) {
	fuzz(f, "aws", "skypilot-aws.csv", "skypilot-runpod.csv")
}
func FuzzGoogle(f *testing.F)     { fuzz(f, "gcp", "skypilot-gcp.csv") }
func FuzzGPUHunt(f *testing.F)    { fuzz(f, "lambda", "gpuhunt.csv") }
func FuzzVantage(f *testing.F)    { fuzz(f, "", "vantage.json") }
func FuzzOffers(f *testing.F)     { fuzz(f, "", "aws-offer.json") }
func FuzzOfferTable(f *testing.F) { fuzz(f, "", "aws-offer.csv") }
func FuzzOwn(f *testing.F)        { fuzz(f, "", "own.csv", "wide.csv") }

func FuzzGPUInfo(f *testing.F) {
	f.Add("{'Gpus': [{'Name': 'V100', 'Count': 1, 'MemoryInfo': {'SizeInMiB': 16384}}], 'TotalGpuMemoryInMiB': 16384}")
	f.Add(`{"a": (1, None, True), 'b': ["x\'y", {}]}`)
	f.Fuzz(func(t *testing.T, cell string) {
		first, total, _ := gpuInfo(cell)
		if !(first >= 0 && total >= 0) {
			t.Fatalf("%q: %g, %g", cell, first, total)
		}
	})
}

func TestGPUInfo(t *testing.T) {
	for cell, want := range map[string]string{
		"{'Gpus': [{'Name': 'V100', 'Count': 1, 'MemoryInfo': {'SizeInMiB': 16384}}], 'TotalGpuMemoryInMiB': " +
			"16384}": "16384 16384 V100",
		"{'Gpus': [{'Name': 'RTX 4090', 'Count': 1}], 'TotalGpuMemoryInMiB': 24}": "0 " +
			"24 RTX 4090",
		"{'Gpus': [{'Name': 'A6000', 'Count': 4.0, 'MemoryInfo': {'SizeInMiB': 48}, 'TotalGpuMemoryInMiB': 192}]}": "48 " +
			"192 A6000",
		"{'TotalGpuMemoryInMiB': 40960}": "0 40960 ",
		"{}":                             "0 0 ",
		"":                               "0 0 ",
		"{'Gpus': None}":                 "0 0 ",
		"{'TotalGpuMemoryInMiB': nan}":   "0 0 ",
		"{'TotalGpuMemoryInMiB': 40960":  "0 0 ",
		"{'a': [[[[[[[[[[[[1]]]]]]]]]]]], 'TotalGpuMemoryInMiB': 1}": "0 " +
			"1 ",
		"{'Gpus': [{'Name': 'it\\'s', 'MemoryInfo': {'SizeInMiB': 5}},], 'x': (True, False), 'TotalGpuMemoryInMiB':9}": "5 " +
			"9 it's",
	} {
		first, total, name := gpuInfo(cell)
		if got := fmt.Sprintf("%g %g %s", first, total, name); got != want {
			t.Errorf("%s: %q, want %q", cell, got, want)
		}
	}
}

// BenchmarkImport reads a list of 100,000 rows, as it comes from SkyPilot, and
// writes what is kept of it; the aim is 2 s.
func BenchmarkImport(b *testing.B) {
	var text strings.Builder
	text.WriteString(
		"InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone,Arch\n")
	for i := range 100_000 {
		fmt.Fprintf(&text, "p3.%dxlarge,V100,1.0,8.0,61.0,\"{'Gpus': [{'Name': 'V100', 'Manufacturer': 'NVIDIA', 'Count': "+
			"1, 'MemoryInfo': {'SizeInMiB': 16384}}], 'TotalGpuMemoryInMiB': 16384}\",3.06,%.6f,region-%d,zone-%d,x86_64\n",
			i%997, 0.5+float64(i%100)/100, i%37, i%5)
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		list, err := Read(strings.NewReader(text.String()), options("aws"))
		if err != nil {
			b.Fatal(err)
		}
		var kept bytes.Buffer
		if err := catalog.Write(&kept, catalog.Update(nil, list.VMTypes)); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(list.VMTypes)), "VMtypes")
	}
}
