package candidate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"sweetspot/engine/batching"
	"sweetspot/engine/estimate"
	"sweetspot/engine/generation"
	"sweetspot/engine/memory"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/tokens"
	"sweetspot/engine/transformer"
)

// usualSequences is the most that a replica works on at once where nothing is said: vLLM's default.
const usualSequences = 256

// ofServers is the share of a GPU's memory that a server takes by default, as vLLM does.
const ofServers = 0.9

// generations are the batch inferences of a language model on the VM types of the catalog: each VM has
// as many replicas as its GPUs allow, of as few GPUs as hold the weights and the cache. left are the kinds of
// weights that are left out.
func (f *facts) generations(first int) (out []Candidate, left []string) {
	a, known := f.set.Architecture(f.work.Model)
	if !known {
		return nil, nil
	}
	speeds, servers, served := generation.NewSpeeds(f.set), f.servers(a), tokens.NewServed(f.set)
	machines, cells := f.machines(), cellNumbers{first, map[string]int{}}
	weights, left := f.weights()
	for _, w := range weights {
		for _, m := range machines {
			if !w.kind.On(m.gpu) {
				continue
			}
			x := generator{machine: m, a: a, servers: servers, served: served, speeds: speeds,
				asked: f.work.BatchSizes, lengths: *f.work.Lengths}
			if is, ok := x.best(w.kind); ok {
				c := f.generated(is, x, cells.of(fmt.Sprintf("%s/%s/%d", w.kind.Name, m.vm.GPU, m.vm.GPUCount)))
				c.Quality = w.quality
				out = append(out, c)
			}
		}
	}
	return out, left
}

// generated is the candidate of the best way to answer on a machine.
func (f *facts) generated(is way, x generator, cell int) Candidate {
	kind := is.batch.Weights.Name
	requests := math.Max(math.Ceil(f.work.Units/float64(x.lengths.Input+x.lengths.Output)), 1)
	waves := estimate.Exact(math.Max(requests/float64(is.batch.Sequences*x.vm.GPUCount/is.batch.GPUs), 1),
		estimate.Measured)
	return f.predicted(Candidate{
		Model: x.a.Name, Mode: profile.Infer, BatchSize: is.batch.Sequences, Fit: is.fit, Cell: cell,
		Sources: is.sources, Why: x.words(is.fit, is.batch, is.why),
		Variant: profile.Variant{Name: kind, Precision: cmp.Or(kind, x.precision(transformer.Half))},
	}, x.machine, is.wave, waves, generation.Common)
}

// server is one that loads were measured on, with the step times fitted to these; nil where they are
// too few.
type server struct {
	profile.Server
	fitted *batching.Fitted
}

// servers are those of a model.
func (f *facts) servers(a transformer.Architecture) (out []server) {
	for _, s := range f.set.Servers(a.Name, "") {
		fitted, err := batching.FitLoads(s.Loads, batching.Settings{})
		if err != nil {
			fitted = nil
		}
		out = append(out, server{s, fitted})
	}
	return out
}

// weighed is a kind of weights with its accuracy; nil is unknown.
type weighed struct {
	kind    generation.Weights
	quality *Quality
}

// weights are the kinds to rank: 16 bits, and others that are asked for, or whose accuracy
// somebody measured. Nothing is recommended unasked that may have lost any accuracy.
func (f *facts) weights() (out []weighed, left []string) {
	for _, w := range generation.AllWeights {
		var quality *Quality
		if a, known := f.accuracies[weightsKey(profile.Variant{Name: w.Name})]; known {
			quality = f.qualityOf(a)
		}
		asked := len(f.work.Variants) > 0
		switch {
		case asked && !slices.ContainsFunc(f.work.Variants, w.Is):
		case !asked && w != generation.Half && quality == nil:
			left = append(left, w.Name)
		default:
			out = append(out, weighed{w, quality})
		}
	}
	return out, left
}

// weightsKey names the kind of weights of a variant; those of an unknown kind have the variant's own.
func weightsKey(v profile.Variant) string {
	if w, known := generation.WeightsNamed(cmp.Or(v.Name, v.Precision)); known {
		return w.Name
	}
	return v.Key()
}

// generator looks for the way in which a VM type answers the most requests.
type generator struct {
	machine
	a       transformer.Architecture
	servers []server
	served  *tokens.Served
	speeds  *generation.Speeds
	asked   []int // sequences at once; none is as many as fit
	lengths transformer.Lengths
}

// way is one size of replicas.
type way struct {
	batch   generation.Batch
	fit     *Fit
	wave    estimate.Estimate // seconds of a batch
	why     string
	sources []int64
}

// best is the size of replicas that answers the most of those that fit for certain; else that which lacks
// least. ok is false where no time is known.
func (x *generator) best(w generation.Weights) (best way, ok bool) {
	for gpus := 1; gpus <= x.vm.GPUCount && x.vm.GPUCount%gpus == 0; gpus *= 2 {
		is := way{batch: generation.Batch{Architecture: x.a, Weights: w, GPUs: gpus, Input: x.lengths.Input,
			Output: x.lengths.Output}}
		is.fit = x.fit(&is.batch)
		if is.wave, is.why, is.sources = x.seconds(is.batch); !is.wave.Known() {
			continue
		}
		tokens := float64(is.batch.Sequences*x.vm.GPUCount/gpus) * float64(x.lengths.Input+x.lengths.Output)
		is.fit.TokensPerSecond = rate(tokens, is.wave)
		if !ok || is.fit.betters(best.fit) {
			best, ok = is, true
		}
	}
	return best, ok
}

