package memory_test

import (
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/estimate"
	"sweetspot/engine/memory"
	"sweetspot/engine/transformer"
)

// One published peak of a network corrects the count of the others, of other batches and
// sequences: 90 % of these are in their intervals, or nearly so of so few.
func TestOnePeakCorrectsOthers(t *testing.T) {
	peaks := publishedPeaks()
	within, n, spec, wide, narrow := 0, 0, 0, 0.0, 0.0
	for _, from := range peaks {
		for _, to := range peaks {
			if from.job.Architecture.Name != to.job.Architecture.Name || from.job.Tuning.Method != to.job.Tuning.Method ||
				from.source != to.source || from.measured == to.measured {
				continue
			}
			plain := memory.Of(to.job).Total
			framework := 0.0
			for _, p := range memory.Of(from.job).Parts {
				if p.Name == "framework" {
					framework = p.Value
				}
			}
			job := to.job
			job.Measured = &memory.Peak{Job: from.job, Bytes: from.measured - framework}
			got := memory.Of(job).Total
			if n++; got.Low <= to.measured && to.measured <= got.High {
				within++
			} else {
				t.Logf("%s %s: %.1f GiB, not %.1f … %.1f", to.job.Architecture.Name, to.job.Tuning.Method,
					to.measured/memory.GiB, got.Low/memory.GiB, got.High/memory.GiB)
			}
			if got.Basis != estimate.Transferred {
				t.Errorf("basis %s", got.Basis)
			}
			if to.measured <= plain.High {
				spec++
			}
			wide, narrow = wide+plain.High/plain.Low, narrow+got.High/got.Low
		}
	}
	t.Logf("%d of %d in their intervals; high over low is %.2f on average, and %.2f without the peaks", within, n,
		narrow/float64(n), wide/float64(n))
	if n < 10 || float64(within) < 0.85*float64(n) || narrow >= wide {
		t.Errorf("%d of %d", within, n)
	}
}

// What was measured is what the job takes, and needs grow with batch and sequence.
func TestCorrectedNeedsGrow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		way := transformer.DefaultTuning(rapid.SampledFrom(transformer.Methods).Draw(t, "method"))
		way.Sequence, way.Checkpointing = 512, transformer.Never
		job := memory.Job{Architecture: networks["llama-2-7b"], Tuning: way, GPUs: 1, MicroBatch: 4}
		bytes := memory.Of(job).Total.Value * rapid.Float64Range(0.3, 3).Draw(t, "off")
		job.Measured = &memory.Peak{Job: job, Bytes: bytes}
		got := memory.Of(job).Total
		if got.Basis != estimate.Measured || got.Low < bytes || got.Value < bytes || got.High < 1.1*bytes {
			t.Fatalf("%+v of %g", got, bytes)
		}
		before := memory.Need{}
		for n := 1; n < 9; n++ {
			job.MicroBatch = n
			now := memory.Of(job)
			if b, e := before.Total, now.Total; e.High < b.High || e.Value < b.Value || e.Low < b.Low || e.Low > e.Value ||
				e.Value > e.High {
				t.Fatalf("%d sequences: %+v after %+v", n, e, b)
			}
			before = now
		}
		job.MicroBatch, job.Tuning.Rank = 4, job.Tuning.Rank+1
		if basis := memory.Of(job).Total.Basis; basis != estimate.Transferred {
			t.Fatalf("of another rank: %s", basis)
		}
	})
}
