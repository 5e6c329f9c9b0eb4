package endpoint

import (
	"context"
	"fmt"
	"sync"
	"time"

	"sweetspot/engine/batching"
)

// Closed are clients that each ask again once they are answered.
type Closed struct {
	Concurrency   int
	Input, Output int // tokens of each request
	Requests      int // in all
}

// Open are requests that are sent when they arrive.
type Open struct {
	Requests []batching.Request
}

// mostFailures in a row end a load: the server does not serve.
const mostFailures = 20

// RunClosed asks until all requests are answered, the context ends, or too many
// fail in a row. What was answered until then is returned with the error.
func (c *Client) RunClosed(ctx context.Context, load Closed) ([]Answer, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	next := make(chan struct{}, load.Requests)
	for range load.Requests {
		next <- struct{}{}
	}
	close(next)
	g := &gatherer{stop: stop}
	var clients sync.WaitGroup
	for range min(load.Concurrency, load.Requests) {
		clients.Go(func() {
			for range next {
				if ctx.Err() != nil {
					return
				}
				g.take(ctx, c.Ask(ctx, load.Input, load.Output))
			}
		})
	}
	clients.Wait()
	return g.result(ctx)
}

// RunOpen sends each request at its time after now.
func (c *Client) RunOpen(ctx context.Context, load Open) ([]Answer, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	g := &gatherer{stop: stop}
	begin := time.Now()
	slots := make(chan struct{}, MostAtOnce)
	var sent sync.WaitGroup
	for _, r := range load.Requests {
		wait := time.NewTimer(time.Until(begin.Add(time.Duration((r.ArrivalS - load.Requests[0].ArrivalS) * 1e9))))
		select {
		case <-ctx.Done():
		case <-wait.C:
		}
		wait.Stop()
		if ctx.Err() != nil {
			break
		}
		select {
		case slots <- struct{}{}:
		default:
			stop()
			sent.Wait()
			return g.answers, fmt.Errorf("%d requests are open at once: the server does not keep up; lower the rate", MostAtOnce)
		}
		sent.Go(func() {
			g.take(ctx, c.Ask(ctx, r.Input, r.Output))
			<-slots
		})
	}
	sent.Wait()
	return g.result(ctx)
}

// gatherer collects answers.
type gatherer struct {
	stop context.CancelFunc

	mu      sync.Mutex
	answers []Answer
	failed  int // in a row
	gaveUp  error
}

func (g *gatherer) take(ctx context.Context, a Answer) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if a.Err != nil && ctx.Err() != nil {
		return // it was stopped, and did not fail
	}
	g.answers = append(g.answers, a)
	if g.failed++; a.Err == nil {
		g.failed = 0
	}
	if g.failed >= mostFailures && g.gaveUp == nil {
		g.gaveUp = fmt.Errorf("%d requests in a row failed, the last one because %w", g.failed, a.Err)
		g.stop()
	}
}

// result returns the answers; an error says why they are not all.
func (g *gatherer) result(ctx context.Context) ([]Answer, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.gaveUp != nil {
		return g.answers, g.gaveUp
	}
	return g.answers, ctx.Err()
}

// Log are the answers that came, in order of arrival.
func Log(answers []Answer) (log []batching.Observed, failed int) {
	for _, a := range answers {
		if a.Err != nil {
			failed++
			continue
		}
		log = append(log, a.Observed)
	}
	batching.SortLog(log)
	return log, failed
}
