package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sweetspot/data/catalog"
	"sweetspot/data/catalog/listing"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
)

func newCatalogCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "catalog",
		Short: "List VM types and prices, import price lists, compare catalogs",
		Long: "The catalog holds the VM types of the studies and the GPU VM types of five clouds. What you import is\n" +
			"added on top (catalog.csv next to your database), and your own entries come first (catalog-own.csv, unchanged).",
		Example: "  sweetspot catalog list --gpu A100:80GB:1..8\n  sweetspot catalog show p3.2xlarge\n" +
			"  sweetspot catalog import catalogs/v8/aws/vms.csv --as-of 2026-10-01\n" +
			"  sweetspot catalog diff built-in imported --cloud aws",
		Args: rejectUnknown,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newCatalogListCommand(), newCatalogShowCommand(), newCatalogImportCommand(), newCatalogDiffCommand())
	return cmd
}

// catalogFilter selects VM types of a catalog.
type catalogFilter struct {
	gpus, clouds, regions []string
}

func (f *catalogFilter) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringArrayVar(&f.gpus, "gpu", nil, "only VM types with these GPUs, as name:memory:count: A100:80GB:1..8, "+
		"h100, 24GB.., T4:4.. (may be repeated)")
	fl.StringSliceVar(&f.clouds, "cloud", nil, "only these clouds")
	fl.StringSliceVar(&f.regions, "region", nil, "only these regions")
	_ = cmd.RegisterFlagCompletionFunc("gpu", completeGPUs)
	_ = cmd.RegisterFlagCompletionFunc("cloud", completeClouds)
}

// pick returns a function that reports whether a VM type is selected.
func (f *catalogFilter) pick() (func(profile.VMType) bool, error) {
	var gpus []catalog.Filter
	for _, text := range f.gpus {
		for one := range strings.SplitSeq(text, ",") {
			g, err := catalog.ParseFilter(one)
			if err != nil {
				return nil, usageError("--gpu %w", err)
			}
			gpus = append(gpus, g)
		}
	}
	clouds := make([]string, len(f.clouds))
	for i, c := range f.clouds {
		clouds[i], _ = catalog.CloudName(c)
	}
	return func(vm profile.VMType) bool {
		return catalog.MatchesAny(gpus, vm) && (len(clouds) == 0 || slices.Contains(clouds, vm.Cloud)) &&
			(len(f.regions) == 0 || slices.Contains(f.regions, vm.Region))
	}, nil
}

// catalogSet is the catalog as every other command sees it.
func catalogSet(cmd *cobra.Command) (*profile.Set, error) {
	set, err := loaded(cmd)
	if err != nil {
		return nil, err
	}
	return &profile.Set{VMTypes: slices.Clone(set.VMTypes), GPUs: set.GPUs}, nil
}

func newCatalogListCommand() *cobra.Command {
	var filter catalogFilter
	var sort string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List VM types with their GPUs and prices; old prices show their age",
		Example: "  sweetspot catalog list --gpu h100 --json\n" +
			"  sweetspot catalog list --gpu A100:80GB:1..8 --cloud aws,gcp --sort gpu-price",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			wanted, err := filter.pick()
			if err != nil {
				return err
			}
			if !slices.Contains(catalogSorts, sort) {
				return usageError("--sort %s is not one of %s", plaintext.Quote(sort), strings.Join(catalogSorts, ", "))
			}
			set, err := catalogSet(cmd)
			if err != nil {
				return err
			}
			vms := slices.DeleteFunc(set.VMTypes, func(vm profile.VMType) bool { return !wanted(vm) })
			sortVMTypes(vms, sort)
			if wantsJSON(cmd) {
				return printJSON(cmd.OutOrStdout(), listing.New("list", vms, time.Now(), nil))
			}
			if len(vms) == 0 {
				fmt.Fprintln(cmd.OutOrStdout(), "No VM type matches; sweetspot catalog list without flags lists all of them.")
				return nil
			}
			return listing.WriteTable(cmd.OutOrStdout(), vms, time.Now())
		},
	}
	filter.register(cmd)
	cmd.Flags().StringVar(&sort, "sort", catalogSorts[0], "order by name, price (on demand, per hour) or gpu-price "+
		"(per GPU and hour)")
	completeWords(cmd, "sort", catalogSorts)
	return cmd
}

var catalogSorts = []string{"name", "price", "gpu-price"}

// sortVMTypes orders by price, VM types without one last; they are already ordered by name.
func sortVMTypes(vms []profile.VMType, by string) {
	if by == catalogSorts[0] {
		return
	}
	price := func(vm profile.VMType) float64 {
		p, ok := vm.PriceOf(profile.OnDemand)
		switch {
		case !ok || by == "gpu-price" && vm.GPUCount == 0:
			return math.Inf(1)
		case by == "gpu-price":
			return p.USDPerHour / float64(vm.GPUCount)
		}
		return p.USDPerHour
	}
	slices.SortStableFunc(vms, func(a, b profile.VMType) int { return cmp.Compare(price(a), price(b)) })
}

func newCatalogShowCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show TYPE",
		Short: "Show everything known about a VM type: its GPU's data sheet, every price with source, date " +
			"and age",
		Example:           "  sweetspot catalog show p3.2xlarge\n  sweetspot catalog show aws/us-east-1/p3.2xlarge --json",
		Args:              arguments(1, "one VM type; sweetspot catalog list shows them"),
		ValidArgsFunction: completeVMTypes,
		RunE: func(cmd *cobra.Command, args []string) error {
			set, err := catalogSet(cmd)
			if err != nil {
				return err
			}
			found := slices.DeleteFunc(slices.Clone(set.VMTypes), func(vm profile.VMType) bool { return !isCalled(vm, args[0]) })
			if len(found) == 0 {
				return fmt.Errorf("there is no VM type %s in the catalog%s", plaintext.Quote(args[0]),
					similar(set.VMTypes, args[0]))
			}
			if wantsJSON(cmd) {
				return printJSON(cmd.OutOrStdout(), listing.New("show", found, time.Now(), nil))
			}
			for _, vm := range found {
				if err := listing.WriteEntry(cmd.OutOrStdout(), vm, set, time.Now()); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// isCalled reports whether name is an instance type, or cloud/region/type or
// cloud/type.
func isCalled(vm profile.VMType, name string) bool {
	return slices.ContainsFunc([]string{vm.InstanceType, vm.Cloud + "/" + vm.Region + "/" + vm.InstanceType,
		vm.Cloud + "/" + vm.InstanceType}, func(own string) bool { return strings.EqualFold(own, name) })
}

// similar suggests a few VM types.
func similar(vms []profile.VMType, name string) string {
	family, _, _ := strings.Cut(strings.ToLower(name), ".")
	var names []string
	for _, vm := range vms {
		own := strings.ToLower(vm.InstanceType)
		if len(names) < 5 && len(family) > 1 && strings.Contains(own, family) && !slices.Contains(names, vm.InstanceType) {
			names = append(names, vm.InstanceType)
		}
	}
	if len(names) == 0 {
		return "; sweetspot catalog list lists them"
	}
	return "; there is " + strings.Join(names, ", ")
}
