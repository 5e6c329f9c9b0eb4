package arrivals

import (
	"encoding/json"
	"io"
	"math"

	"sweetspot/engine/batching"
)

// line is a request in sweetspot's own log. Times are seconds on one clock; null is
// unknown.
type line struct {
	ArrivalS float64  `json:"arrival_s"`
	Input    int      `json:"input_tokens"`
	Output   int      `json:"output_tokens"`
	FirstS   *float64 `json:"first_token_s"`
	LastS    *float64 `json:"last_token_s"`
}

// WriteLog writes a log as [ReadRequests] reads it.
func WriteLog(w io.Writer, log []batching.Observed) error {
	lines := json.NewEncoder(w)
	known := func(v float64) *float64 {
		if math.IsNaN(v) {
			return nil
		}
		return &v
	}
	for _, o := range log {
		if err := lines.Encode(line{o.ArrivalS, o.Input, o.Output, known(o.FirstS), known(o.LastS)}); err != nil {
			return err
		}
	}
	return nil
}
