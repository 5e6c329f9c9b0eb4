package bill

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/estimate"
)

func near(a, b, rel float64) bool { return math.Abs(a-b) <= rel*math.Max(math.Abs(a), math.Abs(b)) }

func TestNothingToldAddsNothing(t *testing.T) {
	usd := 3.6
	of := Bill{}.Total(Job{Seconds: estimate.Spread(1000, 0.1, estimate.Measured), VMs: 2, USDPerHour: &usd})
	if of.Seconds != estimate.Spread(1000, 0.1, estimate.Measured) || !near(of.USD.Value, 2, 1e-12) ||
		of.Parts != (Parts{Work: of.USD.Value}) {
		t.Errorf("got %+v", of)
	}
	if of := (Bill{}).Total(Job{Seconds: estimate.Exact(10, estimate.Measured), VMs: 1}); of.USD.Known() ||
		of.Seconds.Value != 10 {
		t.Errorf("without a price: %+v", of)
	}
}

// Two VMs at $3.60 work 1,000 s behind 100 s of start-up, with a disk of 730 GiB
// at $0.36 a month and 10 GiB of egress at $0.05.
func TestItems(t *testing.T) {
	b, usd := Bill{StartupS: 100, DiskGiB: 730, DiskUSDPerGiBMonth: 0.36, EgressGiB: 10, EgressUSDPerGiB: 0.05}, 3.6
	of := b.Total(Job{Seconds: estimate.Spread(1000, 0.1, estimate.Measured), VMs: 2, USDPerHour: &usd})
	want := Parts{Work: 2, Startup: 0.2, Disk: 2 * 1100 * 0.36 / 3600, Egress: 0.5}
	if of.Seconds.Value != 1100 || !near(of.Parts.Sum(), want.Sum(), 1e-12) || !near(of.Parts.Disk, want.Disk, 1e-12) ||
		!near(of.USD.Value, of.Parts.Sum(), 1e-12) {
		t.Errorf("got %+v, want %+v", of, want)
	}
	if !near(of.USD.Low, (100+1000/1.1)/1100*(want.Sum()-0.5)+0.5, 1e-12) {
		t.Errorf("from %g", of.USD.Low)
	}
}

// A machine of one's own takes 2 kWh at $0.12, and a third as much for cooling.
func TestElectricity(t *testing.T) {
	b, usd := Bill{ElectricityUSDPerKWh: 0.12, PUE: 4. / 3}, 0.36
	j := Job{Seconds: estimate.Spread(1000, 0.1, estimate.Measured), VMs: 1, Own: true,
		KWh: estimate.Spread(2, 0.2, estimate.Published)}
	if of := b.Total(j); !near(of.USD.Value, 0.32, 1e-12) || !near(of.USD.Low, 0.32/1.2, 1e-12) ||
		of.USD.Basis != estimate.Published || of.Parts != (Parts{Electricity: of.USD.Value}) {
		t.Errorf("electricity alone: %+v", of)
	}
	j.USDPerHour = &usd
	if of := b.Total(j); !near(of.USD.Value, 0.42, 1e-12) || !near(of.USD.High, 0.11+0.384, 1e-12) ||
		!near(of.Parts.Sum(), of.USD.Value, 1e-12) {
		t.Errorf("beside a price: %+v", of)
	}
	j.KWh = estimate.Estimate{}
	if of := b.Total(j); of.USD.Known() || of.Parts != (Parts{}) {
		t.Errorf("of an unknown energy: %+v", of)
	}
	if of := (Bill{}).Total(j); !near(of.USD.Value, 0.1, 1e-12) {
		t.Errorf("without a price of electricity: %+v", of)
	}
	if j.Own = false; !near(b.Total(j).USD.Value, 0.1, 1e-12) {
		t.Errorf("of a rented VM: %+v", b.Total(j))
	}
}

func TestTheCostIsTheSumOfItsParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		positive := func(name string, most float64) float64 { return rapid.Float64Range(0, most).Draw(t, name) }
		rate := positive("rate", 0.5)
		b := Bill{StartupS: positive("startup", 600), DiskGiB: positive("disk", 500), DiskUSDPerGiBMonth: positive("price",
			1), EgressGiB: positive("egress", 100), EgressUSDPerGiB: positive("per GiB", 1),
			ElectricityUSDPerKWh: positive("per kWh", 1)}
		if rapid.Bool().Draw(t, "told") {
			b.Interruptions = &rate
		}
		usd := positive("usd", 100)
		j := Job{Seconds: estimate.Spread(1+positive("seconds", 1e5), positive("spread", 1), estimate.Measured),
			VMs: rapid.IntRange(1, 8).Draw(t, "vms"), USDPerHour: &usd,
			Spot: rapid.Bool().Draw(t, "spot"), Together: rapid.Bool().Draw(t, "together"), Own: rapid.Bool().Draw(t, "own"),
			KWh: estimate.Spread(positive("energy", 1e3), 0.1, estimate.Measured), SavedEveryS: positive("saved", 1e4),
			RestartS: positive("restart", 1e3)}
		of := b.Total(j)
		if !near(of.USD.Value, of.Parts.Sum(), 1e-9) {
			t.Errorf("%g is not the sum of %+v", of.USD.Value, of.Parts)
		}
		for _, e := range []estimate.Estimate{of.Seconds, of.USD, of.Slowdown} {
			if !(e.Low <= e.Value && e.Value <= e.High) || math.IsInf(e.High, 0) {
				t.Errorf("no interval: %+v", e)
			}
		}
		if of.Slowdown.Low < 1 || of.Seconds.Value < j.Seconds.Value || !j.Spot && of.Parts.Interruptions != 0 {
			t.Errorf("%+v", of)
		}
	})
}

