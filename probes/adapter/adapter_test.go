package adapter

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"sweetspot/engine/estimate"
	"sweetspot/probes/protocol"
)

// at is a line and when it came.
type at struct {
	t    float64
	line string
}

// said is what an adapter makes of lines, one event a line of words.
func said(t *testing.T, kind Kind, text string, lines ...at) string {
	t.Helper()
	a, err := New(kind, text)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, l := range lines {
		for _, e := range a.Line(l.t, l.line) {
			out = append(out, words(e))
		}
	}
	return strings.Join(out, "\n")
}

func words(e protocol.Event) string {
	number := func(v *float64) string {
		if v == nil {
			return "?"
		}
		return fmt.Sprintf("%.4g", *v)
	}
	switch e := e.(type) {
	case protocol.Iteration:
		return fmt.Sprintf("step %d epoch %d %.4g s units %s", *e.Index, e.Epoch, e.Seconds, number(e.Units))
	case protocol.Validation:
		direction := "?"
		if e.HigherIsBetter != nil {
			direction = fmt.Sprint(*e.HigherIsBetter)
		}
		return fmt.Sprintf("validation epoch %d %.4g s %s %s higher %s", e.Epoch, e.Seconds, e.Metric,
			number(e.Value), direction)
	case protocol.Model:
		batch := "?"
		if e.BatchSize != nil {
			batch = fmt.Sprint(*e.BatchSize)
		}
		return fmt.Sprintf("model %s per epoch %s epochs %s batch %s of %s", e.Name, number(e.IterationsPerEpoch),
			number(e.Epochs), batch, number(e.TrainSize))
	case protocol.Init:
		return fmt.Sprintf("init %.4g s", e.Seconds)
	case protocol.Warning:
		return "warning"
	}
	return fmt.Sprintf("%#v", e)
}

