package pricelist

import (
	"strconv"
	"strings"
)

// gpuInfo reads SkyPilot's GpuInfo cell, a Python literal:
//
//	{'Gpus': [{'Name': 'V100', 'Count': 1, 'MemoryInfo': {'SizeInMiB': 16384}}], 'TotalGpuMemoryInMiB': 16384}
//
// It returns the memory of the first GPU and the total, 0 if missing, and the
// first GPU's name. Other cells yield nothing; the rest of the row is still
// useful.
func gpuInfo(cell string) (first, total float64, name string) {
	l := literal{text: cell}
	top, ok := l.value(0).(map[string]any)
	if !ok || l.bad {
		return 0, 0, ""
	}
	total, _ = top["TotalGpuMemoryInMiB"].(float64)
	list, _ := top["Gpus"].([]any)
	if len(list) == 0 {
		return 0, total, ""
	}
	gpu, _ := list[0].(map[string]any)
	memory, _ := gpu["MemoryInfo"].(map[string]any)
	first, _ = memory["SizeInMiB"].(float64)
	name, _ = gpu["Name"].(string)
	if total == 0 { // some write the total among the GPUs
		total, _ = gpu["TotalGpuMemoryInMiB"].(float64)
	}
	return first, total, name
}

// literal reads a Python literal of dictionaries, lists, tuples, strings,
// numbers, True, False and None.
type literal struct {
	text string
	at   int
	bad  bool
}

const deepest = 8 // far deeper than any GpuInfo cell

func (l *literal) value(depth int) any {
	switch c := l.peek(); {
	case depth > deepest || c == 0:
		l.bad = true
		return nil
	case c == '{':
		return l.dictionary(depth)
	case c == '[':
		return l.list(depth, ']')
	case c == '(':
		return l.list(depth, ')')
	case c == '\'' || c == '"':
		return l.quoted(c)
	default:
		return l.word()
	}
}

func (l *literal) dictionary(depth int) any {
	l.at++
	out := map[string]any{}
	for !l.bad {
		if l.take('}') {
			return out
		}
		key, ok := l.value(depth + 1).(string)
		if !ok || !l.take(':') {
			break
		}
		out[key] = l.value(depth + 1)
		if !l.take(',') && l.peek() != '}' {
			break
		}
	}
	l.bad = true
	return nil
}

func (l *literal) list(depth int, end byte) any {
	l.at++
	var out []any
	for !l.bad {
		if l.take(end) {
			return out
		}
		out = append(out, l.value(depth+1))
		if !l.take(',') && l.peek() != end {
			break
		}
	}
	l.bad = true
	return nil
}

func (l *literal) quoted(quote byte) any {
	l.at++
	var out strings.Builder
	for ; l.at < len(l.text); l.at++ {
		switch c := l.text[l.at]; {
		case c == quote:
			l.at++
			return out.String()
		case c == '\\' && l.at+1 < len(l.text):
			l.at++
			out.WriteByte(l.text[l.at])
		default:
			out.WriteByte(c)
		}
	}
	l.bad = true
	return nil
}

func (l *literal) word() any {
	start := l.at
	for l.at < len(l.text) && !strings.ContainsRune(",:]}) \t", rune(l.text[l.at])) {
		l.at++
	}
	switch w := l.text[start:l.at]; w {
	case "None":
		return nil
	case "True", "False":
		return w == "True"
	default:
		v, err := strconv.ParseFloat(w, 64)
		if err != nil || !(v >= 0) || v > 1e12 {
			l.bad = true
			return nil
		}
		return v
	}
}

// peek returns the next non-blank byte, 0 at the end.
func (l *literal) peek() byte {
	for l.at < len(l.text) && (l.text[l.at] == ' ' || l.text[l.at] == '\t') {
		l.at++
	}
	if l.at == len(l.text) {
		return 0
	}
	return l.text[l.at]
}

func (l *literal) take(c byte) bool {
	if l.peek() != c {
		return false
	}
	l.at++
	return true
}
