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
	trace, saveTrace, mix                  string
	jobs, reserved, gpusPerVM, seeds       int
	seed                                   uint64
	vm, term, onDemandPrice, reservedPrice string
	ratio, deadline                        string
	policies, scheduler, acceptance        string
	asStudied, noSizing, csv               bool
	ratioRange, deadlineRange              fleet.Range
	chosenPolicies                         []approx.Policy
	chosenScheduler                        fleet.Scheduler
	chosenAcceptance                       approx.Acceptance
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
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.csv && wantsJSON(cmd) {
				return usageError("--csv and --json exclude each other")
			}
			if err := f.parse(); err != nil {
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
	fl.StringVar(&f.mix, "mix", "study", "models of jobs that don't name one, with their accuracies and INT8 "+
		"runtimes: study, or database for your own variants")
	fl.IntVar(&f.reserved, "reserved", unset, "number of reserved VMs (default, -1: the number with the lowest bill)")
	fl.StringVar(&f.vm, "vm", "", "the VM type, for its prices and GPUs (default p3.2xlarge, the study's)")
	fl.StringVar(&f.term, "term", "", "term of the reservation: reserved-1y or reserved-3y (default: the cheapest, "+
		"or three years with --reserved-price)")
	fl.StringVar(&f.onDemandPrice, "on-demand-price", "",
		"price of an on-demand VM in $ per hour, instead of the catalog's")
	fl.StringVar(&f.reservedPrice, "reserved-price", "", "price of a reserved VM in $ per hour, instead of the catalog's")
	fl.IntVar(&f.gpusPerVM, "gpus-per-vm", 0, "number of GPUs of a VM (default: the VM type's)")
	fl.StringVar(&f.ratio, "int8-ratio", "", "runtime in INT8 relative to full precision, as a range for all jobs, "+
		"as in 0.75:1 (default: the models' own)")
	fl.StringVar(&f.deadline, "deadline", "1.5:3", "deadline of jobs without one, as a multiple of the runtime, "+
		"after submission")
	fl.StringVar(&f.policies, "policy", "all", "policies to compare: all, or some of on-demand, approxdnn, "+
		"acceptance-centric, penalty-centric")
	fl.StringVar(&f.scheduler, "scheduler", string(fleet.RoundRobin), "how jobs get reserved VMs: round-robin, "+
		"least-loaded or earliest-first")
	fl.StringVar(&f.acceptance, "acceptance", string(approx.Linear), "how likely users are to accept an offer: linear, "+
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

// parse reads the flags that are more than a number.
func (f *fleetFlags) parse() (err error) {
	for _, n := range []struct {
		name       string
		is, lo, hi int
	}{
		{"jobs", f.jobs, 1, mostJobs}, {"reserved", max(f.reserved, 0), 0, mostFleet}, {"seeds", f.seeds, 1, mostSeeds},
		{"gpus-per-vm", f.gpusPerVM, 0, 1000},
	} {
		if n.is < n.lo || n.is > n.hi {
			return usageError("--%s %d: give a number from %d to %d", n.name, n.is, n.lo, n.hi)
		}
	}
	if f.reserved < unset {
		return usageError("--reserved %d: give a number from 0 to %d", f.reserved, mostFleet)
	}
	if f.mix != "study" && f.mix != "database" {
		return usageError("--mix %q is neither study nor database", plaintext.Line(f.mix, 40))
	}
	if f.deadlineRange, err = parseRange(f.deadline, 100); err != nil {
		return usageError("--deadline: %w", err)
	}
	if f.ratio != "" {
		if f.ratioRange, err = parseRange(f.ratio, 10); err != nil {
			return usageError("--int8-ratio: %w", err)
		}
	}
	if f.chosenPolicies, err = approx.ParsePolicies(f.policies); err != nil {
		return usageError("--policy: %w", err)
	}
	if f.chosenScheduler, err = fleet.ParseScheduler(f.scheduler); err != nil {
		return usageError("--scheduler: %w", err)
	}
	if f.chosenAcceptance, err = approx.ParseAcceptance(f.acceptance); err != nil {
		return usageError("--acceptance: %w", err)
	}
	return nil
}

// parseRange reads 0.75:1, or one number for both ends.
func parseRange(s string, most float64) (r fleet.Range, err error) {
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

// wanted is how VMs are to be bought.
func (f *fleetFlags) wanted() (w fleet.Wanted, err error) {
	w = fleet.Wanted{VM: f.vm, Term: profile.Purchase(f.term), GPUsPerVM: f.gpusPerVM}
	if f.term != "" && w.Term != profile.Reserved1Y && w.Term != profile.Reserved3Y {
		return w, usageError("--term %q is neither reserved-1y nor reserved-3y", plaintext.Line(f.term, 40))
	}
	return w, readNumbers(
		numberFlag{"on-demand-price", f.onDemandPrice, quantity.ParseMoney, &w.OnDemand},
		numberFlag{"reserved-price", f.reservedPrice, quantity.ParseMoney, &w.Reserved},
	)
}

// answer answers the question that the flags ask.
func (f *fleetFlags) answer(cmd *cobra.Command) (in contract.FleetInput, err error) {
	set, err := loaded(cmd)
	if err != nil {
		return in, err
	}
	wanted, err := f.wanted()
	if err != nil {
		return in, err
	}
	bought, err := wanted.Buy(set.VMTypes)
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
		f.chosenAcceptance, f.chosenPolicies
	q.Terms.Deadline, q.Terms.Mix = f.deadlineRange, jobs.Mix
	q.Fleet = fleet.Fleet{GPUsPerVM: bought.GPUsPerVM, Scheduler: f.chosenScheduler, AsStudied: f.asStudied}
	if f.ratio != "" {
		q.Terms.Ratio, q.Terms.EveryRatio = f.ratioRange, true
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

// read reads the trace, or makes up jobs.
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
