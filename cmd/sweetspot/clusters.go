package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"sweetspot/data/store"
	"sweetspot/data/workfolder"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/secret"
	"sweetspot/probes/matrix"
	"sweetspot/probes/request"
	"sweetspot/probes/sky"
)

// onSky is the engine of the user's SkyPilot, as in --on.
const onSky = "sky"

// engines are the config file's word on them, and the catalog where one rents from it.
func engines(cmd *cobra.Command, on string) (request.Engines, error) {
	e, err := clusterConfig()
	if err != nil || on != onSky {
		return e, err
	}
	set, err := loaded(cmd)
	if err == nil {
		e.VMTypes = set.VMTypes
	}
	return e, err
}

// onClusters completes a request for SkyPilot: the VM types of --vm, the folder that is
// copied, and what sets up its environment.
func (f *probeFlags) onClusters(ctx context.Context, r *request.Request, set *profile.Set) (err error) {
	if f.vm != "" {
		vms, err := f.vmTypes(set)
		if err != nil {
			return err
		}
		for _, vm := range vms {
			r.Sky.Only = append(r.Sky.Only, vm.Key())
		}
	}
	r.Machine.USDPerHour = f.price
	if r.Sky.Folder, err = filepath.Abs(f.folder); err != nil {
		return err
	}
	if _, err := workfolder.Files(ctx, r.Sky.Folder); err != nil { // as of a home, or what is too large to copy
		return err
	}
	r.Sky.Setup = workfolder.ReadSetup(r.Sky.Folder, set.PackagesFor(secret.Words(r.Command), r.Sky.Folder)).Lines
	return nil
}

// confirmClusters says what is rented and what it costs at most, and asks for consent.
func (f *probeFlags) confirmClusters(ctx context.Context, cmd *cobra.Command, r *request.Request, cells []matrix.Cell,
	set *profile.Set) error {
	rented, err := r.Rent(cells, set.VMTypes)
	if err != nil {
		return usageError("%w", err)
	}
	warnClusters(ctx, cmd)
	_, _ = fmt.Fprint(cmd.ErrOrStderr(), rented)
	if rented.IsUnpriced() || r.Rule.MaxUSD > 0 && !term.IsTerminal(os.Stdin.Fd()) { // whoever set a budget agreed to it
		return nil
	}
	return f.agreed(ctx, cmd, "set a budget (--max-cost)")
}

// leftClusters are the clusters begun on this machine that may still run and are of none of
// the matrices.
func leftClusters(of []request.Queued) ([]sky.Leftover, error) {
	all, err := sky.Leftovers()
	return slices.DeleteFunc(all, func(l sky.Leftover) bool {
		return slices.ContainsFunc(of, func(q request.Queued) bool { return q.Has(l.Job) })
	}), err
}

// warnClusters names clusters that no matrix of the database is to collect.
func warnClusters(ctx context.Context, cmd *cobra.Command) {
	var of []request.Queued
	if db, err := store.OpenExisting(ctx, database(cmd)); err == nil {
		of, _ = request.ListQueued(ctx, db) // whoever needs the database says what is wrong with it
		_ = db.Close()
	}
	left, err := leftClusters(of)
	if err != nil {
		warn(cmd.ErrOrStderr(), err.Error())
	}
	for _, l := range left {
		warn(cmd.ErrOrStderr(), fmt.Sprintf("%s; end it with: %s", l, l.End()))
	}
}

// asJobs are left clusters as jobs, with their states.
func asJobs(ctx context.Context, left []sky.Leftover) (jobs []queuedJob) {
	if len(left) == 0 {
		return nil
	}
	var names []string
	for _, l := range left {
		names = append(names, l.Job)
	}
	states, unknown := sky.New(sky.Options{}, nil).Look(ctx, names)
	for _, l := range left {
		job := asJob(l.Job, states, unknown)
		job.Key, job.On, job.GPU, job.USDPerHour = l.Job, onSky, l.GPU, l.USDPerHour
		jobs = append(jobs, job)
	}
	return jobs
}

// priceOf finds what the cluster of a job costs an hour at most; nil where it is none, or
// that is not known.
func priceOf(clusters []sky.Leftover, job string) *float64 {
	for _, l := range clusters {
		if l.Job == job {
			return l.USDPerHour
		}
	}
	return nil
}

// leftBy finds clusters that may still run by the beginning of their jobs' names.
func leftBy(key string) ([]sky.Leftover, error) {
	left, err := sky.Leftovers()
	return slices.DeleteFunc(left, func(l sky.Leftover) bool {
		return len(key) < shortKey || !strings.HasPrefix(l.Job, key)
	}), err
}

// endLeft ends clusters that may still run.
func endLeft(ctx context.Context, left []sky.Leftover) error {
	var names []string
	for _, l := range left {
		names = append(names, l.Job)
	}
	return sky.New(sky.Options{}, nil).Cancel(ctx, names)
}

// cancelled says what became of a matrix that was cancelled.
func cancelled(q request.Queued) string {
	key := q.Key[:shortKey]
	if slices.Contains(q.On(), onSky) {
		return fmt.Sprintf("Ended the clusters of %s; what had not been read from them is gone, and sweetspot attach %s "+
			"closes its runs.\n", key, key)
	}
	return fmt.Sprintf("Cancelled %s; sweetspot attach %s collects what was measured.\n", plaintext.Clean(key), key)
}
