package launch

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"sweetspot/data/contract"
	"sweetspot/data/shellwords"
	"sweetspot/data/wording"
	"sweetspot/engine/objective"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

// job is a pick as launchers see it: equal VMs, or several kinds of them, and
// the settings the command is to run with.
type job struct {
	pick    contract.Pick
	command string // that runs the model, for a shell; "" where it is not known
	words   []string
	folder  string // that it was run in; "" where it is not known
	// that the script had imported, name==version; nil where it is not known
	packages []string
	limit    time.Duration // of the running time; 0 is none
	name     string        // that every cloud takes: lower case letters, digits and dashes
	parts    []part
}

// part is a number of equal VMs, or a machine of one's own, which has a host.
type part struct {
	cloud, region, instanceType, host string
	gpu                               string // "" where there is none, or none is named
	gpus                              *int   // of one VM; nil is unknown
	count                             int
	batch                             *int
	units                             *float64 // of all VMs of the part
	suffix                            string   // of variables that differ by part: "" or "_2"
}

// ofMachine matches names of VM types, regions and hosts. Nothing else can be
// launched.
var ofMachine = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

func newJob(p contract.Pick) (*job, error) {
	given := p
	p, err := p.Plain()
	if err != nil {
		return nil, err
	}
	j := &job{pick: p, name: Slug(p.Candidate.Model)}
	if slices.Equal(p.RunWords, given.RunWords) && contract.Known(p.RunFolder) == contract.Known(given.RunFolder) {
		j.words, j.command, j.folder = p.RunWords, commandLine(p.RunWords), contract.Known(p.RunFolder)
	} // else it holds what no line of a file can
	j.packages = slices.DeleteFunc(slices.Clone(p.RunPackages), func(n string) bool { return !profile.IsPackage(n) })
	j.limit = timeLimit(p.Candidate.Time.High)
	if len(p.Candidate.Configuration) == 0 {
		return nil, errors.New("this pick names no VM: pick a candidate again")
	}
	for _, v := range p.Candidate.Configuration {
		at, err := newPart(v, p.Candidate)
		if err != nil {
			return nil, err
		}
		j.parts = append(j.parts, at)
	}
	j.setSuffixes()
	return j, nil
}

func newPart(v contract.Part, c contract.Candidate) (part, error) {
	at := part{
		cloud: strings.ToLower(contract.Known(v.Cloud)), region: contract.Known(v.Region),
		instanceType: contract.Known(v.InstanceType), host: contract.Known(v.Host),
		gpu: contract.Known(v.GPU), gpus: v.GPUCount, count: v.Count, batch: v.BatchSize, units: v.Units,
	}
	if at.cloud == "gcp" { // lists name a host with what is attached to it: n1-highmem-8+1xT4
		at.instanceType, _, _ = strings.Cut(at.instanceType, "+")
	}
	for _, name := range []string{at.cloud, at.region, at.instanceType, at.host} {
		if name != "" && !ofMachine.MatchString(name) {
			return at, fmt.Errorf("%s is not the name of a VM type, region or host that can be launched: such names "+
				"consist of letters, digits, dots, dashes and underscores", plaintext.Quote(name))
		}
	}
	switch {
	case at.instanceType == "" && at.host == "":
		return at, errors.New("this pick names no VM type: pick a candidate again")
	case at.count < 1:
		return at, fmt.Errorf("this pick has %d VMs of %s: pick a candidate again", at.count, at.machine())
	case at.gpus != nil && *at.gpus < 0:
		return at, fmt.Errorf("this pick has %d GPUs in each %s: pick a candidate again", *at.gpus, at.machine())
	}
	at.batch = cmp.Or(at.batch, c.BatchSize)
	if at.units == nil {
		at.units = c.Units
	}
	return at, nil
}

// setSuffixes keeps images, subnets and zones of different regions apart.
func (j *job) setSuffixes() {
	same := func(p part) bool { return p.cloud == j.parts[0].cloud && p.region == j.parts[0].region }
	if slices.IndexFunc(j.parts, func(p part) bool { return !same(p) }) < 0 {
		return
	}
	for i := range j.parts {
		j.parts[i].suffix = "_" + strconv.Itoa(i+1)
	}
}

// machine is the VM type, or the host of a machine of one's own.
func (p part) machine() string { return cmp.Or(p.instanceType, p.host) }

// where says what the machine is and whose, for a sentence.
func (p part) where() string {
	if p.cloud == "" {
		return p.machine() + ", a machine of your own"
	}
	return p.machine() + " of " + p.cloud
}

// listed reports whether the VM type goes by a price list's name, of its cloud and
// its GPUs (lambda-1xH10080GB), which the cloud itself does not know.
func (p part) listed() bool { return p.cloud != "" && strings.HasPrefix(p.instanceType, p.cloud+"-") }

