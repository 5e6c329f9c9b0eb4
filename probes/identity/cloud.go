package identity

import "strings"

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
