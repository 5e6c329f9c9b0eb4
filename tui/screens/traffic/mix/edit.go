package mix

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	tea "charm.land/bubbletea/v2"

	"sweetspot/data/workload"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/serving"
	"sweetspot/tui/components/chooser"
	"sweetspot/tui/components/prompt"
)

// edit changes the kind under the cursor.
func (s *Desk) edit(name string, change func(w *serving.Kind)) tea.Cmd {
	return s.ChangeOnce(name, s.Question().with(s.controls.row, change))
}

// oneModel is the choice of no mix. No model is called so.
const oneModel = "\x00"

// chooseModels offers the models that the kind under the cursor may be served by, and to serve one
// model in place of a mix.
func (s *Desk) chooseModels() {
	if !s.OnKind() {
		s.leave()
		return
	}
	q := s.Question()
	w := &q.Kinds[s.controls.row]
	var choices []chooser.Choice
	for _, m := range s.models {
		choices = append(choices, chooser.Choice{Values: []string{m}, Label: m, On: slices.Contains(w.Models, m)})
	}
	choices = append(choices, chooser.Choice{Values: []string{oneModel}, Label: "no mix: one model for all requests"})
	s.Shell.Offer(chooser.Question{Title: "Models for " + q.name(s.controls.row), Several: true, Choices: choices},
		func(names []string) tea.Cmd {
			if slices.Contains(names, oneModel) {
				s.leave()
				return nil
			}
			return s.edit("models", func(w *serving.Kind) { w.Models, w.MinAccuracy = names, nil })
		})
}

// chooseVMType offers the VM types that the models of the kind under the cursor were run on.
func (s *Desk) chooseVMType() {
	q := s.Question()
	w := q.Kinds[s.controls.row]
	names := []string{""}
	for _, o := range serving.Offers(s.set, w.Models, q.USDPerHour) {
		if name := o.VM.InstanceType; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	label := func(name string) string { return cmp.Or(name, "any VM type") }
	s.Shell.Offer(chooser.Question{Title: "VM type for " + q.name(s.controls.row),
		Choices: chooser.Among(names, w.VM, label)}, func(names []string) tea.Cmd {
		return s.edit("VM type", func(w *serving.Kind) { w.VM = names[0] })
	})
}

// hint says how a kind of request is written.
const hint = "also vm, min-accuracy=88%, max-cost=$5, function-times=0.5:1.2s+1:600ms, function-time, function-knee"

// askForKind has a new kind of request typed.
func (s *Desk) askForKind() {
	q := s.Question()
	w := s.defaultKind(q.freeName())
	w.Share = 1 / float64(len(q.Kinds)+1)
	s.ask("add", w, -1, func(q Question, w serving.Kind) Question {
		s.next = len(q.Kinds)
		return q.add(w)
	})
}

// editKind has the kind under the cursor typed again.
func (s *Desk) editKind() {
	k := s.controls.row
	s.ask("edit", s.Question().Kinds[k], k, func(q Question, w serving.Kind) Question {
		share := q.Kinds[k].Share
		q = q.with(k, func(old *serving.Kind) { *old = w; old.Share = share })
		if math.Abs(w.Share-share) > 1e-6 && w.Share > 0 {
			q = q.reshare(k, w.Share)
		}
		return q
	})
}

// ask has a kind of request typed, which takes the place of kind k, or of none.
func (s *Desk) ask(label string, w serving.Kind, k int, then func(Question, serving.Kind) Question) {
	s.Shell.Line.Ask(prompt.Question{Label: label, Value: workload.KindText(w), Hint: hint,
		Accept: func(typed string) (tea.Cmd, error) {
			q := s.Question()
			w, err := workload.ParseKind(typed)
			switch {
			case err != nil:
				return nil, err
			case k >= len(q.Kinds):
				return nil, errors.New("this kind of request is gone: esc leaves")
			}
			if w.Name == "" {
				w.Name = q.freeName()
			}
			if q.has(w.Name, k) {
				return nil, fmt.Errorf("%s is there already: name each kind differently", plaintext.Quote(w.Name))
			}
			if w.LimitS == 0 {
				w.LimitS = serving.Defaults().StrictLimitS
			}
			if err := check(w); err != nil {
				return nil, err
			}
			return s.ChangeOnce(label, then(q, w)), nil
		}})
}

// check refuses a limit that cannot be simulated.
func check(w serving.Kind) error {
	if !(w.LimitS >= 0.001 && w.LimitS <= serving.MaxLatencyS) {
		return fmt.Errorf("slo is %g s: give 1ms to 1h", w.LimitS)
	}
	return nil
}

// remove takes the kind under the cursor away; the cursor goes to the one that takes its place.
func (s *Desk) remove() tea.Cmd {
	q := s.Question().remove(s.controls.row)
	s.next = min(s.controls.row, len(q.Kinds)-1)
	return s.ChangeOnce("remove", q)
}

// clear takes the limits, the VM type and the function of a kind back; of all kinds what is kept warm,
// and the shares where the trace has them.
func (s *Desk) clear() tea.Cmd {
	if s.OnKind() {
		return s.edit("clear", func(w *serving.Kind) {
			*w = serving.Kind{Name: w.Name, Share: w.Share, LimitS: w.LimitS, Wanted: serving.Wanted{Models: w.Models,
				Best: serving.Cost}}
		})
	}
	q := s.Question()
	if q.Warm = 0; q.Load.Seconds == 0 {
		q, _ = q.named(s.Trace, s.isModel)
	}
	return s.ChangeOnce("clear", q)
}
