package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sweetspot/data/contract"
	"sweetspot/data/document"
	"sweetspot/data/jobtrace"
	"sweetspot/data/workload"
	"sweetspot/engine/approx"
	"sweetspot/engine/fleet"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

// fleetFlags are the flags of the fleet subcommand.
type fleetFlags struct {
	trace, saveTrace, mix    string
	jobs, reserved, seeds    int
	seed                     uint64
	asStudied, noSizing, csv bool
	wanted                   fleet.Wanted
	deadline                 fleet.Range
	ratio                    fleet.Range // zero: the models' own
	policies                 []approx.Policy
	scheduler                fleet.Scheduler
	acceptance               approx.Acceptance
}

func newFleetCommand() *cobra.Command {
	var f fleetFlags
	cmd := &cobra.Command{
		Use:   "fleet",
		Short: "Place a job trace on reserved VMs, and offer users INT8 instead of renting more VMs",
		Long: "fleet runs a trace of jobs on reserved VMs. The user of a job that would miss its deadline there at full\n" +
			"precision but not in INT8 is offered money to run in INT8 (ApproxDNN, Nabavinejad et al. 2019); if the user\n" +
			"declines, the job gets an on-demand VM. fleet compares the policies and says how many VMs to reserve, and " +
			"for how long.",
		Example: "  sweetspot fleet\n  sweetspot fleet --trace jobs.csv --vm p3.2xlarge --reserved 20\n" +
			"  sweetspot fleet --trace cluster_job_log --scheduler least-loaded --int8-ratio 0.4:0.7 --json",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			in, err := f.answer(cmd)
			if err != nil {
				return err
			}
			return printAs(cmd, f.csv, document.Fleet,
				document.Subject{Fleet: func() (contract.Fleet, error) { return contract.NewFleet(in), nil }})
		},
	}
	f.register(cmd)
	return cmd
}

func (f *fleetFlags) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.saveTrace, "save-trace", "", "write the jobs, as read or generated, to a new job trace CSV")
	fl.StringVar(&f.trace, "trace", "", "job trace: CSV with submit_s, runtime_s, gpus, deadline_s and model, or "+
		"Philly's log (default: a synthetic one)")
	fl.IntVar(&f.jobs, "jobs", workload.StudyJobs, "number of synthetic jobs without --trace")
	fl.Var(flagOf(&f.mix, oneOf("study", "database"), "study"), "mix",
		"models of jobs that don't name one, with their accuracies and INT8 "+
			"runtimes: study, or database for your own variants")
	fl.IntVar(&f.reserved, "reserved", unset, "number of reserved VMs (default, -1: the number with the lowest bill)")
	fl.StringVar(&f.wanted.VM, "vm", "", "the VM type, for its prices and GPUs (default p3.2xlarge, the study's)")
	fl.Var(flagOf(&f.wanted.Term, oneOf(profile.Reserved1Y, profile.Reserved3Y), ""), "term",
		"term of the reservation: reserved-1y or reserved-3y (default: the cheapest, "+
			"or three years with --reserved-price)")
	fl.Var(optional(&f.wanted.OnDemand, quantity.ParseMoney), "on-demand-price",
		"price of an on-demand VM in $ per hour, instead of the catalog's")
	fl.Var(optional(&f.wanted.Reserved, quantity.ParseMoney), "reserved-price",
		"price of a reserved VM in $ per hour, instead of the catalog's")
	fl.IntVar(&f.wanted.GPUsPerVM, "gpus-per-vm", 0, "number of GPUs of a VM (default: the VM type's)")
	fl.Var(flagOf(&f.ratio, parseRange(10), ""), "int8-ratio",
		"runtime in INT8 relative to full precision, as a range for all jobs, "+
			"as in 0.75:1 (default: the models' own)")
	fl.Var(flagOf(&f.deadline, parseRange(100), "1.5:3"), "deadline",
		"deadline of jobs without one, as a multiple of the runtime, "+
			"after submission")
	fl.Var(flagOf(&f.policies, approx.ParsePolicies, "all"), "policy",
		"policies to compare: all, or some of on-demand, approxdnn, "+
			"acceptance-centric, penalty-centric")
	fl.Var(flagOf(&f.scheduler, fleet.ParseScheduler, string(fleet.RoundRobin)), "scheduler",
		"how jobs get reserved VMs: round-robin, "+
			"least-loaded or earliest-first")
	fl.Var(flagOf(&f.acceptance, approx.ParseAcceptance, string(approx.Linear)), "acceptance",
		"how likely users are to accept an offer: linear, "+
			"power:2, exponential:1.5 or logistic:1.5:0.4")
	fl.BoolVar(&f.asStudied, "as-studied", false, "let INT8 jobs overlap the jobs queued behind them, as in the study")
	fl.Uint64Var(&f.seed, "seed", 1, "random seed")
	fl.IntVar(&f.seeds, "seeds", 20, "number of seeds for the intervals")
	fl.BoolVar(&f.noSizing, "no-sizing", false, "leave out the advice on how many VMs to reserve")
	fl.BoolVar(&f.csv, "csv", false, "print CSV")
}

const (
	unset     = -1
	mostJobs  = 2_000_000
	mostFleet = 100_000 // VMs
	mostSeeds = 1000
	mostSized = 200_000 // jobs for which other numbers of VMs are tried
)

