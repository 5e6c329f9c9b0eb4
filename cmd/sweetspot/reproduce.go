package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"sweetspot/data/catalog"
	"sweetspot/data/contract"
	"sweetspot/data/library"
	"sweetspot/data/library/published"
	"sweetspot/engine/estimate"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/reproduce"
)

func newReproduceCommand() *cobra.Command {
	var paper string
	var all bool
	cmd := &cobra.Command{
		Use:   "reproduce",
		Short: "Recompute a study's published numbers and compare them with the printed ones",
		Long: "reproduce computes every published number it can from the study's other published numbers, never from that\n" +
			"number itself, and answers a study's questions from other data if there are any. A number is ok within the\n" +
			"rounding of the printed digits, its own and that of all inputs. It is left open if the inputs are not\n" +
			"published. If a study's jobs or loads are not published, reproduce generates some, says how and allows\n" +
			"for chance.",
		Example: "  sweetspot reproduce\n  sweetspot reproduce --paper tarcar --all\n" +
			"  sweetspot reproduce --paper malta --json",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			papers := reproduce.Papers
			if paper != "" {
				papers = []string{paper}
			}
			if database(cmd) != "" {
				return usageError("--db has no effect here: reproduce computes from published numbers only")
			}
			r, err := reproduceAll(papers)
			if err != nil {
				return err
			}
			if wantsJSON(cmd) {
				return printJSON(cmd.OutOrStdout(), r)
			}
			return r.write(cmd.OutOrStdout(), all)
		},
	}
	cmd.Flags().Var(flagOf(&paper, oneOf(reproduce.Papers...), ""), "paper",
		"the paper to reproduce: malta, malta2019, tarcar, approxdnn or "+
			"paragon (default: all of them)")
	cmd.Flags().BoolVar(&all, "all", false, "print every number, not only those that are not ok")
	return cmd
}

// reproduction is the JSON of reproduce.
type reproduction struct {
	contract.Head
	Rows    []reproduce.Row            `json:"rows"`
	Summary map[string]reproduce.Count `json:"summary"`
	Tables  []reproduce.TableCount     `json:"tables"`
	Method  *reproduce.Method          `json:"method"`
}

// reproduceAll computes the papers' numbers, one paper after the other.
func reproduceAll(papers []string) (*reproduction, error) {
	r := &reproduction{Head: contract.NewHead("reproduce"), Rows: []reproduce.Row{}}
	for _, paper := range papers {
		in, err := published.Read(paper)
		if err != nil {
			return nil, err
		}
		switch paper {
		case reproduce.Malta:
			in, err = withLibrary(in)
			r.Method = reproduce.Judge(in)
		case reproduce.ApproxDNN:
			in.Workload, err = studyWorkload()
		case reproduce.Paragon:
			in.Traffic, err = studyTraffic()
		}
		if err == nil && (paper == reproduce.TARCAR || paper == reproduce.Paragon) {
			in.Own, err = library.Load()
		}
		if err != nil {
			return nil, err
		}
		r.Warnings = append(r.Warnings, reproduce.Findings(in)...)
		r.Rows = append(r.Rows, reproduce.Reproduce(in)...)
	}
	r.Summary, r.Tables = reproduce.Summarise(r.Rows)
	return r, nil
}

// studyWorkload returns the jobs generated for ApproxDNN, the same in every call.
var studyWorkload = sync.OnceValues(func() (*reproduce.Workload, error) {
	in, err := published.Read(reproduce.ApproxDNN)
	if err != nil {
		return nil, err
	}
	mix, err := library.StudyMix()
	if err != nil {
		return nil, err
	}
	return reproduce.NewWorkload(in.Cells, mix), nil
})

// studyTraffic returns the loads generated for Paragon, the same in every call.
var studyTraffic = sync.OnceValues(func() (*reproduce.Traffic, error) {
	in, err := published.Read(reproduce.Paragon)
	return reproduce.NewTraffic(in.Cells), err
})

// withLibrary adds what the thesis' tables are based on: prices from the
// catalog and the absolute times of the built-in library.
func withLibrary(in reproduce.Inputs) (reproduce.Inputs, error) {
	in.Prices = map[string]float64{}
	for _, vm := range catalog.Builtin() {
		if price, ok := vm.PriceOf(profile.OnDemand); ok && vm.Cloud == "aws" && vm.Region == "us-east-1" {
			in.Prices[vm.InstanceType] = price.USDPerHour
		}
	}
	set, err := library.Load()
	if err != nil {
		return in, err
	}
	for _, run := range set.Runs {
		// Only Malta's cells are trained, reconstructed and have a real total.
		if run.Mode != profile.Train || run.Basis != estimate.Reconstructed || run.TotalS == nil {
			continue
		}
		startup, ok := run.Startup()
		price, priced := in.Prices[run.InstanceType]
		if !ok || !priced || run.IterationsPerEpoch == nil || run.Epochs == nil {
			return in, errors.New("built-in library: a reconstructed training run lacks its start-up, iterations, epochs " +
				"or price")
		}
		in.Reconstructed = append(in.Reconstructed, reproduce.Reconstructed{
			Application: run.Model, Batch: run.BatchSize, VM: run.InstanceType,
			StartupS: startup, SteadyS: run.Steady.Value, PerEpoch: *run.IterationsPerEpoch, Epochs: *run.Epochs,
			RealS: *run.TotalS, USDPerHour: price,
		})
	}
	return in, nil
}

