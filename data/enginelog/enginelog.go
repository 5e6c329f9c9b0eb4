// Package enginelog reads how much a server of a language model holds at once from the lines
// that it writes when it starts.
//
//   - vLLM (0.4 to 0.17): GPU KV cache size: N tokens; before 0.8, # GPU blocks: N, of as many
//     tokens as follow from Maximum concurrency for N tokens per request: Nx, else of 16, its default;
//     max_num_batched_tokens and max_num_seqs where they are printed.
//   - SGLang: max_total_num_tokens=N, and chunked_prefill_size and max_running_requests beside it.
//   - TGI: Setting max batch total tokens to N.
//
// Of several servers in one log, such as data-parallel ranks, the smallest cache counts.
package enginelog

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"sweetspot/data/textfile"
	"sweetspot/engine/batching"
	"sweetspot/engine/plaintext"
)

// mostBytes of a log are read: what is looked for stands at its beginning.
const mostBytes = 64 << 20

// mostLine is the longest line that is looked at; longer ones are skipped.
const mostLine = 1 << 20

// usualBlock is the tokens of a block of vLLM's cache by default.
const usualBlock = 16

var (
	cacheSize   = regexp.MustCompile(`GPU KV cache size: ([0-9,]{1,20}) tokens`)
	blocks      = regexp.MustCompile(`# (?:GPU|CUDA) blocks: ([0-9,]{1,20})`)
	concurrency = regexp.MustCompile(`Maximum concurrency for ([0-9,]{1,20}) tokens per request: ([0-9.]{1,20})x`)
	sglang      = regexp.MustCompile(`(?:^|[^A-Za-z_])max_total_num_tokens=([0-9]{1,20})`)
	tgi         = regexp.MustCompile(`Setting max batch total tokens to ([0-9]{1,20})`)
	sequences   = regexp.MustCompile(`(?:max_num_seqs|max_running_requests)'?"?\s?[=:]\s?([0-9]{1,20})`)
	budget      = regexp.MustCompile(`(?:max_num_batched_tokens|chunked_prefill_size)'?"?\s?[=:]\s?([0-9]{1,20})`)
)

// ReadFile reads a log. Settings that it does not tell are 0; the cache it always tells.
func ReadFile(path string) (batching.Settings, error) {
	file, err := textfile.OpenFile(path)
	if err != nil {
		return batching.Settings{}, fmt.Errorf("cannot read the log of the engine %s: %w", plaintext.Clean(path),
			textfile.Unreadable(err))
	}
	defer file.Close()
	s, err := Read(file)
	if err != nil {
		return s, fmt.Errorf("%s: %w", plaintext.Quote(path), err)
	}
	return s, nil
}

// Read reads a log.
func Read(r io.Reader) (batching.Settings, error) {
	f := found{}
	in := bufio.NewReaderSize(io.LimitReader(r, mostBytes), mostLine)
	for {
		line, tooLong, err := in.ReadLine()
		f.line(string(line))
		for tooLong && err == nil {
			_, tooLong, err = in.ReadLine()
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return batching.Settings{}, fmt.Errorf("the log cannot be read: %s", plaintext.Line(err.Error(), 200))
		}
	}
	return f.settings()
}

// found is what the lines told; 0 is nothing.
type found struct {
	cache, blocks       int
	sequences, budget   int
	perRequest, request float64 // how many requests of how many tokens fit
}

func (f *found) line(text string) {
	least := func(to *int, expression *regexp.Regexp) {
		if m := expression.FindStringSubmatch(text); m != nil {
			if n := count(m[1]); n > 0 && (*to == 0 || n < *to) {
				*to = n
			}
		}
	}
	least(&f.cache, cacheSize)
	least(&f.cache, sglang)
	least(&f.cache, tgi)
	least(&f.blocks, blocks)
	least(&f.sequences, sequences)
	least(&f.budget, budget)
	if m := concurrency.FindStringSubmatch(text); m != nil {
		if times, err := strconv.ParseFloat(m[2], 64); err == nil && (f.request == 0 || times < f.request) {
			f.perRequest, f.request = float64(count(m[1])), times
		}
	}
}

// count is a whole number with or without commas; 0 where it is none that a cache could have.
func count(text string) int {
	n, err := strconv.ParseInt(strings.ReplaceAll(text, ",", ""), 10, 64)
	if err != nil || n < 1 || n > math.MaxInt32 {
		return 0
	}
	return int(n)
}

func (f *found) settings() (batching.Settings, error) {
	s := batching.Settings{MaxSequences: f.sequences, TokenBudget: f.budget, CacheTokens: f.cache}
	told := f.perRequest * f.request
	if s.CacheTokens == 0 && f.blocks > 0 {
		block := float64(usualBlock)
		if told > 0 {
			block = math.Max(math.Round(told/float64(f.blocks)), 1)
		}
		if tokens := block * float64(f.blocks); tokens <= math.MaxInt32 {
			s.CacheTokens = int(tokens)
		}
	} else if s.CacheTokens == 0 && told >= 1 && told <= math.MaxInt32 {
		s.CacheTokens = int(told)
	}
	if s.CacheTokens == 0 {
		return s, errors.New("no line says how many tokens the cache holds: give the log from the start of vLLM " +
			"(GPU KV cache size), SGLang (max_total_num_tokens) or TGI (max batch total tokens)")
	}
	return s, nil
}
