package probe

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"

	"sweetspot/engine/profile"
	"sweetspot/probes/prune"
	"sweetspot/tui/keys"
)

func TestListsInTheForm(t *testing.T) {
	s := idle()
	s.SetSize(120, 38)
	for _, c := range []struct{ label, value string }{
		{"batch", "32, 64,32"}, {"precision", "FP32,bf16"}, {"prune", "0,30%,0.5"}, {"repeat", "2"},
		{"where", "here,me@vm:2222"},
	} {
		at(t, s, c.label)
		press(s, c.value)
		if s.typing {
			t.Fatalf("%s refuses %q: %s", c.label, c.value, s.err)
		}
	}
	f := s.Form()
	if !slices.Equal(f.Batches, []int{32, 64}) || !slices.Equal(f.Precisions, []string{"fp32", "bf16"}) ||
		!slices.Equal(f.prunes(), []prune.Degree{"", "0.3", "0.5"}) ||
		f.Repeat != 2 || !slices.Equal(f.Hosts, []string{"", "me@vm:2222"}) {
		t.Errorf("form is %+v", f)
	}
	want := "2 batch sizes × 2 precisions × 3 prunings × 2 repeats × 2 hosts = 48 probes, about 6 m 00 s to 48 m 00 s"
	if got := exact(t, s); f.Sizing() != want || !strings.Contains(got, "hosts = 48 probes") {
		t.Errorf("what it comes to is not said:\n%s", got)
	}
	at(t, s, "batch")
	s.Act(keys.Right)
	at(t, s, "precision")
	s.Act(keys.Right) // a list of several has no next value
	if f := s.Form(); !slices.Equal(f.Batches, []int{64, 128}) || !slices.Equal(f.Precisions, []string{"fp32", "bf16"}) ||
		s.Region() != keys.InForm {
		t.Errorf("stepping led to %+v in %s", f, s.Region())
	}
}

func TestListsRefuseInOneSentence(t *testing.T) {
	for _, c := range []struct{ label, value, want string }{
		{"batch", "32,,64", "between two commas"}, {"batch", "32,x", "write a whole number"},
		{"batch", "", "write a whole number"},
		{"precision", "fp32,fp8", "is not a precision"}, {"prune", "1", "leaves nothing"},
		{"prune", "30", "fraction is 0.7 or 70%"},
		{"where", "-oProxyCommand=x", "is not a host"}, {"where", "a b", "is not a host"},
		{"or command", "a | b", "takes a shell"}, {"repeat", "0", "write a whole number"},
	} {
		s := idle()
		s.SetSize(120, 38)
		at(t, s, c.label)
		press(s, c.value)
		if !s.typing || !strings.Contains(s.err, c.want) {
			t.Errorf("%s %q: %q", c.label, c.value, s.err)
		}
	}
}

func TestWhatCannotBeMeasuredIsSaidOnTheForm(t *testing.T) {
	for want, change := range map[string]func(*Form){
		"more than the limit of 256": func(f *Form) { f.Batches, f.Repeat = make256(), 2 },
		"int8 is for inference only": func(f *Form) { f.Precisions = []string{"int8"} },
		"can't be trained":           func(f *Form) { f.Model, f.TrainSize, f.Input = "m.onnx", 10, "1" },
		"need a Python factory": func(f *Form) {
			f.Model, f.Input, f.Mode, f.Prune = "/m/net.pt", "1", profile.Infer, "0.3"
		},
		"no model is named": func(f *Form) { f.Model = "" },
		"needs the price":   func(f *Form) { f.MaxUSD = 1 },
	} {
		s := idle()
		s.SetSize(120, 38)
		f := Defaults()
		change(&f)
		s.SetForm(f)
		if cmd := s.Act(keys.ProbeThis); cmd != nil || !strings.Contains(s.err, want) {
			t.Errorf("%s: got %q", want, s.err)
		}
	}
}

func make256() []int {
	out := make([]int, 256)
	for i := range out {
		out[i] = i + 1
	}
	return out
}

func TestACommandSetsItsOwnModel(t *testing.T) {
	s := idle()
	s.SetSize(120, 38)
	at(t, s, "batch")
	press(s, "32,64")
	at(t, s, "or command")
	press(s, "python3 train.py --name 'my net'")
	f := s.Form()
	if !slices.Equal(f.Command, []string{"python3", "train.py", "--name", "my net"}) || f.size().probes() != 1 {
		t.Errorf("form is %+v", f)
	}
	if got := exact(t, s); strings.Count(got, "the command's own") != 6 || strings.Contains(got, "128") ||
		strings.Contains(got, "fp32") || !strings.Contains(got, "python3 train.py --name 'my net'") {
		t.Errorf("form:\n%s", got)
	}
	at(t, s, "batch")
	if got := exact(t, s); strings.Count(got, "the command's own") != 6 {
		t.Errorf("the batch under the cursor is not the command's own:\n%s", got)
	}
	at(t, s, "or command")
	s.Act(keys.Enter) // typing goes on from what is there
	if got := exact(t, s); strings.Count(got, "the command's own") != 6 {
		t.Errorf("while a command is typed:\n%s", got)
	}
	s.Paste(" --fast")
	s.Act(keys.Enter)
	if c := s.Form().Command; c[len(c)-1] != "--fast" || c[0] != "python3" {
		t.Errorf("command is %q", c)
	}
	if s.Act(keys.ProbeThis) == nil || !strings.Contains(exact(t, s), "train.py · train") {
		t.Errorf("nothing starts:\n%s", exact(t, s))
	}
}

