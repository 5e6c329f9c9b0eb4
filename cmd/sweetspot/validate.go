package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"sweetspot/data/workspace"
	"sweetspot/engine/profile"
	"sweetspot/engine/validate"
)

func newValidateCommand() *cobra.Command {
	var question string
	cmd := &cobra.Command{
		Use:   "validate",
		Short: "Back-test the predictions on the runs in your database",
		Long: "validate hides measured values, predicts them from the other runs as rank would, and compares: errors, how\n" +
			"often the 90 % interval contained the measured value, and the error of the studies' method on the same cases.",
		Example: "  sweetspot validate\n  sweetspot validate --db team.db --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			questions, err := chosen(question)
			if err != nil {
				return err
			}
			w, err := workspace.Open(cmd.Context(), database(cmd))
			if err != nil {
				return err
			}
			defer w.Close()
			set, err := w.Load(cmd.Context())
			if err != nil {
				return err
			}
			v := newValidation(questions, set)
			if wantsJSON(cmd) {
				return printJSON(cmd.OutOrStdout(), v)
			}
			return v.write(cmd.OutOrStdout(), w.Label())
		},
	}
	cmd.Flags().StringVar(&question, "question", "", "only this question, one of: "+strings.Join(questionNames(), ", "))
	return cmd
}

func questionNames() (names []string) {
	for _, q := range validate.Questions() {
		names = append(names, q.Name)
	}
	return names
}

func chosen(name string) ([]validate.Question, error) {
	if name == "" {
		return validate.Questions(), nil
	}
	for _, q := range validate.Questions() {
		if q.Name == name {
			return []validate.Question{q}, nil
		}
	}
	return nil, usageError("--question %q is not one of %s", name, strings.Join(questionNames(), ", "))
}

// validation is the JSON of validate. Unknown values are null.
type validation struct {
	Schema    int        `json:"schema"`
	Command   string     `json:"command"`
	Warnings  []string   `json:"warnings"`
	Questions []answered `json:"questions"`
}

type answered struct {
	Question        string   `json:"question"`
	Asks            string   `json:"asks"`
	N               int      `json:"n"`
	Unanswered      int      `json:"unanswered"`
	Mean            *float64 `json:"mean"`
	Median          *float64 `json:"median"`
	P90             *float64 `json:"p90"`
	Coverage        *float64 `json:"coverage"`
	MedianHalfWidth *float64 `json:"median_half_width"`
	Plain           *float64 `json:"plain"`
	PlainMedian     *float64 `json:"plain_median"`
}

func newValidation(questions []validate.Question, set *profile.Set) validation {
	v := validation{Schema: 1, Command: "validate", Warnings: []string{}, Questions: []answered{}}
	for _, q := range questions {
		s := validate.Summarise(q.Cases(set))
		v.Questions = append(v.Questions, answered{
			q.Name, q.Asks, s.N, s.Unanswered, known(s.Mean), known(s.Median), known(s.P90), known(s.Coverage),
			known(s.MedianHalfWidth),
			known(s.Plain), known(s.PlainMedian),
		})
	}
	return v
}

// known returns nil for NaN.
func known(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	return &x
}

func (v validation) write(out io.Writer, label string) error {
	var b strings.Builder
	w := columns(&b)
	fmt.Fprintf(&b, "Predicted against measured, in %s\n", label)
	fmt.Fprintln(w, "question\tn\tmedian\tmean\tp90\tin interval\thalf-width\tplain method (median)")
	none := 0
	for _, q := range v.Questions {
		if q.N == 0 {
			none++
			continue
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\n", q.Asks, q.N, share(q.Median), share(q.Mean), share(q.P90),
			share(q.Coverage), share(q.MedianHalfWidth), share(q.PlainMedian))
	}
	if none == len(v.Questions) {
		b.Reset()
		fmt.Fprintln(&b, "Nothing to compare yet: predictions can be tested once a model was run at a batch size, at "+
			"four times and a third of it, or on two VM types, or trained for six epochs with separate times.")
	} else {
		w.Flush()
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// share is a fraction in percent, or a dash if unknown.
func share(x *float64) string {
	if x == nil {
		return "—"
	}
	return fmt.Sprintf("%.3g %%", 100**x)
}
