package sky

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sweetspot/data/launch"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/probes/queue"
)

// clouds are those that SkyPilot rents on.
var clouds = []string{"aws", "azure", "cudo", "do", "fluidstack", "gcp", "hyperbolic", "ibm", "lambda", "mithril",
	"nebius", "oci", "paperspace",
	"primeintellect", "runpod", "scp", "seeweb", "shadeform", "vast", "verda", "vsphere", "yotta"}

// ofOnesOwn are the first words of infrastructure that costs what its owner says.
var ofOnesOwn = []string{"ssh", "slurm", "k8s", "kubernetes"}

// ofEachCloud is how many VM types of a cloud are on a shortlist: the cheapest.
const ofEachCloud = 3

// Shortlist is where a job may run: on any of some VM types, or on infrastructure of one's
// own.
type Shortlist struct {
	VMs        []profile.VMType
	Own        []string
	GPU        string   // as SkyPilot names it
	USDPerHour *float64 // of the dearest; nil where the price of one is not known
}

// Check says what is wrong with the options.
func (o Options) Check() error {
	for _, infra := range o.Infra {
		first, rest, named := strings.Cut(infra, "/")
		first = strings.ToLower(first)
		known := slices.Contains(clouds, first) || slices.Contains(ofOnesOwn, first)
		if !known || named && rest == "" || strings.ContainsAny(infra, " \t") || plaintext.Clean(infra) != infra {
			return fmt.Errorf("%s is no infrastructure of SkyPilot; write aws, gcp/us-central1, ssh/pool or slurm/cluster",
				plaintext.Quote(infra))
		}
	}
	for gpu, g := range o.GPUs {
		if g.USDPerHour != nil && !(*g.USDPerHour > 0) {
			return fmt.Errorf("the price of %s an hour must be above 0; leave it out where it is not known",
				plaintext.Quote(gpu))
		}
	}
	return nil
}

// own is the infrastructure of one's own.
func (o Options) own() (own []string) {
	for _, infra := range o.Infra {
		first, _, _ := strings.Cut(infra, "/")
		if slices.Contains(ofOnesOwn, strings.ToLower(first)) {
			own = append(own, infra)
		}
	}
	return own
}

// allows reports whether a VM type may be rented.
func (o Options) allows(vm profile.VMType) bool {
	cloud := strings.ToLower(vm.Cloud)
	if !slices.Contains(clouds, cloud) || len(o.Only) > 0 && !slices.Contains(o.Only, vm.Key()) {
		return false
	}
	return len(o.Infra) == 0 || slices.ContainsFunc(o.Infra, func(infra string) bool {
		at, region, _ := strings.Cut(infra, "/")
		region, _, _ = strings.Cut(region, "/") // a zone is not in the catalog
		return strings.EqualFold(at, cloud) && (region == "" || strings.EqualFold(region, vm.Region))
	})
}

// rentable are the VM types with a GPU type that SkyPilot knows and with a price.
func (e *Engine) rentable(each func(gpu string, usdPerHour float64, vm profile.VMType)) {
	for _, vm := range e.vms {
		gpu, ok := launch.SkyGPU(vm.GPU)
		price, priced := vm.PriceOf(profile.OnDemand)
		if ok && priced && vm.GPUCount > 0 && e.options.allows(vm) {
			each(gpu, price.USDPerHour, vm)
		}
	}
}

