package contract

import (
	"encoding/csv"
	"io"
	"slices"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/tokens"
)

// Loads is the JSON of traffic loads. Unknown is null.
type Loads struct {
	Head
	Query   LoadsQuery    `json:"query"`
	Servers []LoadsServer `json:"servers"` // of the model, by machine
}

// LoadsQuery is what was asked.
type LoadsQuery struct {
	Model  string    `json:"model"`
	GPU    *string   `json:"gpu"`           // null: of any
	AtOnce []float64 `json:"at_once"`       // empty: those measured, and powers of two between them
	Input  *float64  `json:"input_tokens"`  // null: as measured
	Output *float64  `json:"output_tokens"` // null: as measured
}

// LoadsServer is a server whose loads were measured.
type LoadsServer struct {
	Machine string      `json:"machine"` // in words
	GPU     *string     `json:"gpu"`
	GPUs    *int        `json:"gpu_count"`
	Variant *string     `json:"variant"`
	Loads   []LoadTimes `json:"loads"`
}

// LoadTimes are those of requests of one length, so many of them at once.
type LoadTimes struct {
	AtOnce    float64  `json:"at_once"` // requests that are worked on, each followed by another
	Input     float64  `json:"input_tokens"`
	Output    float64  `json:"output_tokens"`
	TPOT      LoadTime `json:"tpot"`                     // time per output token, without the first
	Latency   LoadTime `json:"latency"`                  // of a request, to its last token
	Generated Number   `json:"output_tokens_per_second"` // of all requests together
}

// LoadTime is a time with what it rests on.
type LoadTime struct {
	Seconds
	Why     string  `json:"why"`     // in words; of an unknown time what is lacking
	Sources []int64 `json:"sources"` // runs that it rests on
}

func newLoadTime(a tokens.Answer) LoadTime {
	return LoadTime{NewSeconds(a.Estimate), clean(a.Why), append([]int64{}, a.Runs...)}
}

// LoadsInput is what traffic loads describes.
type LoadsInput struct {
	Query   LoadsQuery
	Servers []profile.Server
	Lengths tokens.Load // that are asked for; 0 is as measured
	Told    *tokens.Served
}

// NewLoads describes the loads of servers, measured and not.
func NewLoads(in LoadsInput) Loads {
	out := Loads{Head: NewHead("traffic loads"), Query: in.Query, Servers: []LoadsServer{}}
	out.Query.AtOnce = append([]float64{}, in.Query.AtOnce...)
	for _, s := range in.Servers {
		of := LoadsServer{Machine: clean(s.Words()), GPU: OrNull(clean(s.GPU)), GPUs: OrNull(s.GPUs),
			Variant: OrNull(clean(s.Variant.Name)), Loads: []LoadTimes{}}
		for _, l := range in.Told.Loads(s, in.Query.AtOnce, in.Lengths) {
			latency := in.Told.Latency(s, l)
			of.Loads = append(of.Loads, LoadTimes{l.AtOnce, l.Input, l.Output, newLoadTime(in.Told.TPOT(s, l)),
				newLoadTime(latency), newNumber(generated(l, latency.Estimate))})
		}
		out.Servers = append(out.Servers, of)
	}
	return out
}

// generated are the tokens that are written a second.
func generated(l tokens.Load, latency estimate.Estimate) estimate.Estimate {
	if !latency.Known() {
		return estimate.Estimate{}
	}
	all := l.AtOnce * l.Output
	return estimate.Estimate{Value: all / latency.Value, Low: all / latency.High, High: all / latency.Low,
		Basis: latency.Basis}
}

// WriteLoadsCSV writes a line for each load of each server.
func WriteLoadsCSV(w io.Writer, l Loads) error {
	rows := [][]string{{"machine", "at_once", "input_tokens", "output_tokens", "tpot_s", "tpot_low_s", "tpot_high_s",
		"tpot_basis", "latency_s", "latency_low_s", "latency_high_s", "latency_basis", "output_tokens_per_second"}}
	for _, s := range l.Servers {
		for _, x := range s.Loads {
			rows = append(rows, slices.Concat([]string{s.Machine, number(&x.AtOnce), number(&x.Input), number(&x.Output)},
				x.TPOT.cells(), x.Latency.cells(), []string{number(x.Generated.Value)}))
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}

func (t LoadTime) cells() []string {
	return []string{number(t.S), number(t.Low), number(t.High), Known(t.Basis)}
}
