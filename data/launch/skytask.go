package launch

import (
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"

	"sweetspot/data/contract"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
)

// SkyTask is a task of SkyPilot for one machine: a VM of any of several types, or one that
// has GPUs of one's own infrastructure.
type SkyTask struct {
	Name   string // of the task
	Folder string // that is copied to [SkyFolder] there, an absolute path; "" for none
	Run    string // lines of Bash

	VMs   []profile.VMType // any of them
	Own   []string         // or any of these, such as ssh/pool or slurm/cluster,
	GPU   string           // with such GPUs
	Count int
}

// SkyFolder is where SkyPilot copies a task's folder to.
const SkyFolder = "~/sky_workdir"

// YAML is the task as SkyPilot reads it.
func (t SkyTask) YAML() (string, error) {
	var all []*yaml.Node
	for _, vm := range t.VMs {
		p, err := newPart(partOf(vm), contract.Candidate{})
		switch {
		case err != nil:
			return "", err
		case p.cloud == "":
			return "", fmt.Errorf("%s is of no cloud that it could be rented from", p.machine())
		}
		if why := SkyPilot.misfit(&job{parts: []part{p}}); why != "" {
			return "", errors.New(why)
		}
		all = append(all, mapping(append(p.skyResources(), pair{"use_spot", truth(false)})...))
	}
	for _, infra := range t.Own {
		all = append(all, mapping(pair{"infra", textNode(infra)},
			pair{"accelerators", mapping(pair{t.GPU, number(t.Count)})}))
	}
	if len(all) == 0 {
		return "", errors.New("a task needs a VM type to run on")
	}
	if plaintext.Clean(t.GPU) != t.GPU {
		return "", fmt.Errorf("%s is no GPU type", plaintext.Quote(t.GPU))
	}
	pairs := []pair{{"name", textNode(t.Name)}, {"num_nodes", number(1)},
		{"resources", mapping(pair{"any_of", list(all...)})}}
	if t.Folder != "" {
		pairs = append(pairs, pair{"workdir", textNode(t.Folder)})
	}
	return documents(nil, mapping(append(pairs, pair{"run", scriptNode(t.Run)})...))
}

// SkyGPU is SkyPilot's name of a GPU of the catalog; false if it has none.
func SkyGPU(name string) (string, bool) { return knownGPU(name) }

// SkyType is SkyPilot's name of a VM type of the catalog.
func SkyType(vm profile.VMType) string { return skyType(vm.Cloud, vm.InstanceType) }

func skyType(cloud, instanceType string) string {
	if cloud == "azure" {
		return azureSize(instanceType)
	}
	return instanceType
}
