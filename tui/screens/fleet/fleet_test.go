package fleet

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"sweetspot/engine/approx"
	"sweetspot/engine/fleet"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/tui/components/desk"
	"sweetspot/tui/keys"
	"sweetspot/tui/screen"
	"sweetspot/tui/theme"
)

// program is what the screen has around it in these tests.
type program struct{}

func (program) Show(keys.Action) tea.Cmd { return nil }
func (program) Shown() keys.Action       { return keys.Fleet }
func (program) Tell(tea.Msg) tea.Cmd     { return nil }
func (program) Reload() tea.Cmd          { return nil }

// vm is a VM type with prices by purchase.
func vm(name string, gpus int, onDemand, year, years float64) profile.VMType {
	v := profile.VMType{InstanceType: name, GPU: "V100", GPUCount: gpus}
	for _, p := range []profile.Price{{Purchase: profile.OnDemand, USDPerHour: onDemand},
		{Purchase: profile.Reserved1Y, USDPerHour: year}, {Purchase: profile.Reserved3Y, USDPerHour: years}} {
		if p.USDPerHour > 0 {
			v.Prices = append(v.Prices, p)
		}
	}
	return v
}

// asked is the screen with an answer about a small trace, and three VM types, one of
// which can't be reserved.
func asked(t *testing.T, w, h int) *Screen {
	t.Helper()
	clock := func(time.Duration, func(time.Time) tea.Msg) tea.Cmd { return nil }
	load := fleet.Usual(400)
	s := New(&screen.Shell{Program: program{}, Ctx: t.Context(), Theme: theme.New("", true, false), After: clock},
		func(context.Context, string) (Trace, error) {
			return Trace{Jobs: load.Generate(1), Load: &load, Source: "a few jobs", Notes: []string{"made up"}, Mix: fleet.Mix{
				{Model: "a", Weight: 1, Ratio: 0.8, Accuracy: 0.9, ReducedAccuracy: 0.85}}}, nil
		})
	s.SetSize(w, h)
	s.Receive(screen.Loaded{Set: &profile.Set{VMTypes: []profile.VMType{vm("big", 8, 20, 12, 8),
		vm(fleet.StudyVM, 1, 3.06, 1.9, 0.985), vm("on demand only", 1, 1, 0, 0)}}})
	do(s, s.Activate())
	if s.Shown == nil || len(s.Shown.Result.Asked) == 0 || !s.IsFound() {
		t.Fatal("no answer")
	}
	return s
}

// do runs a command and what comes of it.
func do(s *Screen, cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			do(s, c)
		}
	default:
		do(s, s.Receive(msg))
	}
}

// nextVMType presses enter on what the key of the VM types offers.
func nextVMType(s *Screen) tea.Cmd {
	s.Act(keys.GPUs)
	cmd, _ := s.Shell.Key(tea.KeyPressMsg{Code: tea.KeyEnter}, keys.Enter)
	return cmd
}

func TestTheQuestionInTheEnginesWords(t *testing.T) {
	s := asked(t, 120, 40)
	q := Question{VMs: 6.6, OnDemand: 3, Reserved: 1, Speed: 0.9, Tightness: 1.2, Reluctant: 2, AsStudied: true, Seed: 7,
		Scheduler: fleet.Schedulers[1], GPUsPerVM: 4}
	e := engineQuestion(s.Trace, q)
	if e.Fleet != (fleet.Fleet{VMs: 7, GPUsPerVM: 4, Scheduler: fleet.Schedulers[1], AsStudied: true}) || e.Seed != 7 ||
		e.Prices != (approx.Prices{Reserved: 1, OnDemand: 3}) || e.Terms.Tightness != 1.2 || e.Terms.Speed != 0.9 ||
		e.Acceptance.Probability(0.5, 1) != 0.25 || len(e.Jobs) != len(s.Trace.Jobs) {
		t.Errorf("asked %+v", e)
	}
	if unsized(q) == q || unsized(q).VMs != 0 || unsized(unsized(q)) != unsized(q) {
		t.Error("the number of VMs is part of what sizes depend on")
	}
}

