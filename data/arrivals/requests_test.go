package arrivals

import (
	"bytes"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"sweetspot/data/textfile"
	"sweetspot/engine/batching"
)

func TestReadRequests(t *testing.T) {
	nan := math.NaN()
	request := func(at float64, in, out int, times ...float64) batching.Observed {
		o := batching.Observed{Request: batching.Request{ArrivalS: at, Input: in, Output: out}, AdmittedS: nan, FirstS: nan,
			LastS: nan}
		if len(times) == 3 {
			o.AdmittedS, o.FirstS, o.LastS = times[0], times[1], times[2]
		}
		return o
	}
	for name, c := range map[string]struct {
		text  string
		want  []batching.Observed
		notes string
	}{
		"azure": {"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.5,4808,10\n2023-11-16 18:17:04.25,31,8\n",
			[]batching.Observed{request(0, 4808, 10), request(0.75, 31, 8)}, ""},
		"own columns, unsorted": {"time_s,input_tokens,output_tokens\n12,5,6\n10,7,8\n",
			[]batching.Observed{request(0, 7, 8), request(2, 5, 6)}, "they were sorted"},
		"without lengths": {"time_s\n1\n3\n", []batching.Observed{request(0, 0, 0), request(2, 0, 0)}, ""},
		"BurstGPT": {"Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,ChatGPT,472,18,490,x\n" +
			"45,ChatGPT,1087,0,1087,x\n50,GPT-4,417,276,693,x\n",
			[]batching.Observed{request(0, 472, 18), request(45, 417, 276)}, "1 request without tokens left out"},
		"vLLM's clocks": {`{"input_toks": 5, "output_toks": 3, "arrival_time": 1000.5, "queued_ts": 20.5, "scheduled_ts": 21,` +
			`"first_token_ts": 22, "last_token_ts": 23}` + "\n" + `{"input_toks": 6, "output_toks": 1, "arrival_time": 1001.5,` +
			`"queued_ts": 22, "scheduled_ts": 22.5, "first_token_ts": 24, "last_token_ts": 24}`,
			[]batching.Observed{request(0, 5, 3, 0.5, 1.5, 2.5), request(1, 6, 1, 2, 3.5, 3.5)}, ""},
		"own log": {`{"arrival_s":0,"input_tokens":2,"output_tokens":2,"first_token_s":1,"last_token_s":2}` + "\n" +
			`{"arrival_s":1,"input_tokens":2,"output_tokens":2}`,
			[]batching.Observed{request(0, 2, 2, nan, 1, 2), request(1, 2, 2)}, "1 request without the times"},
	} {
		got, err := ReadRequests(strings.NewReader(c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(got.Log) != len(c.want) {
			t.Errorf("%s: %v", name, got.Log)
			continue
		}
		for i, o := range got.Log {
			w := c.want[i]
			if o.Request != w.Request || !alike(o.AdmittedS, w.AdmittedS) || !alike(o.FirstS, w.FirstS) ||
				!alike(o.LastS, w.LastS) {
				t.Errorf("%s: request %d is %+v, want %+v", name, i, o, w)
			}
		}
		if notes := strings.Join(got.Notes, "\n"); !strings.Contains(notes, c.notes) || c.notes == "" && notes != "" {
			t.Errorf("%s: notes %q", name, notes)
		}
	}
}

func alike(a, b float64) bool { return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) < 1e-9 }

func TestReadRequestsRefuses(t *testing.T) {
	for name, c := range map[string]struct{ text, words string }{
		"empty":               {"", "the file is empty"},
		"no clock":            {"input_tokens,output_tokens\n1,2\n", "there is no time column"},
		"a date that is none": {"TIMESTAMP,ContextTokens,GeneratedTokens\nnoon,1,2\n", "is not a date and time"},
		"half a token":        {"time_s,input_tokens,output_tokens\n1,2.5,1\n", "has 2.5 tokens"},
		"one length":          {"time_s,input_tokens\n1,2\n", "has one of the numbers"},
		"a length missing":    {"time_s,input_tokens,output_tokens\n1,2,3\n2,,\n", "has one of the numbers"},
		"a huge prompt":       {"time_s,input_tokens,output_tokens\n1,99999999999,1\n", "tokens; give a whole number"},
		"none served":         {"time_s,input_tokens,output_tokens\n1,5,0\n", "contains no request that was served"},
		"years":               {"time_s,input_tokens,output_tokens\n1,5,1\n1e9,5,1\n", "split the file"},
		"no JSON":             {"{\"arrival_s\": 1,", "line 1"},
		"a list":              {"{\"arrival_s\": 1, \"input_tokens\": 1, \"output_tokens\": 1}\n[1]\n", "line 2"},
		"no arrival":          {"{\"input_tokens\": 1}", "has no time of arrival"},
		"negative arrival":    {"{\"arrival_s\": -1, \"input_tokens\": 1, \"output_tokens\": 1}", "arrival_s is not"},
		"a number in quotes":  {"{\"arrival_s\": 1, \"input_tokens\": \"12\", \"output_tokens\": \"3\"}", "is not a number"},
		"a huge line":         {"{\"x\": \"" + strings.Repeat("x", 2<<20) + "\"}", "line 1"},
	} {
		_, err := ReadRequests(strings.NewReader(c.text))
		if e, ok := errors.AsType[*textfile.Error](err); !ok || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v (%v), want the words %q", name, err, e, c.words)
		}
	}
}

