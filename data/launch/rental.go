package launch

import (
	_ "embed" // the skeleton of the script
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"sweetspot/data/contract"
	"sweetspot/data/shellwords"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

// Rental is a VM that is rented for probes: what they are, and for how long at most.
type Rental struct {
	Name   string // of the VM: sweetspot- and hexadecimal digits
	VM     profile.VMType
	Limit  time.Duration // of the VM's use, in whole minutes; it then ends by itself
	Folder string        // that is copied to it, an absolute path
	Files  []string      // of the folder that are copied, as workfolder lists them
	Setup  []string      // lines of a Bash script that sets up the environment
	Probe  []string      // the command that probes the VM from here, in the folder
}

// How long a VM may take besides its use: until it can be used, which is given up
// after that, and, once its time is up, until the cloud has ended it. SkyPilot looks
// every minute.
const (
	MostStart = 10 * time.Minute
	MostEnd   = 3 * time.Minute
)

// Lifetime is how long the VM exists at most.
func (r Rental) Lifetime() time.Duration { return MostStart + r.Limit + MostEnd }

// MostUSD is what the VM costs at most in US dollars, without its disk and traffic;
// nil without a price.
func (r Rental) MostUSD() *float64 {
	price, ok := r.VM.PriceOf(profile.OnDemand)
	if !ok {
		return nil
	}
	return new(price.USDPerHour * r.Lifetime().Hours())
}

// WorkFolder is the copy of the folder on the VM, in the user's home there.
func (r Rental) WorkFolder() string { return r.Name + "/work" }

// Python is the interpreter of the environment, there too.
func (r Rental) Python() string { return r.Name + "/env/bin/python3" }

// Renter is a tool that rents VMs.
type Renter struct {
	Name    string // of --rent
	Title   string // for people
	Program string // that it needs

	clouds []string // that it launches on; none is any
	write  func(r Rental, p part) (files map[string]string, script rentalScript, err error)
}

// Renters lists all tools, the one that takes no more to know first.
var Renters = []*Renter{SkyRenter, awsRenter, gcloudRenter}

func (t *Renter) String() string { return t.Name }

// rentalScript are the parts of a script that differ by tool, as lines of Bash.
type rentalScript struct {
	ends    string // says how the VM ends by itself
	needs   []need // variables that the user sets
	check   string // holds a variable to what it has to be
	ssh     string // has ssh know the VM by its name, where the tool does not
	create  string
	destroy string
	hint    string // the command that shows what still runs
}

//go:embed rental.sh
var rentalSkeleton string

// RentalScript is the file among [Renter.Files] that does it all. "bash FILE end" only
// ends the VM.
const RentalScript = "rent.sh"

// Files are what rents the VM, probes it and ends it, by name: a script, and what it
// reads from its folder.
func (t *Renter) Files(r Rental) (map[string]string, error) {
	p, err := newPart(partOf(r.VM), contract.Candidate{})
	switch {
	case err != nil:
		return nil, err
	case p.cloud == "":
		return nil, fmt.Errorf("%s is of no cloud that it could be rented from", p.machine())
	case !ofMachine.MatchString(r.Name):
		return nil, fmt.Errorf("%s cannot name a VM", plaintext.Quote(r.Name))
	case len(r.Files) == 0 || len(r.Probe) == 0 || r.Limit < time.Minute:
		return nil, errors.New("a rental needs files, a probe and a time limit of at least a minute")
	}
	if why := (&Format{Name: t.Name, clouds: t.clouds, byGPU: t == SkyRenter}).misfit(&job{parts: []part{p}}); why != "" {
		return nil, errors.New(why)
	}
	files, s, err := t.write(r, p)
	if err != nil {
		return nil, err
	}
	files["files"] = strings.Join(r.Files, "\x00") + "\x00"
	files["setup.sh"] = r.setup()
	files[RentalScript] = r.script(s)
	return files, nil
}

// setup is what the VM's Bash reads.
func (r Rental) setup() string {
	return "set -euo pipefail\ncd ~/" + r.WorkFolder() + "\nenv=~/" + r.Name + "/env\n" +
		"export DEBIAN_FRONTEND=noninteractive\n" + strings.Join(r.Setup, "\n") + "\n"
}

// script fills in the skeleton.
func (r Rental) script(s rentalScript) string {
	remarks := []string{
		"Rents " + r.Words() + ", probes on it, and ends it.",
		"Cost: " + r.Bound() + ".",
		"Limit: " + s.ends,
		"End it by hand: bash " + RentalScript + " end. What runs: " + s.hint,
	}
	needs := indented(checks(s.needs) + s.check)
	if needs != "" {
		needs = "if [ \"${1:-}\" != end ]; then\n" + needs + "fi\n"
	}
	words := make([]string, len(r.Probe))
	for i, w := range r.Probe {
		words[i] = shellwords.Quoted(w)
	}
	return strings.NewReplacer(
		"#remarks\n", comment(remarks), "#needs\n", needs, "#ssh\n", s.ssh, "@name@", r.Name,
		"@folder@", shellwords.Quoted(r.Folder), "@start@", strconv.Itoa(int(MostStart.Seconds())),
		"@limit@", minutes(r.Limit), "@hint@", shellwords.Quoted(s.hint),
		"#create\n", s.create, "#destroy\n", s.destroy, "@probe@", strings.Join(words, " "),
	).Replace(rentalSkeleton)
}

func partOf(vm profile.VMType) contract.Part {
	return contract.Part{Cloud: contract.OrNull(vm.Cloud), Region: contract.OrNull(vm.Region),
		InstanceType: contract.OrNull(vm.InstanceType), GPU: contract.OrNull(vm.GPU), GPUCount: &vm.GPUCount, Count: 1}
}

// Words are "g6.xlarge (1× L4), aws us-east-1".
func (r Rental) Words() string {
	return plaintext.Clean(strings.TrimPrefix(partOf(r.VM).Words(), "1× "))
}

// Bound says what it costs at most, and why.
func (r Rental) Bound() string {
	usd := r.MostUSD()
	if usd == nil {
		return "unknown, for the catalog has no on-demand price"
	}
	price, _ := r.VM.PriceOf(profile.OnDemand)
	return fmt.Sprintf("at most %s, %s an hour for %s (%s to start, %s of use, %s to end), its disk and traffic aside",
		quantity.Money(*usd), quantity.Money(price.USDPerHour), minutes(r.Lifetime()), minutes(MostStart), minutes(r.Limit),
		minutes(MostEnd))
}

func minutes(d time.Duration) string {
	return fmt.Sprintf("%d min", wholeMinutes(d))
}
