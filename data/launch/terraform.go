package launch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"
)

// Terraform writes a configuration of the pick's VMs: aws_instance and
// google_compute_instance.
var Terraform = &Format{
	Name: "terraform", Title: "Terraform", Extension: ".tf", clouds: []string{"aws", "gcp"},
	write: func(j *job) (string, error) { return j.terraform(), nil },
}

func (j *job) terraform() string {
	remarks := append(j.remarks(), "", "Variables have no defaults: terraform apply asks for them. Its VMs "+
		"cost money until terraform destroy.")
	file := hclwrite.NewEmptyFile()
	root := body{file.Body()}
	j.requireProviders(root)
	asked := map[string]bool{}
	for i, p := range j.parts {
		inputs := p.awsInputs()
		if p.cloud == "gcp" {
			inputs = j.googleInputs(i, p)
		}
		for _, in := range inputs {
			if !asked[in.name] {
				in.declare(root)
			}
			asked[in.name] = true
		}
	}
	j.configureProviders(root)
	for i, p := range j.parts {
		if p.cloud == "gcp" {
			j.googleInstance(root, i, p)
		} else {
			j.awsInstance(root, i, p)
		}
	}
	return comment(remarks) + string(hclwrite.Format(file.Bytes()))
}

// body is the inside of a block of HCL, or of the whole file.
type body struct{ *hclwrite.Body }

// block adds a block, after an empty line where something stands before it.
func (b body) block(kind string, labels ...string) body {
	if len(labels) > 0 || len(b.Attributes())+len(b.Blocks()) > 0 {
		b.AppendNewline()
	}
	return body{b.AppendNewBlock(kind, labels).Body()}
}

func (b body) text(name, value string) { b.SetAttributeValue(name, cty.StringVal(value)) }

func (b body) count(name string, n int) { b.SetAttributeValue(name, cty.NumberIntVal(int64(n))) }

// refer sets an argument to another value by its path: var.region.
func (b body) refer(name string, path ...string) { b.SetAttributeTraversal(name, traversal(path...)) }

// object sets an argument to an object of texts.
func (b body) object(name string, of []setting) {
	attributes := make([]hclwrite.ObjectAttrTokens, len(of))
	for i, s := range of {
		attributes[i] = hclwrite.ObjectAttrTokens{
			Name: hclwrite.TokensForValue(cty.StringVal(s.name)), Value: hclwrite.TokensForValue(cty.StringVal(s.value)),
		}
	}
	b.AppendNewline()
	b.SetAttributeRaw(name, hclwrite.TokensForObject(attributes))
}

func traversal(path ...string) hcl.Traversal {
	out := hcl.Traversal{hcl.TraverseRoot{Name: path[0]}}
	for _, name := range path[1:] {
		out = append(out, hcl.TraverseAttr{Name: name})
	}
	return out
}

// input is a variable without a default: Terraform does nothing until it is set.
type input struct {
	name, what string
	region     string // that a zone must be in, for the price is of it; "" is any
}

func (in input) declare(root body) {
	b := root.block("variable", in.name)
	b.text("description", in.what)
	b.refer("type", "string")
	if in.region == "" {
		return
	}
	rule := b.block("validation")
	rule.SetAttributeRaw("condition", hclwrite.TokensForFunctionCall("startswith",
		hclwrite.TokensForTraversal(traversal("var", in.name)), hclwrite.TokensForValue(cty.StringVal(in.region+"-"))))
	rule.text("error_message", fmt.Sprintf("The %s must be in %s, which the price is of.", strings.ReplaceAll(in.name, "_",
		" "), in.region))
}

func (j *job) uses(cloud string) bool {
	return slices.ContainsFunc(j.parts, func(p part) bool { return p.cloud == cloud })
}

// requireProviders names the providers; without a version the newest is taken.
func (j *job) requireProviders(root body) {
	root.AppendNewline()
	b := root.block("terraform").block("required_providers")
	for _, p := range []struct{ cloud, name string }{{"aws", "aws"}, {"gcp", "google"}} {
		if j.uses(p.cloud) {
			b.SetAttributeValue(p.name, cty.ObjectVal(map[string]cty.Value{"source": cty.StringVal("hashicorp/" + p.name)}))
		}
	}
}

