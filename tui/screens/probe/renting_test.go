package probe

import (
	"context"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"sweetspot/data/shellwords"
	"sweetspot/engine/candidate"
	"sweetspot/engine/profile"
	"sweetspot/tui/keys"
	"sweetspot/tui/screen"
)

func vmOf(region, instance string, usd float64) profile.VMType {
	return profile.VMType{Cloud: "aws", Region: region, InstanceType: instance, GPU: "L4", GPUCount: 1,
		Prices: []profile.Price{{Purchase: profile.OnDemand, USDPerHour: usd}}}
}

// known is a catalog with a script's runs at two batch sizes and one of a model.
func known() *profile.Set {
	script := []string{"python3", "train.py", "--batch-size", "64"}
	return &profile.Set{
		VMTypes: []profile.VMType{vmOf("us-east-1", "g6.xlarge", 0.8), vmOf("us-east-1", "g6.2xlarge", 0.98),
			vmOf("us-east-1", "p5.48xlarge", 98)},
		Runs: []profile.Run{
			{ID: 1, Model: "train", Mode: profile.Train, BatchSize: 64, Command: script, Folder: "/home/me/old"},
			{ID: 2, Model: "train", Mode: profile.Train, BatchSize: 64, Command: script, Folder: "/home/me/proj"},
			{ID: 3, Model: "net", Mode: profile.Train, BatchSize: 32, Folder: "/home/me/nets", Command: []string{"sweetspot",
				"probe", "--model=nets.py:net", "--input=3x8x8", "--train-size=50000", "--batch=32"}},
		},
	}
}

func candidateOn(vm profile.VMType, model string, batch int, sources ...int64) *candidate.Candidate {
	return &candidate.Candidate{Model: model, Mode: profile.Train, BatchSize: batch, Sources: sources,
		Configuration: []candidate.Part{{VM: vm, Count: 1, USDPerHour: &vm.Prices[0].USDPerHour}}}
}

// What was measured is what the form says: the command at the candidate's batch size, in
// its folder, on its VM type at its price.
func TestTheCommandIsRemembered(t *testing.T) {
	s, _ := placed(t)
	s.Receive(screen.Loaded{Set: known()})
	s.Receive(screen.ProbeCandidate{Candidate: candidateOn(known().VMTypes[0], "train", 128, 1)})
	f := s.Form()
	if shellwords.Join(f.Command) != "python3 train.py --batch-size 128" || f.Folder != "/home/me/old" ||
		f.VM != "aws/us-east-1/g6.xlarge" || f.USDPerHour == nil || *f.USDPerHour != 0.8 {
		t.Errorf("%+v", f)
	}
	// Nothing rests on these: the newest run of the model says how.
	s.Receive(screen.ProbeCandidate{Candidate: candidateOn(known().VMTypes[0], "train", 64, -7)})
	if f := s.Form(); shellwords.Join(f.Command) != "python3 train.py --batch-size 64" || f.Folder != "/home/me/proj" {
		t.Errorf("%+v", f)
	}
	s.Receive(screen.ProbeCandidate{Candidate: candidateOn(known().VMTypes[1], "net", 16, 3)})
	if f := s.Form(); f.Model != "/home/me/nets/nets.py:net" || f.OfCommand() || f.Input != "3x8x8" ||
		f.TrainSize != 50000 || !slices.Equal(f.Batches, []int{16}) || f.VM != "aws/us-east-1/g6.2xlarge" {
		t.Errorf("%+v", f)
	}
	// On a host that was probed before, the folder is not one of this machine.
	s.machines["me@vm"] = known().VMTypes[0].Key()
	s.Receive(screen.ProbeCandidate{Candidate: candidateOn(known().VMTypes[0], "train", 64, 2)})
	if f := s.Form(); !slices.Equal(f.Hosts, []string{"me@vm"}) || f.Folder != "" {
		t.Errorf("%+v", f)
	}
}

