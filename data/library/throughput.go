package library

import (
	"io"

	"sweetspot/data/architecture"
	"sweetspot/data/textfile"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/transformer"
)

const throughputFile = "finetuning.csv"

// throughputs are what others published of the training of language models.
func throughputs() (out []profile.Throughput, err error) {
	f, err := files.Open(throughputFile)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readThroughputs(f, architecture.Builtin())
}

func readThroughputs(r io.Reader, known []transformer.Architecture) (out []profile.Throughput, err error) {
	set := &profile.Set{Architectures: known}
	need := []string{"model", "method", "sequence", "gpu", "gpus", "tokens_per_s", "stack", "source", "as_of"}
	err = eachRow(r, "a file of throughputs", need, func(t *textfile.Table) error {
		way := transformer.DefaultTuning(transformer.Method(t.Cell("method")))
		way.Rank, way.Sequence = t.Whole("rank", transformer.DefaultRank), t.Count("sequence")
		way.Checkpointing = transformer.Never
		if t.Cell("checkpointing") == "yes" {
			way.Checkpointing = transformer.Always
		}
		way.Sharding = transformer.Sharding(t.Cell("sharding"))
		if way.Sharding == "" {
			way.Sharding = transformer.Auto
		}
		x := profile.Throughput{
			Model: t.Text("model"), Tuning: way, MicroBatch: t.Count("micro_batch"), GPU: t.Text("gpu"), GPUs: t.Count("gpus"),
			OfPeak: t.Positive("of_peak"), Stack: t.Text("stack"), Source: t.Text("source"), AsOf: t.Text("as_of"),
		}
		rate := t.Positive("tokens_per_s")
		_, has := set.Architecture(x.Model)
		switch err := way.Check(); {
		case err != nil:
			return t.Fail("method", "%s", err.Error())
		case rate == nil || x.GPUs < 1 || x.MicroBatch < 1:
			return t.Fail("tokens_per_s", "a throughput is of some tokens a second, GPUs and sequences")
		case !has && x.OfPeak == nil:
			return t.Fail("model", "%s has no architecture", plaintext.Quote(x.Model))
		case x.OfPeak != nil && *x.OfPeak > 1:
			return t.Fail("of_peak", "%g is no fraction", *x.OfPeak)
		case x.Source == "" || x.AsOf == "" || x.Stack == "":
			return t.Fail("source", "is empty")
		}
		x.TokensPerS = *rate
		out = append(out, x)
		return nil
	})
	return out, err
}
