package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"sweetspot/data/contract"
	"sweetspot/data/jobtrace"
	"sweetspot/data/library"
	"sweetspot/data/texttable"
	"sweetspot/data/workspace"
	"sweetspot/engine/approx"
	"sweetspot/engine/fleet"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
	screen "sweetspot/tui/screens/fleet"
)

// fleetFlags are the flags of the fleet verb.
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
		Short: "Place a job trace on reserved VMs, and offer users reduced precision instead of renting more",
		Long: "fleet runs a trace of jobs on reserved VMs. What would miss its deadline there at full precision but not in\n" +
			"INT8 may be offered a penalty for it (ApproxDNN, Nabavinejad et al. 2019); whoever declines is rented an\n" +
			"on-demand VM. It compares the policies and says how many VMs to reserve, and for how long.",
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
			described := contract.NewFleet(in)
			switch out := cmd.OutOrStdout(); {
			case wantsJSON(cmd):
				return printJSON(out, described)
			case f.csv:
				return contract.WriteFleetCSV(out, described)
			default:
				return texttable.Fleet(out, described)
			}
		},
	}
	f.register(cmd)
	return cmd
}

func (f *fleetFlags) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.saveTrace, "save-trace", "", "write the jobs as read or made up to a new file, as job trace CSV")
	fl.StringVar(&f.trace, "trace", "", "job trace: CSV with submit_s, runtime_s, gpus, deadline_s and model, or Philly's log (default: a made-up one)")
	fl.IntVar(&f.jobs, "jobs", studyJobs, "jobs to make up without --trace")
	fl.StringVar(&f.mix, "mix", "study", "models of jobs that name none, with their accuracies and INT8 runtimes: study, or database for your own variants")
	fl.IntVar(&f.reserved, "reserved", unset, "reserved VMs (default: the number of the least bill)")
	fl.StringVar(&f.vm, "vm", "", "instance type, for its prices and GPUs (default p3.2xlarge, the study's)")
	fl.StringVar(&f.term, "term", "", "what is paid for reserved VMs: reserved-1y or reserved-3y (default: the cheapest there is, three years for --reserved-price)")
	fl.StringVar(&f.onDemandPrice, "on-demand-price", "", "price of an on-demand VM in $ per hour, instead of the catalog's")
	fl.StringVar(&f.reservedPrice, "reserved-price", "", "price of a reserved VM in $ per hour, instead of the catalog's")
	fl.IntVar(&f.gpusPerVM, "gpus-per-vm", 0, "how many GPUs a VM has (default: the VM type's)")
	fl.StringVar(&f.ratio, "int8-ratio", "", "runtime in INT8 over that at full precision, a range for all jobs, as 0.75:1 (default: the models' own)")
	fl.StringVar(&f.deadline, "deadline", "1.5:3", "deadline of jobs that state none, in runtimes after submission")
	fl.StringVar(&f.policies, "policy", "all", "policies to compare: all, or some of on-demand, approxdnn, acceptance-centric, penalty-centric")
	fl.StringVar(&f.scheduler, "scheduler", string(fleet.RoundRobin), "how jobs get reserved VMs: round-robin, least-loaded or earliest-first")
	fl.StringVar(&f.acceptance, "acceptance", string(approx.Linear), "how users take offers: linear, power:2, exponential:1.5 or logistic:1.5:0.4")
	fl.BoolVar(&f.asStudied, "as-studied", false, "let reduced jobs run at the same time as those behind them, as the study does")
	fl.Uint64Var(&f.seed, "seed", 1, "seed of everything drawn")
	fl.IntVar(&f.seeds, "seeds", 20, "seeds behind the intervals")
	fl.BoolVar(&f.noSizing, "no-sizing", false, "leave out how many VMs to reserve")
	fl.BoolVar(&f.csv, "csv", false, "print CSV")
}

