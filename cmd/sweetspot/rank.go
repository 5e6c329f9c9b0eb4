package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"sweetspot/data/contract"
	"sweetspot/data/texttable"
	"sweetspot/data/wording"
	"sweetspot/data/workspace"
	"sweetspot/engine/bill"
	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
	"sweetspot/engine/transfer"
	"sweetspot/engine/validate"
)

// queryFlags are the flags that ask a ranking; what was not given is nil or "".
type queryFlags struct {
	model                 string
	mode                  profile.Mode
	epochs, target, units *float64
	trainSize, steps      *float64
	purchase              profile.Purchase
	weights               question.Weights
	sort                  question.Sort
	metric                string
	limits                map[objective.Name]**float64
	filters               map[string]*[]string
	bill, prices          []string
	maxCount              int
	predicted             *bool
	tuning                tuningFlags
}

func (f *queryFlags) register(cmd *cobra.Command) {
	f.registerQuery(cmd)
	fl := cmd.Flags()
	fl.Var(flagOf(&f.mode, modes, ""), "mode", "the mode: train or infer (default: the one that the model has runs of)")
	fl.Var(optional(&f.epochs, quantity.ParseCount), "epochs",
		"epochs of a training (default: those that your newest run announced; of what others published, as many as "+
			"each source needed)")
	fl.Var(optional(&f.trainSize, quantity.ParseCount), "train-size",
		"units in the training set of a training (default: those of your newest run)")
	fl.Var(optional(&f.steps, quantity.ParseCount), "steps",
		"steps of a training, as many at every batch size, so that it sees other amounts of data (default: as many "+
			"units at each as your newest run announced)")
	fl.Var(optional(&f.target, quantity.ParseFraction), "target-accuracy",
		"train until the validation accuracy reaches this (0.9 or 90%)")
	f.tuning.register(fl)
	fl.StringVar(&f.metric, "metric", "", "metric in which accuracies are compared, where they are in several (default: "+
		"that of the most variants)")
	fl.IntVar(&f.maxCount, "max-count", question.DefaultCount, "largest number of VMs of one type, for inference")
}

// registerQuery are the flags of everything that ranks.
func (f *queryFlags) registerQuery(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.model, "model", "", "model to rank, as the database names it")
	f.filters = map[string]*[]string{}
	for _, of := range question.Filters() {
		f.filters[of.Name] = fl.StringSlice(of.Flag, nil, of.Help)
	}
	fl.Var(optional(&f.units, quantity.ParseCount), "units", "units of work to infer, such as 1M images "+
		"(default 1M), or to train on in all epochs together")
	f.limits = map[objective.Name]**float64{}
	for _, o := range objective.All() {
		f.limits[o.Name] = new(*float64)
		fl.Var(optional(f.limits[o.Name], o.Read), o.Flag, o.Help)
	}
	fl.Var(flagOf(&f.purchase, oneOf(profile.Purchases...), string(profile.OnDemand)), "purchase",
		"purchase option: on-demand, spot, reserved-1y or reserved-3y")
	fl.StringSliceVar(&f.bill, "bill", nil, "additional costs, as "+strings.ReplaceAll(bill.Words, " ", ","))
	fl.StringArrayVar(&f.prices, "price", nil, "price in $ per hour of machines outside the catalog: 0.34, or by "+
		"GPU, rtx4090=0.34")
	fl.Var(flagOf(&f.weights, question.ParseWeights, ""), "weights", "weights of the score, time=1,cost=2")
	fl.Var(flagOf(&f.sort, question.ParseSort, ""), "sort",
		"order by "+question.SortWords()+" (default: cost, or score where weights are given); "+
			"strict-cost: by cost alone, where near-equal costs do not tie")
	fl.Var(flagOf(&f.predicted, parseBool, ""), "predicted", "also rank predicted candidates: other batch sizes and the "+
		"catalog's VM types (default: without a model, and where your "+
		"own runs were on nothing that can be rented)")
	fl.Lookup("predicted").NoOptDefVal = "true"
}

func newRankCommand() *cobra.Command {
	var flags queryFlags
	var csv bool
	var limit *int
	cmd := &cobra.Command{
		Use:   "rank",
		Short: "Rank VM types, batch sizes and variants for a model",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return flags.printRanking(cmd, database(cmd), csv, limit)
		},
	}
	flags.register(cmd)
	cmd.Flags().BoolVar(&csv, "csv", false, "print CSV")
	cmd.Flags().Var(flagOf(&limit, parseLimit, ""), "limit", fmt.Sprintf("list so many candidates, or all (default: %d "+
		"in the table, all in CSV, %d in JSON); JSON and CSV list those on the frontiers in any case", texttable.RankingRows,
		contract.FirstListed))
	return cmd
}

// printDefaultRanking is what sweetspot says without a terminal.
func printDefaultRanking(cmd *cobra.Command, db string) error {
	flags := queryFlags{purchase: profile.OnDemand, maxCount: question.DefaultCount}
	return flags.printRanking(cmd, db, false, nil)
}

