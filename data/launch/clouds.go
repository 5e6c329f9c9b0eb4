package launch

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"

	"sweetspot/engine/plaintext"
	"sweetspot/engine/shellwords"
)

// variable is how a script reads what the user set.
func variable(name string) string { return `"$` + name + `"` }

// vmName is the name of a part's VMs: with its number where there are several
// kinds of them.
func (j *job) vmName(i int) string { return j.name + j.number("-", i) }

// number tells a part from the others, if there are any.
func (j *job) number(dash string, i int) string {
	if len(j.parts) == 1 {
		return ""
	}
	return dash + strconv.Itoa(i+1)
}

// inRegion is the region, or else the variable that the user sets to it.
func (p part) inRegion(name, what string) (value string, asked []need) {
	if p.region != "" {
		return shellwords.Quoted(p.region), nil
	}
	name += p.suffix
	return variable(name), []need{{name, what}}
}

func (j *job) aws() string {
	var asked []need
	var calls []string
	for i, p := range j.parts {
		region, unknown := p.inRegion("REGION", "the region to launch in")
		image, subnet, key := "IMAGE_ID"+p.suffix, "SUBNET_ID"+p.suffix, "KEY_NAME"+p.suffix
		asked = append(append(asked, unknown...),
			need{image, "an AMI" + p.ofItsRegion() + p.drivers()}, need{subnet, "a subnet" + p.ofItsRegion()}, need{key, "a key pair" + p.ofItsRegion() + " to log in with"})
		args := []string{"--region=" + region, "--instance-type=" + shellwords.Quoted(p.instanceType), fmt.Sprintf("--count=%d", p.count),
			"--image-id=" + variable(image), "--subnet-id=" + variable(subnet), "--key-name=" + variable(key)}
		if j.isSpot() {
			args = append(args, "--instance-market-options=MarketType=spot")
		}
		calls = append(calls, call("aws ec2 run-instances", append(args, "--tag-specifications="+shellwords.Quoted(j.awsTags(i)))...))
	}
	return j.script() + checks(asked) + "\n" + strings.Join(calls, "\n")
}

// awsTags are in JSON: the shorthand form would take a comma or a brace in a
// name for its own, and a value that begins file:// for a file to read.
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

// ascii writes by their numbers what JSON may hold as it is, but shells and
// those who check scripts stumble over.
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

// tags name a part's VMs, for whoever looks at the bill.
func (j *job) tags(i int) []setting {
	return []setting{
		{"Name", j.vmName(i)},
		{"sweetspot-model", plaintext.Cut(j.pick.Candidate.Model, longestTag)},
		{"sweetspot-variant", plaintext.Cut(j.pick.Candidate.Variant, longestTag)},
	}
}

// longestTag is the most characters of a tag's value.
const longestTag = 250

func (p part) ofItsRegion() string {
	if p.region == "" {
		return ""
	}
	return " of " + p.region
}

func (p part) drivers() string {
	if !p.hasGPU() {
		return ""
	}
	return " with the driver of the GPU"
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
		body = append(body, p.zoneCheck(zone)+j.gcloudNames(i)+call(`gcloud compute instances create "${names[@]}"`, append(args, "--labels=sweetspot-model="+label(j.pick.Candidate.Model))...))
	}
	return j.script() + checks(asked) + "\n" + strings.Join(body, "\n")
}

// gcloudNames makes one name a VM.
func (j *job) gcloudNames(i int) string {
	if j.parts[i].count == 1 {
		return fmt.Sprintf("names=(%s)\n", shellwords.Quoted(j.vmName(i)))
	}
	return fmt.Sprintf("names=()\nfor ((i = 1; i <= %d; i++)); do\n  names+=(%s\"-$i\")\ndone\n", j.parts[i].count, shellwords.Quoted(j.vmName(i)))
}

// zoneCheck holds the zone to the region that the price is of.
func (p part) zoneCheck(zone string) string {
	if p.region == "" {
		return ""
	}
	return fmt.Sprintf("case $%s in\n  %s-*) ;;\n  *) echo \"%s must be a zone of %s, which the price is of\" >&2; exit 2 ;;\nesac\n", zone, shellwords.Quoted(p.region), zone, p.region)
}

func (p part) named() string {
	if canonical, ok := knownGPU(p.gpu); ok {
		return ", of " + canonical
	}
	return ""
}

func (j *job) az() string {
	var asked []need
	var calls []string
	for i, p := range j.parts {
		region, unknown := p.inRegion("LOCATION", "the location to launch in")
		image, subnet := "IMAGE"+p.suffix, "SUBNET_ID"+p.suffix
		asked = append(append(asked, unknown...), need{"RESOURCE_GROUP", "the resource group that the VMs join"}, need{image, "an image" + p.drivers()},
			need{subnet, "the ID of a subnet" + p.ofItsRegion()}, need{"ADMIN_USERNAME", "the user to log in as"}, need{"SSH_PUBLIC_KEY_FILE", "the file of the public key to log in with"})
		args := []string{"--resource-group=" + variable("RESOURCE_GROUP"), "--name=" + shellwords.Quoted(j.vmName(i)), "--location=" + region, "--size=" + shellwords.Quoted(azureSize(p.instanceType))}
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

// label is text as labels of all clouds take it.
func label(s string) string { return strings.TrimPrefix(Slug(s), "sweetspot-") }
