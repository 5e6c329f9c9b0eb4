package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sweetspot/data/catalog"
	"sweetspot/data/catalog/listing"
	"sweetspot/data/catalog/pricelist"
	"sweetspot/data/textfile"
	"sweetspot/data/workspace"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

// catalogImportFlags are the flags of a catalog import.
type catalogImportFlags struct {
	format, cloud, source, asOf string
	filter                      catalogFilter
	all, dry                    bool
}

func newCatalogImportCommand() *cobra.Command {
	var f catalogImportFlags
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Import a price list: SkyPilot, gpuhunt, Vantage, AWS offer files, or your own CSV",
		Long: "import reads a price list, plain or compressed with gzip, and adds its VM types and prices to your\n" +
			"catalog. It replaces what the same source said before. Your catalog-own.csv takes precedence and never changes.",
		Example: "  sweetspot catalog import catalogs/v8/aws/vms.csv --as-of 2026-10-01\n" +
			"  sweetspot catalog import instances.json --region us-east-1,us-west-2 --gpu V100,A100,H100\n" +
			"  sweetspot catalog import prices.csv --dry-run --json",
		Args: arguments(1, "one file: the price list to import"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if database(cmd) != "" {
				return usageError("--db has no effect on a price list: all databases share one catalog; leave it out")
			}
			list, err := f.read(args[0])
			if err != nil {
				return err
			}
			files, err := workspace.CatalogFiles()
			if err != nil {
				return err
			}
			imported := &listing.Import{Format: string(list.Format), File: plaintext.Clean(args[0])}
			if !f.dry {
				if err := files.Keep(list.VMTypes); err != nil {
					return err
				}
				imported.Kept = &files.Imported
			}
			if wantsJSON(cmd) {
				doc := listing.New("import", list.VMTypes, time.Now(), list.Notes)
				doc.Import = imported
				return printJSON(cmd.OutOrStdout(), doc)
			}
			return f.say(cmd.OutOrStdout(), list, files.Imported)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.format, "format", string(pricelist.Auto), "format of the file: auto, skypilot, gpuhunt, "+
		"vantage, aws, or csv for your own")
	fl.StringVar(&f.cloud, "cloud", "", "cloud of the prices if the file does not say (default: by the file's name, "+
		"as in aws/vms.csv)")
	fl.StringVar(&f.source, "source", "", "source to record with each price (default: the format and the file's name)")
	fl.StringVar(&f.asOf, "as-of", "", "date of the prices, a day, month or year such as 2026-10-01 (default: as "+
		"the file says, else its modification time)")
	fl.StringArrayVar(&f.filter.gpus, "gpu", nil, "only VM types with these GPUs, as name:memory:count, for example "+
		"A100:80GB:1..8")
	fl.StringSliceVar(&f.filter.regions, "region", nil, "only these regions")
	fl.BoolVar(&f.all, "all", false, "also VM types without a GPU")
	fl.BoolVar(&f.dry, "dry-run", false, "report what would be imported without importing it")
	completeWords(cmd, "format", pricelist.Formats)
	_ = cmd.RegisterFlagCompletionFunc("cloud", completeClouds)
	_ = cmd.RegisterFlagCompletionFunc("gpu", completeGPUs)
	return cmd
}

// read reads the file as the flags say.
func (f *catalogImportFlags) read(path string) (*pricelist.List, error) {
	format, err := pricelist.ParseFormat(f.format)
	if err != nil {
		return nil, usageError("--format %w", err)
	}
	switch today := time.Now().Format(time.DateOnly); {
	case f.asOf != "" && !catalog.IsDate(f.asOf):
		return nil, usageError("--as-of %s is not a date; write 2026-02-28, 2026-02 or 2026", plaintext.Quote(f.asOf))
	case f.asOf > today:
		return nil, usageError("--as-of %s is in the future: such prices would never be replaced", f.asOf)
	}
	wanted, err := f.filter.pick()
	if err != nil {
		return nil, err
	}
	list, err := readPriceList(path, pricelist.Options{
		Format: format, Cloud: f.cloud, Source: plaintext.Line(f.source, 200), AsOf: f.asOf,
		Regions: f.filter.regions, All: f.all,
	})
	if err != nil {
		return nil, err
	}
	all := len(list.VMTypes)
	list.VMTypes = slices.DeleteFunc(list.VMTypes, func(vm profile.VMType) bool { return !wanted(vm) })
	if len(list.VMTypes) == 0 {
		return nil, fmt.Errorf("none of the %[2]d VM types in %[1]s matches", plaintext.Clean(path), all)
	}
	return list, nil
}

