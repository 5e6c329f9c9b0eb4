package launch

import (
	"fmt"
	"strings"
	"time"

	"sweetspot/data/shellwords"
)

// SkyRenter rents with SkyPilot. Its autostop is set once the VM is up, in the task: a
// hard limit, as it waits for nothing. What may take long or hang, setting up the
// environment, comes after it.
var SkyRenter = &Renter{Name: "sky", Title: "SkyPilot", Program: "sky", write: skyRental}

func skyRental(r Rental, p part) (map[string]string, rentalScript, error) {
	resources := append(p.skyResources(), pair{"use_spot", truth(false)},
		pair{"autostop", mapping(pair{"idle_minutes", number(wholeMinutes(r.Limit))}, pair{"down", truth(true)},
			pair{"wait_for", textNode("none")})})
	task, err := documents([]string{"A VM for probes, which ends by itself; " + RentalScript + " launches it."},
		mapping(pair{"name", textNode(r.Name)}, pair{"resources", mapping(resources...)}, pair{"run", textNode("true")}))
	return map[string]string{"task.yaml": task}, rentalScript{
		ends:    "SkyPilot's autostop ends the VM " + minutes(r.Limit) + " after it is up, whatever becomes of this machine.",
		create:  "  sky launch -y -c \"$name\" task.yaml >&2\n",
		destroy: "  sky down -y \"$name\"\n",
		hint:    "sky status",
	}, err
}

// awsRenter rents with the AWS CLI. The VM shuts itself down, which terminates it.
var awsRenter = &Renter{Name: "aws", Title: "AWS CLI", Program: "aws", clouds: []string{"aws"}, write: awsRental}

func awsRental(r Rental, p part) (map[string]string, rentalScript, error) {
	region, unknown := p.inRegion("REGION", "the region to launch in")
	life := MostStart + r.Limit
	in := "--region=" + region
	j := job{name: r.Name, parts: []part{p}}
	return map[string]string{"user-data": fmt.Sprintf("#!/bin/sh\nshutdown -h +%d\n", wholeMinutes(life))}, rentalScript{
		ends: "The VM shuts itself down " + minutes(life) + " after its boot, which terminates it, whatever becomes of " +
			"this machine.",
		needs: append(unknown, need{"IMAGE_ID", "an AMI" + p.ofItsRegion() + p.drivers()},
			need{"SUBNET_ID", "a subnet" + p.ofItsRegion() + " whose VMs can be reached over SSH"},
			need{"KEY_NAME", "a key pair" + p.ofItsRegion() + " to log in with"}, sshUser, sshKey),
		ssh: ownConfig,
		create: indented(call("aws ec2 run-instances", in, "--instance-type="+shellwords.Quoted(p.instanceType), "--count=1",
			`--image-id="$IMAGE_ID"`, `--subnet-id="$SUBNET_ID"`, `--key-name="$KEY_NAME"`, "--associate-public-ip-address",
			`--client-token="$name"`, "--instance-initiated-shutdown-behavior=terminate", "--user-data=file://user-data",
			"--tag-specifications="+shellwords.Quoted(j.awsTags(0)), "--query='Instances[0].InstanceId'",
			"--output=text >instance") +
			`id=$(cat instance)
aws ec2 wait instance-running ` + in + ` --instance-ids="$id"
address=$(aws ec2 describe-instances ` + in + ` --instance-ids="$id" \
  --query='Reservations[0].Instances[0].PublicIpAddress' --output=text)
` + writeConfig),
		destroy: indented(`ids=$(aws ec2 describe-instances ` + in + ` --filters "Name=client-token,Values=$name" \
  Name=instance-state-name,Values=pending,running,stopping,stopped \
  --query='Reservations[].Instances[].InstanceId' --output=text) || return 1
if [ -n "$ids" ]; then
  # shellcheck disable=SC2086 # several IDs are several words
  aws ec2 terminate-instances ` + in + ` --instance-ids $ids
fi
`),
		hint: "aws ec2 describe-instances " + strings.ReplaceAll(in, "'", ""),
	}, nil
}