// A job that is saved at every instant loses but the restarts.
func TestWhatIsSavedAtEveryInstant(t *testing.T) {
	j := Job{Seconds: estimate.Exact(36000, estimate.Measured), VMs: 1, Spot: true, SavedEveryS: 9e-305, RestartS: 100}
	got := Bill{Interruptions: new(0.1)}.Total(j).Slowdown
	if want := 1 + 0.1/3600*100; !near(got.Value, want, 1e-3) || !(got.High < 2) {
		t.Errorf("stretched %+v, not %g", got, want)
	}
}

// simulate runs a job that is interrupted at random, to its end.
func simulate(rng *rand.Rand, rate, work, segment, restart float64) (seconds float64) {
	for range int(math.Round(work / segment)) {
		need := segment
		for {
			until := rng.ExpFloat64() / rate
			if until >= need {
				seconds += need
				break
			}
			seconds += until
			need = restart + segment
		}
	}
	return seconds
}

// The expectation is exact, and nine of ten simulated jobs end within the
// interval, for rates from seldom to hopeless.
func TestSlowdownAgainstSimulation(t *testing.T) {
	const jobs = 20_000
	for _, c := range []struct{ perHour, work, segment, restart float64 }{
		{0.05, 3600, 3600, 300}, {0.05, 36000, 1800, 300}, {0.5, 36000, 1800, 60}, {2, 7200, 600, 120},
		{1, 7200, 7200, 60}, {0.2, 360000, 3600, 600}, {0.01, 7200, 60, 60}, {0.1, 36000, 36000, 0}, {0.001, 600, 600, 60},
	} {
		rng := rand.New(rand.NewPCG(1, 2))
		b := Bill{Interruptions: &c.perHour}
		got := b.slowdown(Job{Seconds: estimate.Exact(c.work, estimate.Measured), VMs: 1, SavedEveryS: c.segment,
			RestartS: c.restart})
		var sum float64
		inside := 0
		var all []float64
		for range jobs {
			s := simulate(rng, c.perHour/3600, c.work, c.segment, c.restart) / c.work
			all = append(all, s)
			sum += s
			if s >= got.Low-1e-9 && s <= got.High+1e-9 {
				inside++
			}
		}
		slices.Sort(all)
		if mean := sum / jobs; math.Abs(mean-got.Value) > 0.02*(got.Value-1)+0.001 {
			t.Errorf("%+v: expected %g, simulated %g", c, got.Value, mean)
		}
		share := float64(inside) / jobs
		// Where interruptions are rare more than nine of ten have none at all.
		if seldom := math.Exp(-c.perHour/3600*c.work) > 0.9; share < 0.87 || share > 0.955 && !seldom {
			t.Errorf("%+v: %.1f %% of the jobs end between %.4f and %.4f, simulated %.4f to %.4f", c, 100*share, got.Low,
				got.High, all[jobs/20], all[jobs*19/20])
		}
	}
}

// Of an unknown rate the interval covers what jobs at rates of the assumption
// take.
func TestAnUnknownRateIsCovered(t *testing.T) {
	const jobs = 20_000
	sigma := math.Log(RateFactor) / estimate.Z90
	for _, c := range []struct{ work, segment, restart float64 }{{3600, 3600, 300}, {36000, 3600, 300},
		{180000, 1800, 300}, {600, 60, 60}} {
		rng := rand.New(rand.NewPCG(3, 4))
		got := Bill{}.slowdown(Job{Seconds: estimate.Exact(c.work, estimate.Measured), VMs: 1, SavedEveryS: c.segment,
			RestartS: c.restart})
		inside := 0
		for range jobs {
			rate := math.Min(UsualInterruptions*math.Exp(sigma*rng.NormFloat64()), 3) / 3600 // more often hardly any would end
			if s := simulate(rng, rate, c.work, c.segment, c.restart) / c.work; s >= got.Low-1e-9 && s <= got.High+1e-9 {
				inside++
			}
		}
		if share := float64(inside) / jobs; share < 0.85 {
			t.Errorf("%+v: %.1f %% end within %.3f to %.3f", c, 100*share, got.Low, got.High)
		}
	}
}

// A gang is interrupted as often as all its VMs together.
func TestTogether(t *testing.T) {
	one, four := 0.04, 0.01
	j := Job{Seconds: estimate.Exact(7200, estimate.Measured), VMs: 4, SavedEveryS: 600, RestartS: 60}
	alone := Bill{Interruptions: &one}.slowdown(j)
	j.Together = true
	if got := (Bill{Interruptions: &four}).slowdown(j); got != alone {
		t.Errorf("%+v against %+v", got, alone)
	}
}
