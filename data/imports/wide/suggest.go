package wide

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"sweetspot/data/imports/source"
	"sweetspot/data/shellwords"
	"sweetspot/engine/plaintext"
)

// Meaning is what a column can hold, by a key of the mapping or a unit of its
// times.
type Meaning struct {
	Name  string // model, batch_size …, or a unit: ms, units/s …
	Title string // as a form shows it
	words *regexp.Regexp
}

// Meanings are what a column can hold, in the order in which a form offers them.
var Meanings = []Meaning{
	{"model", "model", match("model|network|net|arch(itecture)?|model name")},
	{"variant", "variant", match("variant|optimi[sz]ation|pruning")},
	{"dataset", "data set", match("data ?set")},
	{"precision", "precision", match("precision|dtype|data type")},
	{"batch_size", "batch size", match("(global |train |infer(ence)? )?(batch( ?size)?|bs)( per gpu)?")},
	{"mode", "train or infer", match("mode|phase")},
	{"gpu", "GPU", match("gpu|gpu (name|type|model)|accelerator|device|hardware")},
	{"gpu_count", "number of GPUs", match("gpus?|(gpu|device) count|(num|n|number of) ?(gpus?|devices)|world size")},
	{"cloud", "cloud", match("cloud|provider")},
	{"region", "region", match("region")},
	{"instance_type", "VM type", match("(instance|vm|machine)( type)?")},
	{"usd_per_hour", "$ per hour", match("(usd|dollars|price|cost)( usd)?( ?per|/)? ?(hour|hr|h)|hourly (price|cost)")},
	{"accuracy", "accuracy", match("(val )?(acc(uracy)?|top ?1)( acc(uracy)?)?")},
	{"repeat", "number of the repeat", match("repeat|run|trial|seed|experiment")},
	{"s", "seconds of an iteration", times("(s|secs?|seconds)")},
	{"ms", "milliseconds of an iteration", times("(ms|msecs?|milliseconds)")},
	{"us", "microseconds of an iteration", times("(us|µs|usecs?|microseconds)")},
	{"ns", "nanoseconds of an iteration", times("(ns|nanoseconds)")},
	{"units/s", "images, tokens or samples per second", match("((avg|mean) )?" + work + " ?(per|/)? ?" + second +
		"|ips|throughput( " + work + "( ?(per|/) ?" + second + ")?)?")},
	{"it/s", "iterations per second", match(step + "s?( ?per |/| )" + second)},
	{"s/epoch", "seconds of an epoch", match("(epoch|time per epoch|epoch (time|duration)) " + second + "|" + second +
		" ?(per|/) ?epoch")},
}

const (
	step   = "(batch|step|iter|it|iteration)"
	second = "(s|secs?|seconds?)"
	work   = "(images?|imgs?|samples?|tokens?|tok|sequences?|seqs?|units?|examples?|items?|queries|inferences?)"
)

func match(words string) *regexp.Regexp { return regexp.MustCompile("^(" + words + ")$") }

// times are names of the time of an iteration in a unit.
func times(unit string) *regexp.Regexp {
	return match("((avg|mean|batch|step|iter|iteration|infer|inference|train|steady|forward) ?)*" +
		"(time|latency|duration|iteration)( per " + step + ")? " + unit + "|" + unit + " ?(per|/) ?" + step)
}

