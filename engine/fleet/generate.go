package fleet

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"sweetspot/engine/quantity"
)

// Load describes a synthetic trace. Jobs arrive as a Poisson process whose rate
// varies over the day; runtimes are log-normal; the number of GPUs is drawn by
// weight.
type Load struct {
	Jobs    int
	PerHour float64 // mean rate of submissions
	Swing   float64 // in [0,1]: amplitude of the daily variation of the rate, relative to its mean
	MedianS float64 // of the runtime at full precision, in seconds
	Sigma   float64 // standard deviation of its logarithm
	GPUs    []Share // empty: one each
}

// Share is a number of GPUs and how often jobs need it.
type Share struct {
	GPUs   int
	Weight float64
}

// Usual is a load of single-GPU jobs around the clock that keeps about twenty VMs
// busy. Its median runtime is chosen so that the candidates of a fleet of twenty
// take 3.5 h on average, as the study's do (on-demand cost over price and number
// of candidates).
func Usual(jobs int) Load {
	return Load{Jobs: jobs, PerHour: 8, Swing: 0.5, MedianS: 1.1 * 3600, Sigma: 1.3}
}

// String states the distributions.
func (l Load) String() string {
	words := fmt.Sprintf("%s, submitted at random at %g an hour (±%.0f %% over the day), runtimes log-normal with "+
		"median %s and sigma %g",
		quantity.Several(l.Jobs, "job"), l.PerHour, 100*l.Swing, quantity.Duration(l.MedianS), l.Sigma)
	if len(l.GPUs) == 0 {
		return words + ", one GPU each"
	}
	total, shares := 0.0, []string{}
	for _, s := range l.GPUs {
		total += s.Weight
	}
	for _, s := range l.GPUs {
		shares = append(shares, fmt.Sprintf("%d %s", s.GPUs, quantity.Percent(s.Weight/total)))
	}
	return words + ", GPUs: " + strings.Join(shares, ", ")
}

const day = 24 * 3600

// Generate makes the jobs of a load, in the order of submission. Equal seeds make
// equal jobs.
func (l Load) Generate(seed uint64) []Job {
	random := rand.New(rand.NewPCG(seed, 0x6c6f6164)) // "load"
	jobs := make([]Job, l.Jobs)
	now := 0.0
	for i := range jobs {
		// Thinning (Lewis and Shedler, 1979): arrivals at the highest rate, each kept
		// with the probability rate / highest rate.
		for {
			now += random.ExpFloat64() / (l.PerHour * (1 + l.Swing)) * 3600
			if random.Float64()*(1+l.Swing) <= 1+l.Swing*math.Sin(2*math.Pi*now/day) {
				break
			}
		}
		jobs[i] = Job{
			SubmitS: now, RuntimeS: l.MedianS * math.Exp(l.Sigma*random.NormFloat64()),
			DeadlineS: math.NaN(), GPUs: l.gpus(random.Float64()),
		}
	}
	return jobs
}

func (l Load) gpus(u float64) int {
	total := 0.0
	for _, s := range l.GPUs {
		total += s.Weight
	}
	for _, s := range l.GPUs {
		if u -= s.Weight / total; u < 0 {
			return s.GPUs
		}
	}
	return 1
}
