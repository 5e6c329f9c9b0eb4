package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"sweetspot/data/contract"
	"sweetspot/data/imports/source"
	"sweetspot/data/workspace"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// save keeps the loads of a probed server as runs, beside imported ones. A probe that was
// interrupted is saved too.
func (f *serverFlags) save(cmd *cobra.Command, p serverProbe) (err error) {
	set := &profile.Set{}
	for i := range p.Cells {
		load := p.Cells[i].serving()
		if f.settings.CacheTokens > 0 {
			load.CacheTokens = new(float64(f.settings.CacheTokens))
		}
		if load.Check() != nil {
			continue // none of its requests was answered
		}
		run := profile.Run{Model: p.Model, Unit: "token", Mode: profile.Infer, Count: 1,
			Variant: profile.Variant{Precision: f.precision}, GPU: source.Text(f.gpu),
			InstanceType: source.Text(f.gpu), Status: profile.Done, Basis: estimate.Measured, Serving: &load,
			Source: source.Text(fmt.Sprintf("probe server %s, %s", filepath.Base(p.Log), source.LoadWords(&load)))}
		if f.gpu != "" {
			if run.GPUCount = f.gpus; f.gpus > 1 {
				run.InstanceType = fmt.Sprintf("%d×%s", f.gpus, run.GPU)
			}
		}
		set.Runs = append(set.Runs, run)
	}
	if len(set.Runs) == 0 {
		return nil
	}
	source.NameModels(set)
	ctx := context.WithoutCancel(cmd.Context())
	w, err := opened(ctx, cmd, database(cmd), workspace.OpenFor)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	_, err = w.Store().Import(ctx, set)
	return err
}

// serving is the load of a cell and its latencies.
func (cell *serverCell) serving() profile.Serving {
	spread := func(p contract.LLMPercentiles) *profile.Spread {
		if p.P50.S == nil {
			return nil
		}
		return &profile.Spread{P50: p.P50.S, P90: p.P90.S, P95: p.P95.S, P99: p.P99.S}
	}
	s := profile.Serving{PerSecond: cell.PerSecond, Requests: cell.Requests - cell.Failed, Input: cell.Input,
		Output: cell.Output, TTFT: spread(cell.TTFT), TPOT: spread(cell.TPOT), ITL: spread(cell.ITL)}
	if cell.Concurrency != nil {
		s.Concurrency = new(float64(*cell.Concurrency))
	}
	if cell.Generated > 0 {
		s.Generated = &cell.Generated
	}
	return s
}