// spaced is a column's name in lower-case words.
func spaced(name string) string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		if lower && unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		if strings.ContainsRune("_-.()[]:", r) {
			r = ' '
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// Sketch is the beginning of a table, for a form that asks what its columns hold.
type Sketch struct {
	Columns   []string   // their names
	Rows      [][]string // the first, a cell for every column
	Suggested []string   // of each column the name of a meaning, "" if none is likely
	Mode      string     // train, infer, or "" if nothing says
}

// Preview reads the beginning of a table in any format, up to so many rows.
func Preview(f source.File, rows int) (*Sketch, error) {
	head, err := f.Beginning()
	if err != nil {
		return nil, err
	}
	return preview(f, head, rows)
}

func preview(f source.File, head []byte, rows int) (*Sketch, error) {
	in := csv.NewReader(plaintext.Unmarked(strings.NewReader(string(head))))
	in.Comma, in.LazyQuotes = separatorOf(head), true
	header, err := in.Read()
	if err != nil || len(header) < 2 {
		return nil, f.Wrong("is not a table: the first row should name the columns, separated by commas, semicolons or tabs")
	}
	s := &Sketch{}
	texts := func(cells []string) []string {
		out := make([]string, len(cells))
		for i, c := range cells {
			out[i] = source.Text(c)
		}
		return out
	}
	s.Columns = texts(header)
	for range rows {
		cells, err := in.Read()
		if err != nil { // the end, or a row that only the whole file holds
			break
		}
		s.Rows = append(s.Rows, texts(cells))
	}
	s.suggest(f)
	return s, nil
}

// suggest finds the likely meanings: of two columns for one the first, and of
// several times one only, since they tell of the same iterations.
func (s *Sketch) suggest(f source.File) {
	s.Suggested = make([]string, len(s.Columns))
	timed := false
	for _, m := range Meanings {
		_, isTime := units[m.Name]
		if isTime && timed {
			continue
		}
		for i, c := range s.Columns {
			if s.Suggested[i] == "" && m.words.MatchString(spaced(c)) && s.fits(i, m.Name) {
				s.Suggested[i], timed = m.Name, timed || isTime
				break
			}
		}
	}
	words := " " + spaced(f.Base()+" "+strings.Join(s.Columns, " ")) + " "
	infer := strings.Contains(words, " infer") || strings.Contains(words, " latency ")
	train := strings.Contains(words, " train") || strings.Contains(words, " epoch")
	switch {
	case slices.Contains(s.Suggested, "mode") || infer == train:
	case infer:
		s.Mode = "infer"
	default:
		s.Mode = "train"
	}
}

// fits reports whether the cells of a column may be what its name says: a GPU's
// name, or numbers, as of GPUs.
func (s *Sketch) fits(column int, meaning string) bool {
	text := slices.ContainsFunc(s.Rows, func(cells []string) bool { _, ok := source.Number(cells[column]); return !ok })
	_, isTime := units[meaning]
	return text && meaning == "gpu" || !text && meaning != "gpu" || !isTime && meaning != "gpu" && meaning != "gpu_count"
}

// Mapping is the mapping by which each column has the meaning of that name, "" for
// none, and all rows the mode, unless a column says it. f is named in errors.
func (s *Sketch) Mapping(f source.File, meanings []string, mode string) (*source.Mapping, error) {
	m := &source.Mapping{Mode: mode, Times: map[string]source.TimeColumn{}}
	to := map[string]*string{"model": &m.Model, "dataset": &m.Dataset, "precision": &m.Precision,
		"batch_size": &m.BatchSize, "mode": &m.Mode, "gpu": &m.GPU, "gpu_count": &m.GPUCount, "cloud": &m.Cloud,
		"region": &m.Region, "instance_type": &m.InstanceType, "usd_per_hour": &m.USDPerHour, "accuracy": &m.Accuracy,
		"repeat": &m.Repeat}
	seen := map[string]string{}
	for i, name := range meanings {
		column := s.Columns[i]
		switch place := to[name]; {
		case name == "":
		case name == "variant":
			m.Variant = append(m.Variant, column)
		case place == nil:
			m.Times[column] = source.TimeColumn{In: name}
		case seen[name] != "":
			return nil, f.Wrong("the columns %s and %s are both taken for the %s; choose one", seen[name], column, name)
		default:
			*place, seen[name] = column, column
		}
	}
	if m.Mode == "" {
		return nil, f.Wrong("nothing says whether it was training or inference; choose one, or the column that says it")
	}
	return m, check(f, m)
}

// Advice says how a table in no known format can be read: by the mapping that its
// columns suggest, or what is missing for one. It is "" for what is no table.
func Advice(f source.File, head []byte) string {
	s, err := preview(f, head, 3)
	if err != nil {
		return ""
	}
	var missing []string
	for _, need := range []struct{ meaning, mend string }{{"model", "the model (or give --model)"},
		{"batch_size", "the batch size (or give --batch)"}} {
		if !slices.Contains(s.Suggested, need.meaning) {
			missing = append(missing, need.mend)
		}
	}
	if !slices.ContainsFunc(s.Suggested, func(name string) bool { _, ok := units[name]; return ok }) {
		missing = append(missing, "a time or rate with its unit, such as step_time_ms or images_per_second")
	}
	if len(missing) > 0 {
		return fmt.Sprintf("the format is unknown; among its columns %s a --mapping needs one for %s",
			plaintext.Cut(strings.Join(s.Columns, ", "), 100), strings.Join(missing, ", one for "))
	}
	mode := cmp.Or(s.Mode, "train")
	m, err := s.Mapping(f, s.Suggested, mode)
	if err != nil || len(inline(m)) > 400 {
		return "the format is unknown; write a --mapping of its columns"
	}
	advice := "the format is unknown; if its columns mean this, give --mapping " + shellwords.Quoted(inline(m))
	if m.Mode == "train" && s.Mode == "" {
		advice += ", with mode: infer if it was inference"
	}
	return advice
}

// inline is a mapping on one line, as --mapping takes it.
func inline(m *source.Mapping) string {
	var node yaml.Node
	if node.Encode(m) != nil {
		return ""
	}
	node.Style = yaml.FlowStyle
	text, _ := yaml.Marshal(&node) // was encoded before
	return strings.Join(strings.Fields(string(text)), " ")
}
