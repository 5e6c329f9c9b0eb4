package texttable

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"sweetspot/data/contract"
	"sweetspot/engine/quantity"
)

// Mix prints what serves each kind of request, and what each scheme costs for all of them.
func Mix(w io.Writer, m contract.Mix) error {
	var b strings.Builder
	fmt.Fprintln(&b, m.Trace.Source)
	fmt.Fprintf(&b, "%s in %s · %s strict within the limit of their kind, the others within %s\n\n",
		quantity.Several(m.Trace.Requests, "request"), quantity.Duration(float64(m.Trace.PeriodS)),
		quantity.Percent(m.Query.StrictShare), quantity.Duration(m.Query.RelaxedLimitS))
	tw := tabwriter.NewWriter(&b, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tw, "kind\tshare\twithin\taccuracy ≥\tserved by\tbatch\taccuracy\tp99\tlate\tcost\tshares VMs with")
	for _, k := range m.Kinds {
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\n", k.Name, quantity.Percent(k.Share),
			quantity.Duration(k.LimitS), amount(k.MinAccuracy, quantity.Percent), k.Serves, k.Batch,
			amount(k.Accuracy, quantity.Percent), amount(k.P99S, quantity.Duration), hundredths(k.Violations.All),
			amount(k.OwnUSD.Value, quantity.Money), strings.Join(k.SharesWith, ", "))
	}
	tw.Flush()
	fmt.Fprintln(&b)
	traffic{contract.Traffic{Schemes: m.Schemes, Pick: m.Pick}}.writeSchemes(&b)
	for _, line := range m.Advice {
		fmt.Fprintln(&b, line)
	}
	for _, n := range m.Warnings {
		fmt.Fprintln(&b, "note: "+n)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
