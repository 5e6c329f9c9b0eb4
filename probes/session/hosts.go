package session

import (
	"cmp"
	"strings"

	"sweetspot/engine/profile"
	"sweetspot/probes/gpu"
	"sweetspot/probes/protocol"
)

// hosts are those that the ranks of a training are on, and their GPUs.
type hosts struct {
	ranks     map[int]string             // host by rank, of those that reported
	told      *int                       // by the launcher
	gpus      map[string]map[string]bool // UUIDs of the GPUs in use, by host
	gpusKnown bool
}

// host takes in what a process says of its machine. Each rank says which GPUs it uses; ranks
// may share one.
func (p *state) host(e protocol.Hello) {
	h := &p.hosts
	if e.Rank != nil && e.Node != "" {
		if h.ranks == nil {
			h.ranks = map[int]string{}
		}
		h.ranks[*e.Rank] = e.Node
		p.countHosts()
	}
	if e.GPUs == nil {
		return
	}
	m := &p.described.Machine
	if !h.gpusKnown {
		h.gpusKnown, h.gpus = true, map[string]map[string]bool{}
		m.GPU, m.GPUCount, m.GPUMemGiB = "", 0, nil
	}
	for i, g := range e.GPUs {
		if g.UUID == "" {
			m.GPUCount = max(m.GPUCount, i+1)
		} else {
			if h.gpus[e.Node] == nil {
				h.gpus[e.Node] = map[string]bool{}
			}
			h.gpus[e.Node][g.UUID] = true
			m.GPUCount = max(m.GPUCount, len(h.gpus[e.Node]))
		}
		if m.GPU == "" {
			m.GPU = gpu.Canonical(g.Name)
			if g.MemoryBytes != nil {
				m.GPUMemGiB = new(*g.MemoryBytes / (1 << 30))
			}
		}
	}
	m.NoGPU = m.GPUCount == 0
}

// leaves reports whether the GPU of a reading is one that no rank uses, as far as both say
// which it is. What a program may use of the machine's GPUs, and in which order, is its
// own: only their UUIDs are the same for all. An instance of a partitioned GPU has its own,
// and the sensors are those of the whole.
func (h *hosts) leaves(uuid string) bool {
	known := false
	for _, used := range h.gpus {
		for u := range used {
			if known = true; bare(u) == bare(uuid) {
				return false
			}
		}
	}
	return known && uuid != ""
}

// bare is a UUID as PyTorch writes it; the driver puts GPU- before it.
func bare(uuid string) string { return strings.TrimPrefix(strings.ToLower(uuid), "gpu-") }

// all are the hosts of the ranks that reported.
func (h *hosts) all() map[string]bool {
	all := map[string]bool{}
	for _, node := range h.ranks {
		all[node] = true
	}
	return all
}

// countHosts says on how many VMs a training runs: as many as there are hosts where all
// ranks have reported; else, as where only the first host is watched, as many as the
// launcher says, if these are more.
func (p *state) countHosts() {
	h, d := &p.hosts, &p.described
	if d.Mode != profile.Train {
		return
	}
	n := len(h.all())
	if h.told != nil && (d.WorldSize == nil || len(h.ranks) < *d.WorldSize) {
		n = max(n, *h.told)
	}
	d.Count = cmp.Or(n, d.Count)
}
