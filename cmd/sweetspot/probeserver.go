package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"sweetspot/data/arrivals"
	"sweetspot/data/contract"
	"sweetspot/data/store"
	"sweetspot/data/textfile"
	"sweetspot/data/workload"
	"sweetspot/engine/batching"
	"sweetspot/engine/generation"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/probes/endpoint"
)

// serverFlags are the flags of probe server.
type serverFlags struct {
	model, keyFrom, trace, out string
	engineLog, gpu             string
	precision                  string // of its weights, "" where nobody says
	gpus                       int
	settings                   batching.Settings // that the engine told
	concurrency, input, output []int
	requests, count            int
	rate, maxSeconds, timeout  float64
	seed                       uint64
}

// serverProbe is the JSON of probe server.
type serverProbe struct {
	contract.Head
	URL       string              `json:"url"`
	Model     string              `json:"model"`
	Precision *string             `json:"precision"` // what the server keeps its weights in; null where nobody said
	Cells     []serverCell        `json:"cells"`
	Log       string              `json:"log"`    // file with a line for each request
	Server    *contract.LLMServer `json:"server"` // fitted to all requests; null where they are too few
}

// serverCell is one load on the server.
type serverCell struct {
	Concurrency *int     `json:"concurrency"` // clients that ask again once they are answered; null of an open loop
	PerSecond   *float64 `json:"per_second"`  // requests of an open loop; null of a closed one
	Input       float64  `json:"input_tokens"`
	Output      float64  `json:"output_tokens"`
	Requests    int      `json:"requests"`
	Failed      int      `json:"failed"`
	// The latencies are of the requests that were answered.
	TTFT      contract.LLMPercentiles `json:"ttft"`
	TPOT      contract.LLMPercentiles `json:"tpot"`
	ITL       contract.LLMPercentiles `json:"itl"`
	Generated float64                 `json:"output_tokens_per_second"`
}

func newProbeServerCommand() *cobra.Command {
	var f serverFlags
	cmd := &cobra.Command{
		Use:   "server URL",
		Short: "Measure a server of a language model through its OpenAI-compatible API",
		Long: "probe server streams answers from a server under load: clients that ask again once they are answered, for\n" +
			"each number of them and each length, then requests that come at their own times (--rate or --trace). It notes\n" +
			"when each token comes, writes a log with a line for each request, and fits step times to it. traffic llm " +
			"answers\n" +
			"from the log how much load the server holds. Nothing is sent anywhere but to the URL.",
		Example: "  sweetspot probe server http://127.0.0.1:8000/v1 --model llama-3.1-8b\n" +
			"  sweetspot probe server http://127.0.0.1:8000/v1 --model llama-3.1-8b --concurrency 1,8,32 --rate 2 --count 200",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError("give one URL, such as http://127.0.0.1:8000/v1")
			}
			return f.check()
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	f.register(cmd)
	return cmd
}

