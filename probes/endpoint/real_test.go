package endpoint

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"sweetspot/engine/batching"
	"sweetspot/probes/porttest"
)

// transformersServe starts the server of transformers with a random network, on
// this machine alone.
func transformersServe(t *testing.T) Target {
	t.Helper()
	bin := os.Getenv("SWEETSPOT_SERVING")
	if bin == "" {
		t.Skip("SWEETSPOT_SERVING names no environment with transformers[serving]; make test-serving sets one up, " +
			"which CI leaves out")
	}
	model := filepath.Join(t.TempDir(), "model")
	offline := append(os.Environ(), "HF_HUB_OFFLINE=1", "OMP_NUM_THREADS=1")
	made := exec.CommandContext(t.Context(), filepath.Join(bin, "bin", "python"),
		append([]string{"testdata/model.py", model}, vocabulary...)...)
	made.Env = offline
	if out, err := made.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	port := porttest.Free(t)
	ctx, stop := context.WithCancel(context.Background())
	server := exec.CommandContext(ctx, filepath.Join(bin, "bin", "transformers"), "serve", model, "--continuous-batching",
		"--device", "cpu", "--attn-implementation", "sdpa", "--cb-num-blocks", "64", "--cb-max-batch-tokens", "512",
		"--host", "127.0.0.1", "--port", port, "--log-level", "warning")
	server.Env = offline
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		_ = server.Wait() // it was killed
	})
	for until := time.Now().Add(4 * time.Minute); ; time.Sleep(time.Second) {
		if r, err := http.Get("http://127.0.0.1:" + port + "/health"); err == nil {
			r.Body.Close()
			break
		}
		if time.Now().After(until) {
			t.Fatal("transformers serve does not start")
		}
	}
	return Target{URL: "http://127.0.0.1:" + port + "/v1", Model: model, Timeout: 2 * time.Minute}
}

// A real server batches, its tokens are counted as it counts them, and the
// simulation with step times fitted to one load is set beside another one.
func TestTransformersServe(t *testing.T) {
	c, err := New(transformersServe(t), 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Calibrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	load := func(concurrency, requests int) []batching.Observed {
		answers, err := c.RunClosed(t.Context(), Closed{Concurrency: concurrency, Input: 64, Output: 30, Requests: requests})
		log, failed := Log(answers)
		if err != nil || failed > 0 || len(log) != requests {
			t.Fatalf("%d answered, %d failed, %v", len(log), failed, err)
		}
		for _, o := range log {
			if o.Input != 64 || o.Output < 1 || o.Output > 30 {
				t.Fatalf("%d tokens in and %d out", o.Input, o.Output)
			}
		}
		return log
	}
	load(1, 4) // warms it up
	alone, together := perSecond(load(1, 12)), perSecond(load(8, 48))
	t.Logf("%.0f tokens/s with 1 client, %.0f with 8", alone, together)
	if together < 1.3*alone {
		t.Errorf("eight clients get %.0f tokens/s, one alone %.0f: it does not batch", together, alone)
	}
	requests := batching.Synthetic(batching.Lengths{Input: 64, Output: 30, Spread: 0.5}, 150, together/30/4, 5)
	answers, err := c.RunOpen(t.Context(), Open{requests})
	log, failed := Log(answers)
	if err != nil || failed > 0 {
		t.Fatalf("%d failed, %v", failed, err)
	}
	fit, err := batching.Fit(log, 50, batching.Settings{TokenBudget: 512})
	if err != nil {
		t.Fatal(err)
	}
	for i := range log {
		requests[i] = log[i].Request
	}
	out, err := batching.Simulate(requests, fit.Server)
	if err != nil {
		t.Fatal(err)
	}
	is, was := batching.LatenciesOf(out.Observe(requests)[50:], nil), batching.LatenciesOf(log[50:], nil)
	for what, pair := range map[string][2]float64{
		"TTFT p50": {was.TTFT.P50, is.TTFT.P50}, "TTFT p95": {was.TTFT.P95, is.TTFT.P95},
		"TPOT p50": {was.TPOT.P50, is.TPOT.P50}, "TPOT p95": {was.TPOT.P95, is.TPOT.P95},
	} {
		t.Log(what, fmt.Sprintf("measured %.1f ms, simulated %.1f ms, %+.0f %%", 1000*pair[0], 1000*pair[1],
			100*(pair[1]/pair[0]-1)))
	}
	// On a machine that does other things too, times vary: the middle only is held.
	if ratio := is.TPOT.P50 / was.TPOT.P50; ratio < 0.5 || ratio > 2 {
		t.Errorf("the median TPOT is simulated as %.2f times what it is", ratio)
	}
}

// perSecond are the tokens that were generated in a second.
func perSecond(log []batching.Observed) float64 {
	tokens, end := 0, 0.0
	for _, o := range log {
		tokens, end = tokens+o.Output, max(end, o.LastS)
	}
	return float64(tokens) / (end - log[0].ArrivalS)
}
