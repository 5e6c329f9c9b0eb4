package catalog

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"sweetspot/data/textfile"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

// Limits on the input, so that a wrong file causes an error message instead of
// exhausting memory.
const (
	maxRows = 2_000_000
	MaxUSD  = 1e5 // an hour of a VM
)

// NewTable returns a table of VM types whose header is still to be read.
func NewTable(text io.Reader) *textfile.Table {
	t := textfile.NewTable(text)
	t.MaxRows = maxRows
	return t
}

// figure is a cell's number above 0, nil if the cell is empty.
func figure(t *textfile.Table, column string) *float64 {
	v := t.Number(column)
	if v != nil && *v <= 0 {
		_ = t.Fail(column, "%g is not a number above 0", *v)
	}
	return v
}

// PriceIn is a cell's US dollars per hour, or nil if it is empty or 0, with which
// price lists mark missing offers.
func PriceIn(t *textfile.Table, column string) *float64 {
	v, err := Dollars(t.Raw(column))
	if err != nil {
		_ = t.Fail(column, "%s", err.Error())
	}
	return v
}

// Dollars reads US dollars per hour; nil if there is no price.
func Dollars(s string) (*float64, error) {
	s = strings.TrimPrefix(strings.TrimSpace(s), "$")
	switch strings.ToLower(s) {
	case "", "n/a", "na", "nan", "none", "null", "-":
		return nil, nil
	}
	v, ok := textfile.Decimal(s)
	switch {
	case !ok || v < 0:
		return nil, fmt.Errorf("%s is not a price; write US dollars per hour, or leave it empty", plaintext.Quote(s))
	case v > MaxUSD:
		return nil, fmt.Errorf("%s is above %s dollars per hour", plaintext.Quote(s), quantity.Count(MaxUSD))
	case v == 0:
		return nil, nil
	}
	return &v, nil
}

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
	return plaintext.Optional(v, "", func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) })
}

// Join merges catalogs in order of precedence, the highest first. If several
// contain a VM type, the first defines it, and the first with a price for a
// purchase option sets that price, even if it is older. Unknown values are
// filled in from the others if these mean the same GPUs.
func Join(layers ...[]profile.VMType) []profile.VMType { return join(under, layers...) }

// join merges lists; of a VM type in several, both says what becomes of the
// earlier entry with the later one.
func join(both func(earlier, later profile.VMType) profile.VMType, lists ...[]profile.VMType) []profile.VMType {
	var out []profile.VMType
	at := map[profile.VMKey]int{}
	for _, vm := range slices.Concat(lists...) {
		i, seen := at[vm.Key()]
		if seen {
			out[i] = both(out[i], vm)
			continue
		}
		at[vm.Key()] = len(out)
		out = append(out, vm)
	}
	profile.SortVMTypes(out)
	return out
}

// under returns strong, completed by what only weak knows.
func under(strong, weak profile.VMType) profile.VMType {
	if strong.GPU == weak.GPU && strong.GPUCount == weak.GPUCount {
		strong.GPUMemGiB = cmp.Or(strong.GPUMemGiB, weak.GPUMemGiB)
		strong.VCPUs, strong.MemGiB = cmp.Or(strong.VCPUs, weak.VCPUs), cmp.Or(strong.MemGiB, weak.MemGiB)
	}
	prices := slices.Clone(strong.Prices)
	for _, p := range weak.Prices {
		if _, quoted := strong.PriceOf(p.Purchase); !quoted {
			prices = append(prices, p)
		}
	}
	strong.Prices = prices
	return strong
}

// Update merges a new import into earlier ones: its VM types replace theirs,
// and its prices replace those from the same source.
func Update(earlier, imported []profile.VMType) []profile.VMType {
	return join(func(vm, old profile.VMType) profile.VMType {
		prices := slices.Clone(vm.Prices)
		for _, p := range old.Prices {
			if !slices.ContainsFunc(prices, func(q profile.Price) bool {
				return q.Purchase == p.Purchase && (q.Source == p.Source || q.AsOf == p.AsOf)
			}) {
				prices = append(prices, p)
			}
		}
		vm.Prices = prices
		return vm
	}, imported, earlier)
}
