package identity

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"sweetspot/data/catalog"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
)

// attached is how a catalog may hold VM types that the built-in one lacks.
var attached = []profile.VMType{
	vm("gcp", "us-central1", "n1-highmem-8+1xV100", "V100", 1, 16, 8, 2.95),
	vm("gcp", "us-central1", "n1-highmem-8+1xT4", "T4", 1, 16, 8, 0.82),
	vm("gcp", "us-central1", "a2-highgpu-1g", "a100", 1, 40, 12, 3.67),
	vm("azure", "eastus", "Standard_NC24ads_A100_v4", "A100", 1, 80, 24, 3.67),
	vm("lambda", "any", "lambda-1xA600048GB", "A6000", 1, 48, 14, 0.80),
	vm("runpod", "any", "runpod-1xA600048GB", "A6000", 1, 48, 9, 0.79),
}

func vm(cloud, region, instance, gpu string, count int, mem, cpus, price float64) profile.VMType {
	return profile.VMType{
		Cloud: cloud, Region: region, InstanceType: instance, GPU: gpu, GPUCount: count, GPUMemGiB: &mem, VCPUs: &cpus,
		Prices: []profile.Price{{Purchase: profile.OnDemand, USDPerHour: price, AsOf: "2026-01"}},
	}
}

func gib(v float64) *float64 { return new(v * (1 << 30)) }

func document(instance, region string) map[string]string {
	text, err := json.Marshal(map[string]string{"instanceType": instance, "region": region, "accountId": "123456789012"})
	if err != nil {
		panic(err)
	}
	return map[string]string{AWSDocument: string(text)}
}

func azureSize(size, location string) map[string]string {
	return map[string]string{AzureInstance: `{"compute":{"vmSize":"` + size + `","location":"` + location + `"}}`}
}

func gcpType(machine, zone string) map[string]string {
	return map[string]string{GCPMachineType: "projects/1/machineTypes/" + machine, GCPZone: "projects/1/zones/" + zone}
}

var (
	onXen    = Facts{SysVendor: "Xen", ProductName: "HVM domU", BIOSVersion: "4.11.amazon"}
	onAzure  = Facts{SysVendor: "Microsoft Corporation", ChassisAssetTag: azureTag}
	onGoogle = Facts{SysVendor: "Google", ProductName: "Google Compute Engine"}
)

func with(f Facts, metadata map[string]string, gpu string, count int, mem *float64, cpus int) Facts {
	f.Metadata, f.GPU, f.GPUCount, f.GPUMemBytes, f.CPUs = metadata, gpu, count, mem, cpus
	return f
}

