package serving

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Pattern is a made-up load.
type Pattern string

// The patterns: see [Constant], [Poisson], [Diurnal], [FlashCrowd] and [Bursty].
const (
	ConstantLoad Pattern = "constant"
	PoissonLoad  Pattern = "poisson"
	DiurnalLoad  Pattern = "diurnal"
	CrowdLoad    Pattern = "flash-crowd"
	BurstyLoad   Pattern = "bursty"
	DayLoad      Pattern = "day" // diurnal with a flash crowd in the evening
)

// Patterns lists them.
var Patterns = []Pattern{ConstantLoad, PoissonLoad, DiurnalLoad, CrowdLoad, BurstyLoad, DayLoad}

// ParsePattern reads a pattern's name.
func ParsePattern(s string) (Pattern, error) {
	p := Pattern(strings.ToLower(strings.TrimSpace(s)))
	if !slices.Contains(Patterns, p) {
		return "", fmt.Errorf("%q is none of constant, poisson, diurnal, flash-crowd, bursty and day", s)
	}
	return p, nil
}

// Shares of a made-up load.
const (
	swing       = 0.6 // of the mean, between night and day
	crowdFactor = 4.0 // a crowd's peak, of the mean
	burstFactor = 5.0 // a burst's rate, of the calm one
)

// Generate makes a load of a mean rate in queries per second, for a day or
// whatever the seconds are. Equal seeds make equal loads.
func (p Pattern) Generate(seconds int, perSecond float64, seed uint64) Trace {
	length := float64(seconds)
	diurnal := Diurnal{Mean: perSecond, Amplitude: swing, PeriodS: 86400, PeakS: 50400} // at two in the afternoon
	crowd := FlashCrowd{Base: perSecond, Factor: crowdFactor, AtS: 0.8 * length, RiseS: 120, HoldS: 600, DecayS: 900}
	switch p {
	case ConstantLoad:
		return Constant(seconds, perSecond)
	case DiurnalLoad:
		return Poisson(seconds, diurnal.Rate, seed)
	case CrowdLoad:
		return Poisson(seconds, crowd.Rate, seed)
	case DayLoad:
		return Poisson(seconds, func(t int) float64 { return diurnal.Rate(t) + crowd.Rate(t) - perSecond }, seed)
	case BurstyLoad:
		calm := perSecond / (1 + (burstFactor-1)*0.1) // a tenth of the time bursts
		return Bursty{Calm: calm, Burst: burstFactor * calm, CalmS: 1800, BurstS: 200}.Trace(seconds, seed)
	}
	return Poisson(seconds, Steady(perSecond), seed)
}

// Words states the parameters.
func (p Pattern) Words(seconds int, perSecond float64) string {
	of := fmt.Sprintf("%s load of %g queries/s", p, perSecond)
	switch p {
	case DiurnalLoad, DayLoad:
		of += fmt.Sprintf(" ±%.0f %% over the day", 100*swing)
	case BurstyLoad:
		of += fmt.Sprintf(", bursts of %g times the calm rate, 200 s every half hour on average", burstFactor)
	case ConstantLoad, PoissonLoad, CrowdLoad:
	}
	if p == CrowdLoad || p == DayLoad {
		of += fmt.Sprintf(", a crowd of %g times it for ten minutes after %.0f %%", crowdFactor, 80.0)
	}
	return of + fmt.Sprintf(", %.3g h", math.Round(float64(seconds)/36)/100)
}
