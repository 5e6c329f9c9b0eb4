package transformer

import "fmt"

// Lengths are those of requests to a language model, in tokens.
type Lengths struct {
	Input  int `json:"input" yaml:"input"`   // of a prompt
	Output int `json:"output" yaml:"output"` // of an answer
}

// DefaultLengths are those of a request that nobody says: a page to read, a paragraph to write.
func DefaultLengths() Lengths { return Lengths{512, 128} }

// Check says in a sentence what cannot be asked. Messages begin with the name of the flag.
func (l Lengths) Check() error {
	for _, f := range []struct {
		flag   string
		tokens int
	}{{"input-tokens", l.Input}, {"output-tokens", l.Output}} {
		if f.tokens < 1 || f.tokens > mostSequence {
			return fmt.Errorf("%s %d: write a number of tokens from 1 to %d", f.flag, f.tokens, mostSequence)
		}
	}
	return nil
}
