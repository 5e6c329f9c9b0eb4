package request

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sweetspot/data/store"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/probes/host"
	"sweetspot/probes/identity"
	"sweetspot/probes/matrix"
	"sweetspot/probes/queue"
	"sweetspot/probes/remote"
	"sweetspot/probes/sky"
	"sweetspot/probes/slurm"
)

// Engines are what the config file and flags say about engines, and what is for rent.
type Engines struct {
	Slurm   slurm.Options    `json:"slurm"`
	Sky     sky.Options      `json:"sky"`
	VMTypes []profile.VMType `json:"-"`
}

// The engines, as in --on. The address of a run begins with one and a colon.
const (
	onSlurm = "slurm"
	onSky   = "sky"
	onSSH   = "ssh"
	onHere  = Here
)

// parseOn reads slurm, slurm:login-host, sky, here and ssh:host.
func parseOn(on string) (engine string, there remote.Host, err error) {
	engine, host, named := strings.Cut(on, ":")
	switch {
	case !named && slices.Contains([]string{onSky, onSlurm, onHere}, engine):
		return engine, remote.Here, nil
	case host != "" && (engine == onSlurm || engine == onSSH):
		there, err = remote.Parse(host)
		return engine, there, err
	}
	return "", remote.Here, fmt.Errorf("--on %s: there is no such place; write slurm on a login host, "+
		"slurm:user@login-host, sky, ssh:user@host, or here", plaintext.Quote(on))
}

// place is where probes run: on an engine, as --on names it, and on a GPU type of it, a100:2; "" for any that it has.
type place struct{ on, gpu string }

// placeOf is where a cell runs.
func (r Request) placeOf(c matrix.Cell) place {
	if r.isQueued() {
		return place{r.On, c.Host}
	}
	if c.Host == "" {
		return place{onHere, ""}
	}
	h, _ := remote.Parse(c.Host) // checked before
	return place{onSSH + ":" + h.String(), ""}
}

// address is the place as it is stored with a run: slurm:login-host/a100:2, slurm:/a100 in the queue of this machine,
// sky:/A100, ssh:me@vm/ or here:/.
func (p place) address() string {
	if strings.Contains(p.on, ":") {
		return p.on + "/" + p.gpu
	}
	return p.on + ":/" + p.gpu
}

// placed reads what [place.address] wrote.
func placed(address string) place {
	on, gpu, _ := strings.Cut(address, "/")
	return place{strings.TrimSuffix(on, ":"), gpu}
}

// cell is the place among the cells of a matrix.
func (p place) cell() string {
	switch host, ssh := strings.CutPrefix(p.on, onSSH+":"); {
	case ssh:
		return host
	case p.isHere():
		return ""
	}
	return p.gpu
}

// Host is the host or GPU type of a run by its address, as among the cells of its matrix; "" for this machine.
func Host(address string) string {
	p := placed(address)
	if _, _, err := parseOn(p.on); err != nil { // of a host whose probe ended with the connection
		return address
	}
	return p.cell()
}

func (p place) isHere() bool { return p.on == onHere }

// isHost reports whether it is a machine that a user named, whose GPUs are taken as they are.
func (p place) isHost() bool { return p.isHere() || strings.HasPrefix(p.on, onSSH+":") }

// places fills in what a probe's host reports about itself. A probe in a queue is on the GPU type that was chosen, not
// on the node that it got.
func (p place) places(vms []profile.VMType) func(identity.Facts, *store.Machine) {
	return func(f identity.Facts, m *store.Machine) {
		fill(f, m, vms)
		if !p.isHost() {
			m.Host = p.gpu
		}
	}
}

// parseGPU reads a GPU type and how many of it a probe gets: a100, a100:2.
func parseGPU(text string) (kind string, count int, err error) {
	kind, number, counted := strings.Cut(text, ":")
	count = 1
	if counted {
		count, err = strconv.Atoi(number)
	}
	if err != nil || kind == "" || count < 1 || strings.ContainsAny(kind, "/ ,") || plaintext.Clean(kind) != kind {
		return "", 0, fmt.Errorf("--gpu %s is no GPU type; write one such as a100, or a100:2 for two", plaintext.Quote(text))
	}
	return kind, count, nil
}

