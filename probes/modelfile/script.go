package modelfile

import (
	"regexp"
	"strconv"
	"strings"
)

func itoa(v int64) string { return strconv.FormatInt(v, 10) }

// members are the names of the parameters of a TorchScript class.
type members map[string]bool

// script counts a TorchScript module. Its pickle does not distinguish
// parameters from buffers; the code next to it does.
func (t *torchFile) script(o *object, depth int) {
	state := o.attributes()
	if state == nil || t.seen[o] || depth > maxDepth {
		return
	}
	t.seen[o] = true
	parameters, known := t.parametersOf(o.class)
	for _, e := range state.items {
		if v, ok := tensorOf(e.value); ok {
			if known && parameters[e.key] || !known && v.gradient {
				t.add(v)
			}
		} else if inner, ok := e.value.(*object); ok {
			t.script(inner, depth+1)
		}
	}
}

var (
	classLine      = regexp.MustCompile(`^class (\w+)\(`)
	parametersLine = regexp.MustCompile(`^\s*__parameters__ = \[(.*)\]`)
	quoted         = regexp.MustCompile(`"([^"]*)"`)
)

// parametersOf reads the parameters of a class from the archive's code, which
// has the module's path.
func (t *torchFile) parametersOf(c class) (members, bool) {
	full := c.module + "." + c.name
	if m, ok := t.classes[full]; ok {
		return m, m != nil
	}
	t.classes[full] = nil
	path := "code/" + strings.ReplaceAll(c.module, ".", "/") + ".py"
	if t.archive.names[path] == nil || t.code > maxCode {
		return nil, false
	}
	source, err := t.archive.read(path, maxCode)
	if err != nil {
		t.facts.warn("the code of %s in the file is damaged, so its parameters are recognised by their gradients",
			clean(full))
		return nil, false
	}
	t.code += int64(len(source))
	current := ""
	for line := range strings.Lines(string(source)) {
		if m := classLine.FindStringSubmatch(line); m != nil {
			current = c.module + "." + m[1]
			t.classes[current] = members{}
		} else if m := parametersLine.FindStringSubmatch(line); m != nil && current != "" {
			for _, name := range quoted.FindAllStringSubmatch(m[1], -1) {
				t.classes[current][name[1]] = true
			}
		}
	}
	m := t.classes[full]
	return m, m != nil
}
