package explore

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"sweetspot/engine/profile"
	"sweetspot/engine/rank"
	"sweetspot/tui/keys"
)

// The M60 is let alone, in twos and in fours at one price for a GPU: of as many GPUs
// one row is left, which enter opens and esc closes.
func TestTheSameChoiceIsOneRow(t *testing.T) {
	s := asked(t, "CaffeNet", profile.Infer, 120, 38)
	r := s.answer.Result
	if n := r.Count(); s.rows.Len() >= n || s.rows.Len()+len(s.rows.merged.under) != n {
		t.Fatalf("%d rows and %d behind them of %d candidates", s.rows.Len(), len(s.rows.merged.under), n)
	}
	for i, leader := range s.rows.merged.under {
		a, b := r.Space.At(i), r.Space.At(leader)
		p, q := a.Configuration[0], b.Configuration[0]
		if a.Variant.Name != b.Variant.Name || a.BatchSize != b.BatchSize || p.VM.GPU != q.VM.GPU ||
			p.Count*p.VM.GPUCount != q.Count*q.VM.GPUCount || a.Time.Value > b.Time.Value*(1+rank.Material) ||
			a.Cost.Value > b.Cost.Value*(1+rank.Material) {
			t.Errorf("%s stands for %s", b.ID, a.ID)
		}
	}
	focusOn(t, s, len(s.Regions)-1)
	row := 0
	for ; len(s.rows.merged.behind[s.rows.at(row)]) == 0; row++ {
	}
	leader, rows := s.rows.at(row), s.rows.Len()
	s.choose(leader)
	behind := s.rows.merged.behind[leader]
	if cell := ansi.Strip(s.rows.Cell(row, "vm", 20)); !strings.HasSuffix(cell, " +1") && !strings.HasSuffix(cell, " +2") {
		t.Errorf("%d others are not counted: %q", len(behind), cell)
	}
	s.Act(keys.Enter)
	if i, _ := s.Selected(); i != leader || s.rows.Len() != rows+len(behind) || s.rows.at(row+1) != behind[0] ||
		s.Reading() {
		t.Errorf("opened: %d rows, cursor on %d", s.rows.Len(), i)
	}
	for k, i := range behind {
		place := 0
		for at, x := range r.Order() {
			if x == i {
				place = at + 1
			}
		}
		if s.rows.rank(row+1+k) != place || s.rows.row(i) != row+1+k {
			t.Errorf("%d has rank %d in row %d", i, s.rows.rank(row+1+k), s.rows.row(i))
		}
	}
	if s.Act(keys.Enter); !s.Reading() {
		t.Error("enter on an opened row does not say why")
	}
	s.Act(keys.Back)
	if s.Act(keys.Back); s.rows.Len() != rows {
		t.Errorf("closed: %d rows", s.rows.Len())
	}
	s.choose(behind[0])
	if i, _ := s.Selected(); i != leader {
		t.Errorf("a candidate behind %d is found as %d", leader, i)
	}
}

// Chips say all that narrows, and each can be taken away: by backspace the last one.
func TestChipsAreTakenAway(t *testing.T) {
	s := asked(t, "CaffeNet", profile.Infer, 120, 38)
	q := s.Question()
	q.GPUs, q.BatchSizes, q.Words, q.Predicted = []string{"M60"}, []int{300}, "g3", true
	q.Limits = q.Limits.With("cost", new(5.0))
	do(s, s.Change("all", q))
	line := func() string { return ansi.Strip(strings.Split(s.View(), "\n")[s.head.decision]) }
	for _, want := range []string{"model CaffeNet ▾", "on-demand ▾", "batch size: 300 ✗", "GPU: M60 ✗", "/g3 ✗",
		"cost ≤ $5.00 ✗",
		"also predicted ✗"} {
		if !strings.Contains(line(), want) {
			t.Errorf("%q is not in %q", want, line())
		}
	}
	for range 5 {
		do(s, s.Act(keys.Unfilter))
	}
	if got := line(); strings.Contains(got, "✗") || s.answer.Result.Count() != 168 {
		t.Errorf("left: %q", got)
	}
	if do(s, s.Act(keys.Unfilter)); s.Question().Model != "CaffeNet" {
		t.Error("the model is taken away")
	}
	do(s, s.Act(keys.Undo))
	if q := s.Question(); len(q.BatchSizes) != 1 || len(q.GPUs) != 0 {
		t.Errorf("undone: %+v", q)
	}
}