// checkQueue rejects what cannot be queued.
func (r Request) checkQueue() error {
	if !r.isQueued() {
		if len(r.GPUs) > 0 {
			return errors.New("--gpu names GPU types of a queue; add --on slurm, or leave it out")
		}
		return nil
	}
	if _, _, err := parseOn(r.On); err != nil {
		return err
	}
	if err := r.checkSky(); err != nil {
		return err
	}
	switch {
	case place{on: r.On}.isHost():
		return fmt.Errorf("--on %s has no queue; name machines with --host instead, --host %s for this one", r.On, Here)
	case len(r.Hosts) > 0:
		return errors.New("--on and --host exclude each other: a queue finds the hosts itself")
	case len(r.GPUs) == 0:
		return errors.New("--on needs the GPU types to probe, such as --gpu a100,v100; sweetspot queue offers lists them")
	}
	for _, g := range r.GPUs {
		if _, _, err := parseGPU(g); err != nil {
			return err
		}
	}
	return nil
}

// EngineOn is the engine that --on names.
func EngineOn(on string, e Engines) (queue.Engine, error) {
	engine, there, err := parseOn(on)
	switch {
	case err != nil:
		return nil, err
	case engine == onSky:
		return sky.New(e.Sky, e.VMTypes), e.Sky.Check()
	case engine == onSlurm:
		return slurm.New(there, e.Slurm), nil
	}
	return host.New(there, e.VMTypes), nil
}

// prices are those of each cell's place, dollars an hour; nil where it is not known yet.
func (r Request) prices(ctx context.Context, q *inQueue, rented *Rented) (map[string]*float64, error) {
	prices := map[string]*float64{}
	switch {
	case !r.isQueued():
		for _, h := range r.Hosts {
			prices[h] = r.Machine.USDPerHour // of others, it follows from the VM type that the host turns out to be
		}
		prices[""] = r.Machine.USDPerHour
		return prices, nil
	case rented == nil:
		at, err := q.at(r.On)
		if err != nil {
			return nil, err
		}
		return r.checkOffers(ctx, at.engine)
	}
	for _, c := range rented.Clusters {
		if prices[c.GPU] = r.Machine.USDPerHour; prices[c.GPU] == nil && len(c.On.VMs) == 0 {
			prices[c.GPU] = c.On.USDPerHour // of others, it follows from the VM type that SkyPilot chooses
		}
	}
	return prices, nil
}

// checkOffers returns the price of each GPU type that is asked for: dollars an hour, nil
// where the config file has none.
func (r Request) checkOffers(ctx context.Context, e queue.Engine) (map[string]*float64, error) {
	offers, err := e.Offers(ctx)
	if err != nil {
		return nil, err
	}
	prices := map[string]*float64{}
	for _, g := range r.GPUs {
		kind, count, err := parseGPU(g)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(offers, func(o queue.Offer) bool { return strings.EqualFold(o.GPU, kind) })
		if i < 0 {
			return nil, fmt.Errorf("there is no GPU of type %s on %s; it has %s", plaintext.Quote(kind), r.On,
				cmp.Or(plaintext.Join(offers, ", ", func(o queue.Offer) string { return o.GPU }), "none that is known"))
		}
		if count > offers[i].Count {
			return nil, fmt.Errorf("nothing on %s has %d GPUs of type %s; the largest has %d", r.On, count,
				plaintext.Quote(kind), offers[i].Count)
		}
		prices[g] = r.Machine.USDPerHour
		if p := offers[i].USDPerHour; p != nil && prices[g] == nil {
			prices[g] = new(*p * float64(count))
		}
		if prices[g] == nil && r.Rule.MaxUSD > 0 {
			return nil, fmt.Errorf("--max-cost needs the price of a %s; set usd_per_hour of it in the config file, or add "+
				"--price", plaintext.Quote(kind))
		}
	}
	return prices, nil
}
