// Package pricelist reads price lists into catalog entries: SkyPilot's catalog
// (CSV), gpuhunt's catalog version 2 (CSV), Vantage's instances.json, AWS'
// price-list offer files (JSON and CSV), and your own CSV files with one row
// per price or per VM type. Each may be compressed with gzip. The file that
// reads a format documents it.
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