// hasGPU reports whether the VMs are known to have GPUs.
func (p part) hasGPU() bool { return p.gpu != "" || p.gpus != nil && *p.gpus > 0 }

func (j *job) isSpot() bool { return j.pick.Candidate.Purchase == string(profile.Spot) }

// setting is a variable that the command finds in its environment.
type setting struct{ name, value string }

// settings tell the command what was picked, as far as it is known.
func (j *job) settings(p part) []setting {
	c := j.pick.Candidate
	out := []setting{{"PICK_MODEL", c.Model}, {"PICK_VARIANT", c.Variant}}
	if precision := contract.Known(c.Precision); precision != "" {
		out = append(out, setting{"PICK_PRECISION", precision})
	}
	out = append(out, p.settings()...)
	switch {
	case c.Steps != nil:
		out = append(out, setting{"PICK_STEPS", decimal(math.Round(*c.Steps))})
	case c.Epochs != nil:
		out = append(out, setting{"PICK_EPOCHS", decimal(*c.Epochs)})
	}
	return out
}

// settings are the variables that differ by part.
func (p part) settings() (out []setting) {
	if p.batch != nil {
		out = append(out, setting{"PICK_BATCH_SIZE", strconv.Itoa(*p.batch)})
	}
	if p.units != nil {
		out = append(out, setting{"PICK_UNITS", decimal(*p.units)})
	}
	return append(out, setting{"PICK_VMS", strconv.Itoa(p.count)})
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// longestName leaves room for a number within the 63 bytes of a host name.
const longestName = 50

// Slug makes a name for VMs, jobs and files out of any text: sweetspot-, lower
// case letters, digits and dashes.
func Slug(s string) string {
	var b strings.Builder
	b.WriteString("sweetspot")
	apart := true
	for _, r := range strings.ToLower(s) {
		taken := r >= 'a' && r <= 'z' || r >= '0' && r <= '9'
		if taken && apart {
			b.WriteByte('-')
		}
		if taken {
			b.WriteRune(r)
		}
		apart = !taken
	}
	out := b.String()
	return strings.TrimRight(out[:min(len(out), longestName)], "-")
}

// remarks are the lines of the comment that every format begins with: what was
// picked, what is estimated and by what, whose prices, and how to verify it.
// Each begins with a word of ours, so that no name from outside can be taken
// for a directive (#SBATCH, shellcheck).
func (j *job) remarks() []string {
	c := j.pick.Candidate
	lines := []string{"Pick: " + j.picked()}
	for _, v := range c.Configuration {
		lines = append(lines, "VMs: "+v.Words(), "Price: "+v.PriceWords(c.Purchase))
	}
	lines = append(lines, "Time: "+c.Time.Words(), "Cost: "+c.Cost.Words())
	for _, a := range c.Amounts() {
		name := string(a.Of.Name)
		lines = append(lines, strings.ToUpper(name[:1])+name[1:]+": "+a.Words())
	}
	if a := c.Accuracy; a != nil {
		lines = append(lines, fmt.Sprintf("Accuracy: %s %s (%s)", a.Metric, objective.WriteAccuracy(a.Value,
			a.HigherIsBetter), a.Basis))
	}
	if len(c.Sources) > 0 {
		lines = append(lines, "Based on: "+wording.Sources(c.Sources))
	}
	if c.Predicted {
		lines = append(lines, "Predicted: this configuration was never probed. "+contract.Known(c.Why))
	}
	if strings.HasPrefix(c.Purchase, "reserved") {
		lines = append(lines,
			"Reserved: this launches no reservation ("+c.Purchase+"); the price applies only if you have bought one.")
	}
	lines = append(lines, "Picked: "+j.pick.PickedAt+" with "+j.pick.EstimatedBy)
	for i, v := range c.Configuration {
		of := "Verify:"
		if len(j.parts) > 1 {
			of = fmt.Sprintf("Verify VM type %d of %d:", i+1, len(j.parts))
		}
		lines = append(lines, of+" "+Probe(c, v, j.words))
	}
	if j.command == "" {
		return append(lines, "To verify the estimate, run that on such a VM, COMMAND being the command that runs the model"+
			j.atSettings()+"; the probe ends by itself.")
	}
	return append(append(lines, "To verify the estimate, run that on such a VM, or here with --rent sky; the probe "+
		"ends by itself."), j.measured()...)
}

// picked says what is run and how.
func (j *job) picked() string {
	c := j.pick.Candidate
	parts := []string{c.Model, c.Mode, "variant " + strings.TrimSpace(c.Variant+" "+contract.Known(c.Precision))}
	if c.BatchSize != nil {
		parts = append(parts, "batch size "+j.batchWords(*c.BatchSize))
	}
	switch {
	case c.Steps != nil:
		parts = append(parts, quantity.Count(math.Round(*c.Steps))+" steps")
	case c.Epochs != nil:
		parts = append(parts, quantity.Count(*c.Epochs)+" epochs")
	}
	if c.Units != nil {
		parts = append(parts, quantity.Count(*c.Units)+" units")
	}
	return strings.Join(append(parts, c.Purchase), ", ")
}

func (j *job) batchWords(batch int) string {
	if j.pick.Candidate.Mode == string(profile.Infer) {
		return strconv.Itoa(batch) + " per GPU"
	}
	return strconv.Itoa(batch)
}

// atSettings is what the command has to be set to.
func (j *job) atSettings() string {
	c := j.pick.Candidate
	var words string
	if len(j.parts) == 1 && j.parts[0].batch != nil {
		words = " at batch size " + j.batchWords(*j.parts[0].batch)
	}
	if precision := contract.Known(c.Precision); precision != "" {
		words += " in " + precision
	}
	return words
}

// measured says which command is run, and what it lacks of the pick.
func (j *job) measured() []string {
	lines := []string{"Command: " + j.command + " was measured"}
	if j.folder != "" {
		lines[0] += " in " + j.folder
	}
	if was, want := j.pick.RunBatch, j.pick.Candidate.BatchSize; want != nil && (was == nil || *was != *want) {
		lines = append(lines, fmt.Sprintf("Batch size: the command has no flag that is known to set it; have it use %s.",
			j.batchWords(*want)))
	}
	return lines
}

// environment matches a variable that stands for a secret in a command that was kept.
var environment = regexp.MustCompile(`\$\{[A-Za-z_][A-Za-z0-9_]*\}`)

// commandLine is a command for a shell, which expands nothing in it but the variables
// that stand for secrets.
func commandLine(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		var b strings.Builder
		rest := w
		for _, at := range environment.FindAllStringIndex(w, -1) {
			before := w[len(w)-len(rest) : at[0]]
			if before != "" {
				b.WriteString(shellwords.Quoted(before))
			}
			b.WriteString(`"` + w[at[0]:at[1]] + `"`)
			rest = w[at[1]:]
		}
		switch {
		case b.Len() > 0 && rest != "":
			b.WriteString(shellwords.Quoted(rest))
		case b.Len() == 0 && i == 0 && strings.Contains(w, "="):
			b.WriteString(shellwords.Quoted(w))
		case b.Len() == 0:
			b.WriteString(shellwords.Word(w))
		}
		out[i] = b.String()
	}
	return strings.Join(out, " ")
}

