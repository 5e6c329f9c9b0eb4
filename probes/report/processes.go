package report

import (
	"fmt"

	"sweetspot/engine/estimate"
	"sweetspot/engine/quantity"
	"sweetspot/engine/steady"
	"sweetspot/probes/matrix"
)

// Processes combines a cell's probes in fresh processes, separating the spread
// within one process from that between them. Times in seconds.
type Processes struct {
	N        int       `json:"n"`
	WithinS  float64   `json:"within_s"`  // standard deviation of one process's mean
	BetweenS *float64  `json:"between_s"` // between processes, beyond that; null if there is none
	MeanS    *Interval `json:"mean_s"`
	NextS    *Interval `json:"next_s"` // of one more process
}

// Repeated combines the rows of the same cell up to and including row i; nil if
// fewer than two became steady.
func Repeated(rows []matrix.Row, i int) *Processes {
	var runs []estimate.Estimate
	for _, r := range rows {
		c := r.Cell
		if c.Repeat > rows[i].Repeat {
			continue
		}
		c.Repeat = rows[i].Repeat
		if c == rows[i].Cell && r.Update.Done && r.Update.Summary.IsSteady {
			runs = append(runs, r.Update.Summary.Steady)
		}
	}
	if len(runs) < 2 {
		return nil
	}
	p := steady.Between(runs)
	return &Processes{p.N, p.Within, p.Between, interval(p.Mean), interval(p.Next)}
}

func interval(e estimate.Estimate) *Interval {
	if !e.Known() {
		return nil
	}
	return &Interval{e.Value, e.Low, e.High}
}

// line returns text such as "12.1 ms ±2 % over 3; standard deviation 300 µs between,
// 100 µs within".
func (p *Processes) line() string {
	text := fmt.Sprintf("%s over %d; ", spread(p.MeanS.Value, p.MeanS.Low, p.MeanS.High, quantity.Duration), p.N)
	if p.BetweenS == nil {
		return text + fmt.Sprintf("no more spread between than within, standard deviation %s", quantity.Duration(p.WithinS))
	}
	return text + fmt.Sprintf("standard deviation %s between, %s within", quantity.Duration(*p.BetweenS),
		quantity.Duration(p.WithinS))
}
