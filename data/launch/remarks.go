package launch

import (
	"fmt"
	"strconv"
	"strings"

	"sweetspot/data/contract"
	"sweetspot/data/shellwords"
	"sweetspot/data/wording"
	"sweetspot/engine/objective"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

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
		lines = append(lines, of+" "+Probe(c, v))
	}
	return append(lines, "To verify the estimate, run that on such a VM, COMMAND being the command that runs the model"+
		j.atSettings()+"; the probe ends by itself.")
}

// picked says what is run and how.
func (j *job) picked() string {
	c := j.pick.Candidate
	parts := []string{c.Model, c.Mode, "variant " + strings.TrimSpace(c.Variant+" "+contract.Known(c.Precision))}
	if c.BatchSize != nil {
		parts = append(parts, "batch size "+j.batchWords(*c.BatchSize))
	}
	if c.Epochs != nil {
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

// Probe is the command, for a shell, that measures a candidate on a VM of one of
// its parts. COMMAND stands for what runs the model.
func Probe(c contract.Candidate, v contract.Part) string {
	words := []string{"sweetspot", "probe", "--name=" + plaintext.Clean(c.Model), "--mode=" + plaintext.Clean(c.Mode)}
	if cloud := plaintext.Clean(contract.Known(v.Cloud)); cloud != "" {
		words = append(words,
			"--vm="+cloud+"/"+plaintext.Clean(contract.Known(v.Region))+"/"+plaintext.Clean(contract.Known(v.InstanceType)))
	}
	for i, w := range words {
		words[i] = shellwords.Word(w)
	}
	return strings.Join(append(words, "--", "COMMAND"), " ")
}

// comment makes lines a comment of shell, HCL and YAML.
func comment(lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(strings.TrimRight("# "+line, " ") + "\n")
	}
	return b.String()
}
