package queue

import (
	"testing"
	"time"
)

func TestWait(t *testing.T) {
	now := time.Unix(1795612664, 0)
	for want, o := range map[string]Offer{
		"unknown":                        {},
		"unknown: its nodes are drained": {NoStart: "its nodes are drained"},
		"none":                           {Starts: now.Add(-time.Minute)},
		"about 12 m 00 s":                {Starts: now.Add(12 * time.Minute)},
	} {
		if got := o.Wait(now); got != want {
			t.Errorf("%+v: %q, want %q", o, got, want)
		}
	}
}

func TestThere(t *testing.T) {
	for want, o := range map[string]Offer{
		"none that can be used": {Count: 2},
		"1 × 8 GPUs":            {Nodes: 1, Count: 8},
		"2 × up to 1 GPU":       {Nodes: 2, Count: 1},
		"3 VM types":            {Nodes: 3, Count: 8, Rented: true},
		"your own":              {Rented: true},
	} {
		if got := o.There(); got != want {
			t.Errorf("%+v: %q, want %q", o, got, want)
		}
	}
}
