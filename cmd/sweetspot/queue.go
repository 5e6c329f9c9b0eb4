package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"sweetspot/data/contract"
	"sweetspot/data/store"
	"sweetspot/data/textfile"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
	"sweetspot/probes/queue"
	"sweetspot/probes/request"
	"sweetspot/probes/sky"
)

func newQueueCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "queue",
		Short: "List the probes that go on without a terminal, cancel them, and show which GPUs there are",
		Long: "queue shows the probes that were started with probe --on slurm or sky, or with --detach here and on hosts,\n" +
			"and are not finished: which wait, why, and which run. sweetspot attach KEY follows them again. cancel ends\n" +
			"their jobs; what was measured until then is collected by attach. With sky it ends their clusters, and what\n" +
			"was not read from them is gone. offers lists the GPU types of a cluster, of a machine, or those that SkyPilot\n" +
			"can rent.",
		Example: "  sweetspot queue list\n  sweetspot queue cancel 5f0a12\n  sweetspot queue offers --on slurm:me@login",
		Args:    rejectUnknown,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var on string
	offers := &cobra.Command{
		Use: "offers", Short: "List the GPU types of a cluster or a machine", Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return printOffers(cmd, on) },
	}
	offers.Flags().StringVar(&on, "on", "slurm", "the cluster or machine: slurm, slurm:user@login-host, sky, "+
		"ssh:user@host, or here")
	cmd.AddCommand(
		&cobra.Command{Use: "list", Short: "List the probes and where they stand", Args: noArguments, RunE: listQueued},
		&cobra.Command{Use: "cancel KEY…", Short: "End the jobs of probes", RunE: cancelQueued},
		offers)
	for _, sub := range cmd.Commands() {
		sub.ValidArgsFunction = cobra.NoFileCompletions
	}
	return cmd
}

// clusterConfig is what the config file says about Slurm and SkyPilot,
// $XDG_CONFIG_HOME/sweetspot/config.json: {"slurm": {"account": "lab", "gpus": {"h100": {"usd_per_hour": 2.5}}},
// "sky": {"infra": ["aws"]}}.
func clusterConfig() (o request.Engines, err error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return o, nil // without a home there is no config file either
	}
	path := filepath.Join(dir, "sweetspot", "config.json")
	data, err := textfile.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return o, nil
	}
	if err != nil {
		return o, err
	}
	if err := json.Unmarshal(data, &o); err != nil {
		return o, fmt.Errorf("%s is not valid: %w", path, err)
	}
	if err := o.Sky.Check(); err != nil {
		return o, fmt.Errorf("%s: %w", path, err)
	}
	for gpu, g := range o.Slurm.GPUs {
		if g.USDPerHour != nil && !(*g.USDPerHour > 0) {
			return o, fmt.Errorf("%s: the price of %s an hour must be above 0; leave it out where it is not known", path,
				plaintext.Quote(gpu))
		}
	}
	return o, nil
}

// offersResult is the JSON of queue offers.
type offersResult struct {
	contract.Head
	On     string      `json:"on"`
	Offers []gpuOffers `json:"offers"`
}

type gpuOffers struct {
	GPU        string   `json:"gpu"`
	Nodes      int      `json:"nodes"`        // that can be used; of sky, VM types
	Count      *int     `json:"count"`        // GPUs of the largest node; null where it is not known
	Partitions []string `json:"partitions"`   // where they are
	USDPerHour *float64 `json:"usd_per_hour"` // of one GPU; null where it is not known
	StartsAt   *string  `json:"starts_at"`    // when a short job on one GPU may start: RFC 3339, UTC; null where unknown
	NoStart    string   `json:"no_start"`     // why it is not known, where the queue says so
}

