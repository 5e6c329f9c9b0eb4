package launch

import "strings"

// Kubernetes writes Jobs.
var Kubernetes = &Format{Name: "kubernetes", Title: "Kubernetes", Extension: ".yaml", write: (*job).kubernetes}

// pods are what kubernetes.yaml.tmpl makes a Job of: a pod for each VM of a part.
type pods struct {
	Name           string
	Count, Retries int
	Selector       []setting // labels of the nodes
	Tolerations    []setting // taints that the pods tolerate; without a value, whatever it is
	Env            []setting
	GPUResource    string
	GPUs           int // of each pod; 0 asks for none
}

// kubernetes is a Job for each VM type, with a pod a VM. The server refuses it
// while its image is empty, and the container ends with a sentence while its
// command is.
func (j *job) kubernetes() (string, error) {
	remarks := append(j.remarks(), "", "Before kubectl apply, set image and COMMAND, which are empty. "+
		"The command runs once in each pod, a pod on each VM.")
	jobs := make([]pods, len(j.parts))
	for i, p := range j.parts {
		jobs[i] = pods{Name: j.vmName(i), Count: p.count, Retries: j.retries(), GPUResource: p.gpuResource()}
		jobs[i].Selector, jobs[i].Tolerations = j.placement(p)
		for _, s := range j.settings(p) {
			// Kubernetes expands $(NAME) in values; a doubled $ is one.
			jobs[i].Env = append(jobs[i].Env, setting{s.Name, strings.ReplaceAll(s.Value, "$", "$$")})
		}
		if p.gpus != nil {
			jobs[i].GPUs = *p.gpus
		} else {
			remarks = append(remarks, "GPUs: how many "+p.machine()+" has is not known; add "+p.gpuResource()+" to the limits")
		}
	}
	return filled("kubernetes.yaml.tmpl", remarks, jobs)
}

// retries are for spot VMs, which may be interrupted; retrying after another
// failure would only cost its money again.
func (j *job) retries() int {
	if j.isSpot() {
		return 6
	}
	return 0
}

// placement is the node selector of a pod, and the taints it tolerates.
func (j *job) placement(p part) (selector, tolerations []setting) {
	if p.cloud == "" {
		selector = append(selector, setting{"kubernetes.io/hostname", p.host})
	} else {
		selector = append(selector, setting{"node.kubernetes.io/instance-type", p.fullType()})
	}
	if p.region != "" {
		selector = append(selector, setting{"topology.kubernetes.io/region", p.region})
	}
	if p.hasGPU() {
		tolerations = append(tolerations, setting{p.gpuResource(), ""})
	}
	if spot, ok := spotLabels[p.cloud]; ok && j.isSpot() {
		selector, tolerations = append(selector, spot), append(tolerations, spot)
	}
	return selector, tolerations
}

// spotLabels are how the clouds' own Kubernetes mark spot nodes.
var spotLabels = map[string]setting{
	"aws":   {"eks.amazonaws.com/capacityType", "SPOT"},
	"gcp":   {"cloud.google.com/gke-spot", "true"},
	"azure": {"kubernetes.azure.com/scalesetpriority", "spot"},
}
