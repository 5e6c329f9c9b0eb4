package reproduce

import (
	"fmt"

	"sweetspot/engine/serving"
)

// Paragon is the name of the paper: VMs and serverless functions for inference
// queries, by Gunasekaran et al. (2020).
const Paragon = "paragon"

// Columns of what the paper concludes, and where its settings stand.
const (
	overColumn        = "over_provisioned_percent"
	cutsColumn        = "cuts_violations_percent"
	savesMixedColumn  = "saves_over_mixed_percent"
	overReactive      = "cost_over_reactive"
	savesNaiveColumn  = "saves_over_naive_percent"
	rateColumn        = "queries_per_second"
	modelsTable       = "models"
	modelAccuracy     = "top1_percent"
	modelMilliseconds = "cpu_ms"
)

var (
	limitMS         = textNumber("latency_limit_ms")
	utilisation     = textNumber("utilisation_percent")
	peakOverMedian  = textNumber("peak_over_median_percent")
	leastColdStart  = textNumber("cold_start_least_s")
	mostColdStart   = textNumber("cold_start_most_s")
	sampleHours     = textNumber("sample_h")
	mostMemory      = textNumber("function_most_gb")
	constantHours   = Key{Table: "text", VM: "m4.large", Column: "constant_load_h"}
	squeezeNetKnee  = Key{Table: "text", Application: "squeezenet", Column: "knee_gb"}
	savesOverNaive  = Key{Table: "section 4", Variant: string(serving.Paragon), Column: savesNaiveColumn}
	mixedCosts      = Key{Table: "figure 8", Variant: string(serving.Mixed), Column: overReactive}
	noTraces        = "the study's traces and the times of its models are not published; see the rows on made-up loads"
	similarIsHalfOf = "similar is within five points, half of the step of ten in which the study prints"
)

// similarPoints is how far two percentages that the study calls similar may lie
// apart: it prints its percentages in steps of ten.
const similarPoints = 5

// relations is everything the formulas need to know of the paper.
type relations struct {
	cells []Cell
	loads *Traffic // nil computes only what other printed cells give
	pools []pool
}

// servedQueries computes the paper's relations: on made-up loads where there
// are any, and for the choice of a model in pools that are not its own.
func servedQueries(in Inputs) study {
	o := relations{cells: in.Cells, loads: in.Traffic, pools: poolsOf(in)}
	return study{how: o.how, isInput: o.isInput, findings: o.findings, further: o.further}
}

func (o relations) isInput(k Key) bool { return k.Table == "text" || k.Table == modelsTable }

func (o relations) how(k Key) computation {
	switch {
	case k.Table == "section 1":
		return computation{
			note:    "the only saving of that size that section 4 reports, over a naive choice of models",
			formula: func(r *reading) float64 { return r.at(savesOverNaive) },
		}
	case k.Column == savesNaiveColumn:
		return computation{note: "the study's pool of models is drawn, not printed; see the rows on other pools"}
	case k.Table == "figure 2a" || k.Table == "figure 2b":
		return computation{note: measuredByStudy}
	}
	return computation{note: noTraces}
}

// further are the relations: of figure 3 and figure 7 for models that are made
// up, of the schemes on made-up loads, of the choice of a model in other pools.
func (o relations) further(s sheet) (rows []Row) {
	if o.loads != nil {
		rows = append(rows, o.constantRows()...)
		for _, c := range o.cells {
			rows = append(rows, o.loadRows(s, c)...)
		}
		rows = append(rows, o.violationRows()...)
		rows = append(rows, o.patternRows()...)
		rows = append(rows, o.memoryRows()...)
	}
	return append(rows, o.poolRows(s)...)
}

// claimed is a statement without a number of its own, judged on ours.
func claimed(table, cell string, ours float64, holds bool, note string, inputs []Key) Row {
	row := Row{Paper: Paragon, Table: table, Cell: cell, Ours: finite(ours), Note: note, Inputs: inputs}
	if row.Ours != nil {
		row.OK = &holds
	}
	return row
}

// unless appends the reason where a statement does not hold.
func unless(holds bool, note, why string) string {
	if holds {
		return note
	}
	return fmt.Sprintf("%s; %s", note, why)
}
