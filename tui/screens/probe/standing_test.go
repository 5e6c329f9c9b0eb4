package probe

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/steady"
	"sweetspot/probes/matrix"
	"sweetspot/probes/session"
	"sweetspot/tui/keys"
	"sweetspot/tui/theme"
)

const tooWide = "±14.8 % after 11734 steady steps; they vary too much, ±2 % would take 1 h 08 m"

// unsettled is a matrix whose probes did not all come to what was asked for:
// after a precise one an imprecise and a rough one, one of too few iterations,
// one that failed, and a rough one that runs.
func unsettled(t *testing.T) matrix.Update {
	t.Helper()
	u := several(t, six, 5)
	done := func(i int, because, words string, m steady.Summary) {
		r := &u.Rows[i]
		r.State, r.Why = matrix.Done, words
		r.Update = measured(100)
		r.Update.Summary, r.Update.Done, r.Update.StoppedBecause, r.Update.StoppedWords, r.Update.Run.ID = m, true, because,
			words, int64(30+i)
		r.Update.Run.Steady = m.Steady
	}
	m := u.Rows[0].Update.Summary
	m.Steady = estimate.Around(0.0025, 0.82*0.0025, estimate.Measured)
	done(1, steady.Cap, tooWide, m)
	m.IsSteady, m.Why = false, "still changing: the warm-up would take more than half of 99 iterations"
	done(2, steady.Cap, "reached the cap of 2 m 00 s; not steady: "+m.Why, m)
	few := steady.Summary{Total: 8, First: 0.5, Why: "7 iterations after the first, needs 25"}
	done(3, session.End, "", few)
	u.Rows[4].State, u.Rows[4].Why, u.Rows[4].Update.Err = matrix.Failed, "the script failed with exit 1",
		errors.New("exit 1")
	r := &u.Rows[5]
	r.Update.Summary = m
	r.Update.Verdict = steady.Verdict{Words: m.Why, Progress: 0.42}
	return u
}

func TestGoldenFramesOfUnsettledProbes(t *testing.T) {
	for name, row := range map[string]int{"imprecise": 1, "rough": 2, "few": 3, "running": 5} {
		for _, size := range terminals {
			t.Run(fmt.Sprintf("%s_%dx%d", name, size.w, size.h), func(t *testing.T) {
				s := started(t)
				s.Update(unsettled(t))
				s.SetSize(size.w, size.h-ownRows)
				s.moveTo(row)
				golden.RequireEqual(t, exact(t, s))
			})
		}
	}
}

// On every terminal the row itself tells what its mean is worth, and the words
// of the chosen one tell why.
func TestLessThanWasAskedForIsNoSuccess(t *testing.T) {
	for _, size := range terminals {
		s := started(t)
		s.Update(unsettled(t))
		s.SetSize(size.w, size.h-ownRows)
		got := exact(t, s)
		want := "4 of 6 done (1 imprecise, 1 rough, 1 no mean), 1 failed"
		if size.w == 50 {
			want = "4 of 6 done (3 unsure), 1 failed"
		}
		if !strings.Contains(got, want) {
			t.Errorf("%d×%d: the tally is missing:\n%s", size.w, size.h, got)
		}
		for row, want := range map[int][]string{
			1: {"±", "imprecise: ±14.8 % after 11734 steady", "±2 % would take 1 h 08 m"},
			2: {"≈", "rough: reached the cap of 2 m 00 s; not steady: still changing", "more than half of 99 iterations"},
			3: {"?", "no mean: the script ended", "never steady: 7 iterations after the first, needs 25"},
		} {
			s.moveTo(row)
			words := strings.Join(strings.Fields(strings.NewReplacer("│", " ", "╭", " ", "╮", " ", "─",
				" ").Replace(panelOf(exact(t, s), size.w))), " ")
			for _, w := range want[1:] {
				if !strings.Contains(words, w) {
					t.Errorf("%d×%d: row %d does not say %q: %s", size.w, size.h, row, w, words)
				}
			}
			if line := lineOf(exact(t, s), "▸ "); !strings.Contains(line, want[0]) || strings.Contains(line, "✓") {
				t.Errorf("%d×%d: row %d looks like a success: %s", size.w, size.h, row, line)
			}
		}
	}
}

