package launch

import (
	"fmt"
	"strings"

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
	var task struct {
		Name, Infra, Type, Accelerator, Run string
		Count, GPUs                         int
		IsSpot                              bool
	}
	task.Name, task.Count, task.IsSpot = j.name, p.count, j.isSpot()
	task.Infra = strings.TrimSuffix(p.cloud+"/"+p.region, "/")
	if !p.listed() {
		task.Type = p.fullType()
	}
	task.Accelerator, task.GPUs = p.accelerators()
	var err error
	task.Run, err = yamlPair("run", exports(j.settings(p))+"bash -c \"$COMMAND\"\n", yaml.LiteralStyle)
	if err != nil {
		return "", err
	}
	remarks := append(j.remarks(), "", "Launch: sky launch --env COMMAND='…' FILE runs the command once on each VM; "+
		"the VMs cost money until sky down.")
	return filled("skypilot.yaml.tmpl", remarks, task)
}

// accelerators are the GPUs of a VM, 0 where SkyPilot has no name for them.
func (p part) accelerators() (name string, gpus int) {
	name, ok := knownGPU(p.gpu)
	if !ok || p.gpus == nil || *p.gpus < 1 {
		return "", 0
	}
	return name, *p.gpus
}
