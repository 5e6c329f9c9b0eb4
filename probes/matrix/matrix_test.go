package matrix

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sweetspot/data/store"
	"sweetspot/engine/profile"
	"sweetspot/engine/steady"
	"sweetspot/probes/prune"
	"sweetspot/probes/runner"
	"sweetspot/probes/session"
)

func database(t *testing.T) *store.Store {
	t.Helper()
	path := filepath.Join(t.TempDir(), "p.db")
	s, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// steps is a script that reports n iterations of seconds each and ends.
func steps(n int, seconds float64) string {
	return fmt.Sprintf(`i=0; while [ $i -lt %d ]; do echo '{"sweetspot":1,"event":"iteration","seconds":%g}'; `+
		`i=$((i+1)); done >&3`, n, seconds)
}

// scripted makes sessions of shell scripts.
func scripted(s *store.Store, usd *float64, script func(Cell) string) func(context.Context,
	Cell) (session.Options, error) {
	return func(_ context.Context, c Cell) (session.Options, error) {
		d := store.Description{Model: profile.Model{Name: "m"}, Mode: profile.Train, BatchSize: c.Batch}
		d.Machine.USDPerHour = usd
		d.Variant.Precision = c.Precision
		return session.Options{Command: []string{"/bin/sh", "-c", script(c)}, Description: d, Rule: steady.DefaultRule(),
			Store: s}, nil
	}
}

func TestSmallestFirst(t *testing.T) {
	cells, err := Axes{Mode: profile.Infer, Batches: []int{64, 16, 64}, Precisions: []string{"fp32", "int8"},
		Prunes: []prune.Degree{"", "0.5"}, Repeats: 2}.Cells()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range cells {
		got = append(got, c.Label())
	}
	want := []string{
		"batch 16 · int8 · pruned 50 %", "batch 16 · fp32 · pruned 50 %", "batch 16 · int8", "batch 16 · fp32",
		"batch 64 · int8 · pruned 50 %", "batch 64 · fp32 · pruned 50 %", "batch 64 · int8", "batch 64 · fp32",
	}
	for _, label := range slices.Clone(want) {
		want = append(want, label+" · repeat 2")
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if _, err := (Axes{Batches: []int{1, 2, 3}, Repeats: 100}).Cells(); err == nil ||
		!strings.Contains(err.Error(), "300 probes") {
		t.Errorf("300 cells: %v", err)
	}
}

// Whatever the axes, no cell that could run out of memory because an earlier
// one did comes before it.
func TestOrderNeverPutsTheLargerFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := Axes{
			Batches: rapid.SliceOfN(rapid.IntRange(1, 512), 0, 4).Draw(t, "batches"),
			Precisions: rapid.SliceOfN(rapid.SampledFrom([]string{"fp32", "fp16", "bf16", "int8", "tf32"}), 0, 3).Draw(t,
				"precisions"),
			Prunes: rapid.SliceOfN(rapid.SampledFrom([]prune.Degree{"", "0.1", "0.5", "a=0.2", "a=0.2,b=0.3", "a=0.6,b=0.3",
				"b=0.3", "b=0.9"}), 0, 4).Draw(t, "prunes"),
		}
		cells, err := a.Cells()
		if err != nil {
			t.Fatal(err)
		}
		for i, earlier := range cells {
			for _, later := range cells[i+1:] {
				if !earlier.fits(later) && earlier != later {
					t.Fatalf("%s runs before %s, which is smaller", earlier.Label(), later.Label())
				}
			}
		}
	})
}

