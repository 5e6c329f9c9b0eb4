package launch

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclwrite"
)

// Terraform writes a configuration of the pick's VMs: aws_instance and
// google_compute_instance.
var Terraform = &Format{
	Name: "terraform", Title: "Terraform", Extension: ".tf", clouds: []string{"aws", "gcp"},
	write: (*job).terraform,
}

// configuration is what terraform.tf.tmpl is filled in with.
type configuration struct {
	Providers []string
	Inputs    []input
	Regions   []awsRegion // a provider each
	HasGoogle bool
	VMs       []terraformVMs
}

// input is a variable without a default: Terraform does nothing until it is set.
type input struct {
	Name, What string
	Region     string // that a zone must be in, for the price is of it; "" is any
}

// Words are the name in a sentence.
func (in input) Words() string { return strings.ReplaceAll(in.Name, "_", " ") }

type awsRegion struct {
	Alias, Region string // "" without others, and where the user gives it
}

// terraformVMs are the equal VMs of a part.
type terraformVMs struct {
	Number, Suffix           string // of the resource, and of its variables
	Name, Type, Provider     string
	Count                    int
	IsGoogle, IsSpot, HasGPU bool
	Attach                   bool // GPUs, which the VM type lacks
	Accelerator              string
	GPUs                     *int
	Label                    string
	Tags                     []setting
}

func (j *job) terraform() (string, error) {
	c := configuration{HasGoogle: j.uses("gcp")}
	if j.uses("aws") {
		c.Providers = append(c.Providers, "aws")
	}
	if c.HasGoogle {
		c.Providers = append(c.Providers, "google")
	}
	for i, p := range j.parts {
		vms := terraformVMs{
			Number: j.number("_", i), Suffix: p.suffix, Name: j.vmName(i), Type: p.instanceType, Count: p.count,
			IsGoogle: p.cloud == "gcp", IsSpot: j.isSpot(), HasGPU: p.hasGPU(), GPUs: p.gpus,
			Label: label(j.pick.Candidate.Model), Tags: j.tags(i),
		}
		vms.Accelerator, vms.Attach = p.attached()
		inputs := p.awsInputs()
		if vms.IsGoogle {
			inputs = vms.googleInputs(p)
		} else if region := (awsRegion{j.awsAlias(p), p.region}); !slices.Contains(c.Regions, region) {
			c.Regions = append(c.Regions, region)
		}
		if p.cloud == "aws" {
			vms.Provider = j.awsAlias(p)
		}
		for _, in := range inputs {
			if !slices.ContainsFunc(c.Inputs, func(asked input) bool { return asked.Name == in.Name }) {
				c.Inputs = append(c.Inputs, in)
			}
		}
		c.VMs = append(c.VMs, vms)
	}
	remarks := append(j.remarks(), "",
		"Variables have no defaults: terraform apply asks for them. What it makes costs money until terraform destroy.")
	text, err := filled("terraform.tf.tmpl", remarks, c)
	return string(hclwrite.Format([]byte(text))), err
}

func (j *job) uses(cloud string) bool {
	return slices.ContainsFunc(j.parts, func(p part) bool { return p.cloud == cloud })
}

// awsAlias names the provider of a part's region, by the first part in it; ""
// where one provider does for all.
func (j *job) awsAlias(p part) string {
	if p.suffix == "" {
		return ""
	}
	i := slices.IndexFunc(j.parts, func(q part) bool { return q.cloud == p.cloud && q.region == p.region })
	return "region" + j.parts[i].suffix
}

func (p part) awsInputs() (out []input) {
	if p.region == "" {
		out = append(out, input{Name: "region", What: "Region to launch in"})
	}
	return append(out,
		input{Name: "ami_id" + p.suffix, What: "AMI" + p.ofItsRegion() + p.drivers()},
		input{Name: "subnet_id" + p.suffix, What: "Subnet" + p.ofItsRegion()},
		input{Name: "key_name" + p.suffix, What: "Key pair" + p.ofItsRegion() + " to log in with"})
}

func (v terraformVMs) googleInputs(p part) []input {
	out := []input{
		{Name: "project", What: "Project to launch in"},
		{Name: "zone" + p.suffix, What: "Zone" + p.ofItsRegion(), Region: p.region},
		{Name: "image" + p.suffix, What: "Image" + p.drivers()},
		{Name: "subnetwork" + p.suffix, What: "Subnetwork" + p.ofItsRegion()},
	}
	if v.Attach && v.Accelerator == "" {
		out = append(out, input{Name: "accelerator_type" + v.Number, What: "Google's name of the GPUs to attach" + p.named()})
	}
	if v.Attach && v.GPUs == nil {
		out = append(out, input{Name: "accelerator_count" + v.Number, What: "How many GPUs to attach"})
	}
	return out
}
