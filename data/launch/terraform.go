package launch

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// terraform is a configuration of the pick's VMs: aws_instance and
// google_compute_instance.
func (j *job) terraform() string {
	remarks := append(j.remarks(), "", "Variables have no defaults: terraform apply asks for them. What it makes costs money until terraform destroy.")
	var variables, resources []block
	for i, p := range j.parts {
		own, resource := j.awsInstance(i, p)
		if p.cloud == "gcp" {
			own, resource = j.googleInstance(i, p)
		}
		variables = append(variables, own...)
		resources = append(resources, resource)
	}
	seen := map[string]bool{}
	variables = slices.DeleteFunc(variables, func(b block) bool {
		again := seen[b.head]
		seen[b.head] = true
		return again
	})
	return document(remarks, slices.Concat([]block{j.required()}, variables, j.providers(), resources))
}

func (j *job) uses(cloud string) bool {
	return slices.ContainsFunc(j.parts, func(p part) bool { return p.cloud == cloud })
}

// required names the providers; without a version the newest is taken.
func (j *job) required() block {
	var sources []argument
	for _, p := range []struct{ cloud, name string }{{"aws", "aws"}, {"gcp", "google"}} {
		if j.uses(p.cloud) {
			sources = append(sources, argument{p.name, fmt.Sprintf("{ source = %q }", "hashicorp/"+p.name)})
		}
	}
	return block{"terraform", nil, []block{{"required_providers", sources, nil}}}
}

// providers are one of AWS for each region, and one of Google.
func (j *job) providers() (out []block) {
	seen := map[string]bool{}
	for _, p := range j.parts {
		key := p.cloud + "/" + p.region
		if p.cloud != "aws" || seen[key] {
			continue
		}
		seen[key] = true
		var args []argument
		if p.suffix != "" {
			args = append(args, argument{"alias", str(j.awsAlias(p))})
		}
		region := str(p.region)
		if p.region == "" {
			region = "var.region"
		}
		out = append(out, block{`provider "aws"`, append(args, argument{"region", region}), nil})
	}
	if j.uses("gcp") {
		out = append(out, block{`provider "google"`, []argument{{"project", "var.project"}}, nil})
	}
	return out
}

// awsAlias is of the first part in the region.
func (j *job) awsAlias(p part) string {
	i := slices.IndexFunc(j.parts, func(q part) bool { return q.cloud == p.cloud && q.region == p.region })
	return "region" + j.parts[i].suffix
}

// resource is the head of a part's block.
func (j *job) resource(kind string, i int) string {
	return fmt.Sprintf("resource %q %q", kind, "pick"+j.number("_", i))
}

func (j *job) awsInstance(i int, p part) (variables []block, instance block) {
	if p.region == "" {
		variables = append(variables, ask("region", "Region to launch in"))
	}
	variables = append(variables,
		ask("ami_id"+p.suffix, "AMI"+p.ofItsRegion()+p.drivers()),
		ask("subnet_id"+p.suffix, "Subnet"+p.ofItsRegion()),
		ask("key_name"+p.suffix, "Key pair"+p.ofItsRegion()+" to log in with"))
	instance = block{head: j.resource("aws_instance", i)}
	if p.suffix != "" {
		instance.args = append(instance.args, argument{"provider", "aws." + j.awsAlias(p)})
	}
	instance.args = append(instance.args, argument{"count", strconv.Itoa(p.count)}, argument{"ami", "var.ami_id" + p.suffix}, argument{"instance_type", str(p.instanceType)},
		argument{"subnet_id", "var.subnet_id" + p.suffix}, argument{"key_name", "var.key_name" + p.suffix})
	if j.isSpot() {
		instance.blocks = append(instance.blocks, block{"instance_market_options", []argument{{"market_type", str("spot")}}, nil})
	}
	tags := block{head: "tags ="}
	for _, t := range j.tags(i) {
		tags.args = append(tags.args, argument{str(t.name), str(t.value)})
	}
	instance.blocks = append(instance.blocks, tags)
	return variables, instance
}

func (j *job) googleInstance(i int, p part) (variables []block, instance block) {
	zone, image, subnet := "zone"+p.suffix, "image"+p.suffix, "subnetwork"+p.suffix
	variables = []block{
		ask("project", "Project to launch in"),
		ask(zone, "Zone"+p.ofItsRegion(), p.zoneRule(zone)...),
		ask(image, "Image"+p.drivers()), ask(subnet, "Subnetwork"+p.ofItsRegion()),
	}
	instance = block{head: j.resource("google_compute_instance", i), args: []argument{
		{"count", strconv.Itoa(p.count)}, {"name", `"` + j.vmName(i) + `-${count.index + 1}"`}, {"machine_type", str(p.instanceType)}, {"zone", "var." + zone},
	}}
	instance.blocks = []block{
		{"boot_disk", nil, []block{{"initialize_params", []argument{{"image", "var." + image}}, nil}}},
		{"network_interface", []argument{{"subnetwork", "var." + subnet}}, nil},
	}
	if name, ok := p.attached(); ok {
		kind, number := str(name), "var.accelerator_count"+j.number("_", i)
		if name == "" {
			kind = "var.accelerator_type" + j.number("_", i)
			variables = append(variables, ask("accelerator_type"+j.number("_", i), "Google's name of the GPUs to attach"+p.named()))
		}
		if p.gpus != nil {
			number = strconv.Itoa(*p.gpus)
		} else {
			variables = append(variables, ask("accelerator_count"+j.number("_", i), "How many GPUs to attach"))
		}
		instance.blocks = append(instance.blocks, block{"guest_accelerator", []argument{{"type", kind}, {"count", number}}, nil})
	}
	if scheduling := j.scheduling(p); len(scheduling) > 0 {
		instance.blocks = append(instance.blocks, block{"scheduling", scheduling, nil})
	}
	metadata := block{head: "metadata ="}
	for _, t := range j.tags(i)[1:] {
		metadata.args = append(metadata.args, argument{str(t.name), str(t.value)})
	}
	instance.blocks = append(instance.blocks, block{"labels =", []argument{{str("sweetspot-model"), str(label(j.pick.Candidate.Model))}}, nil}, metadata)
	return variables, instance
}

// scheduling is what Google asks of VMs with a GPU, which cannot move, and of
// spot VMs.
func (j *job) scheduling(p part) (out []argument) {
	if p.hasGPU() || j.isSpot() {
		out = append(out, argument{"on_host_maintenance", str("TERMINATE")})
	}
	if j.isSpot() {
		out = append(out, argument{"provisioning_model", str("SPOT")}, argument{"preemptible", "true"},
			argument{"automatic_restart", "false"}, argument{"instance_termination_action", str("STOP")})
	}
	return out
}

// zoneRule holds the zone to the region that the price is of.
func (p part) zoneRule(name string) []block {
	if p.region == "" {
		return nil
	}
	return []block{{"validation", []argument{
		{"condition", fmt.Sprintf("startswith(var.%s, %s)", name, str(p.region+"-"))},
		{"error_message", str(fmt.Sprintf("The %s must be in %s, which the price is of.", strings.ReplaceAll(name, "_", " "), p.region))},
	}, nil}}
}