func TestMatrixRunsItsCells(t *testing.T) {
	s := database(t)
	cells, _ := Axes{Mode: profile.Train, Batches: []int{16, 32, 64, 128}, Precisions: []string{"fp32", "bf16"}}.Cells()
	m, err := Start(t.Context(), Options{Cells: cells, Probe: scripted(s, new(3.6), func(c Cell) string {
		switch {
		case c.Precision == "fp32" && c.Batch == 64:
			return steps(1, 0.1) + `; echo '{"sweetspot":1,"event":"done","reason":"oom"}' >&3; exit 1`
		case c.Precision == "bf16" && c.Batch == 32:
			return "echo broken >&2; exit 3"
		}
		return steps(40, 0.2)
	})})
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for range m.Updates() {
		seen++
	}
	u := m.Wait()
	got := map[string]State{}
	for _, r := range u.Rows {
		got[r.Label()] = r.State
	}
	want := map[string]State{
		"batch 16 · bf16": Done, "batch 16 · fp32": Done, "batch 32 · bf16": Failed, "batch 32 · fp32": Done,
		"batch 64 · bf16": Done, "batch 64 · fp32": OutOfMemory, "batch 128 · bf16": Done, "batch 128 · fp32": Skipped,
	}
	for label, state := range want {
		if got[label] != state {
			t.Errorf("%s is %s, want %s", label, got[label], state)
		}
	}
	if seen == 0 || !u.Done || u.SpentUSD == nil || u.SpentS <= 0 {
		t.Errorf("%d updates, the last %+v", seen, u)
	}
	if err := u.Failure(); err == nil ||
		!strings.Contains(err.Error(), "1 of 8 probes failed, the first (batch 32 · bf16)") {
		t.Errorf("failure: %v", err)
	}
	if why := u.Rows[7].Why; why != "batch 64 · fp32 ran out of memory" {
		t.Errorf("skipped because %q", why)
	}
	checkSeries(t, s, u.Rows)
}

// checkSeries wants every run under the number of the first.
func checkSeries(t *testing.T, s *store.Store, rows []Row) {
	t.Helper()
	first := rows[0].Update.Run.ID
	for _, r := range rows {
		if r.State == Skipped {
			continue
		}
		saved, err := s.Record(t.Context(), r.Update.Run.ID)
		if err != nil || saved.Series != first {
			t.Errorf("%s is of the series %d, want %d; %v", r.Label(), saved.Series, first, err)
		}
	}
}

func TestFirstCellThatCannotStart(t *testing.T) {
	s := database(t)
	probe := func(ctx context.Context, c Cell) (session.Options, error) {
		o, err := scripted(s, nil, func(Cell) string { return "" })(ctx, c)
		o.Command = []string{"/no/such/program"}
		return o, err
	}
	if _, err := Start(t.Context(), Options{Cells: make([]Cell, 2), Probe: probe}); err == nil ||
		!strings.Contains(err.Error(), "/no/such/program") {
		t.Errorf("%v", err)
	}
}

func TestStopSkipsTheRest(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(*Matrix)
		runs int
	}{
		"stop":   {(*Matrix).Stop, 1},
		"cancel": {(*Matrix).Cancel, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := database(t)
			cells, _ := Axes{Batches: []int{1, 2, 3}}.Cells()
			m, err := Start(t.Context(), Options{Cells: cells, Probe: scripted(s, nil, func(Cell) string {
				return steps(3, 1) +
					"; exec sleep 60"
			})})
			if err != nil {
				t.Fatal(err)
			}
			for u := range m.Updates() {
				if len(u.Rows[0].Update.Seconds) == 3 && !u.Stopping {
					c.end(m)
				}
			}
			u := m.Wait()
			if u.Rows[1].State != Skipped || u.Rows[2].State != Skipped || u.Rows[0].State != Done {
				t.Errorf("%s, %s, %s", u.Rows[0].State, u.Rows[1].State, u.Rows[2].State)
			}
			set, err := s.Load(t.Context())
			if err != nil || len(set.Runs) != c.runs {
				t.Errorf("%d runs kept, want %d; %v", len(set.Runs), c.runs, err)
			}
		})
	}
}