func (f *serverFlags) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	f.maxSeconds, f.timeout = 300, 120
	fl.StringVar(&f.model, "model", "", "the model, as the server calls it")
	fl.IntSliceVar(&f.concurrency, "concurrency", []int{1, 4, 16}, "clients at once, one load after the other; 0 for "+
		"none")
	fl.IntSliceVar(&f.input, "input", []int{128, 1024}, "tokens of a prompt")
	fl.IntSliceVar(&f.output, "output", []int{64}, "tokens of an answer")
	fl.IntVar(&f.requests, "requests", 0, "requests of each load (default: two for each client, at least 6)")
	fl.Float64Var(&f.rate, "rate", 0, "then send requests at their own times, so many a second, independently")
	fl.IntVar(&f.count, "count", 100, "requests of --rate, or of --trace at most")
	fl.StringVar(&f.trace, "trace", "", "then send the requests of a trace at its times")
	fl.Uint64Var(&f.seed, "seed", 1, "random seed of prompts, lengths and arrivals")
	fl.Var(lasting(&f.maxSeconds, quantity.ParseDuration), "max-seconds", "end the probe after this time")
	fl.Var(lasting(&f.timeout, quantity.ParseDuration), "timeout", "give a request up after this time")
	fl.StringVar(&f.keyFrom, "api-key-env", "", "name of the environment variable that has the server's API key")
	fl.StringVar(&f.engineLog, "engine-log", "", "what vLLM, SGLang or TGI wrote when it started, for the size of its "+
		"cache and its other settings")
	fl.StringVar(&f.gpu, "gpu", "", "the GPU of the server, by which its loads are kept in the database")
	fl.Var(flagOf(&f.precision, parseWeights, ""), "precision", "what the server keeps its weights in: bf16, fp16, fp8, "+
		"int8, int4 (GPTQ, AWQ) or nf4 (bitsandbytes); its loads are kept as those of that variant")
	fl.IntVar(&f.gpus, "gpu-count", 1, "number of GPUs that a replica uses")
	fl.StringVarP(&f.out, "out", "o", "", "file for the log (default: a new one beside the profile database)")
}

// parseWeights reads what weights are kept in, by the name that variants have of it; those of 16 bits keep theirs.
func parseWeights(s string) (string, error) {
	w, err := generation.ParseWeights(s)
	if err != nil {
		return "", err
	}
	if name := strings.ToLower(strings.TrimSpace(s)); w == generation.Half && name != (profile.Variant{}).Title() {
		return name, nil
	}
	return w.Name, nil
}

func (f *serverFlags) check() error {
	loads := 0
	for _, list := range []struct {
		name        string
		values      []int
		least, most int
	}{{"concurrency", f.concurrency, 0, endpoint.MostAtOnce}, {"input", f.input, 1, 1_000_000},
		{"output", f.output, 1, 100_000}} {
		for _, v := range list.values {
			if v < list.least || v > list.most {
				return usageError("--%s %d: give numbers from %d to %d", list.name, v, list.least, list.most)
			}
		}
	}
	for _, c := range f.concurrency {
		loads += f.each(c) * len(f.input) * len(f.output)
	}
	switch {
	case slices.Max(f.concurrency) == 0 && f.rate == 0 && f.trace == "":
		return usageError("--concurrency 0 leaves no load: give --rate or --trace")
	case f.model == "":
		return usageError("give --model, the model as the server calls it")
	case f.rate < 0 || math.IsNaN(f.rate) || f.rate > 10_000 || f.count < 1 || f.requests < 0:
		return usageError("--rate, --count and --requests are numbers above 0, the rate at most 10,000 a second")
	case f.gpus < 1 || f.gpus > 1024:
		return usageError("--gpu-count %d: give a number from 1 to 1024", f.gpus)
	case f.gpus > 1 && f.gpu == "":
		return usageError("--gpu-count is the number of --gpu: name the GPU, too")
	case f.rate > 0 && f.trace != "":
		return usageError("--trace has times of its own: leave out --rate")
	case loads+f.count > endpoint.MostRequests:
		return usageError("these are more than %d requests: give fewer loads or a smaller --requests", endpoint.MostRequests)
	}
	return nil
}

// each is the number of requests of a closed load.
func (f *serverFlags) each(concurrency int) int {
	if concurrency == 0 {
		return 0
	}
	return cmp.Or(f.requests, max(2*concurrency, 6))
}

