package metric

import "testing"

// BenchmarkPrint is a line of a training, as some print one a step.
func BenchmarkPrint(b *testing.B) {
	l := NewLog(&Reader{})
	for b.Loop() {
		l.Print(1, "Epoch: [0][  1/391]\tTime  0.512 ( 0.512)\tData  0.1 ( 0.1)\tLoss 6.9e+00 (6.9e+00)\tAcc@1   0.78 ( "+
			" 0.39)")
		l.Step(2, 0)
	}
}