func TestOffersAndCostsAreThoseOfTheJobs(t *testing.T) {
	a := asked(t, 120, 40).Shown
	count := map[uint8]int{}
	for i, class := range a.offers.Class {
		count[class]++
		if !(a.offers.Y[i] > 0) || !slices.ContainsFunc(a.Result.Schedule.Candidates, func(k int) bool {
			return a.Result.Tasks[k].SubmitS == a.offers.X[i]
		}) {
			t.Fatalf("offer %g at %g s is of no job", a.offers.Y[i], a.offers.X[i])
		}
	}
	for k, o := range a.Result.Outcomes {
		if count[uint8(k)] != o.Offered {
			t.Errorf("%d offers of %s are drawn, %d were made", count[uint8(k)], o.Policy, o.Offered)
		}
		line := a.costs[k]
		sum := 0.0
		for _, usd := range line.X {
			sum += usd
		}
		if line.Class != k || !slices.IsSorted(line.X) || !slices.IsSorted(line.Y) || line.Y[len(line.Y)-1] != 1 ||
			line.Y[0] != 1/float64(len(line.Y)) || math.Abs(sum/o.Drawn.USD()-1) > 1e-9 {
			t.Errorf("%s: jobs of %g in all, the policy pays %g", o.Policy, sum, o.Drawn.USD())
		}
	}
}

func TestTypedNumbers(t *testing.T) {
	for in, want := range map[string]float64{"0": 0, "12" + " ": 12, "100000": 100_000} {
		if got, err := parseWhole(in); err != nil || got != want {
			t.Errorf("%q is %g, %v", in, got, err)
		}
	}
	for _, in := range []string{"-1", "100001", "1.5", "x", ""} {
		if _, err := parseWhole(in); err == nil {
			t.Errorf("%q is a number of VMs", in)
		}
	}
	for in, want := range map[string]float64{"0.9": 0.9, "×0.9": 0.9, "x1.1": 1.1, "90%": 0.9, "90 %" + " ": 0.9} {
		if got, err := parseTimes(in); err != nil || math.Abs(got-want) > 1e-12 {
			t.Errorf("%q is %g, %v", in, got, err)
		}
	}
	for _, in := range []string{"0", "-1", "0%", "x", "", "NaN"} {
		if v, err := parseTimes(in); err == nil {
			t.Errorf("%q is a factor of %g", in, v)
		}
	}
	got := []string{priceText(0.98512), timesText(0.9), deadlineText(2), acceptanceText(1), acceptanceText(0.5),
		acceptanceText(2)}
	want := []string{"$0.9851/h", "×0.90", "×2.00 (3–6 runtimes)", "accept (s/max), as studied", "eager: (s/max)^0.5",
		"reluctant: (s/max)^2"}
	if !slices.Equal(got, want) {
		t.Errorf("written as %q", got)
	}
}

func TestSlidersOfTheQuestion(t *testing.T) {
	s := asked(t, 120, 40)
	fields := []func(q *Question) *float64{
		vmsSlider:        func(q *Question) *float64 { return &q.VMs },
		onDemandSlider:   func(q *Question) *float64 { return &q.OnDemand },
		reservedSlider:   func(q *Question) *float64 { return &q.Reserved },
		speedSlider:      func(q *Question) *float64 { return &q.Speed },
		deadlineSlider:   func(q *Question) *float64 { return &q.Tightness },
		acceptanceSlider: func(q *Question) *float64 { return &q.Reluctant },
	}
	for k, field := range fields {
		q := Question{VM: "big"}
		sl := s.controls.All[k]
		lo, hi := sl.Range()
		sl.Set(math.Round(lo + (hi-lo)/2))
		s.controls.save(k, &q)
		if got := *field(&q); got != math.Round(lo+(hi-lo)/2) {
			t.Errorf("slider %d sets %+v", k, q)
		}
		own := k == onDemandSlider || k == reservedSlider
		if (q.VM == "") != own {
			t.Errorf("slider %d leaves the prices those of %q", k, q.VM)
		}
		*field(&q) = hi
		s.controls.load(q)
		if v, _ := sl.Value(); v != hi {
			t.Errorf("slider %d is at %g, not %g", k, v, hi)
		}
	}
	q := Question{}
	s.controls.All[vmsSlider].Set(7.6)
	if s.controls.save(vmsSlider, &q); q.VMs != 8 {
		t.Errorf("%g VMs", q.VMs)
	}
	for k, step := range map[int][2]float64{acceptanceSlider: {1, 1.05}, speedSlider: {1, 1.02},
		deadlineSlider: {1, 1.02}} {
		sl := s.controls.All[k]
		sl.Set(step[0])
		sl.Move(1)
		if v, _ := sl.Value(); math.Abs(v-step[1]) > 1e-9 {
			t.Errorf("slider %d goes from %g to %g", k, step[0], v)
		}
	}
}