func TestThePriceIsAgreedTo(t *testing.T) {
	s := idle()
	f := Defaults()
	f.USDPerHour, f.Batches, f.MaxSeconds, f.MaxUSD = new(3.6), []int{1, 2}, 100, 0.15
	s.SetForm(f)
	title, question := s.Price()
	// Two probes of about 15 s and at most 100 s each, at a tenth of a cent a second.
	if title != "Start the probes?" || question != "2 batch sizes = 2 probes, about 30.0 s to 2 m 30 s, $0.030 to "+
		"$0.15 at $3.60/h." {
		t.Errorf("%s %s", title, question)
	}
	f.MaxSeconds, f.MaxUSD, f.Batches = 0, 0, f.Batches[:1]
	s.SetForm(f)
	if _, question := s.Price(); question != "one probe, about 15.0 s to 10 m 00 s, $0.015 to $0.60 at $3.60/h." {
		t.Error(question)
	}
}

// What a field holds is where typing begins, and taking it over unchanged
// changes nothing.
func TestEveryFieldOpensWithItsValue(t *testing.T) {
	full := Form{
		Model: "/m/net.py:build", Mode: profile.Infer, Batches: []int{32, 64}, Input: "3x224x224",
		TrainSize: 1234567, Epochs: 90,
		Precisions: []string{"fp32", "int8"}, Prune: "0,30%; conv1=0:0.4:0.2,conv2=0.5", Repeat: 2,
		Hosts:      []string{"", "me@vm:2222"},
		USDPerHour: new(0.1234567), Target: 0.007, MaxSeconds: 90.5, MaxUSD: 0.25,
	}
	command := Defaults()
	command.Command = []string{"python3", "train.py", "--name", "my net", "it's"}
	for _, f := range []Form{full, command, Defaults()} {
		s := idle()
		s.SetSize(120, 38)
		s.SetForm(f)
		before := s.Form()
		for i := range fields {
			if fields[i].read == nil {
				continue
			}
			s.row = i
			s.Act(keys.Enter)
			if want := fields[i].value(before); s.input.Value() != want {
				t.Errorf("%s opens with %q, not %q", fields[i].label, s.input.Value(), want)
			}
			s.Act(keys.Enter)
			if s.typing {
				t.Fatalf("%s refuses what it opened with, %q: %s", fields[i].label, s.input.Value(), s.err)
			}
			if after := s.Form(); !reflect.DeepEqual(after, before) {
				t.Errorf("%s changed by being looked at: %+v, before %+v", fields[i].label, after, before)
			}
		}
	}
	for _, f := range fields {
		if want := map[string]string{"price $/h": "0.1234567", "batch sizes": "32,64"}[f.label]; want != "" &&
			strings.ReplaceAll(f.value(full), " ", "") != want {
			t.Errorf("%s opens with %q, not %q", f.label, f.value(full), want)
		}
	}
	s := idle()
	s.SetForm(full)
	at(t, s, "model")
	s.Act(keys.Enter)
	for _, k := range []tea.KeyPressMsg{{Code: tea.KeyBackspace}, {Code: tea.KeyBackspace}, {Code: 't', Text: "t"}} {
		s.Key(k)
	}
	s.Act(keys.Enter)
	if got := s.Form().Model; got != "/m/net.py:buit" {
		t.Errorf("model is %q", got)
	}
}

// A hint has room beside its value, or stands below the form; it is never cut.
func TestHintsAreWhole(t *testing.T) {
	for _, f := range []Form{Defaults(), {Command: []string{"python3", "train.py"}}} {
		s := idle()
		s.SetForm(f)
		for w := leastWidth; w < 210; w += 11 {
			for _, h := range []int{13, 22, 38} {
				s.SetSize(w, h)
				for i := range fields {
					s.row = i
					got := exact(t, s)
					bare := strings.NewReplacer("│", "", " ", "", "\n", "")
					if hint := fields[i].hintFor(s.form); !strings.Contains(bare.Replace(got), bare.Replace(hint)) {
						t.Fatalf("%d×%d: the hint %q of %s is cut:\n%s", w, h, hint, fields[i].label, got)
					}
				}
			}
		}
	}
}

func TestGoldenFramesOfTheForm(t *testing.T) {
	for name, make := range map[string]func(s *Screen){
		"field":   func(s *Screen) { at(t, s, "batch") },
		"typing":  func(s *Screen) { at(t, s, "where"); s.Act(keys.Enter); s.Paste("me@vm:2222, me@other") },
		"refused": func(s *Screen) { at(t, s, "batch"); press(s, "many") },
		"command": func(s *Screen) {
			s.form.Command = []string{"python3", "train.py", "--epochs", "88888"}
			at(t, s, "epochs")
		},
	} {
		for _, size := range terminals {
			t.Run(fmt.Sprintf("%s_%dx%d", name, size.w, size.h), func(t *testing.T) {
				s := idle()
				s.SetSize(size.w, size.h-ownRows)
				make(s)
				golden.RequireEqual(t, exact(t, s))
			})
		}
	}
}
