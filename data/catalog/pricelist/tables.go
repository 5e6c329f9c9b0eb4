package pricelist

import (
	"cmp"
	"regexp"
	"strings"

	"sweetspot/data/catalog"
	"sweetspot/data/textfile"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
)

// wideColumns are the columns of a CSV with one row per VM type and one column
// per purchase option; a date in the source is the date of the price.
var wideColumns = []struct {
	price, source string
	purchase      profile.Purchase
}{
	{"on_demand_usd_h", "price_source", profile.OnDemand},
	{"spot_usd_h", "spot_source", profile.Spot},
	{"reserved_1y_usd_h", "reserved_source", profile.Reserved1Y},
	{"reserved_3y_usd_h", "reserved_source", profile.Reserved3Y},
}

var dateIn = regexp.MustCompile(`\b(20[0-9]{2}(?:-[01][0-9](?:-[0-3][0-9])?)?)\b`)

func readWide(t *textfile.Table, c *collector) error {
	return t.Each(func() error {
		cloud, _ := catalog.CloudName(t.Text("cloud"))
		cloud = cmp.Or(cloud, c.options.Cloud)
		o := offer{
			cloud: cloud, region: t.Text("region"), instance: t.Text("instance_type"), gpu: t.Text("gpu"),
			count:     number(t, "gpu_count"),
			gpuMemGiB: t.Positive("gpu_mem_gib"), vcpus: t.Positive("vcpus"), memGiB: t.Positive("mem_gib"),
		}
		if o.instance == "" {
			return t.Fail("instance_type", "is empty")
		}
		if !c.wanted(&o) {
			return nil
		}
		vm, err := c.vm(&o)
		if err != nil {
			return t.Wrong("%s", err.Error())
		}
		for _, w := range wideColumns {
			usd := catalog.PriceIn(t, w.price)
			if usd == nil {
				continue
			}
			said := t.Text(w.source)
			asOf := dateIn.FindString(said)
			if !catalog.IsDate(asOf) {
				asOf = ""
			}
			source := c.source("")
			if said != "" && said != asOf {
				source = said
			}
			c.dated(vm, w.purchase, *usd, source, asOf)
		}
		return nil
	})
}

// number is a count that may be a fraction, 0 where it is unknown.
func number(t *textfile.Table, column string) float64 {
	if v := t.Positive(column); v != nil {
		return *v
	}
	return 0
}

// readGPUHunt reads gpuhunt's catalog, version 2: one row per offer, spot as
// True or False, gpu_memory in GiB per GPU.
func readGPUHunt(t *textfile.Table, c *collector) error {
	return t.Each(func() error {
		o := offer{
			cloud: c.options.Cloud, region: t.Text("location"), instance: t.Text("instance_name"),
			gpu:   t.Text("gpu_name"),
			count: number(t, "gpu_count"), gpuMemGiB: t.Positive("gpu_memory"), vcpus: t.Positive("cpu"),
			memGiB: t.Positive("memory"),
		}
		if strings.EqualFold(t.Text("gpu_vendor"), "google") {
			o.gpu = "tpu-" + o.gpu
		}
		if o.instance == "" {
			return t.Fail("instance_name", "is empty")
		}
		purchase := profile.OnDemand
		switch spot := strings.ToLower(t.Text("spot")); spot {
		case "true":
			purchase = profile.Spot
		case "false", "":
		default:
			return t.Fail("spot", "%s", plaintext.Quote(spot)+" is not True or False")
		}
		usd := catalog.PriceIn(t, "price")
		if !c.wanted(&o) {
			return nil
		}
		vm, err := c.vm(&o)
		if err != nil {
			return t.Wrong("%s", err.Error())
		}
		c.quote(vm, purchase, usd, "")
		return nil
	})
}
