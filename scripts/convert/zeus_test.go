package convert

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

const zeusTrain = `dataset,network,batch_size,optimizer,learning_rate,run,target_metric,target_epoch
images,net,8,sgd,1e-1,1,50,2
images,net,8,sgd,1e-1,1,55,4
images,net,8,sgd,1e-1,1,45,2
images,net,8,sgd,1e-1,1,60,nan
images,net,8,sgd,1e-1,2,45,nan
speech,net,8,sgd,1e-1,1,40,9
speech,net,8,sgd,1e-1,1,60,3
`

const zeusPower = `dataset,network,batch_size,optimizer,power_limit,time_per_epoch,average_power
images,net,8,sgd,100,9,90
images,net,8,sgd,250,5,200
images,net,8,sgd,150,7,150
images,net,16,sgd,150,4,150
`

func folderOf(train, power string) fs.FS {
	return fstest.MapFS{"summary_train.csv": {Data: []byte(train)}, "summary_power_v100.csv": {Data: []byte(power)},
		"summary_power_a40.csv": {Data: []byte(power)}}
}

func TestZeus(t *testing.T) {
	set, err := zeus(folderOf(zeusTrain, zeusPower))
	if err != nil {
		t.Fatal(err)
	}
	if len(set.Models) != 2 || len(set.Runs) != 3+2*2 {
		t.Fatalf("%d models, %d runs", len(set.Models), len(set.Runs))
	}
	// Two targets may be reached in one epoch; percentages become fractions.
	r := set.Runs[0]
	for i, want := range []struct {
		epoch int
		value float64
	}{{1, 0.45}, {1, 0.5}, {3, 0.55}} {
		if len(r.Validations) != 3 || r.Validations[i].Epoch != want.epoch || *r.Validations[i].Value != want.value {
			t.Fatalf("validations %+v", r.Validations)
		}
	}
	if r.Accuracy == nil || r.Accuracy.Value != 0.55 || !r.Accuracy.HigherIsBetter || *r.Epochs != 4 {
		t.Errorf("ended with %+v after %v epochs", r.Accuracy, r.Epochs)
	}
	if never := set.Runs[1]; never.Accuracy != nil || never.Epochs != nil || len(never.Validations) != 0 {
		t.Errorf("a run that reached nothing is %+v", never)
	}
	// The lower error took longer: lower is better, and no percentage.
	if s := set.Runs[2]; s.Accuracy == nil || s.Accuracy.HigherIsBetter || s.Accuracy.Value != 40 ||
		len(s.Validations) != 2 || s.Validations[0].Epoch != 2 {
		t.Errorf("speech: %+v, %+v", s.Accuracy, s.Validations)
	}
	priced := 0
	for _, p := range set.Runs[3:] {
		if (p.USDPerHour != nil) != (p.GPU == "V100") {
			t.Errorf("price of %s: %v", p.GPU, p.USDPerHour)
		}
		if p.USDPerHour != nil {
			priced++
		}
		if want := map[int]float64{8: 5, 16: 4}[p.BatchSize]; *p.TotalS != want || *p.Epochs != 1 {
			t.Errorf("batch %d takes %g s for %g epochs, not %g s for one", p.BatchSize, *p.TotalS, *p.Epochs, want)
		}
	}
	if priced != 2 {
		t.Errorf("%d runs with a price", priced)
	}
}

func TestZeusWrong(t *testing.T) {
	for want, folder := range map[string]fs.FS{
		`row 2: target_epoch "0"`:      folderOf(strings.Replace(zeusTrain, "50,2", "50,0", 1), zeusPower),
		`row 2: target_metric "x"`:     folderOf(strings.Replace(zeusTrain, "50,2", "x,2", 1), zeusPower),
		`row 2: batch_size "-8"`:       folderOf(strings.Replace(zeusTrain, "net,8", "net,-8", 1), zeusPower),
		`row 2: target_epoch "2.5"`:    folderOf(strings.Replace(zeusTrain, "50,2", "50,2.5", 1), zeusPower),
		`row 2: target_epoch "1e300"`:  folderOf(strings.Replace(zeusTrain, "50,2", "50,1e300", 1), zeusPower),
		`row 3: power_limit "inf"`:     folderOf(zeusTrain, strings.Replace(zeusPower, "250,5", "inf,5", 1)),
		`row 3: time_per_epoch "1e99"`: folderOf(zeusTrain, strings.Replace(zeusPower, "250,5", "250,1e99", 1)),
		"row 4: it has more or fewer":  folderOf(zeusTrain, strings.Replace(zeusPower, "150,7,150", "150,7", 1)),
		"a40.csv, row 2: a quote": folderOf(zeusTrain, strings.Replace(zeusPower, "images,net,8,sgd,100",
			`im"ages",net,8,sgd,100`, 1)),
		"row 1: there is no column ti": folderOf(zeusTrain, zeusPower[strings.Index(zeusPower, "\n")+1:]),
		`row 3: time_per_epoch ""`:     folderOf(zeusTrain, strings.Replace(zeusPower, "250,5", "250,", 1)),
		`row 3: power_limit "nan"`:     folderOf(zeusTrain, strings.Replace(zeusPower, "250,5", "nan,5", 1)),
		"summary_train.csv is empty":   folderOf("", zeusPower),
	} {
		if _, err := zeus(folder); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %s", err, want)
		}
	}
	if _, err := zeus(fstest.MapFS{}); !Absent(err) {
		t.Errorf("an empty folder: %v", err)
	}
}
