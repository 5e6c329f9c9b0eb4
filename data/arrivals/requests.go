package arrivals

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"sweetspot/data/textfile"
	"sweetspot/engine/batching"
	"sweetspot/engine/quantity"
)

// Requests is a trace, or a log, of requests to a language model, in order of
// arrival; the first arrives at 0. Where the file has no lengths the tokens are 0.
type Requests struct {
	Log        []batching.Observed
	HasLengths bool
	HasTimes   bool     // of first and last tokens
	Format     string   // in a word or two
	Notes      []string // sentences without a full stop
}

// row is a request as a file has it, under one of the names below.
type row struct {
	ArrivalS, QueuedS, AdmittedS, FirstS, LastS *float64
	Input, Output                               *float64
}

// The names of what a row holds: those of sweetspot's own log, then those of
// vLLM's metrics as LLMServingSim records them, Azure's traces and BurstGPT.
var (
	arrivalNames  = []string{"arrival_s", "arrival_time", "time_s"}
	queuedNames   = []string{"queued_ts"}
	admittedNames = []string{"admitted_s", "scheduled_ts"}
	firstNames    = []string{"first_token_s", "first_token_ts"}
	lastNames     = []string{"last_token_s", "last_token_ts"}
	inputNames    = []string{"input_tokens", "input_toks", "ContextTokens", "Request tokens", "prompt_tokens"}
	outputNames   = []string{"output_tokens", "output_toks", "GeneratedTokens", "Response tokens", "completion_tokens"}
)

// Limits on a file of requests.
const (
	maxRequestRows = 5_000_000
	maxItem        = 1 << 20 // bytes of a JSON line
)

// ReadRequests reads requests with their lengths: CSV with the columns time_s or
// TIMESTAMP, and input_tokens and output_tokens (or Azure's ContextTokens and
// GeneratedTokens), or JSON Lines with such keys and, for a log, the times of the
// first and the last token. Errors about the content are of type [*textfile.Error].
func ReadRequests(r io.Reader) (*Requests, error) {
	text := textfile.Open(r)
	out := &gathered{}
	var err error
	if first, _ := text.Peek(1); string(first) == "{" {
		out.format, err = "JSON Lines", out.readLines(text)
	} else {
		out.format, err = "CSV", out.readTable(text)
	}
	if err != nil {
		return nil, err
	}
	return out.requests()
}

// gathered are the rows of a file.
type gathered struct {
	rows     []row
	format   string
	unserved int // without an output: cancelled, or failed
}

// add keeps a row, or says what is wrong with it.
func (g *gathered) add(r row) error {
	if len(g.rows) >= maxRequestRows {
		return fmt.Errorf("more than %d requests; split the file", maxRequestRows)
	}
	if r.ArrivalS == nil {
		return errors.New("has no time of arrival; name it arrival_s, or time_s")
	}
	for _, tokens := range []*float64{r.Input, r.Output} {
		if tokens != nil && (*tokens != math.Trunc(*tokens) || *tokens < 0 || *tokens > batching.MaxTokens) {
			return fmt.Errorf("has %g tokens; give a whole number up to %d", *tokens, batching.MaxTokens)
		}
	}
	if (r.Input == nil) != (r.Output == nil) || len(g.rows) > 0 && (r.Input == nil) != (g.rows[0].Input == nil) {
		return errors.New("has one of the numbers of input and output tokens only; give both in each row, or in none")
	}
	if r.Input != nil && (*r.Input == 0 || *r.Output == 0) {
		g.unserved++
		return nil
	}
	g.rows = append(g.rows, r)
	return nil
}

func (g *gathered) readTable(text io.Reader) error {
	t := textfile.NewTable(text)
	t.MaxRows = maxRequestRows
	if err := t.Header("a trace of requests, time_s,input_tokens,output_tokens,", ""); err != nil {
		return err
	}
	clock := cmp.Or(present(t, arrivalNames), present(t, []string{string(Timestamps)}))
	if clock == "" {
		return t.Wrong("there is no time column among %s; name one time_s (one row per request) or TIMESTAMP", t.Listed())
	}
	if err := t.Need(clock); err != nil {
		return err
	}
	return t.Each(func() error {
		number := func(names []string) *float64 { return t.NotNegative(present(t, names)) }
		r := row{
			QueuedS: number(queuedNames), AdmittedS: number(admittedNames), FirstS: number(firstNames),
			LastS: number(lastNames), Input: number(inputNames), Output: number(outputNames),
		}
		if clock == string(Timestamps) {
			at, ok := moment(t.Raw(clock))
			if !ok {
				return noDateTime(t, clock)
			}
			r.ArrivalS = &at
		} else {
			r.ArrivalS = t.NotNegative(clock)
		}
		if err := g.add(r); err != nil {
			return t.Wrong("%s", err.Error())
		}
		return nil
	})
}

