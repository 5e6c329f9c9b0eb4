package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"sweetspot/data/contract"
	"sweetspot/data/launch"
	"sweetspot/data/workfolder"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/secret"
	"sweetspot/probes/rental"
	"sweetspot/probes/request"
	"sweetspot/tui/screen"
	"sweetspot/tui/screens/probe"
)

func renterNames() (names []string) {
	for _, t := range launch.Renters {
		names = append(names, t.Name)
	}
	return names
}

// rented is what is rented for one VM type.
type rented struct {
	launch.Rental
	script string
	usd    float64 // at most
}

// rentAndProbe rents each VM type, probes on it and ends it, after it has shown what
// that costs at most and was told to.
func (f *probeFlags) rentAndProbe(ctx context.Context, cmd *cobra.Command, r request.Request, db string,
	set *profile.Set) error {
	var tool *launch.Renter
	for _, t := range launch.Renters {
		if t.Name == f.rent {
			tool = t
		}
	}
	warnLeftovers(cmd.ErrOrStderr())
	all, from, err := f.rentals(ctx, cmd, r, db, set)
	if err != nil {
		return err
	}
	total := 0.0
	for i := range all {
		if all[i].script, err = rental.Write(tool, all[i].Rental); err != nil {
			return err
		}
		total += all[i].usd
	}
	if limit := f.rule.MaxUSD; limit > 0 && total > limit {
		return usageError("this costs up to %s, more than --max-cost %s; shorten --time-limit, or raise --max-cost",
			quantity.Money(total), quantity.Money(limit))
	}
	say := cmd.ErrOrStderr()
	if f.dryRun && !wantsJSON(cmd) {
		say = cmd.OutOrStdout()
	}
	if err := announce(say, tool, all, from, total); err != nil {
		return err
	}
	switch {
	case f.dryRun && wantsJSON(cmd):
		return printJSON(cmd.OutOrStdout(), newRentals(all, total))
	case f.dryRun:
		_, err := fmt.Fprintln(cmd.OutOrStdout(), "Nothing was rented. Leave out --dry-run to rent, or run the scripts.")
		return err
	}
	if err := rental.Check(tool); err != nil {
		return fmt.Errorf("%w, or only write the script with --dry-run", err)
	}
	if err := f.agreed(ctx, cmd, "--dry-run to only write the scripts"); err != nil {
		return err
	}
	return runAll(ctx, cmd, all)
}

// rentals are those of the VM types of --vm; from is what their environment follows.
func (f *probeFlags) rentals(ctx context.Context, cmd *cobra.Command, r request.Request, db string,
	set *profile.Set) (all []rented, from string, err error) {
	what, err := toRent(ctx, r, f.folder, db, set)
	if err != nil {
		return nil, "", err
	}
	what.asJSON = wantsJSON(cmd)
	vms, err := f.vmTypes(set)
	if err != nil {
		return nil, "", err
	}
	for _, vm := range vms {
		x, err := what.on(vm, f.price, time.Duration(f.timeLimit*float64(time.Second)))
		if err != nil {
			return nil, "", err
		}
		all = append(all, x)
	}
	return all, what.setup.From, nil
}

// vmTypes are those that --vm names.
func (f *probeFlags) vmTypes(set *profile.Set) (vms []profile.VMType, err error) {
	for name := range strings.SplitSeq(f.vm, ",") {
		vm, err := profile.FindVMType(set.VMTypes, strings.TrimSpace(name))
		if err != nil {
			return nil, usageError("--vm: %w", err)
		}
		vms = append(vms, vm)
	}
	return vms, nil
}

// measuring is what rented VMs are to do.
type measuring struct {
	request request.Request
	folder  string   // that is copied
	files   []string // of it
	setup   workfolder.Setup
	db      string // that the runs go into
	asJSON  bool
}

// toRent reads the folder of the request's script.
func toRent(ctx context.Context, r request.Request, folder, db string, set *profile.Set) (m measuring, err error) {
	m.request = r
	if m.folder, err = filepath.Abs(cmp.Or(folder, ".")); err != nil {
		return m, err
	}
	if m.files, err = workfolder.Files(ctx, m.folder); err != nil {
		return m, err
	}
	m.setup = workfolder.ReadSetup(m.folder, set.PackagesFor(secret.Words(r.Command), m.folder))
	m.db, err = filepath.Abs(db)
	return m, err
}