func printOffers(cmd *cobra.Command, on string) error {
	o, err := engines(cmd, on)
	if err != nil {
		return err
	}
	e, err := request.EngineOn(on, o)
	if err != nil {
		return usageError("%w", err)
	}
	offers, err := e.Offers(cmd.Context())
	if err != nil {
		return err
	}
	result := offersResult{Head: contract.NewHead("queue"), On: on, Offers: []gpuOffers{}}
	for _, o := range offers {
		g := gpuOffers{GPU: o.GPU, Nodes: o.Nodes, Partitions: o.Partitions, USDPerHour: o.USDPerHour,
			NoStart: plaintext.Line(o.NoStart, 200)}
		if o.Count > 0 {
			g.Count = &o.Count
		}
		if !o.Starts.IsZero() {
			g.StartsAt = new(o.Starts.UTC().Format(time.RFC3339))
		}
		result.Offers = append(result.Offers, g)
	}
	if wantsJSON(cmd) {
		return printJSON(cmd.OutOrStdout(), result)
	}
	if len(offers) == 0 {
		_, err := fmt.Fprintln(cmd.OutOrStdout(), "There are no GPUs on "+on+" that are known.")
		return err
	}
	out := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	heads := "GPU\tNODES\tGPUS A NODE\tPRICE OF ONE\tEXPECTED WAIT\tPARTITIONS"
	if on == onSky {
		heads = "GPU\tVM TYPES\tMOST GPUS\tLEAST PRICE OF ONE\tEXPECTED WAIT\tON"
	}
	_, _ = fmt.Fprintln(out, heads)
	for _, o := range offers {
		price, count, nodes := "unknown", "unknown", strconv.Itoa(o.Nodes)
		if o.Rented && o.Nodes == 0 {
			nodes = "your own"
		}
		if o.USDPerHour != nil {
			price = quantity.Money(*o.USDPerHour) + "/h"
		}
		if o.Count > 0 {
			count = strconv.Itoa(o.Count)
		}
		_, _ = fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s\n", plaintext.Clean(o.GPU), nodes, count, price,
			o.Wait(time.Now()), plaintext.Clean(strings.Join(o.Partitions, ", ")))
	}
	return out.Flush()
}

// queueResult is the JSON of queue list and queue cancel.
type queueResult struct {
	contract.Head
	Action string      `json:"action"` // list or cancel
	Jobs   []queuedJob `json:"jobs"`
}

type queuedJob struct {
	Key   string  `json:"key"`
	On    string  `json:"on"`
	GPU   string  `json:"gpu"`
	Job   string  `json:"job"`   // the engine's own number; "" where it is not known
	State string  `json:"state"` // waiting, running, ended or unknown
	Why   string  `json:"why"`
	Runs  []int64 `json:"runs"`
	// USDPerHour is what its cluster costs at most; null where it has none of its own, or that
	// is not known.
	USDPerHour *float64 `json:"usd_per_hour"`
}

// inQueues are the jobs of the database's matrices, with their states.
func inQueues(ctx context.Context, all []request.Queued) (jobs []queuedJob, err error) {
	o, err := clusterConfig()
	if err != nil {
		return nil, err
	}
	clusters, err := sky.Leftovers()
	if err != nil {
		return nil, err
	}
	for _, q := range all {
		states, failed := q.Look(ctx, o)
		for _, j := range q.Jobs() {
			job := asJob(j.Name, states, failed[j.Name])
			job.Key, job.On, job.GPU, job.Runs, job.USDPerHour = q.Key, j.On, j.GPU, j.Runs, priceOf(clusters, j.Name)
			jobs = append(jobs, job)
		}
	}
	return jobs, nil
}

// asJob is a job by its state.
func asJob(name string, states map[string]queue.State, unknown error) queuedJob {
	s := states[name]
	job := queuedJob{Job: s.ID, Runs: []int64{}, Why: s.Words(), State: s.Phase.String()}
	switch {
	case unknown != nil:
		job.Why = plaintext.Clean(unknown.Error())
	case s.Phase == queue.Unknown:
		job.State, job.Why = "ended", "the scheduler no longer knows the job"
	}
	return job
}

