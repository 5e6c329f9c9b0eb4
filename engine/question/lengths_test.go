package question

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"sweetspot/engine/profile"
	"sweetspot/engine/transformer"
)

// A corpus for a language model of which nothing was run is a question that is written and read
// again, and checked.
func TestQuestionsAboutACorpus(t *testing.T) {
	set := &profile.Set{Architectures: []transformer.Architecture{{Name: "llama"}}}
	of, err := Resolve(set, "LLAMA", profile.Infer)
	if err != nil || !of.Untried || of.Mode != profile.Infer || of.Model != "llama" {
		t.Fatalf("%+v, %v", of, err)
	}
	q := Start(set, of)
	if q.Lengths == nil || q.Tuning != nil || q.Units != DefaultTokens || !q.Predicted || q.Check() != nil {
		t.Fatalf("%+v, %v", q, q.Check())
	}
	q.Lengths.Output = 77
	text, err := json.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	var again Query
	if err := json.Unmarshal(text, &again); err != nil || !reflect.DeepEqual(again.Lengths, q.Lengths) ||
		again.Units != q.Units {
		t.Errorf("%+v, %v", again, err)
	}
	for says, change := range map[string]func(q *Query){
		"--output-tokens 0":      func(q *Query) { q.Lengths = &transformer.Lengths{Input: 1} },
		"add --mode infer":       func(q *Query) { q.Mode = profile.Train },
		"not above zero":         func(q *Query) { q.Units = 0 },
		"one number of requests": func(q *Query) { q.BatchSizes = []int{1, 2} },
	} {
		with := q
		change(&with)
		if err := with.Check(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
}
