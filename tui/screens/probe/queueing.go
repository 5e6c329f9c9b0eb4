package probe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"sweetspot/engine/plaintext"
	"sweetspot/probes/queue"
	"sweetspot/tui/components/ask"
	"sweetspot/tui/keys"
	"sweetspot/tui/screen"
	"sweetspot/tui/text"
)

// Queues are the engines that queue probes, and the probes that go on without this
// program. All but Names is called from commands.
type Queues interface {
	Names() []string // of the engines, as slurm
	// Offers is what a queue has, as slurm or slurm:login-host.
	Offers(ctx context.Context, w screen.Workspace, on string) ([]queue.Offer, error)
	// Rents says what the probes of a form would rent and cost at most; "" where the queue
	// rents nothing.
	Rents(ctx context.Context, w screen.Workspace, f Form) (words string, err error)
	// Left are the probes of the workspace that go on without this program.
	Left(ctx context.Context, w screen.Workspace) ([]Left, error)
	Follow(ctx context.Context, w screen.Workspace, l Left) (Probe, error)
}

// Queued is a [Detacher] whose probes are in a queue: they always go on without this
// program.
type Queued interface {
	Detacher
	Key() string // of "sweetspot attach"
}

// queueing is what the screen knows of queues.
type queueing struct {
	queues Queues // nil without any
	named  string // the queue that was typed or used last, with its login host
	asks   ask.Loop[offered]
	there  offered // what the queue of the form has; of another one, nothing

	looks   ask.Loop[lookedFor]
	goesOn  []Left
	opening bool // what goes on is to be followed if it is the only
	waited  int  // times that it was, for one who may be dead
}

// offered is what a queue has.
type offered struct {
	on     string
	offers []queue.Offer
	err    error
	asked  time.Time
}

// WithQueues lets probes be queued; last is the queue of an earlier session.
func (s *Screen) WithQueues(q Queues, last string) *Screen {
	s.queues, s.named = q, last
	return s
}

// IsQueued reports whether the probes are queued by an engine.
func (f Form) IsQueued() bool { return f.On != "" }

// where is where the probes run, in words.
func (f Form) where() string {
	if !f.IsQueued() {
		return plaintext.Join(f.Hosts, ", ", hostName)
	}
	engine, login, named := strings.Cut(f.On, ":")
	if !named {
		return engine
	}
	return engine + " at " + login
}

// whereTyped is the same as it is typed.
func (f Form) whereTyped() string {
	switch {
	case f.IsQueued():
		return f.On
	case slices.Equal(f.Hosts, []string{""}):
		return ""
	}
	return plaintext.Join(f.Hosts, ", ", func(s string) string {
		if s == "" {
			return here
		}
		return s
	})
}

// readWhere takes a queue or hosts over.
func readWhere(f *Form, queues []string, typed string) error {
	typed = strings.TrimSpace(typed)
	engine, login, named := strings.Cut(typed, ":")
	if slices.Contains(queues, engine) {
		if _, err := host(login); err != nil || named && login == "" {
			return fmt.Errorf("%s names no login host: write %s alone, or %s:user@login-host", plaintext.Quote(typed), engine,
				engine)
		}
		f.On = typed
		return nil
	}
	if typed == "" {
		typed = here
	}
	hosts, err := list(typed, host)
	if err == nil {
		f.Hosts, f.On = hosts, ""
	}
	return err
}

func (s *Screen) queueNames() []string {
	if s.queues == nil {
		return nil
	}
	return s.queues.Names()
}

// stepWhere goes on from the hosts through the queues.
func (s *Screen) stepWhere(n int) {
	all := []string{""}
	for _, name := range s.queueNames() {
		if engine, _, _ := strings.Cut(s.named, ":"); engine == name {
			name = s.named
		}
		all = append(all, name)
	}
	next(&s.form.On, all, n)
}

// offers are the GPU types to choose from; none where there is no queue.
func (s *Screen) offers() []queue.Offer {
	if !s.form.IsQueued() || s.there.on != s.form.On {
		return nil
	}
	return s.there.offers
}

// askOffers asks the queue of the form what it has, unless that is known; again asks in any case.
func (s *Screen) askOffers(again bool) tea.Cmd {
	on := s.form.On
	if s.queues == nil || on == "" {
		s.asks.Forget()
		return nil
	}
	s.named = on
	if s.there.on != on {
		s.there = offered{on: on}
		s.form.GPUs = nil
	} else if !again && (s.asks.Busy() || s.there.offers != nil) {
		return nil
	}
	s.there.err = nil
	queues, ws := s.queues, s.Shell.Workspace
	return s.asks.Ask(s.Shell.Ctx, func(ctx context.Context) offered {
		o := offered{on: on}
		o.offers, o.err = queues.Offers(ctx, ws, on)
		o.asked = time.Now()
		return o
	})
}

// mostOffers are listed of a queue.
const mostOffers = 200

// offeredNow takes the answer in.
func (s *Screen) offeredNow(o offered) {
	if o.on != s.form.On {
		return
	}
	before := s.startRow()
	if o.err != nil {
		o.offers = s.there.offers // what was known still helps
	}
	o.offers = o.offers[:min(len(o.offers), mostOffers)]
	s.there = o
	s.form.GPUs = slices.DeleteFunc(s.form.GPUs, func(g string) bool {
		kind, _ := gpuOf(g)
		return !slices.ContainsFunc(o.offers, func(o queue.Offer) bool { return o.GPU == kind })
	})
	if s.row >= before { // the rows below stay under the cursor
		s.row += s.startRow() - before
	}
	s.row = min(s.row, s.lastRow())
}

