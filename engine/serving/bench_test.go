package serving

import "testing"

// day is a day by the second: a diurnal load of 2,500 requests/s at its peak with
// a flash crowd that doubles it in the evening.
func day() Trace {
	slow := Diurnal{Mean: 1500, Amplitude: 0.6, PeriodS: 86400, PeakS: 50400}
	crowd := FlashCrowd{Base: 500, Factor: 5, AtS: 68400, RiseS: 120, HoldS: 900, DecayS: 600}
	return Poisson(86400, func(t int) float64 { return slow.Rate(t) - crowd.Base + crowd.Rate(t) }, 7)
}

// BenchmarkTraffic is the whole answer of a day by the second: five schemes.
func BenchmarkTraffic(b *testing.B) {
	tr, s := day(), Defaults()
	requests := int64(0)
	for b.Loop() {
		outcomes, err := Compare(tr, s)
		if err != nil {
			b.Fatal(err)
		}
		requests = outcomes[0].Requests.Total()
	}
	b.ReportMetric(float64(tr.Peak()), "peak_requests/s")
	b.ReportMetric(float64(requests), "requests")
}

// BenchmarkTrafficScheme is one scheme alone.
func BenchmarkTrafficScheme(b *testing.B) {
	tr, s := day(), Defaults()
	for _, scheme := range Schemes() {
		b.Run(string(scheme), func(b *testing.B) {
			for b.Loop() {
				if _, err := Simulate(tr, s, scheme); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkTrafficOverload is the worst case: every request of the day waits.
func BenchmarkTrafficOverload(b *testing.B) {
	tr, s := day(), Defaults()
	s.MaxVMs = 140
	for b.Loop() {
		if _, err := Compare(tr, s); err != nil {
			b.Fatal(err)
		}
	}
}
