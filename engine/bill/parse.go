package bill

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"sweetspot/engine/objective"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
)

// Words says how a bill is written.
const Words = "startup=90s disk=200GiB disk-price=0.08 egress=50GiB egress-price=0.09 interruptions=0.05/h " +
	"checkpoint=30m electricity-price=0.12/kWh pue=1.3"

// field is one word of a bill: an amount, which is 0 where it is not given, or a number
// that may be unknown.
type field struct {
	name    string // in words
	json    string
	amount  func(b *Bill) *float64
	unknown func(b *Bill) **float64
	read    func(s string) (float64, error)
	unit    string
}

var fields = [...]field{
	{name: "startup", json: "startup_s", amount: func(b *Bill) *float64 { return &b.StartupS },
		read: seconds, unit: "s"},
	{name: "disk", json: "disk_gib", amount: func(b *Bill) *float64 { return &b.DiskGiB },
		read: gib, unit: "GiB"},
	{name: "disk-price", json: "disk_usd_per_gib_month", amount: func(b *Bill) *float64 { return &b.DiskUSDPerGiBMonth },
		read: usd},
	{name: "egress", json: "egress_gib", amount: func(b *Bill) *float64 { return &b.EgressGiB },
		read: gib, unit: "GiB"},
	{name: "egress-price", json: "egress_usd_per_gib", amount: func(b *Bill) *float64 { return &b.EgressUSDPerGiB },
		read: usd},
	{name: "interruptions", json: "interruptions_per_hour", unknown: func(b *Bill) **float64 { return &b.Interruptions },
		read: rate, unit: "/h"},
	{name: "checkpoint", json: "checkpoint_s", unknown: func(b *Bill) **float64 { return &b.CheckpointS },
		read: duration, unit: "s"},
	{name: "electricity-price", json: "electricity_usd_per_kwh",
		amount: func(b *Bill) *float64 { return &b.ElectricityUSDPerKWh }, read: perKWh, unit: "/kWh"},
	{name: "pue", json: "pue", amount: func(b *Bill) *float64 { return &b.PUE },
		read: pue},
}

// value is what the bill tells; nil where it does not.
func (f field) value(b *Bill) *float64 {
	if f.unknown != nil {
		return *f.unknown(b)
	}
	if v := f.amount(b); *v != 0 {
		return v
	}
	return nil
}

// put has the bill tell a value, or where it is nil does nothing.
func (f field) put(b *Bill, v *float64) {
	switch {
	case v == nil:
	case f.unknown != nil:
		*f.unknown(b) = v
	default:
		*f.amount(b) = *v
	}
}

// write is the word as it is read; "" where the bill does not tell it.
func (f field) write(b Bill) string {
	v := f.value(&b)
	if v == nil {
		return ""
	}
	return f.name + "=" + strconv.FormatFloat(*v, 'f', -1, 64) + f.unit
}

