// Package architecture reads the figures of language models: those of well-known open ones,
// which are built in, and a model's own config.json, without its weights.
package architecture

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"sweetspot/data/textfile"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/transformer"
)

//go:embed architectures.csv
var builtinCSV string

var builtin = sync.OnceValue(func() []transformer.Architecture {
	out, err := readTable(strings.NewReader(builtinCSV))
	if err != nil {
		panic("the embedded architectures.csv: " + err.Error()) // a test reads it, so this cannot happen in a release
	}
	return out
})

// Builtin returns the architectures of well-known open models, each with its source. The
// slice is the caller's.
func Builtin() []transformer.Architecture { return slices.Clone(builtin()) }

var columns = []string{"model", "layers", "hidden", "heads", "kv_heads", "head_size", "intermediate", "vocabulary",
	"tied", "qkv_bias", "layer_norms", "head_norms", "softcapped", "experts", "experts_of_token", "max_positions",
	"source"}

func readTable(r io.Reader) ([]transformer.Architecture, error) {
	t := textfile.NewTable(r)
	if err := t.Header("a file of architectures", ""); err != nil {
		return nil, err
	}
	if !slices.Equal(t.Columns(), columns) {
		return nil, t.Wrong("a file of architectures starts with the columns %s", strings.Join(columns, ","))
	}
	var out []transformer.Architecture
	err := t.Each(func() error {
		is := func(column string) bool { return t.Cell(column) == "yes" }
		a := transformer.Architecture{
			Name: t.Text("model"), Layers: t.Count("layers"), Hidden: t.Count("hidden"), Heads: t.Count("heads"),
			KVHeads: t.Count("kv_heads"), HeadSize: t.Count("head_size"), Intermediate: t.Count("intermediate"),
			Vocabulary: t.Count("vocabulary"), Tied: is("tied"), QKVBias: is("qkv_bias"), NormsOfLayer: t.Count("layer_norms"),
			HeadNorms: is("head_norms"), Softcapped: is("softcapped"), Experts: t.Count("experts"),
			ExpertsOfToken: t.Count("experts_of_token"), MaxPositions: t.Count("max_positions"), Source: t.Text("source"),
		}
		same := func(b transformer.Architecture) bool { return b.Name == a.Name }
		if a.Name == "" || slices.ContainsFunc(out, same) {
			return t.Fail("model", "%s is empty or repeated", plaintext.Quote(a.Name))
		}
		if err := a.Check(); err != nil {
			return t.Fail("model", "%s: %s", plaintext.Quote(a.Name), err.Error())
		}
		out = append(out, a)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("architectures: %w", err)
	}
	return out, nil
}
