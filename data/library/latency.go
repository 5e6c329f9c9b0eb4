package library

import (
	"sweetspot/data/textfile"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
)

const latencyFile = "serving.csv"

// latencies are what batches of requests to language models took others.
func latencies(set *profile.Set) (out []profile.BatchLatency, err error) {
	f, err := files.Open(latencyFile)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	need := []string{"model", "gpu", "gpus", "input", "output", "sequences", "seconds", "source"}
	err = eachRow(f, "a file of latencies", need, func(t *textfile.Table) error {
		x := profile.BatchLatency{Model: t.Text("model"), GPU: t.Text("gpu"), GPUs: t.Count("gpus"),
			Input: t.Count("input"), Output: t.Count("output"), Sequences: t.Count("sequences"), Stack: t.Text("stack"),
			Source: t.Text("source"), AsOf: t.Text("as_of")}
		seconds := t.Positive("seconds")
		_, known := set.Architecture(x.Model)
		switch {
		case !known:
			return t.Fail("model", "%s has no architecture", plaintext.Quote(x.Model))
		case seconds == nil || x.GPUs < 1 || x.Input < 1 || x.Output < 1 || x.Sequences < 1:
			return t.Fail("seconds", "a latency is of some GPUs, sequences and tokens")
		case x.Source == "" || x.AsOf == "":
			return t.Fail("source", "is empty")
		}
		x.Seconds = *seconds
		out = append(out, x)
		return nil
	})
	return out, err
}
