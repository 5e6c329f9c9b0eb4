package launch

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf16"

	"sweetspot/data/shellwords"
)

// need is a variable that a script asks for.
type need struct{ name, what string }

// checks end the script with a sentence where a variable is not set; each is
// asked for once, in their order.
func checks(all []need) string {
	var b strings.Builder
	seen := map[string]bool{}
	for _, n := range all {
		if !seen[n.name] {
			fmt.Fprintf(&b, ": \"${%s:?set it to %s}\"\n", n.name, n.what)
			seen[n.name] = true
		}
	}
	return b.String()
}

// script begins a Bash script that launches VMs.
func (j *job) script() string {
	hint := []string{"", "The VMs that this script starts cost money until you delete them."}
	return "#!/usr/bin/env bash\n" + comment(append(j.remarks(), hint...)) + "set -euo pipefail\n\n"
}

// exports sets variables for the command. shellcheck takes quoted text for a
// mistake where it looks like an expansion or has typographic quotes.
func exports(all []setting) string {
	var b strings.Builder
	for _, s := range all {
		if strings.ContainsAny(s.value, "$`\\'") || strings.IndexFunc(s.value, func(r rune) bool { return r > '~' }) >= 0 {
			b.WriteString("# shellcheck disable=SC1003,SC1018,SC1110,SC1111,SC1112,SC2016,SC2027 # a name, in single quotes\n")
		}
		fmt.Fprintf(&b, "export %s=%s\n", s.name, shellwords.Quoted(s.value))
	}
	return b.String()
}

// call writes a command, one argument a line.
func call(command string, args ...string) string {
	return strings.Join(append([]string{command}, args...), " \\\n  ") + "\n"
}

// AWS writes a script of AWS CLI calls.
var AWS = &Format{
	Name: "aws", Title: "AWS CLI", Extension: ".sh", clouds: []string{"aws"},
	write: func(j *job) (string, error) { return j.aws(), nil },
}

func (j *job) aws() string {
	var asked []need
	var calls []string
	for i, p := range j.parts {
		region, unknown := p.inRegion("REGION", "the region to launch in")
		image, subnet, key := "IMAGE_ID"+p.suffix, "SUBNET_ID"+p.suffix, "KEY_NAME"+p.suffix
		asked = append(append(asked, unknown...), need{image, "an AMI" + p.ofItsRegion() + p.drivers()},
			need{subnet, "a subnet" + p.ofItsRegion()}, need{key, "a key pair" + p.ofItsRegion() + " to log in with"})
		args := []string{"--region=" + region, "--instance-type=" + shellwords.Quoted(p.instanceType),
			fmt.Sprintf("--count=%d", p.count),
			"--image-id=" + variable(image), "--subnet-id=" + variable(subnet), "--key-name=" + variable(key)}
		if j.isSpot() {
			args = append(args, "--instance-market-options=MarketType=spot")
		}
		calls = append(calls,
			call("aws ec2 run-instances", append(args, "--tag-specifications="+shellwords.Quoted(j.awsTags(i)))...))
	}
	return j.script() + checks(asked) + "\n" + strings.Join(calls, "\n")
}

// awsTags are in JSON: in the shorthand form, commas and braces in a name would
// be syntax, and a value that begins with file:// a file to read.
func (j *job) awsTags(i int) string {
	type tag struct{ Key, Value string }
	type spec struct {
		ResourceType string
		Tags         []tag
	}
	s := spec{ResourceType: "instance"}
	for _, t := range j.tags(i) {
		s.Tags = append(s.Tags, tag{t.name, t.value})
	}
	text, _ := json.Marshal([]spec{s}) // strings always can be
	return ascii(string(text))
}