// Limits of the running time are a multiple of the upper end of the estimate's interval,
// as one run in twenty takes longer than that, and starting comes on top.
const (
	limitFactor = 1.5
	limitStart  = 15 * time.Minute
	leastLimit  = 30 * time.Minute
	mostLimit   = 366 * 24 * time.Hour // a longer one is none
)

// timeLimit is the limit for an estimate whose interval ends at that many seconds.
func timeLimit(high *float64) time.Duration {
	if high == nil || !(*high*limitFactor < (mostLimit - limitStart).Seconds()) {
		return 0
	}
	limit := time.Duration(*high*limitFactor*float64(time.Second)) + limitStart
	return (max(limit, leastLimit) + time.Minute - 1).Truncate(time.Minute)
}

// limitWords say what the limit is made of.
const limitWords = "one and a half times the upper end of the estimate's 90 % interval, and 15 minutes to start, " +
	"at least 30 minutes"

// Probe is the command, for a shell, that measures a candidate on a VM of one of
// its parts with the command given. Without one COMMAND stands for what runs the model.
func Probe(c contract.Candidate, v contract.Part, command []string) string {
	words := []string{"sweetspot", "probe", "--name=" + plaintext.Clean(c.Model), "--mode=" + plaintext.Clean(c.Mode)}
	if cloud := plaintext.Clean(contract.Known(v.Cloud)); cloud != "" {
		words = append(words,
			"--vm="+cloud+"/"+plaintext.Clean(contract.Known(v.Region))+"/"+plaintext.Clean(contract.Known(v.InstanceType)))
	}
	for i, w := range words {
		words[i] = shellwords.Word(w)
	}
	line := "COMMAND"
	if len(command) > 0 {
		line = commandLine(command)
	}
	return strings.Join(append(words, "--", line), " ")
}

// comment makes lines a comment of shell, HCL and YAML.
func comment(lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(strings.TrimRight("# "+line, " ") + "\n")
	}
	return b.String()
}
