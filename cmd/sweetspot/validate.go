package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sweetspot/data/contract"
	"sweetspot/data/workspace"
	"sweetspot/engine/validate"
)

func newValidateCommand() *cobra.Command {
	questions := validate.Questions()
	var all bool
	cmd := &cobra.Command{
		Use:   "validate",
		Short: "Test the predictions against the runs in your database",
		Long: "validate hides measured values, predicts them from the other runs as rank would, and compares: errors, how\n" +
			"often the 90 % interval contained the measured value, and the error of a baseline on the same cases: the\n" +
			"method of the studies, or the simplest one.",
		Example: "  sweetspot validate\n  sweetspot validate --db team.db --json",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w, err := opened(cmd.Context(), cmd, database(cmd), workspace.Open)
			if err != nil {
				return err
			}
			defer w.Close()
			set, err := w.Load(cmd.Context())
			if err != nil {
				return err
			}
			most := validate.MostCases
			if all {
				most = 0
			}
			v := newValidation(questions, validate.Ask(set, questions, most))
			if wantsJSON(cmd) {
				return printJSON(cmd.OutOrStdout(), v)
			}
			return v.write(cmd.OutOrStdout(), w.Label())
		},
	}
	names := make([]string, len(questions))
	for i, q := range questions {
		names[i] = q.Name
	}
	named := func(name string) ([]validate.Question, error) {
		name, err := oneOf(names...)(name)
		i := max(slices.Index(names, name), 0)
		return validate.Questions()[i : i+1], err
	}
	cmd.Flags().Var(flagOf(&questions, named, ""), "question", "only this question, one of: "+strings.Join(names, ", "))
	cmd.Flags().BoolVar(&all, "all", false, fmt.Sprintf("ask every case: of more than %d of a question that many are "+
		"asked, drawn at random", validate.MostCases))
	return cmd
}

// validation is the JSON of validate. Unknown values are null.
type validation struct {
	contract.Head
	Questions []questionResult `json:"questions"`
}

// questionResult is the accuracy of the answers to one question. Mean, Median and
// P90 are relative errors as fractions; Plain and PlainMedian are the errors of the
// baseline, the simplest method that answers the question.
type questionResult struct {
	Question        string   `json:"question"`
	Asks            string   `json:"asks"`
	N               int      `json:"n"`
	Sampled         bool     `json:"sampled"` // n are some of the cases, drawn at random; all with --all
	Unanswered      int      `json:"unanswered"`
	Mean            *float64 `json:"mean"`
	Median          *float64 `json:"median"`
	P90             *float64 `json:"p90"`
	Coverage        *float64 `json:"coverage"`
	MedianHalfWidth *float64 `json:"median_half_width"`
	Plain           *float64 `json:"plain"`
	PlainMedian     *float64 `json:"plain_median"`
}

func newValidation(questions []validate.Question, found []validate.Summary) validation {
	v := validation{Head: contract.NewHead("validate"), Questions: []questionResult{}}
	for k, q := range questions {
		s := found[k]
		v.Questions = append(v.Questions, questionResult{
			q.Name, q.Asks, s.N, s.Sampled, s.Unanswered, nilIfNaN(s.Mean), nilIfNaN(s.Median), nilIfNaN(s.P90),
			nilIfNaN(s.Coverage), nilIfNaN(s.MedianHalfWidth),
			nilIfNaN(s.Plain), nilIfNaN(s.PlainMedian),
		})
	}
	return v
}

// nilIfNaN returns nil for NaN, which JSON cannot hold.
func nilIfNaN(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	return &x
}

func (v validation) write(out io.Writer, label string) error {
	var b strings.Builder
	w := columns(&b)
	fmt.Fprintf(&b, "Predicted against measured, in %s\n", label)
	fmt.Fprintln(w, "question\tn\tmedian\tmean\tp90\tin interval\thalf-width\tbaseline (median)")
	empty, sampled := 0, false
	for _, q := range v.Questions {
		sampled = sampled || q.Sampled
		if q.N == 0 {
			empty++
			continue
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\n", q.Asks, q.N, percentOrDash(q.Median), percentOrDash(q.Mean),
			percentOrDash(q.P90), percentOrDash(q.Coverage), percentOrDash(q.MedianHalfWidth), percentOrDash(q.PlainMedian))
	}
	if empty == len(v.Questions) {
		b.Reset()
		fmt.Fprintln(&b, "Nothing to compare yet. Predictions can be tested once a model was run at a batch size, at "+
			"four times it and at a third of it; or on two VM types; or trained for six epochs, each with its time.")
	} else {
		w.Flush()
	}
	if sampled {
		fmt.Fprintf(&b, "note: of more than %d cases of a question that many were asked, drawn at random; --all asks all\n",
			validate.MostCases)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// percentOrDash formats a fraction as a percentage, or as a dash if it is nil.
func percentOrDash(x *float64) string { return scaled(x, 100, "%.3g %%") }
