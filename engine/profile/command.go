package profile

import (
	"cmp"
	"regexp"
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

// OfScript reports whether a command of the user's was run, and not a model by sweetspot.
func (r Run) OfScript() bool { return len(r.Command) > 0 && r.Command[0] != "sweetspot" }

// PackagesOf are those that a run had imported; else, as of a run elsewhere, those of the
// newest run of its command, or script, in the same folder. Nil is unknown.
func (s *Set) PackagesOf(run *Run) []string {
	if run.Packages != nil {
		return run.Packages
	}
	return s.PackagesFor(run.Command, run.Folder)
}

// PackagesFor are those that the newest run of a command in a folder had imported, or of the
// same script there with other arguments. Nil is unknown.
func (s *Set) PackagesFor(command []string, folder string) []string {
	if s == nil || len(command) == 0 {
		return nil
	}
	same := s.packages(func(r *Run) bool { return r.Folder == folder && slices.Equal(r.Command, command) })
	if same != nil || script(command) == "" {
		return same
	}
	return s.packages(func(r *Run) bool { return r.Folder == folder && script(r.Command) == script(command) })
}

// script is the first word of a command that names a Python file; "" where none does.
func script(command []string) string {
	if i := slices.IndexFunc(command, func(w string) bool { return strings.HasSuffix(w, ".py") }); i >= 0 {
		return command[i]
	}
	return ""
}

// packages are those of the newest of the runs that tells.
func (s *Set) packages(of func(*Run) bool) (found []string) {
	newest := int64(0)
	for i := range s.Runs {
		if r := &s.Runs[i]; r.Packages != nil && r.ID > newest && of(r) {
			newest, found = r.ID, r.Packages
		}
	}
	return found
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

// IsPackage reports whether text is the name of a distribution with its version, as
// numpy==1.26.4, and nothing else.
func IsPackage(text string) bool { return packageForm.MatchString(text) }

var packageForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,79}==[0-9][A-Za-z0-9._!-]{0,39}$`)

// runtimes are the distributions that run a network with kernels of their own, and what is
// the same by another name.
var runtimes = map[string]string{
	"tensorrt": "tensorrt", "torch-tensorrt": "tensorrt", "onnxruntime": "onnxruntime",
	"onnxruntime-gpu": "onnxruntime", "openvino": "openvino",
}

// Runtime is what ran the network, by the run's packages, in place of the framework that it
// was written in; "" is the framework, or unknown.
func (r *Run) Runtime() (name string) {
	for _, p := range r.Packages {
		p, _, _ = strings.Cut(p, "==")
		name = cmp.Or(name, runtimes[strings.ReplaceAll(strings.ToLower(p), "_", "-")])
	}
	return name
}
