package profile

import (
	"fmt"
	"strings"

	"sweetspot/engine/plaintext"
)

// FindVMType returns the VM type that a user calls name: an instance type, or
// cloud/region/type where several regions or clouds have it. Regions of a
// cloud with the same on-demand price are as good as one; the first is taken.
func FindVMType(vms []VMType, name string) (VMType, error) {
	var found []VMType
	for _, v := range vms {
		full := v.Cloud + "/" + v.Region + "/" + v.InstanceType
		if strings.EqualFold(v.InstanceType, name) || strings.EqualFold(full, name) {
			found = append(found, v)
		}
	}
	switch {
	case len(found) == 1 || (len(found) > 1 && sameCloudAndPrice(found)):
		return found[0], nil
	case len(found) == 0:
		return VMType{}, fmt.Errorf("there is no VM type %s in the catalog; give --price for a machine that is in none",
			plaintext.Quote(name))
	}
	var places []string
	for _, v := range found {
		places = append(places, v.Cloud+"/"+v.Region+"/"+v.InstanceType)
	}
	return VMType{}, fmt.Errorf("%s is in several places; name one of %s", plaintext.Quote(name),
		strings.Join(places, ", "))
}

func sameCloudAndPrice(vms []VMType) bool {
	first, known := vms[0].PriceOf(OnDemand)
	for _, v := range vms[1:] {
		price, ok := v.PriceOf(OnDemand)
		if v.Cloud != vms[0].Cloud || !known || !ok || price.USDPerHour != first.USDPerHour {
			return false
		}
	}
	return true
}
