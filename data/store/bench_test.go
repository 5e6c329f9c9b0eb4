package store

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// BenchmarkIngest writes iterations in the batches of a fast stream.
func BenchmarkIngest(b *testing.B) {
	for _, size := range []int{1000, 10000} {
		b.Run(fmt.Sprintf("batch%d", size), func(b *testing.B) {
			s := openTemp(b)
			rec, err := s.Start(b.Context(), description())
			must(b, err)
			batch := Batch{Iterations: series(size)}
			for b.Loop() {
				must(b, rec.Append(context.Background(), batch))
			}
			b.ReportMetric(float64(size)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// BenchmarkSummary loads the summaries of a database of ten million
// iterations; with -short, of one million.
func BenchmarkSummary(b *testing.B) {
	runs, each := 100, 100_000
	if testing.Short() {
		runs = 10
	}
	path := filepath.Join(b.TempDir(), "big.db")
	s := openAt(b, path)
	batch := Batch{Iterations: series(each)}
	for range runs {
		rec, err := s.Start(b.Context(), description())
		must(b, err)
		must(b, rec.Append(b.Context(), batch))
		must(b, rec.Finish(b.Context(), Finish{Run: profile.Run{Status: "done"}}))
	}
	for b.Loop() {
		if got := len(loadSet(b, s).Runs); got != runs {
			b.Fatal(got)
		}
		var n int
		var mean float64
		must(b, s.read.QueryRow("SELECT sum(iterations), sum(iterations_sum_s)/sum(iterations) FROM runs").Scan(&n, &mean))
		if n != runs*each {
			b.Fatal(n)
		}
	}
}

// BenchmarkLoad loads a database of a hundred thousand runs; with -short, of ten
// thousand.
func BenchmarkLoad(b *testing.B) {
	n := 100_000
	if testing.Short() {
		n /= 10
	}
	set := &profile.Set{}
	for i := range n {
		set.Runs = append(set.Runs, profile.Run{
			Model: fmt.Sprint("net", i%50), Mode: profile.Train, InstanceType: fmt.Sprint("vm", i%40), GPU: "V100", GPUCount: 1,
			Count: 1, BatchSize: 1 + i,
			Steady: estimate.Spread(0.1, 0.1, estimate.Measured), SteadyN: 30, IterationsPerEpoch: new(100.0), Epochs: new(10.0),
			InitS: new(3.0), FirstIterationS: new(1.0),
			Accuracy: &profile.Accuracy{Metric: "top-1", Value: 0.7, HigherIsBetter: true, Basis: estimate.Measured},
			Status:   profile.Done, Basis: estimate.Measured, Source: "a source", AsOf: "2026-01-01",
		})
	}
	s := openAt(b, filepath.Join(b.TempDir(), "big.db"))
	_, err := s.Import(b.Context(), set)
	must(b, err)
	for b.Loop() {
		if got := len(loadSet(b, s).Runs); got != n {
			b.Fatal(got)
		}
	}
}

// BenchmarkOpen is what the start of the program pays for a database.
func BenchmarkOpen(b *testing.B) {
	path := filepath.Join(b.TempDir(), "p.db")
	openAt(b, path).Close()
	for b.Loop() {
		s, err := OpenExisting(context.Background(), path)
		must(b, err)
		must(b, s.Close())
	}
}