func check(t *testing.T, got, want string) {
	t.Helper()
	if want = strings.TrimSpace(want); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestKeras2(t *testing.T) {
	got := said(t, Auto, "", []at{
		{9, "313/313 [==============================] - 1s 2ms/step - loss: 0.3"}, // an evaluation before
		{10, "Epoch 1/2"},
		{13, "  1/4 [======>.......................] - ETA: 9s - loss: 2.3026 - accuracy: 0.1"},
		{14, "  3/4 [=====================>........] - ETA: 0s - loss: 1.9"},
		{14.5, "4/4 [==============================] - ETA: 0s - loss: 1.8"},
		{16.5, "4/4 [==============================] - 6s 1s/step - loss: 1.8 - accuracy: 0.4 - val_loss: 1.7 - " +
			"val_accuracy: 0.5"},
		{16.5, "Epoch 2/2"},
		{17.5, "2/4 [==============>...............] - ETA: 0s - loss: 1.5"},
		// the last two were not drawn
		{20.5, "4/4 [==============================] - 4s 1s/step - loss: 1.4 - val_loss: 1.6"},
		{21.5, "313/313 [==============================] - 1s 2ms/step - loss: 0.3"},
	}...)
	check(t, got, `
model  per epoch 4 epochs 2 batch ? of ?
warning
step 0 epoch 0 3 s units ?
step 1 epoch 0 0.5 s units ?
step 2 epoch 0 0.5 s units ?
step 3 epoch 0 0.5 s units ?
validation epoch 0 2 s  ? higher ?
step 4 epoch 1 0.5 s units ?
step 5 epoch 1 0.5 s units ?
validation epoch 1 2 s  ? higher ?`)
}

// Keras 3 colours its bar.
func TestKeras3(t *testing.T) {
	got := said(t, Keras, "", []at{
		{1, "Epoch 3/5"},
		{2,
			"\x1b[1m  1/469\x1b[0m \x1b[37m━━━━━━━━━━━━━━━━━━━━\x1b[0m \x1b[1m7:22\x1b[0m 1s/step - accuracy: 0.1 - loss: 2.3"},
		{2.5, "\x1b[1m  6/469\x1b[0m \x1b[32m━━\x1b[0m\x1b[37m━━━━━━━━━━━━━━━━━━\x1b[0m \x1b[1m5s\x1b[0m 12ms/step - " +
			"accuracy: 0.2 - loss: 2.1"},
	}...)
	check(t, got, `
model  per epoch 469 epochs 5 batch ? of ?
warning
step 0 epoch 2 1 s units ?
step 1 epoch 2 0.1 s units ?
step 2 epoch 2 0.1 s units ?
step 3 epoch 2 0.1 s units ?
step 4 epoch 2 0.1 s units ?
step 5 epoch 2 0.1 s units ?`)
}

func TestTQDM(t *testing.T) {
	for name, c := range map[string]struct {
		lines []at
		want  string
	}{
		"epochs and named validations": {[]at{
			{0, "Downloading:  50%|█████     | 5/10 [00:01<00:01,  5.0it/s]"},
			{1, "Epoch 1/3:   0%|          | 0/4 [00:00<?, ?it/s]"},
			{2, "Epoch 1/3:  25%|██▌       | 1/4 [00:01<00:03,  1.00s/it, loss=2.3]"},
			{3, "Epoch 1/3: 100%|██████████| 4/4 [00:02<00:00,  3.00it/s, loss=2.0]"},
			{3, "val:   0%|          | 0/2 [00:00<?, ?it/s]"},
			{5, "val: 100%|██████████| 2/2 [00:02<00:00,  1.00it/s]"},
			{5, "Epoch 2/3:   0%|          | 0/4 [00:00<?, ?it/s]"},
			{6, "Epoch 2/3:  50%|█████     | 2/4 [00:01<00:01,  2.00it/s]"},
		}, `
model  per epoch 4 epochs 3 batch ? of ?
warning
step 0 epoch 0 1 s units ?
step 1 epoch 0 0.3333 s units ?
step 2 epoch 0 0.3333 s units ?
step 3 epoch 0 0.3333 s units ?
validation epoch 0 2 s  ? higher ?
step 4 epoch 1 0.5 s units ?
step 5 epoch 1 0.5 s units ?`},
		"nested, without names": {[]at{
			{0, "Epoch:   0%|          | 0/2 [00:00<?, ?it/s]"},
			{0, "  0%|          | 0/2 [00:00<?, ?it/s]"},
			{1, "\x1b[A 50%|#####     | 1/2 [00:01<00:01,  1.00s/it]"},
			{2, "100%|##########| 2/2 [00:02<00:00,  1.00s/it]"},
			{2, "  0%|          | 0/3 [00:00<?, ?it/s]"},
			{5, "100%|##########| 3/3 [00:03<00:00,  1.00s/it]"},
			{5, "Epoch:  50%|#####     | 1/2 [00:05<00:05,  5.00s/it]"},
			{5, "  0%|          | 0/2 [00:00<?, ?it/s]"},
			{7, " 50%|#####     | 1/2 [00:02<00:02,  2.00s/it]"},
		}, `
model  per epoch 2 epochs ? batch ? of ?
warning
step 0 epoch 0 1 s units ?
step 1 epoch 0 1 s units ?
validation epoch 0 3 s  ? higher ?
step 2 epoch 1 2 s units ?`},
		"total unknown": {[]at{{0, "train: 0it [00:00, ?it/s]"}, {1, "train: 2it [00:01, 2.00it/s]"}}, `
warning
step 0 epoch 0 0.5 s units ?
step 1 epoch 0 0.5 s units ?`},
		"a step is an epoch": {[]at{{0, "Epochs:   0%|  | 0/9 [00:00<?, ?it/s]"},
			{30, "Epochs:  11%|█ | 1/9 [00:30<04:00, 30.0s/it]"}}, `
model  per epoch 1 epochs 9 batch ? of ?
warning
step 0 epoch 0 30 s units ?`},
		"a bar of something else first": {[]at{
			{0, "reading: 0%|  | 0/1 [00:00<?, ?it/s]"}, {1, "reading: 100%|█| 1/1 [00:01<00:00, 1it/s]"},
			{1, "train: 0%|  | 0/1 [00:00<?, ?it/s]"}, {3, "train: 100%|█| 1/1 [00:02<00:00, 2s/it]"},
			{3, "train: 0%|  | 0/1 [00:00<?, ?it/s]"}, {6, "train: 100%|█| 1/1 [00:03<00:00, 3s/it]"},
		}, `
model  per epoch 1 epochs ? batch ? of ?
warning
step 0 epoch 0 1 s units ?
step 1 epoch 0 3 s units ?`},
	} {
		t.Run(name, func(t *testing.T) { check(t, said(t, Auto, "", c.lines...), c.want) })
	}
}

func TestMLLOG(t *testing.T) {
	mllog := func(key, value string, ms int64) string {
		return fmt.Sprintf(`0: :::MLLOG {"namespace": "", "time_ms": %d, "event_type": "POINT_IN_TIME", "key": %q, `+
			`"value": %s, "metadata": {"file": "train.py", "lineno": 7, "epoch_count": 4}}`, 1600000000000+ms, key, value)
	}
	lines := func(pairs ...any) (out []at) {
		for i := 0; i < len(pairs); i += 3 {
			out = append(out, at{float64(i), mllog(pairs[i].(string), pairs[i+1].(string), int64(pairs[i+2].(int)))})
		}
		return out
	}
	check(t, said(t, Auto, "", lines(
		"submission_benchmark", `"resnet"`, 0, "global_batch_size", "3264", 0, "train_samples", "1281167", 0,
		"init_start", "null", 0, "init_stop", "null", 60000, "run_start", "null", 60500,
		"block_start", "null", 60500, "epoch_start", "null", 61000, "epoch_stop", "null", 91000,
		"eval_start", "null", 91000, "eval_stop", "null", 94000, "eval_accuracy", "0.35", 94000,
		"epoch_start", "null", 95000, "epoch_start", "null", 95000, // from two ranks
		"eval_start", "null", 100000, "eval_accuracy", "0.6", 101000, "eval_stop", "null", 102000,
		"epoch_stop", "null", 127000, "tracked_stats", `{"throughput": 12.5}`, 127000,
		"block_stop", "null", 130000, "run_stop", "null", 130000)...), `
model resnet per epoch ? epochs ? batch ? of ?
model  per epoch ? epochs ? batch 3264 of ?
model  per epoch ? epochs ? batch ? of 1.281e+06
init 60.5 s
warning
model  per epoch 1 epochs ? batch ? of ?
step 0 epoch 0 30 s units 1.281e+06
validation epoch 1 3 s eval_accuracy 0.35 higher ?
validation epoch 1 2 s eval_accuracy 0.6 higher ?
step 1 epoch 1 30 s units 1.281e+06`)

	check(t, said(t, MLLOG, "", lines("block_start", "null", 0, "block_stop", "null", 8000)...), `
warning
model  per epoch 0.25 epochs ? batch ? of ?
step 0 epoch 0 8 s units ?`)

	check(t, said(t, MLLOG, "", lines("global_batch_size", "0", 0, "global_batch_size", "1", 0,
		"global_batch_size", "2.5", 0, "global_batch_size", "1099511627776", 0, "global_batch_size", "1099511627775", 0,
		"train_samples", "0.5", 0, "train_samples", "1", 0)...), `
model  per epoch ? epochs ? batch 1 of ?
model  per epoch ? epochs ? batch 1099511627775 of ?
model  per epoch ? epochs ? batch ? of 1`)

	old := func(seconds, tag string) at {
		return at{0, "I0820 log.py:134] :::MLPv0.5.0 ncf 1597948381" + seconds + " (ncf.py:351) " + tag}
	}
	check(t, said(t, Auto, "", old(".0", "train_epoch_start"), old(".25", `epoch_start: 0`), old(".50", "eval_start: 0"),
		old(".75", `eval_accuracy: {"epoch": 0, "value": 0.25}`), old(".80", "eval_stop: 0"), old(".95", "epoch_stop")), `
validation epoch 0 0.3 s eval_accuracy 0.25 higher ?
warning
model  per epoch 1 epochs ? batch ? of ?
step 0 epoch 0 0.4 s units ?`)
}

func TestPattern(t *testing.T) {
	for name, c := range map[string]struct {
		pattern string
		lines   []at
		want    string
	}{
		"seconds and units": {`epoch (?P<epoch>\d+) step \d+ took (?P<seconds>[\d.]+)s of (?P<units>\d+)`, []at{
			{1, "epoch 1 step 1 took 0.25s of 64"}, {2, "loss 3"}, {3, "epoch 2 step 1 took 0.5s of 64"}},
			"step 0 epoch 0 0.25 s units 64\nstep 1 epoch 1 0.5 s units 64"},
		"milliseconds and batch": {`batch=(?P<batch>[\d,]+) (?P<ms>[\d.]+) ms`,
			[]at{{1, "batch=1,024 12 ms"}, {2, "batch=1,024 13 ms"}},
			"model  per epoch ? epochs ? batch 1024 of ?\nstep 0 epoch 0 0.012 s units 1024\nstep 1 epoch 0 0.013 s units 1024"},
		"time between lines": {`^step`, []at{{1, "step done"}, {1.5, "other"}, {2, "step done"}, {4, "step done"}},
			"step 0 epoch 0 1 s units ?\nstep 1 epoch 0 2 s units ?"},
		"jumping steps, then the next epoch": {`^step (?P<step>\d+)`, []at{{1, "step 10"}, {3, "step 12"}, {5, "step 1"},
			{8, "step 2"}},
			"warning\nstep 0 epoch 0 1 s units ?\nstep 1 epoch 0 1 s units ?\nstep 2 epoch 0 2 s units ?\n" +
				"step 3 epoch 0 3 s units ?"},
		"validation": {`step|val (?P<validation_seconds>\S+) s (?:acc (?P<accuracy>[\d.]+)|loss (?P<loss>\S+))`, []at{
			{1, "step"}, {2, "val 0.7 s acc 91.5"}, {3, "step"}, {4, "val 0.8 s loss 0.3"}},
			"validation epoch 0 0.7 s accuracy 0.915 higher true\nstep 0 epoch 0 1 s units ?\n" +
				"validation epoch 0 0.8 s loss 0.3 higher false"},
		"no batch": {`batch=(?P<batch>[\d.,-]+)`, []at{{1, "batch=0"}, {2, "batch=-4"}, {3, "batch=2.5"},
			{4, "batch=99999999999999"}}, `step 0 epoch 0 1 s units ?
step 1 epoch 0 1 s units ?
step 2 epoch 0 1 s units ?`},
		"no number": {`took (?P<seconds>\S+)`, []at{{1, "took nan"}, {1, "took -1"}, {1, "took 1e999"}, {1, "took Inf"}}, ""},
	} {
		t.Run(name, func(t *testing.T) { check(t, said(t, Pattern, c.pattern, c.lines...), c.want) })
	}
}

func TestWrongUse(t *testing.T) {
	for _, c := range []struct{ kind, pattern, why string }{
		{"pytorch", "", `no adapter is called "pytorch"`},
		{"keras", "x", "leave out keras"},
		{"pattern", "", "give a pattern"},
		{"pattern", "(", "not a valid regular expression: missing closing"},
		{"pattern", "(?P<time>x)", `group "time"`},
		{"pattern", "(?P<ms>x)(?P<seconds>y)", "both seconds and ms"},
		{"pattern", "x*", "matches every line"},
		{"pattern", strings.Repeat("x", 3000), "give a pattern"},
	} {
		if _, err := New(Kind(c.kind), c.pattern); err == nil || !strings.Contains(err.Error(), c.why) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s %q: %v, want %q", c.kind, c.pattern, err, c.why)
		}
	}
}

