package training

import "sweetspot/engine/profile"

// validationKind is the kind of pause that a validation is where it does not end an epoch.
const validationKind = "validation"

// InEpochs gives a training whose script counts steps its epochs, in which all else is
// computed: so many as its steps make of the iterations per epoch. Data without an end,
// such as a stream, has no epochs: the whole training then is one, of as many units as
// the steps take. Validations come by steps as well, so they are pauses.
func InEpochs(r profile.Run) profile.Run {
	if r.Mode != profile.Train || r.Epochs != nil || r.Steps == nil || !(*r.Steps > 0) {
		return r
	}
	if r.IterationsPerEpoch == nil || !(*r.IterationsPerEpoch > 0) {
		r.IterationsPerEpoch = r.Steps
		if r.TrainSize = nil; r.BatchSize > 0 {
			r.TrainSize = new(*r.Steps * float64(r.BatchSize))
		}
	}
	r.Epochs = new(*r.Steps / *r.IterationsPerEpoch)
	r.FirstValidationS, r.ValidationS = nil, nil
	r.Pauses = r.Pauses[:len(r.Pauses):len(r.Pauses)]
	for _, v := range r.Validations {
		if v.AtS != nil && v.Iterations != nil && v.Seconds > 0 {
			r.Pauses = append(r.Pauses, profile.Pause{AtS: *v.AtS, Seconds: v.Seconds, Kind: validationKind,
				Iterations: v.Iterations})
		}
	}
	return r
}
