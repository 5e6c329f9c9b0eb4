// Package keys holds the one table of keys. It dispatches key presses, and
// footer, help screen and docs/KEYS.md are drawn from it, so they can't drift
// apart. A key means one thing on every screen.
package keys

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"sweetspot/engine/plaintext"
)

// Action is what a key asks for.
type Action string

// Binding is one row of the table.
type Binding struct {
	Action Action
	Keys   []string          // as [tea.KeyPressMsg.String] writes them
	Group  string            // section of the help screen
	Help   string            // word for the footer
	Words  map[string]string // other words for the footer in some regions
	Long   string            // what it does, for help and docs
	Only   []string          // regions in which it does something; nil is everywhere
	Rank   int               // 1 comes first into the footer, 0 stays out
	Plain  bool              // the key says enough where the footer is short
}

// in reports whether the binding does something in a region.
func (b *Binding) in(region string) bool {
	return b.Only == nil || slices.ContainsFunc(b.Only, func(r string) bool { return within(region, r) })
}

// word is the footer's word for the binding in a region; the closest region
// wins.
func (b *Binding) word(region string) string {
	best, word := -1, b.Help
	for r, w := range b.Words {
		if within(region, r) && len(r) > best {
			best, word = len(r), w
		}
	}
	return word
}

// within reports whether region is outer or a part of it.
func within(region, outer string) bool {
	return region == outer || strings.HasPrefix(region, outer+".")
}

// Table resolves keys. It is immutable.
type Table struct {
	bindings []Binding
	byKey    map[string]int
}

// Default returns the table without remapping.
func Default() *Table {
	t, err := newTable(defaults())
	if err != nil {
		panic(err) // a test proves the defaults sound
	}
	return t
}

func newTable(bindings []Binding) (*Table, error) {
	t := &Table{bindings: bindings, byKey: map[string]int{}}
	for i, b := range bindings {
		for _, k := range b.Keys {
			if j, taken := t.byKey[k]; taken {
				return nil, fmt.Errorf("key %q can't mean both %s and %s: give one of them another key under \"keys\" in the "+
					"config file", k, bindings[j].Action, b.Action)
			}
			t.byKey[k] = i
		}
	}
	return t, nil
}

// Bindings returns the rows of the table.
func (t *Table) Bindings() []Binding { return slices.Clone(t.bindings) }

// Lookup returns the binding of an action.
func (t *Table) Lookup(a Action) (Binding, bool) {
	i := slices.IndexFunc(t.bindings, func(b Binding) bool { return b.Action == a })
	if i < 0 {
		return Binding{}, false
	}
	return t.bindings[i], true
}

// Resolve returns the action of a key press in a region.
func (t *Table) Resolve(msg tea.KeyPressMsg, region string) (Action, bool) {
	if a, ok := t.ResolveKey(msg.String(), region); ok {
		return a, true
	}
	// An escape right before a key is read as alt with that key: the way out stays open.
	msg.Mod &^= tea.ModAlt
	if a, _ := t.ResolveKey(msg.String(), region); a == Interrupt {
		return a, true
	}
	return "", false
}

// ResolveKey is Resolve for a key by name. Movement keys work in every region,
// so Only limits where they are advertised and not where they act.
func (t *Table) ResolveKey(key, region string) (Action, bool) {
	i, ok := t.byKey[key]
	if !ok {
		return "", false
	}
	if b := &t.bindings[i]; b.Group == moving || b.in(region) {
		return b.Action, true
	}
	return "", false
}

// Remap returns a table in which the named actions have other keys. An empty
// list takes an action's keys away. Errors are one sentence.
func (t *Table) Remap(keys map[string][]string) (*Table, error) {
	bindings := slices.Clone(t.bindings)
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		i := slices.IndexFunc(bindings, func(b Binding) bool { return string(b.Action) == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no action %q to give keys to%s: docs/KEYS.md lists them",
				plaintext.Cut(plaintext.Clean(name), 40), nearest(name, bindings))
		}
		given := make([]string, 0, len(keys[name]))
		for _, k := range keys[name] {
			canonical, ok := canonicalKey(k)
			if !ok {
				return nil, fmt.Errorf("%q is not a key for %s: write one character or a name like enter, tab, f5 or ctrl+p",
					plaintext.Cut(plaintext.Clean(k), 40), name)
			}
			given = append(given, canonical)
		}
		if len(given) == 0 && (bindings[i].Action == Quit || bindings[i].Action == Interrupt || bindings[i].Action == Help) {
			return nil, fmt.Errorf("the action %s needs a key: leave it out to keep %s", name,
				strings.Join(bindings[i].Keys, ", "))
		}
		bindings[i].Keys = given
	}
	return newTable(bindings)
}

// nearest suggests an action that begins or contains alike.
func nearest(name string, bindings []Binding) string {
	name = strings.ToLower(name)
	for _, b := range bindings {
		a := string(b.Action)
		if len(name) >= 3 && (strings.HasPrefix(a, name[:3]) || strings.Contains(a, name)) {
			return fmt.Sprintf(" (%s?)", a)
		}
	}
	return ""
}

// named are the keys that have names, as the terminal library writes them.
var named = []string{"enter", "tab", "esc", "space", "backspace", "delete", "insert", "up", "down", "left", "right",
	"home", "end", "pgup", "pgdown",
	"f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12"}

// canonicalKey brings the name of a key to the form of key presses: modifiers
// in the order ctrl, alt, shift.
func canonicalKey(k string) (string, bool) {
	if k == " " {
		return "space", true
	}
	rest := k
	held := map[string]bool{}
	for {
		modifier, after, ok := strings.Cut(rest, "+")
		if m := strings.ToLower(modifier); ok && after != "" && (m == "ctrl" || m == "alt" || m == "shift") {
			held[m], rest = true, after
			continue
		}
		break
	}
	r, size := utf8.DecodeRuneInString(rest)
	character := size == len(rest) && r != utf8.RuneError && unicode.IsPrint(r)
	if !character {
		rest = strings.ToLower(rest)
		if !slices.Contains(named, rest) {
			return "", false
		}
	} else if held["shift"] && !held["ctrl"] && !held["alt"] {
		return strings.ToUpper(rest), true
	}
	if held["ctrl"] {
		rest = strings.ToLower(rest)
	}
	out := ""
	for _, m := range []string{"ctrl", "alt", "shift"} {
		if held[m] {
			out += m + "+"
		}
	}
	return out + rest, true
}
