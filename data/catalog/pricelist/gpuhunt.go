package pricelist

import (
	"strings"

	"sweetspot/data/catalog"
	"sweetspot/data/textfile"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
)

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
