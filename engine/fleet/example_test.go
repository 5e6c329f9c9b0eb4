package fleet_test

import (
	"fmt"
	"math"

	"sweetspot/engine/approx"
	"sweetspot/engine/fleet"
)

// Three jobs on one reserved VM: the third would miss its deadline unless it runs
// at reduced precision, so its user is asked.
func ExampleQuestion_Answer() {
	q := fleet.Question{
		Jobs: []fleet.Job{
			{SubmitS: 0, RuntimeS: 3600, DeadlineS: 7200, GPUs: 1},
			{SubmitS: 3600, RuntimeS: 3600, DeadlineS: math.NaN(), GPUs: 1},
			{SubmitS: 7200, RuntimeS: 3600, DeadlineS: 10500, GPUs: 1},
		},
		Terms: fleet.Terms{Deadline: fleet.Range{Low: 2, High: 2}, Tightness: 1,
			Ratio: fleet.Range{Low: 0.8, High: 0.8}, Speed: 1},
		Fleet:    fleet.Fleet{VMs: 1, GPUsPerVM: 1, Scheduler: fleet.RoundRobin},
		Prices:   approx.Prices{Reserved: 0.985, OnDemand: 3.06},
		Policies: []approx.Policy{approx.ApproxDNN},
	}
	a := q.Answer(fleet.NewDraws(len(q.Jobs), 1))
	fmt.Printf("%d on reserved VMs, %d asked\n", a.Rest.Reserved, len(a.Asked))
	fmt.Printf("expected cost of those asked: $%.2f\n", a.Outcomes[0].Expected.USD())
	// Output:
	// 2 on reserved VMs, 1 asked
	// expected cost of those asked: $2.49
}
