package main

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sweetspot/data/contract"
	"sweetspot/data/texttable"
	"sweetspot/data/wording"
	"sweetspot/engine/advice"
	"sweetspot/engine/candidate"
	"sweetspot/engine/cluster"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
)

// planFlags are the flags of a plan beside those of a ranking.
type planFlags struct {
	queryFlags
	vms                         []string
	rental                      candidate.Rental
	method                      string
	startup, minimum, billingBy []string
}

func newPlanCommand() *cobra.Command {
	var flags planFlags
	var csv bool
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "Combine VM types for batch inference: the exact frontier of time, cost and accuracy",
		Long: "plan searches all combinations of VM types and counts, for every variant of the model, and lists those\n" +
			"that no other one beats. The search is exact, however many there are. The greedy algorithm of Rathnayake et al.\n" +
			"(2020) is shown for comparison.",
		Example: "  sweetspot plan --model CaffeNet --units 1M --vms p2.xlarge:3,g3.4xlarge:2 --max-time 1h\n" +
			"  sweetspot plan --model CaffeNet --units 10M --max-per-type 8 --min-accuracy 70% --sort time --json",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			in, err := flags.plan(cmd)
			if err != nil && (in.Result == nil || !wantsJSON(cmd)) {
				return err
			}
			if err != nil {
				return errors.Join(printJSON(cmd.OutOrStdout(), contract.NoPlan(in, err)), err)
			}
			plan := contract.NewPlan(in)
			switch out := cmd.OutOrStdout(); {
			case wantsJSON(cmd):
				err = printJSON(out, plan)
			case csv:
				err = contract.WriteCSV(out, plan.Candidates)
			default:
				err = texttable.Plan(out, plan, in)
			}
			return errors.Join(err, plannedOrSay(plan, in))
		},
	}
	flags.register(cmd)
	cmd.Flags().BoolVar(&csv, "csv", false, "print CSV")
	return cmd
}

func (f *planFlags) register(cmd *cobra.Command) {
	f.registerQuery(cmd)
	fl := cmd.Flags()
	fl.StringSliceVar(&f.vms, "vms", nil, "the VM types and the largest number of each, as p2.xlarge:3 "+
		"(default: all that the model was run on)")
	fl.IntVar(&f.maxCount, "max-per-type", question.DefaultCount,
		"largest number of VMs of each type that --vms does not list")
	fl.Var(flagOf(&f.rental.Split, oneOf(cluster.ByThroughput, cluster.ByGPUs), string(cluster.ByThroughput)), "split",
		"how to split the work: by throughput, or by gpus as in the study")
	fl.Var(flagOf(&f.method, oneOf("exact", "greedy"), "exact"), "method",
		"search method: exact, or greedy for the study's Algorithm 1")
	fl.StringSliceVar(&f.startup, "startup", nil, "time from renting a VM until it can start, which is billed too "+
		"(90s, or by cloud aws=90s,gcp=1m)")
	fl.StringSliceVar(&f.minimum, "min-billing", nil, "shortest time billed for a VM (60s, or by cloud)")
	fl.StringSliceVar(&f.billingBy, "billing-step", nil, "billing increment (1h, or by cloud; default: one second)")
}

// plan computes the plan for the flags.
func (f *planFlags) plan(cmd *cobra.Command) (in contract.PlanInput, err error) {
	f.mode = profile.Infer
	f.predicted = cmp.Or(f.predicted, new(false))
	if f.maxCount < 1 || f.maxCount > question.MostCount {
		return in, usageError("--max-per-type %d: give a number from 1 to %d", f.maxCount, question.MostCount)
	}
	if in.Rental, err = f.readRental(); err != nil {
		return in, err
	}
	in.Greedy = f.method == "greedy"
	set, err := loaded(cmd)
	if err != nil {
		return in, err
	}
	if set, err = f.priced(set); err != nil {
		return in, err
	}
	q, err := f.query(set)
	if err != nil {
		return in, err
	}
	if q.Bill.StartupS > 0 && len(f.startup) > 0 {
		return in, usageError("--startup and the startup of --bill mean the same; give one of them")
	}
	predicts := predictor(set, q)
	in.Combined, err = candidate.Combine(set, q.Workload, predicts, in.Rental)
	if err != nil {
		in.Result = rank.Evaluate(rank.NewSpace(candidate.ListOf()), q)
		return in, exitError{exitInfeasible, err}
	}
	in.Now = time.Now()
	in.Bought = advice.Purchases(set, q.Workload, predicts, in.Rental, q.Limits)
	in.Result, in.Whole = rank.Evaluate(rank.NewSpace(in.Combined.List()), q),
		rank.Evaluate(rank.NewSpace(in.Combined.ListWhole()), q)
	in.Tested = backTested(set, q.Mode, q.Predicted)
	return in, nil
}

