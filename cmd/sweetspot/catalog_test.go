package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sweetspot/data/catalog/listing"
	"sweetspot/data/workspace"
)

// catalogRun runs a subcommand of catalog. The test says where the user's files are.
func catalogRun(t *testing.T, args ...string) (string, error) {
	t.Helper()
	out, stderr, err := execute(t, args...)
	return out + stderr, err
}

func listed(t *testing.T, args ...string) listing.Document {
	t.Helper()
	out, err := catalogRun(t, append([]string{"catalog"}, append(args, "--json")...)...)
	if err != nil {
		t.Fatal(err)
	}
	var doc listing.Document
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Schema != 1 || doc.Command != "catalog" || doc.Warnings == nil || doc.VMTypes == nil {
		t.Errorf("the frame of every object: %.200s", out)
	}
	return doc
}

const skyPilotFile = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone\n" +
	"p5.48xlarge,H100,8.0,192.0,2048.0,\"{'Gpus': [{'Name': 'H100', 'MemoryInfo': {'SizeInMiB': " +
	"81920}}]}\",55.04,30.5,us-east-1,use1-az1\n" +
	"p3.2xlarge,V100,1.0,8.0,61.0,,2.5,0.9,us-east-1,use1-az1\n"

// written puts a price list where SkyPilot has it, under aws.
func written(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "aws", "vms.csv")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// What is imported shows with price, source and age, and a ranking rents at it.
func TestCatalogImportIsWhatARankingSees(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	file := written(t, skyPilotFile)
	if doc := listed(t, "import", file, "--as-of", "2026-10-01", "--dry-run"); len(doc.VMTypes) != 2 ||
		doc.Import.Kept != nil {
		t.Errorf("a dry run: %+v", doc)
	}
	files, err := workspace.CatalogFiles()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(files.Imported); err == nil {
		t.Error("a dry run kept something")
	}
	if out, err := catalogRun(t, "catalog", "import", file, "--as-of", "2026-10-01"); err != nil ||
		!strings.Contains(out, "imported 2 VM types with 4 prices from a SkyPilot catalog") {
		t.Fatalf("%s, %v", out, err)
	}
	found := false
	for _, vm := range listed(t, "list", "--gpu", "h100:80GB:8", "--region", "us-east-1").VMTypes {
		if vm.InstanceType != "p5.48xlarge" {
			continue
		}
		found = true
		p := vm.Prices[0]
		if *vm.GPU != "H100-SXM5-80GB" || p.USDPerHour != 55.04 || *p.Source != "SkyPilot catalog vms.csv" ||
			*p.AsOf != "2026-10-01" || p.AgeDays == nil {
			t.Errorf("%+v, %+v", vm, p)
		}
	}
	if !found {
		t.Error("p5.48xlarge is not in the list")
	}
	for _, purchase := range []string{"on-demand", "spot"} {
		out, err := catalogRun(t, "rank", "--model", "seismic/FCN", "--epochs", "13", "--purchase", purchase, "--json")
		want := map[string]string{"on-demand": `"usd_per_hour": 2.5`, "spot": `"usd_per_hour": 0.9`}[purchase]
		if err != nil || !strings.Contains(out, want) {
			t.Errorf("%s at the imported price: %v, no %s", purchase, err, want)
		}
	}
}

