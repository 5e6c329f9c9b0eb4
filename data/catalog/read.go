package catalog

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
)

// Columns is the layout of a catalog CSV, one row a price. An empty cell is
// unknown; a row with neither purchase nor usd_per_hour names a VM type whose
// price is not known. gpu_mem_gib is per GPU, mem_gib and vcpus per VM.
var Columns = []string{
	"cloud", "region", "instance_type", "gpu", "gpu_count", "gpu_mem_gib", "vcpus", "mem_gib",
	"purchase", "usd_per_hour", "source", "as_of",
}

// Read reads a catalog CSV in the layout of [Columns]. Rows of one VM type
// must agree about it. The result is ordered as [profile.SortVMTypes] does.
func Read(r io.Reader) ([]profile.VMType, error) {
	rows := csv.NewReader(r)
	header, err := rows.Read()
	if err != nil || !slices.Equal(header, Columns) {
		return nil, fmt.Errorf("row 1: a catalog starts with the columns %s", strings.Join(Columns, ","))
	}
	var vms []profile.VMType
	at := map[profile.VMKey]int{}
	for row := 2; ; row++ {
		cells, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", row, err)
		}
		vm, err := vmType(cells)
		if err != nil {
			return nil, fmt.Errorf("row %d, %w", row, err)
		}
		i, seen := at[vm.Key()]
		if !seen {
			at[vm.Key()] = len(vms)
			vms = append(vms, vm)
			continue
		}
		if !sameMachine(vms[i], vm) {
			return nil, fmt.Errorf("row %d: %s differs from an earlier row in more than its price", row, vm.InstanceType)
		}
		vms[i].Prices = append(vms[i].Prices, vm.Prices...)
	}
	profile.SortVMTypes(vms)
	return vms, nil
}

func vmType(cells []string) (profile.VMType, error) {
	for i := range cells {
		cells[i] = strings.TrimSpace(plaintext.Clean(cells[i]))
	}
	vm := profile.VMType{Cloud: cells[0], Region: cells[1], InstanceType: cells[2], GPU: cells[3]}
	if vm.InstanceType == "" {
		return vm, errors.New("column instance_type: is empty")
	}
	n, err := strconv.Atoi(cells[4])
	if err != nil || n < 0 || (n == 0) != (vm.GPU == "") {
		return vm, fmt.Errorf("column gpu_count: %q does not go with GPU %q", cells[4], vm.GPU)
	}
	vm.GPUCount = n
	var price *float64
	for _, f := range []struct {
		column int
		to     **float64
	}{{5, &vm.GPUMemGiB}, {6, &vm.VCPUs}, {7, &vm.MemGiB}, {9, &price}} {
		if *f.to, err = positive(cells[f.column]); err != nil {
			return vm, fmt.Errorf("column %s: %w", Columns[f.column], err)
		}
	}
	purchase := profile.Purchase(cells[8])
	switch {
	case price == nil && purchase == "":
		return vm, nil
	case price == nil:
		return vm, errors.New("column usd_per_hour: is empty beside a purchase option")
	case !slices.Contains(profile.Purchases, purchase):
		return vm, fmt.Errorf("column purchase: %q is none of %v", purchase, profile.Purchases)
	}
	vm.Prices = []profile.Price{{Purchase: purchase, USDPerHour: *price, Source: cells[10], AsOf: cells[11]}}
	return vm, nil
}

// positive reads a finite number above 0, nil for an empty cell.
func positive(cell string) (*float64, error) {
	if cell == "" {
		return nil, nil
	}
	v, err := strconv.ParseFloat(cell, 64)
	if err != nil || !(v > 0) || math.IsInf(v, 0) {
		return nil, fmt.Errorf("%q is not a number above 0", cell)
	}
	return &v, nil
}

func sameMachine(a, b profile.VMType) bool {
	same := func(x, y *float64) bool { return (x == nil) == (y == nil) && (x == nil || *x == *y) }
	return a.GPU == b.GPU && a.GPUCount == b.GPUCount && same(a.GPUMemGiB, b.GPUMemGiB) &&
		same(a.VCPUs, b.VCPUs) && same(a.MemGiB, b.MemGiB)
}