func TestNotesAndMarksFollowTheAnswer(t *testing.T) {
	s := asked(t, 120, 40)
	note := func(k int) string { return strings.Split(ansi.Strip(s.controls.All[k].View(s.Theme, 70)), "\n")[0] }
	least := s.Found.Sizes[fleet.Least(s.Found.Sizes, 0)].VMs
	_, hi := s.controls.All[vmsSlider].Range()
	if want := float64(s.Found.Sizes[len(s.Found.Sizes)-1].VMs); !strings.Contains(note(vmsSlider), "lowest bill at ") ||
		!slices.Equal(s.controls.All[vmsSlider].Marks, []float64{float64(least)}) || hi != want {
		t.Errorf("%s to %g of %g, marked at %v", note(vmsSlider), hi, want, s.controls.All[vmsSlider].Marks)
	}
	if !strings.Contains(note(reservedSlider), "reserved-3y") || !strings.Contains(note(speedSlider), " candidate") ||
		strings.Contains(note(onDemandSlider), "no offer") {
		t.Errorf("%q, %q, %q", note(reservedSlider), note(speedSlider), note(onDemandSlider))
	}
	low, high, ok := s.Shown.Result.BreakEven(s.Shown.Engine.Prices)
	if !ok || !slices.Equal(s.controls.All[onDemandSlider].Marks, []float64{low, high}) {
		t.Errorf("offers pay from %g to %g, marked are %v", low, high, s.controls.All[onDemandSlider].Marks)
	}
	for _, c := range []struct {
		onDemand float64
		says     bool
	}{{low, true}, {low * 1.001, false}} {
		a := *s.Shown
		a.Question.OnDemand, a.Question.VM = c.onDemand, ""
		s.controls.show(&a, nil)
		if strings.Contains(note(onDemandSlider), "no offer pays off") != c.says {
			t.Errorf("at %g of %g: %s", c.onDemand, low, note(onDemandSlider))
		}
		if strings.Contains(note(reservedSlider), "reserved-") {
			t.Errorf("prices of one's own are called %s", note(reservedSlider))
		}
		if strings.Contains(note(vmsSlider), "lowest") || s.controls.All[vmsSlider].Marks != nil {
			t.Error("sizes are said before they are known")
		}
	}
	s.controls.forget()
	if lo, hi := s.controls.All[vmsSlider].Range(); lo != 0 || hi != usualVMs || s.controls.All[vmsSlider].Marks != nil {
		t.Errorf("of another trace the range is %g to %g", lo, hi)
	}
}

func TestPricesTurn(t *testing.T) {
	s := asked(t, 120, 40)
	if q := s.Question(); q.VM != fleet.StudyVM || q.Purchase != profile.Reserved3Y || q.Reserved != 0.985 ||
		q.OnDemand != 3.06 {
		t.Fatalf("begins with %+v", q)
	}
	if len(s.offers) != 4 || s.months() != 36 {
		t.Fatalf("%d offers, %g months", len(s.offers), s.months())
	}
	do(s, s.Act(keys.Purchase))
	if q := s.Question(); q.VM != fleet.StudyVM || q.Purchase != profile.Reserved1Y || q.Reserved != 1.9 ||
		s.months() != 12 {
		t.Errorf("the next term is %+v", q)
	}
	do(s, nextVMType(s))
	if q := s.Question(); q.VM != "big" || q.GPUsPerVM != 8 || q.OnDemand != 20 {
		t.Errorf("the next VM type is %+v", q)
	}
	do(s, nextVMType(s))
	if q := s.Question(); q.VM != fleet.StudyVM || q.GPUsPerVM != 1 {
		t.Errorf("after the last VM type comes %+v", q)
	}
	q := s.Question()
	q.VM = ""
	s.Begin(q)
	if s.months() != 0 || s.vmName() != "your own prices" {
		t.Errorf("%g months of %s", s.months(), s.vmName())
	}
	s.offers = s.offers[:1]
	q.setPrices(s.offers[0])
	s.Begin(q)
	if s.Act(keys.Purchase); !strings.Contains(s.Shell.Toast.View(s.Theme, 80), "no other price") {
		t.Errorf("the only term leads to %+v", s.Question())
	}
	if s.Act(keys.GPUs) != nil {
		t.Error("the only VM type leads to another")
	}
	// What the database holds later does not change what was asked.
	before := s.Question()
	if s.setVMTypes([]profile.VMType{vm(fleet.StudyVM, 2, 1, 0.5, 0.1)}); s.Question() != before {
		t.Error("other prices changed the question")
	}
}

