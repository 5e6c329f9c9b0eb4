package pricelist

import (
	"strings"

	"sweetspot/data/catalog"
)

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
func readOfferTable(t *catalog.Table, c *collector) error {
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
			return t.Fail("", "%s", err.Error())
		}
		return nil
	})
	if err != nil {
		return err
	}
	return f.addReservations()
}