func TestResolve(t *testing.T) {
	vms := append(catalog.Builtin(), attached...)
	for _, c := range []struct {
		name    string
		facts   Facts
		vm      string // cloud/region/type, "" unresolved
		certain bool
		words   string
	}{
		{"AWS in the catalog", with(onXen, document("p3.2xlarge", "us-east-2"), "Tesla V100-SXM2-16GB", 1, gib(15.8), 8),
			"aws/us-east-2/p3.2xlarge", true, "AWS says p3.2xlarge in us-east-2"},
		{"AWS in another region", with(onXen, document("p2.xlarge", "eu-west-1"), "Tesla K80", 1, nil, 4),
			"aws/us-east-1/p2.xlarge", false, "AWS says p2.xlarge in eu-west-1; the catalog has it only in us-east-1 at " +
				"$0.90 an hour: if that price is right, give --vm aws/us-east-1/p2.xlarge, else give --price"},
		{"AWS without a region", with(onXen, document("p2.xlarge", ""), "", 0, nil, 4), "aws/us-east-1/p2.xlarge", false,
			"p2.xlarge, region unknown; the catalog has it only in us-east-1"},
		{"AWS not in the catalog", with(onXen, document("g6e.xlarge", "us-east-1"), "NVIDIA L40S", 1, gib(44.5), 4),
			"aws/us-east-1/g6e.xlarge", true, "AWS says g6e.xlarge in us-east-1, which the catalog does not have; give " +
				"its price with --price"},
		{"a type known by its firmware", Facts{SysVendor: "Amazon EC2", ProductName: "g3.4xlarge"},
			"aws/us-east-1/g3.4xlarge", false, "Amazon EC2 g3.4xlarge by DMI, region unknown; the catalog"},
		{"without a price", with(onXen, document("m4.large", "us-east-1"), "", 0, nil, 2), "aws/us-east-1/m4.large", true,
			"no on-demand price"},
		{"Xen without metadata", with(onXen, nil, "Tesla V100-SXM2-16GB", 1, gib(15.8), 8), "aws/us-east-1/p3.2xlarge", false,
			"1 × V100-SXM2-16GB as in aws/us-east-1/p3.2xlarge, but the VM type is not certain"},
		{"GCP with its GPU in the name", with(onGoogle, gcpType("a2-highgpu-1g", "us-central1-f"), "NVIDIA A100-SXM4-40GB", 1,
			gib(39.6), 12),
			"gcp/us-central1/a2-highgpu-1g", true, "GCP says a2-highgpu-1g in us-central1"},
		{"GCP, V100 attached", with(onGoogle, gcpType("n1-highmem-8", "us-central1-a"), "Tesla V100-SXM2-16GB", 1,
			gib(15.8), 8),
			"gcp/us-central1/n1-highmem-8+1xV100", true, "GCP says n1-highmem-8 in us-central1 with 1 × V100-SXM2-16GB"},
		{"GCP, T4 attached", with(onGoogle, gcpType("n1-highmem-8", "us-central1-a"), "Tesla T4", 1, gib(15), 8),
			"gcp/us-central1/n1-highmem-8+1xT4", true, "1 × T4"},
		{"GCP, two T4 attached", with(onGoogle, gcpType("n1-highmem-8", "us-central1-a"), "Tesla T4", 2, gib(15), 8),
			"gcp/us-central1/n1-highmem-8", true, "2 × T4, which the catalog does not have"},
		{"GCP, no GPU attached", with(onGoogle, gcpType("n1-highmem-8", "us-central1-a"), "", 0, nil, 8),
			"gcp/us-central1/n1-highmem-8", true, "which the catalog does not have"},
		{"Azure", with(onAzure, azureSize("Standard_NC24ads_A100_v4", "eastus"), "NVIDIA A100 80GB PCIe", 1, gib(80), 24),
			"azure/eastus/Standard_NC24ads_A100_v4", true, "Azure says Standard_NC24ads_A100_v4 in eastus"},
		{"Azure, a catalog without region", with(onAzure, azureSize("Standard_NC6", "eastus"), "Tesla K80", 1, nil, 6), "NC6",
			false, "only without a region at $"},
		{"a cloud's answer on another's firmware", with(onGoogle, document("p3.2xlarge", "us-east-2"), "", 0, nil, 8),
			"", false, ""},
		{"any cloud where the firmware is hidden", with(Facts{}, azureSize("Standard_NC24ads_A100_v4", "eastus"), "", 0, nil,
			0), "azure/eastus/Standard_NC24ads_A100_v4", true, "Azure says"},
		{"a rented A6000, by its CPUs", with(Facts{SysVendor: "QEMU"}, nil, "NVIDIA RTX A6000", 1, gib(48), 14),
			"lambda/any/lambda-1xA600048GB", false, "1 × RTX A6000 as in lambda/any/lambda-1xA600048GB"},
		{"a rented A6000, by its price", with(Facts{SysVendor: "QEMU"}, nil, "NVIDIA RTX A6000", 1, gib(48), 0),
			"runpod/any/runpod-1xA600048GB", false, "1 × RTX A6000 as in runpod/any/runpod-1xA600048GB"},
		{"a GPU in no catalog", with(Facts{}, nil, "NVIDIA GeForce RTX 4090", 1, gib(24), 16), "", false, ""},
		{"as many GPUs as no VM type has", with(Facts{}, nil, "Tesla V100-SXM2-16GB", 3, gib(16), 16), "", false, ""},
		{"a GPU of other memory", with(Facts{}, nil, "Tesla V100", 1, gib(32), 16), "", false, ""},
		{"a laptop", Facts{SysVendor: "LENOVO", CPUs: 8}, "", false, ""},
		{"garbage for JSON", with(onXen, map[string]string{AWSDocument: `{"instanceType": 7`}, "", 0, nil, 4), "", false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, ok := Resolve(c.facts, vms)
			got := ""
			if ok {
				got = path(r.VM)
			}
			if got != c.vm || r.Certain != c.certain || !strings.Contains(r.Words, c.words) {
				t.Errorf("%s, certain %v: %q", got, r.Certain, r.Words)
			}
		})
	}
}

