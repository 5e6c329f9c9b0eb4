package endpoint

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"time"
)

// extras are what is asked for beside the plain request, each left out once the
// server has refused a request: that the answer does not end early, and that
// the tokens are counted.
var extras = []map[string]any{
	{"ignore_eos": true, "stream_options": map[string]bool{"include_usage": true}},
	{"stream_options": map[string]bool{"include_usage": true}},
	{},
}

// refusal is an answer with another status than 200.
type refusal struct {
	status int
	text   string
}

func (r refusal) Error() string {
	said := ""
	if r.text != "" {
		said = ": " + r.text
	}
	return fmt.Sprintf("the server answers with status %d %s%s", r.status, http.StatusText(r.status), said)
}

// ask asks, and learns from refusals what the server does not know.
func (c *Client) ask(ctx context.Context, prompt string, output int) Answer {
	for {
		c.mu.Lock()
		chat, without := c.chat, c.without
		c.mu.Unlock()
		a := c.once(ctx, prompt, output, chat, without)
		refused := refusal{}
		if !errors.As(a.Err, &refused) {
			return a
		}
		c.mu.Lock()
		known := c.chat != chat || c.without != without // another request has learnt it meanwhile
		switch {
		case known:
		case refused.status == http.StatusNotFound && !chat:
			c.chat, known = true, true
		case (refused.status == http.StatusBadRequest || refused.status == http.StatusUnprocessableEntity) &&
			without < len(extras)-1:
			c.without, known = without+1, true
		}
		c.mu.Unlock()
		if !known {
			return a
		}
	}
}

// once sends one request and reads its answer.
func (c *Client) once(ctx context.Context, prompt string, output int, chat bool, without int) (a Answer) {
	a.AdmittedS, a.FirstS, a.LastS = math.NaN(), math.NaN(), math.NaN()
	ctx, cancel := context.WithTimeout(ctx, c.target.Timeout)
	defer cancel()
	request, err := c.request(ctx, prompt, output, chat, without)
	if err != nil {
		a.Err = err
		return a
	}
	a.ArrivalS = time.Since(c.start).Seconds()
	response, err := c.http.Do(request)
	if err != nil {
		a.Err = c.explained(ctx, err)
		return a
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		a.Err = refusal{response.StatusCode, message(response.Body)}
		return a
	}
	pieces := 0
	err = readStream(response.Body, func(k chunk) {
		if k.Usage != nil && k.Usage.Completion > 0 {
			a.Input, a.Output = k.Usage.Prompt, k.Usage.Completion
		}
		if !k.text() {
			return
		}
		now := time.Since(c.start).Seconds()
		if pieces++; pieces == 1 {
			a.FirstS = now
		} else {
			a.Gaps = append(a.Gaps, now-a.LastS)
		}
		a.LastS = now
	})
	if a.Output == 0 {
		a.Output = pieces
	}
	switch {
	case err != nil:
		a.Err = c.explained(ctx, err)
	case pieces == 0:
		a.Err = errors.New("the server streams no text; is it a model that writes?")
	}
	return a
}

func (c *Client) request(ctx context.Context, prompt string, output int, chat bool, without int) (*http.Request,
	error) {
	body := map[string]any{"model": c.target.Model, "max_tokens": output, "stream": true, "temperature": 0}
	path := "/completions"
	if chat {
		path = "/chat/completions"
		body["messages"] = []map[string]string{{"role": "user", "content": prompt}}
	} else {
		body["prompt"] = prompt
	}
	for name, value := range extras[without] {
		body[name] = value
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.target.URL+path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "text/event-stream")
	if c.target.Key != "" {
		r.Header.Set("Authorization", "Bearer "+c.target.Key)
	}
	return r, nil
}

// explained says of a request that ran out of time that it did.
func (c *Client) explained(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("the answer is not complete after %v", c.target.Timeout)
	}
	return err
}

// message is what an error's body says, cut.
func message(body io.Reader) string {
	text, _ := io.ReadAll(io.LimitReader(body, 1<<16)) // what can be read of it is all that is wanted
	var known struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
		Detail  any    `json:"detail"`
		Message string `json:"message"`
	}
	_ = json.Unmarshal(text, &known) // other text is quoted as it is
	switch detail, _ := known.Detail.(string); {
	case known.Error.Message != "":
		text = []byte(known.Error.Message)
	case known.Message != "":
		text = []byte(known.Message)
	case detail != "":
		text = []byte(detail)
	}
	if len(text) == 0 {
		return ""
	}
	return quoted(text)
}
