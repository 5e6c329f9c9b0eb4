// Package identity finds the VM type of a machine in the catalog: from its
// firmware (DMI), from the metadata service of its cloud, and from its GPUs.
package identity

// Facts are what a machine reports about itself, raw: the texts come from
// outside and are cleaned before they are shown. Empty and nil mean unknown.
// Another host sends them as the same JSON.
type Facts struct {
	// DMI: the files of the same names in /sys/class/dmi/id.
	SysVendor       string `json:"sys_vendor"`
	ProductName     string `json:"product_name"`
	BoardAssetTag   string `json:"board_asset_tag"`
	ChassisAssetTag string `json:"chassis_asset_tag"`
	BIOSVendor      string `json:"bios_vendor"`
	BIOSVersion     string `json:"bios_version"`

	// Metadata holds the answers of the cloud's metadata service under the
	// names of the constants below.
	Metadata map[string]string `json:"metadata"`

	GPU         string   `json:"gpu"`           // the first GPU's name as the driver gives it; "" for none
	GPUCount    int      `json:"gpu_count"`     // GPUs of the machine, 0 for none
	GPUMemBytes *float64 `json:"gpu_mem_bytes"` // of the first

	Host string `json:"host"`
	OS   string `json:"os"` // linux/amd64
	CPU  string `json:"cpu"`
	CPUs int    `json:"cpus"`
}

// Names of the answers in [Facts].Metadata.
const (
	// AWSDocument is the JSON of AWS's instance identity document, read with a
	// token (IMDSv2): http://169.254.169.254/latest/dynamic/instance-identity/document.
	AWSDocument = "aws-document"
	// GCPMachineType is "projects/NUMBER/machineTypes/n1-standard-8":
	// http://169.254.169.254/computeMetadata/v1/instance/machine-type.
	GCPMachineType = "gcp-machine-type"
	// GCPZone is "projects/NUMBER/zones/us-central1-a":
	// http://169.254.169.254/computeMetadata/v1/instance/zone.
	GCPZone = "gcp-zone"
	// AzureInstance is the JSON of Azure's instance metadata:
	// http://169.254.169.254/metadata/instance?api-version=2021-02-01.
	AzureInstance = "azure-instance"
)