func listQueued(cmd *cobra.Command, _ []string) error {
	return withDatabase(cmd, func(db *store.Store) error {
		all, err := request.ListQueued(cmd.Context(), db)
		if err != nil {
			return err
		}
		jobs, err := inQueues(cmd.Context(), all)
		if err != nil {
			return err
		}
		left, err := leftClusters(all)
		if err != nil {
			return err
		}
		jobs = append(jobs, asJobs(cmd.Context(), left)...)
		if wantsJSON(cmd) {
			return printJSON(cmd.OutOrStdout(), queueResult{contract.NewHead("queue"), "list", append([]queuedJob{}, jobs...)})
		}
		if len(jobs) == 0 {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "No probe goes on without a terminal.")
			return err
		}
		out := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintln(out, "KEY\tON\tGPU\tJOB\tPROBES\tSTATE\tWHY")
		for _, j := range jobs {
			if j.USDPerHour != nil {
				j.Why += "; up to " + quantity.Money(*j.USDPerHour) + "/h"
			}
			_, _ = fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%d\t%s\t%s\n", j.Key[:shortKey], plaintext.Clean(j.On),
				plaintext.Clean(j.GPU), plaintext.Clean(j.Job), len(j.Runs), j.State, j.Why)
		}
		if err := out.Flush(); err != nil {
			return err
		}
		_, err = fmt.Fprintln(cmd.OutOrStdout(), "sweetspot attach KEY collects them.")
		return err
	})
}

// shortKey is how many digits of a key are shown, and are enough to name it.
const shortKey = 6

// queuedBy finds a matrix by the beginning of its key.
func queuedBy(all []request.Queued, key string) (*request.Queued, bool) {
	for i := range all {
		if len(key) >= shortKey && strings.HasPrefix(all[i].Key, key) {
			return &all[i], true
		}
	}
	return nil, false
}

// byKeys finds what is to be cancelled: matrices, and clusters that are of none.
func byKeys(all []request.Queued, keys []string) (chosen []request.Queued, left []sky.Leftover, err error) {
	for _, key := range keys {
		if len(key) < shortKey {
			return nil, nil, usageError("%s is too short for a key: give at least its first %d digits, as sweetspot queue "+
				"list does", plaintext.Quote(key), shortKey)
		}
		if q, ok := queuedBy(all, key); ok {
			chosen = append(chosen, *q)
			continue
		}
		found, err := leftBy(key)
		if err != nil {
			return nil, nil, err
		}
		if len(found) == 0 {
			return nil, nil, usageError("no probe %s goes on; sweetspot queue list shows those that do", plaintext.Quote(key))
		}
		left = append(left, found...)
	}
	return chosen, left, nil
}

func cancelQueued(cmd *cobra.Command, keys []string) error {
	if len(keys) == 0 {
		return usageError("give the keys of the probes to cancel; sweetspot queue list shows them")
	}
	return withDatabase(cmd, func(db *store.Store) error {
		all, err := request.ListQueued(cmd.Context(), db)
		if err != nil {
			return err
		}
		chosen, left, err := byKeys(all, keys)
		if err != nil {
			return err
		}
		o, err := clusterConfig()
		if err != nil {
			return err
		}
		for _, q := range chosen {
			if err := q.Cancel(cmd.Context(), o); err != nil {
				return err
			}
		}
		if err := endLeft(cmd.Context(), left); err != nil {
			return err
		}
		if wantsJSON(cmd) {
			jobs, err := inQueues(cmd.Context(), chosen)
			if err != nil {
				return err
			}
			return printJSON(cmd.OutOrStdout(), queueResult{contract.NewHead("queue"), "cancel",
				append(append([]queuedJob{}, jobs...), asJobs(cmd.Context(), left)...)})
		}
		for _, q := range chosen {
			if _, err := io.WriteString(cmd.OutOrStdout(), cancelled(q)); err != nil {
				return err
			}
		}
		for _, l := range left {
			if _, err := fmt.Fprintf(cmd.OutOrStdout(), "Ended %s.\n", l.Cluster); err != nil {
				return err
			}
		}
		return nil
	})
}
