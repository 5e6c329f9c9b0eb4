package profile

import (
	"slices"
	"strconv"
	"strings"
)

// Commanded is the newest run of a model whose command is known: of those given, else of
// all; nil where there is none, or no set.
func (s *Set) Commanded(model string, mode Mode, first []int64) (best *Run) {
	if s == nil {
		return nil
	}
	given := func(r *Run) bool { return slices.Contains(first, r.ID) }
	for i := range s.Runs {
		r := &s.Runs[i]
		if len(r.Command) == 0 || r.Model != model || r.Mode != mode {
			continue
		}
		if best == nil || given(r) && !given(best) || given(r) == given(best) && r.ID > best.ID {
			best = r
		}
	}
	return best
}

// CommandAt is the command of a run at another batch size: in its one flag that names the
// batch size, with the value that was measured, the value is replaced. ok is false where
// the command is unknown, or no such flag or several are in it: the command is then as it
// was measured. Of a value per GPU the batch size of all GPUs has to be a multiple.
func (r *Run) CommandAt(batch int) (words []string, ok bool) {
	if batch <= 0 || batch == r.BatchSize {
		return r.Command, len(r.Command) > 0
	}
	at := -1
	var replaced string
	for i := range r.Command {
		name, value, joined := strings.Cut(r.Command[i], "=")
		if !joined {
			if i+1 == len(r.Command) || !strings.HasPrefix(name, "-") {
				continue
			}
			value = r.Command[i+1]
		}
		of, err := strconv.Atoi(value)
		if err != nil || !namesBatch(name) {
			continue
		}
		to, is := r.batchAs(of, batch)
		switch {
		case !is:
			continue
		case at >= 0:
			return r.Command, false
		case joined:
			at, replaced = i, name+"="+strconv.Itoa(to)
		default:
			at, replaced = i+1, strconv.Itoa(to)
		}
	}
	if at < 0 {
		return r.Command, false
	}
	words = slices.Clone(r.Command)
	words[at] = replaced
	return words, true
}

// batchAs is a batch size in the terms of a flag with a value: of the whole job, or per
// GPU.
func (r *Run) batchAs(value, batch int) (to int, ok bool) {
	if value == r.BatchSize {
		return batch, true
	}
	gpus := max(r.GPUCount, 1) * max(r.Count, 1)
	return batch / gpus, value*gpus == r.BatchSize && batch%gpus == 0
}

// namesBatch reports whether a flag is one of the batch size of the work itself.
func namesBatch(flag string) bool {
	words := strings.FieldsFunc(strings.ToLower(flag), func(r rune) bool { return strings.ContainsRune("-_./:", r) })
	if slices.ContainsFunc(words, func(w string) bool {
		return slices.Contains([]string{"eval", "val", "valid", "validation", "test", "predict"}, w)
	}) {
		return false
	}
	return flag == "-b" || slices.ContainsFunc(words, func(w string) bool {
		return slices.Contains([]string{"batch", "bs", "batchsize", "bsz", "bsize"}, w)
	})
}