// ascii escapes characters that JSON may contain but that shells and their linters
// stumble over.
func ascii(json string) string {
	var b strings.Builder
	for _, r := range json {
		switch {
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		case r > '~', strings.ContainsRune("'$`", r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Az writes a script of Azure CLI calls.
var Az = &Format{
	Name: "az", Title: "az", Extension: ".sh", clouds: []string{"azure"},
	write: func(j *job) (string, error) { return j.az(), nil },
}

func (j *job) az() string {
	var asked []need
	var calls []string
	for i, p := range j.parts {
		region, unknown := p.inRegion("LOCATION", "the location to launch in")
		image, subnet := "IMAGE"+p.suffix, "SUBNET_ID"+p.suffix
		asked = append(append(asked, unknown...), need{"RESOURCE_GROUP", "the resource group that the VMs join"},
			need{image, "an image" + p.drivers()},
			need{subnet, "the ID of a subnet" + p.ofItsRegion()}, need{"ADMIN_USERNAME", "the user to log in as"},
			need{"SSH_PUBLIC_KEY_FILE", "the file of the public key to log in with"})
		args := []string{"--resource-group=" + variable("RESOURCE_GROUP"), "--name=" + shellwords.Quoted(j.vmName(i)),
			"--location=" + region, "--size=" + shellwords.Quoted(azureSize(p.instanceType))}
		if p.count > 1 {
			args = append(args, fmt.Sprintf("--count=%d", p.count))
		}
		args = append(args, "--image="+variable(image), "--subnet="+variable(subnet), "--authentication-type=ssh",
			"--admin-username="+variable("ADMIN_USERNAME"), "--ssh-key-values="+variable("SSH_PUBLIC_KEY_FILE"))
		if j.isSpot() {
			args = append(args, "--priority=Spot", "--eviction-policy=Deallocate")
		}
		// A label, not the name: az reads the file in a value that begins with @.
		calls = append(calls, call("az vm create", append(args, "--tags=sweetspot-model="+label(j.pick.Candidate.Model))...))
	}
	return j.script() + checks(asked) + "\n" + strings.Join(calls, "\n")
}

// azureSize is the full name of what price lists call NC6.
func azureSize(instanceType string) string {
	if strings.HasPrefix(instanceType, "Standard_") || strings.HasPrefix(instanceType, "Basic_") {
		return instanceType
	}
	return "Standard_" + instanceType
}

// GCloud writes a script of gcloud calls.
var GCloud = &Format{
	Name: "gcloud", Title: "gcloud", Extension: ".sh", clouds: []string{"gcp"},
	write: func(j *job) (string, error) { return j.gcloud(), nil },
}

func (j *job) gcloud() string {
	var asked []need
	var body []string
	for i, p := range j.parts {
		zone, image, project, subnet := "ZONE"+p.suffix, "IMAGE"+p.suffix, "IMAGE_PROJECT"+p.suffix, "SUBNET"+p.suffix
		asked = append(asked, need{zone, "a zone" + p.ofItsRegion()}, need{image, "an image" + p.drivers()},
			need{project, "the project that holds the image"}, need{subnet, "a subnet" + p.ofItsRegion()})
		args := []string{"--zone=" + variable(zone), "--machine-type=" + shellwords.Quoted(p.instanceType)}
		switch accelerator, ok := p.attached(); {
		case ok && accelerator == "":
			name := "ACCELERATOR" + j.number("_", i)
			asked = append(asked, need{name, "type=NAME,count=N of the GPUs to attach" + p.named()})
			args = append(args, "--accelerator="+variable(name))
		case ok:
			args = append(args, "--accelerator="+shellwords.Quoted(fmt.Sprintf("type=%s,count=%d", accelerator, *p.gpus)))
		}
		if p.hasGPU() {
			args = append(args, "--maintenance-policy=TERMINATE")
		}
		args = append(args, "--image="+variable(image), "--image-project="+variable(project), "--subnet="+variable(subnet))
		if j.isSpot() {
			args = append(args, "--provisioning-model=SPOT", "--instance-termination-action=STOP")
		}
		body = append(body, p.zoneCheck(zone)+j.gcloudNames(i)+call(`gcloud compute instances create "${names[@]}"`,
			append(args, "--labels=sweetspot-model="+label(j.pick.Candidate.Model))...))
	}
	return j.script() + checks(asked) + "\n" + strings.Join(body, "\n")
}

// gcloudNames makes one name a VM.
func (j *job) gcloudNames(i int) string {
	if j.parts[i].count == 1 {
		return fmt.Sprintf("names=(%s)\n", shellwords.Quoted(j.vmName(i)))
	}
	return fmt.Sprintf("names=()\nfor ((i = 1; i <= %d; i++)); do\n  names+=(%s\"-$i\")\ndone\n", j.parts[i].count,
		shellwords.Quoted(j.vmName(i)))
}

// zoneCheck holds the zone to the region that the price is of.
func (p part) zoneCheck(zone string) string {
	if p.region == "" {
		return ""
	}
	return fmt.Sprintf("case $%s in\n  %s-*) ;;\n  *) echo \"%s must be a zone of %s, which the price is of\" >&2; "+
		"exit 2 ;;\nesac\n", zone, shellwords.Quoted(p.region), zone, p.region)
}

// Slurm writes a batch script. It asks for nodes with GPUs, wherever they come
// from.
var Slurm = &Format{
	Name: "slurm", Title: "Slurm", Extension: ".sbatch", byNode: true,
	write: func(j *job) (string, error) { return j.slurm(), nil },
}

// slurm is a batch script; several VM types make it a heterogeneous job.
func (j *job) slurm() string {
	var b strings.Builder
	b.WriteString("#!/usr/bin/env bash\n")
	for i, p := range j.parts {
		if i > 0 {
			b.WriteString("#SBATCH hetjob\n")
		}
		b.WriteString(j.sbatch(i, p))
	}
	b.WriteString(comment(append(j.remarks(), j.slurmHints()...)))
	b.WriteString("set -euo pipefail\n\n")
	b.WriteString("if [ $# -eq 0 ]; then\n" + j.slurmCommand() + "fi\n\n")
	if len(j.parts) == 1 {
		return b.String() + exports(j.settings(j.parts[0])) + "srun \"$@\"\n"
	}
	common := j.settings(part{count: 1})
	b.WriteString(exports(common[:len(common)-1]) + "\nsteps=()\n")
	for i, p := range j.parts {
		for _, s := range p.settings() {
			fmt.Fprintf(&b, "%s=%s ", s.name, shellwords.Quoted(s.value))
		}
		fmt.Fprintf(&b, "srun --het-group=%d \"$@\" &\nsteps+=($!)\n", i)
	}
	return b.String() + "for step in \"${steps[@]}\"; do\n  wait \"$step\"\ndone\n"
}

// slurmCommand is what a batch script does that is given no command: the measured one is
// run, in its folder where nodes share it.
func (j *job) slurmCommand() string {
	if j.command == "" {
		return "  echo \"give the command to run: sbatch FILE COMMAND…\" >&2\n  exit 2\n"
	}
	out := "  set -- " + j.command + "\n"
	if j.folder != "" {
		folder := shellwords.Quoted(j.folder)
		out += "  if [ -d " + folder + " ]; then\n    cd -- " + folder + "\n  fi\n"
	}
	return out
}

// sbatch are the options of a part's nodes, which it has to itself as the
// estimate supposes.
func (j *job) sbatch(i int, p part) string {
	options := []string{"--job-name=" + j.vmName(i), fmt.Sprintf("--nodes=%d", p.count), "--ntasks-per-node=1",
		"--exclusive"}
	if p.gpus != nil && *p.gpus > 0 {
		options = append(options, fmt.Sprintf("--gres=gpu:%d", *p.gpus))
	}
	if j.limit > 0 {
		options = append(options, "--time="+sbatchTime(j.limit))
	}
	return "#SBATCH " + strings.Join(options, "\n#SBATCH ") + "\n"
}

// sbatchTime is the limit as days-hours:minutes:seconds.
func sbatchTime(limit time.Duration) string {
	m := wholeMinutes(limit)
	return fmt.Sprintf("%d-%02d:%02d:00", m/(24*60), m/60%24, m%60)
}

// slurmHints say what a cluster names in its own way.
func (j *job) slurmHints() []string {
	lines := []string{"", "Submit: sbatch FILE COMMAND… runs the command once on each node, with the pick's " +
		"settings as PICK_… variables."}
	if j.command != "" {
		lines = append(lines, "Without a COMMAND it runs the measured one.")
	}
	if j.limit > 0 {
		lines = append(lines, "Limit: --time is "+limitWords+".")
	} else {
		lines = append(lines, "Limit: the running time is unknown, so --time is not set.")
	}
	for _, p := range j.parts {
		if p.instanceType != "" {
			lines = append(lines, "Nodes: if your nodes have their VM type as a feature, add --constraint="+p.instanceType)
		}
		if p.hasGPU() && p.gpus == nil {
			lines = append(lines, "GPUs: the number of GPUs of "+p.machine()+" is unknown; add --gres=gpu:N")
		}
		if !p.hasGPU() && p.gpus == nil {
			lines = append(lines, "GPUs: whether "+p.machine()+" has any is unknown; if it has, add --gres=gpu:N")
		}
	}
	return lines
}
