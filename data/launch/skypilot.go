package launch

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// SkyPilot writes a task.
var SkyPilot = &Format{
	Name: "skypilot", Title: "SkyPilot", Extension: ".yaml", byGPU: true, write: (*job).skyPilot,
	refuses: func(j *job) string {
		for _, p := range j.parts {
			if p.cloud == "" {
				return fmt.Sprintf("skypilot launches on clouds, not %s", p.where())
			}
		}
		if n := len(j.parts); n > 1 {
			return fmt.Sprintf("a task of skypilot has VMs of one type, and this pick has %d", n)
		}
		return ""
	},
}

// skyPilot is a task. Its null variable is one that SkyPilot asks for.
func (j *job) skyPilot() (string, error) {
	p := j.parts[0]
	machine := p.instanceType
	if p.cloud == "azure" {
		machine = azureSize(machine)
	}
	infra := p.cloud
	if p.region != "" {
		infra += "/" + p.region
	}
	resources := []pair{{"infra", textNode(infra)}}
	if !p.listed() {
		resources = append(resources, pair{"instance_type", textNode(machine)})
	}
	resources = append(append(resources, p.accelerators()...), pair{"use_spot", truth(j.isSpot())})
	missing := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
	return documents(append(j.remarks(), "", "Launch: sky launch --env COMMAND='…' FILE runs the command once on "+
		"each VM; the VMs cost money until sky down."),
		mapping(
			pair{"name", textNode(j.name)},
			pair{"num_nodes", number(p.count)},
			pair{"resources", mapping(resources...)},
			pair{"envs", mapping(pair{"COMMAND", remarked(missing, "what runs the model: set it here or with --env")})},
			pair{"run", scriptNode(exports(j.settings(p)) + "bash -c \"$COMMAND\"\n")},
		))
}

// accelerators are the GPUs of a VM, if SkyPilot has a name for them.
func (p part) accelerators() []pair {
	name, ok := knownGPU(p.gpu)
	if !ok || p.gpus == nil || *p.gpus < 1 {
		return nil
	}
	return []pair{{"accelerators", mapping(pair{name, number(*p.gpus)})}}
}