// present is the first of the names that a table has as a column; "" for none.
func present(t *textfile.Table, names []string) string {
	for _, n := range names {
		if t.Has(n) {
			return n
		}
	}
	return ""
}

// moment reads a date and time, or a number, as seconds.
func moment(cell string) (float64, bool) {
	if at, ok := dateTime(cell); ok {
		return float64(at.Unix()) + float64(at.Nanosecond())/1e9, true
	}
	v, ok := textfile.Finite(cell)
	return v, ok && v >= 0
}

func (g *gathered) readLines(text io.Reader) error {
	items := textfile.NewItems(text, "line", maxItem)
	for items.More() {
		var values map[string]any
		if err := items.Next(&values); err != nil {
			return err
		}
		r, err := rowOf(values)
		if err == nil {
			err = g.add(r)
		}
		if err != nil {
			return items.Wrong("%s", err.Error())
		}
	}
	return items.End()
}

// rowOf is the row of a JSON line. What is there and no number is wrong: left out, the
// lengths would be synthetic.
func rowOf(values map[string]any) (r row, err error) {
	number := func(names []string) *float64 {
		for _, n := range names {
			switch v, ok := values[n].(float64); {
			case values[n] == nil:
			case ok && v >= 0 && v < furthest:
				return &v
			default:
				err = fmt.Errorf("%s is not a number from 0 to %g; give one, or null where it is unknown", n, furthest)
			}
		}
		return nil
	}
	r = row{
		ArrivalS: number(arrivalNames), QueuedS: number(queuedNames), AdmittedS: number(admittedNames),
		FirstS: number(firstNames), LastS: number(lastNames), Input: number(inputNames), Output: number(outputNames),
	}
	return r, err
}

// requests puts the rows in order and on one clock.
func (g *gathered) requests() (*Requests, error) {
	if len(g.rows) == 0 {
		return nil, textfile.Wrong(1, "the file contains no request that was served; is it complete?")
	}
	out := &Requests{Format: g.format, HasLengths: g.rows[0].Input != nil, HasTimes: true}
	shift := g.clocks()
	sorted := slices.IsSortedFunc(g.rows, byArrival)
	slices.SortStableFunc(g.rows, byArrival)
	start := *g.rows[0].ArrivalS
	timed := 0
	for _, r := range g.rows {
		o := batching.Observed{AdmittedS: r.on(r.AdmittedS, start+shift), FirstS: r.on(r.FirstS, start+shift),
			LastS: r.on(r.LastS, start+shift)}
		o.ArrivalS = *r.ArrivalS - start
		if out.HasLengths {
			o.Input, o.Output = int(*r.Input), int(*r.Output)
		}
		if o.Complete() {
			timed++
		}
		out.Log = append(out.Log, o)
	}
	if span := out.Log[len(out.Log)-1].ArrivalS; span > batching.MaxSpanS {
		return nil, textfile.Wrong(0, "the requests span %.4g days, above %d; split the file, or give the time in seconds",
			span/86400, batching.MaxSpanS/86400)
	}
	out.HasTimes = timed > 0
	if !sorted {
		out.Notes = append(out.Notes, "the requests are not sorted by arrival; they were sorted")
	}
	if g.unserved > 0 {
		out.Notes = append(out.Notes, quantity.Several(g.unserved, "request")+" without tokens left out")
	}
	if out.HasTimes && timed < len(out.Log) {
		out.Notes = append(out.Notes, quantity.Several(len(out.Log)-timed, "request")+
			" without the times of a first and a last token; their load counts, their latency does not")
	}
	return out, nil
}

func byArrival(a, b row) int { return cmp.Compare(*a.ArrivalS, *b.ArrivalS) }

// on is a time on the clock whose zero is start; NaN where it is unknown.
func (r row) on(at *float64, start float64) float64 {
	if at == nil {
		return math.NaN()
	}
	return *at - start
}

// clocks is how far the clock of the tokens is ahead of that of the arrivals. vLLM
// takes arrivals by the time of day and the rest from when the machine started; no
// request is queued before it arrives, and the quickest one at once.
func (g *gathered) clocks() float64 {
	ahead := math.Inf(1)
	for _, r := range g.rows {
		if r.QueuedS != nil {
			ahead = min(ahead, *r.QueuedS-*r.ArrivalS)
		}
	}
	if math.IsInf(ahead, 1) {
		return 0
	}
	return ahead
}