// say prints what was imported.
func (f *catalogImportFlags) say(w io.Writer, list *pricelist.List, kept string) error {
	prices := 0
	for _, vm := range list.VMTypes {
		prices += len(vm.Prices)
	}
	verb, where := "imported", " into "+plaintext.Clean(kept)
	if f.dry {
		verb, where = "would import", ""
	}
	fmt.Fprintf(w, "%s %s with %s from a %s%s\n", verb, quantity.Several(len(list.VMTypes), "VM type"),
		quantity.Several(prices, "price"), list.Format.Title(), where)
	for _, note := range list.Notes {
		fmt.Fprintln(w, "  "+note)
	}
	return nil
}

// readPriceList opens a price list. Missing options follow from the file's name
// and date.
func readPriceList(path string, o pricelist.Options) (*pricelist.List, error) {
	file, err := textfile.OpenFile(path)
	if err != nil {
		return nil, fmt.Errorf("the price list cannot be read: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	o.Fallback, o.Name = info.ModTime().Format(time.DateOnly), plaintext.Line(filepath.Base(path), 60)
	o.Cloud = cmp.Or(o.Cloud, cloudOfPath(path))
	list, err := pricelist.Read(file, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", plaintext.Clean(path), err)
	}
	if !list.Dated {
		list.Notes = append(list.Notes, "prices without a date get the date "+o.Fallback+
			", the file's modification time; give --as-of if they are older")
	}
	return list, nil
}

// cloudOfPath is the cloud that a file or its folder is named after, as in
// gcp.csv and aws/vms.csv; "" if neither is a cloud.
func cloudOfPath(path string) string {
	whole, err := filepath.Abs(path)
	if err != nil {
		return ""
	}
	stem, _, _ := strings.Cut(filepath.Base(whole), ".")
	for _, name := range []string{stem, filepath.Base(filepath.Dir(whole))} {
		if cloud, sure := catalog.CloudName(name); sure {
			return cloud
		}
	}
	return ""
}

func newCatalogDiffCommand() *cobra.Command {
	var filter catalogFilter
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Compare two catalogs: price lists, or built-in, imported, own, catalog (all three together)",
		Example: "  sweetspot catalog diff built-in imported --cloud aws\n" +
			"  sweetspot catalog diff vms-september.csv vms-october.csv --cloud aws --gpu H100",
		Args: arguments(2, "two catalogs: price lists, or built-in, imported, own or catalog"),
		RunE: func(cmd *cobra.Command, args []string) error {
			wanted, err := filter.pick()
			if err != nil {
				return err
			}
			var sides [2][]profile.VMType
			var notes []string
			for i, name := range args {
				var more []string
				if sides[i], more, err = filter.side(cmd, name); err != nil {
					return err
				}
				sides[i] = slices.DeleteFunc(slices.Clone(sides[i]), func(vm profile.VMType) bool { return !wanted(vm) })
				notes = append(notes, more...)
			}
			d := catalog.Diff(sides[0], sides[1])
			from, to := plaintext.Clean(args[0]), plaintext.Clean(args[1])
			if wantsJSON(cmd) {
				return printJSON(cmd.OutOrStdout(), listing.NewChanges(d, from, to, time.Now(), notes))
			}
			return listing.WriteChanges(cmd.OutOrStdout(), d, from, to)
		},
		ValidArgs: []string{"built-in", "imported", "own", "catalog"},
	}
	filter.register(cmd)
	return cmd
}

// side is one of the compared catalogs, given by name or as a file.
func (f *catalogFilter) side(cmd *cobra.Command, name string) ([]profile.VMType, []string, error) {
	files, err := workspace.CatalogFiles()
	if err != nil {
		return nil, nil, err
	}
	var vms []profile.VMType
	switch name {
	case "built-in":
		return catalog.Market(), nil, nil
	case "imported":
		vms, err = catalog.ReadFile(files.Imported)
	case "own":
		vms, err = catalog.ReadFile(files.Own)
	case "catalog":
		set, err := catalogSet(cmd)
		if err != nil {
			return nil, nil, err
		}
		return set.VMTypes, nil, nil
	default:
		o := pricelist.Options{All: true}
		if len(f.clouds) == 1 {
			o.Cloud = f.clouds[0]
		}
		list, err := readPriceList(name, o)
		if err != nil {
			return nil, nil, err
		}
		return list.VMTypes, list.Notes, nil
	}
	if err == nil && len(vms) == 0 {
		err = errors.New("there is nothing " + name + " yet: sweetspot catalog import adds a price list; write your " +
			"own entries to catalog-own.csv")
	}
	return vms, nil, err
}
