package question

import (
	"errors"

	"sweetspot/engine/profile"
)

// checkTuning says why a language model cannot be trained so; nil where it can, or where the
// question is about other work.
func (q *Query) checkTuning() error {
	switch {
	case q.Tuning == nil:
		return nil
	case q.Mode != profile.Train:
		return errors.New("--tuning belongs to training: add --mode train")
	case q.Epochs != nil || q.Steps != nil || q.TargetAccuracy != nil:
		return errors.New("a language model is trained on a number of tokens: use --units in place of --epochs, --steps and " +
			"--target-accuracy")
	case !(q.Units > 0):
		return errors.New("the work is not above zero")
	}
	return q.Tuning.Check()
}
