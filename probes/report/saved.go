package report

import (
	"context"
	"errors"
	"slices"

	"gonum.org/v1/gonum/stat"

	"sweetspot/data/store"
	"sweetspot/engine/profile"
	"sweetspot/engine/steady"
	"sweetspot/probes/session"
)

// Saved returns the last update of a run that has ended, from the database.
func Saved(ctx context.Context, db *store.Store, id int64) (session.Update, error) {
	r, err := db.Record(ctx, id)
	if err != nil {
		return session.Update{}, err
	}
	set, err := db.Load(ctx)
	if err != nil {
		return session.Update{}, err
	}
	its, err := db.Iterations(ctx, id)
	if err != nil {
		return session.Update{}, err
	}
	i := slices.IndexFunc(set.Runs, func(run profile.Run) bool { return run.ID == id })
	if i < 0 {
		return session.Update{}, errors.New("the run was deleted meanwhile")
	}
	u := session.Update{
		Seq: 1, Run: set.Runs[i], Machine: r.Machine, GPUsKnown: r.Machine.GPUCount > 0, Seconds: stepTimes(its),
		SpentUSD: r.SpentUSD,
		Layers:   r.Layers, InputWait: r.InputWait, MemoryBytes: set.Runs[i].PeakMemoryBytes,
		Warnings: r.Warnings, Rejected: r.RejectedLines, Done: true, StoppedBecause: r.StoppedBecause,
		StoppedWords: r.StoppedWords, ScriptExit: r.ScriptExit,
	}
	if r.SpentS != nil {
		u.SpentS = *r.SpentS
	}
	u.Summary = summary(u.Run, u.Seconds)
	if r.Address != "" && u.StoppedBecause == session.Interrupted && u.ScriptExit != nil && *u.ScriptExit == sshFailed {
		u.StoppedWords = connectionLost
	}
	if u.Run.Status == profile.Failed {
		u.Err = errors.New("the probe failed; its log is in the database")
	}
	return u, nil
}

// stepTimes are the times of the synchronous steps: those of the slowest rank.
func stepTimes(its []store.Iteration) []float64 {
	var out []float64
	counts := map[int]int{}
	for _, it := range its {
		i := counts[it.Rank]
		counts[it.Rank]++
		if i < len(out) {
			out[i] = max(out[i], it.Seconds)
		} else {
			out = append(out, it.Seconds)
		}
	}
	return out
}

// summary is the summary saved with the run: iterations after the stop rule was
// met do not change it.
func summary(r profile.Run, seconds []float64) steady.Summary {
	s := steady.Summarise(seconds)
	isRough := !s.IsSteady && s.Steady == r.Steady
	if !r.Steady.Known() || isRough || r.WarmupIterations == nil || len(seconds) < 1+*r.WarmupIterations+r.SteadyN {
		return s
	}
	part := slices.Sorted(slices.Values(seconds[1+*r.WarmupIterations : 1+*r.WarmupIterations+r.SteadyN]))
	s.IsSteady, s.Why = true, ""
	s.Steady, s.N, s.Warmup = r.Steady, r.SteadyN, *r.WarmupIterations
	if r.WarmupExtraS != nil {
		s.WarmupExtra = *r.WarmupExtraS
	}
	if r.SteadyStdDevS != nil {
		s.StdDev = *r.SteadyStdDevS
	}
	if len(part) > 0 {
		s.P50 = stat.Quantile(0.5, stat.LinInterp, part, nil)
		s.P90 = stat.Quantile(0.9, stat.LinInterp, part, nil)
		s.P99 = stat.Quantile(0.99, stat.LinInterp, part, nil)
	}
	return s
}
