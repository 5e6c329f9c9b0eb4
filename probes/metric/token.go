package metric

import (
	"cmp"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// token is a word, a number or a mark of a line.
type token struct {
	kind kind
	text string // as printed; of a mark its one character

	number float64
	of     float64 // what a number is counted out of, as in 9153/10000; else 0
	sign   bool    // a per cent sign follows
	whole  bool    // printed without a point or an exponent
}

// rounded is half of the last digit of a number as printed.
func (t token) rounded() float64 {
	digits, exponent, _ := strings.Cut(strings.ToLower(t.text), "e")
	_, decimals, _ := strings.Cut(digits, ".")
	power, err := strconv.Atoi(cmp.Or(exponent, "0"))
	if err != nil {
		return 0
	}
	return 0.5 * math.Pow10(power-len(decimals))
}

type kind uint8

const (
	word kind = iota
	number
	mark
	other // a number that goes on as a unit, a date or a path
)

// isOf reports whether the token is one of some marks.
func (t token) isOf(marks string) bool {
	return t.kind == mark && t.text != "" && strings.Contains(marks, t.text)
}

// maxTokens bounds the work on one line.
const maxTokens = 400

// The joints of a word keep a name whole: val_acc, eval/top1, top-1, Acc@1,
// mAP@0.5:0.95.
const (
	aWord   = `[\pL_][\pL\pN_]*(?:@\.?\d[\d.]*(?::\.?\d[\d.]*)?|[-/.^][\pL\pN_]+)*`
	aNumber = `[-+]?(?:(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?`
	aUnit   = `[\pL_][^\s,;)\]}|]*|[/:]\d[^\s,;)\]}|]*|[-.]\d[^\s,;)\]}|]*|\.\pL[^\s,;)\]}|]*`
)

var tokens = regexp.MustCompile(`(` + aWord + `)|(` + aNumber + `)(?:\s?(%)|\s*/\s*(` + aNumber + `))?(` + aUnit +
	`)?|([^\s"'` + "`" + `])`)

// scan splits a line. Quotes are left out, so that JSON and Python's dictionaries
// read as other text does.
func scan(line string) []token {
	var out []token
	for _, m := range tokens.FindAllStringSubmatch(line, maxTokens) {
		switch {
		case m[1] != "":
			out = append(out, token{kind: word, text: m[1]})
		case m[2] != "":
			out = append(out, numeral(m[2], m[4], m[3] != "", m[5] != ""))
		default:
			t := token{kind: mark, text: m[6]}
			if t.isOf("│┃║") {
				t.text = "|"
			}
			out = append(out, t)
		}
	}
	return out
}

func numeral(text, of string, sign, goesOn bool) token {
	t := token{kind: number, text: text, sign: sign, whole: !strings.ContainsAny(text, ".eE")}
	var ok, whole bool
	t.number, ok = parse(text)
	if of != "" {
		t.of, whole = parse(of)
		ok = ok && whole
	}
	if goesOn || !ok {
		t.kind = other
	}
	return t
}

func parse(s string) (float64, bool) {
	v, err := strconv.ParseFloat(strings.ReplaceAll(s, ",", ""), 64)
	return v, err == nil && !math.IsInf(v, 0)
}
