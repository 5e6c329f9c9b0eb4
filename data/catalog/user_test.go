package catalog

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sweetspot/engine/profile"
)

func vmOf(name, gpu string, prices ...profile.Price) profile.VMType {
	return profile.VMType{Cloud: "aws", Region: "us-east-1", InstanceType: name, GPU: gpu, GPUCount: 1,
		GPUMemGiB: new(16.0), Prices: prices}
}

func TestJoin(t *testing.T) {
	own := []profile.VMType{vmOf("p3.2xlarge", "V100-SXM2-16GB",
		profile.Price{Purchase: profile.OnDemand, USDPerHour: 2, AsOf: "2020"})}
	imported := []profile.VMType{
		vmOf("p3.2xlarge", "V100-SXM2-16GB", profile.Price{Purchase: profile.OnDemand, USDPerHour: 3, AsOf: "2026"},
			profile.Price{Purchase: profile.Spot, USDPerHour: 1, AsOf: "2026"}),
		vmOf("p9", "B200"),
	}
	imported[0].VCPUs = new(8.0)
	got := Join(own, imported)
	if len(got) != 2 || len(got[0].Prices) != 2 || got[0].VCPUs == nil {
		t.Fatalf("%+v", got)
	}
	if p, _ := got[0].PriceOf(profile.OnDemand); p.USDPerHour != 2 {
		t.Errorf("one's own price must win, be it older: %+v", p)
	}
	if p, _ := got[0].PriceOf(profile.Spot); p.USDPerHour != 1 {
		t.Errorf("what one did not price: %+v", p)
	}
	if len(own[0].Prices) != 1 || own[0].VCPUs != nil {
		t.Error("joining changed what it joined")
	}
}