// on is the rental of a VM type; a price that is given goes before the catalog's.
func (m measuring) on(vm profile.VMType, price *float64, limit time.Duration) (x rented, err error) {
	if price != nil {
		vm.Prices = []profile.Price{{Purchase: profile.OnDemand, USDPerHour: *price}}
	}
	x.Rental = launch.Rental{Name: rental.NewName(), VM: vm, Folder: m.folder, Files: m.files, Setup: m.setup.Lines,
		Limit: limit}
	usd := x.MostUSD()
	if usd == nil {
		return x, usageError("the catalog has no on-demand price of %s; add it as --price", plaintext.Quote(vm.InstanceType))
	}
	self, err := os.Executable()
	if err != nil {
		return x, fmt.Errorf("the rented VM cannot be probed from here: %w", err)
	}
	x.usd, x.Probe = *usd, probeOf(self, m.db, m.request, x.Rental, m.asJSON)
	return x, nil
}

// probeOf is the command that probes on the rented VM.
func probeOf(self, db string, r request.Request, on launch.Rental, asJSON bool) []string {
	r.Hosts, r.Python, r.Folder = []string{on.Name}, on.Python(), ""
	if r.IsCommand() {
		r.Folder = on.WorkFolder()
	}
	r.Machine.VM = on.VM.Key()
	if price, ok := on.VM.PriceOf(profile.OnDemand); ok {
		r.Machine.USDPerHour = &price.USDPerHour
	}
	r.Rule.MaxUSD = 0 // the rental's limit bounds what is spent
	if cells, err := r.Cells(); err == nil && r.Rule.MaxSeconds == 0 {
		r.Rule.MaxSeconds = on.Limit.Seconds() / 2 / float64(len(cells)) // half of it is to set up the environment
	}
	words := []string{self, "probe", "--db=" + db, "--yes"}
	if asJSON {
		words = append(words, "--json")
	}
	return append(words, r.Argv()...)
}