const (
	studyJobs = 18187 // as many as the study decides on
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
		{"jobs", f.jobs, 1, mostJobs}, {"reserved", max(f.reserved, 0), 0, mostFleet}, {"seeds", f.seeds, 1, mostSeeds}, {"gpus-per-vm", f.gpusPerVM, 0, 1000},
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
		return r, fmt.Errorf("%q is no range: write two numbers above 0 and up to %g, the smaller first, as 0.75:1", plaintext.Line(s, 40), most)
	}
	return r, nil
}

// answer asks what the flags ask.
func (f *fleetFlags) answer(cmd *cobra.Command) (in contract.FleetInput, err error) {
	w, err := workspace.Open(cmd.Context(), database(cmd))
	if err != nil {
		return in, err
	}
	defer w.Close()
	set, err := w.Load(cmd.Context())
	if err != nil {
		return in, err
	}
	bought, err := f.buy(set.VMTypes)
	if err != nil {
		return in, err
	}
	q := fleet.Question{
		Terms:  fleet.Terms{Deadline: f.deadlineRange, Tightness: 1, Ratio: fleet.Range{Low: 0.75, High: 1}, Speed: 1},
		Fleet:  fleet.Fleet{GPUsPerVM: bought.gpus, Scheduler: f.chosenScheduler, AsStudied: f.asStudied},
		Prices: bought.prices, Acceptance: f.chosenAcceptance, Policies: f.chosenPolicies, Seed: f.seed,
	}
	if f.ratio != "" {
		q.Terms.Ratio, q.Terms.EveryRatio = f.ratioRange, true
	}
	if q.Terms.Mix, err = library.StudyMix(); err != nil {
		return in, err
	}
	if f.mix == "database" {
		if q.Terms.Mix = fleet.MixOf(set); len(q.Terms.Mix) == 0 {
			return in, errors.New("no model of the database was run or validated in inference both at full precision and in int8: probe one, or use --mix study")
		}
	}
	in = contract.FleetInput{Seeds: f.seeds, VM: bought.vm, Prices: bought.from, Notes: bought.notes}
	if err := f.load(cmd, &q, &in); err != nil {
		return in, err
	}
	if f.saveTrace != "" {
		if err := saveJobs(f.saveTrace, q.Jobs); err != nil {
			return in, err
		}
	}
	if err := f.leaveOutSizing(len(q.Jobs), &in); err != nil {
		return in, err
	}
	draws := fleet.NewDraws(len(q.Jobs), q.Seed)
	f.size(cmd.Context(), &q, &in, draws, bought)
	in.Answer = q.Answer(draws)
	in.Question, in.Spreads = q, q.Spreads(f.seeds)
	for _, p := range q.Policies {
		in.AsTheyCome = append(in.AsTheyCome, q.AsTheyCome(in.Answer.Tasks, p))
	}
	for _, s := range fleet.Schedulers {
		in.Schedulers = append(in.Schedulers, contract.SchedulerBill{Scheduler: s, Bill: q.Under(s, in.Answer.Tasks)})
	}
	return in, nil
}

// load reads the trace, or makes one up.
func (f *fleetFlags) load(cmd *cobra.Command, q *fleet.Question, in *contract.FleetInput) error {
	if f.trace == "" {
		load := fleet.Usual(f.jobs)
		q.Load, q.Jobs = &load, load.Generate(f.seed)
		in.Source = "made up: " + load.String()
		return nil
	}
	if cmd.Flags().Changed("jobs") {
		return usageError("--jobs says how many to make up: it has no meaning beside --trace")
	}
	trace, err := readJobs(f.trace)
	if err != nil {
		return err
	}
	q.Jobs, in.Notes = trace.Jobs, append(in.Notes, trace.Notes...)
	in.Source = describe(f.trace, trace)
	return nil
}

func readJobs(path string) (*jobtrace.Trace, error) {
	file, err := openTrace(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	trace, err := jobtrace.Read(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", plaintext.Line(filepath.Base(path), 100), err)
	}
	return trace, nil
}

// saveJobs writes a job trace to a new file.
func saveJobs(path string, jobs []fleet.Job) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("cannot write the trace: %w", err)
	}
	return errors.Join(jobtrace.Write(file, jobs), file.Close())
}

