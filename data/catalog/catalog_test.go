package catalog

import (
	"slices"
	"strings"
	"testing"

	"sweetspot/engine/profile"
)

// Anchors typed from the studies.
func TestStudyPrices(t *testing.T) {
	for _, c := range []struct {
		cloud, region, instance string
		gpu                     string
		gpus                    int
		gpuMem                  float64
		purchase                profile.Purchase
		usd                     float64
		source                  string
	}{
		{"aws", "us-east-1", "p2.xlarge", "K80", 1, 12, profile.OnDemand, 0.90, "table 3.1"},
		{"aws", "us-east-1", "p2.8xlarge", "K80", 8, 12, profile.OnDemand, 7.20, "table 3.1"},
		{"aws", "us-east-1", "p2.16xlarge", "K80", 16, 12, profile.OnDemand, 14.40, "table 3.1"},
		{"aws", "us-east-1", "p3.2xlarge", "V100-SXM2-16GB", 1, 16, profile.OnDemand, 3.06, "table 3.1"},
		{"aws", "us-east-1", "p3.8xlarge", "V100-SXM2-16GB", 4, 16, profile.OnDemand, 12.24, "table 3.1"},
		{"aws", "us-east-1", "p3.16xlarge", "V100-SXM2-16GB", 8, 16, profile.OnDemand, 24.48, "table 3.1"},
		{"aws", "us-east-1", "ml.p2.xlarge", "K80", 1, 12, profile.OnDemand, 1.26, "table 3.2"},
		{"aws", "us-east-1", "ml.p2.8xlarge", "K80", 8, 12, profile.OnDemand, 8.64, "table 3.2"},
		{"aws", "us-east-1", "ml.p2.16xlarge", "K80", 16, 12, profile.OnDemand, 16.6, "table 3.2"},
		{"aws", "us-east-1", "ml.p3.2xlarge", "V100-SXM2-16GB", 1, 16, profile.OnDemand, 3.8, "table 3.2"},
		{"aws", "us-east-1", "ml.p3.8xlarge", "V100-SXM2-16GB", 4, 16, profile.OnDemand, 14.7, "table 3.2"},
		{"aws", "us-east-1", "ml.p3.16xlarge", "V100-SXM2-16GB", 8, 16, profile.OnDemand, 28.15, "table 3.2"},
		{"azure", "", "NC6", "K80", 1, 12, profile.OnDemand, 0.90, "table 3.3"},
		{"azure", "", "NC12", "K80", 2, 12, profile.OnDemand, 1.80, "table 3.3"},
		{"azure", "", "NC24", "K80", 4, 12, profile.OnDemand, 3.60, "table 3.3"},
		{"aws", "us-west-2", "p2.16xlarge", "K80", 16, 12, profile.OnDemand, 14.4, "table 3"},
		{"aws", "us-west-2", "g3.4xlarge", "M60", 1, 8, profile.OnDemand, 1.14, "table 3"},
		{"aws", "us-west-2", "g3.8xlarge", "M60", 2, 8, profile.OnDemand, 2.28, "table 3"},
		{"aws", "us-west-2", "g3.16xlarge", "M60", 4, 8, profile.OnDemand, 4.56, "table 3"},
		{"aws", "us-east-2", "p3.2xlarge", "V100-SXM2-16GB", 1, 16, profile.OnDemand, 3.06, "ApproxDNN"},
		{"aws", "us-east-2", "p3.2xlarge", "V100-SXM2-16GB", 1, 16, profile.Reserved3Y, 0.985, "ApproxDNN"},
	} {
		at := slices.IndexFunc(Builtin(), func(v profile.VMType) bool {
			return v.Key() == profile.VMKey{Cloud: c.cloud, Region: c.region, InstanceType: c.instance}
		})
		if at < 0 {
			t.Errorf("%s in %s is missing", c.instance, c.region)
			continue
		}
		vm := Builtin()[at]
		p, ok := vm.PriceOf(c.purchase)
		if !ok || p.USDPerHour != c.usd || !strings.Contains(p.Source, c.source) {
			t.Errorf("%s %s: %+v, want %g of %s", c.instance, c.purchase, p, c.usd, c.source)
		}
		if vm.GPU != c.gpu || vm.GPUCount != c.gpus || vm.GPUMemGiB == nil || *vm.GPUMemGiB != c.gpuMem {
			t.Errorf("%s: %+v", c.instance, vm)
		}
	}
}

