package launch

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// Kubernetes writes Jobs.
var Kubernetes = &Format{Name: "kubernetes", Title: "Kubernetes", Extension: ".yaml", write: (*job).kubernetes}

// kubernetes is a Job for each VM type, with a pod a VM. The server refuses it
// while its image is empty, and the container ends with a sentence while its
// command is.
func (j *job) kubernetes() (string, error) {
	nodes := make([]*yaml.Node, len(j.parts))
	for i, p := range j.parts {
		nodes[i] = mapping(
			pair{"apiVersion", textNode("batch/v1")}, pair{"kind", textNode("Job")},
			pair{"metadata", mapping(pair{"name", textNode(j.vmName(i))})},
			pair{"spec", mapping(
				pair{"parallelism", number(p.count)}, pair{"completions", number(p.count)},
				pair{"completionMode", textNode("Indexed")},
				pair{"backoffLimit", number(j.retries())},
				pair{"template", mapping(pair{"metadata", mapping(pair{"labels",
					mapping(pair{"sweetspot/pick", textNode(j.vmName(i))})})}, pair{"spec", j.pod(i, p)})},
			)},
		)
	}
	hints := []string{"", "Before kubectl apply, set image and COMMAND, which are empty. The command runs once in " +
		"each pod, with one pod on each VM."}
	for _, p := range j.parts {
		if p.gpus == nil {
			hints = append(hints, "GPUs: the number of GPUs of "+p.machine()+" is unknown; add "+p.gpuResource()+
				" to the limits")
		}
	}
	return documents(append(j.remarks(), hints...), nodes...)
}

// retries are for spot VMs, which may be interrupted; retrying after another
// failure would only cost its money again.
func (j *job) retries() int {
	if j.isSpot() {
		return 6
	}
	return 0
}

func (j *job) pod(i int, p part) *yaml.Node {
	selector, tolerations := j.placement(p)
	spec := []pair{{"restartPolicy", textNode("Never")}, {"nodeSelector", mapping(selector...)},
		{"tolerations", list(tolerations...)}}
	if p.count > 1 {
		spec = append(spec, pair{"affinity", j.apart(i)})
	}
	return mapping(append(spec, pair{"containers", list(j.container(p))})...)
}

func (j *job) container(p part) *yaml.Node {
	env := []*yaml.Node{mapping(pair{"name", textNode("COMMAND")},
		pair{"value", remarked(textNode(""), "required: what runs the model")})}
	for _, s := range j.settings(p) {
		// Kubernetes expands $(NAME) in values; a doubled $ is one.
		env = append(env, mapping(pair{"name", textNode(s.name)},
			pair{"value", textNode(strings.ReplaceAll(s.value, "$", "$$"))}))
	}
	out := []pair{
		{"name", textNode("pick")},
		{"image", remarked(textNode(""), "required: the image to run")},
		{"command", list(textNode("/bin/sh"), textNode("-ec"),
			scriptNode(": \"${COMMAND:?set it under env}\"\nexec /bin/sh -c \"$COMMAND\"\n"))},
		{"env", list(env...)},
	}
	if p.gpus != nil && *p.gpus > 0 {
		out = append(out, pair{"resources", mapping(pair{"limits", mapping(pair{p.gpuResource(), number(*p.gpus)})})})
	}
	return mapping(out...)
}

// placement is the node selector of a pod, and the taints it tolerates.
func (j *job) placement(p part) (selector []pair, tolerations []*yaml.Node) {
	if p.cloud == "" {
		selector = append(selector, pair{"kubernetes.io/hostname", textNode(p.host)})
	} else {
		name := p.instanceType
		if p.cloud == "azure" {
			name = azureSize(name)
		}
		selector = append(selector, pair{"node.kubernetes.io/instance-type", textNode(name)})
	}
	if p.region != "" {
		selector = append(selector, pair{"topology.kubernetes.io/region", textNode(p.region)})
	}
	if p.hasGPU() {
		tolerations = append(tolerations, tolerates(p.gpuResource(), ""))
	}
	if spot, ok := spotLabels[p.cloud]; ok && j.isSpot() {
		selector = append(selector, pair{spot.key, textNode(spot.value)})
		tolerations = append(tolerations, tolerates(spot.key, spot.value))
	}
	return selector, tolerations
}

// spotLabels are how the clouds' own Kubernetes mark spot nodes.
var spotLabels = map[string]struct{ key, value string }{
	"aws":   {"eks.amazonaws.com/capacityType", "SPOT"},
	"gcp":   {"cloud.google.com/gke-spot", "true"},
	"azure": {"kubernetes.azure.com/scalesetpriority", "spot"},
}

func tolerates(key, value string) *yaml.Node {
	if value == "" {
		return mapping(pair{"key", textNode(key)}, pair{"operator", textNode("Exists")},
			pair{"effect", textNode("NoSchedule")})
	}
	return mapping(pair{"key", textNode(key)}, pair{"operator", textNode("Equal")}, pair{"value", textNode(value)},
		pair{"effect", textNode("NoSchedule")})
}

// apart places each pod on a VM of its own.
func (j *job) apart(i int) *yaml.Node {
	return mapping(pair{"podAntiAffinity", mapping(pair{"requiredDuringSchedulingIgnoredDuringExecution", list(mapping(
		pair{"labelSelector", mapping(pair{"matchLabels", mapping(pair{"sweetspot/pick", textNode(j.vmName(i))})})},
		pair{"topologyKey", textNode("kubernetes.io/hostname")},
	))})})
}
