package metric

import (
	"math"
	"regexp"
	"slices"
	"strings"
)

// Value is a metric that a line gives.
type Value struct {
	measure
	Label string // its name as printed: val_acc
	Split Split

	weak    bool // the split is that of another name of the line
	number  float64
	rounded float64 // by at most so much: half of its last digit as printed
	percent bool    // printed in per cent
	share   bool    // the number is a fraction, whatever its size
	units   float64
	partial bool // of a part of the data: a progress bar goes on
}

// line is what one line of output says.
type line struct {
	values []Value
	epoch  *float64 // as printed
	fine   bool     // the epoch was printed with a fraction: so many are over
	head   Split    // of a line without values that announces those of the next
	shape  string   // its words, by which lines of one statement are known
	drawn  bool     // a progress bar
}

// bar is what tqdm draws, without what follows the rate.
var bar = regexp.MustCompile(`\d{1,3}%\|[^|]*\|\s*([\d.]+)[kMG]?/([\d.]+)[kMG]? ` +
	`?\[[\d:?]+<[^,\]]*(?:,\s*[^,\]=]*[,\]])?|` +
	`\d+it \[[\d:]+, *[^,\]=]*[,\]]?`)

// parser reads one line by the tokens from i on.
type parser struct {
	line
	tokens  []token
	i       int
	split   Split // of what comes
	weak    bool  // it is that of a name, such as val_loss
	known   bool  // what comes is no new result: the best so far
	recalls bool  // some of the line is
	done    float64
	total   float64 // of a progress bar or a counter, 0 for none
}

// read reads a line that is clean.
func read(text string) line {
	p := parser{}
	if m := bar.FindStringSubmatchIndex(text); m != nil {
		if m[2] >= 0 {
			p.done, _ = parse(text[m[2]:m[3]])
			p.total, _ = parse(text[m[4]:m[5]])
		}
		text = text[:m[0]] + " , " + text[m[1]:]
		p.drawn = true
	}
	p.tokens = scan(text)
	for p.i < len(p.tokens) {
		p.next()
	}
	p.finish()
	return p.line
}

func (p *parser) at(i int) token {
	if i < 0 || i >= len(p.tokens) {
		return token{kind: mark}
	}
	return p.tokens[i]
}

// breaks are the marks that end what words before them say of a number.
const breaks = ",;|()[]{}"

func (p *parser) next() {
	t := p.at(p.i)
	switch t.kind {
	case mark:
		if t.isOf(breaks) {
			p.known = false
		}
	case number:
		p.known = false
		if t.of > 0 && t.whole && p.total == 0 && p.counts(p.i) {
			p.done, p.total = t.number, t.of
		}
	case word:
		name := parts(t.text)
		if end, m, label, ok := p.name(p.i); ok {
			if !p.listed() {
				p.value(end, m, label)
			}
			return
		}
		switch {
		case isEpoch(name):
			p.readEpoch(name)
			return
		case headOf(name) != Unsaid:
			p.split, p.weak = headOf(name), false
		case recalls(name):
			p.known, p.recalls = true, true
		}
	}
	p.i++
}

// counters are words before how far a pass over the data is.
var counters = []string{"step", "batch", "iter", "iteration", "it"}

// counts reports whether the number at a token is how far a pass over the data is:
// [ 10/391], step 10/391, or at the beginning of a line.
func (p *parser) counts(i int) bool {
	before := p.at(i - 1)
	return i == 0 || before.text == "[" || slices.Contains(counters, strings.ToLower(before.text)) ||
		(before.text == ":" || before.text == "(") && slices.Contains(counters, strings.ToLower(p.at(i-2).text))
}

func (p *parser) measured(i int) bool {
	_, _, _, ok := p.name(i)
	return ok
}

func recalls(name []string) bool {
	return slices.ContainsFunc(name, func(s string) bool { return slices.Contains(remembered, s) })
}

func has(name []string, of map[string]bool) bool {
	return slices.ContainsFunc(name, func(s string) bool { return of[s] })
}

func isEpoch(name []string) bool {
	return len(name) > 0 && (name[0] == "epoch" || name[0] == "ep") &&
		(len(name) == 1 || len(name) == 2 && allDigits(name[1]))
}

func allDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// readEpoch reads Epoch 3/20, Epoch: [3], epoch=3 and 'epoch': 3.0.
func (p *parser) readEpoch(name []string) {
	from := p.i
	p.i++
	if len(name) == 2 {
		if v, ok := parse(name[1]); ok {
			p.setEpoch(token{number: v, whole: true})
		}
		return
	}
	for p.i < from+4 && p.at(p.i).isOf(":=#[(") {
		p.i++
	}
	if t := p.at(p.i); t.kind == number {
		p.setEpoch(t)
		p.i++
	}
}

func (p *parser) setEpoch(t token) {
	if p.epoch != nil || p.recalls || t.sign || t.number < 0 || t.number > 1e6 {
		return // the epoch of the best, or none
	}
	p.epoch, p.fine = &t.number, !t.whole
}

// value reads the number of the metric whose name ends before a token.
func (p *parser) value(end int, m measure, name []string) {
	begin := p.i
	v := Value{measure: m, Split: splitOf(name)}
	known := p.known || recalls(name)
	p.recalls = p.recalls || known
	if v.Split == Unsaid {
		v.Split, v.weak = p.split, p.weak
	} else if p.split == Unsaid || p.weak {
		p.split, p.weak = v.Split, true
	}
	at, ok := p.seek(end, &v)
	switch before := p.at(begin - 1); {
	case ok:
		p.i = at
	case before.kind == number && (before.sign || before.of > 0): // 88.1% accuracy
		v.take(before)
		p.i = end
	default:
		p.i = end
		if last, _, _, is := p.name(end + 1); is && p.at(end).text == "|" {
			p.i = last // a table of layers, whose next column says what each is
		}
		return
	}
	var label []string
	for _, t := range p.tokens[begin:end] {
		label = append(label, t.text)
	}
	v.Label = strings.Join(label, " ")
	if begin > 0 && headOf(parts(p.at(begin-1).text)) != Unsaid && p.at(begin-1).kind == word {
		v.Label = p.at(begin-1).text + " " + v.Label
	}
	p.known = false
	if !known && v.isSound() {
		p.values = append(p.values, v)
	}
}

// between are the words that may stand between a metric and its number.
var between = []string{"is", "was", "of", "on", "for", "over", "after", "at", "in", "the", "a", "this", "all", "set",
	"data", "dataset", "split", "model", "network", "net", "images", "samples", "examples", "points", "average", "avg",
	"mean", "total", "overall", "final", "score", "reached", "reaches", "top", "macro", "micro", "weighted", "epoch",
	"now", "current", "new", "our", "percent", "k", "top1", "top-1"}

// mostBetween bounds how far a number may be from its name, in tokens.
const mostBetween = 14

// seek finds the number that follows a name, and moves past it. Without a colon
// or an equals sign only words such as "on the test set" may stand between.
func (p *parser) seek(i int, v *Value) (int, bool) {
	stranger, counted, said, closed := false, false, v.Split != Unsaid && !v.weak, false
	for from, n := i, 0; n < mostBetween; i, n = i+1, n+1 {
		t := p.at(i)
		switch {
		case t.kind == word && isEpoch(parts(t.text)) && p.at(i+1).kind == number:
			p.setEpoch(p.at(i + 1))
			i++
		case t.kind == word:
			name := parts(t.text)
			if p.measured(i) || isWrapper(name) && p.at(i+1).text == "(" {
				if !isWrapper(name) {
					return 0, false
				}
				break
			}
			switch split := headOf(name); {
			case split != Unsaid:
				v.Split, v.weak, said = split, false, true
			case isForeign(name) || recalls(name):
				return 0, false
			case !slices.Contains(between, strings.ToLower(t.text)):
				stranger = true
			}
		case t.kind == number && closed, t.kind == number && !counted && !stranger && (i == from ||
			p.at(i+1).kind != word):
			if stranger && !said {
				return 0, false
			}
			return p.take(i, v), true
		case t.kind == number:
			counted = true // on the 10000 test images: 54 %
		case t.kind == other:
			return 0, false
		case t.text == "%":
			v.percent = true
		case t.text == "(" || t.text == "[" && !closed:
			if i = p.aside(i, v); i < 0 {
				return 0, false
			}
		case t.isOf(":=|~≈>-"):
			closed = true
		case t.text == "[" || t.text == "@":
		default:
			return 0, false
		}
	}
	return 0, false
}

