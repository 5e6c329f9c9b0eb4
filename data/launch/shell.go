package launch

import (
	"fmt"
	"strings"

	"sweetspot/data/shellwords"
)

// need is a variable that a script asks for.
type need struct{ name, what string }

// check ends the script with a sentence where the variable is not set.
func (n need) check() string { return fmt.Sprintf(": \"${%s:?set it to %s}\"\n", n.name, n.what) }

// needs are asked for once each, in their order.
func checks(all []need) string {
	var b strings.Builder
	seen := map[string]bool{}
	for _, n := range all {
		if !seen[n.name] {
			b.WriteString(n.check())
			seen[n.name] = true
		}
	}
	return b.String()
}

// script begins a Bash script that launches VMs.
func (j *job) script() string {
	hint := []string{"", "The VMs that this script starts cost money until you delete them."}
	return "#!/usr/bin/env bash\n" + comment(append(j.remarks(), hint...)) + "set -euo pipefail\n\n"
}

// exports sets variables for the command. shellcheck takes quoted text for a
// mistake where it looks like an expansion or has typographic quotes.
func exports(all []setting) string {
	var b strings.Builder
	for _, s := range all {
		if strings.ContainsAny(s.value, "$`\\'") || strings.IndexFunc(s.value, func(r rune) bool { return r > '~' }) >= 0 {
			b.WriteString("# shellcheck disable=SC1003,SC1018,SC1110,SC1111,SC1112,SC2016,SC2027 # a name, in single quotes\n")
		}
		fmt.Fprintf(&b, "export %s=%s\n", s.name, shellwords.Quoted(s.value))
	}
	return b.String()
}

// call writes a command, one argument a line.
func call(command string, args ...string) string {
	return strings.Join(append([]string{command}, args...), " \\\n  ") + "\n"
}
