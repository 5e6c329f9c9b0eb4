package launch

import (
	"fmt"
	"strings"

	"sweetspot/data/shellwords"
)

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
