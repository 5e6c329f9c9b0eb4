package texttable

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"sweetspot/data/contract"
	"sweetspot/engine/quantity"
)

// Loads prints what loads take on each server of a model.
func Loads(w io.Writer, l contract.Loads) error {
	var b strings.Builder
	for i, s := range l.Servers {
		if i > 0 {
			fmt.Fprintln(&b)
		}
		fmt.Fprintf(&b, "%s on %s\n", l.Query.Model, s.Machine)
		tw := tabwriter.NewWriter(&b, 0, 4, 2, ' ', 0)
		fmt.Fprintln(tw, "at once\tin\tout\tTPOT\ta request\ttokens/s\tbasis\tfrom")
		for _, x := range s.Loads {
			of := x.TPOT
			if of.Basis == nil {
				of = x.Latency
			}
			fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", quantity.Count(x.AtOnce), quantity.Count(x.Input),
				quantity.Count(x.Output), seconds(x.TPOT), seconds(x.Latency),
				amount(x.Generated.Value, whole)+x.Generated.PlusMinus(x.Generated.Value),
				cmp.Or(contract.Known(of.Basis), "—"), of.Why)
		}
		tw.Flush()
	}
	for _, n := range l.Warnings {
		fmt.Fprintln(&b, "note: "+n)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func whole(v float64) string { return quantity.Count(math.Round(v)) }

func seconds(t contract.LoadTime) string { return amount(t.S, quantity.Duration) + t.PlusMinus(t.S) }
