package launch

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"sweetspot/data/workfolder"
)

// The YAML is made of nodes: every string stands in double quotes, for readers
// do not agree on which plain words are strings.

// pair is a key with its value.
type pair struct {
	key   string
	value *yaml.Node
}

func mapping(pairs ...pair) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	for _, p := range pairs {
		n.Content = append(n.Content, scalar("!!str", p.key, 0), p.value)
	}
	return n
}

func list(items ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Content: items}
}

func scalar(tag, value string, style yaml.Style) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value, Style: style}
}

func textNode(s string) *yaml.Node { return scalar("!!str", s, yaml.DoubleQuotedStyle) }

// scriptNode is a literal block of lines.
func scriptNode(s string) *yaml.Node { return scalar("!!str", s, yaml.LiteralStyle) }

func number(n int) *yaml.Node { return scalar("!!int", strconv.Itoa(n), 0) }

func truth(b bool) *yaml.Node { return scalar("!!bool", strconv.FormatBool(b), 0) }

func remarked(n *yaml.Node, remark string) *yaml.Node {
	n.LineComment = "# " + remark
	return n
}

// documents writes YAML under a comment.
func documents(remarks []string, nodes ...*yaml.Node) (string, error) {
	var b strings.Builder
	b.WriteString(comment(remarks))
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	for _, n := range nodes {
		if err := enc.Encode(n); err != nil {
			return "", err
		}
	}
	return b.String(), enc.Close()
}

// skyAlone are the clouds whose VMs SkyPilot 0.14 does not join into a cluster.
var skyAlone = []string{"hyperbolic", "primeintellect", "runpod", "seeweb", "shadeform", "vast", "verda",
	"vsphere", "yotta"}

// SkyPilot writes a task.
var SkyPilot = &Format{
	Name: "skypilot", Title: "SkyPilot", Extension: ".yaml", byGPU: true, write: (*job).skyPilot,
	refuses: func(j *job) string {
		for _, p := range j.parts {
			if p.cloud == "" {
				return fmt.Sprintf("skypilot launches on clouds, not %s", p.where())
			}
			if p.count > 1 && slices.Contains(skyAlone, p.cloud) {
				return fmt.Sprintf("skypilot launches a task on one VM of %s, and this pick has %d", p.cloud, p.count)
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
	command := remarked(scalar("!!null", "null", 0), "what runs the model: set it here or with --env")
	pairs := []pair{{"name", textNode(j.name)}, {"num_nodes", number(p.count)},
		{"resources", mapping(append(p.skyResources(), pair{"use_spot", truth(j.isSpot())})...)}}
	how := "sky launch --env COMMAND='…' FILE"
	if j.command != "" {
		command, how = textNode(j.command), "sky launch FILE"
		pairs = append(pairs, j.skyFolder()...)
	}
	return documents(append(j.remarks(), "", "Launch: "+how+" runs the command once on each VM; the VMs cost "+
		"money until sky down."),
		mapping(append(pairs, pair{"envs", mapping(pair{"COMMAND", command})},
			pair{"run", scriptNode(exports(j.settings(p)) + j.skyEnvironment() + "bash -c \"$COMMAND\"\n")})...))
}

// skyFolder has the folder of the command copied to the VMs, without what git ignores, and
// its environment set up there.
func (j *job) skyFolder() []pair {
	if !j.copies() {
		return nil
	}
	setup := "set -e\nenv=~/sweetspot-env\n" + strings.Join(workfolder.ReadSetup(j.folder, j.packages).Lines, "\n") + "\n"
	return []pair{{"workdir", textNode(j.folder)}, {"setup", scriptNode(setup)}}
}

// copies reports whether the folder of the command is there to be copied.
func (j *job) copies() bool {
	info, err := os.Stat(j.folder)
	return j.command != "" && err == nil && info.IsDir()
}

// skyEnvironment is what makes it that of the command.
func (j *job) skyEnvironment() string {
	if !j.copies() {
		return ""
	}
	return "export PATH=~/sweetspot-env/bin:\"$PATH\"\n"
}

// skyResources name the VM type to SkyPilot.
func (p part) skyResources() []pair {
	infra := p.cloud
	if p.region != "" {
		infra += "/" + p.region
	}
	out := []pair{{"infra", textNode(infra)}}
	if !p.listed() {
		out = append(out, pair{"instance_type", textNode(skyType(p.cloud, p.instanceType))})
	}
	return append(out, p.accelerators()...)
}

// accelerators are the GPUs of a VM, if SkyPilot has a name for them.
func (p part) accelerators() []pair {
	name, ok := knownGPU(p.gpu)
	if !ok || p.gpus == nil || *p.gpus < 1 {
		return nil
	}
	return []pair{{"accelerators", mapping(pair{name, number(*p.gpus)})}}
}

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
			pair{"spec", mapping(append(j.deadline(), pair{"parallelism", number(p.count)},
				pair{"completions", number(p.count)},
				pair{"completionMode", textNode("Indexed")},
				pair{"backoffLimit", number(j.retries())},
				pair{"template", mapping(pair{"metadata", mapping(pair{"labels",
					mapping(pair{"sweetspot/pick", textNode(j.vmName(i))})})}, pair{"spec", j.pod(i, p)})})...,
			)},
		)
	}
	unset := "image and COMMAND, which are empty."
	if j.command != "" {
		unset = "image, which is empty: to one that holds the folder of the command."
	}
	hints := []string{"", "Before kubectl apply, set " + unset + " The command runs once in each pod, with one pod on " +
		"each VM."}
	if len(j.deadline()) > 0 {
		hints = append(hints, "Limit: activeDeadlineSeconds is "+limitWords+".")
	}
	for _, p := range j.parts {
		if p.gpus == nil {
			hints = append(hints, "GPUs: the number of GPUs of "+p.machine()+" is unknown; add "+p.gpuResource()+
				" to the limits")
		}
	}
	return documents(append(j.remarks(), hints...), nodes...)
}

// deadline ends a job that hangs. Interruptions of spot VMs may take any time.
func (j *job) deadline() []pair {
	if j.limit == 0 || j.isSpot() {
		return nil
	}
	return []pair{{"activeDeadlineSeconds", number(int(j.limit.Seconds()))}}
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
	command := remarked(textNode(""), "required: what runs the model")
	if j.command != "" {
		command = textNode(strings.ReplaceAll(j.command, "$", "$$"))
	}
	env := []*yaml.Node{mapping(pair{"name", textNode("COMMAND")}, pair{"value", command})}
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
