package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"sweetspot/data/contract"
	"sweetspot/data/workspace"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/probes/doctor"
)

// testGPU tests the GPU and keeps the result as a run where that is wanted.
func testGPU(cmd *cobra.Command, python string, keep bool) error {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	checks, run, err := doctor.Selftest(ctx, python, time.Now())
	if err != nil {
		return exitError{exitFailed, err}
	}
	out := cmd.OutOrStdout()
	if wantsJSON(cmd) {
		err = printJSON(out, examination{contract.NewHead("doctor"), checks})
	} else {
		err = writeTested(out, checks)
	}
	if err != nil {
		return err
	}
	for _, c := range checks {
		if !c.OK {
			return exitError{exitFailed, errors.New(c.Name + ": " + c.Found + "; " + c.Mend)}
		}
	}
	if !keep && (wantsJSON(cmd) || !term.IsTerminal(os.Stdin.Fd())) {
		return nil
	}
	if !keep {
		_, _ = fmt.Fprint(cmd.ErrOrStderr(), "Keep the result as a run? [y/N] ")
		if !isYes(ctx, cmd.InOrStdin()) {
			return nil
		}
	}
	return keepRun(cmd, run)
}

// writeTested writes the checks; what failed is not missing, but wrong.
func writeTested(w io.Writer, checks []doctor.Check) error {
	for _, c := range checks {
		mark := "ok   "
		if !c.OK {
			mark = "wrong"
		}
		if _, err := fmt.Fprintf(w, "%s  %-14s %s\n", mark, c.Name, c.Found); err != nil {
			return err
		}
		if c.Mend != "" {
			if _, err := fmt.Fprintf(w, "       %-14s → %s\n", "", c.Mend); err != nil {
				return err
			}
		}
	}
	return nil
}

func keepRun(cmd *cobra.Command, run profile.Run) (err error) {
	w, err := opened(cmd.Context(), cmd, database(cmd), workspace.OpenFor)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if _, err := w.Store().Import(cmd.Context(), &profile.Set{Runs: []profile.Run{run}}); err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.ErrOrStderr(), "kept as a run of %q in %s\n", run.Model, plaintext.Clean(w.Store().Path()))
	return err
}
