package approx

import (
	"fmt"
	"slices"
	"strings"
)

// Policy is the rule by which offers are made.
type Policy string

// The policies of the study's section IV-A.
const (
	OnDemand          Policy = "on-demand"          // nothing: every candidate is rented an on-demand VM
	ApproxDNN         Policy = "approxdnn"          // the offer of least expected cost (Algorithm 1)
	AcceptanceCentric Policy = "acceptance-centric" // 0.9 s_max
	PenaltyCentric    Policy = "penalty-centric"    // 0.1 s_max
)

// Policies lists them in the order they are shown.
var Policies = []Policy{OnDemand, ApproxDNN, AcceptanceCentric, PenaltyCentric}

// ParsePolicies reads all, or names separated by commas.
func ParsePolicies(s string) ([]Policy, error) {
	if s = strings.ToLower(strings.TrimSpace(s)); s == "" || s == "all" {
		return slices.Clone(Policies), nil
	}
	var out []Policy
	for _, word := range strings.Split(s, ",") {
		p := Policy(strings.TrimSpace(word))
		if !slices.Contains(Policies, p) {
			return nil, fmt.Errorf("%q is none of all, on-demand, approxdnn, acceptance-centric and penalty-centric", string(p))
		}
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out, nil
}

// offer is what a policy offers, given s_max and the best offer.
func (p Policy) offer(most, best float64) float64 {
	if !(most > 0) {
		return 0
	}
	switch p {
	case ApproxDNN:
		return min(best, most)
	case AcceptanceCentric:
		return 0.9 * most
	case PenaltyCentric:
		return 0.1 * most
	}
	return 0
}