// fit sets the sequences at once: those asked for, or as many as fit, a power of two.
func (x *generator) fit(b *generation.Batch) *Fit {
	usable := math.Min(x.usable(), ofServers*x.hasGiB*memory.GiB)
	fits := func(n int) bool {
		with := *b
		with.Sequences = n
		return with.Memory().Judge(usable) == memory.Fits
	}
	most := 0
	for n := 1; n <= usualSequences && fits(n); n *= 2 {
		most = n
	}
	if b.Sequences = max(most, 1); len(x.asked) > 0 {
		b.Sequences = slices.Max(x.asked)
	}
	f := &Fit{Need: b.Memory(), HasGiB: x.hasGiB, GPUs: b.GPUs, MicroBatch: b.Sequences, MicroBatches: 1,
		LargestBatch: most, LargestSequence: x.lengths.Input + x.lengths.Output,
		Tuning: transformer.Tuning{Checkpointing: transformer.Never, Sharding: transformer.None}}
	if most == 0 {
		f.LargestSequence = 0
	}
	f.Verdict = f.Need.Judge(usable)
	for gpus := 2 * b.GPUs; f.Verdict != memory.Fits && gpus <= 16; gpus *= 2 {
		with := *b
		if with.GPUs = gpus; with.Memory().Judge(usable) == memory.Fits {
			f.WouldFit = append(f.WouldFit, fmt.Sprintf("tensor parallelism over %d GPUs", gpus))
			break
		}
	}
	return f
}

// seconds are those of a batch: from loads that were measured on as many such GPUs, else from
// published figures.
func (x *generator) seconds(b generation.Batch) (e estimate.Estimate, why string, sources []int64) {
	gpu := profile.ParseGPUName(x.vm.GPU)
	for _, s := range x.servers {
		if s.GPUs != b.GPUs || !b.Weights.Same(s.Variant) || !gpu.SameChip(profile.ParseGPUName(s.GPU)) {
			continue
		}
		if e, why, sources = x.measured(s, b); e.Known() {
			return e, why, sources
		}
	}
	e, why = x.speeds.Seconds(b, x.vm.GPU)
	return e, why, nil
}

// measured are those that the loads of a server tell: such ones, or what lies between them; else the
// steps that all of them tell; else those of another server, or the rule, through one that was measured.
func (x *generator) measured(s server, b generation.Batch) (e estimate.Estimate, why string, sources []int64) {
	n, input, output := float64(b.Sequences), float64(b.Input), float64(b.Output)
	told := x.served.Latency(s.Server, tokens.Load{AtOnce: n, Input: input, Output: output})
	near := told.Known() && told.Basis != estimate.Transferred
	if s.fitted != nil && !near {
		found, err := s.fitted.Estimate(func(s batching.Server) ([]float64, error) {
			return []float64{s.BatchS(n, input, output)}, nil
		})
		if err == nil && found[0].Known() && found[0].Value > 0 {
			return found[0], fmt.Sprintf("step times fitted to %s measured on %s", quantity.Several(len(s.Loads), "load"),
				s.Words()), s.Runs
		}
	}
	if told.Known() {
		return told.Estimate, fmt.Sprintf("loads on %s, %s", s.Words(), told.Why), told.Runs
	}
	return x.through(s, b)
}

// through is what the rule tells that is made to meet the load of a server that is most like a batch.
func (x *generator) through(s server, b generation.Batch) (e estimate.Estimate, why string, sources []int64) {
	least := math.Inf(1)
	for i, l := range s.Loads {
		seconds := tokens.LatencyOf(l)
		if l.Concurrency == nil || !(seconds > 0) {
			continue
		}
		probe := b
		probe.Sequences, probe.Input, probe.Output = int(*l.Concurrency), int(l.Input), int(l.Output)
		if far := b.Unlike(probe); far < least {
			least = far
			e, why = x.speeds.Through(b, generation.Probe{Batch: probe, Seconds: seconds}, x.vm.GPU)
			sources = s.Runs[i : i+1]
		}
	}
	return e, why, sources
}

func (x *generator) words(f *Fit, b generation.Batch, why string) string {
	parts := []string{fmt.Sprintf("%s tokens/s, read and written", quantity.Count(math.Round(f.TokensPerSecond.Value))),
		quantity.Several(b.Sequences, "request") + " at once on each replica"}
	if b.GPUs > 1 {
		parts = append(parts, fmt.Sprintf("a replica on %d GPUs (tensor parallel)", b.GPUs))
	}
	if n := x.vm.GPUCount / b.GPUs; n > 1 {
		parts = append(parts, quantity.Several(n, "replica"))
	}
	return strings.Join(append(parts, "from "+why), "; ")
}
