package request

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/probes/matrix"
	"sweetspot/probes/sky"
)

// Rented are the clusters that SkyPilot rents for a request, and what they cost at most.
type Rented struct {
	Clusters   []RentedCluster
	MaxSeconds float64  // cap of each probe, so that the budget holds
	USD        *float64 // of all clusters at most, without disks and traffic; nil where a price is not known
}

// RentedCluster is one of them.
type RentedCluster struct {
	GPU      string // A100:2
	Probes   int
	On       sky.Shortlist
	Lifetime time.Duration // at most
}

// shortestProbe is the least that a cap may leave a probe.
const shortestProbe = 30.0 // seconds

// Rent computes what the clusters of a request cost at most; nil if it rents none. A budget
// shortens the probes, unless the user said how long they may take; one that does not
// reach is refused.
func (r Request) Rent(cells []matrix.Cell, vms []profile.VMType) (*Rented, error) {
	if r.On != onSky {
		return nil, nil
	}
	engine := sky.New(r.Sky, vms)
	out := &Rented{MaxSeconds: r.Rule.MaxSeconds}
	if out.MaxSeconds == 0 {
		out.MaxSeconds = QueuedCap.Seconds()
	}
	for _, g := range r.GPUs {
		kind, count, err := parseGPU(g)
		if err != nil {
			return nil, err
		}
		c := RentedCluster{GPU: g}
		for _, cell := range cells {
			if cell.Host == g {
				c.Probes++
			}
		}
		if c.On, err = engine.Shortlist(kind, count); err != nil {
			return nil, err
		}
		if given := r.Machine.USDPerHour; given != nil {
			c.On.USDPerHour = given
		}
		if c.On.USDPerHour == nil && r.Rule.MaxUSD > 0 {
			return nil, fmt.Errorf("--max-cost needs the price of a %s; set usd_per_hour of it in the config file, or add "+
				"--price", plaintext.Quote(kind))
		}
		out.Clusters = append(out.Clusters, c)
	}
	out.bound()
	budget := r.Rule.MaxUSD
	for budget > 0 && r.Rule.MaxSeconds == 0 && *out.USD > budget && out.MaxSeconds > shortestProbe {
		out.MaxSeconds = max(out.MaxSeconds-5, shortestProbe)
		out.bound()
	}
	if budget > 0 && *out.USD > budget {
		return nil, fmt.Errorf("these clusters may cost up to %s, more than --max-cost %s: each probe may take %s, and each "+
			"cluster %s besides, to start, to set up its environment and to end; shorten --max-seconds, probe fewer GPU "+
			"types, or raise --max-cost", quantity.Money(*out.USD), quantity.Money(budget), quantity.Duration(out.MaxSeconds),
			quantity.Duration(sky.Lifetime(sky.SettingUp+jobGrace).Seconds()))
	}
	return out, nil
}

// bound computes the lifetimes and their cost.
func (r *Rented) bound() {
	total := 0.0
	r.USD = &total
	for i := range r.Clusters {
		c := &r.Clusters[i]
		each := time.Duration(r.MaxSeconds*float64(time.Second)) + preparing
		c.Lifetime = sky.Lifetime(sky.SettingUp + time.Duration(c.Probes)*each + jobGrace)
		if c.On.USDPerHour == nil {
			r.USD = nil
		} else {
			total += *c.On.USDPerHour * c.Lifetime.Hours()
		}
	}
}

// IsUnpriced reports whether all of it is the user's own infrastructure, none of which has a
// price.
func (r Rented) IsUnpriced() bool {
	return r.USD == nil && !slices.ContainsFunc(r.Clusters, func(c RentedCluster) bool {
		return len(c.On.VMs) > 0 || c.On.USDPerHour != nil
	})
}

// String says what is rented and what it costs at most: a line for all, and one for each
// cluster.
func (r Rented) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "SkyPilot begins %s, with autostop", quantity.Several(len(r.Clusters), "cluster"))
	if r.USD != nil {
		fmt.Fprintf(&b, ", for at most %s, disks and traffic aside", quantity.Money(*r.USD))
	}
	b.WriteString(":\n")
	for _, c := range r.Clusters {
		where := make([]string, 0, len(c.On.VMs)+len(c.On.Own))
		for _, vm := range c.On.VMs {
			where = append(where, vm.Cloud+"/"+vm.Region+"/"+vm.InstanceType)
		}
		where = append(where, c.On.Own...)
		cost := "at a price that is not known"
		if usd := c.On.USDPerHour; usd != nil {
			cost = fmt.Sprintf("at up to %s an hour", quantity.Money(*usd))
		}
		fmt.Fprintf(&b, "  %s for %s, %s, gone after at most %s: %s\n", plaintext.Clean(c.GPU),
			quantity.Several(c.Probes, "probe"), cost, quantity.Duration(c.Lifetime.Seconds()),
			plaintext.Clean(strings.Join(where, ", ")))
	}
	return b.String()
}

// checkSky rejects what cannot be done on SkyPilot.
func (r Request) checkSky() error {
	switch {
	case r.On != onSky:
		return nil
	case r.Python != "" && !strings.HasPrefix(r.Python, "/"):
		return errors.New("--python is a path on the clusters, which begins with /; leave it out to use the one set up there")
	}
	return r.Sky.Check()
}
