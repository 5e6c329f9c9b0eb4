package session

import (
	"cmp"
	"slices"
	"time"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/steady"
	"sweetspot/engine/training"
	"sweetspot/probes/gpu"
	"sweetspot/probes/metric"
	"sweetspot/probes/protocol"
)

// update is the state as clients see it.
func (p *state) update() Update {
	if p.unresolved {
		p.resolve()
	}
	s := p.summarise()
	w := p.steadyWork(s)
	warnings := tail(p.warnings, shownWarnings)
	if w := p.aboutCopies(); w != "" {
		warnings = append(warnings, w)
	}
	interference := p.loads.Interference(p.stepping())
	if interference != nil {
		// How much shorter a step alone is cannot be told, only by how much at most.
		s.Steady.Low = min(s.Steady.Low, interference.Least(s.Steady.Value))
		warnings = append(warnings, interference.Words(s.Steady.Value))
	}
	r := p.run(s)
	p.addEnergy(&r, w)
	r.InputWait = w.waitShare
	return Update{
		Run:              r,
		Machine:          p.described.Machine,
		Seconds:          p.series.Seconds(),
		Summary:          s,
		Telemetry:        tail(p.telemetry, shownReadings),
		Layers:           p.layers,
		Limit:            p.limit,
		InputWait:        w.waitShare,
		MemoryBytes:      p.peak,
		MemoryTotalBytes: p.total, MemoryReservedBytes: p.reserved,
		AccuracyRead: p.aboutAccuracy(),
		AccuracyFrom: p.accuracyFrom(),
		Log:          tail(p.log, shownLog),
		Warnings:     append(warnings, gpu.Warnings(p.telemetry, w.waitShare, w.begin, w.end)...),
		Rejected:     p.rejected,
	}
}

// stepping is the share of the time since the first iteration that was spent in
// iterations; 0 where there are none.
func (p *state) stepping() float64 {
	if len(p.work.blocks) < 2 {
		return 0
	}
	return min(p.steppedS/(p.work.blocks[len(p.work.blocks)-1].end-p.work.blocks[0].end), 1)
}

// addEnergy adds what the sensors say of the steady work: those of the GPUs, or
// of the CPUs where no GPU was used.
func (p *state) addEnergy(r *profile.Run, w steadyWork) {
	readings, of := p.telemetry, profile.EnergyOfGPUs
	if r.GPUCount == 0 {
		readings, of = p.packages, profile.EnergyOfCPUs
	}
	r.EnergyJPerUnit, r.AveragePowerW = gpu.Energy(readings, w.begin, w.end, w.units)
	if r.AveragePowerW != nil {
		r.EnergyOf = of
	}
	if len(p.hosts.all()) > 1 {
		r.EnergyJPerUnit = nil // the units are those of all hosts, the sensors those of this one
	}
}

// steadyWork is the work of the steady iterations.
func (p *state) steadyWork(s steady.Summary) steadyWork {
	if !s.IsSteady {
		return steadyWork{}
	}
	return p.work.from(1+s.Warmup, p.series.Seconds())
}

// summarise summarises the iterations up to the rule's verdict: those between
// the verdict and the script's end must not change the answer.
func (p *state) summarise() steady.Summary {
	s := p.series.Summary()
	if !s.IsSteady && p.decided > 0 {
		return steady.Summarise(p.series.Seconds()[:p.decided])
	}
	return s
}

// run is the live run, as the database will hold it once it has ended.
func (p *state) run(s steady.Summary) profile.Run {
	d, m := p.described, p.described.Machine
	r := profile.Run{
		ID: p.id, Model: d.Model.Name, Dataset: d.Model.Dataset, Unit: d.Model.Unit, Variant: d.Variant, Mode: d.Mode,
		Cloud: m.VM.Cloud, Region: m.VM.Region, InstanceType: m.VM.InstanceType,
		GPU: m.GPU, GPUCount: m.GPUCount, NoGPU: m.NoGPU, GPUMemGiB: m.GPUMemGiB, CPUs: m.CPUs, Count: max(d.Count, 1),
		WorldSize: d.WorldSize, USDPerHour: m.USDPerHour,
		BatchSize: d.BatchSize, Epochs: d.Epochs, IterationsPerEpoch: d.IterationsPerEpoch, TrainSize: d.TrainSize,
		Steps: d.Steps, Schedule: d.Schedule, Sizes: d.Sizes,
		Command: d.Command, Folder: d.Folder, Packages: d.Packages, Work: d.Work, Tuning: d.Tuning, Framework: d.Framework,
		InitS:           p.initS,
		PeakMemoryBytes: p.peak, Accuracy: p.accuracy, Validations: slices.Clip(p.checks), Pauses: slices.Clip(p.pauses),
		Status: profile.Running, Basis: estimate.Measured,
		Source: "sweetspot probe on " + m.Host, AsOf: d.StartedAt.UTC().Format(time.DateOnly),
	}
	r.InstanceType = cmp.Or(r.InstanceType, m.Host)
	s.Describe(&r)
	// The pass that measured an inference's accuracy is not part of its work.
	if d.Mode == profile.Train {
		r.FirstValidationS, r.ValidationS = validationSeconds(p.checks)
	}
	return training.InEpochs(r)
}

