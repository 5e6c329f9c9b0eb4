package launch

import (
	"fmt"
	"strings"

	"sweetspot/data/shellwords"
)

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
