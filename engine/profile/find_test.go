package profile

import (
	"strings"
	"testing"
)

func TestFindVMType(t *testing.T) {
	vms := []VMType{
		{Cloud: "aws", Region: "us-east-1", InstanceType: "p3.2xlarge"},
		{Cloud: "aws", Region: "us-east-1", InstanceType: "g3s.xlarge"},
		{Cloud: "aws", Region: "eu-west-1", InstanceType: "g3s.xlarge"},
	}
	price := func(usd float64) []Price { return []Price{{Purchase: OnDemand, USDPerHour: usd, AsOf: "2020-01"}} }
	vms = append(vms,
		VMType{Cloud: "aws", Region: "us-east-1", InstanceType: "p2.xlarge", Prices: price(0.9)},
		VMType{Cloud: "aws", Region: "us-east-2", InstanceType: "p2.xlarge", Prices: price(0.9)},
		VMType{Cloud: "aws", Region: "us-east-1", InstanceType: "g4dn.xlarge", Prices: price(0.5)},
		VMType{Cloud: "aws", Region: "eu-west-1", InstanceType: "g4dn.xlarge", Prices: price(0.6)},
	)
	for name, want := range map[string]VMKey{
		"p2.xlarge":                vms[3].Key(),
		"p3.2xlarge":               vms[0].Key(),
		"P3.2xlarge":               vms[0].Key(),
		"aws/eu-west-1/g3s.xlarge": vms[2].Key(),
	} {
		if v, err := FindVMType(vms, name); err != nil || v.Key() != want {
			t.Errorf("%s: %v, %v", name, v.Key(), err)
		}
	}
	for name, want := range map[string]string{"g3s.xlarge": "aws/us-east-1/g3s.xlarge, aws/eu-west-1/g3s.xlarge",
		"g4dn.xlarge": "in several places", "x1": "no VM type"} {
		if _, err := FindVMType(vms, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