// The headline of what is over claims no more than the means do.
func TestOnlyASureMeanIsHeadedMeasured(t *testing.T) {
	title := func(u matrix.Update) string {
		s := started(t)
		u.Seq, u.Done, u.Current = 99, true, 0
		s.Update(u)
		line, _, _ := strings.Cut(exact(t, s), "\n")
		return line
	}
	all := unsettled(t)
	for row, want := range map[int]string{0: "✓ measured", 1: "± imprecise", 2: "≈ rough", 3: "? no mean"} {
		u := matrix.Update{Rows: all.Rows[row : row+1]}
		u.Rows[0].Update.Done = true
		if got := title(u); !strings.HasPrefix(got, " "+want+" ") {
			t.Errorf("row %d alone is headed %q", row, got)
		}
	}
	if got := title(matrix.Update{Rows: all.Rows[:4]}); !strings.HasPrefix(got, " ✓ measured ") {
		t.Errorf("with a sure mean: %q", got)
	}
	for _, rows := range [][]matrix.Row{all.Rows[1:4], {all.Rows[4], all.Rows[4]}} {
		if got := title(matrix.Update{Rows: rows}); !strings.HasPrefix(got, " ended ") {
			t.Errorf("without any: %q", got)
		}
	}
}

// panelOf is the part of a frame that has the words of the chosen probe.
func panelOf(frame string, w int) string {
	var out []string
	for _, l := range strings.Split(frame, "\n") {
		cells := []rune(l)
		switch {
		case w >= 120:
			l = string(cells[w-rightWidth:])
		case w == 80:
			l = string(cells[w-rightWidth:])
		}
		out = append(out, l)
	}
	return strings.Join(out, "\n")
}

func lineOf(frame, mark string) string {
	for _, l := range strings.Split(frame, "\n") {
		if strings.Contains(l, mark) {
			return l
		}
	}
	return ""
}

// The chart of a probe that never became steady names no part of it steady.
func TestNoSteadyPartIsDrawnOfWhatIsRough(t *testing.T) {
	s := started(t)
	s.Update(unsettled(t))
	s.moveTo(2)
	if got := leftOf(exact(t, s), s.w-rightWidth); strings.Contains(got, "  steady") || strings.Contains(got, "═") {
		t.Errorf("the chart has a steady part:\n%s", got)
	}
	s.moveTo(0)
	if got := leftOf(exact(t, s), s.w-rightWidth); !strings.Contains(got, "  steady") || !strings.Contains(got, "═") {
		t.Errorf("the chart of a steady one has none:\n%s", got)
	}
}

func TestTheTitleStaysWhateverRowIsShown(t *testing.T) {
	for _, size := range terminals {
		s := started(t)
		s.Update(several(t, six, 4))
		s.SetSize(size.w, size.h-ownRows)
		first := ""
		for row := range s.all.Rows {
			s.moveTo(row)
			title, _, _ := strings.Cut(exact(t, s), "\n")
			if first == "" {
				first = title
			}
			if title != first {
				t.Errorf("%d×%d: row %d is titled %q, the first %q", size.w, size.h, row, title, first)
			}
		}
	}
}

// A mean has one half-width beside it: that of its own moment.
func TestNoSecondHalfWidthBesideAMean(t *testing.T) {
	for words, want := range map[string]string{
		"±75.6 %, aims at ±2 %":                         "aims at ±2 %",
		"±18 % at the last check, aims at ±2 %":         "aims at ±2 %",
		"±0.9 %, goes on for ±0.7 % until 30 s":         "goes on for ±0.7 % until 30 s",
		"±0.9 % after 3.1 s of steady steps, needs 5 s": "after 3.1 s of steady steps, needs 5 s",
		"12 steady steps, needs 20":                     "12 steady steps, needs 20",
		"a long iteration every 7: 1 period seen, needs 4": "a long iteration every 7: 1 period seen, " +
			"needs 4",
		"±3.0 %, aims at ±1.2 %, which tells g3.4xlarge from p2.xlarge\x07": "aims at ±1.2 %, which tells g3.4xlarge from " +
			"p2.xlarge",
	} {
		u := measured(150)
		u.Summary.Steady = estimate.Around(0.0737, 0.07*0.0737, estimate.Measured)
		u.Verdict = steady.Verdict{Words: words, Progress: 0.3}
		if got := aim(&u, 0.02); got != want {
			t.Errorf("%q became %q", words, got)
		}
		s := started(t)
		s.Update(one(u))
		if got := exact(t, s); !strings.Contains(got, "±7 %") || strings.Contains(got, "±75.6 %") ||
			strings.Contains(got, "±18 %") {
			t.Errorf("two half-widths of one mean:\n%s", got)
		}
	}
	u := measured(150)
	u.Summary.InterimHalfWidth, u.Verdict = 0.18, steady.Verdict{Words: "±18 % at the last check, aims at ±2 %",
		Progress: 0.01}
	if got := aim(&u, 0.02); !strings.Contains(got, "confirmed at the next check") {
		t.Errorf("a mean that is precise already waits for %q", got)
	}
	s := started(t)
	all := several(t, six, 4)
	all.Rows[4].Update.Verdict.Words = "±18.1 %, aims at ±2 %"
	s.Update(all)
	s.SetSize(200, 48)
	if got := exact(t, s); strings.Contains(got, "18.1") {
		t.Errorf("a running row has two half-widths:\n%s", got)
	}
}

