package metric

import (
	"fmt"
	"strings"
	"testing"
)

// words are what a line says: "val accuracy 0.88, epoch 3".
func words(l line) string {
	var out []string
	for _, v := range l.values {
		if v.rank == lossRank {
			continue
		}
		text := [...]string{"? ", "train ", "val ", "test "}[v.Split] + v.name + " " + fmt.Sprintf("%.6g", v.number)
		switch {
		case v.percent:
			text += " %"
		case v.share:
			text += fmt.Sprintf(" of %g", v.units)
		}
		if v.partial {
			text += " so far"
		}
		out = append(out, text)
	}
	if l.epoch != nil {
		out = append(out, fmt.Sprintf("epoch %g", *l.epoch))
	}
	return strings.Join(out, ", ")
}

// What programs print, with the version that printed it.
func TestLines(t *testing.T) {
	for _, c := range []struct{ of, line, want string }{
		{"pytorch/examples, mnist", "Test set: Average loss: 0.0264, Accuracy: 9912/10000 (99%)",
			"test accuracy 0.9912 of 10000"},
		{"pytorch/examples, mnist", "Train Epoch: 1 [6400/60000 (11%)]\tLoss: 0.512345", "epoch 1"},
		{"pytorch/examples, imagenet",
			"Epoch: [0][  1/391]\tTime  0.512 ( 0.512)\tData  0.1 ( 0.1)\tLoss 6.9e+00 (6.9e+00)\t" +
				"Acc@1   0.78 (  0.39)\tAcc@5   1.56 (  0.90)", "? top1 0.39 so far, ? top5 0.9 so far, epoch 0"},
		{"pytorch/examples, imagenet",
			"Test: [ 10/391]\tTime  0.512 ( 0.512)\tLoss 1.9e+00 (2.1e+00)\tAcc@1  70.31 ( 69.53)\t" +
				"Acc@5  89.06 ( 88.90)", "test top1 69.53 so far, test top5 88.9 so far"},
		{"pytorch/examples, imagenet", " *   Acc@1 71.230 Acc@5 90.120", "? top1 71.23, ? top5 90.12"},
		{"JAX's private training", "Test set loss, accuracy (%): (0.35, 89.12)", "test accuracy 89.12 %"},
		{"Keras's guide to evaluation", "test loss, test acc: [0.0821, 0.9761]", "test accuracy 0.9761"},
		{"names before numbers", "Loss and accuracy on the test set: 0.35 0.89", "test accuracy 0.89"},
		{"names before numbers", "Train loss, acc: 0.3, 0.8; Val loss, acc: 0.4, 0.7",
			"train accuracy 0.8, val accuracy 0.7"},
		{"names before numbers", "val loss, acc, F1: 0.35 and 0.89 and 0.8", "val accuracy 0.89, val f1 0.8"},
		{"more numbers than names", "val loss, acc: 0.35 0.89 0.3", ""},
		{"one number for both", "val loss, acc: 0.89", "val accuracy 0.89"},
		{"the best", "best val loss, acc: 0.35, 0.89", ""},
		{"PyTorch's first tutorial", " Accuracy: 91.5%, Avg loss: 0.270 ", "? accuracy 91.5 %"},
		{"PyTorch's CIFAR-10 tutorial", "Accuracy of the network on the 10000 test images: 54 %", "test accuracy 54 %"},
		{"PyTorch's CIFAR-10 tutorial", "Accuracy for class: plane is 59.5 %", ""},
		{"PyTorch's CIFAR-10 tutorial", "Accuracy of plane : 60 %", ""},
		{"PyTorch's transfer learning tutorial", "train Loss: 0.2123 Acc: 0.9123", "train accuracy 0.9123"},
		{"PyTorch's transfer learning tutorial", "val Loss: 0.1923 Acc: 0.9423", "val accuracy 0.9423"},
		{"PyTorch's transfer learning tutorial", "Best val Acc: 0.954248", ""},
		{"Keras 2.15", "469/469 [==============================] - 3s 6ms/step - loss: 0.2541 - accuracy: 0.9231 - " +
			"val_loss: " +
			"0.4123 - val_accuracy: 0.8801", "train accuracy 0.9231, val accuracy 0.8801"},
		{"Keras 3.15", "\x1b[1m94/94\x1b[0m \x1b[32m━━━━━━━━━━━━━━━━━━━━\x1b[0m\x1b[37m\x1b[0m \x1b[1m2s\x1b[0m " +
			"5ms/step - " +
			"accuracy: 0.9012 - loss: 0.3312 - val_accuracy: 0.8801 - val_loss: 0.4103",
			"train accuracy 0.9012, val accuracy 0.8801"},
		{"Keras 2.15", "Epoch 3: val_accuracy improved from 0.85000 to 0.88120, saving model to best.h5", ""},
		{"Lightning 2.1, with rich", "│          val_acc          │    0.8799999952316284     │", "val accuracy 0.88"},
		{"Lightning 2.1", "         val_acc            0.8799999952316284", "val accuracy 0.88"},
		{"Lightning 2.6", "│ 1 │ val_accuracy  │ MulticlassAccuracy │      0 │ train │     0 │", ""},
		{"Lightning 2.6", "1 | val_accuracy  | MulticlassAccuracy | 0      | train", ""},
		{"Lightning 2.1", "Epoch 2: 100%|██████████| 47/47 [00:00<00:00, 62.13it/s, v_num=0, train_loss=0.301, " +
			"val_acc=0.880]",
			"val accuracy 0.88, epoch 2"},
		{"Lightning 2.1", "Epoch 3, global step 100: 'val_acc' reached 0.88000 (best 0.88000), saving model to " +
			"'/x/epoch=3-val_acc=0.88.ckpt' as top 1", "val accuracy 0.88, epoch 3"},
		{"transformers 4.40",
			"{'eval_loss': 0.41, 'eval_accuracy': 0.87, 'eval_runtime': 1.2, 'eval_samples_per_second': 833.1, " +
				"'epoch': 1.0}", "val accuracy 0.87, epoch 1"},
		{"transformers 4.40", "{'loss': 0.5123, 'grad_norm': 1.2, 'learning_rate': 4.5e-05, 'epoch': 0.5}", "epoch 0.5"},
		{"transformers 4.40", "  eval_accuracy           =     0.8775", "val accuracy 0.8775"},
		{"timm 0.9", "Train: 0 [   0/1251 (  0%)]  Loss: 6.95 (6.95)  Time: 1.234s, 105.5/s  (1.2s, 105.5/s)  LR: " +
			"1.000e-05", ""},
		{"timm 0.9", "Test: [  78/78]  Time: 0.123 (0.130)  Loss:   1.0523 ( 1.1023)  Acc@1:  75.2344 ( 74.9120)  " +
			"Acc@5:  92.1875 " +
			"( 92.1120)", "test top1 74.912, test top5 92.112"},
		{"timm 0.9", "*** Best metric: 75.2 (epoch 3)", ""},
		{"tqdm", "Epoch 3:  87%|████▋ | 87/100 [00:03<00:00, 30.1it/s, loss=0.31, acc=0.88]",
			"? accuracy 0.88 so far, epoch 3"},
		{"tqdm", "Validating: 100%|██████████| 20/20 [00:00<00:00, 21.5it/s, val_acc=0.88]", "val accuracy 0.88"},
		{"tqdm", "train:  87%|████▋ | 87/100 [00:03<00:00, 30.1it/s]", ""},
		{"a dictionary", "{'accuracy': 0.9134}", "? accuracy 0.9134"},
		{"a dictionary, NumPy 2", "{'accuracy': np.float64(0.9134)}", "? accuracy 0.9134"},
		{"JSON", `{"epoch":3,"val_acc":0.88}`, "val accuracy 0.88, epoch 3"},
		{"JSON", `{"train": {"acc": 0.91, "loss": 0.2}, "val": {"acc": 0.88, "loss": 0.3}, "epoch": 2}`,
			"train accuracy 0.91, val accuracy 0.88, epoch 2"},
		{"torchvision, detection", " Average Precision  (AP) @[ IoU=0.50:0.95 | area=   all | maxDets=100 ] = 0.373",
			"? average precision 0.373"},
		{"scikit-learn", "    accuracy                           0.97     10000", "? accuracy 0.97"},
		{"", "val_loss 0.31 val_acc 0.88", "val accuracy 0.88"},
		{"", "INFO:root:Epoch 3/20 - loss 0.3 - val accuracy: 88.1%", "val accuracy 88.1 %, epoch 3"},
		{"", "2024-05-01 12:30:45,123 - train.py - INFO - epoch 3 val_acc=0.881", "val accuracy 0.881, epoch 3"},
		{"", "Epoch 3/20 - train loss: 0.31 - train accuracy: 91.0% - val loss: 0.40 - val accuracy: 88.1%",
			"train accuracy 91 %, val accuracy 88.1 %, epoch 3"},
		{"", "Epoch [3/20], Train Loss: 0.30, Val Loss: 0.41, Val Acc: 88.12%", "val accuracy 88.12 %, epoch 3"},
		{"", "Epoch: 3 | train_loss: 0.31 | train_acc: 0.91 | test_loss: 0.40 | test_acc: 0.8812",
			"train accuracy 0.91, test accuracy 0.8812, epoch 3"},
		{"", "Epoch 10 | Train acc 91.2 | Val acc 88.1 | Best 88.3", "train accuracy 91.2, val accuracy 88.1, epoch 10"},
		{"", "Test Accuracy: 0.9123", "test accuracy 0.9123"},
		{"", "acc: 88.12% (val)", "val accuracy 88.12 %"},
		{"", "Accuracy on test set = 93.10%", "test accuracy 93.1 %"},
		{"", "reached 88.1% accuracy on the validation set", "val accuracy 88.1 %"},
		{"", "Got 8812 / 10000 correct (88.12)", "? accuracy 0.8812 of 10000"},
		{"", "Validation: loss=0.31, acc=88.1", "val accuracy 88.1"},
		{"", "Validation accuracy after epoch 3: 0.8812", "val accuracy 0.8812, epoch 3"},
		{"", "[epoch 3] valid top1 71.2", "val top1 71.2, epoch 3"},
		{"", "Eval | Top-1 err 23.1", "val top1 error 23.1"},
		{"a DDP tutorial", "Epoch: 001/003 | Batchsize 002 | Train/Val Acc: 0.47", "train accuracy 0.47, epoch 1"},
		{"", "[Test] acc=88.1, [Train] acc=91.2", "test accuracy 88.1, train accuracy 91.2"},
		{"", "Val Accuracy: tensor(0.8812, device='cuda:0')", "val accuracy 0.8812"},
		{"", "Accuracy (%): 88.1", "? accuracy 88.1 %"},
		{"", "Val IoU: 0.612 | Pixel Acc: 93.1", "val iou 0.612, val pixel accuracy 93.1"},
		{"", "val wer 12.3%", "val wer 12.3 %"},
		{"", "Validation perplexity: 24.31", "val perplexity 24.31"},
		{"", "R2 score on test set: 0.812", "test r2 0.812"},
		{"", "F1-score (macro): 0.812", "? f1 0.812"},
		{"", "eval/accuracy: 0.881, eval/loss: 0.3", "val accuracy 0.881"},
		{"", "val mAP@0.5:0.95: 0.373", "val map50-95 0.373"},
		{"", "ROC-AUC val: 0.91", "val auc 0.91"},
	} {
		var r Reader
		if got := words(r.read(c.line)); got != c.want {
			t.Errorf("%s: %s\ngot  %s\nwant %s", c.of, c.line, got, c.want)
		}
	}
}

