// Package pricelist reads the price lists of others into catalog entries:
// SkyPilot's catalog (CSV), gpuhunt's catalog version 2 (CSV), Vantage's
// instances.json, AWS' price-list offer files (JSON and CSV), and CSV files of
// one's own with a row a price or a row a VM type. Each may be compressed with
// gzip. doc of each format: the file that reads it.
package pricelist

import (
	"fmt"
	"slices"
	"strings"

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

// Formats lists them in the order they are offered.
var Formats = []Format{Auto, SkyPilot, GPUHunt, Vantage, AWS, Own}

var titles = map[Format]string{
	SkyPilot: "SkyPilot catalog", GPUHunt: "gpuhunt catalog", Vantage: "Vantage instances", AWS: "AWS price list", Own: "CSV of your own",
}

// Title is the format's name in a sentence.
func (f Format) Title() string { return titles[f] }

// ParseFormat reads a --format flag.
func ParseFormat(s string) (Format, error) {
	f := Format(strings.ToLower(s))
	if !slices.Contains(Formats, f) {
		return "", fmt.Errorf("%s is none of %v", plaintext.Quote(s), Formats)
	}
	return f, nil
}

// Options say what a file leaves open and what of it is wanted.
type Options struct {
	Format   Format
	Cloud    string   // of a file that names none
	Source   string   // of its prices, where the file names none; "" for the format and Name
	Name     string   // of the file
	AsOf     string   // date of its prices, over the file's own; but not over that of a row
	Fallback string   // date of its prices where neither AsOf nor the file says one
	Regions  []string // all if empty
	All      bool     // also VM types without a GPU
}

// List is what a file holds.
type List struct {
	VMTypes []profile.VMType // each once, ordered as [profile.SortVMTypes] does
	Format  Format
	Notes   []string // a sentence each on what was left out, joined or assumed
	Dated   bool     // prices have a date that the file or the user gave
}

// Limits beside those of [sweetspot/data/catalog].
const (
	MaxVMTypes   = 200_000
	maxItemBytes = 16 << 20 // one entry of a JSON list
)