// printRanking answers from the database, in JSON where the command has that flag. A limit of nil is the
// usual one of the format.
func (f *queryFlags) printRanking(cmd *cobra.Command, db string, csv bool, limit *int) error {
	result, tested, err := ask(cmd, db, *f)
	if err != nil && (result == nil || !wantsJSON(cmd)) {
		return err
	}
	switch out := cmd.OutOrStdout(); {
	case wantsJSON(cmd):
		most := cmp.Or(limit, new(contract.FirstListed))
		err = errors.Join(contract.NewListing(result, tested, time.Now(), *most).WriteJSON(out), err)
	case csv:
		most := cmp.Or(limit, new(contract.All))
		err = contract.NewListing(result, tested, time.Now(), *most).WriteCSV(out)
	default:
		most := cmp.Or(limit, new(texttable.RankingRows))
		err = errors.Join(texttable.Ranking(out, result, tested, time.Now(), *most), f.noteFloor(out, result))
	}
	if err == nil {
		err = feasibleOrSay(result)
	}
	return err
}

// noteFloor says of a limit on the accuracy that nobody asked for how to lift it.
func (f *queryFlags) noteFloor(w io.Writer, r *rank.Result) error {
	floor := r.Query.Limits.Get(objective.Accuracy)
	if asked := f.limits[objective.Accuracy]; floor == nil || asked != nil && *asked != nil {
		return nil
	}
	_, err := fmt.Fprintf(w, "note: variants under %s err more than twice as often as the best and are left out: "+
		"--min-accuracy 0 keeps them\n", quantity.Percent(*floor))
	return err
}

// ask opens the database and answers the query the flags mean, with how well
// such estimates did on its own runs. Where there is no candidate at all the
// result is empty and comes with the error that says so.
func ask(cmd *cobra.Command, db string, flags queryFlags) (*rank.Result, validate.Tested, error) {
	w, err := opened(cmd.Context(), cmd, db, workspace.Open)
	if err != nil {
		return nil, nil, err
	}
	defer w.Close()
	set, err := w.Load(cmd.Context())
	if err != nil {
		return nil, nil, err
	}
	if set, err = flags.priced(set); err != nil {
		return nil, nil, err
	}
	if set, flags.model, err = withArchitecture(set, flags.model); err != nil {
		return nil, nil, err
	}
	q, err := flags.query(set)
	if err != nil {
		return nil, nil, err
	}
	var tested validate.Tested
	var testing sync.WaitGroup
	testing.Go(func() { tested = backTested(set, q.Mode, q.Predicted) })
	result := rank.Answer(set, q, predictor(set, q))
	if has := result.Space.Metrics; q.Metric != "" && !slices.ContainsFunc(has, func(m string) bool {
		return strings.EqualFold(m, q.Metric)
	}) {
		return nil, nil, unknownMetric(q, has)
	}
	if testing.Wait(); result.Space.Len() == 0 {
		return result, nil, nothingToRank(set, q)
	}
	return result, tested, nil
}

// priced is the set with the prices of --price.
func (f *queryFlags) priced(set *profile.Set) (*profile.Set, error) {
	prices, err := profile.ParsePrices(f.prices)
	if err != nil {
		return nil, usageError("--price: %w", err)
	}
	if set, err = prices.Apply(set); err != nil {
		return nil, usageError("--price %w", err)
	}
	return set, nil
}

// predictor predicts from the set where the question asks for it; nil otherwise.
func predictor(set *profile.Set, q question.Query) candidate.Predictor {
	if !q.Predicted {
		return nil
	}
	return transfer.New(set, q.Mode)
}

// backTested tests the kinds of estimates that an answer can hold beside what
// was measured.
func backTested(set *profile.Set, mode profile.Mode, predicted bool) validate.Tested {
	var kinds []estimate.Basis
	if mode == profile.Train {
		kinds = append(kinds, estimate.Measured)
	}
	if predicted {
		kinds = append(kinds, estimate.OtherBatch, estimate.Transferred, estimate.Spec)
	}
	if len(kinds) == 0 {
		return nil
	}
	return validate.ByBasis(set, kinds...)
}

