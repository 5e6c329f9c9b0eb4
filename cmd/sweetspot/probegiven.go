package main

import (
	"strings"

	"github.com/spf13/pflag"

	"sweetspot/probes/request"
)

// given refuses what is as good as not given, though it is: 0 for a size to
// find, a host of no name, as a variable that is not set leaves behind. It
// reads which hosts are this machine.
func (f *probeFlags) given(fl *pflag.FlagSet) error {
	if fl.Changed("largest-batch") && f.fitBatch < 1 {
		return usageError("--largest-batch %d: give the largest batch size to try, such as 4096", f.fitBatch)
	}
	for i, host := range f.hosts {
		switch strings.TrimSpace(host) {
		case "":
			return usageError("--host %q names no machine (is a variable unset?); leave it out, or write --host %s, for this machine", host, request.Here)
		case request.Here:
			f.hosts[i] = ""
		}
	}
	return nil
}