// Stopping does not wait for a cell that is being started, be it a slow interpreter
// or a host that does not answer.
func TestStopEndsTheStartOfACell(t *testing.T) {
	s := database(t)
	for name, slow := range map[string]func(context.Context, *session.Options) error{
		"looking for an interpreter": func(ctx context.Context, _ *session.Options) error {
			<-ctx.Done()
			return ctx.Err()
		},
		"connecting": func(_ context.Context, o *session.Options) error {
			o.Start = func(ctx context.Context, _ runner.Command) (session.Process, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return nil
		},
	} {
		starting := make(chan struct{})
		probe := scripted(s, nil, func(Cell) string { return steps(3, 0.1) })
		m, err := Start(t.Context(), Options{
			Cells: []Cell{{Batch: 1}, {Batch: 2}, {Batch: 3}},
			Probe: func(ctx context.Context, c Cell) (session.Options, error) {
				o, err := probe(ctx, c)
				if c.Batch == 2 && err == nil {
					close(starting)
					err = slow(ctx, &o)
				}
				return o, err
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		<-starting
		m.Stop()
		var states []State
		u := m.Wait()
		for _, r := range u.Rows {
			states = append(states, r.State)
		}
		if !slices.Equal(states, []State{Done, Skipped, Skipped}) || u.Failure() != nil {
			t.Errorf("%s: %v, %v", name, states, u.Failure())
		}
	}
}

func TestMoneyIsCappedOverAll(t *testing.T) {
	s := database(t)
	cells, _ := Axes{Batches: []int{1, 2}}.Cells()
	usd := 36000.0 // $10 a second
	m, err := Start(t.Context(), Options{Cells: cells, MaxUSD: 5,
		Probe: scripted(s, &usd, func(Cell) string { return steps(3, 1) + "; exec sleep 60" })})
	if err != nil {
		t.Fatal(err)
	}
	u := m.Wait()
	if u.Rows[0].State != Done || u.Rows[0].Update.StoppedBecause != steady.Cap || u.Rows[1].State != Skipped {
		t.Errorf("%s (%s), %s (%s)", u.Rows[0].State, u.Rows[0].Why, u.Rows[1].State, u.Rows[1].Why)
	}
}

// Two hosts do not wait for each other.
func TestHostsRunSideBySide(t *testing.T) {
	s := database(t)
	cells, _ := Axes{Batches: []int{1, 2}, Hosts: []string{"a", "b"}}.Cells()
	m, err := Start(t.Context(), Options{Cells: cells, Probe: scripted(s, nil, func(c Cell) string {
		if c.Host == "a" {
			return steps(3, 1) + "; exec sleep 60"
		}
		return steps(30, 0.3)
	})})
	if err != nil {
		t.Fatal(err)
	}
	deadline := time.After(20 * time.Second)
	for {
		select {
		case u := <-m.Updates():
			if u.Rows[1].State == Done && u.Rows[3].State == Done && u.Rows[0].State == Running && u.Rows[2].State == Waiting {
				m.Cancel()
				m.Wait()
				return
			}
		case <-deadline:
			t.Fatal("host b waited for host a")
		}
	}
}

// Ending what the probes ran on may take long: that they are over is shown before.
func TestOverIsShownBeforeTheEnd(t *testing.T) {
	end, probe := make(chan struct{}), scripted(database(t), nil, func(Cell) string { return steps(3, 0.01) })
	ended := end
	cells := []Cell{{Mode: profile.Train, Batch: 8}, {Mode: profile.Train, Batch: 16}}
	m, err := Start(t.Context(), Options{Cells: cells, Probe: probe, End: func(context.Context, Update) error {
		<-ended
		return errors.New("it could not be ended")
	}})
	if err != nil {
		t.Fatal(err)
	}
	over := func(r Row) bool { return r.State != Waiting && r.State != Running }
	last := 0
	for u := range m.Updates() {
		if u.Seq <= last {
			t.Errorf("update %d comes after %d", u.Seq, last)
		}
		last = u.Seq
		if all := len(u.Rows) == 2 && over(u.Rows[0]) && over(u.Rows[1]); all && end != nil {
			if u.Done || u.Warning != "" {
				t.Errorf("it is done before its end: %+v", u)
			}
			close(end)
			end = nil
		}
	}
	if u := m.Wait(); end != nil || !u.Done || u.Warning != "it could not be ended" {
		t.Errorf("the end waits: %v; the last update is %+v", end != nil, u)
	}
}