// Azure's trace and the logs of vLLM are read as they are published.
func TestReadRequestsOfOthers(t *testing.T) {
	for path, want := range map[string]struct {
		n, input, output int
		times            bool
	}{
		"arrivals/AzureLLMInferenceTrace_code.csv":   {8819, 4808, 10, false},
		"llm/requests-rtx4090-llama-3.1-8b.jsonl.gz": {300, 2358, 531, true},
		"llm/requests-rtxpro6000-qwen3-32b.jsonl.gz": {300, 2361, 532, true},
	} {
		file, err := os.Open("../../../shared/data/" + path)
		if os.IsNotExist(err) {
			t.Skipf("%s is not beside the repository", path)
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := ReadRequests(file)
		file.Close()
		if err != nil {
			t.Fatal(path, err)
		}
		if first := got.Log[0]; len(got.Log) != want.n || first.Input != want.input || first.Output != want.output ||
			got.HasTimes != want.times || !got.HasLengths {
			t.Errorf("%s: %d requests, the first %+v", path, len(got.Log), first)
		}
	}
}

func FuzzReadRequests(f *testing.F) {
	for _, text := range []string{
		"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.5,4808,10\n", "time_s\n1\n3\n",
		`{"arrival_s":0,"input_tokens":2,"output_tokens":2,"first_token_s":1,"last_token_s":2}`,
		`{"input_toks": 5, "output_toks": 3, "arrival_time": 1000.5, "queued_ts": 20.5}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := ReadRequests(bytes.NewReader(text))
		if err != nil {
			return
		}
		requests := make([]batching.Request, 0, len(got.Log))
		for _, o := range got.Log {
			if !got.HasLengths {
				o.Input, o.Output = 1, 1
			}
			requests = append(requests, o.Request)
		}
		if err := batching.Check(requests); err != nil {
			t.Fatal(err)
		}
	})
}

// What is written is read again.
func TestWriteLog(t *testing.T) {
	nan := math.NaN()
	log := []batching.Observed{
		{Request: batching.Request{ArrivalS: 0, Input: 5, Output: 3}, AdmittedS: nan, FirstS: 0.25, LastS: 1.5},
		{Request: batching.Request{ArrivalS: 0.125, Input: 7, Output: 1}, AdmittedS: nan, FirstS: nan, LastS: nan},
	}
	var b bytes.Buffer
	if err := WriteLog(&b, log); err != nil {
		t.Fatal(err)
	}
	got, err := ReadRequests(&b)
	if err != nil || len(got.Log) != 2 || got.Log[0].Request != log[0].Request || got.Log[0].LastS != 1.5 ||
		!math.IsNaN(got.Log[1].FirstS) {
		t.Errorf("%+v, %v", got, err)
	}
}
