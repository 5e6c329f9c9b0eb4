package profile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
)

// Prices are what machines outside the catalog cost, in US dollars per hour.
type Prices struct {
	All   *float64   // of those whose GPU has no price of its own; nil is unknown
	ByGPU []GPUPrice // the first that matches holds
}

// GPUPrice is the price of a machine with this GPU in US dollars per hour.
type GPUPrice struct {
	GPU        string
	USDPerHour float64
}

// ParsePrices reads prices as users write them: 0.34 for all machines,
// rtx4090=0.34 by GPU.
func ParsePrices(words []string) (p Prices, err error) {
	for _, word := range words {
		gpu, text, named := strings.Cut(word, "=")
		if !named {
			gpu, text = "", word
		}
		gpu, text = plaintext.Line(gpu, 200), strings.TrimSpace(text)
		if text == "" || named && gpu == "" {
			return p, fmt.Errorf("%s: write a price as 0.34, or rtx4090=0.34", plaintext.Quote(word))
		}
		usd, err := quantity.ParseMoney(text)
		switch {
		case err != nil:
			return p, err
		case named:
			p.ByGPU = append(p.ByGPU, GPUPrice{gpu, usd})
		case p.All != nil:
			return p, errors.New("given twice for all machines; give their GPUs, as in rtx4090=0.34")
		default:
			p.All = &usd
		}
	}
	return p, nil
}

// Of is the price of a machine with this GPU; nil where it is unknown.
func (p Prices) Of(gpu string) *float64 {
	for k := range p.ByGPU {
		if IsGPU(p.ByGPU[k].GPU, gpu) {
			return &p.ByGPU[k].USDPerHour
		}
	}
	return p.All
}

// Unmatched says of every price whose GPU is none of those given that no run has
// such a GPU.
func (p Prices) Unmatched(gpus []string) []string {
	out := []string{}
	for _, price := range p.ByGPU {
		if !slices.ContainsFunc(gpus, func(gpu string) bool { return IsGPU(price.GPU, gpu) }) {
			out = append(out, fmt.Sprintf("%s=%g: no run has such a GPU", plaintext.Line(price.GPU, 60), price.USDPerHour))
		}
	}
	return out
}

// Apply returns the set with these prices in place of those stored with its runs
// on machines outside the catalog. The error names a GPU that none of them has.
func (p Prices) Apply(set *Set) (*Set, error) {
	if p.All == nil && len(p.ByGPU) == 0 {
		return set, nil
	}
	out := *set
	out.Runs = slices.Clone(set.Runs)
	var gpus []string
	for i := range out.Runs {
		r := &out.Runs[i]
		if r.Cloud != "" {
			continue
		}
		gpus = append(gpus, r.GPU)
		if usd := p.Of(r.GPU); usd != nil {
			r.USDPerHour = usd
		}
	}
	if wrong := p.Unmatched(slices.Compact(gpus)); len(wrong) > 0 {
		return nil, fmt.Errorf("%s on a machine outside the catalog: VM types of clouds have the catalog's prices", wrong[0])
	}
	return &out, nil
}
