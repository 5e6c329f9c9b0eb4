package endpoint

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sweetspot/engine/batching"
)

func client(t *testing.T, handle http.HandlerFunc) *Client {
	t.Helper()
	// A server notices that a client is gone only once it has read the request.
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(text))
		handle(w, r)
	}))
	t.Cleanup(server.Close)
	c, err := New(Target{URL: server.URL + "/v1/", Model: "m", Timeout: 2 * time.Second}, 1)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// body is what a request asks for.
type body struct {
	Model         string `json:"model"`
	Prompt        string `json:"prompt"`
	Messages      []any  `json:"messages"`
	MaxTokens     int    `json:"max_tokens"`
	IgnoreEOS     *bool  `json:"ignore_eos"`
	StreamOptions any    `json:"stream_options"`
}

func asked(r *http.Request) (b body) {
	_ = json.NewDecoder(r.Body).Decode(&b)
	return b
}

// stream answers with as many pieces as are asked for, two tokens for each word of
// the prompt and seven more.
func stream(w http.ResponseWriter, b body, wait time.Duration) {
	f := w.(http.Flusher)
	fmt.Fprint(w, ": a comment\n\ndata: {\"choices\":[{\"text\":\"\"}]}\n\n")
	for i := range b.MaxTokens {
		if i > 0 {
			time.Sleep(wait)
		}
		fmt.Fprintf(w, "data: {\"choices\":[{\"text\":\" w%d\"}]}\n\n", i)
		f.Flush()
	}
	fmt.Fprintf(w, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":%d}}\n\ndata: [DONE]\n\n",
		7+2*len(strings.Fields(b.Prompt)), b.MaxTokens)
}

// Prompts have the length asked for once the server has shown how it counts, and a
// token's time is when it came.
func TestAsk(t *testing.T) {
	c := client(t, func(w http.ResponseWriter, r *http.Request) { stream(w, asked(r), 20*time.Millisecond) })
	if err := c.Calibrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	a := c.Ask(t.Context(), 207, 4)
	if a.Err != nil || a.Input != 207 || a.Output != 4 || len(a.Gaps) != 3 {
		t.Fatalf("%+v", a)
	}
	if tpot := a.TPOT(); tpot < 0.02 || a.TTFT() <= 0 {
		t.Errorf("TTFT %g, TPOT %g", a.TTFT(), tpot)
	}
}

// What a server does not know is left out, and chat is used where there is nothing
// else.
func TestLearns(t *testing.T) {
	for name, c := range map[string]struct {
		refuse     func(path string, b body) int
		chat       bool
		eos, usage bool
	}{
		"all":     {func(string, body) int { return 0 }, false, true, true},
		"no chat": {func(path string, _ body) int { return 404 * strings.Count(path, "/v1/completions") }, true, true, true},
		"strict": {func(_ string, b body) int {
			if b.IgnoreEOS != nil {
				return 422
			}
			return 0
		}, false, false, true},
		"bare": {func(_ string, b body) int {
			if b.IgnoreEOS != nil || b.StreamOptions != nil {
				return 400
			}
			return 0
		}, false, false, false},
	} {
		var last atomic.Value
		cl := client(t, func(w http.ResponseWriter, r *http.Request) {
			b := asked(r)
			if status := c.refuse(r.URL.Path, b); status != 0 {
				http.Error(w, `{"error":{"message":"unknown"}}`, status)
				return
			}
			last.Store(b)
			stream(w, b, 0)
		})
		if err := cl.Calibrate(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		b := last.Load().(body)
		if (len(b.Messages) > 0) != c.chat || (b.IgnoreEOS != nil) != c.eos || (b.StreamOptions != nil) != c.usage {
			t.Errorf("%s: %+v", name, b)
		}
	}
}

func TestHostileServers(t *testing.T) {
	for name, c := range map[string]struct {
		handle http.HandlerFunc
		words  string
	}{
		"an error": {func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "{\"error\":{\"message\":\"out of \x1b[2Jmemory\"}}", 500)
		}, "status 500"},
		"an empty error": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }, "status 503 Service " +
			"Unavailable"},
		"a redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://example.org/", http.StatusTemporaryRedirect)
		}, "which is not followed"},
		"no JSON": {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "data: {]\n\n") }, "which " +
			"is not JSON"},
		"a web page": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w,
				"<html>hello</html>\n")
		}, "streams no text"},
		"wrong types": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "data: {\"choices\": "+
				"7}\n\n")
		}, "which is not JSON"},
		"an error in the stream": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "data: {\"error\": {\"message\": \"gone\"}}\n\n")
		}, "the server reports"},
		"a huge line": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "data: \""+strings.Repeat("x", maxLine+10)+"\"\n")
		}, "a line longer than"},
		"a stream without end": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				fmt.Fprint(w, "data: {\"choices\":[{\"text\":\"x\"}]}\n\n")
				w.(http.Flusher).Flush()
				time.Sleep(10 * time.Millisecond)
			}
		}, "is not complete after 2s"},
		"silence": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "2s"},
		"a cut answer": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "999")
			_, _ = io.WriteString(w, "data: {}\n")
		}, "EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := client(t, c.handle).Ask(t.Context(), 10, 5)
			if a.Err == nil || !strings.Contains(a.Err.Error(), c.words) {
				t.Fatalf("%v, want the words %q", a.Err, c.words)
			}
			if strings.ContainsAny(a.Err.Error(), "\x1b\n") {
				t.Errorf("%q is not one plain sentence", a.Err)
			}
		})
	}
}

