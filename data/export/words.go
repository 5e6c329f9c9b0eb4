package export

import "sweetspot/engine/quantity"

// Words names a part: 1× p2.xlarge (1× K80), aws us-east-1.
func (v Part) Words() string { return v.words() }

// PriceWords says what one VM of the part costs, bought so, and who says it
// when.
func (v Part) PriceWords(purchase string) string { return v.priceWords(purchase) }

// Words says a time with its 90 % interval and basis, or that it is unknown.
func (s Seconds) Words() string {
	return intervalWords(s.S, s.Low, s.High, s.Basis, quantity.Duration)
}

// Words says a cost with its 90 % interval and basis, or that it is unknown.
func (d Dollars) Words() string {
	return intervalWords(d.USD, d.Low, d.High, d.Basis, quantity.Money)
}

// intervalWords holds also for a pick that was read from a file, which may lack
// what belongs together.
func intervalWords(v, low, high *float64, basis *string, format func(float64) string) string {
	if v == nil || low == nil || high == nil || basis == nil {
		return "unknown"
	}
	return interval90(v, low, high, basis, format)
}

// LimitsWords says within which limits the query asked.
func (q Query) LimitsWords(higherIsBetter bool) string { return limitsText(q, higherIsBetter) }

// SourcesWords names the runs that an estimate rests on.
func SourcesWords(ids []int64) string { return sourcesText(ids) }

// Cell keeps text inside its cell of a Markdown table, and from being markup.
func Cell(s string) string { return cell(s) }