// check refuses numbers that mean nothing.
func (f *fleetFlags) check() error {
	for _, n := range []struct {
		name       string
		is, lo, hi int
	}{
		{"jobs", f.jobs, 1, mostJobs}, {"reserved", max(f.reserved, 0), 0, mostFleet}, {"seeds", f.seeds, 1, mostSeeds},
		{"gpus-per-vm", f.wanted.GPUsPerVM, 0, 1000},
	} {
		if n.is < n.lo || n.is > n.hi {
			return usageError("--%s %d: give a number from %d to %d", n.name, n.is, n.lo, n.hi)
		}
	}
	if f.reserved < unset {
		return usageError("--reserved %d: give a number from 0 to %d", f.reserved, mostFleet)
	}
	return nil
}

// parseRange reads 0.75:1, or one number for both ends.
func parseRange(most float64) func(string) (fleet.Range, error) {
	return func(s string) (r fleet.Range, err error) {
		low, high, two := strings.Cut(s, ":")
		if !two {
			high = low
		}
		r.Low, err = quantity.ParseCount(low)
		if err == nil {
			r.High, err = quantity.ParseCount(high)
		}
		if err != nil || !(r.Low > 0) || r.Low > r.High || r.High > most {
			return r, fmt.Errorf("%q is not a range: write two numbers above 0 and up to %g, the smaller first, as 0.75:1",
				plaintext.Line(s, 40), most)
		}
		return r, nil
	}
}

// answer answers the question that the flags ask.
func (f *fleetFlags) answer(cmd *cobra.Command) (in contract.FleetInput, err error) {
	set, err := loaded(cmd)
	if err != nil {
		return in, err
	}
	bought, err := f.wanted.Buy(set.VMTypes)
	if unpriced := (*fleet.UnpricedError)(nil); errors.As(err, &unpriced) {
		err = fmt.Errorf("%w: give --on-demand-price and --reserved-price", err)
	}
	if err != nil {
		return in, err
	}
	jobs, err := f.read(cmd)
	if err != nil {
		return in, err
	}
	q := fleet.Defaults()
	q.Jobs, q.Load, q.Seed, q.Prices, q.Acceptance, q.Policies = jobs.Jobs, jobs.Load, f.seed, bought.Prices,
		f.acceptance, f.policies
	q.Terms.Deadline, q.Terms.Mix = f.deadline, jobs.Mix
	q.Fleet = fleet.Fleet{GPUsPerVM: bought.GPUsPerVM, Scheduler: f.scheduler, AsStudied: f.asStudied}
	if f.ratio.Low > 0 {
		q.Terms.Ratio, q.Terms.EveryRatio = f.ratio, true
	}
	if f.mix == "database" {
		if q.Terms.Mix = fleet.MixOf(set); len(q.Terms.Mix) == 0 {
			return in, errors.New("no model of the database was run or validated in inference both at full precision and " +
				"in int8: probe one, or use --mix study")
		}
	}
	in = contract.FleetInput{VM: bought.VM, Prices: bought.From}
	source, notes := jobs.Described()
	in.Source, in.Notes = source, slices.Concat(bought.Notes, notes)
	if f.saveTrace != "" {
		write := func(w io.Writer) error { return jobtrace.Write(w, q.Jobs) }
		if err := document.Save(f.saveTrace, []document.File{{Name: f.saveTrace, Write: write}}, false); err != nil {
			return in, err
		}
	}
	if err := f.leaveOutSizing(len(q.Jobs), &in); err != nil {
		return in, err
	}
	draws := fleet.NewDraws(len(q.Jobs), q.Seed)
	f.size(cmd.Context(), &q, &in, draws, bought)
	in.Question, in.Answer = q, q.Answer(draws)
	in.Context = q.Context(in.Answer, f.seeds)
	return in, nil
}

// read reads the trace, or generates jobs.
func (f *fleetFlags) read(cmd *cobra.Command) (workload.Jobs, error) {
	if f.trace == "" {
		return workload.MakeJobs(f.jobs, f.seed)
	}
	if cmd.Flags().Changed("jobs") {
		return workload.Jobs{}, usageError("--jobs is the number of synthetic jobs: leave it out with --trace")
	}
	return workload.ReadJobs(f.trace)
}

// leaveOutSizing where trying other numbers of VMs would take too long. Without
// --reserved they are tried whether the result is printed or not.
func (f *fleetFlags) leaveOutSizing(jobs int, in *contract.FleetInput) error {
	if jobs <= mostSized {
		return nil
	}
	if f.reserved == unset {
		return fmt.Errorf("finding how many VMs to reserve for %s jobs would take too long: give --reserved",
			quantity.Count(float64(jobs)))
	}
	if !f.noSizing {
		f.noSizing = true
		in.Notes = append(in.Notes, fmt.Sprintf("how many VMs to reserve is left out for more than %s jobs",
			quantity.Count(mostSized)))
	}
	return nil
}

// size finds the number of reserved VMs that costs least for every way of
// reserving, and takes it where none is given. Where no sizes are wanted only
// the way that is paid is looked at.
func (f *fleetFlags) size(ctx context.Context, q *fleet.Question, in *contract.FleetInput, draws fleet.Draws,
	b fleet.Bought) {
	q.Fleet.VMs = max(f.reserved, 0)
	if f.noSizing && f.reserved != unset {
		return
	}
	ways := b.Ways
	if f.noSizing {
		cheapest, _ := fleet.Cheapest(ways)
		ways = []fleet.Reservation{cheapest}
	}
	in.Sized = q.Size(ctx, fleet.Prepare(nil, q.Jobs, draws, q.Terms), ways, mostFleet)
	for _, s := range in.Sized {
		if f.reserved == unset && s.Price.USDPerHour == q.Prices.Reserved {
			q.Fleet.VMs, in.Found = s.Sizes[fleet.Least(s.Sizes, 0)].VMs, true
		}
	}
	if f.noSizing {
		in.Sized = nil
	}
}
