package session

import (
	"fmt"
	"strings"
	"testing"

	"sweetspot/probes/adapter"
	"sweetspot/probes/metric"
)

// reading is a probe whose output is read.
func reading(t *testing.T, script string) Update {
	t.Helper()
	s := openStore(t)
	o := shell(s, script)
	o.Hooked, o.KeepRunning = true, true
	var err error
	if o.Metrics, err = metric.NewReader(""); err != nil {
		t.Fatal(err)
	}
	if o.Adapter, err = adapter.New(adapter.Auto, ""); err != nil {
		t.Fatal(err)
	}
	u := start(t, o).Wait()
	if u.Err != nil {
		t.Fatal(u.Err)
	}
	r := saved(t, s, u.Run.ID)
	if live, kept := values(u), values(Update{Run: r}); live != kept {
		t.Errorf("live %s, saved %s", live, kept)
	}
	if (r.Accuracy == nil) != (u.Run.Accuracy == nil) || r.Accuracy != nil && *r.Accuracy != *u.Run.Accuracy {
		t.Errorf("live %+v, saved %+v", u.Run.Accuracy, r.Accuracy)
	}
	return u
}

func values(u Update) string {
	var out []string
	for _, v := range u.Run.Validations {
		if v.Value == nil {
			out = append(out, fmt.Sprintf("%d –", v.Epoch))
		} else {
			out = append(out, fmt.Sprintf("%d %s %.3g", v.Epoch, v.Metric, *v.Value))
		}
	}
	return strings.Join(out, ", ")
}

// What a script prints after a validation is the value of that validation, also where
// its bar is all that tells of steps.
func TestPrintedAccuracies(t *testing.T) {
	const event = `echo '{"sweetspot":1,"event":"%s","epoch":%d,"seconds":0.05}' >&3; sleep 0.02; `
	step := func(epoch int) string {
		return fmt.Sprintf(strings.Repeat(event, 3), "iteration", epoch, "iteration",
			epoch, "iteration", epoch)
	}
	check := func(epoch int, line string) string {
		return "sleep 0.06; echo '" + line + "'; sleep 0.02; " + fmt.Sprintf(event, "validation", epoch)
	}
	u := reading(t, step(0)+check(0, "val_acc 50.5")+step(1)+check(1, "val_acc 60.5")+step(2))
	if got := values(u); got != "0 accuracy 0.505, 1 accuracy 0.605" || u.AccuracyFrom != "val_acc" ||
		u.Run.Accuracy.Value != 0.605 || !strings.HasPrefix(u.AccuracyRead,
		"reads val_acc: 60.5 %; is that your accuracy?") {
		t.Errorf("%s, %+v, %q", got, u.Run.Accuracy, u.AccuracyRead)
	}
	// What is printed comes by another way than events: a step that follows at once may be there first.
	untrained := `echo 'val_acc 10.5'; sleep 0.3; ` +
		`echo '{"sweetspot":1,"event":"validation","seconds":0.05,"untrained":true}' >&3; `
	u = reading(t, untrained+step(0)+check(0, "val_acc 50.5")+step(1))
	if got := values(u); got != "0 accuracy 0.505" || u.Run.Accuracy.Value != 0.505 {
		t.Errorf("%s, %+v", got, u.Run.Accuracy)
	}
	if u = reading(t, untrained+step(0)); len(u.Run.Validations) != 0 || u.Run.Accuracy != nil {
		t.Errorf("%s, %+v", values(u), u.Run.Accuracy)
	}
	u = reading(t, step(0)+check(0, "val_loss 0.5")+step(1))
	if got := values(u); got != "0 loss 0.5" || u.Run.Accuracy != nil || !strings.Contains(u.AccuracyRead,
		"which is a loss") {
		t.Errorf("%s, %+v, %q", got, u.Run.Accuracy, u.AccuracyRead)
	}
	u = reading(t, step(0)+check(0, "done")+step(1))
	if got := values(u); got != "0 –" || !strings.HasPrefix(u.AccuracyRead, "reads no accuracy of the validation") {
		t.Errorf("%s, %q", got, u.AccuracyRead)
	}
	bar := func(epoch, n int, more string) string {
		return fmt.Sprintf(`printf 'Epoch %d/2\n'; for i in 1 2 3; do sleep 0.03; printf '\r%%s/%d [=====>.....] - ETA: `+
			`0s - `+
			`accuracy: 0.99' $i; done; sleep 0.05; printf '\r%d/%d [===========] - 1s 9ms/step - accuracy: 0.99 - %s\n'; `,
			epoch, n, n, n, more)
	}
	u = reading(t, bar(1, 3, "val_loss: 0.9 - val_accuracy: 0.5")+bar(2, 3, "val_loss: 0.8 - val_accuracy: 0.625"))
	if got := values(u); got != "0 accuracy 0.5, 1 accuracy 0.625" || u.AccuracyFrom != "val_accuracy" ||
		u.Run.FirstValidationS == nil {
		t.Errorf("%s, %q", got, u.AccuracyFrom)
	}
}