// Shortlist chooses for a GPU type: of each cloud the cheapest VM types with so many.
func (e *Engine) Shortlist(gpu string, count int) (l Shortlist, err error) {
	type choice struct {
		usd float64
		vm  profile.VMType
	}
	byCloud := map[string][]choice{}
	l.GPU = gpu
	e.rentable(func(g string, usd float64, vm profile.VMType) {
		if strings.EqualFold(g, gpu) && vm.GPUCount == count {
			l.GPU = g
			byCloud[vm.Cloud] = append(byCloud[vm.Cloud], choice{usd, vm})
		}
	})
	var all []choice
	for _, of := range byCloud {
		slices.SortFunc(of, func(a, b choice) int {
			return cmp.Or(cmp.Compare(a.usd, b.usd), strings.Compare(a.vm.Region, b.vm.Region),
				strings.Compare(a.vm.InstanceType, b.vm.InstanceType))
		})
		if len(e.options.Only) == 0 {
			of = of[:min(len(of), ofEachCloud)]
		}
		all = append(all, of...)
	}
	slices.SortFunc(all, func(a, b choice) int {
		return cmp.Or(cmp.Compare(a.usd, b.usd), strings.Compare(a.vm.Cloud, b.vm.Cloud))
	})
	for _, c := range all {
		l.VMs, l.USDPerHour = append(l.VMs, c.vm), new(c.usd)
	}
	if own, price, ok := e.ownPrice(gpu); ok {
		l.Own = e.options.own()
		if price != nil {
			price = new(*price * float64(count))
		}
		if price == nil || len(l.VMs) == 0 || *price > *l.USDPerHour {
			l.USDPerHour = price
		}
		l.GPU = cmp.Or(own, l.GPU)
	}
	if len(l.VMs) == 0 && len(l.Own) == 0 {
		return l, fmt.Errorf("the catalog has no VM type with exactly %d GPUs of type %s and an on-demand price that "+
			"SkyPilot can rent here; see sweetspot queue offers --on sky", count, plaintext.Quote(gpu))
	}
	return l, nil
}

// lacking is how SkyPilot says which VM type or region its catalog lacks.
var lacking = regexp.MustCompile(`(?:No|Invalid) instance type '?([\w.+-]+)'?|Invalid region '([\w.-]+)'`)

// without leaves out what SkyPilot does not know by its own words; false where that is none
// of the VM types, or all there is.
func (l Shortlist) without(said string) (rest Shortlist, fewer bool) {
	m := lacking.FindStringSubmatch(said)
	if m == nil {
		return l, false
	}
	rest = l
	rest.VMs = slices.DeleteFunc(slices.Clone(l.VMs), func(vm profile.VMType) bool {
		return m[1] != "" && strings.EqualFold(launch.SkyType(vm), m[1]) || m[2] != "" && strings.EqualFold(vm.Region, m[2])
	})
	return rest, len(rest.VMs) < len(l.VMs) && len(rest.VMs)+len(rest.Own) > 0
}

// ownPrice finds a GPU type among those of one's own infrastructure.
func (e *Engine) ownPrice(gpu string) (name string, usdPerHour *float64, ok bool) {
	if len(e.options.own()) == 0 {
		return "", nil, false
	}
	for name, g := range e.options.GPUs {
		if strings.EqualFold(name, gpu) {
			return name, g.USDPerHour, true
		}
	}
	return "", nil, false
}

// Offers are the GPU types of the catalog that SkyPilot can rent, and those of one's own
// infrastructure. How many VMs there are is not known before they are asked for.
func (e *Engine) Offers(context.Context) ([]queue.Offer, error) {
	if err := e.options.Check(); err != nil {
		return nil, err
	}
	byGPU := map[string]*queue.Offer{}
	e.rentable(func(gpu string, usd float64, vm profile.VMType) {
		o := byGPU[gpu]
		if o == nil {
			o = &queue.Offer{GPU: gpu, Rented: true, NoStart: "it depends on what the clouds have just then"}
			byGPU[gpu] = o
		}
		o.Nodes++
		o.Count = max(o.Count, vm.GPUCount)
		if each := usd / float64(vm.GPUCount); o.USDPerHour == nil || each < *o.USDPerHour {
			o.USDPerHour = &each
		}
		if !slices.Contains(o.Partitions, vm.Cloud) {
			o.Partitions = append(o.Partitions, vm.Cloud)
		}
	})
	if own := e.options.own(); len(own) > 0 {
		for name, g := range e.options.GPUs {
			o := byGPU[name]
			if o == nil {
				o = &queue.Offer{GPU: name, Rented: true, NoStart: "SkyPilot gives it only for clusters that were launched"}
				byGPU[name] = o
			}
			o.Count, o.USDPerHour = 0, cmp.Or(o.USDPerHour, g.USDPerHour) // how many it has, SkyPilot finds out
			o.Partitions = append(o.Partitions, own...)
		}
	}
	all := make([]queue.Offer, 0, len(byGPU))
	for _, o := range byGPU {
		slices.Sort(o.Partitions)
		all = append(all, *o)
	}
	slices.SortFunc(all, func(a, b queue.Offer) int { return strings.Compare(a.GPU, b.GPU) })
	return all, nil
}
