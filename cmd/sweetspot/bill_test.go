package main

import (
	"encoding/json"
	"math"
	"strings"
	"sweetspot/data/contract"
	"testing"
)

func TestRankWithABill(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	words := "--bill=startup=90s,disk=200GiB,disk-price=0.08,egress=50GiB,egress-price=0.09"
	out, _, err := execute(t, "rank", "--model", "seismic/FCN", "--epochs", "50", "--purchase", "spot", words, "--json")
	if err != nil {
		t.Fatal(err)
	}
	var got contract.Ranking
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	if b := got.Query.Bill; b.StartupS != 90 || b.DiskGiB != 200 || b.Interruptions != nil ||
		!strings.Contains(strings.Join(got.Warnings, "\n"), "assumed to be interrupted") {
		t.Errorf("asked %+v, warned %q", b, got.Warnings)
	}
	c := got.Candidates[0]
	var sum float64
	var names []string
	for _, i := range c.Cost.Items {
		sum += i.USD
		names = append(names, i.Name)
	}
	if math.Abs(sum-*c.Cost.USD) > 1e-9 || strings.Join(names, " ") != "work startup interruptions disk egress" ||
		!(*c.Cost.Low < *c.Cost.High) {
		t.Errorf("%+v of %g", c.Cost.Items, *c.Cost.USD)
	}
	// A restart takes the start-up too, so with interruptions told the disk and the
	// egress change no time.
	text, _, err := execute(t, "rank", "--model", "seismic/FCN", "--epochs", "50", "--purchase", "spot", words+
		",interruptions=10%/day,checkpoint=30m")
	if err != nil || !strings.Contains(text, "note: the first costs $4.6") || !strings.Contains(text, " + egress $4.50") ||
		!strings.Contains(text, "interrupted 0.00439 times an hour") {
		t.Errorf("%v\n%s", err, text)
	}
}

func TestWrongBills(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	for words, want := range map[string]string{
		"rank --bill boot=90s":                                                       `"boot=90s" is not a part of a bill`,
		"rank --bill disk=200GiB":                                                    "belong together",
		"rank --bill interruptions=0.1/h":                                            "add --purchase spot",
		"plan --model CaffeNet --bill startup=9s --startup 9s":                       "mean the same",
		"export --model CaffeNet --bill startup=9s,startup=8s --format yaml":         "given twice",
		"rank --purchase spot --bill interruptions=0.1/h --bill interruptions=0.2/h": "given twice",
	} {
		_, _, err := execute(t, strings.Fields(words)...)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", words, err, want)
		}
	}
}