func TestEveryPriceHasSourceAndDate(t *testing.T) {
	for _, vm := range Builtin() {
		for _, p := range vm.Prices {
			if p.Source == "" || len(p.AsOf) < 4 {
				t.Errorf("%s: %+v", vm.InstanceType, p)
			}
		}
	}
}

// named returns the built-in VM types of that name, one per region.
func named(instance string) []profile.VMType {
	return slices.DeleteFunc(Builtin(), func(v profile.VMType) bool { return v.InstanceType != instance })
}

// Paragon prints no price: unknown must stay unknown.
func TestUnknownPriceIsNotZero(t *testing.T) {
	found := named("m4.large")
	if len(found) != 1 || len(found[0].Prices) != 0 || found[0].VCPUs != nil || found[0].GPUMemGiB != nil {
		t.Errorf("m4.large: %+v", found)
	}
}

func TestBuiltinIsTheCallersOwn(t *testing.T) {
	first := Builtin()
	first[0].InstanceType = "mine"
	if Builtin()[0].InstanceType == "mine" {
		t.Error("changing the returned slice changed the catalog")
	}
	if got := len(named("p2.xlarge")); got != 2 {
		t.Errorf("p2.xlarge is in %d regions, want us-east-1 and us-west-2", got)
	}
}

func TestReadRefuses(t *testing.T) {
	head := strings.Join(Columns, ",") + "\n"
	good := "aws,r,vm,K80,1,12,4,61,on-demand,0.9,s,2021\n"
	for name, c := range map[string]struct{ in, words string }{
		"no header":          {good, "row 1"},
		"negative price":     {head + "aws,r,vm,K80,1,12,4,61,on-demand,-1,s,2021\n", "row 2, column usd_per_hour"},
		"huge memory":        {head + "aws,r,vm,K80,1,1e308,4,61,on-demand,1,s,2021\n", `gpu_mem_gib: "1e308" is too large`},
		"no memory":          {head + "aws,r,vm,K80,1,0,4,61,on-demand,1,s,2021\n", "gpu_mem_gib: 0 is not a number above 0"},
		"NaN memory":         {head + "aws,r,vm,K80,1,NaN,4,61,on-demand,1,s,2021\n", "row 2, column gpu_mem_gib"},
		"unknown purchase":   {head + "aws,r,vm,K80,1,12,4,61,leased,1,s,2021\n", "row 2, column purchase"},
		"purchase, no price": {head + "aws,r,vm,K80,1,12,4,61,spot,,s,2021\n", "row 2, column usd_per_hour"},
		"GPUs without GPU":   {head + "aws,r,vm,,2,12,4,61,spot,1,s,2021\n", "row 2, column gpu_count"},
		"no name":            {head + "aws,r,,K80,1,12,4,61,spot,1,s,2021\n", "row 2, column instance_type"},
		"two machines":       {head + good + "aws,r,vm,K80,2,12,4,61,spot,0.3,s,2021\n", "row 3: vm differs"},
		"short row":          {head + "aws,r\n", "row 2"},
	} {
		if _, err := Read(strings.NewReader(c.in)); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: got %v, want %q", name, err, c.words)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(builtinCSV[:600])
	f.Fuzz(func(t *testing.T, in string) {
		vms, err := Read(strings.NewReader(in))
		if err != nil {
			return
		}
		for _, vm := range vms {
			for _, p := range vm.Prices {
				if !(p.USDPerHour > 0) {
					t.Fatalf("read a price of %g", p.USDPerHour)
				}
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	for b.Loop() {
		if _, err := Read(strings.NewReader(builtinCSV)); err != nil {
			b.Fatal(err)
		}
	}
}
