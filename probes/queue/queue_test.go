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

// An attempt after which another came is not explained by how the job ended at last.
func TestEachAttemptHasItsOwnEnd(t *testing.T) {
	ended := State{ID: "7", Node: "gpu2", Phase: Ended, Why: "it ended by itself"}
	p := &Process{watch: &Watch{states: map[string]State{jobName: ended}}, spool: Spool{Name: SpoolName(jobName, 0)}}
	for again, want := range map[bool]string{
		false: "its job 7 on gpu2: it ended by itself (it was cut off)",
		true:  "its job 7 on gpu2: it was cut off",
	} {
		if p.again = again; p.explain("it was cut off") != want {
			t.Errorf("%q, want %q", p.explain("it was cut off"), want)
		}
	}
}