// configureProviders adds one provider of AWS for each region, and one of Google.
func (j *job) configureProviders(root body) {
	seen := map[string]bool{}
	for _, p := range j.parts {
		key := p.cloud + "/" + p.region
		if p.cloud != "aws" || seen[key] {
			continue
		}
		seen[key] = true
		b := root.block("provider", "aws")
		if p.suffix != "" {
			b.text("alias", j.awsAlias(p))
		}
		if p.region == "" {
			b.refer("region", "var", "region")
		} else {
			b.text("region", p.region)
		}
	}
	if j.uses("gcp") {
		root.block("provider", "google").refer("project", "var", "project")
	}
}

// awsAlias is of the first part in the region.
func (j *job) awsAlias(p part) string {
	i := slices.IndexFunc(j.parts, func(q part) bool { return q.cloud == p.cloud && q.region == p.region })
	return "region" + j.parts[i].suffix
}

func (p part) awsInputs() (out []input) {
	if p.region == "" {
		out = append(out, input{name: "region", what: "Region to launch in"})
	}
	return append(out, input{name: "ami_id" + p.suffix, what: "AMI" + p.ofItsRegion() + p.drivers()},
		input{name: "subnet_id" + p.suffix, what: "Subnet" + p.ofItsRegion()},
		input{name: "key_name" + p.suffix, what: "Key pair" + p.ofItsRegion() + " to log in with"})
}

func (j *job) awsInstance(root body, i int, p part) {
	b := root.block("resource", "aws_instance", "pick"+j.number("_", i))
	if p.suffix != "" {
		b.refer("provider", "aws", j.awsAlias(p))
	}
	b.count("count", p.count)
	b.refer("ami", "var", "ami_id"+p.suffix)
	b.text("instance_type", p.instanceType)
	b.refer("subnet_id", "var", "subnet_id"+p.suffix)
	b.refer("key_name", "var", "key_name"+p.suffix)
	if j.isSpot() {
		b.block("instance_market_options").text("market_type", "spot")
	}
	b.object("tags", j.tags(i))
}

func (j *job) googleInputs(i int, p part) []input {
	out := []input{
		{name: "project", what: "Project to launch in"},
		{name: "zone" + p.suffix, what: "Zone" + p.ofItsRegion(), region: p.region},
		{name: "image" + p.suffix, what: "Image" + p.drivers()},
		{name: "subnetwork" + p.suffix, what: "Subnetwork" + p.ofItsRegion()},
	}
	if name, ok := p.attached(); ok {
		if name == "" {
			out = append(out, input{name: "accelerator_type" + j.number("_", i),
				what: "Google's name of the GPUs to attach" + p.named()})
		}
		if p.gpus == nil {
			out = append(out, input{name: "accelerator_count" + j.number("_", i), what: "How many GPUs to attach"})
		}
	}
	return out
}

func (j *job) googleInstance(root body, i int, p part) {
	b := root.block("resource", "google_compute_instance", "pick"+j.number("_", i))
	b.count("count", p.count)
	// The name is one that newJob made, of letters, digits and dashes.
	b.SetAttributeRaw("name", hclwrite.Tokens{{Bytes: []byte(`"` + j.vmName(i) + `-${count.index + 1}"`)}})
	b.text("machine_type", p.instanceType)
	b.refer("zone", "var", "zone"+p.suffix)
	b.block("boot_disk").block("initialize_params").refer("image", "var", "image"+p.suffix)
	b.block("network_interface").refer("subnetwork", "var", "subnetwork"+p.suffix)
	if name, ok := p.attached(); ok {
		gpus := b.block("guest_accelerator")
		if name == "" {
			gpus.refer("type", "var", "accelerator_type"+j.number("_", i))
		} else {
			gpus.text("type", name)
		}
		if p.gpus == nil {
			gpus.refer("count", "var", "accelerator_count"+j.number("_", i))
		} else {
			gpus.count("count", *p.gpus)
		}
	}
	if p.hasGPU() || j.isSpot() {
		j.schedule(b.block("scheduling"))
	}
	b.object("labels", []setting{{"sweetspot-model", label(j.pick.Candidate.Model)}})
	b.object("metadata", j.tags(i)[1:])
}

// schedule says what Google asks of VMs with a GPU, which cannot move, and of
// spot VMs.
func (j *job) schedule(b body) {
	b.text("on_host_maintenance", "TERMINATE")
	if j.isSpot() {
		b.text("provisioning_model", "SPOT")
		b.SetAttributeValue("preemptible", cty.True)
		b.SetAttributeValue("automatic_restart", cty.False)
		b.text("instance_termination_action", "STOP")
	}
}