// Parse reads words as [Words] has them, separated by spaces or commas. The error
// says which word is wrong and how it is written.
func Parse(s string) (b Bill, err error) {
	seen := map[string]bool{}
	for _, word := range strings.FieldsFunc(s, func(r rune) bool {
		return r == ',' || r == ' ' || r == '\t' ||
			r == '\n'
	}) {
		name, value, _ := strings.Cut(word, "=")
		at := slices.IndexFunc(fields[:], func(f field) bool { return f.name == name })
		switch {
		case at < 0:
			return Bill{}, fmt.Errorf("%s is not a part of a bill: write %s", plaintext.Quote(word), Words)
		case seen[name]:
			return Bill{}, fmt.Errorf("%s is given twice", name)
		}
		seen[name] = true
		v, err := fields[at].read(value)
		if fields[at].put(&b, &v); err != nil {
			return Bill{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, pair := range [][2]string{{"disk", "disk-price"}, {"egress", "egress-price"}} {
		if seen[pair[0]] != seen[pair[1]] {
			return Bill{}, fmt.Errorf("%s and %s belong together: write both, or neither", pair[0], pair[1])
		}
	}
	if seen["pue"] && !seen["electricity-price"] {
		return Bill{}, fmt.Errorf("pue is of no use without electricity-price: write both, or neither")
	}
	if b.ElectricityUSDPerKWh == 0 {
		b.PUE = 0
	}
	if b.DiskUSDPerHour() == 0 {
		b.DiskGiB, b.DiskUSDPerGiBMonth = 0, 0
	}
	if b.EgressUSD() == 0 {
		b.EgressGiB, b.EgressUSDPerGiB = 0, 0
	}
	return b, nil
}

// String writes the bill as [Parse] reads it; "" where it tells nothing.
func (b Bill) String() string {
	var words []string
	for _, f := range fields {
		if s := f.write(b); s != "" {
			words = append(words, s)
		}
	}
	return strings.Join(words, " ")
}

// most bounds what is typed: beyond it is a slip.
const most = 1e9

func plain(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(v) || v < 0 || v > most {
		return 0, fmt.Errorf("%s is not a number from 0 to %g", plaintext.Quote(s), float64(most))
	}
	return v, nil
}

func usd(s string) (float64, error) { return plain(strings.TrimPrefix(s, "$")) }

func perKWh(s string) (float64, error) { return usd(strings.TrimSuffix(s, "/kWh")) }

// pue reads a power usage effectiveness.
func pue(s string) (float64, error) {
	v, err := plain(s)
	if err != nil || v < 1 || v > 10 {
		return 0, fmt.Errorf("%s is not a power usage effectiveness: write a number from 1 to 10, as 1.3", plaintext.Quote(s))
	}
	return v, nil
}

// duration reads 90s or 30m, to the millisecond.
func duration(s string) (float64, error) {
	v, err := quantity.ParseDuration(s)
	if v = math.Round(v*1000) / 1000; err == nil && !(v > 0 && v <= most) {
		err = fmt.Errorf("%s is not a duration from 1 ms to %g s", plaintext.Quote(s), float64(most))
	}
	return v, err
}

// seconds reads a duration, of which none is one.
func seconds(s string) (float64, error) {
	if s == "0" || s == "0s" {
		return 0, nil
	}
	return duration(s)
}

// gib reads 200GiB, 200 and 2TiB.
func gib(s string) (float64, error) {
	for _, unit := range []struct {
		name string
		gib  float64
	}{{"TiB", 1024}, {"GiB", 1}, {"", 1}} {
		if text, ok := strings.CutSuffix(s, unit.name); ok {
			v, err := plain(text)
			if err != nil {
				err = fmt.Errorf("%s is not an amount of data: write 200GiB", plaintext.Quote(s))
			}
			return v * unit.gib, err
		}
	}
	return 0, nil
}

// rate reads how often a VM is taken away: 0.05/h, 10%/day, 20%/month. A share is
// the chance of it within that time.
func rate(s string) (perHour float64, err error) {
	text, per, _ := strings.Cut(s, "/")
	const month = quantity.HoursPerMonth
	hours, known := map[string]float64{"h": 1, "hour": 1, "d": 24, "day": 24, "mo": month, "month": month}[per]
	share, isShare := strings.CutSuffix(text, "%")
	v, err := plain(share)
	switch {
	case !known || err != nil:
		return 0, fmt.Errorf("%s is not a rate of interruptions: write 0.05/h, 10%%/day or 20%%/month", plaintext.Quote(s))
	case isShare && v >= 100:
		return 0, fmt.Errorf("%s: a VM that is surely taken away has no rate: write how often, as 2/day", plaintext.Quote(s))
	case isShare:
		v = -math.Log1p(-v / 100)
	}
	return v / hours, nil
}

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
	of := map[string]*float64{}
	err := json.Unmarshal(text, &of)
	*b = Bill{}
	for _, f := range fields {
		f.put(b, of[f.json])
	}
	return err
}
