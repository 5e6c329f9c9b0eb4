package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"sweetspot/data/contract"
)

// A price given with the question holds for runs that are in the database
// already, by the GPU of their machine.
func TestRankWithPrices(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	db := filepath.Join(t.TempDir(), "own.db")
	runs := written(t,
		"model,metric,accuracy,higher_is_better,mode,instance_type,gpu,gpu_count,batch_size,steady_iteration_s,basis\n"+
			"net,top1,0.8,true,infer,desk,NVIDIA GeForce RTX 4090,1,64,0.1,measured\n"+
			"net,top1,0.8,true,infer,lab,NVIDIA GeForce RTX 3090,1,64,0.2,measured\n")
	if _, _, err := execute(t, "import", runs, "--db", db); err != nil {
		t.Fatal(err)
	}
	out, _, err := execute(t, "rank", "--db", db, "--json", "--price", "rtx4090=0.34", "--price", "0.2")
	var got contract.Ranking
	if err != nil || json.Unmarshal([]byte(out), &got) != nil || len(got.Candidates) != 2 {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, c := range got.Candidates {
		want := map[string]float64{"RTX4090": 0.34, "RTX3090": 0.2}[strings.NewReplacer(" ", "", "-",
			"").Replace(strings.TrimPrefix(strings.TrimPrefix(*c.Configuration[0].GPU, "NVIDIA "), "GeForce "))]
		if p := c.Configuration[0].USDPerHour; p == nil || *p != want || c.Cost.USD == nil {
			t.Errorf("%s costs %v, want %g", *c.Configuration[0].GPU, p, want)
		}
	}
	for _, words := range []string{"h100=2", "rtx4090=", "x", "=3"} {
		if _, _, err := execute(t, "rank", "--db", db, "--price", words); err == nil ||
			!strings.Contains(err.Error(), "--price") || strings.Contains(err.Error(), "\n") {
			t.Errorf("--price %s: %v", words, err)
		}
	}
}
