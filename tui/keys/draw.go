package keys

import (
	"slices"
	"strings"

	"sweetspot/engine/plaintext"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// Disabled says why an action can't be done now, "" when it can. A nil
// Disabled allows everything.
type Disabled func(Action) (reason string)

func (d Disabled) reason(a Action) string {
	if d == nil {
		return ""
	}
	return d(a)
}

// glyphs are short names of keys, and glyphsASCII those without symbols.
var (
	glyphs = map[string]string{"left": "←", "right": "→", "up": "↑", "down": "↓", "enter": "⏎", "space": "␣",
		"shift+tab": "⇧tab", "shift+left": "⇧←", "shift+right": "⇧→", "shift+up": "⇧↑", "shift+down": "⇧↓", "pgup": "PgUp",
		"pgdown": "PgDn"}
	glyphsASCII = map[string]string{"pgup": "PgUp", "pgdown": "PgDn", "shift+tab": "S-tab", "shift+left": "S-left",
		"shift+right": "S-right", "shift+up": "S-up", "shift+down": "S-down"}
)

func glyph(th *theme.Theme, key string) string {
	m := glyphs
	if th.Symbols.Raster == theme.ASCII {
		m = glyphsASCII
	}
	if g, ok := m[key]; ok {
		return g
	}
	return key
}

// item is an entry of the footer: bindings with the same word share one.
type item struct {
	keys, word string
	rank       int
	plain, off bool
}

func (it item) label() string { return strings.TrimRight(it.keys+" "+it.word, " ") }

// terseWidth is the width from which the footer has words for the keys of
// movement too.
const terseWidth = 70

// Footer draws the keys that do something in a region, in at most one line of
// exactly width cells, the most important ones first to come and last to go.
func (t *Table) Footer(th *theme.Theme, region string, width int, disabled Disabled) string {
	items := t.items(th, region, disabled, width < terseWidth)
	order := make([]int, len(items))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return items[a].rank - items[b].rank })
	room := width - 1
	shown := make([]bool, len(items))
	for _, i := range order {
		need := text.Width(items[i].label()) + 2
		if need > room+2 { // the last one needs no gap
			break
		}
		room -= need
		shown[i] = true
	}
	var b strings.Builder
	for i, it := range items {
		if !shown[i] {
			continue
		}
		if b.Len() == 0 {
			b.WriteByte(' ')
		} else {
			b.WriteString("  ")
		}
		key, word := th.Key, th.Help
		if it.off {
			key, word = th.Faint, th.Faint
		}
		b.WriteString(key.Render(it.keys))
		if it.word != "" {
			b.WriteString(" " + word.Render(it.word))
		}
	}
	return text.Fit(b.String(), width)
}

// Typing is the footer while a value is typed, where letters are no keys. These
// keys are always the same; erases says whether one empties the line.
func Typing(th *theme.Theme, width int, erases bool) string {
	shown := [][2]string{{"enter", "accept"}, {"esc", "cancel"}}
	if erases {
		shown = append(shown, [2]string{"ctrl+u", "clear"})
	}
	out := ""
	for _, k := range shown {
		out += " " + th.Key.Render(glyph(th, k[0])) + " " + th.Help.Render(k[1]) + " "
	}
	return text.Fit(out, width)
}

// items lists the footer's entries for a region in the order of the table; terse
// ones have no words for the plain keys, nor other keys beside these.
func (t *Table) items(th *theme.Theme, region string, disabled Disabled, terse bool) []item {
	var out []item
	for i := range t.bindings {
		b := &t.bindings[i]
		if b.Rank == 0 || len(b.Keys) == 0 || !b.in(region) {
			continue
		}
		word, key := b.word(region), glyph(th, b.Keys[0])
		if j := slices.IndexFunc(out, func(x item) bool { return x.word == word }); j >= 0 {
			if terse && out[j].plain && !b.Plain {
				continue
			}
			if !slices.Contains([]string{"←", "↑"}, out[j].keys) {
				key = " " + key
			}
			out[j].keys += key
			continue
		}
		out = append(out, item{key, word, b.Rank, b.Plain, disabled.reason(b.Action) != ""})
	}
	for i := range out {
		if terse && out[i].plain {
			out[i].word = ""
		}
	}
	return out
}