// As many clients ask at once as are said, and as many requests are sent.
func TestRunClosed(t *testing.T) {
	var now, most, all atomic.Int64
	c := client(t, func(w http.ResponseWriter, r *http.Request) {
		all.Add(1)
		for n := now.Add(1); n > most.Load(); {
			most.Store(n)
		}
		stream(w, asked(r), 5*time.Millisecond)
		now.Add(-1)
	})
	answers, err := c.RunClosed(t.Context(), Closed{Concurrency: 3, Input: 20, Output: 5, Requests: 12})
	if err != nil || len(answers) != 12 || all.Load() != 12 || most.Load() > 3 || most.Load() < 2 {
		t.Errorf("%d answers, %d requests, %d at once, %v", len(answers), all.Load(), most.Load(), err)
	}
	log, failed := Log(answers)
	if len(log) != 12 || failed != 0 || log[0].ArrivalS > log[11].ArrivalS {
		t.Errorf("%d in the log, %d failed", len(log), failed)
	}
}

// Requests are sent when they arrive, also while others are not answered.
func TestRunOpen(t *testing.T) {
	c := client(t, func(w http.ResponseWriter, r *http.Request) { stream(w, asked(r), 100*time.Millisecond) })
	answers, err := c.RunOpen(t.Context(), Open{[]batching.Request{{ArrivalS: 5, Input: 3, Output: 3}, {ArrivalS: 5.05, Input: 3,
		Output: 3}, {ArrivalS: 5.1, Input: 3, Output: 3}}})
	if err != nil || len(answers) != 3 {
		t.Fatal(answers, err)
	}
	log, _ := Log(answers)
	if last := log[2].ArrivalS - log[0].ArrivalS; last < 0.09 || log[2].ArrivalS > log[0].LastS {
		t.Errorf("the last one was sent after %g s, the first was answered after %g", last, log[0].LastS-log[0].ArrivalS)
	}
}

// A server that only fails is left alone soon.
func TestGivesUp(t *testing.T) {
	var all atomic.Int64
	c := client(t, func(w http.ResponseWriter, _ *http.Request) { all.Add(1); w.WriteHeader(500) })
	answers, err := c.RunClosed(t.Context(), Closed{Concurrency: 2, Input: 5, Output: 5, Requests: 5000})
	if err == nil || !strings.Contains(err.Error(), "in a row failed") || all.Load() > mostFailures+10 {
		t.Errorf("%d requests, %d answers, %v", all.Load(), len(answers), err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := c.RunClosed(ctx, Closed{Concurrency: 2, Input: 5, Output: 5, Requests: 5}); err == nil {
		t.Error("a load that was stopped is complete")
	}
}

func TestNewRefuses(t *testing.T) {
	for _, address := range []string{"", "127.0.0.1:8000", "ftp://host/v1", "http://", "http://host/v1?key=1",
		"http://ho st"} {
		if _, err := New(Target{URL: address, Model: "m"}, 1); err == nil {
			t.Errorf("%q is taken as an address", address)
		}
	}
}

func TestNobodyAnswers(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	c, err := New(Target{URL: server.URL + "/v1", Model: "m", Timeout: time.Minute}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Calibrate(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "no server answers at ") ||
		!strings.HasSuffix(err.Error(), "; start it, or check the address and the port") {
		t.Errorf("%v", err)
	}
}

func FuzzReadStream(f *testing.F) {
	f.Add("data: {\"choices\":[{\"text\":\" w\"}]}\n\ndata: [DONE]\n")
	f.Add("data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}],\"usage\":{\"prompt_tokens\":1}}\r\n\r\n")
	f.Add("data: {\"error\":\"\x1b[2J\"}\n")
	f.Fuzz(func(t *testing.T, text string) {
		if err := readStream(strings.NewReader(text), func(chunk) {}); err != nil && strings.ContainsAny(err.Error(),
			"\x1b\n") {
			t.Fatalf("%q is not one plain sentence", err)
		}
	})
}
