package pricelist

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"sweetspot/data/catalog"
	"sweetspot/data/textfile"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
)

// offerFile combines what an AWS offer file says about a VM type in several
// places: its hardware among the products, its prices among the terms.
type offerFile struct {
	c        *collector
	products map[string]product     // by SKU; only those wanted
	reserved map[string]reservation // by SKU, term and payment option
	order    []string               // keys of reserved
}

// product is a VM type in a region. Those kept have Linux without licensed software
// and shared hosts.
type product struct {
	Family     string            `json:"productFamily"`
	Attributes map[string]string `json:"attributes"`
}

// reservation holds the payments of one reservation option of a VM type.
type reservation struct {
	sku             string
	purchase        profile.Purchase
	years           float64
	payment         int // index into [upfronts]
	upfront, hourly float64
}

// readOffers reads the JSON form.
func readOffers(text io.Reader, c *collector) error {
	f := &offerFile{c: c, products: map[string]product{}, reserved: map[string]reservation{}}
	in := textfile.NewItems(text, "entry", maxItemBytes)
	seenTerms := false
	err := in.Each(func(key string) error {
		switch key {
		case "publicationDate":
			var date string
			err := in.Next(&date)
			f.setDate(date)
			return err
		case "products":
			return in.Each(func(sku string) error { return f.readProduct(in, sku) })
		case "terms":
			seenTerms = true
			return in.Each(func(kind string) error {
				return in.Each(func(sku string) error { return f.readTerms(in, kind, sku) })
			})
		}
		return in.Skip()
	})
	switch {
	case err != nil:
		return err
	case !seenTerms:
		return fmt.Errorf("the offer file contains no terms and so no prices; fetch the complete file that the offer " +
			"index names")
	}
	return f.addReservations()
}

// setDate sets the file's date from its publication date.
func (f *offerFile) setDate(date string) {
	if len(date) >= 10 && catalog.IsDate(date[:10]) {
		f.c.fileAsOf = date[:10]
	}
}

func (f *offerFile) readProduct(in *textfile.Items, sku string) error {
	var p product
	if err := in.Next(&p); err != nil {
		return err
	}
	f.keep(sku, p)
	return nil
}

// keep stores a product if it is wanted, and reports whether it did.
func (f *offerFile) keep(sku string, p product) (product, bool) {
	a := p.Attributes
	for _, required := range []struct {
		attribute string
		values    []string
	}{
		{"operatingSystem", []string{"Linux"}}, {"tenancy", []string{"Shared"}}, {"preInstalledSw", []string{"NA", ""}},
		{"capacitystatus", []string{"Used", ""}}, {"operation", []string{"RunInstances", ""}},
	} {
		if !slices.Contains(required.values, a[required.attribute]) {
			return p, false
		}
	}
	o := f.offer(p)
	if o.instance == "" || !f.c.wanted(&o) || len(f.products) > MaxVMTypes {
		return p, false
	}
	f.products[sku] = p
	return p, true
}

// offer returns the product as a catalog entry. Offer files do not name the GPU; it
// follows from the instance family.
func (f *offerFile) offer(p product) offer {
	a := p.Attributes
	o := offer{
		cloud: "aws", region: textfile.Text(a["regionCode"]), instance: textfile.Text(a["instanceType"]),
		count: loose(a["gpu"]).number(), vcpus: loose(a["vcpu"]).positive(),
		memGiB: loose(strings.ReplaceAll(strings.TrimSuffix(a["memory"], " GiB"), ",", "")).positive(),
	}
	o.region = cmp.Or(o.region, textfile.Text(a["location"]))
	if gpu, mem := awsGPU(o.instance); o.count > 0 {
		o.gpu, o.gpuMemGiB = gpu, mem
		if gpu == "" {
			o.gpu = "unknown of " + o.instance
		}
	}
	return o
}

// term is one purchase option of a product.
type term struct {
	Dimensions map[string]struct {
		Unit  string           `json:"unit"`
		Price map[string]loose `json:"pricePerUnit"`
	} `json:"priceDimensions"`
	Attributes struct {
		Lease    string `json:"LeaseContractLength"`
		Class    string `json:"OfferingClass"`
		Purchase string `json:"PurchaseOption"`
	} `json:"termAttributes"`
}

func (f *offerFile) readTerms(in *textfile.Items, kind, sku string) error {
	if _, wanted := f.products[sku]; !wanted || (kind != "OnDemand" && kind != "Reserved") {
		return in.Skip()
	}
	var all map[string]term
	if err := in.Next(&all); err != nil {
		return err
	}
	for _, t := range all {
		for _, d := range t.Dimensions {
			usd, ok := d.Price["USD"]
			if !ok {
				continue // another currency
			}
			err := f.price(sku, amount{kind, t.Attributes.Lease, t.Attributes.Class, t.Attributes.Purchase, d.Unit,
				string(usd)})
			if err != nil {
				return in.Wrong("%s", err.Error())
			}
		}
	}
	return nil
}

// amount is an hourly rate, or an upfront payment, as the file writes it.
type amount struct{ kind, lease, class, option, unit, usd string }

