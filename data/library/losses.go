package library

import (
	"io"

	"sweetspot/data/textfile"
	"sweetspot/engine/profile"
	"sweetspot/engine/transformer"
)

const lossFile = "losses.csv"

// reached are the trainings of language models to a loss that others published.
func reached() (out []profile.Reached, err error) {
	f, err := files.Open(lossFile)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readReached(f)
}

func readReached(r io.Reader) (out []profile.Reached, err error) {
	need := []string{"model", "method", "sequence", "loss", "batch", "samples", "runs", "dataset", "source"}
	err = eachRow(r, "a file of losses", need, func(t *textfile.Table) error {
		x := profile.Reached{
			Model: t.Text("model"), Method: transformer.Method(t.Cell("method")), Sequence: t.Count("sequence"),
			Batch: t.Count("batch"), Samples: t.Count("samples"), Runs: t.Count("runs"), Dataset: t.Text("dataset"),
			Source: t.Text("source"), AsOf: t.Text("as_of"),
		}
		loss := t.Positive("loss")
		switch {
		case loss == nil:
			return t.Fail("loss", "is no loss")
		case x.Model == "" || x.Sequence < 1 || x.Batch < 1 || x.Samples < x.Batch || x.Runs < 1:
			return t.Fail("samples", "runs of a model reached a loss after some samples, at least a batch")
		case x.Source == "" || x.Dataset == "":
			return t.Fail("source", "is empty")
		}
		x.Loss = *loss
		out = append(out, x)
		return nil
	})
	return out, err
}
