// Package secret finds what looks like a secret in a command or in text: the value
// of a flag or a variable with the name of one, the password in a URL, a token of a
// well-known form. What only looks like one is hidden as well.
package secret

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Hidden stands for a secret in a text.
const Hidden = "***"

var (
	// named matches what names of secrets end in: API_KEY, --hf-token, db.password.
	named = regexp.MustCompile(`(?i)(?:(?:^|[_.-])(?:key|auth|pass)|[_.-]pwd|token|passwd|password|passphrase|sshpass|` +
		`secrets?|credentials?|authorization|cookie|(?:api|access|auth|private|secret)key)$`)
	// password matches those whose value is one even if it is a number.
	password = regexp.MustCompile(`(?i)pass|pwd|auth|secret|credential`)

	assigned = regexp.MustCompile(`([A-Za-z_][\w.-]*)(["']?=["']?)([^\s"'&;|)]+)`)
	flagged  = regexp.MustCompile(`(--?[A-Za-z][\w.-]*)(\s+["']?)([^\s"';|&)-][^\s"';|&)]*)`)
	headed   = regexp.MustCompile(`(?i)((?:proxy-)?authorization|(?:set-)?cookie|passw(?:or)?d|passphrase|` +
		`(?:[a-z]+[ _-])?secret|(?:api|access|auth|private|secret)[ _-]?key|` +
		`(?:access|auth|bearer|refresh|api|hf)[ _-]?token)` +
		`(["']?\s*:\s*["']?(?:(?:bearer|basic|digest|token)\s+)?)([^\s"',;}]+)`)
	inURL = regexp.MustCompile(`([A-Za-z][A-Za-z\d+.-]*://[^\s/:@]*)(:)([^\s/@]+)@`)
	known = regexp.MustCompile(`\b(?:hf_\w{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|sk-[\w-]{16,}|` +
		`xox[abprs]-[\w-]{10,}|AKIA[0-9A-Z]{16}|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]+)`)
	variable = regexp.MustCompile(`^\$\{(\w+)\}$`)
)

// swap returns what replaces the value of something with this name.
type swap func(name, value string) string

// in replaces the secrets in a text.
func in(text string, with swap) string {
	text = inAssignments(text, with)
	for _, form := range []*regexp.Regexp{flagged, headed, inURL} {
		text = form.ReplaceAllStringFunc(text, func(all string) string {
			m := form.FindStringSubmatch(all)
			name, end := m[1], all[len(m[1])+len(m[2])+len(m[3]):]
			switch {
			case form == inURL:
				name = "password"
			case form != headed && !named.MatchString(name):
				return all
			}
			return m[1] + m[2] + with(name, m[3]) + end
		})
	}
	return known.ReplaceAllStringFunc(text, func(value string) string { return with("secret", value) })
}

// inAssignments replaces the values that are assigned to the names of secrets, also
// within a value: opts=fast,api_key=x. What is looked at again is bounded, since a word
// may hold very many equals signs.
func inAssignments(text string, with swap) string {
	var out strings.Builder
	for again := mostLooks * len(text); ; {
		m := assigned.FindStringSubmatchIndex(text)
		if m == nil {
			return out.String() + text
		}
		name, value, rest := text[m[2]:m[3]], text[m[6]:m[7]], text[m[7]:]
		out.WriteString(text[:m[6]])
		switch {
		case named.MatchString(name):
			out.WriteString(with(name, value))
			text = rest
		case again >= len(value):
			again -= len(value)
			text = text[m[6]:]
		default:
			out.WriteString(value)
			text = rest
		}
	}
}

// mostLooks is how many times a text is looked at in all for assignments within values.
const mostLooks = 16

// each replaces the secrets in the words of a command. A word after -c is the text
// of a script.
func each(words []string, with swap) []string {
	out := slices.Clone(words)
	for i, w := range words {
		before := ""
		if i > 0 {
			before = words[i-1]
		}
		name, value, hasValue := strings.Cut(w, "=")
		switch {
		case before == "-c":
			out[i] = in(w, with)
		case strings.HasPrefix(before, "-") && !strings.Contains(before, "=") && named.MatchString(before) &&
			!strings.HasPrefix(w, "-"):
			out[i] = with(before, w)
		case hasValue && named.MatchString(name) && !strings.ContainsAny(name, " \t:/"):
			out[i] = name + "=" + with(name, value)
		default:
			out[i] = in(w, with)
		}
	}
	return out
}

// isNone reports whether a value is no secret: a switch, a variable, a hidden one.
func isNone(value string) bool {
	return strings.HasPrefix(value, "$") || slices.Contains([]string{"", Hidden, "true", "false", "none", "null", "yes",
		"no"}, strings.ToLower(value))
}

// Words is a command without its secrets. A variable stands for each, such as
// ${HF_TOKEN} for the value of --hf-token, with which a shell and [Expand] can run
// the command again.
func Words(words []string) []string {
	return each(words, func(name, value string) string {
		if isNone(value) {
			return value
		}
		return "${" + variableOf(name) + "}"
	})
}

func variableOf(name string) string {
	return strings.ToUpper(strings.Trim(strings.Map(func(r rune) rune {
		if r == '-' || r == '.' || r == ' ' {
			return '_'
		}
		return r
	}, name), "_"))
}

// Text is a text, such as a line of a log, without its secrets. Numbers of tokens
// and keys are none.
func Text(text string) string {
	return in(text, func(name, value string) string {
		_, err := strconv.ParseFloat(strings.TrimRight(value, ",%]}"), 64)
		if isNone(value) || err == nil && !password.MatchString(name) {
			return value
		}
		return Hidden
	})
}

// Expand puts the values of variables where [Words] has put the variables. The
// error names those that are not set, and rejects what hides a secret otherwise.
func Expand(words []string, lookup func(string) (string, bool)) ([]string, error) {
	var missing []string
	out := each(words, func(name, value string) string {
		if value == Hidden {
			missing = append(missing, variableOf(name))
		}
		m := variable.FindStringSubmatch(value)
		if m == nil {
			return value
		}
		found, ok := lookup(m[1])
		if !ok {
			missing = append(missing, m[1])
		}
		return found
	})
	if len(missing) > 0 {
		slices.Sort(missing)
		all := strings.Join(slices.Compact(missing), ", ")
		return nil, fmt.Errorf("the command lacks what was hidden when it was kept; set %s in the environment, and write "+
			"${%s} in its place", all, missing[0])
	}
	for i := range words {
		if i > 0 && words[i-1] == "-c" {
			out[i] = words[i] // its shell expands it
		}
	}
	return out, nil
}
