package metric

import (
	"slices"
	"strings"
)

// mostWords is the length of the longest name, in words.
const mostWords = 4

// name is the longest name of a metric that begins at a token: where it ends and
// what it says.
func (p *parser) name(i int) (end int, m measure, label []string, ok bool) {
	var name []string
	for j := i; j < i+mostWords; j++ {
		t := p.at(j)
		isPart := t.kind == word || t.kind == number && j > i && t.whole && !t.sign && t.of == 0 && t.number <= 10 &&
			p.at(j+1).kind == word
		if !isPart {
			break
		}
		more := parts(t.text)
		if len(more) == 0 || j == i && !has(more, stems) || slices.Equal(more, []string{"and"}) {
			break // of underscores alone, no metric's, or before another name
		}
		if name = append(name, more...); !has(more, stems) && more[len(more)-1] != "score" {
			continue
		}
		if j > i && splitOf(more) != Unsaid {
			break // another name
		}
		if found, is := measureOf(name); is {
			end, m, ok = j+1, found, true
			label = slices.Clone(name)
		}
	}
	return end, m, label, ok
}

// named is the name of a metric among several that come before their numbers.
type named struct {
	Value
	known bool // what comes is no new result
}

// listed reads the numbers of several metrics whose names all come before them, as in
// "test loss, accuracy (%): (0.35, 89.1)", and moves past them. It reports whether these are there.
func (p *parser) listed() bool {
	names, i := p.names()
	if len(names) < 2 {
		return false
	}
	for p.at(i).kind == word && !p.measured(i) { // on the test set
		switch split := headOf(parts(p.at(i).text)); {
		case split != Unsaid:
			for k := range names {
				names[k].Split, names[k].weak = split, false
			}
		case !slices.Contains(between, strings.ToLower(p.at(i).text)):
			return false
		}
		i++
	}
	if !p.at(i).isOf(":=") {
		return false
	}
	numbers, i := p.numbers(i + 1)
	if len(numbers) < 2 {
		return false
	}
	for k, n := range names {
		p.recalls = p.recalls || n.known
		if len(numbers) != len(names) || n.known {
			continue // nobody knows which is which
		}
		if n.take(numbers[k]); n.isSound() {
			p.values = append(p.values, n.Value)
		}
	}
	p.i, p.known = i, false
	return true
}

// numbers reads numbers with commas, slashes or nothing between them; after is the token after them.
func (p *parser) numbers(from int) (found []token, after int) {
	for i := from; ; i++ {
		t := p.at(i)
		switch {
		case t.kind == number:
			found = append(found, t)
		case t.isOf("[(") && len(found) == 0:
		case (t.isOf(",/") || strings.EqualFold(t.text, "and")) && p.at(i+1).kind == number:
		default:
			return found, i
		}
	}
}

// names reads names of metrics with commas or the word and between them; i is the token after them.
func (p *parser) names() (found []named, i int) {
	split, weak := p.split, p.weak
	for i = p.i; ; i++ {
		if own := headOf(parts(p.at(i).text)); own != Unsaid && p.at(i).kind == word && !p.measured(i) {
			split, weak = own, false
			i++
		}
		end, m, label, ok := p.name(i)
		if !ok {
			return found, i
		}
		n := named{Value: Value{measure: m, Split: splitOf(label)}, known: p.known || recalls(label)}
		if n.Split == Unsaid {
			n.Split, n.weak = split, weak
		}
		var words []string
		for _, t := range p.tokens[i:end] {
			words = append(words, t.text)
		}
		n.Label = strings.Join(words, " ")
		if p.at(end).text == "(" {
			if end = p.aside(end, &n.Value) + 1; end == 0 {
				return nil, i
			}
		}
		found = append(found, n)
		if i = end; !p.at(i).isOf(",") && !strings.EqualFold(p.at(i).text, "and") {
			return found, i
		}
	}
}
