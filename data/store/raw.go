package store

import (
	"context"
	"database/sql"
	"strconv"
	"strings"

	"sweetspot/engine/estimate"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/steady"
)

// summariseRaw fills in what Finish would have said of a run that has no
// summary: it goes on, or its recorder was killed.
func summariseRaw(ctx context.Context, tx *sql.Tx, r *profile.Run) error {
	seconds, err := stepTimes(ctx, tx, r.ID)
	if err != nil {
		return err
	}
	if len(seconds) > 0 {
		steady.Summarise(seconds).Describe(r)
	}
	summariseValidations(r)
	type sensors struct{ AveragePowerW, PeakMemoryBytes *float64 }
	read, err := one[sensors](ctx, tx, sensorQuery, r.ID, r.ID)
	r.AveragePowerW, r.PeakMemoryBytes = read.AveragePowerW, read.PeakMemoryBytes
	if r.AveragePowerW != nil {
		r.EnergyOf = profile.EnergyOfGPUs
	}
	return err
}

// sensorQuery adds up the mean power of the GPUs while they computed. It is NULL
// where another program shared one.
const sensorQuery = `
	SELECT iif(max(shared) = 1, NULL, sum(watts)) AS average_power_w,
		(SELECT max(peak_bytes) FROM memory WHERE run_id = ?) AS peak_memory_bytes FROM
		(SELECT avg(watts) AS watts, max(shared) AS shared FROM telemetry
		WHERE run_id = ? AND (utilisation IS NULL OR utilisation > 0) GROUP BY gpu)`

// stepTimes returns the times of the synchronous steps of a run: of each step
// the slowest rank's. Where one is no time that this program records, none is known.
func stepTimes(ctx context.Context, tx *sql.Tx, run int64) ([]float64, error) {
	type step struct{ epoch, index int }
	var seconds []float64
	at := map[step]int{} // filled once a second rank shows up
	var steps []step
	several, odd := false, false
	err := eachIteration(ctx, tx, run, func(it Iteration) {
		odd = odd || !estimate.Plausible(it.Seconds)
		s := step{it.Epoch, it.Index}
		if it.Rank != 0 && !several {
			several = true
			for i, old := range steps {
				at[old] = i
			}
		}
		if i, seen := at[s]; several && seen {
			seconds[i] = max(seconds[i], it.Seconds)
			return
		}
		if several {
			at[s] = len(seconds)
		}
		steps, seconds = append(steps, s), append(seconds, it.Seconds)
	})
	if odd {
		return nil, err
	}
	return seconds, err
}

// summariseValidations takes the first validation for itself, it warms up, and
// the mean of the later ones.
func summariseValidations(r *profile.Run) {
	if len(r.Validations) == 0 {
		return
	}
	r.FirstValidationS = &r.Validations[0].Seconds
	if later := r.Validations[1:]; len(later) > 0 {
		sum := 0.0
		for _, v := range later {
			sum += v.Seconds
		}
		r.ValidationS = new(sum / float64(len(later)))
	}
	if last := r.Validations[len(r.Validations)-1]; last.Value != nil && r.Accuracy == nil {
		r.Accuracy = &profile.Accuracy{Metric: last.Metric, Value: *last.Value, HigherIsBetter: last.HigherIsBetter,
			Basis: r.Basis}
	}
}

// epochStarts finds in the rows of a recorded run when its epochs began. It is
// empty where the rows tell no consistent times.
func epochStarts(ctx context.Context, tx *transaction, run int64) ([]float64, error) {
	type began struct{ At float64 }
	rows, err := all[began](ctx, tx, "SELECT min(t - seconds) AS at FROM iterations WHERE run_id = ? GROUP BY epoch "+
		"ORDER BY epoch", run)
	var starts []float64
	for _, r := range rows {
		at := max(0, r.At) // a first iteration's time can be a rounding above its moment
		if n := len(starts); n > 0 && at <= starts[n-1] {
			return nil, nil
		}
		starts = append(starts, at)
	}
	return starts, err
}

// formatStarts writes moments as epoch_starts_s holds them.
func formatStarts(starts []float64) string {
	return plaintext.Join(starts, ";", func(at float64) string { return strconv.FormatFloat(at, 'g', -1, 64) })
}

// parseStarts reads what formatStarts wrote; anything else is unknown.
func parseStarts(text string) []float64 {
	if text == "" {
		return nil
	}
	var starts []float64
	for word := range strings.SplitSeq(text, ";") {
		at, err := strconv.ParseFloat(word, 64)
		if n := len(starts); err != nil || !(at >= 0) || (n > 0 && at <= starts[n-1]) {
			return nil
		}
		starts = append(starts, at)
	}
	return starts
}
