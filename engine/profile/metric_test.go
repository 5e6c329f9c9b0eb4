package profile

import "testing"

func TestIsFraction(t *testing.T) {
	for metric, want := range map[string]bool{
		"val_acc": true, "top-5": true, "top-1": true, "top_10 of all": true, "eval_f1": true, "mean DICE": true,
		"masked-LM accuracy": true, "mAP": true, "val/top1": true,
		"BLEU": false, "WER": false, "loss": false, "stop-5": false, "top": false, "top speed": false,
		"mapped": false, "": false,
	} {
		if IsFraction(metric) != want {
			t.Errorf("%q is a fraction: %v", metric, !want)
		}
	}
}
