package endpoint

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"sweetspot/engine/plaintext"
)

// Bounds of one answer.
const (
	maxLine   = 1 << 20
	maxAnswer = 64 << 20 // bytes
)

// chunk is a piece of a streamed answer, of completions or chat completions.
type chunk struct {
	Choices []struct {
		Text  string `json:"text"`
		Delta struct {
			Content   string `json:"content"`
			Reasoning string `json:"reasoning_content"`
		} `json:"delta"`
	} `json:"choices"`
	Usage *struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

// text reports whether the piece has text.
func (c *chunk) text() bool {
	for _, x := range c.Choices {
		if x.Text != "" || x.Delta.Content != "" || x.Delta.Reasoning != "" {
			return true
		}
	}
	return false
}

// readStream reads server-sent events until the last one, and calls take with each
// piece as soon as it is read.
func readStream(r io.Reader, take func(chunk)) error {
	limited := &io.LimitedReader{R: r, N: maxAnswer}
	lines := bufio.NewScanner(limited)
	lines.Buffer(make([]byte, 0, 4096), maxLine)
	for lines.Scan() {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data:"))
		if !ok {
			continue // a comment, another field, or the blank line after an event
		}
		if data = bytes.TrimSpace(data); string(data) == "[DONE]" {
			return nil
		}
		var c chunk
		if err := json.Unmarshal(data, &c); err != nil {
			return fmt.Errorf("the server streams %s, which is not JSON of a completion", quoted(data))
		}
		if len(c.Error) > 0 && string(c.Error) != "null" {
			return fmt.Errorf("the server reports %s", quoted(c.Error))
		}
		take(c)
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Errorf("the server streams a line longer than %d bytes", maxLine)
	case err != nil:
		return err
	case limited.N <= 0:
		return fmt.Errorf("the answer is longer than %d bytes", maxAnswer)
	}
	return nil // it ended without the mark, as some servers do
}

func quoted(text []byte) string {
	return plaintext.Quote(plaintext.Line(string(text[:min(len(text), 600)]), 160))
}