// openTrace opens a file of jobs or of requests.
func openTrace(path string) (*os.File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, unreadTrace(path, err)
	}
	info, err := file.Stat()
	switch {
	case err != nil:
		err = unreadTrace(path, err)
	case info.IsDir():
		err = fmt.Errorf("%s is a folder: name the file of the trace in it", plaintext.Line(path, 100))
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// unreadTrace says why a trace cannot be opened, and the mend.
func unreadTrace(path string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	mend := ""
	if errors.Is(err, fs.ErrNotExist) {
		mend = "; name a file that exists, by its path from this folder"
	}
	return fmt.Errorf("cannot read the trace %s: %w%s", plaintext.Line(path, 100), err, mend)
}

func describe(path string, t *jobtrace.Trace) string {
	return fmt.Sprintf("%s: %s, %s", filepath.Base(path), quantity.Several(len(t.Jobs), "job"), t.Format)
}

// readTrace reads a trace for the screens, with the study's mix for jobs that
// name no model; without a path it makes one up.
func readTrace(_ context.Context, path string) (t screen.Trace, err error) {
	if t.Mix, err = library.StudyMix(); err != nil {
		return t, err
	}
	if path == "" {
		load := fleet.Usual(studyJobs)
		t.Load, t.Jobs, t.Source, t.Notes = &load, load.Generate(1), quantity.Several(load.Jobs, "made-up job"), []string{load.String()}
		return t, nil
	}
	read, err := readJobs(path)
	if err != nil {
		return t, err
	}
	t.Jobs, t.Notes, t.Source = read.Jobs, read.Notes, describe(path, read)
	return t, nil
}

// leaveOutSizing where trying other numbers of VMs would take too long. Without
// --reserved they are tried whether the result is printed or not.
func (f *fleetFlags) leaveOutSizing(jobs int, in *contract.FleetInput) error {
	if jobs <= mostSized {
		return nil
	}
	if f.reserved == unset {
		return fmt.Errorf("finding how many VMs to reserve for %s jobs would take too long: give --reserved", quantity.Count(float64(jobs)))
	}
	if !f.noSizing {
		f.noSizing = true
		in.Notes = append(in.Notes, fmt.Sprintf("how many VMs to reserve is left out for more than %s jobs", quantity.Count(mostSized)))
	}
	return nil
}

// size finds the number of reserved VMs that costs least for every way of
// reserving, and takes it where none is given. Where no sizes are wanted only
// the way that is paid is looked at.
func (f *fleetFlags) size(ctx context.Context, q *fleet.Question, in *contract.FleetInput, draws fleet.Draws, b bought) {
	q.Fleet.VMs = max(f.reserved, 0)
	if f.noSizing && f.reserved != unset {
		return
	}
	tasks := fleet.Prepare(nil, q.Jobs, draws, q.Terms)
	for _, way := range b.ways {
		if f.noSizing && way.USDPerHour != q.Prices.Reserved {
			continue
		}
		as := *q
		as.Prices.Reserved = way.USDPerHour
		way.Sizes = as.Sizes(ctx, tasks, mostFleet)
		if f.reserved == unset && way.USDPerHour == q.Prices.Reserved {
			q.Fleet.VMs, in.Found = way.Sizes[fleet.Least(way.Sizes, 0)].VMs, true
		}
		in.Sized = append(in.Sized, way)
	}
	if f.noSizing {
		in.Sized = nil
	}
}

// bought is what VMs cost.
type bought struct {
	prices approx.Prices
	vm     string
	gpus   int
	from   []string
	notes  []string         // what was taken for it
	ways   []contract.Sized // of reserving
}

// studyVM is the instance type of the study.
const studyVM = "p3.2xlarge"

// defaultVM is the VM type where none is named.
func (f *fleetFlags) defaultVM() string {
	if f.onDemandPrice != "" && f.reservedPrice != "" {
		return f.vm // prices are all there is to know of it
	}
	return cmp.Or(f.vm, studyVM)
}