// write prints the summary per table, the rows that are not ok (or all), and
// the error of the method itself.
func (r *reproduction) write(out io.Writer, all bool) error {
	var text strings.Builder
	r.writeTables(&text)
	text.WriteString("\n")
	r.writeRows(&text, all)
	for _, w := range r.Warnings {
		fmt.Fprintf(&text, "\nnote: %s\n", w)
	}
	if r.Method != nil {
		text.WriteString("\n")
		writeMethod(&text, r.Method)
	}
	_, err := io.WriteString(out, text.String())
	return err
}

func (r *reproduction) writeTables(text *strings.Builder) {
	t := columns(text)
	fmt.Fprintln(t, "paper\ttable\tok\tseparate\tnot ok\tnot published")
	for _, c := range r.Tables {
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%d\n", c.Paper, c.Table, c.OK, c.Separate, c.NotOK, c.NotComputable)
	}
	for _, paper := range reproduce.Papers {
		c, asked := r.Summary[paper]
		if !asked {
			continue
		}
		fmt.Fprintf(t, "%s\tall\t%d\t%d\t%d\t%d\n", paper, c.OK, c.Separate, c.NotOK, c.NotComputable)
	}
	t.Flush()
	text.WriteString("\nseparate: of those that are ok, neither a second printing of a number, nor 1 because something " +
		"is divided by itself,\nnor computed from a number that counts as computed from it\n")
}

func (r *reproduction) writeRows(text *strings.Builder, all bool) {
	if !all && !slices.ContainsFunc(r.Rows, func(row reproduce.Row) bool { return row.OK != nil && !*row.OK }) {
		text.WriteString("every number that can be computed is ok\n")
		return
	}
	t := columns(text)
	fmt.Fprintln(t, "paper\ttable\tcell\tpublished\tours\terror\ttolerance\tok\tnote")
	for _, row := range r.Rows {
		if all || row.OK != nil && !*row.OK {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", row.Paper, row.Table, row.Cell, number(row.Published, "%.6g"),
				number(row.Ours, "%.6g"), percent(row.RelativeError), percent(row.Tolerance), verdict(row.OK), row.Note)
		}
	}
	t.Flush()
}

// columns aligns tab-separated cells. Writing to a builder cannot fail, so its
// Flush needs no check.
func columns(text *strings.Builder) *tabwriter.Writer {
	return tabwriter.NewWriter(text, 0, 0, 2, ' ', 0)
}

func writeMethod(text *strings.Builder, m *reproduce.Method) {
	fmt.Fprintf(text, "method 2 on %d runs: mean error %.2f %%, median %.2f %%, nine in ten within %.2f %%, worst %+.1f "+
		"%% (%s)\n", m.N, 100*m.MeanAbsoluteError, 100*m.Median, 100*m.P90, 100*m.Worst.Error, m.Worst.Cell)
	fmt.Fprintf(text, "fastest VM right in %d of %d, cheapest in %d of %d\n", m.Fastest.Right, m.Fastest.Of,
		m.Cheapest.Right, m.Cheapest.Of)
	for i, picks := range []reproduce.Picks{m.Fastest, m.Cheapest} {
		for _, w := range picks.Wrong {
			as := []string{"fastest", "cheapest"}[i]
			fmt.Fprintf(text, "  %s: predicts %s as %s, measured %s\n", w.Question, w.Says, as, w.Truth)
		}
	}
	for _, f := range m.FindingOut {
		fmt.Fprintf(text, "measuring costs, %s: everything %s, method 1 %s (saves %s), method 2 %s (saves %s)\n",
			f.Application, number(f.EverythingUSD, "$%.2f"), number(f.Method1USD, "$%.2f"), percent(f.Method1Saves),
			number(f.Method2USD, "$%.2f"), percent(f.Method2Saves))
	}
}

// number formats a value as a dash if it is nil.
func number(v *float64, format string) string { return scaled(v, 1, format) }

func percent(v *float64) string { return scaled(v, 100, "%.1f %%") }

func scaled(v *float64, by float64, format string) string {
	return plaintext.Optional(v, "—", func(v float64) string { return fmt.Sprintf(format, by*v) })
}

func verdict(ok *bool) string {
	switch {
	case ok == nil:
		return "—"
	case *ok:
		return "yes"
	default:
		return "NO"
	}
}
