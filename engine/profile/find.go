package profile

import (
	"fmt"
	"strings"
)

// FindVMType returns the VM type that a user calls name: an instance type, or
// cloud/region/type where several regions or clouds have it.
func FindVMType(vms []VMType, name string) (VMType, error) {
	var found []VMType
	for _, v := range vms {
		full := v.Cloud + "/" + v.Region + "/" + v.InstanceType
		if strings.EqualFold(v.InstanceType, name) || strings.EqualFold(full, name) {
			found = append(found, v)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return VMType{}, fmt.Errorf("there is no VM type %q in the catalog; give --price for a machine that is in none", name)
	}
	var places []string
	for _, v := range found {
		places = append(places, v.Cloud+"/"+v.Region+"/"+v.InstanceType)
	}
	return VMType{}, fmt.Errorf("%q is in several places; name one of %s", name, strings.Join(places, ", "))
}
