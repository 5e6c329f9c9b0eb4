package hook

import "testing"

// A network that is evaluated before its first step has a validation more. To show it, or
// another one, is none.
func TestUntrained(t *testing.T) {
	for name, want := range map[string]int{"loader": 1, "several": 2, "batches": 1, "drawn": 1, "wrapped": 1,
		"gradients": 1, "summed_up": 0, "few": 0, "shown": 0, "checked": 0, "teacher": 0, "statistics": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := run(t, "untrained.py", name)
			untrained := 0
			for i, v := range r.validations {
				if v.Untrained {
					untrained++
				}
				if v.Untrained != (i < want) {
					t.Errorf("validation %d is %+v", i, v)
				}
			}
			if untrained != want || len(r.validations) != want+3 || len(r.iterations) != 18 {
				t.Errorf("%d steps, %d validations, %d of these before them, want %d; %q", len(r.iterations),
					len(r.validations), untrained, want, r.stderr)
			}
		})
	}
}