// isWrapper reports what a number may be wrapped in: tensor(0.88), np.float64(0.88).
func isWrapper(name []string) bool {
	return slices.ContainsFunc(name, func(s string) bool {
		return s == "tensor" || s == "array" || s == "float" || s == "np" || s == "numpy"
	})
}

// mostAside bounds what stands in brackets after a name, in tokens.
const mostAside = 24

// aside reads what stands in brackets after a name: (%), (val), (top-1). It
// returns the closing one's place, or that before a number in them.
func (p *parser) aside(i int, v *Value) int {
	for from := i; i < from+mostAside; i++ {
		switch t := p.at(i); {
		case t.kind == number && i == from+1 && p.at(i-1).text == "(" && isWrapper(parts(p.at(from-1).text)):
			return i - 1
		case t.text == "%":
			v.percent = true
		case t.kind == word && headOf(parts(t.text)) != Unsaid:
			v.Split, v.weak = headOf(parts(t.text)), false
		case t.kind == word && p.at(from).text == "(" && recalls(parts(t.text)):
			return -1
		case t.text == ")" || t.text == "]":
			return i
		}
	}
	return -1
}

// take takes the number at a token and what follows it: the mean so far, as
// in "75.2 (74.9)" beside a counter, and a split, as in "88.1 % (val)".
func (p *parser) take(i int, v *Value) int {
	t := p.at(i)
	v.take(t)
	if n := p.at(i + 2); p.total > 0 && !t.sign && t.of == 0 && p.at(i+1).text == "(" && n.kind == number &&
		p.at(i+3).text == ")" && n.of == 0 {
		v.take(n)
		return i + 4
	}
	if p.at(i+1).text == "," && p.at(i+2).kind == number && p.at(i-1).text == "[" {
		v.number = math.NaN() // a list, of the classes
	}
	if next := p.at(i + 1).text; next == ">" || next == "→" || next == "-" && p.at(i+2).text == ">" {
		v.number = math.NaN()
	}
	for j := i + 1; j <= i+4; j++ {
		w := p.at(j)
		switch {
		case w.kind == word && headOf(parts(w.text)) != Unsaid && (p.at(j-1).text == "(" || j > i+1 &&
			p.at(j-1).kind == word):
			v.Split, v.weak = headOf(parts(w.text)), false
			return j + 1
		case w.text == "(", w.kind == word && slices.Contains([]string{"on", "for", "the", "in"}, strings.ToLower(w.text)):
		default:
			return i + 1
		}
	}
	return i + 1
}

// take takes a number as printed.
func (v *Value) take(t token) {
	v.number, v.percent, v.rounded = t.number, v.percent || t.sign, t.rounded()
	if t.of > 0 {
		v.number, v.percent, v.share, v.units, v.rounded = t.number/t.of, false, true, t.of, 0
		if !t.whole {
			v.number = math.NaN()
		}
	}
}

// isSound reports a number that the metric can have.
func (v *Value) isSound() bool {
	switch n := v.number; {
	case math.IsNaN(n), math.Abs(n) > 1e9, v.share && n > 1:
		return false
	case v.strict && v.name == "accuracy" && !v.share && !v.percent: // correct: 9153
		return false
	case v.strict && v.Split == Unsaid && !v.share && !v.percent:
		return false
	case v.unit == fraction:
		return n >= 0 && n <= 100
	}
	return true
}

// finish settles what only the whole line tells.
func (p *parser) finish() {
	words := 0
	var shape strings.Builder
	for _, t := range p.tokens {
		if t.kind == word && shape.Len() < 200 {
			shape.WriteString(t.text + " ")
			words++
		}
	}
	p.shape = shape.String()
	for i := range p.values {
		v := &p.values[i]
		v.partial = p.total > 0 && p.done < p.total
		// accuracy: 0.91 - val_accuracy: 0.88
		if (v.Split == Unsaid || v.weak) && slices.ContainsFunc(p.values, func(o Value) bool {
			return o.name == v.name && !o.weak && (o.Split == Validation || o.Split == Test)
		}) {
			v.Split, v.weak = Train, false
		}
	}
	if len(p.values) == 0 && p.recalls {
		p.epoch = nil // that of the best
	}
	if len(p.values) == 0 && p.split != Unsaid && !p.weak && !p.drawn && !p.recalls && words <= 6 {
		p.head = p.split
	}
}
