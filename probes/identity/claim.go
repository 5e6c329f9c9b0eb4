package identity

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/probes/gpu"
)

// claim is what a cloud says about a machine, cleaned. An empty region is
// unknown.
type claim struct {
	cloud            cloud
	region, instance string
	words            string // how it is known
	needsGPU         bool   // GPUs are attached to the instance type, not part of it
	gpuName          string
	gpuCount         int
	gpuMemGiB        *float64
}

// claimed returns what the cloud that the firmware names says, or any cloud if
// the firmware names none; false if no instance type is known.
func claimed(f Facts) (claim, bool) {
	known := firmwareCloud(f)
	for _, read := range []struct {
		cloud cloud
		claim func(Facts) claim
	}{{aws, awsClaim}, {gcp, gcpClaim}, {azure, azureClaim}} {
		if known != "" && known != read.cloud {
			continue
		}
		c := read.claim(f)
		if c.instance == "" {
			continue
		}
		c.cloud = read.cloud
		c.gpuName, c.gpuCount = word(f.GPU), f.GPUCount
		if f.GPUMemBytes != nil {
			c.gpuMemGiB = new(*f.GPUMemBytes / (1 << 30))
		}
		return c, true
	}
	return claim{}, false
}

// nitroType matches an EC2 instance type as Nitro's firmware gives it as the product name.
var nitroType = regexp.MustCompile(`^[a-z][a-z0-9-]*\.[a-z0-9-]+$`)

func awsClaim(f Facts) claim {
	var document struct{ InstanceType, Region string }
	if json.Unmarshal([]byte(f.Metadata[AWSDocument]), &document) == nil && document.InstanceType != "" {
		c := claim{instance: word(document.InstanceType), region: word(document.Region)}
		c.words = "AWS says " + c.place()
		return c
	}
	if product := word(f.ProductName); firmwareCloud(f) == aws && nitroType.MatchString(product) {
		return claim{instance: product, words: "Amazon EC2 " + product + " by DMI, region unknown"}
	}
	return claim{}
}

// gcpClaim reads "projects/NUMBER/machineTypes/n1-standard-8" and
// "projects/NUMBER/zones/us-central1-a".
func gcpClaim(f Facts) claim {
	c := claim{instance: word(lastPart(f.Metadata[GCPMachineType]))}
	zone := word(lastPart(f.Metadata[GCPZone]))
	if i := strings.LastIndexByte(zone, '-'); i > 0 {
		c.region = zone[:i]
	}
	c.words = "GCP says " + c.place()
	// GPUs are attached to N1 only; the names of other families include their GPUs.
	if c.needsGPU = f.GPUCount > 0 && strings.HasPrefix(c.instance, "n1-"); c.needsGPU {
		c.words += fmt.Sprintf(" with %d × %s", f.GPUCount, gpu.Canonical(word(f.GPU)))
	}
	return c
}

func azureClaim(f Facts) claim {
	var instance struct {
		Compute struct{ VMSize, Location string }
	}
	if json.Unmarshal([]byte(f.Metadata[AzureInstance]), &instance) != nil {
		return claim{}
	}
	c := claim{instance: word(instance.Compute.VMSize), region: word(instance.Compute.Location)}
	c.words = "Azure says " + c.place()
	return c
}

// place is "p3.2xlarge in us-east-1".
func (c claim) place() string {
	if c.region == "" {
		return c.instance + ", region unknown"
	}
	return c.instance + " in " + c.region
}

// names reports whether the catalog's VM type is the claimed one, in any
// region. The catalog writes Azure's sizes with and without "Standard_", and
// attached GPUs after the machine type: n1-highmem-8+1xV100.
func (c claim) names(vm profile.VMType) bool {
	if !strings.EqualFold(vm.Cloud, string(c.cloud)) {
		return false
	}
	ours, theirs := c.plain(c.instance), c.plain(vm.InstanceType)
	if !c.needsGPU {
		return ours == theirs
	}
	host, _, _ := strings.Cut(theirs, "+")
	return host == ours && c.gpuCount == vm.GPUCount && sameGPU(c.gpuName, c.gpuMemGiB, vm)
}

func (c claim) plain(instance string) string {
	instance = strings.ToLower(instance)
	if c.cloud == azure {
		instance = strings.TrimPrefix(instance, "standard_")
	}
	return instance
}

// sameGPU compares a GPU, by name and memory as the driver reports them, with
// that of a VM type.
func sameGPU(name string, memGiB *float64, vm profile.VMType) bool {
	return gpu.Same(name, vm.GPU) && (memGiB == nil || vm.GPUMemGiB == nil || gpu.SameMemory(*memGiB, *vm.GPUMemGiB))
}

func lastPart(path string) string {
	path = strings.TrimSpace(path)
	return path[strings.LastIndexByte(path, '/')+1:]
}

// word cleans a name from outside; no valid one has a hundred characters.
func word(s string) string { return plaintext.Cut(strings.TrimSpace(plaintext.Clean(s)), 100) }

// cloud is a cloud's name in the catalog; "" is unknown.
type cloud string

const (
	aws   cloud = "aws"
	gcp   cloud = "gcp"
	azure cloud = "azure"
)

// azureTag is the chassis asset tag of every Azure VM. Other VMs of
// Microsoft's hypervisor have the same vendor and product.
const azureTag = "7783-7084-3265-9085-8269-3286-77"

// firmwareCloud is the cloud that the firmware names. EC2's instances on Xen
// (p2, p3, g3) call themselves Xen, but their version, such as 4.11.amazon,
// identifies them.
func firmwareCloud(f Facts) cloud {
	switch {
	case f.SysVendor == "Amazon EC2" || f.BIOSVendor == "Amazon EC2" ||
		strings.HasSuffix(strings.ToLower(f.BIOSVersion), "amazon"):
		return aws
	case strings.HasPrefix(f.ProductName, "Google Compute Engine") ||
		(f.SysVendor == "Google" && f.BIOSVendor == "Google"):
		return gcp
	case f.ChassisAssetTag == azureTag:
		return azure
	}
	return ""
}

// cloudsToAsk are those whose metadata service may be at the link-local
// address: the one the firmware names, all if the firmware cannot be read (a
// container may hide it), none on any other machine.
func cloudsToAsk(f Facts) []cloud {
	if c := firmwareCloud(f); c != "" {
		return []cloud{c}
	}
	if f.SysVendor == "" && f.ProductName == "" && f.BIOSVendor == "" {
		return []cloud{aws, gcp, azure}
	}
	return nil
}
