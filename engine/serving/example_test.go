package serving_test

import (
	"fmt"

	"sweetspot/engine/serving"
)

// Ten minutes of 20 requests a second, with a minute of 100 in the middle.
func ExampleCompare() {
	trace := serving.Constant(600, 20)
	for t := 300; t < 360; t++ {
		trace[t] = 100
	}
	outcomes, err := serving.Compare(trace, serving.Defaults())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, o := range outcomes {
		fmt.Printf("%-10s $%.2f, %.1f %% late, %.1f %% on functions\n",
			o.Scheme, o.USD, 100*o.ViolationShare(), 100*o.FunctionShare())
	}
	// Output:
	// reactive   $0.12, 30.5 % late, 0.0 % on functions
	// util-aware $0.15, 29.0 % late, 0.0 % on functions
	// exascale   $0.16, 28.7 % late, 0.0 % on functions
	// mixed      $0.15, 1.0 % late, 28.6 % on functions
	// paragon    $0.13, 0.7 % late, 10.7 % on functions
}
