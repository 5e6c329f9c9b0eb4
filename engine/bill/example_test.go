package bill_test

import (
	"fmt"

	"sweetspot/engine/bill"
	"sweetspot/engine/estimate"
)

// Two hours on a VM of $3.06 an hour, with five minutes of start-up and a disk.
func ExampleBill_Total() {
	b, err := bill.Parse("startup=5m disk=100GiB disk-price=0.08")
	if err != nil {
		fmt.Println(err)
		return
	}
	t := b.Total(bill.Job{Seconds: estimate.Spread(7200, 0.02, estimate.Measured), VMs: 1, USDPerHour: new(3.06)})
	fmt.Printf("$%.2f (%.2f to %.2f)\n", t.USD.Value, t.USD.Low, t.USD.High)
	for _, item := range t.Parts.Items() {
		fmt.Printf("%s $%.3f\n", item.Name, item.USD)
	}
	// Output:
	// $6.40 (6.28 to 6.52)
	// work $6.120
	// startup $0.255
	// disk $0.023
}
