package convert

import (
	"strconv"
	"strings"

	"sweetspot/data/imports/source"
)

// Serving is how long a served language model took for its tokens, as measured under
// a constant number of requests at once (aiconfigurator's silicon samples).
type Serving struct {
	Setup       []string // backend, version, model, precision, quantisation, parallelism: all but the GPU
	Backend     string
	Version     string
	Model       string
	GPU         string
	Precision   string
	Together    bool // one engine, not one for prompts and one for outputs
	Input       float64
	Output      float64 // tokens
	GPUs        float64 // that share a replica, 1 where it is not said
	Concurrency float64
	TPOT        float64 // s
}

// servingSetup are columns by which points of one engine are told apart.
var servingSetup = []string{
	"precision", "gemm_quant_mode", "moe_quant_mode", "tp_size", "pp_size", "attention_dp_size", "moe_tp_size",
	"moe_ep_size",
}

// ReadServing reads points of one concurrency each. Those of unknown concurrency or
// TPOT are left out.
func ReadServing(f source.File) (points []Serving, err error) {
	err = source.Table(f, ',', func(row *source.Row) error {
		return row.Need(append([]string{"silicon_data_source", "backend", "backend_version", "model_path", "system", "mode",
			"isl", "osl", "silicon_tpot_ms"}, servingSetup...)...)
	}, func(row *source.Row) error {
		p := Serving{
			Backend: row.Text("backend"), Version: row.Text("backend_version"), Model: row.Text("model_path"),
			GPU: row.Text("system"), Precision: row.Text("precision"), Together: row.Text("mode") == "agg", GPUs: 1,
		}
		for _, c := range servingSetup {
			p.Setup = append(p.Setup, row.Text(c))
		}
		if n := row.Positive("tp_size"); n != nil {
			p.GPUs = *n
		}
		input, output, tpot := row.Positive("isl"), row.Positive("osl"), row.Positive("silicon_tpot_ms")
		concurrency, known := concurrencyOf(row.Text("silicon_data_source"))
		if !known || input == nil || output == nil || tpot == nil {
			return nil
		}
		p.Input, p.Output, p.Concurrency, p.TPOT = *input, *output, concurrency, *tpot/1000
		points = append(points, p)
		return nil
	})
	return points, err
}

// concurrencyOf finds "silicon_concurrency=16" in a list of remarks.
func concurrencyOf(remarks string) (float64, bool) {
	_, rest, found := strings.Cut(remarks, "silicon_concurrency=")
	digits, _, _ := strings.Cut(rest, ";")
	n, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	return n, found && err == nil && n >= 1 && n < 1e9
}

// Batch is how long a batch of prompts and their outputs took (LLM-Inference-Bench).
type Batch struct {
	Hardware, Framework, Model string
	Count                      float64 // of the hardware
	Length                     float64 // tokens of a prompt, and of its output
	Size                       float64 // prompts of the batch
	Seconds                    float64
}

// ReadBatches reads batches. Those without a latency are left out.
func ReadBatches(f source.File) (batches []Batch, err error) {
	err = source.Table(f, ',', func(row *source.Row) error {
		return row.Need("hardware", "num of hardware", "framework", "model", "input output length", "batch size", "latency")
	}, func(row *source.Row) error {
		count, length := row.Positive("num of hardware"), row.Positive("input output length")
		size, seconds := row.Positive("batch size"), row.Positive("latency")
		if count == nil || length == nil || size == nil || seconds == nil {
			return nil
		}
		batches = append(batches, Batch{row.Text("hardware"), row.Text("framework"), row.Text("model"), *count, *length,
			*size, *seconds})
		return nil
	})
	return batches, err
}

// Tuning is a fine-tuning to a target loss (MLPerf's llama2-70b with LoRA).
type Tuning struct {
	Round, Submitter, System string

	Run     string
	Batch   float64 // samples of an optimizer step
	TotalS  float64
	Samples []float64 // at each evaluation, rising; the last reached the target
	AtS     []float64 // seconds from the run's start
}

// Name tells the system from those of other submitters and rounds.
func (t Tuning) Name() string { return t.Round + " " + t.Submitter + " " + t.System }

// ReadTunings reads runs that reached the target.
func ReadTunings(f source.File) (runs []Tuning, err error) {
	const marks = "evaluations_samples:s:loss"
	err = source.Table(f, ',', func(row *source.Row) error {
		return row.Need("version", "submitter", "system", "run", "total_s", "status", "global_batch_size", marks)
	}, func(row *source.Row) error {
		total, batch := row.Positive("total_s"), row.Positive("global_batch_size")
		if row.Text("status") != "success" || total == nil || batch == nil {
			return nil
		}
		t := Tuning{
			Round: row.Text("version"), Submitter: row.Text("submitter"), System: row.Text("system"),
			Run: row.Text("run"), Batch: *batch, TotalS: *total,
		}
		for mark := range strings.SplitSeq(row.Raw(marks), ";") {
			cells := strings.Split(mark, ":")
			if len(cells) != 3 {
				return row.Wrong("evaluations are not a list of samples:seconds:loss")
			}
			samples, ok := source.Number(cells[0])
			seconds, sound := source.Number(cells[1])
			n := len(t.Samples)
			if !ok || !sound || samples == nil || seconds == nil || !(*samples > 0) || !(*seconds > 0) ||
				n > 0 && (*samples <= t.Samples[n-1] || *seconds <= t.AtS[n-1]) {
				return row.Wrong("evaluations are not a rising list of samples:seconds:loss")
			}
			t.Samples, t.AtS = append(t.Samples, *samples), append(t.AtS, *seconds)
		}
		runs = append(runs, t)
		return nil
	})
	return runs, err
}