func TestKeysTurnWhatNoSliderSets(t *testing.T) {
	s := asked(t, 120, 40)
	for k := range fleet.Schedulers {
		do(s, s.Act(keys.Scheduler))
		if want := fleet.Schedulers[(k+1)%len(fleet.Schedulers)]; s.Question().Scheduler != want {
			t.Errorf("scheduler %s, not %s", s.Question().Scheduler, want)
		}
	}
	do(s, s.Act(keys.Overlap))
	if !s.Question().AsStudied || !strings.Contains(s.policiesNote(), "INT8 jobs overlap others") {
		t.Error(s.policiesNote())
	}
	before, draws := s.Question().Seed, s.draws
	for s.Question().Seed == before {
		do(s, s.Act(keys.Redraw))
	}
	if s.drawn != s.Question().Seed || &s.draws[0] == &draws[0] {
		t.Error("another seed draws nothing else")
	}
	if got := ansi.Strip(s.settings(60, 2)); !strings.Contains(got, "seed ") || strings.Contains(got, "GPUs a VM") {
		t.Error(got)
	}
	q := s.Question()
	q.GPUsPerVM = 2
	if s.Begin(q); !strings.Contains(ansi.Strip(s.settings(60, 2)), "2 GPUs a VM") || s.settings(60, 0) != "" {
		t.Error(s.settings(60, 2))
	}
}

// The columns show what the outcomes hold.
func TestColumnsOfThePolicies(t *testing.T) {
	o := approx.Outcome{Offered: 9, MeanOffer: 1.2345, AllUSD: 10, DeviationUSD: 1}
	o.Drawn = approx.Total{ReservedUSD: 1, OnDemandUSD: 2, PenaltyUSD: 4, Accepted: 6, Accuracy: 0.91234}
	o.Expected = o.Drawn
	a := &Answer{Result: &fleet.Answer{Outcomes: []approx.Outcome{o}}, Late: []int{3},
		Bills: []fleet.Bill{{ReservedUSD: 50}}}
	th := theme.New("", true, false)
	want := map[string]string{"total": "$7.00", "relative": "70.0 % (54…86)", "reserved": "$1.00", "rented": "$2.00",
		"penalty": "$4.00", "accepted": "6 of 9", "offer": "1.234", "accuracy": "91.23 %", "late": "3", "bill": "$50.00"}
	for _, m := range measures[1:] {
		got := ""
		if m.Text != nil {
			got = m.Text(th, a, 0)
		} else {
			got = m.Write(m.Value(a, 0))
		}
		if got != want[m.ID] {
			t.Errorf("%s is %s, not %s", m.ID, got, want[m.ID])
		}
		delete(want, m.ID)
	}
	if len(want) > 0 {
		t.Errorf("no column shows %v", want)
	}
	accepted := measures[slices.IndexFunc(measures, func(m desk.Measure[Answer]) bool { return m.ID == "accepted" })]
	if accepted.Value(a, 0) != 6 {
		t.Error("accepted offers are sorted by something else")
	}
	if o.Offered = 0; relative(th, &Answer{Result: &fleet.Answer{Outcomes: []approx.Outcome{o}}}, 0) != "70.0 %" {
		t.Error("without an offer there is an interval")
	}
}

