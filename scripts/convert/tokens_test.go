package convert

import (
	"strings"
	"testing"
)

const servingHeader = "silicon_data_source,backend,backend_version,model_path,system,precision,mode,isl,osl," +
	"gemm_quant_mode,moe_quant_mode,tp_size,pp_size,attention_dp_size,moe_tp_size,moe_ep_size,silicon_tpot_ms\n"

func TestReadServing(t *testing.T) {
	points, err := ReadServing(inMemory("serving_points.csv", []byte(servingHeader+
		"x; silicon_concurrency=16; y,vllm,0.19,m,h100,fp8,agg,1024,512,fp8,,4,1,1,1,1,12.5\n"+
		"x; no concurrency,vllm,0.19,m,h100,fp8,agg,1024,512,fp8,,4,1,1,1,1,12.5\n"+
		"silicon_concurrency=8,vllm,0.19,m,h100,fp8,disagg,1024,512,fp8,,,,,,,8\n"+
		"silicon_concurrency=8,vllm,0.19,m,h100,fp8,agg,1024,512,fp8,,4,1,1,1,1,\n")))
	if err != nil || len(points) != 2 {
		t.Fatalf("%+v, %v", points, err)
	}
	p := points[0]
	if p.Concurrency != 16 || p.TPOT != 0.0125 || p.Input != 1024 || p.Output != 512 || p.GPUs != 4 || !p.Together ||
		p.Model != "m" || p.GPU != "h100" || p.Backend != "vllm" || len(p.Setup) != len(servingSetup) {
		t.Errorf("%+v", p)
	}
	if points[1].Together || points[1].GPUs != 1 {
		t.Errorf("%+v", points[1])
	}
}

func TestReadBatches(t *testing.T) {
	batches, err := ReadBatches(inMemory("batch_latency.csv", []byte(
		"Hardware,Num of Hardware,Framework,Model,Input Output Length,Batch Size,Latency,Throughput\n"+
			"A100,2,vLLM,m,128,16,0.5,1\nA100,2,vLLM,m,128,32,,1\n")))
	if want := (Batch{"A100", "vLLM", "m", 2, 128, 16, 0.5}); err != nil || len(batches) != 1 || batches[0] != want {
		t.Errorf("%+v, %v", batches, err)
	}
}

const tuningHeader = "version,submitter,system,run,init_s,total_s,status,global_batch_size," +
	"gradient_accumulation_steps,train_samples,eval_samples,evaluations_samples:s:loss\n"

func TestReadTunings(t *testing.T) {
	runs, err := ReadTunings(inMemory("lora_runs.csv", []byte(tuningHeader+
		"v5.0,A,s,1,9,100.5,success,8,1,3901,173,1536:50.5:0.94;1920:100.5:0.92\n"+
		"v5.0,A,s,2,9,100.5,aborted,8,1,3901,173,1536:50.5:0.94\n")))
	if err != nil || len(runs) != 1 {
		t.Fatalf("%+v, %v", runs, err)
	}
	if r := runs[0]; r.Name() != "v5.0 A s" || r.Batch != 8 || r.TotalS != 100.5 || r.Samples[1] != 1920 ||
		r.AtS[0] != 50.5 {
		t.Errorf("%+v", r)
	}
}

// A table that is another, or damaged, is refused with what is wrong where.
func TestDamagedTables(t *testing.T) {
	serving := func(text string) error { _, err := ReadServing(inMemory("a.csv", []byte(text))); return err }
	batches := func(text string) error { _, err := ReadBatches(inMemory("a.csv", []byte(text))); return err }
	tunings := func(text string) error { _, err := ReadTunings(inMemory("a.csv", []byte(text))); return err }
	row := "v5.0,A,s,1,9,100,success,8,1,3901,173,"
	for _, c := range []struct {
		read func(string) error
		text string
		want string
	}{
		{serving, "", "empty"},
		{serving, "a,b\n1,2\n", "silicon_data_source"},
		{serving, servingHeader + "silicon_concurrency=8,vllm,1,m,h,fp8,agg,x,512,fp8,,4,1,1,1,1,12.5\n", "isl"},
		{batches, "Hardware,Latency\nA,1\n", "num of hardware"},
		{tunings, tuningHeader + row + "1536:50.5\n", "row 2"},
		{tunings, tuningHeader + row + "1536:60:1;1920:50:1\n", "rising"},
		{tunings, tuningHeader + row + "1536:NaN:1\n", "row 2"},
		{tunings, tuningHeader + row + "-1:5:1\n", "rising"},
	} {
		if err := c.read(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, without %q", c.text, err, c.want)
		}
	}
}

func FuzzTables(f *testing.F) {
	f.Add(tuningHeader + "v5.0,A,s,1,9,100.5,success,8,1,3901,173,1536:50.5:0.94;1920:100.5:0.92\n")
	f.Add(servingHeader + "silicon_concurrency=16,vllm,0.19,m,h100,fp8,agg,1024,512,fp8,,4,1,1,1,1,12.5\n")
	f.Add("Hardware,Num of Hardware,Framework,Model,Input Output Length,Batch Size,Latency\nA100,2,vLLM,m,128,16,0.5\n")
	f.Fuzz(func(t *testing.T, text string) {
		runs, _ := ReadTunings(inMemory("a.csv", []byte(text)))
		for _, r := range runs {
			for i := range r.Samples {
				if !(r.Samples[i] > 0) || !(r.AtS[i] > 0) || i > 0 && !(r.Samples[i] > r.Samples[i-1]) {
					t.Errorf("%+v", r)
				}
			}
		}
		points, _ := ReadServing(inMemory("a.csv", []byte(text)))
		for _, p := range points {
			if !(p.TPOT > 0) || !(p.Concurrency >= 1) || !(p.Input > 0) {
				t.Errorf("%+v", p)
			}
		}
		batches, _ := ReadBatches(inMemory("a.csv", []byte(text)))
		for _, b := range batches {
			if !(b.Seconds > 0) || !(b.Size > 0) || !(b.Length > 0) || !(b.Count > 0) {
				t.Errorf("%+v", b)
			}
		}
	})
}