// The mend names a --vm that it takes.
func TestMendWorks(t *testing.T) {
	r, ok := Resolve(with(onXen, document("p2.xlarge", "eu-west-1"), "", 0, nil, 4), catalog.Builtin())
	_, name, found := strings.Cut(r.Words, "--vm ")
	name, _, _ = strings.Cut(name, ",")
	if !ok || !found {
		t.Fatalf("%+v", r)
	}
	if v, err := profile.FindVMType(catalog.Builtin(), name); err != nil || v.Key() != r.VM.Key() {
		t.Errorf("--vm %s: %v, %v", name, v, err)
	}
}

func TestHostileAnswers(t *testing.T) {
	hostile := "p3\x1b]0;owned\x07\u202e.2xlarge\n" + strings.Repeat("x", 5000)
	for name, f := range map[string]Facts{
		"AWS":      with(onXen, document(hostile, hostile), hostile, 1, gib(16), 4),
		"GCP":      with(onGoogle, gcpType("n1-"+hostile, hostile+"-a"), hostile, 1, gib(16), 4),
		"Azure":    with(onAzure, azureSize(`p3\u001b]0;owned\u0007.2xlarge`, `\u001b[2J`), "", 0, nil, 4),
		"firmware": {SysVendor: "Amazon EC2", ProductName: "g5.xlarge\x1b[2J"},
	} {
		r, ok := Resolve(f, catalog.Builtin())
		if !ok {
			t.Errorf("%s: nothing to check", name)
		}
		plain(t, r)
	}
}

func plain(t *testing.T, r Resolution) {
	t.Helper()
	for _, s := range []string{r.Words, r.VM.Cloud, r.VM.Region, r.VM.InstanceType, r.VM.GPU} {
		if strings.ContainsFunc(s, func(c rune) bool { return unicode.IsControl(c) || unicode.Is(unicode.Cf, c) }) ||
			len(s) > 2000 {
			t.Errorf("%.200q", s)
		}
	}
}

// FuzzResolve: whatever a machine says of itself, what is shown is plain, and
// a price is only ever that of a type and region that were said.
func FuzzResolve(f *testing.F) {
	f.Add("Xen", "HVM domU", "4.11.amazon", awsAnswer, "", "", "", "Tesla V100-SXM2-16GB", 1)
	f.Add("Google", "Google Compute Engine", "", "", "projects/1/machineTypes/n1-highmem-8",
		"projects/1/zones/us-central1-a", "", "Tesla T4", 1)
	f.Add("", "", "", "", "", "", azureAnswer, "Tesla K80", 1)
	f.Add("Amazon EC2", "g5.xlarge", "", `{"instanceType":"\u001b[2J"}`, "/", "-", `{"compute":7}`, "\x1b", 2)
	vms := append(catalog.Builtin(), attached...)
	f.Fuzz(func(t *testing.T, vendor, product, version, document, machine, zone, azure, gpu string, count int) {
		facts := Facts{
			SysVendor: vendor, ProductName: product, BIOSVersion: version, GPU: gpu, GPUCount: count,
			Metadata: map[string]string{AWSDocument: document, GCPMachineType: machine, GCPZone: zone, AzureInstance: azure},
		}
		r, ok := Resolve(facts, vms)
		plain(t, r)
		if ok && r.Words == "" {
			t.Error("no words")
		}
		if !r.Certain {
			return
		}
		var said string // each part by itself: what one begins, the next does not end
		for _, answer := range []string{document, machine, zone, azure} {
			answer = strings.ToValidUTF8(answer, "\uFFFD") // as JSON is read
			for part := range strings.SplitSeq(answer, "/") {
				said += strings.ToLower(plaintext.Clean(part)) + "\n"
			}
		}
		instance, _, _ := strings.Cut(strings.TrimPrefix(strings.ToLower(r.VM.InstanceType), "standard_"), "+")
		if len(r.VM.Prices) > 0 && (!strings.Contains(said, instance) ||
			(r.VM.Region != "any" && !strings.Contains(said, strings.ToLower(r.VM.Region)))) {
			t.Errorf("nobody said %s", path(r.VM))
		}
	})
}
