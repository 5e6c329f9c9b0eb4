package workload

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
	"sweetspot/engine/serving"
)

// ParseKind reads a kind of request as text, as name=search,models=a+b,share=60%,slo=200ms: the
// form of [KindText]. A backslash takes the meaning from a comma, a plus sign or a backslash.
func ParseKind(text string) (serving.Kind, error) {
	r := kindReader{of: serving.Defaults().Function}
	r.Best = serving.Cost
	seen := map[string]bool{}
	for _, field := range split(text, ',') {
		key, value, ok := strings.Cut(field, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if !ok || value == "" {
			return r.Kind, fmt.Errorf("%s is no field: write name=value", plaintext.Quote(field))
		}
		if seen[key] {
			return r.Kind, fmt.Errorf("%s is given twice", plaintext.Line(key, 40))
		}
		seen[key] = true
		if err := r.set(key, value); err != nil {
			return r.Kind, fmt.Errorf("%s: %w", plaintext.Line(key, 40), err)
		}
	}
	return r.kind()
}

// kindReader reads a kind of request, field by field.
type kindReader struct {
	serving.Kind
	function    FunctionTime
	of          serving.Function // whose time at one size is known
	ownFunction bool
}

// longestName is that of a kind of request, in bytes.
const longestName = 200

// set takes a field.
func (r *kindReader) set(key, value string) (err error) {
	switch key {
	case "name":
		r.Name = plaintext.Line(plain(value), longestName)
	case "models":
		for _, name := range split(value, '+') {
			if name = plain(name); name == "" {
				return errors.New("a model has no name: write a+b")
			}
			r.Models = append(r.Models, name)
		}
	case "vm":
		r.VM = plain(value)
	case "share":
		r.Share, err = positive(quantity.ParseFraction, value)
	case "slo":
		r.LimitS, err = positive(quantity.ParseDuration, value)
	case "min-accuracy":
		r.MinAccuracy, err = fraction(value)
	case "max-cost":
		var usd float64
		usd, err = positive(quantity.ParseMoney, value)
		r.MaxUSDPerMillion, r.Best = &usd, serving.Accuracy
	case "function-memory":
		r.MemoryGiB, err = positive(parseNumber, value)
	default:
		return r.setFunction(key, value)
	}
	return err
}

// setFunction takes a field about how the time of the function falls with its memory.
func (r *kindReader) setFunction(key, value string) (err error) {
	r.ownFunction = true
	switch key {
	case "function-time":
		r.of.Seconds, err = positive(quantity.ParseDuration, value)
	case "function-knee":
		r.function.KneeGiB, err = positive(parseNumber, value)
	case "function-fixed":
		r.function.Fixed, err = fraction(value)
	case "function-times":
		r.function.Times = strings.ReplaceAll(value, "+", ",")
	default:
		err = fmt.Errorf("%q is not one of name, models, share, slo, min-accuracy, max-cost, vm, function-memory, "+
			"function-time, function-knee, function-fixed and function-times", plaintext.Line(key, 40))
	}
	return err
}

// kind is what was read, once it is whole.
func (r *kindReader) kind() (w serving.Kind, err error) {
	w = r.Kind
	if len(w.Models) == 0 {
		return w, errors.New("it names no models: add models=a+b")
	}
	memory, measured, err := r.function.Memory(r.of)
	if err != nil {
		return w, err
	}
	if r.ownFunction {
		w.Function, w.Measured = &memory, measured
	}
	if w.MemoryGiB != 0 && !(w.MemoryGiB >= memory.MinGiB && w.MemoryGiB <= memory.MaxGiB) {
		return w, fmt.Errorf("function-memory: give GiB from %g to %g", memory.MinGiB, memory.MaxGiB)
	}
	return w, nil
}

// KindText writes a kind of request as [ParseKind] reads it.
func KindText(w serving.Kind) string {
	var fields []string
	add := func(key, value string) { fields = append(fields, key+"="+value) }
	if w.Name != "" {
		add("name", escape(w.Name))
	}
	models := make([]string, len(w.Models))
	for i, m := range w.Models {
		models[i] = escape(m)
	}
	add("models", strings.Join(models, "+"))
	if w.VM != "" {
		add("vm", escape(w.VM))
	}
	if w.Share > 0 {
		add("share", percent(w.Share))
	}
	if w.LimitS > 0 {
		add("slo", seconds(w.LimitS))
	}
	if w.MinAccuracy != nil {
		add("min-accuracy", percent(*w.MinAccuracy))
	}
	if w.MaxUSDPerMillion != nil {
		add("max-cost", "$"+strconv.FormatFloat(*w.MaxUSDPerMillion, 'f', -1, 64))
	}
	if w.MemoryGiB > 0 {
		add("function-memory", number(w.MemoryGiB))
	}
	return strings.Join(append(fields, functionText(w)...), ",")
}

// functionText are the fields of how the time of the function falls with its memory.
func functionText(w serving.Kind) []string {
	switch {
	case len(w.Measured) > 0:
		times := make([]string, len(w.Measured))
		for i, p := range w.Measured {
			times[i] = number(p.MemoryGiB) + ":" + seconds(p.Seconds)
		}
		return []string{"function-times=" + strings.Join(times, "+")}
	case w.Function == nil:
		return nil
	}
	s, fixed := w.Function.Known(serving.Defaults().Function.MemoryGiB)
	return []string{"function-time=" + seconds(s), "function-knee=" + number(w.Function.KneeGiB),
		"function-fixed=" + percent(fixed)}
}

// FunctionTime says how the time of a function falls with its memory.
type FunctionTime struct {
	KneeGiB float64  // 0 is [serving.DefaultKneeGiB]
	Fixed   *float64 // share of the time that more memory does not shorten; nil is [serving.DefaultFixed]
	Times   string   // measured, as 0.5:1.2s,1:600ms, to which the other two are fitted
}

// Memory is how the time falls, for a function whose time at one size is known, and the measured
// times that this is fitted to, if any.
func (f FunctionTime) Memory(of serving.Function) (m serving.Memory, measured []serving.MemoryPoint, err error) {
	if f.Times == "" {
		knee, fixed := f.KneeGiB, serving.DefaultFixed
		if knee == 0 {
			knee = serving.DefaultKneeGiB
		}
		if f.Fixed != nil {
			fixed = *f.Fixed
		}
		m, err = serving.MemoryWith(of.Seconds, of.MemoryGiB, knee, fixed)
		return m, nil, err
	}
	if f.KneeGiB != 0 || f.Fixed != nil {
		return m, nil, errors.New("measured times give the knee and the fixed share: leave them out")
	}
	if measured, err = parseTimes(f.Times); err == nil {
		m, err = serving.FitMemory(measured)
	}
	return m, measured, err
}

// parseTimes reads measured times by memory.
func parseTimes(s string) (points []serving.MemoryPoint, err error) {
	for _, part := range strings.Split(s, ",") {
		gib, time, ok := strings.Cut(part, ":")
		p := serving.MemoryPoint{}
		if ok {
			if p.MemoryGiB, err = parseNumber(strings.TrimSpace(gib)); err == nil {
				p.Seconds, err = quantity.ParseDuration(strings.TrimSpace(time))
			}
		}
		if !ok || err != nil {
			return nil, fmt.Errorf("%s is no time of a function: write GiB and time, as 1:600ms", plaintext.Quote(part))
		}
		points = append(points, p)
	}
	return points, nil
}

// split cuts text at a sign that no backslash stands before.
func split(text string, at byte) (parts []string) {
	from := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case at:
			parts, from = append(parts, text[from:i]), i+1
		}
	}
	return append(parts, text[from:])
}

// plain is text without the backslashes that take a meaning away.
func plain(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
		}
		b.WriteByte(text[i])
	}
	return strings.TrimSpace(b.String())
}

var escapes = strings.NewReplacer(`\`, `\\`, ",", `\,`, "+", `\+`)

func escape(name string) string { return escapes.Replace(name) }

func number(v float64) string  { return strconv.FormatFloat(v, 'g', -1, 64) }
func percent(v float64) string { return strconv.FormatFloat(100*v, 'f', -1, 64) + "%" }
func seconds(v float64) string { return strconv.FormatFloat(1000*v, 'f', -1, 64) + "ms" }

func parseNumber(s string) (float64, error) { return strconv.ParseFloat(s, 64) }

func fraction(s string) (*float64, error) {
	v, err := quantity.ParseFraction(s)
	return &v, err
}

// positive reads a finite number above 0.
func positive(parse func(string) (float64, error), s string) (float64, error) {
	v, err := parse(s)
	if err == nil && (!(v > 0) || math.IsInf(v, 0)) {
		err = fmt.Errorf("%s is not above 0", plaintext.Quote(s))
	}
	return v, err
}
