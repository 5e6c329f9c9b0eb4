package probe

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"sweetspot/engine/candidate"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
)

// Measuring is the form for a candidate, filled with what was measured: the command or the
// model and its folder, on which VM type, at which price. known is false where it is not
// known what was run; note says what to change by hand, "" where there is nothing.
func (f Form) Measuring(c *candidate.Candidate, set *profile.Set) (out Form, known bool, note string) {
	named := f.names(c)
	out = f.For(c)
	out.Command, out.Folder = nil, ""
	vm := c.Configuration[0]
	out.VM, out.USDPerHour = "", vm.USDPerHour
	if vm.VM.Cloud != "" {
		out.VM = vmName(vm.VM)
	}
	r := set.Commanded(c.Model, c.Mode, c.Sources)
	if r == nil {
		return out, named, ""
	}
	words, at := r.CommandAt(c.BatchSize)
	if model, ok := ofModel(words); ok {
		out.Model, out.Input, out.TrainSize = within(r.Folder, model.Model), model.Input, model.TrainSize
		return out, true, ""
	}
	out.Command, out.Folder = slices.Clone(words), r.Folder
	if !at {
		note = fmt.Sprintf("the command was measured at batch size %d and has no flag for it: set it to %d", r.BatchSize,
			c.BatchSize)
	}
	return out, true, note
}

// at is the form for one host. A folder of this machine is not one of another.
func (f Form) at(host string) Form {
	f.On = ""
	if f.Hosts = []string{host}; host != "" && host != rented {
		f.Folder = ""
	}
	return f
}

// ofModel reads a command that probes a model: "sweetspot probe" and flags.
func ofModel(words []string) (f Form, ok bool) {
	if len(words) < 2 || words[0] != "sweetspot" || words[1] != "probe" {
		return f, false
	}
	for _, w := range words[2:] {
		switch name, value, _ := strings.Cut(w, "="); name {
		case "--model":
			f.Model = value
		case "--input":
			f.Input = value
		case "--train-size":
			f.TrainSize, _ = strconv.ParseFloat(value, 64) // ours; 0 is the dataset's own
		}
	}
	return f, f.Model != ""
}

// within is the model's file by its whole path, where it is one.
func within(folder, model string) string {
	path, _, _ := strings.Cut(model, ":")
	if folder == "" || filepath.IsAbs(path) || !slices.Contains(ModelFiles(), filepath.Ext(path)) {
		return model
	}
	return filepath.Join(folder, model)
}

// vmName is how the form writes a VM type: aws/us-east-1/g6.xlarge.
func vmName(vm profile.VMType) string { return vm.Cloud + "/" + vm.Region + "/" + vm.InstanceType }

// Completing a VM type.

// shownMatches are the names that a hint has room for.
const shownMatches = 3

// matching are the VM types whose name holds what is typed, in the order of the catalog;
// a type of several regions with one price is there once.
func matching(set *profile.Set, typed string) (names []string) {
	typed = strings.ToLower(strings.TrimSpace(typed))
	if set == nil || typed == "" {
		return nil
	}
	for _, vm := range set.VMTypes {
		if name := vmName(vm); vm.Cloud != "" && strings.Contains(strings.ToLower(name), typed) {
			names = append(names, name)
		}
	}
	return names
}

// completed is what is typed with all that its matches have in common.
func completed(set *profile.Set, typed string) string {
	names := matching(set, typed)
	if len(names) == 0 {
		return typed
	}
	common := names[0]
	for _, name := range names {
		for !strings.HasPrefix(name, common) {
			common = common[:len(common)-1]
		}
	}
	if len(common) < len(typed) {
		return typed
	}
	return common
}

// readVM takes a VM type over, with its price where none is given.
func readVM(f *Form, set *profile.Set, typed string) error {
	typed = strings.TrimSpace(typed)
	if typed == "" || set == nil {
		f.VM = typed
		return nil
	}
	vm, err := profile.FindVMType(set.VMTypes, typed)
	if err != nil {
		names := matching(set, typed)
		if len(names) != 1 {
			return notOne(typed, names)
		}
		if vm, err = profile.FindVMType(set.VMTypes, names[0]); err != nil {
			return err
		}
	}
	f.VM, f.USDPerHour = vmName(vm), nil
	if price, ok := vm.PriceOf(profile.OnDemand); ok {
		f.USDPerHour = &price.USDPerHour
	}
	return nil
}

func notOne(typed string, names []string) error {
	if len(names) == 0 {
		return fmt.Errorf("the catalog has no VM type %s: type a part of its name, such as g6, or leave it empty",
			plaintext.Quote(typed))
	}
	return errors.New("that is more than one VM type: " + matchWords(names) + "; type more of it")
}

// matchWords lists the first of the names, and how many more there are.
func matchWords(names []string) string {
	if len(names) <= shownMatches {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:shownMatches], ", "), len(names)-shownMatches)
}

// readFolder takes the folder of a command over.
func readFolder(f *Form, s string) error {
	f.Folder = strings.TrimSpace(s)
	return nil
}