// gcloudRenter rents with gcloud. Google deletes the VM when its time is up.
var gcloudRenter = &Renter{Name: "gcloud", Title: "gcloud", Program: "gcloud", clouds: []string{"gcp"},
	write: gcloudRental}

func gcloudRental(r Rental, p part) (map[string]string, rentalScript, error) {
	life := MostStart + r.Limit
	needs := []need{{"ZONE", "a zone" + p.ofItsRegion()}, {"IMAGE", "an image" + p.drivers()},
		{"IMAGE_PROJECT", "the project that holds the image"},
		{"SUBNET", "a subnet" + p.ofItsRegion() + " whose VMs can be reached over SSH"}, sshUser, sshKey}
	args := []string{`--zone="$ZONE"`, "--machine-type=" + shellwords.Quoted(p.instanceType)}
	switch accelerator, ok := p.attached(); {
	case ok && accelerator == "":
		needs = append(needs, need{"ACCELERATOR", "type=NAME,count=N of the GPUs to attach" + p.named()})
		args = append(args, `--accelerator="$ACCELERATOR"`)
	case ok:
		args = append(args, "--accelerator="+shellwords.Quoted(fmt.Sprintf("type=%s,count=%d", accelerator, *p.gpus)))
	}
	if p.hasGPU() {
		args = append(args, "--maintenance-policy=TERMINATE")
	}
	args = append(args, `--image="$IMAGE"`, `--image-project="$IMAGE_PROJECT"`, `--subnet="$SUBNET"`,
		fmt.Sprintf("--max-run-duration=%dm", wholeMinutes(life)), "--instance-termination-action=DELETE",
		"--metadata-from-file=ssh-keys=ssh-keys")
	return map[string]string{}, rentalScript{
		ends: "Google deletes the VM " + minutes(life) + " after its start (max-run-duration), whatever becomes of this " +
			"machine.",
		needs: needs, check: p.zoneCheck("ZONE"), ssh: ownConfig,
		create: indented(`echo "$SSH_USER:$(ssh-keygen -y -f "$SSH_KEY")" >ssh-keys
` + call(`gcloud compute instances create "$name"`, append(args, "--quiet >&2")...) +
			`address=$(gcloud compute instances describe "$name" --zone="$ZONE" \
  --format='get(networkInterfaces[0].accessConfigs[0].natIP)')
` + writeConfig),
		destroy: indented(`zone=$(gcloud compute instances list --filter="name=$name" --format='value(zone)') || return 1
if [ -n "$zone" ]; then
  gcloud compute instances delete "$name" --zone="$zone" --quiet
fi
`),
		hint: "gcloud compute instances list",
	}, nil
}

// What logs in to a VM that no tool writes into the configuration of ssh.
var (
	sshUser = need{"SSH_USER", "the user of the image to log in as"}
	sshKey  = need{"SSH_KEY", "the file of the private key to log in with"}
)

// ownConfig has ssh, also that of the probe, read a configuration of the VM alone.
const ownConfig = `export SWEETSPOT_SSH="ssh -F '$here/ssh_config'"
ssh=(ssh -F "$here/ssh_config")
`

// writeConfig writes it. The first key that the new VM shows is taken.
const writeConfig = `printf '%s\n' "Host $name" "  HostName $address" "  User $SSH_USER" "  IdentityFile \"$SSH_KEY\"" \
  '  IdentitiesOnly yes' '  StrictHostKeyChecking accept-new' "  UserKnownHostsFile \"$here/known_hosts\"" >ssh_config
`

// indented puts lines into a function.
func indented(lines string) string {
	if lines == "" {
		return ""
	}
	return "  " + strings.ReplaceAll(strings.TrimSuffix(lines, "\n"), "\n", "\n  ") + "\n"
}

func wholeMinutes(d time.Duration) int { return int((d + time.Minute - 1) / time.Minute) }