// The sentence above the panels names the bill asked about, and the least one with its
// scheduler and number of VMs; where nothing costs less, it says so.
func TestTheDecisionIsTheLeastBill(t *testing.T) {
	s := asked(t, 120, 40)
	q := s.Question()
	q.VMs, q.Scheduler = 20, fleet.RoundRobin
	do(s, s.Change("VMs", q))
	least := slices.MinFunc(s.Found.Plans, func(x, y fleet.Plan) int { return cmp.Compare(x.Bill.USD(), y.Bill.USD()) })
	now := s.Shown.Result.Rest.Monthly(s.Shown.Bills[0]).USD()
	got := strings.Join(s.decision(), " ")
	for _, want := range []string{quantity.Money(now) + " a month with 20 reserved " + fleet.StudyVM, "placed round-robin",
		fmt.Sprintf("%d reserved", least.VMs), string(least.Scheduler) + " (d)", quantity.Money(least.Bill.USD()),
		quantity.Percent(1-least.Bill.USD()/now) + " less"} {
		if !strings.Contains(got, want) {
			t.Errorf("nothing says %q: %s", want, got)
		}
	}
	if frame := ansi.Strip(s.View()); !strings.Contains(frame, s.decision()[0]) {
		t.Errorf("it is not on the screen:\n%s", frame)
	}
	if bars := ansi.Strip(s.schedulers(60, 12)); !strings.Contains(bars, fmt.Sprintf("%s, %d VMs", least.Scheduler,
		least.VMs)) {
		t.Errorf("the schedulers:\n%s", bars)
	}
	q.VMs, q.Scheduler = float64(least.VMs), least.Scheduler
	do(s, s.Change("VMs", q))
	if got := strings.Join(s.decision(), " "); !strings.Contains(got, "No other number of VMs") {
		t.Errorf("asked for the least bill: %s", got)
	}
	old := *s.Found
	old.Question.Tightness = 9
	if s.Found = &old; !strings.Contains(strings.Join(s.decision(), " "), "Looking for what would cost less") {
		t.Errorf("plans of another question are shown: %q", s.decision())
	}
	q.VMs, q.VM = 0, ""
	do(s, s.Change("VMs", q))
	if got := s.decision()[0]; !strings.Contains(got, "with all VMs on demand") {
		t.Error(got)
	}
}

// Jobs that need more GPUs than a VM has are said to take several.
func TestWideJobsAreNamed(t *testing.T) {
	s := asked(t, 120, 40)
	if got := s.fit(); got != nil {
		t.Errorf("no job is wide: %q", got)
	}
	trace := s.Trace
	trace.Load = nil
	trace.Jobs = slices.Clone(trace.Jobs)
	for i := range 7 {
		trace.Jobs[i].GPUs = 3
	}
	do(s, s.SetTrace(trace))
	if got := s.sentences()[0]; !strings.HasPrefix(got, "7 jobs need more than the 1 GPU of a VM: they take up to 3 VMs "+
		"at once") {
		t.Error(got)
	}
}

func TestTheBestIsExpectedToPayLeast(t *testing.T) {
	a := &Answer{Result: &fleet.Answer{Asked: make([]approx.Candidate, 1), Outcomes: []approx.Outcome{
		{Expected: approx.Total{OnDemandUSD: 3}, Drawn: approx.Total{OnDemandUSD: 1}},
		{Expected: approx.Total{OnDemandUSD: 2}}, {Expected: approx.Total{OnDemandUSD: 2}},
		{Expected: approx.Total{OnDemandUSD: 9}},
	}}}
	if got := best(a, nil); got != 1 {
		t.Errorf("policy %d", got)
	}
	if a.Result.Asked = nil; best(a, nil) != -1 {
		t.Error("nobody can be asked, and a policy is best")
	}
}

func TestWordsOfTheScreen(t *testing.T) {
	s := asked(t, 200, 50)
	all := strings.Join(s.sentences(), "\n")
	for _, want := range []string{"is expected to cost", "Offers stop paying off once on-demand VMs cost ",
		"cost least: $", "reserving them for 36 months", "Reserved VMs are busy ", "Trace: made up."} {
		if !strings.Contains(all, want) {
			t.Errorf("nothing says %q:\n%s", want, all)
		}
	}
	if s.billsNote() != "by reserved VMs" {
		t.Error(s.billsNote())
	}
	old := *s.Found
	old.Question.Speed = 9
	if s.Found = &old; s.billsNote() != "computing…" {
		t.Errorf("bills of another question are shown as %q", s.billsNote())
	}
	q := s.Question()
	q.OnDemand = 0.01
	do(s, s.Change("price", q))
	if got := s.winner(); !strings.HasPrefix(got, "No offer pays off: ") {
		t.Error(got)
	}
	q.VMs = 0
	do(s, s.Change("VMs", q))
	if got := s.winner(); got != "No VM is reserved, so no job can be asked." {
		t.Error(got)
	}
	if got := s.load(); !strings.HasPrefix(got, "Reserved VMs run 0 jobs, ") {
		t.Error(got)
	}
}