func (f *offerFile) price(sku string, a amount) error {
	text := strings.TrimSpace(a.usd)
	upfront := strings.EqualFold(a.unit, "Quantity")
	if !upfront && !strings.EqualFold(a.unit, "Hrs") {
		return nil
	}
	usd, ok := textfile.Decimal(text)
	if !ok || usd < 0 || usd > 1e9 {
		return fmt.Errorf("%s is not a valid price of %s", plaintext.Quote(text), plaintext.Quote(sku))
	}
	if a.kind == "OnDemand" {
		if usd == 0 {
			return nil
		}
		o := f.offer(f.products[sku])
		vm, err := f.c.vm(&o)
		if err == nil {
			f.c.quote(vm, profile.OnDemand, &usd, "")
		}
		return err
	}
	payment := slices.IndexFunc(upfronts,
		func(u struct{ vantage, aws, words string }) bool { return strings.EqualFold(u.aws, a.option) })
	for _, t := range terms {
		if payment < 0 || !strings.EqualFold(a.class, "standard") || strings.ReplaceAll(a.lease, " ", "") != t.aws {
			continue
		}
		key := sku + "/" + t.aws + "/" + upfronts[payment].aws
		r, seen := f.reserved[key]
		if !seen {
			r = reservation{sku: sku, purchase: t.purchase, years: t.years, payment: payment}
			f.order = append(f.order, key)
		}
		if upfront {
			r.upfront = usd
		} else {
			r.hourly = usd
		}
		f.reserved[key] = r
	}
	return nil
}

// addReservations adds a price for each reservation term: that of the first payment
// option of [upfronts] on offer, with the upfront payment spread over all hours.
func (f *offerFile) addReservations() error {
	slices.SortStableFunc(f.order, func(a, b string) int { return f.reserved[a].payment - f.reserved[b].payment })
	type priceKey struct {
		sku      string
		purchase profile.Purchase
	}
	done := map[priceKey]bool{}
	for _, key := range f.order {
		r := f.reserved[key]
		usd := r.hourly + r.upfront/(365*24*r.years)
		k := priceKey{r.sku, r.purchase}
		if usd == 0 || done[k] {
			continue
		}
		done[k] = true
		o := f.offer(f.products[r.sku])
		vm, err := f.c.vm(&o)
		if err != nil {
			return err
		}
		f.c.quote(vm, r.purchase, &usd, "standard, "+upfronts[r.payment].words)
	}
	return nil
}

// offerColumns are the columns of the CSV form and the corresponding product
// attributes of the JSON form.
var offerColumns = map[string]string{
	"instance type": "instanceType", "region code": "regionCode", "location": "location", "vcpu": "vcpu",
	"memory": "memory", "gpu": "gpu",
	"operating system": "operatingSystem", "tenancy": "tenancy", "pre installed s/w": "preInstalledSw",
	"capacitystatus": "capacitystatus",
	"operation":      "operation",
}

// readOfferTable reads the CSV form: one row per price, each with the
// attributes of the product.
func readOfferTable(t *textfile.Table, c *collector) error {
	f := &offerFile{c: c, products: map[string]product{}, reserved: map[string]reservation{}}
	f.setDate(t.Preamble("Publication Date"))
	left := map[string]bool{} // unwanted SKUs, so that each is examined once
	err := t.Each(func() error {
		sku := t.Raw("sku")
		if left[sku] || !strings.EqualFold(t.Raw("currency"), "USD") {
			return nil
		}
		if _, known := f.products[sku]; !known {
			p := product{Attributes: map[string]string{}}
			for column, attribute := range offerColumns {
				p.Attributes[attribute] = strings.Clone(t.Raw(column))
			}
			sku = strings.Clone(sku)
			if _, wanted := f.keep(sku, p); !wanted {
				left[sku] = true
				return nil
			}
		}
		err := f.price(sku, amount{t.Raw("termtype"), t.Raw("leasecontractlength"), t.Raw("offeringclass"),
			t.Raw("purchaseoption"),
			t.Raw("unit"), t.Raw("priceperunit")})
		if err != nil {
			return t.Wrong("%s", err.Error())
		}
		return nil
	})
	if err != nil {
		return err
	}
	return f.addReservations()
}

// awsFamilies are the GPUs of Amazon's VM types, which its price lists leave
// out.
var awsFamilies = map[string]string{
	"g2": "K520", "g3": "M60", "g3s": "M60", "g4dn": "T4", "g4ad": "RADEON-PRO-V520", "g5": "A10G", "g5g": "T4G",
	"g6": "L4", "gr6": "L4",
	"g6f": "L4", "gr6f": "L4", "g6e": "L40S", "g7": "RTX-PRO-4500", "g7e": "RTX-PRO-6000",
	"p2": "K80", "p3": "V100-SXM2-16GB", "p3dn": "V100-SXM2-32GB", "p4d": "A100-SXM4-40GB", "p4de": "A100-SXM4-80GB",
	"p5": "H100-SXM5-80GB", "p5e": "H200-SXM5-141GB", "p5en": "H200-SXM5-141GB", "p6-b200": "B200", "p6-b300": "B300",
}

// awsGPU is the GPU of an instance type and its memory in GiB; "" and nil if
// unknown.
func awsGPU(instanceType string) (gpu string, memGiB *float64) {
	family, _, _ := strings.Cut(strings.TrimPrefix(instanceType, "ml."), ".")
	gpu = awsFamilies[family]
	return gpu, catalog.MemoryOf(gpu)
}
