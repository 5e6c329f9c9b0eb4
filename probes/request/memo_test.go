package request

import (
	"testing"
	"time"

	"sweetspot/engine/steady"
)

func TestLimit(t *testing.T) {
	for _, c := range []struct {
		rule  steady.Rule
		price *float64
		want  time.Duration
	}{
		{steady.Rule{}, nil, 0},
		{steady.Rule{MaxSeconds: 90}, nil, 90 * time.Second},
		{steady.Rule{MaxUSD: 1}, nil, 0},
		{steady.Rule{MaxUSD: 1}, new(3600.0), time.Second},
		{steady.Rule{MaxUSD: 1, MaxSeconds: 90}, new(0.36), 90 * time.Second},
		{steady.Rule{MaxUSD: 1, MaxSeconds: 90}, new(360.0), 10 * time.Second},
		{steady.Rule{MaxSeconds: 1e300}, nil, 365 * 24 * time.Hour},
	} {
		if got := limit(c.rule, c.price); got != c.want {
			t.Errorf("%+v at %v: %s, want %s", c.rule, c.price, got, c.want)
		}
	}
}