// Numbers that are no result of a validation.
func TestNoResults(t *testing.T) {
	for _, line := range []string{
		"GPU utilisation 97%, mem 54%, lr 0.001", "val_loss: 0.31", "test loss 0.31, 5 s", "Evaluating: 54%",
		"gradient accumulation 4, grad_acc 4", "target accuracy 0.9", "early stopping: val_acc did not improve from 0.88",
		"Namespace(lr=0.1, target_acc=0.9, grad_acc=2)", "val_acc threshold 0.5", "New best val acc: 0.881, saving",
		"Loaded checkpoint (epoch 30) with best acc 0.88", "accuracy of clock 5 ms", "val time: 12.5 s",
		"learning rate 0.1",
		"Using 16bit precision 16", "precision: 16", "map:  10%|█ | 1/10 [00:01<00:09, 1it/s]", "val_acc: nan",
		"val_acc: -0.5",
		"val_acc: 512", "val accuracy per class: [0.9, 0.8, 0.7]", "val_acc 0.85 -> 0.88", "baseline test accuracy: 0.5",
		"saved to runs/val_acc_0.88/model.pt", "epoch=3-val_acc=0.88.ckpt", "test 7/10 passed", "accuracy", "val_acc:",
		"top 5 words",
		"error: 12", "Test error: no such file 404", "evaluation every 5 epochs", "eval_steps: 500",
		"val accuracy std: 0.01",
		"correct: 31", "memory 80%| power 90%",
	} {
		var r Reader
		l := r.read(line)
		l.epoch = nil
		if got := words(l); got != "" {
			t.Errorf("%s\nread as %s", line, got)
		}
	}
}