func (f *serverFlags) run(cmd *cobra.Command, url string) error {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, time.Duration(f.maxSeconds*float64(time.Second)))
	defer cancel()
	if err := readEngineLog(f.engineLog, &f.settings); err != nil {
		return err
	}
	target := endpoint.Target{URL: url, Model: f.model, Timeout: time.Duration(f.timeout * float64(time.Second))}
	if f.keyFrom != "" {
		if target.Key = os.Getenv(f.keyFrom); target.Key == "" {
			return usageError("--api-key-env %s: the variable is not set", plaintext.Quote(f.keyFrom))
		}
	}
	client, err := endpoint.New(target, f.seed)
	if err != nil {
		return usageError("%w", err)
	}
	arriving, err := f.arriving()
	if err != nil {
		return err
	}
	out, path, err := f.file(database(cmd))
	if err != nil {
		return err
	}
	defer out.Close()
	p := serverProbe{Head: contract.NewHead("probe server"), URL: plaintext.Clean(url), Model: plaintext.Clean(f.model),
		Precision: contract.OrNull(f.precision), Cells: []serverCell{}, Log: path}
	answers, err := f.measure(ctx, client, arriving, &p, cmd.ErrOrStderr())
	log, _ := endpoint.Log(answers)
	if len(log) == 0 {
		_ = os.Remove(path) // it holds nothing
		return cmp.Or(err, errors.New("no request was answered"))
	}
	if err := errors.Join(arrivals.WriteLog(out, log), out.Sync()); err != nil {
		return fmt.Errorf("the log could not be written: %w", err)
	}
	if err != nil {
		p.Warnings = append(p.Warnings, endedEarly(err))
	}
	fit, fitErr := batching.Fit(log, len(log), f.settings)
	if fitErr == nil {
		server := contract.NewLLMServer(*fit)
		server.Precision = p.Precision
		p.Server = &server
	} else {
		p.Warnings = append(p.Warnings, fitErr.Error())
	}
	if err := f.save(cmd, p); err != nil {
		p.Warnings = append(p.Warnings, "the loads are not in the database: "+plaintext.Line(err.Error(), 300))
	}
	if wantsJSON(cmd) {
		return printJSON(cmd.OutOrStdout(), p)
	}
	return p.write(cmd.OutOrStdout())
}

// endedEarly says why loads are missing.
func endedEarly(err error) string {
	why := plaintext.Line(err.Error(), 300)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		why = "the time of --max-seconds was up"
	case errors.Is(err, context.Canceled):
		why = "it was interrupted"
	}
	return "the probe ended early: " + why
}

// arriving are the requests that come at their own times.
func (f *serverFlags) arriving() ([]batching.Request, error) {
	lengths := batching.Lengths{Input: float64(f.input[0]), Output: float64(f.output[0]), Spread: 0.5}
	switch {
	case f.trace != "":
		read, err := workload.ReadTokens(f.trace, lengths, f.seed)
		return read.Requests[:min(len(read.Requests), f.count)], err
	case f.rate > 0:
		return batching.Synthetic(lengths, f.count, f.rate, f.seed), nil
	}
	return nil, nil
}

// file is the log to write, which no file is lost for.
func (f *serverFlags) file(database string) (*os.File, string, error) {
	path := f.out
	if path == "" {
		db, err := store.Named(database)
		if err != nil {
			return nil, "", err
		}
		if err := os.MkdirAll(workload.LogFolder(db), 0o700); err != nil {
			return nil, "", err
		}
		path = filepath.Join(workload.LogFolder(db), workload.LogName(strings.TrimSpace(f.model+" "+f.precision), time.Now()))
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil, "", fmt.Errorf("%s exists already: give another --out", plaintext.Quote(path))
	}
	if err != nil {
		return nil, "", fmt.Errorf("cannot write %s: %w; give --out a file in a folder that is there and that you may "+
			"write to", plaintext.Quote(path), textfile.Cause(err))
	}
	return file, path, nil
}

