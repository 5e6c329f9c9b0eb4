package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sweetspot/engine/profile"
	"sweetspot/scripts/convert"
)

// folderWith makes a folder of files, by their paths in it.
func folderWith(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const mlperfTable = "version,benchmark,total_s,epochs,epoch_start_rel_s,evals\n"

const profetTable = "model,dataset,optimizer,batchsize,exp_name,batch_latency,g4dn.xlarge,p2.xlarge,g3s.xlarge\n"

// zeusPower are epochs that take 1 + 64/B minutes.
const zeusPower = "dataset,network,batch_size,optimizer,power_limit,time_per_epoch\n" +
	"d,net,8,sgd,250,540\nd,net,16,sgd,250,300\nd,net,32,sgd,250,180\nd,net,64,sgd,250,120\nd,net,128,sgd,250,90\n"

// A damaged set is named with file, row and column, once those that are sound
// have been asked.
func TestDamagedSets(t *testing.T) {
	dir := folderWith(t, map[string]string{
		"zeus/summary_power_v100.csv": zeusPower,
		"profet/profet_wide.csv":      profetTable + "net,64dataset,SGD,16,e,0.1,,,\nnet,64dataset,SGD,x,e,0.1,,,\n",
		"mlperf/epochs.csv":           mlperfTable + "v1,net,-4,,,\n",
	})
	var out, notes bytes.Buffer
	err := run(t.Context(), &out, &notes, dir, "")
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		`profet_wide.csv, row 3, column batchsize: "x" is not a finite decimal number`,
		"epochs.csv, row 2, column total_s: -4 is negative",
	} {
		if strings.Count(err.Error(), want) != 1 || strings.Count(err.Error(), "is left out: ") != 2 {
			t.Errorf("%q does not say %q", err, want)
		}
	}
	for _, want := range []string{"the least, the middle and the largest  2 ", "worst cases",
		"next probe, followed on 8 tables"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestNothingToAsk(t *testing.T) {
	empty := folderWith(t, nil)
	file := filepath.Join(folderWith(t, map[string]string{"a": ""}), "a")
	for data, want := range map[string]string{
		empty: "none of the sets is in", filepath.Join(empty, "x"): "no folder with sets", file: "no folder with sets",
		"": "no folder with sets",
	} {
		var out bytes.Buffer
		err := run(t.Context(), &out, &bytes.Buffer{}, data, "")
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") || out.Len() > 0 {
			t.Errorf("%q: %v, printed %q", data, err, out.String())
		}
	}
	// A set whose runs answer no question is sound.
	var out, notes bytes.Buffer
	data := folderWith(t, map[string]string{"mlperf/a.csv": mlperfTable + "v1,net,40,,,\n"})
	if err := run(t.Context(), &out, &notes, data, ""); err != nil || !strings.Contains(notes.String(), "too few runs") {
		t.Errorf("a set of one run: %v, %q", err, notes.String())
	}
}

// What is asked is what was converted: neither the CSV nor the database loses or
// changes anything.
func TestDatabaseHoldsTheSets(t *testing.T) {
	for _, s := range convert.Sets() {
		want, err := s.Read(t.Context(), filepath.Join(sets, s.Name))
		if convert.Absent(err) {
			t.Logf("the published measurements %s are not in %s", s.Name, sets)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		got := published(t, s.Name)
		if len(got.Runs) != len(want.Runs) {
			t.Errorf("%s: %d runs of %d", s.Name, len(got.Runs), len(want.Runs))
			continue
		}
		for i := range want.Runs {
			if a, b := described(t, want.Runs[i]), described(t, got.Runs[i]); a != b {
				t.Fatalf("%s: converted %s\nloaded %s", s.Name, a, b)
			}
		}
	}
}

func described(t *testing.T, r profile.Run) string {
	t.Helper()
	work, err := json.Marshal(r.Work)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(r.Model, "|", r.Dataset, "|", r.Unit, "|", r.Variant.Name, "|", r.InstanceType, "|", r.GPU, "|",
		r.Source, "|", r.BatchSize, r.Steady, r.EpochStartsS, len(r.Validations), string(work))
}
