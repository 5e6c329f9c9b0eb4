package convert

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"
	"testing/fstest"
)

const mlperfRuns = `version,submitter,system,acc_per_node,accelerator,benchmark,run,init_s,total_s,epochs,epoch_start_rel_s,evals
v1,maker,box,8,GPU,net,0,9.5,310.5,3,0.2;100.2;200.1,200.11:0.5;310.5:0.7
v1,maker,box,,,speech,1,,40,3,1;1;2,3:9;4:8
v1,maker,box,,,speech,2,,40,3,1;2;30,29.9:9;40:8
`

func TestMLPerf(t *testing.T) {
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	if _, err := w.Write([]byte(mlperfRuns)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"epochs.csv.gz": zipped.Bytes(), "epochs.csv": []byte(mlperfRuns)} {
		set, err := mlperf(fstest.MapFS{name: {Data: data}})
		if err != nil {
			t.Fatal(err)
		}
		r := set.Runs[0]
		if len(set.Runs) != 3 || r.Model != "net" || r.Variant.Name != "v1" || *r.TotalS != 310.5 || *r.Epochs != 3 ||
			r.GPUCount != 8 || r.InitS != nil {
			t.Errorf("%s: %d runs, the first %+v", name, len(set.Runs), r)
		}
		if v := r.Validations; len(r.EpochStartsS) != 3 || len(v) != 2 || v[0].Epoch != 1 || v[1].Epoch != 2 ||
			!v[0].HigherIsBetter || *v[0].AtS != 200.11 {
			t.Errorf("marks: %v, %+v", r.EpochStartsS, v)
		}
		if r := set.Runs[1]; r.EpochStartsS != nil || r.Validations != nil || *r.TotalS != 40 {
			t.Errorf("two epochs beginning at once were believed: %+v", r)
		}
		if v := set.Runs[2].Validations; v[0].HigherIsBetter {
			t.Errorf("the metric fell until the run ended, so lower is better: %+v", v)
		}
	}
}

func TestMLPerfRefuses(t *testing.T) {
	if _, err := mlperf(fstest.MapFS{}); !Absent(err) {
		t.Errorf("an empty folder gives %v", err)
	}
	for old, bad := range map[string]string{
		"310.5,3": "-1,3", "0.2;": "x;", "100.2;": "nan;", "200.1,": "inf,", "310.5:0.7": "310.5", "200.11:": "nan:",
		",net,": ",,",
		"box,8": "box,2.5", "maker,box,8": "maker,box,1e30", "9.5,310.5": "9.5,nan", "310.5,3,": "310.5,1e30,",
	} {
		file := strings.Replace(mlperfRuns, old, bad, 1)
		if _, err := mlperf(fstest.MapFS{"a.csv": {Data: []byte(file)}}); err == nil ||
			!strings.Contains(err.Error(), "a.csv, row 2: ") || file == mlperfRuns {
			t.Errorf("%s for %s: %v", bad, old, err)
		}
	}
	// Of two bad cells the first is named, every time.
	file := strings.Replace(mlperfRuns, "310.5,3", "x,y", 1)
	for range 20 {
		if _, err := mlperf(fstest.MapFS{"a.csv": {Data: []byte(file)}}); err == nil ||
			!strings.Contains(err.Error(), "total_s") {
			t.Fatalf("two bad cells: %v", err)
		}
	}
}

// A byte order mark is no part of the first column's name, quoted or not.
func TestByteOrderMark(t *testing.T) {
	for _, header := range []string{"\ufeffversion,", "\ufeff\"version\","} {
		file := strings.Replace(mlperfRuns, "version,", header, 1)
		if set, err := mlperf(fstest.MapFS{"a.csv": {Data: []byte(file)}}); err != nil || set.Runs[0].Variant.Name != "v1" {
			t.Errorf("%q: %v", header, err)
		}
	}
}

// A metric that is not a number is of a training that went astray: unknown.
func TestMetricThatIsNone(t *testing.T) {
	file := strings.Replace(mlperfRuns, "200.11:0.5", "200.11:nan", 1)
	set, err := mlperf(fstest.MapFS{"a.csv": {Data: []byte(file)}})
	if err != nil {
		t.Fatal(err)
	}
	if v := set.Runs[0].Validations; len(v) != 2 || v[0].Value != nil || *v[1].Value != 0.7 {
		t.Errorf("%+v", v)
	}
}
