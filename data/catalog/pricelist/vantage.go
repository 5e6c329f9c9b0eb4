package pricelist

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"sweetspot/data/catalog"
	"sweetspot/data/textfile"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
)

// instance is an entry of Vantage's instances.json. Its prices are strings; those
// of reservations are effective, upfront payments spread over the term.
type instance struct {
	Type      string                                `json:"instance_type"`
	VCPU      loose                                 `json:"vCPU"`
	Memory    loose                                 `json:"memory"`
	GPU       loose                                 `json:"GPU"`
	GPUModel  *string                               `json:"GPU_model"`
	GPUMemory loose                                 `json:"GPU_memory"` // GiB of all together
	Pricing   map[string]map[string]json.RawMessage `json:"pricing"`    // by region and system
}

// system is a region's prices of one operating system.
type system struct {
	OnDemand loose            `json:"ondemand"`
	SpotAvg  loose            `json:"spot_avg"`
	Reserved map[string]loose `json:"reserved"`
}

func readVantage(text io.Reader, c *collector) error {
	list := textfile.NewItems(text, "entry", maxItemBytes)
	if err := list.Enter('['); err != nil {
		return err
	}
	for list.More() {
		var i instance
		if err := list.Next(&i); err != nil {
			return err
		}
		if err := i.add(c); err != nil {
			return list.Wrong("%s", err.Error())
		}
	}
	return list.Leave() // without the closing bracket the file is cut off
}

// readInstance reads a file that is a single entry.
func readInstance(text io.Reader, c *collector) error {
	list := textfile.NewItems(text, "entry", maxItemBytes)
	var i instance
	if err := list.Next(&i); err != nil {
		return err
	}
	if i.Type == "" || len(i.Pricing) == 0 {
		return fmt.Errorf("the file is a JSON object without instance_type and pricing; Vantage's list is an array of " +
			"objects with both")
	}
	if err := i.add(c); err != nil {
		return list.Wrong("%s", err.Error())
	}
	return nil
}

func (i *instance) add(c *collector) error {
	name := textfile.Text(i.Type)
	if name == "" {
		return fmt.Errorf("instance_type is empty; is this Vantage's instances.json?")
	}
	o := offer{cloud: "aws", instance: name, count: i.GPU.number(), vcpus: i.VCPU.positive(), memGiB: i.Memory.positive()}
	if o.count > 0 {
		if i.GPUModel != nil {
			o.gpu = textfile.Text(*i.GPUModel)
		}
		if gpu, _ := awsGPU(name); o.gpu == "" {
			o.gpu = gpu
		}
		if total := i.GPUMemory.number(); total > 0 {
			o.gpuMemGiB = new(total / o.count)
			// A K80 board is two GPUs, and a VM shows two.
			if strings.HasSuffix(o.gpu, "K80") && *o.gpuMemGiB > 20 {
				o.count, o.gpuMemGiB = 2*o.count, new(*o.gpuMemGiB/2)
			}
		}
	}
	for region, systems := range i.Pricing {
		if err := i.sell(c, o, textfile.Text(region), systems["linux"]); err != nil {
			return err
		}
	}
	return nil
}

// sell adds the prices of a region.
func (i *instance) sell(c *collector, o offer, region string, linux json.RawMessage) error {
	var s system
	if o.region = region; len(linux) == 0 || !c.wanted(&o) {
		return nil
	}
	if err := json.Unmarshal(linux, &s); err != nil {
		return fmt.Errorf("the prices of %s in %s cannot be read", plaintext.Quote(o.instance), plaintext.Quote(region))
	}
	vm, err := c.vm(&o)
	if err != nil {
		return err
	}
	for _, p := range []struct {
		purchase profile.Purchase
		text     loose
		detail   string
	}{{profile.OnDemand, s.OnDemand, ""}, {profile.Spot, s.SpotAvg, "average of its zones"}} {
		usd, err := catalog.Dollars(string(p.text))
		if err != nil {
			return fmt.Errorf("%s in %s, %s: %w", o.instance, region, p.purchase, err)
		}
		if list := s.OnDemand.number(); p.purchase == profile.Spot && usd != nil && list > 0 && *usd >= list {
			c.copied++
			continue
		}
		c.quote(vm, p.purchase, usd, p.detail)
	}
	for _, t := range terms {
		for _, pay := range upfronts {
			usd, err := catalog.Dollars(string(s.Reserved[t.vantage+"."+pay.vantage]))
			if err != nil {
				return fmt.Errorf("%s in %s, %s: %w", o.instance, region, t.purchase, err)
			}
			if usd != nil {
				c.quote(vm, t.purchase, usd, "standard, "+pay.words)
				break
			}
		}
	}
	return nil
}

// terms are the reservations to keep: the standard ones.
var terms = []struct {
	purchase     profile.Purchase
	vantage, aws string
	years        float64
}{{profile.Reserved1Y, "yrTerm1Standard", "1yr", 1}, {profile.Reserved3Y, "yrTerm3Standard", "3yr", 3}}

// upfronts are the payment options of a reservation, of which the first
// available counts: no upfront payment compares best with the other purchase
// options.
var upfronts = []struct{ vantage, aws, words string }{
	{"noUpfront", "no upfront", "no upfront"}, {"partialUpfront", "partial upfront", "partial upfront"},
	{"allUpfront", "all upfront", "all upfront"},
}

// loose is a number that a file writes as a number, a string or null. Anything
// else, and N/A, is empty.
type loose string

func (l *loose) UnmarshalJSON(b []byte) error {
	b = bytes.TrimSpace(b)
	switch {
	case len(b) == 0 || bytes.Equal(b, []byte("null")) || b[0] == '{' || b[0] == '[' || b[0] == 't' || b[0] == 'f':
		*l = ""
	case b[0] == '"':
		var s string
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
		*l = loose(s)
	default:
		*l = loose(b)
	}
	return nil
}

func (l loose) number() float64 {
	v, err := strconv.ParseFloat(strings.TrimSpace(string(l)), 64)
	if err != nil || !(v >= 0) || v > 1e9 {
		return 0
	}
	return v
}

func (l loose) positive() *float64 {
	if v := l.number(); v > 0 {
		return &v
	}
	return nil
}
