package profilecsv

import (
	"strings"

	"sweetspot/data/textfile"
	"sweetspot/engine/plaintext"
)

// reader reads the cells of one row by column name.
type reader struct{ *textfile.Table }

// fraction returns a number in [0,1], or nil for an empty cell.
func (r reader) fraction(column string) *float64 {
	v := r.NotNegative(column)
	if v != nil && *v > 1 {
		_ = r.Fail(column, "%g is above 1; write a fraction, %g for %g %%", *v, *v/100, *v)
	}
	return v
}

// boolean returns nil for an empty cell.
func (r reader) boolean(column string) *bool {
	switch cell := strings.ToLower(r.Cell(column)); cell {
	case "":
		return nil
	case "true", "1", "yes":
		return new(true)
	case "false", "0", "no":
		return new(false)
	default:
		_ = r.Fail(column, "%s is neither true nor false", plaintext.Quote(cell))
		return nil
	}
}

// layers reads "conv1=0.3;conv2=0.5".
func (r reader) layers(column string) map[string]float64 {
	cell := r.Cell(column)
	if cell == "" {
		return nil
	}
	layers := map[string]float64{}
	for part := range strings.SplitSeq(cell, ";") {
		name, ratio, ok := strings.Cut(part, "=")
		name, ratio = strings.TrimSpace(name), strings.TrimSpace(ratio)
		v, sound := textfile.Decimal(ratio)
		if !ok || name == "" || !sound || v < 0 || v > 1 {
			_ = r.Fail(column, "%s is not layer=fraction; write conv1=0.3;conv2=0.5", plaintext.Quote(part))
			return nil
		}
		layers[name] = v
	}
	return layers
}