// announce says what is rented and what that costs at most.
func announce(w io.Writer, tool *launch.Renter, all []rented, from string, total float64) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s rents, probes on and ends:\n", tool.Title)
	for _, x := range all {
		fmt.Fprintf(&b, "  %s: %s\n    bash %s\n", x.Words(), x.Bound(), plaintext.Clean(x.script))
	}
	b.WriteString(copied(all[0].Rental, from) + "\n")
	if len(all) > 1 {
		fmt.Fprintf(&b, "Together at most %s.\n", quantity.Money(total))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// copied says what comes to the VM.
func copied(r launch.Rental, from string) string {
	out := fmt.Sprintf("%s of %s will be copied to it. ", files(len(r.Files)), plaintext.Clean(r.Folder))
	if from == "" {
		return out + "Nothing says which packages the script needs, so the VM's image must have them: a requirements.txt " +
			"in the folder would have them installed."
	}
	return out + "Its environment is set up from " + from + "."
}

func files(n int) string {
	if n == 1 {
		return "1 file"
	}
	return quantity.Count(float64(n)) + " files"
}

// agreed is nil once the user has agreed to the cost. Where nobody can be asked, it names
// another way.
func (f *probeFlags) agreed(ctx context.Context, cmd *cobra.Command, other string) error {
	if f.yes {
		return nil
	}
	if !term.IsTerminal(os.Stdin.Fd()) {
		return usageError("renting costs money, and nobody can be asked here; add --yes to agree, or %s", other)
	}
	_, _ = fmt.Fprint(cmd.ErrOrStderr(), "Rent? [y/N] ")
	if isYes(ctx, cmd.InOrStdin()) {
		return nil
	}
	return exitError{exitFailed, errors.New("nothing was rented; answer y, or add --yes, to rent")}
}

// runAll runs the scripts side by side. Lines of several begin with the VM type.
func runAll(ctx context.Context, cmd *cobra.Command, all []rented) error {
	if len(all) == 1 {
		return rental.Run(ctx, all[0].script, cmd.OutOrStdout(), cmd.ErrOrStderr())
	}
	var group sync.WaitGroup
	var mu sync.Mutex
	errs := make([]error, len(all))
	for i, x := range all {
		group.Go(func() {
			var out bytes.Buffer
			said := &labelled{mu: &mu, w: cmd.ErrOrStderr(), label: x.VM.InstanceType + ": "}
			errs[i] = rental.Run(ctx, x.script, &out, said)
			if errs[i] != nil {
				errs[i] = fmt.Errorf("%s: %w", plaintext.Clean(x.VM.InstanceType), errs[i])
			}
			mu.Lock()
			defer mu.Unlock()
			_, _ = io.Copy(cmd.OutOrStdout(), &out) // a lost terminal must not leave a VM running
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

// labelled writes whole lines under a label.
type labelled struct {
	mu    *sync.Mutex
	w     io.Writer
	label string
	line  []byte
}

func (l *labelled) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.line = append(l.line, p...)
	for {
		line, rest, ok := bytes.Cut(l.line, []byte("\n"))
		if !ok {
			return len(p), nil
		}
		_, _ = fmt.Fprintf(l.w, "%s%s\n", l.label, line) // as above
		l.line = rest
	}
}

// warnLeftovers names VMs that an earlier rental may have left behind.
func warnLeftovers(w io.Writer) {
	left, err := rental.Leftovers()
	if err != nil {
		warn(w, err.Error())
	}
	for _, l := range left {
		warn(w, fmt.Sprintf("%s; end it with: %s", l, l.End))
	}
}

// rentalsJSON is the JSON of a dry run.
type rentalsJSON struct {
	contract.Head
	USDMost float64      `json:"usd_most"` // US dollars for all at most, without disks and traffic
	Rentals []rentalJSON `json:"rentals"`
}

type rentalJSON struct {
	Name         string   `json:"name"`
	Cloud        string   `json:"cloud"`
	Region       string   `json:"region"`
	InstanceType string   `json:"instance_type"`
	USDMost      float64  `json:"usd_most"`   // US dollars at most
	LifetimeS    float64  `json:"lifetime_s"` // seconds that the VM exists at most
	Script       string   `json:"script"`     // that rents, probes and ends
	Probe        []string `json:"probe"`      // the command that it probes with
}

func newRentals(all []rented, total float64) rentalsJSON {
	out := rentalsJSON{Head: contract.NewHead("probe"), USDMost: total}
	for _, x := range all {
		out.Rentals = append(out.Rentals, rentalJSON{x.Name, x.VM.Cloud, x.VM.Region, x.VM.InstanceType, x.usd,
			x.Lifetime().Seconds(), x.script, x.Probe})
	}
	return out
}

// defaultLimit is how long a rented VM is used at most where nobody says otherwise.
const defaultLimit = 20 * time.Minute

// renter writes the script for a form with SkyPilot, which asks for nothing more.
func renter(ctx context.Context, ws screen.Workspace, f probe.Form) (out probe.Rental, err error) {
	w, _, err := writable(ctx, ws) // the probe, a program of its own, writes to it
	if err != nil {
		return out, err
	}
	set, err := w.Load(ctx)
	if err != nil {
		return out, err
	}
	vm, err := profile.FindVMType(set.VMTypes, f.VM)
	if err != nil {
		return out, err
	}
	tool, folder := launch.SkyRenter, f.Folder
	f.Folder, f.Hosts, f.VM = "", []string{""}, ""
	what, err := toRent(ctx, requested(f, ""), folder, w.Path(), set)
	if err != nil {
		return out, err
	}
	x, err := what.on(vm, f.USDPerHour, defaultLimit)
	if err != nil {
		return out, err
	}
	if most := f.MaxUSD; most > 0 && x.usd > most {
		return out, fmt.Errorf("this costs up to %s, more than the cost cap of %s: raise it, or clear it",
			quantity.Money(x.usd), quantity.Money(most))
	}
	if x.script, err = rental.Write(tool, x.Rental); err != nil {
		return out, err
	}
	words := fmt.Sprintf("%s rents %s: %s. %s", tool.Title, x.Words(), x.Bound(), copied(x.Rental, what.setup.From))
	return probe.Rental{Words: words, Lacks: rental.Check(tool), Script: x.script, Run: exec.Command("bash", x.script),
		Discard: func() { _ = os.RemoveAll(filepath.Dir(x.script)) }}, nil // nothing was rented
}
