package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"sweetspot/data/contract"
	"sweetspot/engine/approx"
	"sweetspot/engine/fleet"
	"sweetspot/engine/profile"
)

// What is not printed must be found all the same where it is asked with, so
// the bound on the jobs holds for it too.
func TestTooManyJobsToSize(t *testing.T) {
	path, _ := recorded(t)
	tooMany := strconv.Itoa(mostSized + 1)
	for _, flags := range [][]string{nil, {"--no-sizing"}} {
		_, _, err := execute(t, append([]string{"fleet", "--seeds", "1", "--db", path, "--jobs", tooMany}, flags...)...)
		if err == nil || !strings.Contains(err.Error(), "give --reserved") {
			t.Errorf("%v: %v", flags, err)
		}
	}
}

// Leaving the sizes out leaves the number of VMs that is asked with as it is.
func TestNoSizing(t *testing.T) {
	b := fleet.Bought{Prices: approx.Prices{Reserved: 0.985, OnDemand: 3.06}, Ways: []fleet.Reservation{
		{Price: profile.Price{USDPerHour: 2.088}, Months: 12}, {Price: profile.Price{USDPerHour: 0.985}, Months: 36},
	}}
	sized := func(noSizing bool) (q fleet.Question, in contract.FleetInput) {
		f := fleetFlags{reserved: unset, noSizing: noSizing}
		q = fleet.Question{
			Jobs: fleet.Usual(400).Generate(1), Terms: fleet.Terms{Deadline: fleet.Range{Low: 1.5, High: 3}, Tightness: 1,
				Ratio: fleet.Range{Low: 0.75, High: 1}, Speed: 1},
			Fleet: fleet.Fleet{GPUsPerVM: 1, Scheduler: fleet.RoundRobin}, Prices: b.Prices, Policies: approx.Policies,
		}
		f.size(t.Context(), &q, &in, fleet.NewDraws(len(q.Jobs), 1), b)
		return q, in
	}
	q, in := sized(false)
	bare, left := sized(true)
	if len(in.Sized) != 2 || left.Sized != nil {
		t.Errorf("%d ways of reserving, without sizing %d", len(in.Sized), len(left.Sized))
	}
	if !in.Found || !left.Found || q.Fleet.VMs == 0 || bare.Fleet.VMs != q.Fleet.VMs {
		t.Errorf("%d VMs, without sizing %d", q.Fleet.VMs, bare.Fleet.VMs)
	}
}

// A term that nobody gave is said to be taken, whatever the jobs are from; a
// given one is not.
func TestTermOfAGivenPrice(t *testing.T) {
	path, _ := recorded(t)
	trace := filepath.Join(t.TempDir(), "jobs.csv")
	if err := os.WriteFile(trace, []byte("submit_s,runtime_s\n900,50\n0,50\n500,60\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	prices := []string{"fleet", "--seeds", "1", "--db", path, "--on-demand-price", "3"}
	for _, c := range []struct {
		flags []string
		taken bool
	}{
		{[]string{"--reserved-price", "1", "--jobs", "300"}, true},
		{[]string{"--reserved-price", "1", "--trace", trace}, true},
		{[]string{"--reserved-price", "1", "--jobs", "300", "--term", "reserved-1y"}, false},
		{[]string{"--jobs", "300"}, false},
	} {
		out, _, err := execute(t, append(prices, c.flags...)...)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(out, "note: nothing says for how long the price of a reservation is paid: a term of "+
			"three years"); got != c.taken {
			t.Errorf("%v: %v in\n%s", c.flags, got, out)
		}
	}
}
