package library

import (
	"strings"
	"testing"
)

// Copied by hand: of MLPerf's 779 runs 452 of a batch of 8 reached the target after 3,072 samples.
func TestReached(t *testing.T) {
	all, err := reached()
	if err != nil {
		t.Fatal(err)
	}
	runs, most := 0, 0
	for _, x := range all {
		if runs += x.Runs; x.Batch == 8 && x.Samples == 3072 {
			most = x.Runs
		}
		if x.Loss != 0.925 || x.Model != "llama-2-70b" || x.Sequence != 8192 {
			t.Errorf("%+v", x)
		}
	}
	if runs != 779 || most != 452 {
		t.Errorf("%d runs, %d after 3,072 samples", runs, most)
	}
}

func TestReadReachedRefuses(t *testing.T) {
	const head = "model,method,sequence,loss,batch,samples,runs,dataset,source,as_of\n"
	for row, says := range map[string]string{
		"m,lora,8,0,4,8,1,d,s,":  "no loss",
		"m,lora,8,1,4,3,1,d,s,":  "at least a batch",
		"m,lora,8,1,4,8,1,d,,":   "is empty",
		",lora,8,1,4,8,1,d,s,":   "of a model",
		"m,lora,x,1,4,8,1,d,s,y": "",
	} {
		if _, err := readReached(strings.NewReader(head + row + "\n")); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", row, err)
		}
	}
}