// Time that stands still, goes back or is none gives no unsound event.
func TestClocks(t *testing.T) {
	for _, line := range []string{said(t, TQDM, "", at{5, "0%|| 0/9 [00:00"}, at{3, "1%|| 1/9 [00:00"},
		at{math.NaN(), "2%|| 2/9 [00:00"})} {
		check(t, line, "model  per epoch 9 epochs ? batch ? of ?\nwarning\nstep 0 epoch 0 0 s units ?\n"+
			"step 1 epoch 0 0 s units ?")
	}
	if got := said(t, TQDM, "", at{0, "0%|| 0/900000000 [00:00"},
		at{1, "50%|| 450000000/900000000 [00:01"}); strings.Contains(got, "step") {
		t.Errorf("a counter of bytes gave %d bytes of steps", len(got))
	}
}

// What cannot be true is neither taken nor lost without a word.
func TestImplausibleOutput(t *testing.T) {
	const pattern = `step (?P<seconds>[\d.e+-]+) of (?P<units>[\d.e+-]+)|val (?P<validation_seconds>\S+) loss ` +
		`(?P<loss>\S+)`
	for line, sound := range map[string]bool{
		"step 1e24 of 64": true, "step 1e-24 of 64": true, "step 0 of 0": true, "val 1 loss 1e24": true,
		"step 1e160 of 64": false, "step 1e-162 of 64": false, "step 1 of 1e25": false, "val 1e25 loss 1": false,
		"val 1 loss 1e25": false,
	} {
		a, err := New(Pattern, pattern)
		if err != nil {
			t.Fatal(err)
		}
		events := a.Line(1, line)
		r, rejected := events[0].(protocol.Rejection)
		if len(events) != 1 || rejected == sound || rejected && !strings.Contains(r.Why, line) {
			t.Errorf("%s: %#v", line, events)
		}
	}
}