func TestWarningsAreWholeOrCountedAndNeverEndUnseen(t *testing.T) {
	s := running(t, six, 4)
	s.SetSize(80, 22)
	got := exact(t, s)
	words := strings.Join(strings.Fields(strings.NewReplacer("│", " ").Replace(leftOf(got, 34))), " ")
	if !strings.Contains(words, "31 % of each step is spent waiting for input: more DataLoader workers may help") ||
		!strings.Contains(got, "1 of 2 warnings") {
		t.Errorf("the newest warning is cut or the other one not counted:\n%s", got)
	}
	if lines, shown := s.warningLines(40, 1); len(lines) != 1 || shown != 1 || !strings.Contains(lines[0], "…") {
		t.Errorf("a cut warning doesn't show that it is: %q", lines)
	}
	if lines, shown := s.warningLines(200, 9); len(lines) != 2 || shown != 2 ||
		strings.Contains(strings.Join(lines, ""), "…") {
		t.Errorf("with room, %d are shown: %q", shown, lines)
	}
	if lines, shown := s.warningLines(40, 0); lines != nil || shown != 0 {
		t.Errorf("without room, %d are shown", shown)
	}
}

func leftOf(frame string, w int) string {
	var out []string
	for _, l := range strings.Split(frame, "\n") {
		out = append(out, string([]rune(l)[:w]))
	}
	return strings.Join(out, "\n")
}

func TestHostsAreToldApartWhereThereIsNoColumnForThem(t *testing.T) {
	s := running(t, hosts, 4)
	s.SetSize(50, 13)
	s.moveTo(5)
	if got := exact(t, s); !strings.Contains(got, "me@vm1 · repeat 2") ||
		!strings.Contains(got, "me@vm2:2222 · repeat 2") {
		t.Errorf("rows of two hosts look the same:\n%s", got)
	}
	s.SetSize(120, 38)
	if got := exact(t, s); !strings.Contains(got, "batch 64 · repeat 2") {
		t.Errorf("with a column for them, the label stays:\n%s", got)
	}
}

func TestEveryBadgeHasItsOwnMark(t *testing.T) {
	u := unsettled(t)
	u.Rows = append(u.Rows, several(t, six, 4).Rows...)
	for _, symbols := range []string{"braille", "ascii"} {
		set, err := theme.SymbolSet(symbols)
		if err != nil {
			t.Fatal(err)
		}
		th := dark().WithSymbols(set)
		words := map[string]string{}
		for i := range u.Rows {
			b := badgeOf(th, &u.Rows[i], 0.02)
			if w, taken := words[b.symbol(th)]; taken && w != b.word {
				t.Errorf("%s: %s and %s have the same mark", symbols, w, b.word)
			}
			words[b.symbol(th)] = b.word
		}
		if len(words) != 9 {
			t.Errorf("%s: %d badges: %v", symbols, len(words), words)
		}
	}
}

func TestAScriptsOwnEpochsAreEstimated(t *testing.T) {
	s := idle()
	s.SetSize(120, 38)
	f := Defaults()
	f.Command = []string{"python3", "train.py"}
	s.SetForm(f)
	s.Act(keys.ProbeThis)
	u := measured(150)
	u.Run.Epochs = new(88888.0)
	s.Update(one(u))
	got := exact(t, s)
	if !strings.Contains(got, "     88,888  ") || strings.Contains(got, "         20  ") {
		t.Errorf("the script runs 88,888 epochs:\n%s", got)
	}
	u.Seq, u.Run.Epochs = u.Seq+1, nil
	s.Update(one(u))
	if got := exact(t, s); !strings.Contains(got, "         20  ") {
		t.Errorf("a script that says nothing is estimated for the form's epochs:\n%s", got)
	}
	u.Run.Epochs, u.Run.Mode = new(3.0), profile.Train
	if _, lines := estimateLines(u, 10, false); len(lines) != 3 || lines[1].length != 10 {
		t.Errorf("a model is estimated for %+v", lines)
	}
}