// query reads the flags; the set tells which model and mode are meant where
// they leave it open.
func (f queryFlags) query(set *profile.Set) (question.Query, error) {
	of, err := f.tuning.question(set, f.model, f.mode)
	if err != nil {
		return question.Query{}, err
	}
	of.Tuned = of.Tuned && !f.inEpochs()
	q := question.Start(set, of)
	if q.MaxCount = f.maxCount; f.predicted != nil {
		q.Predicted = *f.predicted
	}
	q.Purchase, q.Epochs, q.TargetAccuracy, q.TrainSize = f.purchase, f.epochs, f.target, f.trainSize
	q.Steps = f.steps
	for _, of := range question.Filters() {
		if values := f.filters[of.Name]; values != nil && len(*values) > 0 {
			if err = of.Ask(&q.Workload, *values); err != nil {
				return q, usageError("--%s %w", of.Flag, err)
			}
		}
	}
	if q.Bill, err = bill.Parse(strings.Join(f.bill, " ")); err != nil {
		return q, usageError("--bill: %w", err)
	}
	if q.Purchase != profile.Spot && (q.Bill.Interruptions != nil || q.Bill.CheckpointS != nil) {
		return q, usageError("--bill: interruptions and checkpoint are of spot VMs: add --purchase spot")
	}
	if len(q.Variants) > 0 { // one that is asked for by name is wanted, however accurate
		q.Limits = nil
	}
	for name, limit := range f.limits {
		if *limit != nil {
			q.Limits = q.Limits.With(name, *limit)
		}
	}
	if q.Workload, err = f.amount(q.Workload, set); err != nil {
		return q, err
	}
	if q.TargetLoss = f.tuning.loss; q.Tuning != nil {
		if !q.Predicted {
			return q, usageError("--predicted: everything about the training of a language model is predicted; leave it out")
		}
		if err = f.tuning.apply(q.Tuning); err != nil {
			return q, usageError("%w", err)
		}
	}
	if err = f.tuning.lengths(&q); err != nil {
		return q, usageError("%w", err)
	}
	if q.Lengths != nil && !q.Predicted {
		return q, usageError("--predicted: everything about this inference is predicted; leave it out")
	}
	if f.weights != nil {
		q.Weights, q.Sort = f.weights, question.ByScore
	}
	q.Sort, q.Metric = cmp.Or(f.sort, q.Sort), f.metric
	if err = q.Check(); err != nil {
		return q, usageError("%w", err)
	}
	return q, nil
}

// inEpochs reports whether flags ask for a training in other terms than a language model's.
func (f *queryFlags) inEpochs() bool {
	return f.epochs != nil || f.steps != nil || f.target != nil || f.trainSize != nil || f.predicted != nil &&
		!*f.predicted && !f.tuning.given()
}

// amount is the workload with the amount of work that the flags ask for.
func (f queryFlags) amount(w question.Workload, set *profile.Set) (question.Workload, error) {
	switch {
	case f.units != nil && f.tuning.loss != nil:
		return w, usageError("--units and --target-loss exclude each other: the loss decides the tokens")
	case f.units != nil && (w.Mode == profile.Infer || w.Tuning != nil && !w.SaysLength()):
		w.Units = *f.units
	case f.units != nil && (f.epochs != nil || f.target != nil || f.steps != nil):
		return w, usageError("--units, --steps, --epochs and --target-accuracy exclude each other: each says how much to " +
			"train")
	}
	w = w.Whole(set)
	if f.units == nil || w.Mode == profile.Infer || w.Tuning != nil {
		return w, nil
	}
	if w.TrainSize == nil {
		return w, usageError("no run of %s says how many units its training set has: use --epochs in place of --units, or "+
			"add --train-size", plaintext.Clean(w.Model))
	}
	w.Epochs = new(*f.units / *w.TrainSize)
	return w, nil
}

// unknownMetric says which metrics there are in place of the one asked for.
func unknownMetric(q question.Query, has []string) error {
	if len(has) == 0 {
		return usageError("--metric %s: of %s no accuracy is known; import one", plaintext.Quote(q.Metric),
			plaintext.Clean(q.Model))
	}
	return usageError("--metric %s: accuracies of %s are in %s", plaintext.Quote(q.Metric), plaintext.Clean(q.Model),
		plaintext.Join(has, ", ", plaintext.Name))
}

func nothingToRank(set *profile.Set, q question.Query) error {
	var have []string
	for _, x := range question.Questions(set) {
		if x.Model == q.Model && x.Mode == q.Mode {
			have = append(have, fmt.Sprintf("%d %s runs", x.Runs, x.Mode.Noun()))
		}
	}
	if why := wording.Lacking(set, q); why != "" {
		return exitError{exitInfeasible, errors.New("nothing to rank: " + why)}
	}
	var used []string
	for _, f := range q.Narrowing() {
		used = append(used, "--"+f.Flag)
	}
	for flag, v := range map[string]*float64{"--epochs": q.Epochs, "--steps": q.Steps,
		"--target-accuracy": q.TargetAccuracy} {
		if v != nil { // never both
			used = append(used, flag)
		}
	}
	why := "none can be ranked; probe it"
	if len(used) > 0 {
		why = "none matches; loosen " + wording.Either(used)
	}
	has := "has " + strings.Join(have, ", ")
	if q.Lengths != nil {
		has = "runs on VM types whose GPUs have published figures"
	}
	if q.Tuning != nil {
		has = "trains on VM types whose GPUs have tensor cores and divide the batch evenly"
	}
	err := fmt.Errorf("nothing to rank: %s %s, but %s", q.Model, has, why)
	return exitError{exitInfeasible, err}
}

// feasibleOrSay turns an empty ranking into the sentence that says which
// constraint is to blame.
func feasibleOrSay(r *rank.Result) error {
	if r.Count() > 0 {
		return nil
	}
	return exitError{exitInfeasible, fmt.Errorf("nothing feasible: %s", wording.WhyNothing(r))}
}

func printJSON(w io.Writer, v any) error { return contract.WriteJSON(w, v) }
