package session

import (
	"path/filepath"
	"strconv"
	"testing"

	"sweetspot/data/store"
	"sweetspot/engine/profile"
	"sweetspot/engine/steady"
	"sweetspot/probes/harness"
)

// BenchmarkProbeOverhead is what an iteration costs beside the model's own
// work: the harness writing the event, the pipe, parsing, judging, showing and
// saving. The start of Python is shared by all iterations.
func BenchmarkProbeOverhead(b *testing.B) {
	s, err := store.Open(b.Context(), filepath.Join(b.TempDir(), "profiles.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	files, _, err := harness.Program("python3", harness.Spec{Model: "example:fashion-cnn"}, false)
	if err != nil {
		b.Fatal(err)
	}
	const program = "import sys; sys.path.insert(0, sys.argv[1])\nfrom sweetspot_harness import events\n" +
		"for i in range(int(sys.argv[2])): events.iteration(0, i, 0.001, 64)"
	b.ResetTimer()
	p, err := Start(b.Context(), Options{
		Command:     []string{"python3", "-B", "-c", program, harness.Directory, strconv.Itoa(b.N)},
		Files:       files,
		Description: store.Description{Model: profile.Model{Name: "overhead"}, Mode: profile.Train},
		Rule:        steady.DefaultRule(), KeepRunning: true, Store: s,
	})
	if err != nil {
		b.Fatal(err)
	}
	if u := p.Wait(); u.Err != nil || len(u.Seconds) != b.N {
		b.Fatalf("%d of %d iterations, %v", len(u.Seconds), b.N, u.Err)
	}
}
