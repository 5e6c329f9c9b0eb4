package enginelog

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"sweetspot/engine/batching"
)

func ExampleRead() {
	log := "INFO 09-01 10:15:02 [kv_cache_utils.py:634] GPU KV cache size: 169,314 tokens\n" +
		"INFO 09-01 10:15:02 [kv_cache_utils.py:637] Maximum concurrency for 163,840 tokens per request: 1.03x\n"
	settings, err := Read(strings.NewReader(log))
	fmt.Println(settings.CacheTokens, err)
	// Output: 169314 <nil>
}

func TestRead(t *testing.T) {
	for name, c := range map[string]struct {
		log  string
		want batching.Settings
	}{
		"vLLM": {"INFO Chunked prefill is enabled with max_num_batched_tokens=8192.\nnon-default args: {'max_num_seqs': 64}\n" +
			"GPU KV cache size: 559,232 tokens\n", batching.Settings{MaxSequences: 64, TokenBudget: 8192, CacheTokens: 559232}},
		"two ranks": {"GPU KV cache size: 5,000 tokens\nGPU KV cache size: 4,096 tokens",
			batching.Settings{CacheTokens: 4096}},
		"blocks": {"INFO executor_base.py:110] # CUDA blocks: 27898, # CPU blocks: 2048",
			batching.Settings{CacheTokens: 446368}},
		"blocks of 32": {"# GPU blocks: 1000, # CPU blocks: 5\nMaximum concurrency for 4096 tokens per request: 7.81x",
			batching.Settings{CacheTokens: 32000}},
		"SGLang": {"[2026-09-01 TP0] max_total_num_tokens=171008, chunked_prefill_size=8192, max_prefill_tokens=16384, " +
			"max_running_requests=2048, context_len=131072",
			batching.Settings{MaxSequences: 2048, TokenBudget: 8192, CacheTokens: 171008}},
		"of a window": {"swa_max_total_num_tokens=5, max_total_num_tokens=900", batching.Settings{CacheTokens: 900}},
		"TGI": {`{"level":"INFO","message":"Setting max batch total tokens to 133696","target":"text_generation_router"}`,
			batching.Settings{CacheTokens: 133696}},
		"a long line before": {strings.Repeat("x", 3*mostLine) + "\nGPU KV cache size: 77 tokens",
			batching.Settings{CacheTokens: 77}},
	} {
		if got, err := Read(strings.NewReader(c.log)); err != nil || got != c.want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for _, log := range []string{"", "INFO: started\n", "GPU KV cache size: 0 tokens", "GPU KV cache size: -5 tokens",
		"max_total_num_tokens=99999999999999999999", "Maximum concurrency for 0 tokens per request: ...x"} {
		if s, err := Read(strings.NewReader(log)); err == nil || !strings.Contains(err.Error(), "no line says") {
			t.Errorf("%q: %+v, %v", log, s, err)
		}
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(t.TempDir(), "none.log"): "no such file or directory; check the path",
		t.TempDir():                            "it is a folder", pipe: "it is a pipe",
	} {
		_, err := ReadFile(path)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("GPU KV cache size: 169,314 tokens\nmax_num_seqs=5")
	f.Add("# GPU blocks: 9, Maximum concurrency for 4096 tokens per request: 1e9x")
	f.Add("max_total_num_tokens=1\nSetting max batch total tokens to 2")
	f.Fuzz(func(t *testing.T, log string) {
		s, err := Read(strings.NewReader(log))
		if err == nil && (s.CacheTokens < 1 || s.CacheTokens > math.MaxInt32 || s.MaxSequences < 0 || s.TokenBudget < 0) {
			t.Errorf("%+v", s)
		}
	})
}