func TestCatalogOwnFileWins(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	if _, err := catalogRun(t, "catalog", "import", written(t, skyPilotFile)); err != nil {
		t.Fatal(err)
	}
	files, err := workspace.CatalogFiles()
	if err != nil {
		t.Fatal(err)
	}
	own := files.Own
	mine := "cloud,region,instance_type,gpu,gpu_count,purchase,usd_per_hour,as_of\n" +
		"aws,us-east-1,p3.2xlarge,v100,1,on-demand,1.11,2019\n"
	if err := os.WriteFile(own, []byte(mine), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := catalogRun(t, "catalog", "show", "aws/us-east-1/p3.2xlarge")
	if err != nil || !strings.Contains(out, "$1.11/h") || !strings.Contains(out, "years old, stale") ||
		strings.Contains(out, "$2.50/h") || !strings.Contains(out, "$0.90/h") {
		t.Errorf("%v\n%s", err, out)
	}
	if _, err := catalogRun(t, "catalog", "import", written(t, skyPilotFile)); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(own); err != nil || string(text) != mine {
		t.Errorf("an import touched the user's own file: %q, %v", text, err)
	}
}

func TestCatalogDiff(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	a, b := written(t, skyPilotFile), written(t, strings.Replace(skyPilotFile, ",2.5,", ",3.06,", 1))
	out, err := catalogRun(t, "catalog", "diff", a, b)
	if err != nil || !strings.Contains(out, "1 figure changed, 0 added, 0 removed") ||
		!strings.Contains(out, "2.5 → 3.06  +22.4 %") {
		t.Errorf("%v\n%s", err, out)
	}
	out, err = catalogRun(t, "catalog", "diff", "built-in", b, "--cloud", "aws", "--gpu", "V100", "--json")
	var doc listing.Changes
	if err != nil || json.Unmarshal([]byte(out), &doc) != nil || doc.Action != "diff" || len(doc.Removed) == 0 ||
		len(doc.Changed) == 0 {
		t.Errorf("%v\n%.400s", err, out)
	}
	if _, err := catalogRun(t, "catalog", "diff", "imported", b); err == nil ||
		!strings.Contains(err.Error(), "catalog import adds a price list") {
		t.Errorf("nothing imported yet: %v", err)
	}
}

// The market is listed and offered at once, with the source and age of every
// price; what is predicted on it says so.
func TestCatalogMarket(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	if doc := listed(t, "list", "--gpu", "h100", "--cloud", "gcp"); len(doc.VMTypes) != 4 ||
		doc.VMTypes[0].Prices[0].Source == nil || doc.VMTypes[0].Prices[0].AgeDays == nil {
		t.Errorf("%+v", doc.VMTypes)
	}
	out, err := catalogRun(t, "rank", "--model", "seismic/FCN", "--epochs", "13", "--predicted", "--json")
	if err != nil || !strings.Contains(out, "p4d.24xlarge") || !strings.Contains(out, "a2-highgpu-1g") ||
		!strings.Contains(out, "was never probed") {
		t.Errorf("%v: what clouds offer is predicted, and so labelled", err)
	}
}

func TestCatalogRefuses(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	elsewhere := filepath.Join(t.TempDir(), "list.csv")
	if err := os.WriteFile(elsewhere, []byte(skyPilotFile), 0o644); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"list --gpu A100:80GB:8..1":                      "A100:80GB:1..8",
		"list --sort age":                                "--sort",
		"show p3.3xlarge":                                "there is ",
		"show x":                                         "catalog list lists them",
		"import " + elsewhere:                            "give --cloud",
		"import " + elsewhere + " --format excel":        "not one of [auto",
		"import " + elsewhere + " --as-of soon":          "--as-of",
		"import " + elsewhere + " --as-of 2999":          "is in the future",
		"import " + t.TempDir():                          "is a folder",
		"import nowhere.csv":                             "cannot be read",
		"import " + elsewhere + " --cloud aws --gpu T4":  "none of the 2 VM types in",
		"import " + elsewhere + " --cloud aws --db x.db": "all databases share one catalog",
		"imports": "it has diff, import, list, show",
	} {
		_, err := catalogRun(t, append([]string{"catalog"}, strings.Fields(args)...)...)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}

func TestCatalogCompletes(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	for args, want := range map[string]string{
		"catalog show p3.":            "p3.2xlarge",
		"catalog list --gpu v1":       "V100-SXM2-16GB",
		"catalog list --cloud a":      "azure",
		"catalog import --format sky": "skypilot",
		"catalog list --sort ":        "gpu-price",
	} {
		out, err := catalogRun(t, append([]string{"__complete"}, strings.Split(args, " ")...)...)
		if err != nil || !strings.Contains(out, want) {
			t.Errorf("%s: %v\n%s", args, err, out)
		}
	}
}
