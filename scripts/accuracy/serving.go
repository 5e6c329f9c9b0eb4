package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"sweetspot/data/arrivals"
	"sweetspot/engine/batching"
	"sweetspot/engine/estimate"
	"sweetspot/engine/quantity"
)

// fittedTo is the number of requests of a log that step times are fitted to; the
// others are predicted.
const fittedTo = 100

// percentile is one that is predicted.
type percentile struct {
	log, of   string
	truth     float64 // seconds
	predicted estimate.Estimate
}

func (p percentile) off() float64 { return math.Abs(p.predicted.Value/p.truth - 1) }

func (p percentile) inside() bool { return p.predicted.Low <= p.truth && p.truth <= p.predicted.High }

// serve asks all request logs of a folder for the percentiles of their later
// requests, and prints what comes out. It tells how many logs there are.
func serve(out io.Writer, data string) (int, error) {
	logs, err := filepath.Glob(filepath.Join(data, "llm", "requests-*.jsonl*"))
	if err != nil || len(logs) == 0 {
		return 0, err
	}
	var all []percentile
	var damaged []error
	for _, path := range logs {
		found, err := percentilesOf(path)
		if err != nil {
			damaged = append(damaged, fmt.Errorf("the log %s is left out: %w", filepath.Base(path), err))
			continue
		}
		all = append(all, found...)
	}
	if len(all) > 0 {
		writePercentiles(out, all)
	}
	return len(logs), errors.Join(damaged...)
}

func writePercentiles(out io.Writer, all []percentile) {
	fmt.Fprintf(out, "\nrequest logs: percentiles of all requests but the first %d, by simulation with step times "+
		"fitted to "+
		"these\n", fittedTo)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "log\twhat\tmeasured, s\tpredicted, s\terror\thalf-width\tinside\t")
	sum, inside := 0.0, 0
	for _, p := range all {
		half := (p.predicted.High - p.predicted.Low) / 2 / p.predicted.Value
		fmt.Fprintf(w, "%s\t%s\t%.4g\t%.4g\t%s\t%s\t%t\t\n", p.log, p.of, p.truth, p.predicted.Value, percent(p.off()),
			percent(half), p.inside())
		sum += p.off()
		if p.inside() {
			inside++
		}
	}
	_ = w.Flush() // what out refuses is reported with the last line that is written to it
	fmt.Fprintf(out, "mean error %s, coverage %s\n", percent(sum/float64(len(all))),
		percent(float64(inside)/float64(len(all))))
}

// percentilesOf fits the first requests of a log and predicts the others, whose
// arrivals and lengths are known and whose latencies are not. The number of
// sequences at once is a setting of the server: the log shows it in when requests
// were scheduled.
func percentilesOf(path string) ([]percentile, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	read, err := arrivals.ReadRequests(file)
	if err != nil {
		return nil, err
	}
	if len(read.Log) < fittedTo+fittedTo/2 {
		return nil, fmt.Errorf("it has %s and needs %d", quantity.Several(len(read.Log), "request"), fittedTo+fittedTo/2)
	}
	fit, err := batching.Fit(read.Log, fittedTo, batching.Settings{MaxSequences: batching.SequencesSeen(read.Log)})
	if err != nil {
		return nil, err
	}
	requests := make([]batching.Request, len(read.Log))
	for i, o := range read.Log {
		requests[i] = o.Request
	}
	predicted, err := fit.Estimate(func(s batching.Server) ([]float64, error) {
		o, err := batching.Simulate(requests, s)
		if err != nil {
			return nil, err
		}
		return latest(o.Observe(requests)), nil
	})
	if err != nil {
		return nil, err
	}
	name := strings.TrimPrefix(filepath.Base(path), "requests-")
	name, _, _ = strings.Cut(name, ".jsonl")
	var out []percentile
	for i, truth := range latest(read.Log) {
		of := []string{"TTFT p50", "TTFT p95", "TPOT p50", "TPOT p95"}[i]
		out = append(out, percentile{cmp.Or(name, "log"), of, truth, predicted[i]})
	}
	return out, nil
}

// latest are the percentiles of those that were not fitted.
func latest(log []batching.Observed) []float64 {
	l := batching.LatenciesOf(log[fittedTo:], nil)
	return []float64{l.TTFT.P50, l.TTFT.P95, l.TPOT.P50, l.TPOT.P95}
}