func TestVMTypeIsCompleted(t *testing.T) {
	s, _ := placed(t)
	s.Receive(screen.Loaded{Set: known()})
	at(t, s, vmLabel)
	s.Act(keys.Enter)
	s.Paste("g6")
	if got := exact(t, s); !strings.Contains(got, "aws/us-east-1/g6.xlarge, aws/us-east-1/g6.2xlarge") {
		t.Errorf("what fits is not shown:\n%s", got)
	}
	s.Key(tea.KeyPressMsg{Code: tea.KeyTab})
	if got := s.input.Value(); got != "aws/us-east-1/g6." {
		t.Errorf("completed to %q", got)
	}
	if s.Act(keys.Enter); !strings.Contains(s.err, "more than one VM type") {
		t.Errorf("taken as it is: %+v, %q", s.form.VM, s.err)
	}
	s.Paste("x")
	if s.Act(keys.Enter); s.form.VM != "aws/us-east-1/g6.xlarge" || *s.form.USDPerHour != 0.8 {
		t.Errorf("%+v, %q", s.form, s.err)
	}
	at(t, s, vmLabel)
	if press(s, "h200"); !strings.Contains(s.err, "no VM type") || s.form.VM != "aws/us-east-1/g6.xlarge" {
		t.Errorf("%+v, %q", s.form.VM, s.err)
	}
	s.Act(keys.Back)
	at(t, s, vmLabel)
	if press(s, ""); s.form.VM != "" || s.err != "" {
		t.Errorf("it cannot be left empty: %q, %q", s.form.VM, s.err)
	}
}

// The next probe of a VM type that nobody has is rented: its cost is shown, and nothing
// is run without a yes.
func TestTheNextProbeIsRented(t *testing.T) {
	s, p := placed(t)
	var asked []Form
	discarded := 0
	var lacks error
	s.RentWith(func(_ context.Context, _ screen.Workspace, f Form) (Rental, error) {
		asked = append(asked, f)
		return Rental{Words: "at most $0.44.", Lacks: lacks, Script: "/x/rent.sh", Run: exec.Command("true"),
			Discard: func() { discarded++ }}, nil
	})
	s.Receive(screen.Loaded{Set: known()})
	next := screen.ProbeNext{Candidate: candidateOn(known().VMTypes[0], "train", 64, 2)}
	plan := func() {
		t.Helper()
		s.planned(s.planRental()().(plannedMsg))
	}
	if s.Receive(next); p.shown != keys.Probe || !s.Form().Rents() || s.Form().Folder != "/home/me/proj" {
		t.Fatalf("%v: %+v", p.shown, s.Form())
	}
	plan()
	if len(asked) != 1 || asked[0].VM != "aws/us-east-1/g6.xlarge" || !s.Shell.Question.Visible() {
		t.Fatalf("%+v", asked)
	}
	answer := func(key rune) tea.Cmd {
		t.Helper()
		cmd, handled := s.Shell.Key(tea.KeyPressMsg{Code: key, Text: string(key)}, "")
		if !handled || s.Shell.Question.Visible() {
			t.Fatalf("%c is no answer", key)
		}
		return cmd
	}
	if cmd := answer('n'); cmd == nil || cmd() != nil || discarded != 1 {
		t.Error("no keeps the script")
	}
	plan()
	if answer('w'); discarded != 1 {
		t.Error("the script that was to be written is gone")
	}
	plan()
	if cmd := answer('y'); cmd == nil || discarded != 1 {
		t.Error("a yes runs nothing")
	}
	lacks = errors.New("there is no program sky")
	plan()
	if _, handled := s.Shell.Key(tea.KeyPressMsg{Code: 'y', Text: "y"}, ""); handled && !s.Shell.Question.Visible() {
		t.Error("what cannot be run here is rented")
	}
	if answer('w'); discarded != 1 {
		t.Error("the script for another machine is gone")
	}
	if got := exact(t, s); !strings.Contains(got, "see what renting costs") ||
		!strings.Contains(got, "a VM that is rented") {
		t.Errorf("form:\n%s", got)
	}
	s.planned(plannedMsg{err: errors.New("there is no program sky")})
	if !strings.Contains(s.err, "no program") || s.Shell.Question.Visible() {
		t.Errorf("%q", s.err)
	}
	for why, change := range map[string]func(*Form){
		"name the VM type": func(f *Form) { f.VM = "" },
		"write its price":  func(f *Form) { f.USDPerHour = nil },
		"by itself":        func(f *Form) { f.Hosts = append(f.Hosts, "me@vm") },
	} {
		f := s.Form().clone()
		change(&f)
		if err := f.check(); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", why, err)
		}
	}
}