// measure puts one load after the other on the server.
func (f *serverFlags) measure(ctx context.Context, c *endpoint.Client, arriving []batching.Request, p *serverProbe,
	notes io.Writer) (all []endpoint.Answer, err error) {
	if err := c.Calibrate(ctx); err != nil {
		return nil, err
	}
	keep := func(cell serverCell, answers []endpoint.Answer) {
		all = append(all, answers...)
		cell.add(answers)
		p.Cells = append(p.Cells, cell)
		fmt.Fprintf(notes, "%s: %s, %s failed\n", cell.load(), quantity.Several(cell.Requests, "request"),
			quantity.Count(float64(cell.Failed)))
	}
	for _, output := range f.output {
		for _, input := range f.input {
			for _, n := range f.concurrency {
				if n == 0 {
					continue
				}
				answers, err := c.RunClosed(ctx, endpoint.Closed{Concurrency: n, Input: input, Output: output, Requests: f.each(n)})
				keep(serverCell{Concurrency: &n}, answers)
				if err != nil {
					return all, err
				}
			}
		}
	}
	if len(arriving) == 0 {
		return all, nil
	}
	answers, err := c.RunOpen(ctx, endpoint.Open{Requests: arriving})
	cell := serverCell{}
	if span := arriving[len(arriving)-1].ArrivalS - arriving[0].ArrivalS; span > 0 {
		cell.PerSecond = new(float64(len(arriving)-1) / span)
	}
	keep(cell, answers)
	return all, err
}

// add sums the answers up.
func (cell *serverCell) add(answers []endpoint.Answer) {
	log, failed := endpoint.Log(answers)
	cell.Requests, cell.Failed = len(answers), failed
	var gaps []float64
	for _, a := range answers {
		if a.Err == nil {
			gaps = append(gaps, a.Gaps...)
		}
	}
	begin, end := math.Inf(1), math.Inf(-1)
	for _, o := range log {
		cell.Input, cell.Output = cell.Input+float64(o.Input), cell.Output+float64(o.Output)
		begin, end = min(begin, o.ArrivalS), max(end, o.LastS)
	}
	if end > begin {
		cell.Generated = cell.Output / (end - begin)
	}
	if n := float64(len(log)); n > 0 {
		cell.Input, cell.Output = cell.Input/n, cell.Output/n
	}
	l := batching.LatenciesOf(log, nil)
	cell.TTFT, cell.TPOT = contract.NewPercentiles(l.TTFT), contract.NewPercentiles(l.TPOT)
	cell.ITL = contract.NewPercentiles(batching.PercentilesOf(gaps))
}

func (cell *serverCell) load() string {
	switch {
	case cell.Concurrency != nil:
		return quantity.Several(*cell.Concurrency, "client")
	case cell.PerSecond != nil:
		return strconv.FormatFloat(*cell.PerSecond, 'g', 3, 64) + " requests/s"
	}
	return "requests at once"
}

func (p serverProbe) write(w io.Writer) error {
	var b strings.Builder
	tw := tabwriter.NewWriter(&b, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tw, "load\ttokens in\tout\trequests\tfailed\tTTFT p50\tp95\tTPOT p50\tp95\tITL p99\ttokens/s")
	at := func(l contract.Latency) string { return plaintext.Optional(l.S, "—", quantity.Duration) }
	for _, c := range p.Cells {
		fmt.Fprintf(tw, "%s\t%.0f\t%.0f\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t%.1f\n", c.load(), c.Input, c.Output, c.Requests,
			c.Failed,
			at(c.TTFT.P50), at(c.TTFT.P95), at(c.TPOT.P50), at(c.TPOT.P95), at(c.ITL.P99), c.Generated)
	}
	tw.Flush()
	if s := p.Server; s != nil {
		fmt.Fprintf(&b, "\na step takes %s, %s more for a thousand prompt tokens, %s for a sequence; the fit is off by %s\n",
			quantity.Duration(s.StepS), quantity.Duration(1000*s.PromptS), quantity.Duration(s.SequenceS),
			plaintext.Optional(s.Off, "—", quantity.Percent))
	}
	for _, n := range p.Warnings {
		fmt.Fprintln(&b, "note: "+n)
	}
	fmt.Fprintf(&b, "next: sweetspot traffic llm --log %s\n", plaintext.Clean(p.Log))
	_, err := io.WriteString(w, b.String())
	return err
}
