package pricelist

import (
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sweetspot/data/catalog"
	"sweetspot/data/textfile"
	"sweetspot/engine/profile"
)

var update = flag.Bool("update", false, "write the golden files")

// fixtures are made for these tests: real column names, and the traps that the
// lists of that name are known for.
var fixtures = []struct {
	file, cloud string
	format      Format
}{
	{"skypilot-aws.csv", "aws", SkyPilot}, {"skypilot-gcp.csv", "gcp", SkyPilot},
	{"skypilot-runpod.csv", "runpod", SkyPilot},
	{"gpuhunt.csv", "lambdalabs", GPUHunt}, {"vantage.json", "", Vantage}, {"aws-offer.json", "", AWS},
	{"aws-offer.csv", "", AWS},
	{"wide.csv", "", Own}, {"own.csv", "", Own},
}

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func options(cloud string) Options {
	return Options{Cloud: cloud, Name: "list", Fallback: "2026-11-01"}
}

func TestGolden(t *testing.T) {
	for _, f := range fixtures {
		t.Run(f.file, func(t *testing.T) {
			list, err := Read(bytes.NewReader(fixture(t, f.file)), options(f.cloud))
			if err != nil {
				t.Fatal(err)
			}
			if list.Format != f.format {
				t.Errorf("taken for a %s", list.Format.Title())
			}
			var got bytes.Buffer
			if err := catalog.Write(&got, list.VMTypes); err != nil {
				t.Fatal(err)
			}
			for _, n := range list.Notes {
				got.WriteString("# " + n + "\n")
			}
			golden := filepath.Join("testdata", f.file+".golden")
			if *update {
				if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil || got.String() != string(want) {
				t.Errorf("%v\ngot\n%s\nwant\n%s", err, got.String(), want)
			}
		})
	}
}

// What a golden file would not make obvious: figures reckoned by hand.
func TestTraps(t *testing.T) {
	for _, c := range []struct {
		file, cloud, region, vm, gpu string
		count                        int
		memory                       float64
		purchase                     profile.Purchase
		usd                          float64 // 0: no such price
	}{
		{"skypilot-aws.csv", "aws", "us-east-1", "p3.2xlarge", "V100-SXM2-16GB", 1, 16, profile.Spot, 0.8872},
		{"skypilot-aws.csv", "aws", "us-west-2", "p3.2xlarge", "V100-SXM2-16GB", 1, 16, profile.Spot, 0},
		{"skypilot-aws.csv", "aws", "us-east-1", "p3dn.24xlarge", "V100-SXM2-32GB", 8, 32, profile.Spot, 0},
		{"skypilot-aws.csv", "aws", "us-east-1", "p4de.24xlarge", "A100-SXM4-80GB", 8, 80, profile.Spot, 0},
		{"skypilot-gcp.csv", "gcp", "us-central1", "a2-highgpu-1g", "A100-SXM4-40GB", 1, 40, profile.OnDemand,
			0.73948 + 2.93391},
		{"skypilot-gcp.csv", "gcp", "us-central1", "a2-highgpu-1g", "A100-SXM4-40GB", 1, 40, profile.Spot, 0.36975 + 1.3},
		{"skypilot-gcp.csv", "gcp", "us-central1", "a3-megagpu-8g", "H100-SXM5-80GB", 8, 80, profile.Spot, 0},
		{"skypilot-gcp.csv", "gcp", "us-central1", "n1-highmem-8+1xT4", "T4", 1, 16, profile.OnDemand, 0.4736 + 0.35},
		{"skypilot-runpod.csv", "runpod", "CA", "2x_A100-80GB_SECURE", "A100-PCIE-80GB", 2, 80, profile.OnDemand, 2.78},
		{"skypilot-runpod.csv", "runpod", "CA", "2x_A100-80GB-SXM_SECURE", "A100-SXM4-80GB", 2, 80, profile.OnDemand, 3.78},
		{"skypilot-runpod.csv", "runpod", "US", "lambdalabs__8xH100_80GB", "H100-80GB", 8, 80, profile.OnDemand, 23.92},
		{"skypilot-runpod.csv", "runpod", "US", "gpu_8x_a100", "A100-40GB", 8, 40, profile.OnDemand, 15.92},
		{"gpuhunt.csv", "lambda", "us-east-1", "gpu_1x_h100_pcie", "H100-PCIE-80GB", 1, 80, profile.OnDemand, 2.49},
		{"gpuhunt.csv", "lambda", "us-east-1", "gpu_8x_h100_sxm5", "H100-SXM5-80GB", 8, 80, profile.OnDemand, 23.92},
		{"gpuhunt.csv", "lambda", "us-east-1", "gpu_1x_h100nvl", "H100-NVL-94GB", 1, 94, profile.OnDemand, 2.1},
		{"gpuhunt.csv", "lambda", "us-east-1", "gpu_1x_a10", "A10", 1, 24, profile.Spot, 0.3},
		{"vantage.json", "aws", "us-east-1", "p3.16xlarge", "V100-SXM2-16GB", 8, 16, profile.Reserved1Y, 16.708},
		{"vantage.json", "aws", "us-east-1", "p3.16xlarge", "V100-SXM2-16GB", 8, 16, profile.Reserved3Y, 10.655},
		{"vantage.json", "aws", "us-east-1", "p2.8xlarge", "K80", 8, 12, profile.OnDemand, 7.2},
		{"vantage.json", "aws", "us-east-1", "p2.8xlarge", "K80", 8, 12, profile.Spot, 0},
		{"aws-offer.json", "aws", "us-east-1", "p3.8xlarge", "V100-SXM2-16GB", 4, 16, profile.OnDemand, 12.24},
		{"aws-offer.json", "aws", "us-east-1", "p3.8xlarge", "V100-SXM2-16GB", 4, 16, profile.Reserved3Y,
			2.66 + 70000/26280.0},
		{"aws-offer.csv", "aws", "us-east-1", "p3.8xlarge", "V100-SXM2-16GB", 4, 16, profile.Reserved3Y,
			2.66 + 70000/26280.0},
		{"wide.csv", "azure", "eastus", "Standard_NC24ads_A100_v4", "A100-PCIE-80GB", 1, 80, profile.Spot, 1.47},
		{"own.csv", "ours", "cellar", "box-1", "A100-PCIE-80GB", 2, 80, profile.Reserved3Y, 0.8},
	} {
		list, err := Read(bytes.NewReader(fixture(t, c.file)), options(c.cloud))
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(list.VMTypes, func(v profile.VMType) bool {
			return v.Key() == profile.VMKey{Cloud: c.cloud, Region: c.region, InstanceType: c.vm}
		})
		if at < 0 {
			t.Errorf("%s: %s is missing", c.file, c.vm)
			continue
		}
		vm := list.VMTypes[at]
		p, ok := vm.PriceOf(c.purchase)
		if ok != (c.usd > 0) || math.Abs(p.USDPerHour-c.usd) > 1e-6 {
			t.Errorf("%s, %s %s: %+v, want %g", c.file, c.vm, c.purchase, p, c.usd)
		}
		if vm.GPU != c.gpu || vm.GPUCount != c.count || vm.GPUMemGiB == nil || *vm.GPUMemGiB != c.memory {
			t.Errorf("%s, %s: %d× %s with %v", c.file, c.vm, vm.GPUCount, vm.GPU, vm.GPUMemGiB)
		}
	}
}

func TestDates(t *testing.T) {
	for _, c := range []struct {
		file string
		asOf string
		want string
		said bool
	}{
		{"vantage.json", "", "2026-11-01", false},
		{"vantage.json", "2026-03", "2026-03", true},
		{"aws-offer.json", "", "2026-10-01", true},
		{"aws-offer.csv", "", "2026-10-01", true},
		{"aws-offer.json", "2025", "2025", true},
	} {
		o := options("")
		o.AsOf = c.asOf
		list, err := Read(bytes.NewReader(fixture(t, c.file)), o)
		if err != nil || list.VMTypes[0].Prices[0].AsOf != c.want || list.Dated != c.said {
			t.Errorf("%s as of %q: %v, %v", c.file, c.asOf, list, err)
		}
	}
}

func TestOptions(t *testing.T) {
	o := options("aws")
	o.All, o.Regions, o.Source = true, []string{"us-east-1"}, "me"
	list, err := Read(bytes.NewReader(fixture(t, "skypilot-aws.csv")), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, vm := range list.VMTypes {
		if vm.Region != "us-east-1" || vm.Prices[0].Source != "me" {
			t.Errorf("%+v", vm)
		}
	}
	at := slices.IndexFunc(list.VMTypes, func(v profile.VMType) bool { return v.InstanceType == "a1.large" })
	if at < 0 || list.VMTypes[at].GPUCount != 0 || len(list.VMTypes[at].Prices) != 1 {
		t.Errorf("a VM type without a GPU, and without a spot market: %+v", list.VMTypes)
	}
}

// Every bad file ends in one sentence that says what and where.
// sky is the header of a SkyPilot catalog.
const sky = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone\n"

func TestRefuses(t *testing.T) {
	offer, vantage := string(fixture(t, "aws-offer.json")), string(fixture(t, "vantage.json"))
	for name, c := range map[string]struct {
		text, cloud string
		format      Format
		want        string
	}{
		"empty":      {"", "aws", Auto, "the file is empty"},
		"blank":      {" \n\n", "aws", Auto, "the file is empty"},
		"a picture":  {"\x89PNG\r\n\x1a\n\x00\x00", "aws", Auto, "not text"},
		"a web page": {"<!DOCTYPE html>", "aws", Auto, "web page"},
		"another CSV": {"name,age\nme,3\n", "aws", Auto,
			`row 1: the columns "name", "age" match no known price list`},
		"another object": {`{"name": 1}`, "", Auto, "without instance_type"},
		"another list":   {`[1, 2]`, "", Auto, "entry 1"},
		"no cloud":       {sky, "", Auto, "give --cloud"},
		"another format": {sky, "aws", Vantage, "not Vantage instances but SkyPilot catalog"},
		"header alone":   {sky, "aws", Auto, "no VM type with a price"},
		"cut in a row":   {sky + "p3.2xlarge,V100,1.0\n", "aws", Auto, "row 2: has 3 cells and the header 10"},
		"cut in a quote": {sky + "p3.2xlarge,V100,1.0,8,61,\"{'Gpus", "aws", Auto, "row 2: a quote is left open"},
		"an endless row": {sky + "\"" + strings.Repeat("x", textfile.MaxRowBytes+1<<16), "aws", Auto,
			"row 2: longer than 1048576 bytes"},
		"a word for a price": {sky + "p3.2xlarge,V100,1.0,8,61,,cheap,,r,z\n", "aws", Auto,
			`row 2, column price: "cheap" is not a price`},
		"a negative price":   {sky + "p3.2xlarge,V100,1.0,8,61,,-3,,r,z\n", "aws", Auto, "row 2, column price"},
		"an infinite price":  {sky + "p3.2xlarge,V100,1.0,8,61,,Inf,,r,z\n", "aws", Auto, "row 2, column price"},
		"a word for a count": {sky + "p3.2xlarge,V100,many,8,61,,3,,r,z\n", "aws", Auto, "row 2, column acceleratorcount"},
		"a GPU alone on aws": {sky + ",V100,1.0,,,,3,,r,z\n", "aws", Auto, "row 2, column instancetype"},
		"spot neither": {"instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot\n" +
			"a,b,1,1,1,1,T4,16,maybe\n", "x", Auto, "row 2, column spot"},
		"a list cut off":     {vantage[:len(vantage)/2], "", Auto, "entry 2: the file is cut off here"},
		"a bracket missing":  {strings.TrimRight(vantage, "\n]"), "", Auto, "cut off here"},
		"a list gone wrong":  {`[{"instance_type" "x"}]`, "", Auto, "entry 1: is not valid JSON"},
		"an offer cut off":   {offer[:len(offer)/2], "", Auto, "cut off here"},
		"an offer, no terms": {`{"formatVersion":"v1.0","offerCode":"AmazonEC2","products":{}}`, "", Auto, "no terms"},
		"a bad offer price": {strings.Replace(offer, `"12.2400000000"`, `"dear"`, 1), "", Auto,
			`"dear" is not a valid price`},
		"a huge entry": {`[{"instance_type":"` + strings.Repeat("x", maxItemBytes+1<<20), "", Auto,
			"entry 1: is longer than 16 MiB"},
		"a bad string price": {strings.Replace(vantage, `"24.48"`, `"dear"`, 1), "", Auto,
			"entry 1: p3.16xlarge in us-east-1, on-demand"},
		"own, a purchase": {strings.Join(catalog.Columns, ",") + "\na,r,vm,K80,1,12,4,61,leased,1,s,2021\n", "", Auto,
			"row 2, column purchase"},
		"own, a date": {strings.Join(catalog.Columns, ",") + "\na,r,vm,K80,1,12,4,61,spot,1,s,yesterday\n", "", Auto,
			"row 2, column as_of"},
		"gzip, not really":    {"\x1f\x8bnothing", "", Auto, "cut off or damaged"},
		"a price of millions": {sky + "p3.2xlarge,V100,1.0,8,61,,3e7,,r,z\n", "aws", Auto, "row 2, column price"},
	} {
		o := options(c.cloud)
		o.Format = c.format
		list, err := Read(strings.NewReader(c.text), o)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, %v, want %q", name, list, err, c.want)
		}
	}
}

func TestGzip(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, err := z.Write(fixture(t, "vantage.json"))
	if err = errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	if list, err := Read(bytes.NewReader(zipped.Bytes()), options("")); err != nil || list.Format != Vantage {
		t.Errorf("%v, %v", list, err)
	}
	if _, err := Read(bytes.NewReader(zipped.Bytes()[:zipped.Len()/2]), options("")); err == nil ||
		!strings.Contains(err.Error(), "damaged") {
		t.Errorf("half of it: %v", err)
	}
}

// What a catalog could not hold is left out, and said: a row of it would make the
// whole unreadable.
func TestLeavesOutWhatACatalogCannotHold(t *testing.T) {
	offer := strings.Replace(string(fixture(t, "aws-offer.json")), `"12.2400000000"`, `"200000"`, 1)
	for name, c := range map[string]struct{ text, cloud, note string }{
		"a dear offer": {offer, "", "1 price above 100,000 dollars an hour left out"},
		"a maker, no model": {sky + "p3.2xlarge,V100,1.0,8,61,,3.06,,r,z\nmine,NVIDIA,1.0,8,61,,1,,r,z\n", "aws",
			"1 row of accelerators other than GPUs left out"},
	} {
		list, err := Read(strings.NewReader(c.text), options(c.cloud))
		if err != nil || !slices.Contains(list.Notes, c.note) {
			t.Errorf("%s: %v, %+v", name, err, list)
			continue
		}
		sound(t, list, nil)
	}
}

// A spreadsheet's byte order mark, other order of columns, control characters.
func TestForgives(t *testing.T) {
	text := "\ufeffPrice,SpotPrice,Region, instancetype ,AcceleratorName,AcceleratorCount\n" +
		"1.5,,\x1b[31mr\u202e,p3.2xlarge,V100,1\n"
	list, err := Read(strings.NewReader(text), options("aws"))
	if err != nil || len(list.VMTypes) != 1 || list.VMTypes[0].Region != "r" ||
		list.VMTypes[0].GPU != "V100-SXM2-16GB" {
		t.Errorf("%+v, %v", list, err)
	}
}