func TestUserFiles(t *testing.T) {
	files := FilesIn(filepath.Join(t.TempDir(), "sweetspot"))
	if got, err := files.Joined(); err != nil || len(got) != len(Market()) {
		t.Fatalf("without files: %d, %v", len(got), err)
	}
	price := func(usd float64, source, asOf string) profile.Price {
		return profile.Price{Purchase: profile.OnDemand, USDPerHour: usd, Source: source, AsOf: asOf}
	}
	if err := files.Keep([]profile.VMType{vmOf("x1", "L4", price(1, "list", "2026-01"))}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(files.Own, []byte("instance_type,cloud,gpu,gpu_count,purchase,usd_per_hour\n"+
		"mine,cellar,L4,1,on-demand,0.1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	// The same list again, another one of x1, and one of another VM type.
	for _, more := range []profile.VMType{
		vmOf("x1", "L4", price(2, "list", "2026-02")), vmOf("x1", "L4", price(1.9, "another", "2025-12")),
		vmOf("x2", "L4", price(4, "list", "2026-02")),
	} {
		if err := files.Keep([]profile.VMType{more}); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := ReadFile(files.Imported)
	if err != nil || len(kept) != 2 || len(kept[0].Prices) != 2 {
		t.Fatalf("%+v, %v", kept, err)
	}
	if p, _ := kept[0].PriceOf(profile.OnDemand); p.USDPerHour != 2 {
		t.Errorf("the newest quote counts, whichever was imported last: %+v", p)
	}
	joined, err := files.Joined()
	if err != nil || !slices.ContainsFunc(joined, func(v profile.VMType) bool {
		return v.InstanceType == "mine" &&
			v.GPU == "L4"
	}) {
		t.Errorf("%v", err)
	}
	if own, err := os.ReadFile(files.Own); err != nil || !strings.HasPrefix(string(own), "instance_type,cloud") {
		t.Errorf("the user's own file was touched: %q, %v", own, err)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(files.Own), ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A catalog that could not be read back would stop everything that asks it.
func TestKeepRefusesWhatItCouldNotRead(t *testing.T) {
	files := FilesIn(t.TempDir())
	if err := files.Keep([]profile.VMType{vmOf("x1", "L4")}); err != nil {
		t.Fatal(err)
	}
	nameless := vmOf("x2", "")
	nameless.GPUCount = 1
	if err := files.Keep([]profile.VMType{nameless}); err == nil ||
		!strings.Contains(err.Error(), "the catalog was not changed") {
		t.Errorf("%v", err)
	}
	if kept, err := ReadFile(files.Imported); err != nil || len(kept) != 1 {
		t.Errorf("%+v, %v", kept, err)
	}
}

func TestABrokenUserFileIsNamed(t *testing.T) {
	files := FilesIn(t.TempDir())
	if err := os.WriteFile(files.Own, []byte(strings.Join(Columns, ",")+
		"\naws,r,vm,L4,1,24,4,16,on-demand,cheap,s,2026\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := files.Joined()
	if err == nil || !strings.Contains(err.Error(), "catalog-own.csv, row 2, column usd_per_hour") ||
		!strings.Contains(err.Error(), "correct the file") {
		t.Errorf("%v", err)
	}
	if err := files.Keep([]profile.VMType{vmOf("x1", "L4")}); err != nil {
		t.Errorf("an import has nothing to do with it: %v", err)
	}
}

func TestDiff(t *testing.T) {
	price := func(p profile.Purchase, usd float64, asOf string) profile.Price {
		return profile.Price{Purchase: p, USDPerHour: usd, AsOf: asOf}
	}
	a := []profile.VMType{vmOf("same", "L4", price(profile.OnDemand, 1, "2025")),
		vmOf("changed", "L4", price(profile.OnDemand, 2, "2025"), price(profile.Spot, 1, "2025")), vmOf("gone", "L4")}
	b := []profile.VMType{vmOf("same", "L4", price(profile.OnDemand, 1, "2026")),
		vmOf("changed", "A10", price(profile.OnDemand, 3, "2026")), vmOf("new", "L4")}
	d := Diff(a, b)
	if len(d.Added) != 1 || d.Added[0].InstanceType != "new" || len(d.Removed) != 1 ||
		d.Removed[0].InstanceType != "gone" || len(d.Changed) != 3 {
		t.Fatalf("%+v", d)
	}
	gpu, list, spot := d.Changed[0], d.Changed[1], d.Changed[2]
	if gpu.Field != "gpu" || gpu.From != "L4" || gpu.To != "A10" {
		t.Errorf("%+v", gpu)
	}
	if list.From != "2" || list.To != "3" || *list.Ratio != 1.5 || list.Is.AsOf != "2026" {
		t.Errorf("%+v", list)
	}
	if spot.Purchase != profile.Spot || spot.To != "" || spot.Ratio != nil {
		t.Errorf("%+v", spot)
	}
}

func TestAge(t *testing.T) {
	now := time.Date(2026, 11, 21, 15, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		asOf  string
		p     profile.Purchase
		days  int
		stale bool
		words string
	}{
		{"2026-11-21", profile.OnDemand, 0, false, "today"},
		{"2026-11-20", profile.OnDemand, 1, false, "1 day"},
		{"2026-10-01", profile.OnDemand, 51, false, "51 days"},
		{"2026-10-01", profile.Spot, 51, true, "51 days"},
		{"2026-04", profile.OnDemand, 205, true, "6 months"},
		{"2026", profile.OnDemand, 0, false, "today"},
		{"2017-11", profile.Reserved1Y, 3278, true, "8 years"},
		{"2030-01-01", profile.OnDemand, 0, false, "today"},
	} {
		got := AgeOf(profile.Price{Purchase: c.p, AsOf: c.asOf}, now)
		if !got.Known || got.Days != c.days || got.Stale != c.stale || got.String() != c.words {
			t.Errorf("%s of %s: %+v, %s", c.p, c.asOf, got, got)
		}
	}
	if got := AgeOf(profile.Price{AsOf: "spring"}, now); got.Known || !got.Stale || got.String() != "no date" ||
		got.Short() != "no date" {
		t.Errorf("%+v", got)
	}
}
