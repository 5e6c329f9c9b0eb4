package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"sweetspot/data/contract"
	"sweetspot/probes/doctor"
)

func newDoctorCommand() *cobra.Command {
	var python string
	var selftest, keep bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check this machine: what is there, what is missing, how to install it",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if selftest {
				return testGPU(cmd, python, keep)
			}
			if keep {
				return usageError("--keep keeps the result of --gpu-selftest; give both")
			}
			checks := doctor.Examine(cmd.Context(), thisTerminal(), database(cmd), python)
			out, warnings := cmd.OutOrStdout(), []string(nil)
			for _, c := range checks {
				if c.Warning != "" {
					warnings = append(warnings, c.Warning)
				}
			}
			warn(cmd.ErrOrStderr(), warnings...)
			var err error
			if wantsJSON(cmd) {
				err = printJSON(out, examination{contract.NewHead("doctor", warnings...), checks})
			} else {
				err = writeChecks(out, checks)
			}
			if err != nil {
				return err
			}
			for _, c := range checks {
				if c.Broken {
					return exitError{exitFailed, errors.New(c.Found + "; " + c.Mend)}
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&python, "python", "", "Python to check (default: $SWEETSPOT_PYTHON, python3, /usr/bin/python3)")
	cmd.Flags().BoolVar(&selftest, "gpu-selftest", false, "measure on this machine's GPU, in a minute, what only one can "+
		"show: step times, memory and speed beside what is known of them otherwise")
	cmd.Flags().BoolVar(&keep, "keep", false, "keep the result of --gpu-selftest as a run, without asking")
	return cmd
}

// examination is the JSON of doctor.
type examination struct {
	contract.Head
	Checks []doctor.Check `json:"checks"`
}

func thisTerminal() doctor.Terminal {
	t := doctor.Terminal{Is: term.IsTerminal(os.Stdout.Fd()), Term: os.Getenv("TERM")}
	if t.Is {
		t.Width, t.Height, _ = term.GetSize(os.Stdout.Fd()) // 0×0 if unknown
	}
	switch colorprofile.Detect(os.Stdout, os.Environ()) {
	case colorprofile.TrueColor:
		t.Colour = "true colour"
	case colorprofile.ANSI256:
		t.Colour = "256 colours"
	case colorprofile.ANSI:
		t.Colour = "16 colours"
	default:
		t.Colour = "no colour"
	}
	return t
}

func writeChecks(w io.Writer, checks []doctor.Check) error {
	width := 0
	for _, c := range checks {
		width = max(width, len(c.Name))
	}
	for _, c := range checks {
		mark := "ok     "
		switch {
		case c.Broken:
			mark = "broken "
		case !c.OK:
			mark = "missing"
		}
		if _, err := fmt.Fprintf(w, "%s  %-*s  %s\n", mark, width, c.Name, c.Found); err != nil {
			return err
		}
		if c.Mend != "" {
			if _, err := fmt.Fprintf(w, "         %-*s  → %s\n", width, "", c.Mend); err != nil {
				return err
			}
		}
	}
	return nil
}
