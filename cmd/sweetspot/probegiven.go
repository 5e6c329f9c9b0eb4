package main

import (
	"strings"

	"github.com/spf13/pflag"

	"sweetspot/probes/request"
)

// given rejects flags with empty values, such as an unset shell variable leaves
// behind: a size of 0, a host without a name. It finds out which hosts are this
// machine.
func (f *probeFlags) given(fl *pflag.FlagSet) error {
	if fl.Changed("largest-batch") && f.fitBatch < 1 {
		return usageError("--largest-batch %d: give the largest batch size to try, such as 4096", f.fitBatch)
	}
	for i, host := range f.hosts {
		switch strings.TrimSpace(host) {
		case "":
			return usageError("--host %q names no machine (is a variable unset?); leave it out, or write --host %s, for "+
				"this machine", host, request.Here)
		case request.Here:
			f.hosts[i] = ""
		}
	}
	return nil
}