// gpuOf cuts a100:2 into the type and the number of GPUs.
func gpuOf(g string) (kind string, count int) {
	kind, number, _ := strings.Cut(g, ":")
	if count, _ = strconv.Atoi(number); count < 1 {
		count = 1
	}
	return kind, count
}

func gpuWord(kind string, count int) string {
	if count > 1 {
		return kind + ":" + strconv.Itoa(count)
	}
	return kind
}

// chosen is where a GPU type stands among those of the form, -1 for nowhere, and how many
// GPUs a probe gets.
func (f Form) chosen(kind string) (at, count int) {
	for i, g := range f.GPUs {
		if k, n := gpuOf(g); k == kind {
			return i, n
		}
	}
	return -1, 1
}

// toggleGPU takes the GPU type of an offer, or leaves it. Those taken stand in the order
// of the offers.
func (s *Screen) toggleGPU(o queue.Offer) {
	s.err = ""
	at, _ := s.form.chosen(o.GPU)
	if at >= 0 {
		s.form.GPUs = slices.Delete(s.form.GPUs, at, at+1)
		return
	}
	s.form.GPUs = append(s.form.GPUs, o.GPU)
	order := func(g string) int {
		kind, _ := gpuOf(g)
		return slices.IndexFunc(s.offers(), func(o queue.Offer) bool { return o.GPU == kind })
	}
	slices.SortStableFunc(s.form.GPUs, func(a, b string) int { return order(a) - order(b) })
}

// mostGPUs are given to a probe where it is not known how many a machine has.
const mostGPUs = 16

// stepGPU gives each probe more GPUs of a type, or fewer.
func (s *Screen) stepGPU(o queue.Offer, n int) {
	at, count := s.form.chosen(o.GPU)
	if at < 0 {
		s.toggleGPU(o)
		return
	}
	s.form.GPUs[at] = gpuWord(o.GPU, min(max(count+n, 1), cmp.Or(o.Count, mostGPUs)))
}

// offerAt is the offer in a row of the form.
func (s *Screen) offerAt(row int) (queue.Offer, bool) {
	i := row - len(fields)
	if offers := s.offers(); i >= 0 && i < len(offers) {
		return offers[i], true
	}
	return queue.Offer{}, false
}

// checkQueue finds what the queue is not known to have.
func (s *Screen) checkQueue() error {
	switch {
	case !s.form.IsQueued():
		return nil
	case s.asks.Busy() && s.offers() == nil:
		return errors.New("what the queue has is still being asked for: wait a moment")
	case s.there.err != nil && s.offers() == nil:
		return s.there.err
	}
	if unknown := s.unpriced(); s.form.MaxUSD > 0 && len(unknown) > 0 {
		return fmt.Errorf("a cap in dollars needs the price of %s: set usd_per_hour of it in the config file, or clear the "+
			"cap", text.Clean(strings.Join(unknown, " and ")))
	}
	return nil
}

// rentsMsg is what the probes of the form would rent.
type rentsMsg struct {
	words string
	err   error
}

// planQueued has it found out what the probes of the form would rent.
func (s *Screen) planQueued() tea.Cmd {
	queues, ctx, ws, f := s.queues, s.Shell.Ctx, s.Shell.Workspace, s.form.clone()
	return func() tea.Msg {
		words, err := queues.Rents(ctx, ws, f)
		return rentsMsg{words, err}
	}
}

// plannedQueued asks whether that may be, or what is known of the cost.
func (s *Screen) plannedQueued(m rentsMsg) tea.Cmd {
	known := func(usd *float64) bool { return usd != nil }
	switch {
	case s.Active():
		return nil
	case m.err != nil:
		s.err = text.Clean(m.err.Error())
		return nil
	case m.words != "" || slices.ContainsFunc(s.prices(), known):
		s.askPrice(m.words)
		return nil
	}
	return s.Begin()
}

// prices are dollars an hour of each GPU type that is taken, nil where it is not known.
func (s *Screen) prices() (all []*float64) {
	for _, g := range s.form.GPUs {
		kind, count := gpuOf(g)
		var usd *float64
		for _, o := range s.offers() {
			if o.GPU == kind && o.USDPerHour != nil {
				usd = new(*o.USDPerHour * float64(count))
			}
		}
		all = append(all, usd)
	}
	return all
}

// unpriced are the GPU types that are taken and have no price.
func (s *Screen) unpriced() (kinds []string) {
	for i, usd := range s.prices() {
		if usd == nil {
			kind, _ := gpuOf(s.form.GPUs[i])
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// Rows of the form: the fields, the GPU types of a queue, the start, and what goes on
// elsewhere.
func (s *Screen) startRow() int { return len(fields) + len(s.offers()) }
func (s *Screen) lastRow() int  { return s.startRow() + len(s.goesOn) }

// region names where keys act on the form.
func (s *Screen) formRegion() string {
	switch {
	case s.row > s.startRow():
		return keys.InLeft
	case s.row == s.startRow():
		return keys.InStart
	case s.row >= len(fields):
		return keys.InOffer
	case s.steps():
		return keys.InChoice
	}
	return keys.InForm
}
