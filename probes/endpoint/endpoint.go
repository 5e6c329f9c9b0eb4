// Package endpoint measures a server of a language model through its
// OpenAI-compatible API: it streams answers under load and notes when each
// token comes. Load is closed-loop ([Closed]), a number of clients that each ask
// again once they are answered, or open-loop ([Open]), requests at times of
// their own whatever the server does.
//
// A request's TTFT runs from when it is sent to the first piece of text, its TPOT
// from there to the last piece, divided by the tokens after the first. Tokens are
// counted by the server's usage; where it tells none, a piece counts as a token.
//
// Nothing is sent to any other address than the one given: redirects are
// refused, proxies are not used. Time, bytes and the number of requests are
// bounded.
package endpoint

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"sweetspot/engine/batching"
	"sweetspot/engine/plaintext"
)

// Target is a server.
type Target struct {
	URL     string        // of the API, such as http://127.0.0.1:8000/v1
	Model   string        // as the server calls it
	Key     string        // sent as a bearer token; "" for none
	Timeout time.Duration // of one request
}

// Client asks a server. It is safe for concurrent use.
type Client struct {
	target Target
	http   *http.Client
	start  time.Time

	mu      sync.Mutex
	chat    bool    // the server has chat completions only
	without int     // how many of the extras the server refuses
	perWord float64 // tokens of a word in a prompt
	fixed   float64 // tokens of an empty prompt
	rng     *rand.Rand
}

// New returns a client. Prompts are drawn by a seed.
func New(t Target, seed uint64) (*Client, error) {
	u, err := url.Parse(t.URL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("%s is not the address of an API; write it as http://127.0.0.1:8000/v1",
			plaintext.Quote(t.URL))
	}
	if t.Model == "" {
		return nil, errors.New("the server's API needs the name of a model")
	}
	t.URL = strings.TrimRight(u.String(), "/")
	return &Client{
		target: t, perWord: 1.3, rng: rand.New(rand.NewPCG(seed, 0xa51)), start: time.Now(),
		http: &http.Client{
			Transport: &http.Transport{MaxIdleConnsPerHost: MostAtOnce, DisableCompression: true},
			CheckRedirect: func(r *http.Request, _ []*http.Request) error {
				return fmt.Errorf("the server redirects to %s, which is not followed; give that address if it is meant",
					plaintext.Quote(r.URL.Redacted()))
			},
		},
	}, nil
}

// Bounds of a probe.
const (
	MostAtOnce   = 1024
	MostRequests = 100_000
)

// Answer is what a request saw.
type Answer struct {
	batching.Observed
	Gaps []float64 // seconds between pieces of text
	Err  error     // it failed; the times are those until then
}

// Calibrate asks two short questions, to learn how many tokens words are and which
// API the server has.
func (c *Client) Calibrate(ctx context.Context) error {
	var tokens [2]float64
	words := [2]int{20, 120}
	for i, n := range words {
		a := c.ask(ctx, c.prompt(n), 2)
		if dial := (*net.OpError)(nil); errors.As(a.Err, &dial) && dial.Op == "dial" {
			return fmt.Errorf("no server answers at %s (%w); start it, or check the address and the port",
				plaintext.Quote(c.target.URL), dial.Err)
		}
		if a.Err != nil {
			return fmt.Errorf("the server does not answer as an OpenAI-compatible API: %w", a.Err)
		}
		tokens[i] = float64(a.Input)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if tokens[0] > 0 && tokens[1] > tokens[0] {
		c.perWord = (tokens[1] - tokens[0]) / float64(words[1]-words[0])
		c.fixed = tokens[0] - c.perWord*float64(words[0])
	}
	return nil
}

// Ask asks for an answer of a number of tokens to a prompt of about as many as
// given.
func (c *Client) Ask(ctx context.Context, input, output int) Answer {
	c.mu.Lock()
	words := max(int((float64(input)-c.fixed)/c.perWord+0.5), 1)
	c.mu.Unlock()
	a := c.ask(ctx, c.prompt(words), output)
	if a.Input == 0 {
		a.Input = input // the server tells no usage
	}
	return a
}

// prompt makes a prompt that shares no beginning with others.
func (c *Client) prompt(words int) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var b strings.Builder
	for i := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(vocabulary[c.rng.IntN(len(vocabulary))])
	}
	return b.String()
}

// vocabulary are words that tokenisers know as one token, mostly.
var vocabulary = strings.Fields(`the of and to in is that it was for on are with as at be this have from or one had by
	word but not what all were we when your can said there use an each which she do how their if will up other about out
	many then them these so some her would make like him into time has look two more write go see number no way could
	people my than first water been call who oil its now find long down day did get come made may part sun moon house tree
	river stone bread milk salt wind rain snow fire earth king road ship horse bird fish gold iron wood paper book letter`)
