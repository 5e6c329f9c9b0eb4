package bill

import "sweetspot/engine/objective"

// object is the JSON of a bill; null is not stated.
func (b Bill) object() objective.Each[*float64] {
	out := make(objective.Each[*float64], len(fields))
	for k, f := range fields {
		out[k] = objective.Value[*float64]{Name: f.json, Value: f.value(&b)}
	}
	return out
}

// MarshalJSON writes the bill.
func (b Bill) MarshalJSON() ([]byte, error) { return b.object().MarshalJSON() }

// MarshalYAML writes the bill.
func (b Bill) MarshalYAML() (any, error) { return b.object().MarshalYAML() }

// UnmarshalJSON reads a bill. One from a file may be senseless: its words, read
// back by [Parse], say so.
func (b *Bill) UnmarshalJSON(text []byte) error {
	var of objective.Each[*float64]
	err := of.UnmarshalJSON(text)
	b.read(of)
	return err
}

// UnmarshalYAML reads a bill, as UnmarshalJSON.
func (b *Bill) UnmarshalYAML(unmarshal func(any) error) error {
	var of objective.Each[*float64]
	err := of.UnmarshalYAML(unmarshal)
	b.read(of)
	return err
}

func (b *Bill) read(of objective.Each[*float64]) {
	*b = Bill{}
	for _, f := range fields {
		f.put(b, of.Of(objective.Name(f.json)))
	}
}
