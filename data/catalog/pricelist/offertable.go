package pricelist

import (
	"errors"
	"io"
	"strings"

	"sweetspot/data/catalog"
)

// offerColumns are the columns of the CSV form, and the attributes of a product
// in the JSON form that they are.
var offerColumns = map[string]string{
	"instance type": "instanceType", "region code": "regionCode", "location": "location", "vcpu": "vcpu", "memory": "memory", "gpu": "gpu",
	"operating system": "operatingSystem", "tenancy": "tenancy", "pre installed s/w": "preInstalledSw", "capacitystatus": "capacitystatus",
	"operation": "operation",
}

// readOfferTable reads the CSV form, a row a figure, with what is said of the
// product in each of its rows.
func readOfferTable(t *catalog.Table, c *collector) error {
	f := &offerFile{c: c, products: map[string]product{}, reserved: map[string]reservation{}}
	f.published(t.Preamble("Publication Date"))
	left := map[string]bool{} // SKUs that are not wanted, so that each is looked at once
	for {
		switch err := t.Next(); {
		case errors.Is(err, io.EOF):
			return f.reserve()
		case err != nil:
			return err
		}
		sku := t.Raw("sku")
		if left[sku] || !strings.EqualFold(t.Raw("currency"), "USD") {
			continue
		}
		if _, known := f.products[sku]; !known {
			p := product{Attributes: map[string]string{}}
			for column, attribute := range offerColumns {
				p.Attributes[attribute] = strings.Clone(t.Raw(column))
			}
			sku = strings.Clone(sku)
			if _, wanted := f.keep(sku, p); !wanted {
				left[sku] = true
				continue
			}
		}
		err := f.price(sku, t.Raw("termtype"), t.Raw("leasecontractlength"), t.Raw("offeringclass"), t.Raw("purchaseoption"), t.Raw("unit"), t.Raw("priceperunit"))
		if err != nil {
			return t.Fail("", err.Error())
		}
	}
}
