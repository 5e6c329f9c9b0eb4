package wide

import (
	"cmp"
	"errors"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"sweetspot/data/catalog"
	"sweetspot/data/imports/source"
	"sweetspot/engine/estimate"
	"sweetspot/engine/plaintext"
)

const maxMapping = 1 << 20

// ReadMapping reads a mapping of columns from a file.
func ReadMapping(f source.File) (*source.Mapping, error) {
	text, err := f.Whole(maxMapping)
	if err != nil {
		return nil, err
	}
	return ParseMapping(f, text)
}

// ParseMapping reads the text of a mapping; f is named in errors.
func ParseMapping(f source.File, text []byte) (*source.Mapping, error) {
	m := &source.Mapping{}
	decoder := yaml.NewDecoder(strings.NewReader(string(text))) // JSON is YAML
	decoder.KnownFields(true)
	if err := decoder.Decode(m); err != nil && !errors.Is(err, io.EOF) {
		return nil, f.Wrong("is not a mapping of columns: %s", wordYAML(err))
	}
	return m, check(f, m)
}

var (
	notThere   = regexp.MustCompile(`^(line \d+): field (.+) not found in type .*$`)
	otherThing = regexp.MustCompile(`^(line \d+): cannot unmarshal !!(\w+)( .*)? into .*$`)
	things     = map[string]string{"seq": "a list", "map": "keys with values"}
)

// wordYAML is the decoder's first error without the names of its types.
func wordYAML(err error) string {
	what := strings.TrimPrefix(err.Error(), "yaml: ")
	if _, rest, ok := strings.Cut(what, "\n  "); ok {
		what, _, _ = strings.Cut(rest, "\n")
	}
	if m := notThere.FindStringSubmatch(what); m != nil {
		what = m[1] + ": there is no key " + m[2]
	} else if m := otherThing.FindStringSubmatch(what); m != nil {
		kind := cmp.Or(things[m[2]], "a single value")
		what = m[1] + ": " + kind + " is unexpected there; write one key: value per line, as in model: name"
	}
	return plaintext.Line(what, 150)
}

// check says what is wrong with a mapping whatever the table; f is named in errors.
func check(f source.File, m *source.Mapping) error {
	switch {
	case len(m.Times) == 0:
		return f.Wrong("names no column of times or rates; add one below times, with its unit: %s", unitWords)
	case m.Basis != "" && m.Basis != estimate.Published.String() && m.Basis != estimate.Measured.String():
		return f.Wrong("basis %s is neither measured nor published", plaintext.Quote(m.Basis))
	case m.AsOf != "" && !catalog.IsDate(m.AsOf):
		return f.Wrong("as_of %s is not a date; write 2021-02-28, 2021-02 or 2021", plaintext.Quote(m.AsOf))
	}
	for _, name := range slices.Sorted(maps.Keys(m.Times)) {
		t := m.Times[name]
		if _, known := units[t.In]; !known {
			return f.Wrong("the unit of %s is %s; write %s", source.Text(name), plaintext.Quote(t.In), unitWords)
		}
		if t.GPUCount < 0 || t.USDPerHour < 0 {
			return f.Wrong("%s has a negative gpu_count or usd_per_hour", source.Text(name))
		}
	}
	return nil
}
