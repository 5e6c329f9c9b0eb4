package metric

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sweetspot/engine/profile"
)

// run plays a run of which one word is one thing that happened, a hundredth of a
// second after the other: "step", "check" is a validation of that length, and other words
// are lines.
func play(t *testing.T, pattern string, happened ...string) *Log {
	t.Helper()
	r, err := NewReader(pattern)
	if err != nil {
		t.Fatal(err)
	}
	l, epoch := NewLog(r), 0
	for i, what := range happened {
		at := 1 + float64(i)/100
		switch {
		case what == "step":
			l.Step(at, epoch)
		case what == "epoch":
			epoch++
		case what == "end":
			l.End()
		case strings.HasPrefix(what, "check"):
			v := profile.Validation{Epoch: epoch, Seconds: 0.009, AtS: new(at)}
			l.Validate(v)
		default:
			l.Print(at, what)
		}
	}
	return l
}

// said is what was made of a run: "0: accuracy 0.5, 1: –".
func said(l *Log) string {
	validations, _ := l.Resolve()
	var out []string
	for _, v := range validations {
		text := fmt.Sprintf("%d: –", v.Epoch)
		if v.Value != nil {
			text = fmt.Sprintf("%d: %s %.4g", v.Epoch, v.Metric, *v.Value)
		}
		if v.Seconds == 0 {
			text += " unseen"
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

func TestLog(t *testing.T) {
	for name, c := range map[string]struct {
		pattern  string
		happened []string
		want     string
	}{
		"one validation, one value": {"", []string{"step", "check", "val_acc 0.5", "step", "epoch", "step", "check",
			"val_acc 0.6",
			"step"}, "0: accuracy 0.5, 1: accuracy 0.6"},
		"in per cent, as a later value tells": {"", []string{"step", "check", "val acc 0.9", "step", "epoch", "check",
			"val acc 62",
			"step"}, "0: accuracy 0.009, 1: accuracy 0.62"},
		"in per cent, as the training's tells": {"", []string{"step", "train acc 42", "check", "val acc 0.9"},
			"0: accuracy 0.009"},
		"the best once more at the end": {"", []string{"step", "check", "val loss 1.25", "step", "epoch", "check",
			"val loss: 1.801128", "step", "epoch", "check", "val loss 1.5", "step", "Training finished:",
			"Seed 0, val loss 1.80113 at epoch 1", "end"}, "0: loss 1.25, 1: loss 1.801, 2: loss 1.5"},
		"as good as before at the end": {"", []string{"step", "test loss: 0.25", "step", "test loss: 0.125", "step",
			"test loss: 0.125", "end"}, "0: loss 0.25 unseen, 0: loss 0.125 unseen, 0: loss 0.125 unseen"},
		"one more at the end, unseen": {"", []string{"step", "check", "val acc 0.25", "step", "epoch", "check",
			"val acc 0.5", "step", "test acc 0.5", "end"}, "0: accuracy 0.25, 1: accuracy 0.5, 1: accuracy 0.5 unseen"},
		"one more at the end, unseen and better": {"", []string{"step", "check", "val acc 0.25", "step", "val acc 0.26",
			"end"}, "0: accuracy 0.25, 0: accuracy 0.26 unseen"},
		"no split, right after": {"", []string{"step", "acc 0.3", "step", "check", "* Acc@1 50.0 Acc@5 90.0", "step",
			"epoch", "step",
			"check", "* Acc@1 60.0 Acc@5 90.0"}, "0: top1 0.5, 1: top1 0.6"},
		"no split, now and then": {"", []string{"step", "acc 0.3", "step", "acc 0.4", "step", "check", "acc 0.5",
			"step", "epoch",
			"acc 0.6", "step"}, "0: –"},
		"the training's before a validation": {"", []string{"step", "acc 0.9", "check", "step", "epoch", "acc 0.95",
			"check", "step"},
			"0: –, 1: –"},
		"a loss and nothing else": {"", []string{"step", "check", "val loss 0.5"}, "0: loss 0.5"},
		"a loss and an accuracy":  {"", []string{"step", "check", "val loss 0.5", "val acc 0.9"}, "0: accuracy 0.9"},
		"top-1 and not top-5":     {"", []string{"step", "check", "val top5 0.9 top1 0.5"}, "0: top1 0.5"},
		"the usual before the rare": {"", []string{"step", "check", "val f1 0.5", "step", "epoch", "check",
			"val f1 0.6", "step", "epoch",
			"check", "val f1 0.7", "test accuracy 0.9", "end"}, "0: f1 0.5, 1: f1 0.6, 2: f1 0.7"},
		"validation set before test set": {"", []string{"step", "check", "val acc 0.8 test acc 0.7"}, "0: accuracy 0.8"},
		"progress, then the result": {"", []string{"step", "Test: [ 1/9] Acc@1 90.0 (90.0)", "check",
			"Test: [ 5/9] Acc@1 70.0 (60.0)",
			" * Acc@1 55.0"}, "0: top1 0.55"},
		"progress alone": {"", []string{"step", "check", "Test: [ 1/9] Acc@1 90.0 (90.0)",
			"Test: [ 9/9] Acc@1 70.0 (60.0)"},
			"0: top1 0.6"},
		"a bar that shows the last result": {"", []string{"step", "check", "val_acc=0.5", "step", "epoch", "step",
			"50%|█ | 1/2 [00:01<00:01, 1it/s, val_acc=0.5]", "step", "100%|██| 2/2 [00:01<00:00, 1it/s, val_acc=0.5]",
			"check",
			"val_acc=0.6"}, "0: accuracy 0.5, 1: accuracy 0.6"},
		"never seen, only printed": {"", []string{"step", "Epoch 1", "val_loss 0.3", "val_acc 0.5", "step", "Epoch 2",
			"val_acc 0.6",
			"step"}, "0: accuracy 0.5 unseen, 1: accuracy 0.6 unseen"},
		"never seen, from epoch 0": {"", []string{"step", "Epoch 0/2", "val_acc 0.5", "step", "Epoch 1/2", "val_acc 0.6"},
			"0: accuracy 0.5 unseen, 1: accuracy 0.6 unseen"},
		"never seen, in epochs that are over": {"", []string{"step", "{'eval_acc': 0.5, 'epoch': 1.0}", "step",
			"{'eval_acc': 0.6, 'epoch': 2.0}"}, "0: accuracy 0.5 unseen, 1: accuracy 0.6 unseen"},
		"steps that show no epochs": {"", []string{"step", "check", "epoch 1 val_acc 0.5", "step", "check",
			"epoch 2 val_acc 0.6"},
			"0: accuracy 0.5, 1: accuracy 0.6"},
		"before any step": {"", []string{"val_acc 0.1", "step"}, ""},
		"a heading": {"", []string{"step", "Test Error:", "Accuracy: 91.5%, Avg loss: 0.27", "step"},
			"0: accuracy 0.915 unseen"},
		"a heading, then steps": {"", []string{"step", "Validating", "step", "Accuracy: 91.5%", "step"}, ""},
		"no split at the end": {"", []string{"step", "step", "{'accuracy': 0.9134}", "end"},
			"0: accuracy 0.9134 unseen"},
		"no split, cut off": {"", []string{"step", "step", "{'accuracy': 0.9134}"}, ""},
		"fastai's table": {"", []string{"step", "epoch     train_loss  valid_loss  accuracy  time    ", "check",
			"0         0.812345    0.701234    0.750000  00:01     ", "step", "epoch", "check",
			"1         0.612345    0.501234    0.850000  00:01     ", "step", "loss 1 2 3 4"},
			"0: accuracy 0.75, 1: accuracy 0.85"},
		"a table of a detector": {"", []string{"step", "check",
			"  Class     Images  Instances      Box(P          R      mAP50  " +
				"mAP50-95): 100%|██████████| 4/4 [00:01<00:00,  3.1it/s]",
			"    all        128        929       0.64      0.537      0.605      0.446"},
			"0: map50-95 0.446"},
		"the user's pattern": {`R@1 = (?P<value>\S+) at (?P<epoch>\d+)`, []string{"step", "check",
			"val_acc 0.9, R@1 = 0.5 at 1", "step",
			"epoch", "check", "val_acc 0.91, R@1 = 0.6 at 2"}, "0: accuracy 0.5, 1: accuracy 0.6"},
		"the user's pattern in per cent": {`top (?P<value>[\d.]+)`, []string{"step", "check", "top 50%"},
			"0: accuracy 0.5"},
		"the user's pattern of an error": {`wer (?P<value>[\d.]+)`, []string{"step", "check", "wer 0.12"}, "0: wer 0.12"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := said(play(t, c.pattern, c.happened...)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// What the script reports itself is not overruled by what it prints.
func TestOwnValuesStand(t *testing.T) {
	l := NewLog(&Reader{})
	l.Step(1, 0)
	l.Validate(profile.Validation{Metric: "mine", Value: new(0.25), AtS: new(1.5), Seconds: 0.1})
	l.Print(1.6, "val_acc 0.9")
	if validations, read := l.Resolve(); len(validations) != 1 || *validations[0].Value != 0.25 || read != nil {
		t.Errorf("%+v, read %+v", validations, read)
	}
}

// The clock of the script may be off, and its events come late.
func TestClocksDiffer(t *testing.T) {
	for _, ahead := range []float64{-0.2, 0, 0.2} { // the script's
		l := NewLog(&Reader{})
		event := func(t, late float64) float64 { l.Heard(t-ahead+late, t); return t }
		l.Step(event(1+ahead, 0.001), 0)
		l.Print(1.015, "in epoch 1 acc 0.99") // of the training
		l.Validate(profile.Validation{Seconds: 0.03, AtS: new(event(1.05+ahead, 0.04))})
		l.Print(1.051, "acc 0.5")
		l.Step(event(1.06+ahead, 0.05), 0)
		if got := said(l); got != "0: accuracy 0.5" {
			t.Errorf("ahead by %g s: %s", ahead, got)
		}
	}
}

// What announces a result does not do so beyond a step that is reported late.
func TestAHeadingBeforeAStepToldLate(t *testing.T) {
	l := NewLog(&Reader{})
	for i := range 2 {
		at := float64(2 * i)
		l.Step(at+1, i)
		l.Print(at+1.1, "Validating ...")
		l.Print(at+1.2, "val loss 2.5")
		l.Validate(profile.Validation{Epoch: i, Seconds: 0.1, AtS: new(at + 1.2)})
		l.Print(at+2.1, "epoch: 1 - iteration: 0 - loss 3.5")
		l.Step(at+2, i+1)
	}
	if got, want := said(l), "0: loss 2.5, 1: loss 2.5"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Steps are told of some time after they ended, when more was printed since.
func TestStepsToldLate(t *testing.T) {
	l := NewLog(&Reader{})
	l.Step(1, 0)
	for i := range 3 {
		l.Print(1.2+float64(i)/10, fmt.Sprintf("acc 0.%d", i+1)) // of the training
		l.Print(1.25+float64(i)/10, fmt.Sprintf("val_acc 0.%d", i+1))
	}
	l.Print(2.1, "acc 0.8")
	l.Print(3.1, "val_acc 0.7")
	l.Print(3.2, "val_acc 0.8")
	l.Step(2, 0)
	l.Step(3, 1)
	if len(l.records) != 5 || l.sifted != 3 || l.strays[l.records[0].shape] != 0 || len(l.strays) != 1 {
		t.Errorf("%d records, %d of them sifted, strays %v", len(l.records), l.sifted, l.strays)
	}
	for _, r := range l.records {
		if r.values[0].Split != Validation {
			t.Errorf("kept %+v", r.values)
		}
	}
}

// What is printed between the last step, which came late, and the validation after it is
// no result of another one.
func TestALineBeforeTheLastValidation(t *testing.T) {
	l := NewLog(&Reader{})
	for epoch := range 4 {
		at := float64(1 + epoch)
		l.Step(at, epoch)
		l.Print(at+0.06, "acc 0.99") // of the training
		l.Step(at+0.05, epoch)
		l.Validate(profile.Validation{Epoch: epoch, Seconds: 0.1, AtS: new(at + 0.2)})
		l.Print(at+0.21, "acc 0.5")
	}
	l.End()
	if got, want := said(l), "0: accuracy 0.5, 1: accuracy 0.5, 2: accuracy 0.5, 3: accuracy 0.5"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A bar's last line, with the result of the whole, may come after the next step.
func TestLastLineOfABarLate(t *testing.T) {
	l := NewLog(&Reader{})
	for epoch := range 2 {
		at := float64(1 + epoch)
		l.Step(at, epoch)
		l.Validate(profile.Validation{Epoch: epoch, Seconds: 0.1, AtS: new(at + 0.2)})
		l.Print(at+0.15, fmt.Sprintf("Epoch: %d/2 Step: 1/2 50.00%% |##  | val_acc: 12.5", epoch+1))
		l.Step(at+0.3, epoch)
		l.Print(at+0.31, fmt.Sprintf("Epoch: %d/2 Step: 2/2 100.00%% |####| val_acc: 2%d", epoch+1, epoch))
	}
	if got := said(l); got != "0: accuracy 0.2, 1: accuracy 0.21" {
		t.Error(got)
	}
}

// Output that is collected later has no times: its epochs and order tell.
func TestReplayed(t *testing.T) {
	l := NewLog(&Reader{})
	for epoch := range 3 {
		at := 100 * float64(epoch+1)
		l.Heard(0.1, at)
		l.Step(at, epoch)
		l.Validate(profile.Validation{Epoch: epoch, Seconds: 1, AtS: new(at + 2)})
	}
	for epoch := range 3 {
		l.Print(0.1, fmt.Sprintf("epoch %d: val acc 0.%d", epoch, epoch+5))
	}
	if got := said(l); got != "0: accuracy 0.5, 1: accuracy 0.6, 2: accuracy 0.7" {
		t.Error(got)
	}
}

// A file that the run wrote gives its values to the validations of their epochs.
func TestTables(t *testing.T) {
	for name, c := range map[string]struct{ file, want string }{
		"Lightning 2.1, " +
			"metrics.csv": {"epoch,step,train_loss,val_acc,val_loss\n0,46,,0.5,1.1\n0,46,0.9,,\n1,93,,0.625,0.9\n",
			"0: accuracy 0.5, 1: accuracy 0.625"},
		"Lightning, a test at the end": {"epoch,step,test_acc,train_loss,val_acc\n0,46,,,0.5\n1,93,,,0.625\n2,94,0.7,,\n",
			"0: accuracy 0.5, 1: accuracy 0.625"},
		"timm 0.9, " +
			"summary.csv": {"epoch,train_loss,eval_loss,eval_top1,eval_top5,lr\n0,6.9,6.5,1.5,5.2,0.1\n1,6.1,5.5,12.5,30.0,0.1\n",
			"0: top1 0.015, 1: top1 0.125"},
		"Keras, CSVLogger": {"epoch,accuracy,loss,val_accuracy,val_loss\n0,0.9,1,0.5,1\n1,0.95,1,0.6,1\n",
			"0: accuracy 0.5, 1: accuracy 0.6"},
		"no validation": {"epoch,loss,acc,lr\n0,1,0.5,0.1\n1,1,0.5,0.1\n", "0: –, 1: –"},
	} {
		l := play(t, "", "step", "check", "step", "epoch", "step", "check", "step")
		l.Table(strings.Split(c.file, "\n"))
		if got := said(l); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

// Of a file that earlier runs wrote to, what this one appends counts; of one that it wrote
// again from its beginning, all does.
func TestTablesOfEarlierRuns(t *testing.T) {
	const header, old, row = "epoch,valid/acc\n", "0,0.1\n1,0.2\n", "0,0.5\n"
	many := header + strings.Repeat(old, 100)
	for name, c := range map[string]struct{ before, after, want string }{
		"new":                 {"", header + row, header + row},
		"appended to":         {header + old, header + old + row, header + row},
		"with another head":   {header + old, header + old + header + row, header + header + row},
		"written again":       {header + old, header + row, header + row},
		"longer":              {header + old, header + row + row + row, header + row + row + row},
		"written again alike": {header + old, header + old, header + old},
		"blank before":        {" ", header + row, header + row},
		"long, appended to":   {many, many + row, header + row},
		"long, written again": {many, header + row, header + row},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "log.csv")
		write := func(text string) {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if c.before != "" {
			write(c.before)
		}
		before, since := Before(dir), time.Now()
		write(c.after)
		got := ""
		for _, lines := range Tables(dir, since, before) {
			got += strings.Join(lines, "\n") + "\n"
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// A training may print without end: what it keeps is bounded, and later results are
// still read.
func TestEndlessOutput(t *testing.T) {
	l := NewLog(&Reader{})
	for i := range 3 * mostRecords {
		at := float64(i)
		l.Print(at+0.5, fmt.Sprintf("step %d acc 0.%d", i, i))
		l.Step(at+1, 0)
	}
	if n := len(l.records); n > 1 {
		t.Errorf("%d records are kept", n)
	}
	end := float64(3*mostRecords) + 1
	l.Validate(profile.Validation{Seconds: 0.5, AtS: new(end)})
	l.Print(end, "val acc 0.9")
	if got := said(l); got != "0: accuracy 0.9" {
		t.Error(got)
	}
}

func TestWrongPatterns(t *testing.T) {
	for pattern, why := range map[string]string{
		"(": "not a valid regular expression", "acc (.*)": "with the group value", `(?P<value>\d)(?P<value>\d)`: "twice",
		`(?P<value>\d)(?P<step>\d)`: `the group "step"`, strings.Repeat("x", 3000): "longer than",
	} {
		if _, err := NewReader(pattern); err == nil || !strings.Contains(err.Error(), why) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%.20s: %v", pattern, err)
		}
	}
}

func FuzzLog(f *testing.F) {
	for _, seed := range []string{
		"Epoch 1/3 val_acc: 0.88\nTest: [ 1/9] Acc@1 70.1 (69.0)\n * Acc@1 70.0",
		"epoch train_loss valid_loss accuracy time\n0 1 2 0.5 00:01",
		`{"val_acc": 1e999, "epoch": -1}` + "\n{'accuracy': tensor([0.5, 0.6])}",
		"val acc 1/0\nval acc 9,153/10,000 (%)\nAcc@\x1b[1m1 5 %",
		"val acc ((((((((", "Average Precision @[ IoU=0.50:0.95 ] = 0.3\n%|||1/1 [", "epoch,val_acc\n1,0.5\n2,nan",
	} {
		f.Add(seed, `val (?P<value>\S+) (?P<epoch>\S+)`)
	}
	f.Fuzz(func(t *testing.T, text, pattern string) {
		for _, p := range []string{"", pattern} {
			r, err := NewReader(p)
			if err != nil {
				continue
			}
			l := NewLog(r)
			for i, line := range strings.Split(text, "\n") {
				at := float64(i)
				l.Step(at, i/3)
				if i%2 == 0 {
					l.Validate(profile.Validation{Epoch: i / 3, Seconds: 0.2, AtS: new(at + 0.3)})
				}
				l.Print(at+0.4, line)
			}
			l.Table(strings.Split(text, "\n"))
			l.End()
			validations, read := l.Resolve()
			for _, v := range validations {
				if v.Epoch < 0 || v.Value != nil && (math.IsNaN(*v.Value) || math.IsInf(*v.Value, 0) || v.Metric == "") {
					t.Fatalf("%+v", v)
				}
			}
			if read != nil && (len([]rune(read.Label)) > 61 || read.Metric == "" || read.Share && (read.Value < 0 ||
				read.Value > 1)) {
				t.Fatalf("%+v", read)
			}
		}
	})
}
