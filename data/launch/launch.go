// Package launch writes files that run a pick, for the tools that launch VMs and
// jobs. What only the user knows (an image, a subnet, the training command) is a
// variable that the tool asks for, never a made-up value. No secrets are written,
// and text from outside is always quoted.
package launch

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"sweetspot/data/contract"
	"sweetspot/data/wording"
)

// Format is a tool that launches VMs or jobs.
type Format struct {
	Name      string // of its --format
	Title     string // for people
	Extension string // of its files, with the dot

	clouds  []string            // that it launches on; none is any, and machines of one's own
	byNode  bool                // it asks for nodes with GPUs, whatever the cloud calls them
	byGPU   bool                // it finds the VM type by its GPUs where a price list has its own name for it
	refuses func(j *job) string // why else it does not launch a job, "" where it does; nil refuses none
	write   func(j *job) (string, error)
}

// Formats lists all formats.
var Formats = []*Format{SkyPilot, AWS, GCloud, Az, Terraform, Slurm, Kubernetes}

func (f *Format) String() string { return f.Name }

// Fits says why the tool can't launch the pick, and which tools can; nil if it
// can.
func (f *Format) Fits(p contract.Pick) error {
	_, err := f.job(p)
	return err
}

// Text is the file that launches the pick. If the tool can't launch such VMs, the
// error is that of [Format.Fits].
func (f *Format) Text(p contract.Pick) (string, error) {
	j, err := f.job(p)
	if err != nil {
		return "", err
	}
	return f.write(j)
}

// job is the pick as a job that the format launches.
func (f *Format) job(p contract.Pick) (*job, error) {
	j, err := newJob(p)
	if err != nil {
		return nil, err
	}
	why := f.misfit(j)
	if why == "" {
		return j, nil
	}
	var fitting []string
	for _, other := range Formats {
		if other.misfit(j) == "" {
			fitting = append(fitting, other.Name)
		}
	}
	return nil, errors.New(why + "; write it as " + wording.Either(fitting))
}

// misfit is empty where the format launches the job.
func (f *Format) misfit(j *job) string {
	if f.refuses != nil {
		if why := f.refuses(j); why != "" {
			return why
		}
	}
	for _, p := range j.parts {
		switch {
		case f.byNode:
		case len(f.clouds) > 0 && !slices.Contains(f.clouds, p.cloud):
			return fmt.Sprintf("%s launches on %s, not %s", f, strings.Join(f.clouds, " and "), p.where())
		case p.listed() && (!f.byGPU || len(p.accelerators()) == 0):
			return fmt.Sprintf("%s is a price list's name for a VM type of %s, which %s cannot ask for",
				p.instanceType, p.cloud, f)
		case strings.HasPrefix(p.instanceType, "ml."):
			return fmt.Sprintf("%s is rented through SageMaker, which %s does not launch", p.instanceType, f)
		}
	}
	return ""
}