func (f *planFlags) readRental() (r candidate.Rental, err error) {
	r = f.rental
	if r.Limits, err = parseVMs(f.vms); err != nil {
		return r, err
	}
	r.Terms, err = f.terms()
	return r, err
}

// terms are the start-up time and billing rules of each cloud; values without a
// cloud apply to all others.
func (f *planFlags) terms() (map[string]candidate.Terms, error) {
	startups, err := parseTerms("startup", f.startup)
	if err != nil {
		return nil, err
	}
	minima, err := parseTerms("min-billing", f.minimum)
	if err != nil {
		return nil, err
	}
	steps, err := parseTerms("billing-step", f.billingBy)
	if err != nil {
		return nil, err
	}
	terms := map[string]candidate.Terms{"": {}}
	for _, flag := range []seconds{startups, minima, steps} {
		for cloud := range flag {
			terms[cloud] = candidate.Terms{}
		}
	}
	for cloud := range terms {
		terms[cloud] = candidate.Terms{
			StartupS: startups.of(cloud),
			Billing:  cluster.Billing{MinimumS: minima.of(cloud), GranularityS: steps.of(cloud)},
		}
	}
	return terms, nil
}

// seconds by cloud; those of "" apply to all others.
type seconds map[string]float64

func (s seconds) of(cloud string) float64 {
	if v, own := s[cloud]; own {
		return v
	}
	return s[""]
}

// parseTerms reads 90s and aws=90s.
func parseTerms(flag string, words []string) (seconds, error) {
	out := seconds{}
	for _, w := range words {
		cloud, text, ofCloud := strings.Cut(w, "=")
		if !ofCloud {
			cloud, text = "", w
		}
		cloud = strings.TrimSpace(cloud)
		if ofCloud && cloud == "" {
			return nil, usageError("--%s %q: give a cloud before the =, as in aws=90s", flag, w)
		}
		if _, twice := out[cloud]; twice {
			return nil, usageError("--%s %q: that cloud is given twice", flag, w)
		}
		v, err := parseTerm(text)
		if err != nil {
			return nil, usageError("--%s: %w", flag, err)
		}
		out[cloud] = v
	}
	return out, nil
}

// parseTerm reads a duration in seconds, which may be 0.
func parseTerm(s string) (float64, error) {
	if t := strings.TrimSpace(s); t == "0" || t == "0s" {
		return 0, nil
	}
	return quantity.ParseDuration(s)
}

func parseWholeSeconds(s string) (int, error) {
	v, err := parseTerm(s)
	return int(v + 0.5), err
}

// parseVMs reads p2.xlarge:3,g3.4xlarge:2.
func parseVMs(words []string) (limits []candidate.Limit, err error) {
	seen := map[string]bool{}
	for _, w := range words {
		name, count, ok := strings.Cut(strings.TrimSpace(w), ":")
		n, err := strconv.Atoi(strings.TrimSpace(count))
		switch {
		case !ok || err != nil || name == "" || n < 1 || n > question.MostCount:
			return nil, usageError("--vms %q: give an instance type and a number from 1 to %d, as in p2.xlarge:3", w,
				question.MostCount)
		case seen[name]:
			return nil, usageError("--vms names %s twice", name)
		}
		seen[name] = true
		limits = append(limits, candidate.Limit{InstanceType: name, Most: n})
	}
	return limits, nil
}

// plannedOrSay turns a plan without a pick into an error that says why.
func plannedOrSay(p contract.Plan, in contract.PlanInput) error {
	switch {
	case p.Pick != nil:
		return nil
	case in.Result.Count() > 0:
		if !in.Greedy {
			return exitError{exitInfeasible, fmt.Errorf("nothing feasible in whole batches: %s", wording.WhyNothing(in.Whole))}
		}
		return exitError{exitInfeasible, fmt.Errorf("the greedy algorithm finds no combination within the limits, but "+
			"there are %d; use --method exact", in.Result.Count())}
	}
	return exitError{exitInfeasible, fmt.Errorf("nothing feasible: %s", wording.WhyNothing(in.Result))}
}
