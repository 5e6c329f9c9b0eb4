package request

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sweetspot/engine/plaintext"
	"sweetspot/probes/queue"
	"sweetspot/probes/remote"
	"sweetspot/probes/slurm"
)

// parseOn reads slurm and slurm:login-host.
func parseOn(on string) (remote.Host, error) {
	name, login, named := strings.Cut(on, ":")
	if name != "slurm" || named && login == "" {
		return remote.Here, fmt.Errorf("--on %s: there is no such queue; write slurm on a login host, or "+
			"slurm:user@login-host", plaintext.Quote(on))
	}
	if !named {
		return remote.Here, nil
	}
	return remote.Parse(login)
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
	if _, err := parseOn(r.On); err != nil {
		return err
	}
	switch {
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

// EngineOn is the queue that --on names.
func EngineOn(on string, o slurm.Options) (queue.Engine, error) {
	login, err := parseOn(on)
	if err != nil {
		return nil, err
	}
	return slurm.New(login, o), nil
}

// Engine is the queue that the address of a run names.
func Engine(address string, o slurm.Options) (queue.Engine, error) {
	return EngineOn(Queued{Address: address}.On(), o)
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
		i := slices.IndexFunc(offers, func(o queue.Offer) bool { return o.GPU == kind })
		if i < 0 {
			return nil, fmt.Errorf("the cluster has no GPU of type %s; it has %s", plaintext.Quote(kind),
				cmp.Or(plaintext.Join(offers, ", ", func(o queue.Offer) string { return o.GPU }), "none that Slurm knows"))
		}
		if count > offers[i].Count {
			return nil, fmt.Errorf("no node of the cluster has %d GPUs of type %s; the largest has %d", count,
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