// validationSeconds returns the first validation's time and the mean of the
// later ones; nil where there was none. Of what was only printed the time is unknown.
func validationSeconds(checks []profile.Validation) (first, later *float64) {
	checks = slices.DeleteFunc(slices.Clone(checks), func(v profile.Validation) bool { return v.Seconds == 0 })
	if len(checks) == 0 {
		return nil, nil
	}
	first = new(checks[0].Seconds)
	if rest := checks[1:]; len(rest) > 0 {
		mean := 0.0
		for _, v := range rest {
			mean += v.Seconds / float64(len(rest))
		}
		later = &mean
	}
	return first, later
}

// work is what is known about the steps besides their times: when they ended, how
// many units they processed and how long they waited for input, over all ranks. It
// is summed over blocks of steps, at whose ends the steady ones may begin.
type work struct {
	blocks  []block
	waits   map[int]float64 // of the newest steps, of the rank that waited longest
	waiting bool            // some step reported how long it waited
}

type block struct{ end, units, wait float64 } // seconds since the process began, units, seconds

// blockSteps are as many steps as [steady.Summary] cuts at once; the first step
// stands alone.
const blockSteps = 5

// lag is how many steps a rank may be behind another one for its wait to be
// compared with that of the other.
const lag = 1 << 12

func (w *work) add(i int, e protocol.Iteration, t float64) {
	k := (i + blockSteps - 1) / blockSteps
	if k == len(w.blocks) {
		w.blocks = append(w.blocks, block{})
	}
	b := &w.blocks[k]
	b.end = max(b.end, t)
	if e.Units != nil {
		b.units += *e.Units
	}
	if e.Wait == nil {
		return
	}
	if !w.waiting {
		w.waiting, w.waits = true, map[int]float64{}
	}
	if wait := min(*e.Wait, e.Seconds); wait > w.waits[i] {
		b.wait += wait - w.waits[i]
		w.waits[i] = wait
	}
	delete(w.waits, i-lag)
}

// steadyWork is the steady part of a run's work.
type steadyWork struct {
	begin, end float64  // seconds since the process began
	units      float64  // 0 unknown
	waitShare  *float64 // share of the time spent waiting for input; nil if no step reported it
}

// from summarises the steps from first on, which begins a block; seconds are the
// times of all.
func (w *work) from(first int, seconds []float64) (s steadyWork) {
	k := (max(first, 1) + blockSteps - 1) / blockSteps
	if k >= len(w.blocks) {
		return s
	}
	s.begin = w.blocks[k-1].end
	wait, all := 0.0, 0.0
	for _, b := range w.blocks {
		s.end = max(s.end, b.end)
	}
	for _, b := range w.blocks[k:] {
		s.units += b.units
		wait += b.wait
	}
	for _, x := range seconds[first:] {
		all += x
	}
	if w.waiting && all > 0 {
		s.waitShare = new(min(wait/all, 1))
	}
	return s
}

// aboutAccuracy says what was read as the accuracy, or that none was.
func (p *state) aboutAccuracy() string {
	switch {
	case p.read != nil:
		return p.read.Words()
	case p.results != nil && len(p.checks) > 0 && p.accuracy == nil:
		return metric.Unread(len(p.checks))
	}
	return ""
}

// accuracyFrom is the name that the accuracy was printed with; "" for none.
func (p *state) accuracyFrom() string {
	if p.read == nil || p.read.Loss {
		return ""
	}
	return p.read.Label
}