func FuzzAdapter(f *testing.F) {
	for _, seed := range []string{
		"Epoch 1/2\n  1/4 [===>..] - ETA: 9s - loss: 2.3\n4/4 [====] - 6s 1s/step - val_loss: 1e999 - val_acc: 0.5",
		"a: 0%|  | 0/4 [00:00<?\na: 50%|█ | 2/4 [00:01<\nb: 0%|  | 0/1 [00:00<\nb: 100%|█| 1/1 [00:01<\n3it [00:01, 2it/s]",
		`:::MLLOG {"key":"epoch_start","time_ms":1}` + "\n" + `:::MLLOG {"key":"epoch_stop","time_ms":1e308}` + "\n" +
			`:::MLLOG {"key":"block_start","time_ms":-1,"metadata":{"epoch_count":1e-320}}`,
		":::MLPv0.5.0 ncf 1597948381.0 (a.py:1) eval_accuracy: {\"value\": 0.1}\nstep 12 took 3e-400 s\nstep -1 took 1e308",
	} {
		f.Add(seed, `step (?P<step>\S+) took (?P<seconds>\S+)`)
	}
	f.Fuzz(func(t *testing.T, text, regular string) {
		for _, kind := range []Kind{Auto, Keras, TQDM, MLLOG, Pattern} {
			p := ""
			if kind == Pattern {
				p = regular
			}
			a, err := New(kind, p)
			if err != nil {
				continue
			}
			for i, line := range strings.Split(text, "\n") {
				for _, e := range a.Line(float64(i)/3, line) {
					if unsound(e) {
						t.Fatalf("%s: %s", kind, words(e))
					}
					if it, ok := e.(protocol.Iteration); ok && (it.Epoch < 0 || *it.Index < 0 ||
						(it.Units != nil && !estimate.Plausible(*it.Units))) {
						t.Fatalf("%s: %s", kind, words(e))
					}
				}
			}
		}
	})
}
