package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"sweetspot/engine/quantity"
	"sweetspot/engine/serving"
)

// functionFlags say how the time of a function falls with its memory.
type functionFlags struct {
	kneeGB float64
	fixed  *float64
	times  string // measured, as 0.5:1.2s,1:600ms
}

func (f *functionFlags) register(fl *pflag.FlagSet) {
	fl.Float64Var(&f.kneeGB, "function-knee", 0, "memory in GB from which a function gets no faster (default 2)")
	fl.Var(optional(&f.fixed, quantity.ParseFraction), "function-fixed",
		"share of a function's time that more memory does not shorten (default 10%)")
	fl.StringVar(&f.times, "function-times", "", "measured times of a warm function by its memory in GB, as "+
		"0.5:1.2s,1:600ms,2:310ms, to which knee and fixed share are fitted")
}

// The knee and the fixed share where none is given, as [serving.MemoryOf] has them.
const (
	usualKneeGB = 2
	usualFixed  = 0.1
)

// memory is how the time falls, for a function whose time at one size is known.
func (f *functionFlags) memory(of serving.Function) (serving.Memory, error) {
	if f.times == "" {
		knee, fixed := f.kneeGB, usualFixed
		if knee == 0 {
			knee = usualKneeGB
		}
		if f.fixed != nil {
			fixed = *f.fixed
		}
		return serving.MemoryWith(of.Seconds, of.MemoryGB, knee, fixed)
	}
	if f.kneeGB != 0 || f.fixed != nil {
		return serving.Memory{}, errors.New("measured times tell the knee and the fixed share: leave them out")
	}
	points, err := parseFunctionTimes(f.times)
	if err != nil {
		return serving.Memory{}, err
	}
	return serving.FitMemory(points)
}

// parseFunctionTimes reads times by memory.
func parseFunctionTimes(s string) (points []serving.MemoryPoint, err error) {
	for _, part := range strings.Split(s, ",") {
		gb, time, ok := strings.Cut(part, ":")
		p := serving.MemoryPoint{}
		if ok {
			if p.MemoryGB, err = strconv.ParseFloat(strings.TrimSpace(gb), 64); err == nil {
				p.Seconds, err = quantity.ParseDuration(strings.TrimSpace(time))
			}
		}
		if !ok || err != nil {
			return nil, fmt.Errorf("%q is no time of a function: write GB and time, as 1:600ms", part)
		}
		points = append(points, p)
	}
	return points, nil
}
