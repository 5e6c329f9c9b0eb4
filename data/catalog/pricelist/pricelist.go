// Package pricelist reads price lists into catalog entries: SkyPilot's catalog
// (CSV), gpuhunt's catalog version 2 (CSV), Vantage's instances.json, AWS'
// price-list offer files (JSON and CSV), and your own CSV files with one row
// per price or per VM type. Each may be compressed with gzip. The file that
// reads a format documents it.
package pricelist

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"sweetspot/data/catalog"
	"sweetspot/data/textfile"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
)

// Format is a kind of price list, as --format names it.
type Format string

// The formats. Auto recognises the others by their content.
const (
	Auto     Format = "auto"
	SkyPilot Format = "skypilot"
	GPUHunt  Format = "gpuhunt"
	Vantage  Format = "vantage"
	AWS      Format = "aws"
	Own      Format = "csv"
)

// Formats lists the formats in the order they are offered.
var Formats = []Format{Auto, SkyPilot, GPUHunt, Vantage, AWS, Own}

var titles = map[Format]string{
	SkyPilot: "SkyPilot catalog", GPUHunt: "gpuhunt catalog", Vantage: "Vantage instances", AWS: "AWS price list",
	Own: "your own CSV",
}

// Title is the format's name in a sentence.
func (f Format) Title() string { return titles[f] }

// ParseFormat reads a --format flag.
func ParseFormat(s string) (Format, error) {
	f := Format(strings.ToLower(s))
	if !slices.Contains(Formats, f) {
		return "", fmt.Errorf("%s is not one of %v", plaintext.Quote(s), Formats)
	}
	return f, nil
}

// Options supply what a file does not say, and select what to read.
type Options struct {
	Format   Format
	Cloud    string   // of a file that does not name one
	Source   string   // of its prices, where the file names none; "" for the format and Name
	Name     string   // of the file
	AsOf     string   // date of its prices; overrides the file's date, but not that of a row
	Fallback string   // date of its prices if neither AsOf nor the file has one
	Regions  []string // all if empty
	All      bool     // also VM types without a GPU
}

// List is the content of a file.
type List struct {
	VMTypes []profile.VMType // each once, ordered as [profile.SortVMTypes] does
	Format  Format
	Notes   []string // sentences on what was left out, merged or assumed
	Dated   bool     // the file or the user gave the date of the prices
}

// Limits in addition to those of [sweetspot/data/catalog].
const (
	MaxVMTypes   = 200_000
	maxItemBytes = 16 << 20 // one entry of a JSON list
)

// sniffLen is the number of bytes used to recognise the format.
const sniffLen = 4096

// Read reads a price list. Errors about the content are of type
// [*textfile.Error], or a sentence about the file as a whole.
func Read(r io.Reader, o Options) (*List, error) {
	o.Cloud, _ = catalog.CloudName(o.Cloud)
	text := textfile.Open(r)
	head, err := text.Peek(sniffLen)
	if err != nil && !errors.Is(err, io.EOF) && len(head) == 0 {
		return nil, err
	}
	start := bytes.TrimSpace(head)
	switch {
	case len(start) == 0:
		return nil, errors.New("the file is empty")
	case bytes.IndexByte(head, 0) >= 0:
		return nil, errors.New("the file is not text; a price list is CSV or JSON in UTF-8, plain or compressed with gzip")
	case start[0] == '<':
		return nil, errors.New("the file is a web page, not a price list; download the raw file")
	case start[0] == '[':
		return readAs(Vantage, o, func(c *collector) error { return readVantage(text, c) })
	case start[0] == '{' && (bytes.Contains(head, []byte(`"offerCode"`)) ||
		bytes.Contains(head, []byte(`"formatVersion"`))):
		return readAs(AWS, o, func(c *collector) error { return readOffers(text, c) })
	case start[0] == '{':
		return readAs(Vantage, o, func(c *collector) error { return readInstance(text, c) })
	}
	return readTable(text, head, o)
}

func readAs(f Format, o Options, read func(*collector) error) (*List, error) {
	if o.Cloud == "" && (f == SkyPilot || f == GPUHunt) {
		return nil, fmt.Errorf("a %s does not say which cloud it is for: give --cloud, as in --cloud aws", f.Title())
	}
	if o.Format != "" && o.Format != Auto && o.Format != f {
		return nil, fmt.Errorf("the format of the file is not %s but %s; leave out --format", o.Format.Title(), f.Title())
	}
	o.Source = cmp.Or(o.Source, strings.TrimSpace(f.Title()+" "+o.Name))
	c := newCollector(o)
	if err := read(c); err != nil {
		return nil, err
	}
	return c.finish(f)
}

// readTable reads the CSV formats, which it recognises by their columns.
func readTable(text io.Reader, head []byte, o Options) (*List, error) {
	t, begins := catalog.NewTable(text), ""
	if line, _, _ := bytes.Cut(head, []byte("\n")); bytes.Contains(line, []byte("FormatVersion")) {
		begins = "SKU" // the offer file's own five rows come before its header
	}
	if err := t.Header("a price list", begins); err != nil {
		return nil, err
	}
	switch {
	case begins != "" && t.Has("SKU", "TermType", "PricePerUnit", "Instance Type"):
		return readAs(AWS, o, func(c *collector) error { return readOfferTable(t, c) })
	case t.Has("InstanceType", "AcceleratorName", "AcceleratorCount", "Price"):
		return readAs(SkyPilot, o, func(c *collector) error { return readSkyPilot(t, c) })
	case t.Has("instance_name", "location", "price", "gpu_name"):
		return readAs(GPUHunt, o, func(c *collector) error { return readGPUHunt(t, c) })
	case catalog.IsCatalog(t):
		return readAs(Own, o, func(c *collector) error { return readOwn(t, c) })
	case t.Has("instance_type", "gpu", "gpu_count") && t.Has(wideColumns[0].price):
		return readAs(Own, o, func(c *collector) error { return readWide(t, c) })
	}
	return nil, textfile.Wrong(t.Row(), "the columns %s match no known price list; known are SkyPilot's, gpuhunt's, "+
		"AWS's and one with %s", t.Listed(), strings.Join(catalog.Columns, ","))
}

// readOwn reads a CSV in the catalog's own layout.
func readOwn(t *textfile.Table, c *collector) error {
	vms, err := catalog.ReadRows(t)
	if err != nil {
		return err
	}
	for _, vm := range vms {
		o := offer{vm.Cloud, vm.Region, vm.InstanceType, vm.GPU, float64(vm.GPUCount), vm.GPUMemGiB, vm.VCPUs, vm.MemGiB}
		if !c.wanted(&o) {
			continue
		}
		to, err := c.vm(&o)
		if err != nil {
			return err
		}
		for _, p := range vm.Prices {
			p.Source = cmp.Or(p.Source, c.source(""))
			if p.AsOf == "" {
				p.AsOf = c.date()
			}
			to.Prices = append(to.Prices, p)
		}
	}
	return nil
}
