package matrix

import (
	"context"
	"errors"
	"strings"
	"testing"

	"sweetspot/probes/session"
)

// onHosts are cells that differ in their host; what is called a host here is
// this machine again.
func onHosts(hosts ...string) (cells []Cell) {
	for _, h := range hosts {
		cells = append(cells, Cell{Host: h})
	}
	return cells
}

const endless = `while :; do echo '{"sweetspot":1,"event":"iteration","seconds":0.01}' >&3; sleep 0.01; done`

// The cap is one on all hosts together, however many spend side by side.
func TestOneCapForAllHosts(t *testing.T) {
	probe := scripted(database(t), new(3600.0), func(Cell) string { return endless })
	m, err := Start(t.Context(), Options{Cells: onHosts("a", "b", "c"), MaxUSD: 3, Probe: func(ctx context.Context,
		c Cell) (session.Options, error) {
		o, err := probe(ctx, c)
		o.KeepRunning = true
		return o, err
	}})
	if err != nil {
		t.Fatal(err)
	}
	u := m.Wait()
	if *u.SpentUSD < 2.9 || *u.SpentUSD > 6 { // 3 and what stopping took; the whole cap for each would be 9
		t.Errorf("spent $%.2f of $3", *u.SpentUSD)
	}
	for _, r := range u.Rows {
		if r.State != Done || !strings.Contains(r.Why, "cap") {
			t.Errorf("%s: %s, %s", r.Host, r.State, r.Why)
		}
	}
}

// A host that cannot be reached fails its own cells, wherever it stands.
func TestUnreachableHost(t *testing.T) {
	s := database(t)
	there := scripted(s, nil, func(Cell) string { return steps(40, 0.2) })
	probe := func(ctx context.Context, c Cell) (session.Options, error) {
		if c.Host == "gone" {
			return session.Options{}, errors.New("gone can't be reached")
		}
		return there(ctx, c)
	}
	for _, hosts := range [][]string{{"gone", "there", "gone", "there"}, {"there", "gone", "there", "gone"}} {
		m, err := Start(t.Context(), Options{Cells: onHosts(hosts...), Probe: probe})
		if err != nil {
			t.Fatal(err)
		}
		u := m.Wait()
		for _, r := range u.Rows {
			if want := map[string]State{"gone": Failed, "there": Done}[r.Host]; r.State != want {
				t.Errorf("%v: %s is %s, %s", hosts, r.Host, r.State, r.Why)
			}
		}
		if err := u.Failure(); err == nil || !strings.Contains(err.Error(), "2 of 4") {
			t.Errorf("%v: %v", hosts, err)
		}
	}
	if _, err := Start(t.Context(), Options{Cells: onHosts("gone", "gone"), Probe: probe}); err == nil ||
		!strings.Contains(err.Error(), "reached") {
		t.Errorf("no host at all: %v", err)
	}
}
