package catalog

import (
	"encoding/csv"
	"io"
	"strconv"

	"sweetspot/engine/profile"
)

// Write writes a catalog CSV with the columns [Columns], one row per price. [Read]
// reads it back.
func Write(w io.Writer, vms []profile.VMType) error {
	rows := csv.NewWriter(w)
	if err := rows.Write(Columns); err != nil {
		return err
	}
	for _, vm := range vms {
		machine := []string{
			vm.Cloud, vm.Region, vm.InstanceType, vm.GPU, strconv.Itoa(vm.GPUCount),
			number(vm.GPUMemGiB), number(vm.VCPUs), number(vm.MemGiB),
		}
		if len(vm.Prices) == 0 {
			if err := rows.Write(append(machine, "", "", "", "")); err != nil {
				return err
			}
		}
		for _, p := range vm.Prices {
			if err := rows.Write(append(machine, string(p.Purchase), number(&p.USDPerHour), p.Source,
				p.AsOf)); err != nil {
				return err
			}
		}
	}
	rows.Flush()
	return rows.Error()
}

func number(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'f', -1, 64)
}
