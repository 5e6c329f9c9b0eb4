package probe

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"sweetspot/engine/profile"
	"sweetspot/tui/keys"
	"sweetspot/tui/text"
)

// press types text in the place of what the field under the cursor has.
func press(s *Screen, value string) {
	s.Act(keys.Enter)
	s.Key(tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl})
	s.Paste(value)
	s.Act(keys.Enter)
}

func at(t *testing.T, s *Screen, label string) {
	t.Helper()
	for i, f := range fields {
		if f.label == label {
			s.row = i
			return
		}
	}
	t.Fatalf("no field %q", label)
}

func TestFillingTheForm(t *testing.T) {
	s := idle()
	s.SetSize(120, 38)
	for _, c := range []struct{ label, value string }{
		{"model", "net.py:build"}, {"batch", "64"}, {"input", "3 x 224 x 224"}, {"epochs", "90"},
		{"price $/h", "$1.20"}, {"stop at", "1%"}, {"time cap", "5m"}, {"cost cap", "0.25"},
	} {
		at(t, s, c.label)
		press(s, c.value)
		if s.typing {
			t.Fatalf("%s refuses %q: %s", c.label, c.value, s.err)
		}
	}
	at(t, s, "mode")
	s.Act(keys.Enter)
	at(t, s, "precision")
	s.Act(keys.Left)
	at(t, s, "batch")
	s.Act(keys.Right)
	f := s.Form()
	if f.Model != "net.py:build" || !slices.Equal(f.Batches, []int{128}) || f.Input != "3x224x224" || f.Epochs != 90 ||
		*f.USDPerHour != 1.2 ||
		f.Target != 0.01 || f.MaxSeconds != 300 || f.MaxUSD != 0.25 || f.Mode != profile.Infer ||
		!slices.Equal(f.Precisions, []string{"int8"}) {
		t.Errorf("form is %+v", f)
	}
	at(t, s, "price $/h")
	press(s, "")
	at(t, s, "time cap")
	press(s, "")
	if f := s.Form(); f.USDPerHour != nil || f.MaxSeconds != 0 {
		t.Errorf("emptied fields stay: %+v", f)
	}
	if cmd := s.Act(keys.ProbeThis); cmd != nil || !strings.Contains(exact(t, s), "a cap in dollars needs the price") {
		t.Errorf("a cap without a price is taken:\n%s", exact(t, s))
	}
}

func TestFieldsRefuseInOneSentence(t *testing.T) {
	for _, c := range []struct{ label, value, want string }{
		{"batch", "0", "write a whole number"}, {"batch", "many", "write a whole number"},
		{"epochs", "1.5", "write a whole number"},
		{"input", "3x", "write it as 3x224x224"}, {"input", "ax1", "write it as"}, {"price $/h", "-1", "write 10"},
		{"stop at", "70", "fraction"}, {"stop at", "0", "from 0.01%"}, {"time cap", "soon", "write 90s"},
	} {
		s := idle()
		s.SetSize(120, 38)
		before := s.Form()
		at(t, s, c.label)
		press(s, c.value)
		if !s.typing || !strings.Contains(exact(t, s), c.want) || !reflect.DeepEqual(s.Form(), before) {
			t.Errorf("%s %q: %q", c.label, c.value, s.err)
		}
		s.Act(keys.Back)
		if s.typing || s.err != "" {
			t.Errorf("escape doesn't leave %s", c.label)
		}
	}
}

func TestModelFileIsChosenThenItsFactoryTyped(t *testing.T) {
	s := idle()
	s.SetSize(120, 38)
	s.SetModel("/home/a/net.py\x1b[2J")
	s.Paste("build")
	s.Act(keys.Enter)
	if got := s.Form().Model; got != "/home/a/net.py:build" {
		t.Errorf("model is %q", got)
	}
	if cmd := s.Act(keys.ProbeThis); cmd != nil || !strings.Contains(s.err, "3x224x224") {
		t.Errorf("a file without an input shape is taken: %q", s.err)
	}
}

func TestClicksFollowTheForm(t *testing.T) {
	for _, h := range []int{38, 22} {
		s := idle()
		s.SetSize(120, h)
		lines := text.Lines(exact(t, s))
		for y, l := range lines {
			if strings.Contains(l, "precision") {
				s.Click(10, y)
				if s.row >= len(fields) || fields[s.row].label != "precision" {
					t.Errorf("height %d: a click on precision put the cursor on row %d", h, s.row)
				}
			}
			if strings.Contains(l, "start the probe") {
				s.Click(10, y)
				if s.Click(10, y) == nil || s.State() != Starting {
					t.Errorf("height %d: clicking start twice leads to state %v", h, s.State())
				}
			}
		}
	}
}

// The footer advertises what does something on the row under the cursor.
func TestRegionFollowsTheRow(t *testing.T) {
	s := idle()
	for row, want := range map[int]string{0: keys.InForm, 1: keys.InForm, 2: keys.InForm, 3: keys.InChoice,
		4: keys.InChoice, 5: keys.InForm, len(fields): keys.InStart} {
		if s.row = row; s.Region() != want {
			t.Errorf("row %d is in %s, want %s", row, s.Region(), want)
		}
	}
	s.Fail(errors.New("no Python here"))
	if s.Region() != keys.InEnded {
		t.Errorf("after a failure keys act in %s", s.Region())
	}
}