// HelpLines draws the words of a region and the whole table in lines of at most
// width cells: sections, all keys of every action, what it does, and why it can't
// be done now. What is longer than its column goes on below.
func (t *Table) HelpLines(th *theme.Theme, region string, width int, disabled Disabled) []string {
	keyWidth := 0
	for _, b := range t.bindings {
		keyWidth = max(keyWidth, text.Width(t.names(th, b)))
	}
	keyWidth = min(keyWidth, width/2)
	lines := termLines(th, region, width)
	group := ""
	for _, b := range t.bindings {
		if b.Group != group {
			if group != "" {
				lines = append(lines, "")
			}
			group = b.Group
			lines = append(lines, th.Title.Render(text.Truncate(group, width, th.Symbols.Ellipsis)))
		}
		long := b.Long
		key, pen := th.Key, th.Text
		if reason := disabled.reason(b.Action); reason != "" {
			key, pen = th.Faint, th.Faint
			long += " (now: " + text.Clean(reason) + ")"
		} else if b.Group != moving && !b.in(region) {
			key, pen = th.Faint, th.Faint
			long += " (on " + strings.Join(screensOf(b.Only), ", ") + ")"
		}
		lines = append(lines, entry(column{t.names(th, b), keyWidth, key}, column{long, width - keyWidth - gap, pen})...)
	}
	return lines
}

// column is words to be drawn in so many cells.
type column struct {
	words string
	width int
	pen   theme.Pen
}

// gap is the cells between two columns.
const gap = 2

// entry draws what stands left and its meaning beside it.
func entry(left, right column) (lines []string) {
	names, words := text.Wrap(left.words, max(left.width, 1)), text.Wrap(right.words, max(right.width, 1))
	for i := range max(len(names), len(words)) {
		name, meaning := "", ""
		if i < len(names) {
			name = names[i]
		}
		if i < len(words) {
			meaning = words[i]
		}
		line := left.pen.Render(text.Fit(name, left.width)) + strings.Repeat(" ", gap) + right.pen.Render(meaning)
		lines = append(lines, text.Truncate(line, max(left.width+gap+right.width, 0), ""))
	}
	return lines
}

// names are all keys of a binding.
func (t *Table) names(th *theme.Theme, b Binding) string {
	if len(b.Keys) == 0 {
		return "no key"
	}
	return plaintext.Join(b.Keys, " ", func(key string) string { return glyph(th, key) })
}

// screensOf names the screens of regions, each once.
func screensOf(regions []string) []string {
	names := map[string]string{InExport: "the export dialog", InMapping: "the form of columns"}
	for _, t := range Tabs {
		names[t.Region] = t.Name
	}
	var out []string
	for _, r := range regions {
		outer, _, _ := strings.Cut(r, ".")
		if name := names[outer]; !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// Markdown writes the table as docs/KEYS.md.
func (t *Table) Markdown() string {
	var b strings.Builder
	b.WriteString("# Keys\n\nOne table feeds dispatch, footer, help (`?`) and this page. A key means one thing on " +
		"every screen.\n" +
		"Other keys are given in the config file: `\"keys\": {\"pick\": [\"x\", \"ctrl+p\"]}`, by the names in the " +
		"second column.\n")
	group := ""
	for _, bind := range t.bindings {
		if bind.Group != group {
			group = bind.Group
			b.WriteString("\n## " + group + "\n\n| key | action | where | what it does |\n|---|---|---|---|\n")
		}
		where := "everywhere"
		if bind.Only != nil && bind.Group != moving {
			where = strings.Join(screensOf(bind.Only), ", ")
		}
		b.WriteString("| `" + strings.Join(bind.Keys, "` `") + "` | " + string(bind.Action) + " | " + where + " | " +
			bind.Long + " |\n")
	}
	return b.String()
}
