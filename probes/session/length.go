package session

import (
	"cmp"
	"fmt"
	"math"

	"sweetspot/engine/profile"
)

// alone is what a script that went to its own end would have taken without a probe, which
// spent so many seconds.
func (p *state) alone(spent float64) float64 { return max(spent-p.overheadS, 0) }

// ended gives a training that ended by itself the length that it had: however long it was
// to be, as with early stopping, or where it did not say so.
func (p *state) ended(now float64) {
	done := float64(cmp.Or(p.counts[0], p.series.Len()))
	d := &p.described
	if d.Mode != profile.Train || done == 0 || p.drawn > 0 || p.unwatched {
		return // a bar that is drawn need not show every step, and a script that is no longer watched shows none
	}
	p.withdraw(p.ahead)
	per := d.IterationsPerEpoch
	if per == nil && d.Epochs != nil && math.Mod(done, *d.Epochs) == 0 {
		per = new(done / *d.Epochs)
		d.IterationsPerEpoch = per
	}
	length, said, unit := &d.Epochs, d.Epochs, "epochs"
	switch {
	case d.Steps != nil || per == nil:
		length, said, unit = &d.Steps, d.Steps, "steps"
		if d.Steps == nil {
			d.Epochs = nil // of unknown length
		}
	case said != nil && math.Abs(*said**per-done) < 1:
		done = *said
	default:
		done /= *per
	}
	if said != nil && done < *said {
		p.warn(fmt.Sprintf("it ended after %.4g of its %.4g %s; the estimate is of these", done, *said, unit), now)
	}
	*length, p.redescribed = &done, true
}
